internal import Regex

/// Why a constant is not a regular expression.
enum PatternProblem {
  /// CEL rejects the pattern.
  case notInRE2(RegexSyntaxError)
  /// Both superscript and CEL reject the pattern.
  case inNeither(RegexSyntaxError)
  /// superscript accepts the pattern, and CEL rejects it.
  case onlyInRust(RegexSyntaxError)
  /// CEL accepts the pattern, and superscript rejects it.
  case onlyInRE2(RegexSyntaxError)

  private var error: RegexSyntaxError {
    switch self {
    case .notInRE2(let error), .inNeither(let error), .onlyInRust(let error),
      .onlyInRE2(let error):
      error
    }
  }

  /// The diagnostic of the problem. In superscript, an expression with the pattern still compiles. An evaluation only
  /// fails if it reaches the pattern.
  ///
  /// - Parameter range: the place of an error in the expression.
  func diagnostic(_ range: (RegexSyntaxError) -> SourceRange) -> Diagnostic {
    let error = error
    var diagnostic = Diagnostic(
      error.code.isLimit ? .limitExceeded : .badRegex, error.message, range: range(error),
      suggestion: error.suggestion)
    switch self {
    case .notInRE2: diagnostic.notes = ["patterns are in RE2's syntax"]
    case .inNeither:
      diagnostic.severity = .warning
      diagnostic.notes = [
        "this pattern is invalid in superscript (syntax of Rust's regex crate) and in CEL (RE2)"
      ]
    case .onlyInRust:
      diagnostic.code = .dialectDifference
      diagnostic.severity = .note
      diagnostic.message = "superscript accepts this pattern, but CEL does not: \(error.message)"
    case .onlyInRE2:
      diagnostic.code = .dialectDifference
      diagnostic.severity = .note
      diagnostic.message =
        "CEL accepts this pattern, but evaluating it in superscript fails: \(error.message)"
    }
    return diagnostic
  }
}
