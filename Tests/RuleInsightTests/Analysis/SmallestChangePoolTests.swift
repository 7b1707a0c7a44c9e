import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// Smallest changes against all changes to values of a pool, which knows nothing of classes.
@Suite struct SmallestChangePoolTests {
  /// Configs for each language; more at night.
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 3

  private static let paths = [
    ["user", "a"], ["user", "b"], ["user", "o", "x"], ["device", "c"], ["params", "p"],
  ]
  private static let pool: [Value?] = [
    nil, .null, true, false, 0, 1, 2, 3, 2.5, "", "x", "y", "xy", ["x"], [],
  ]

  private final class Case {
    let ruleSet: RuleSet
    let record: Value
    let text: String
    private var frame: Frame
    private var reader: UserRecordReader

    init(_ language: RuleLanguage, _ random: inout SplitMix) throws {
      var record: Value = ["userId": "u"]
      var audiences = (0..<3).map { number in
        Audience(
          index: number, experimentID: "e\(number)",
          expression: Case.condition(&random, depth: Int.random(in: 0...2, using: &random)))
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        audiences[0].occurrenceLimit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
        record = record.setting(["occurrences", "k"], to: ["1969-12-31T00:00:00Z"])
      }
      let config = Config(placements: [Placement(name: "p", audiences: audiences)])
      ruleSet = try #require(RuleSet.compile(config, language: language).output)
      for path in paths {
        if let value = pool.randomElement(using: &random) ?? nil {
          record = record.setting(path[...], to: value)
        }
      }
      self.record = record
      text = "\(language): \(audiences.map { $0.expression ?? "" }) for \(record.json)"
      frame = Frame(for: ruleSet.program)
      reader = UserRecordReader(ruleSet, at: HistoryClock(now: 0))
    }

    /// Whether deciding a record gives an audience.
    func takes(_ audience: Int, _ record: Value) -> Bool {
      guard (try? reader.read(json: record.json.utf8, into: &frame)) != nil else { return false }
      return ruleSet.steps("p", frame: &frame, state: reader.state(now: 0))[audience].reason
        == .matched
    }

    private static func condition(_ random: inout SplitMix, depth: Int) -> String {
      guard depth > 0 else { return atom(&random) }
      let (a, b) = (condition(&random, depth: depth - 1), condition(&random, depth: depth - 1))
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2: return "(\(a) && \(b))"
      case 3: return "(\(a) || \(b))"
      case 4: return "!(\(a))"
      default: return "(\(a) ? \(b) : \(atom(&random)))"
      }
    }

    private static func atom(_ random: inout SplitMix) -> String {
      let path = (paths.randomElement(using: &random) ?? []).joined(separator: ".")
      let other = (paths.randomElement(using: &random) ?? []).joined(separator: ".")
      let number = ["0", "1", "2", "2.5"].randomElement(using: &random) ?? ""
      let text = ["'x'", "'y'", "'xy'", "''"].randomElement(using: &random) ?? ""
      let comparison = ["==", "!=", "<", ">="].randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<11, using: &random) {
      case 0...3: return "\(path) \(comparison) \(Bool.random(using: &random) ? number : text)"
      case 4: return "has(\(path))"
      case 5: return "\(path) in [\(text), \(number)]"
      case 6: return "\(text) in \(path)"
      case 7: return "\(path).startsWith(\(text))"
      case 8: return path
      case 9: return "\(path) % 2 == 1"
      default: return "\(path) \(comparison) \(other)"
      }
    }
  }

  @Test(arguments: RuleLanguage.compared)
  func noSmallerChangeIsInThePool(_ language: RuleLanguage) throws {
    var counts: [SmallestChange.Verdict: Int] = [:]
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 6_007 &+ 41)
      let tried = try Case(language, &random)
      for audience in 0..<3 {
        let found = try #require(
          tried.ruleSet.smallestChange(
            audience: audience, of: "p", for: tried.record, at: HistoryClock(now: 0)))
        counts[found.verdict, default: 0] += 1
        if found.verdict == .found {
          var changed = tried.record
          for change in found.changes {
            let path = change.path.split(separator: ".").map(String.init)
            #expect(changed.value(at: path) == change.from, "\(tried.text)")
            changed = changed.setting(path[...], to: change.to)
          }
          #expect(tried.takes(audience, changed), "\(tried.text): \(found.value.json)")
          #expect(found.excluded <= max(0, found.changes.count - 1))
        }
        let excluded = found.verdict == .none ? 3 : found.excluded
        if let refuted = refutation(tried, audience, upTo: min(excluded, 3), &random) {
          Issue.record(
            "\(tried.text), audience \(audience): \(found.value.json) by \(refuted.json)")
        }
      }
    }
    #expect(counts[.found, default: 0] > 0)
    // A sixth of the atoms is not understood.
    #expect(counts[.unknown, default: 0] * 4 <= 3 * 3 * Self.runs, "\(language): \(counts)")
  }

  /// A record of the pool that differs in so few attributes and is taken.
  private func refutation(
    _ tried: Case, _ audience: Int, upTo size: Int, _ random: inout SplitMix
  ) -> Value? {
    func with(_ path: [String], _ record: Value) -> [Value] {
      Self.pool.map { record.setting(path[...], to: $0) }
    }
    guard size > 0 else { return nil }
    for (i, first) in Self.paths.enumerated() {
      for one in with(first, tried.record) {
        if tried.takes(audience, one) { return one }
        guard size > 1 else { continue }
        // Of the larger ones some.
        guard let second = Self.paths[(i + 1)...].randomElement(using: &random) else { continue }
        for two in with(second, one) {
          if tried.takes(audience, two) { return two }
          guard size > 2, let third = Self.paths.randomElement(using: &random),
            third != first, third != second
          else { continue }
          let three = third
          let last = two.setting(three[...], to: Self.pool.randomElement(using: &random) ?? nil)
          if tried.takes(audience, last) { return last }
        }
      }
    }
    return nil
  }
}
