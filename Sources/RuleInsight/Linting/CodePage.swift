package import Expressions
internal import RuleEngine

/// The documentation of a diagnostic code: the page of `tollgate check --explain`.
package struct CodePage: Sendable {
  /// An example piece of a config, with or without the problem.
  package enum Example: Hashable, Sendable {
    /// An expression: the condition of a Superwall audience.
    case condition(String)
    /// Members of a Superwall audience, in addition to the required ones.
    case audience(String)
    /// A whole config.
    case config(String)
    /// Input of another kind, which `check` does not read.
    case other(String)

    package var text: String {
      switch self {
      case .condition(let text), .audience(let text), .config(let text), .other(let text): text
      }
    }
  }

  package let code: Diagnostic.Code
  package let severity: Diagnostic.Severity
  /// The problem in one sentence.
  package let what: String
  /// The consequences.
  package let why: String
  /// An example with the problem.
  package let example: Example
  /// The remedy.
  package let advice: String
  /// The corrected example, without the problem.
  package let better: Example?
  /// Lists of names that the advice refers to, by their titles.
  let lists: [(title: String, names: [String])]

  package init(
    _ code: Diagnostic.Code, _ severity: Diagnostic.Severity, what: String, why: String,
    example: Example, advice: String, better: Example? = nil,
    lists: [(title: String, names: [String])] = []
  ) {
    self.code = code
    self.severity = severity
    self.what = what
    self.why = why
    self.example = example
    self.advice = advice
    self.better = better
    self.lists = lists
  }

  /// The page as plain text.
  package var text: String {
    func indented(_ example: Example) -> String {
      example.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "    \($0)" }.joined(separator: "\n")
    }
    var parts = ["\(code.rawValue) (\(severity.rawValue))", what, why]
    parts.append("Example:\n\n" + indented(example))
    parts.append(advice)
    if let better { parts.append("Better:\n\n" + indented(better)) }
    for list in lists {
      let names = TextWidth.wrapped("    " + list.names.joined(separator: ", "), to: 80)
      parts.append("\(list.title):\n\n" + names.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}
