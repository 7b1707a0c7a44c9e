package import Expressions
internal import RuleEngine

/// What there is to know about a code: the page of `tollgate check --explain`.
package struct CodePage: Sendable {
  /// A piece of a config in which something is found, or not.
  package enum Example: Hashable, Sendable {
    /// An expression, the condition of an audience of Superwall's.
    case condition(String)
    /// Members of an audience of Superwall's, beside those that it must have.
    case audience(String)
    /// A whole config.
    case config(String)
    /// Something that `check` does not read by itself.
    case other(String)

    package var text: String {
      switch self {
      case .condition(let text), .audience(let text), .config(let text), .other(let text): text
      }
    }
  }

  package let code: Diagnostic.Code
  package let severity: Diagnostic.Severity
  /// What is found, in a sentence.
  package let what: String
  /// What comes of it.
  package let why: String
  /// Where it is found.
  package let example: Example
  /// What to do.
  package let advice: String
  /// The example as it should be; there nothing is found.
  package let better: Example?
  /// Lists of names that the advice is about, by their titles.
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

  /// The page for a person.
  package var text: String {
    func indented(_ example: Example) -> String {
      example.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "    \($0)" }.joined(separator: "\n")
    }
    var parts = ["\(code.rawValue) (\(severity.rawValue))", what, why]
    parts.append("For example:\n\n" + indented(example))
    parts.append(advice)
    if let better { parts.append("Better:\n\n" + indented(better)) }
    for list in lists {
      let names = TextWidth.wrapped("    " + list.names.joined(separator: ", "), to: 80)
      parts.append("\(list.title):\n\n" + names.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}
