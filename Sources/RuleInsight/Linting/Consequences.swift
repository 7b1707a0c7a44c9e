internal import Expressions
internal import RuleEngine

/// Findings that are only consequences of other problems at the same place.
///
/// For a call with an invalid pattern on an attribute that may be missing, only the pattern is
/// reported. The missing attribute is reported after the pattern was fixed.
struct Consequences {
  /// Problems that make a part of an expression certainly unintended.
  private static let causes: Set<Diagnostic.Code> = [
    .badRegex, .typeError, .unknownFunction, .valueNotInEnum,
  ]

  /// The causes, by the path of their diagnostic.
  private var known: [String: [Diagnostic]] = [:]

  init(of others: [Diagnostic]) {
    for cause in others where Self.causes.contains(cause.code) && cause.range != nil {
      known[cause.path, default: []].append(cause)
    }
  }

  /// Whether a finding is only a consequence of another one.
  func contain(_ finding: Diagnostic) -> Bool {
    guard let range = finding.range, !finding.path.isEmpty else { return false }
    switch finding.code {
    case .mayBeMissing, .constantClause, .contradictoryClauses: break
    default: return false
    }
    return known[finding.path]?.contains { cause in
      // An attribute with an unusual value may still be missing.
      guard let part = cause.range, finding.code != .mayBeMissing || cause.severity == .error
      else { return false }
      return range.from <= part.from && part.to <= range.to
    } ?? false
  }
}
