internal import Expressions
internal import RuleEngine

/// What is said of a place only because something else is wrong there.
///
/// A call with a pattern that is none, on an attribute that may be missing, has one thing wrong; who
/// has mended it hears the other if it is still so.
enum Consequences {
  /// What makes a part of an expression something that nobody has meant.
  private static let causes: Set<Diagnostic.Code> = [
    .badRegex, .typeError, .unknownFunction, .valueNotInEnum,
  ]

  /// Whether a finding only follows from others.
  static func contain(_ finding: Diagnostic, of others: [Diagnostic]) -> Bool {
    guard let range = finding.range, !finding.path.isEmpty else { return false }
    switch finding.code {
    case .mayBeMissing, .constantClause, .contradictoryClauses: break
    default: return false
    }
    return others.contains { cause in
      guard causes.contains(cause.code), cause.path == finding.path, let part = cause.range,
        // What is only unusual for a value is still a value that may be missing.
        finding.code != .mayBeMissing || cause.severity == .error
      else { return false }
      return range.from <= part.from && part.to <= range.to
    }
  }
}
