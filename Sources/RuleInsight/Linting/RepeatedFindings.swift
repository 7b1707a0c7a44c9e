internal import Expressions
internal import RuleEngine

/// Merges the findings about one attribute in many places of an expression.
///
/// A condition with 200 calls on an attribute that may be missing has one problem, not 200.
enum RepeatedFindings {
  private struct Key: Hashable {
    var code: Diagnostic.Code
    var path: String
    /// The attribute that the finding is about, or its message.
    var subject: String
  }

  /// The maximum number of other messages that are listed in full.
  private static let mostMessages = 3

  /// The findings. Findings with the same code about one attribute in one expression are merged
  /// into the first of the most severe ones.
  static func joined(_ findings: [Diagnostic]) -> [Diagnostic] {
    var groups: [[Diagnostic]] = []
    var places: [Key: Int] = [:]
    for finding in findings {
      guard finding.range != nil, !finding.path.isEmpty else {
        groups.append([finding])
        continue
      }
      let key = Key(
        code: finding.code, path: finding.path, subject: finding.subject ?? finding.message)
      if let place = places[key] {
        groups[place].append(finding)
      } else {
        places[key] = groups.count
        groups.append([finding])
      }
    }
    return groups.map { $0.count == 1 ? $0[0] : one(of: $0) }
  }

  private static func one(of group: [Diagnostic]) -> Diagnostic {
    let severities = Diagnostic.Severity.allCases
    let gravest = severities.first { severity in group.contains { $0.severity == severity } }
    let ordered = group.sorted { ($0.range?.from ?? 0) < ($1.range?.from ?? 0) }
    guard var told = ordered.first(where: { $0.severity == gravest }) else { return group[0] }
    let others = ordered.filter { $0 != told }
    var known: Set<String> = [told.message]
    let messages = others.filter { known.insert($0.message).inserted }
    for other in messages.prefix(mostMessages) {
      told.notes.append("also: " + other.message + (other.suggestion.map { "; \($0)" } ?? ""))
    }
    told.elsewhere = others.compactMap { $0.range }
    told.fix = fix(of: [told] + others)
    told.message += " (and \(others.count) more \(others.count == 1 ? "place" : "places"))"
    return told
  }

  /// One fix for all places. If there are safe fixes, only these are used. If two fixes overlap,
  /// the first is used.
  private static func fix(of group: [Diagnostic]) -> Diagnostic.Fix? {
    let fixes = group.compactMap { $0.fix }
    let isSafe = fixes.contains(where: { $0.isSafe })
    var edits: [Diagnostic.Fix.Edit] = []
    var end = -1
    let wanted = fixes.filter { $0.isSafe == isSafe }
    for fix in wanted.sorted(by: { start(of: $0) < start(of: $1) }) where start(of: fix) > end {
      edits += fix.edits
      end = fix.edits.last?.range.to ?? end
    }
    guard !edits.isEmpty else { return nil }
    return Diagnostic.Fix(edits, isSafe: isSafe)
  }

  private static func start(of fix: Diagnostic.Fix) -> Int { fix.edits.first?.range.from ?? 0 }
}
