import CivilTime
import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What is said of whole placements, with limits and entitlements, against users at random.
@Suite struct BruteForcePlacementTests {
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 15
  private static let now: Instant = 1_767_225_600_000

  private static func audience(_ number: Int, _ random: inout SplitMix) -> Audience {
    let expression =
      Int.random(in: 0..<12, using: &random) == 0
      ? nil
      : ["user.a", "user.b"].map { path in
        let number = Int.random(in: 0..<4, using: &random)
        return [
          "\(path) == \(number)", "\(path) >= \(number)", "\(path) in [1, 2, 3]", "!has(\(path))",
          "\(path) < \(number)",
        ].randomElement(using: &random) ?? ""
      }.joined(separator: Bool.random(using: &random) ? " && " : " || ")
    var limit: OccurrenceLimit?
    if Int.random(in: 0..<3, using: &random) == 0 {
      limit = OccurrenceLimit(
        key: Bool.random(using: &random) ? "k" : "l",
        maxCount: Int.random(in: 0...2, using: &random),
        interval: [.infinity, .minutes(60), .minutes(600)].randomElement(using: &random)
          ?? .infinity)
    }
    let isGuarded = Int.random(in: 0..<6, using: &random) == 0
    return Audience(
      index: number, experimentID: "e\(number)", expression: expression, occurrenceLimit: limit,
      path: "audiences[\(number)]",
      entitlementGuard: isGuarded ? Bool.random(using: &random) ? "pro" : "plus" : nil)
  }

  @Test func nobodyIsTakenByWhatIsSaidToBeUnreachable() throws {
    var said = 0
    var (unknown, questions) = (0, 0)
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 2_477 &+ 11)
      let audiences = (0..<6).map { Self.audience($0, &random) }
      let config = Config(
        format: .agentWallie, placements: [Placement(name: "p", audiences: audiences)])
      let language = RuleLanguage.compared[seed % RuleLanguage.compared.count]
      let ruleSet = try #require(RuleSet.compile(config, language: language).output)
      let analysis = RuleAnalysis(ruleSet, now: Self.now)
      unknown += analysis.statistics.unknown
      questions += analysis.statistics.questions
      // By audience: what nobody is taken by, and what nobody is who comes for the first time.
      var never: [Int: Bool] = [:]
      for finding in analysis.findings.map(\.diagnostic) {
        guard let path = finding.path.dropFirst("audiences[".count).first,
          let number = path.wholeNumberValue
        else { continue }
        switch finding.code {
        case .unreachableAudience, .contradictoryClauses:
          never[number] = finding.severity == .warning || never[number] == true
        default: continue
        }
      }
      said += never.count
      for _ in 0..<150 {
        let (taken, isPlain) = try Self.taken(ruleSet, &random)
        guard let taken, let isNever = never[taken] else { continue }
        #expect(
          !isNever && !isPlain,
          "\(seed): \(taken) of \(audiences.map { "\($0.expression ?? "") \(String(describing: $0.occurrenceLimit)) \($0.entitlementGuard ?? "")" })"
        )
      }
    }
    #expect(said > 0)
    #expect(unknown * 100 <= questions, "\(unknown) of \(questions)")
  }

  /// Who takes a user at random, and whether the user has no history.
  private static func taken(_ ruleSet: RuleSet, _ random: inout SplitMix) throws -> (Int?, Bool) {
    var user: [Value.Entry] = []
    for name in ["a", "b"] where Int.random(in: 0..<5, using: &random) > 0 {
      user.append(
        Value.Entry(key: .string(name), value: .int(Int64.random(in: -1...4, using: &random))))
    }
    var occurrences: [String: [Instant]] = [:]
    var entitlements: [String] = []
    if Bool.random(using: &random) {
      for key in ["k", "l"] {
        occurrences[key] = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          let minutes = [1, 100, 1_000].randomElement(using: &random) ?? 1
          return now - Int64(minutes * 60_000)
        }
      }
      entitlements = ["pro", "plus"].filter { _ in Bool.random(using: &random) }
    }
    let isPlain = entitlements.isEmpty && occurrences.values.allSatisfy(\.isEmpty)
    let reasons = try reasons(
      ruleSet, ["user": .map(user)], now: now, occurrences: occurrences,
      entitlements: entitlements)
    return (reasons.firstIndex(of: .matched), isPlain)
  }
}
