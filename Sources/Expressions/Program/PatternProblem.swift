internal import Regex

/// What is wrong with a constant as a regular expression.
enum PatternProblem {
  /// CEL does not take it.
  case notInRE2(RegexSyntaxError)
  /// Neither superscript nor CEL takes it.
  case inNeither(RegexSyntaxError)
  /// superscript takes it, and CEL does not.
  case onlyInRust(RegexSyntaxError)
  /// CEL takes it, and superscript does not.
  case onlyInRE2(RegexSyntaxError)

  private var error: RegexSyntaxError {
    switch self {
    case .notInRE2(let error), .inNeither(let error), .onlyInRust(let error),
      .onlyInRE2(let error):
      error
    }
  }

  /// What is said about it. In superscript an expression with it compiles all the same: an evaluation
  /// fails only where it comes to the pattern.
  ///
  /// - Parameter range: where in the expression an error stands.
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
        "superscript reads patterns as Rust's regex crate does, CEL as RE2 does; neither takes this one"
      ]
    case .onlyInRust:
      diagnostic.code = .dialectDifference
      diagnostic.severity = .note
      diagnostic.message = "superscript takes this pattern, CEL does not: \(error.message)"
    case .onlyInRE2:
      diagnostic.code = .dialectDifference
      diagnostic.severity = .note
      diagnostic.message =
        "CEL takes this pattern, superscript does not, and evaluating it fails: \(error.message)"
    }
    return diagnostic
  }
}
