internal import Expressions
internal import RuleEngine

/// Findings that only follow from other problems at the same place.
///
/// A call with an invalid pattern on an attribute that may be missing has one problem. If the other
/// one remains after a fix, it is reported then.
enum Consequences {
  /// Problems that make a part of an expression certainly unintended.
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
        // An unusual value may still be missing.
        finding.code != .mayBeMissing || cause.severity == .error
      else { return false }
      return range.from <= part.from && part.to <= range.to
    }
  }
}
