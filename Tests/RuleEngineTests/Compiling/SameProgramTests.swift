import Expressions
import RuleEngine
import TestSupport
import Testing

/// One config for several generations of Superwall's evaluator.
@Suite struct RuleSetBehaviorsTests {
  private static func config(_ expressions: String...) throws -> Config {
    let rules = expressions.enumerated().map { wireRule("e\($0)", expression: $1) }
    return try #require(
      Config.decode(superwall: wireConfig(rules: rules.joined(separator: ","))).output)
  }

  /// By behavior, the number of its rule set.
  private static func places(_ expression: String) throws -> [EvaluatorBehavior: Int] {
    let behaviors = RuleSetBehaviors(try config(expression), language: .superscript(.ios))
    return Dictionary(
      uniqueKeysWithValues: EvaluatorBehavior.allCases.compactMap { behavior in
        behaviors.place(of: behavior).map { (behavior, $0) }
      })
  }

  @Test func equalConditionsAreShared() throws {
    let words = try Self.places("user.plan == \"pro\" && device.country in [\"US\", \"DE\"]")
    #expect(words[.skip] == words[.text] && words[.raw] != words[.text])
    for expression in ["user.age > 18", "user.build == \"1042\""] {
      let numbers = try Self.places(expression)
      #expect(numbers[.skip] != numbers[.text] && numbers[.numeric] != numbers[.text])
    }
    // A version beside a string that is not a number.
    let versions = try Self.places("device.appVersionPadded >= \"009.000.001\"")
    #expect(versions[.skip] == versions[.text] && versions[.numeric] != versions[.text])
    let some = RuleSetBehaviors(
      try Self.config("user.age > 18"), language: .superscript(.web), behaviors: [.numeric])
    #expect(some.ruleSets.count == 1 && some[.text] == nil)
    #expect(some[.numeric]?.behavior == .numeric)
  }

  /// Shared or not, a rule set decides as one that was compiled for its behavior alone.
  @Test(arguments: 0..<12) func decidesAsCompiledAlone(seed: UInt64) throws {
    var random = RandomUsers(random: SplitMix(seed: seed &* 31 &+ 7), isSuperscript: true)
    var json = String(decoding: random.config(), as: UTF8.self)
    if seed % 2 == 0 { json = json.replacing("'x'", with: "'3'") }
    let config = try #require(Config.decode(json.utf8).output)
    let platform = Platform.allCases[Int(seed) % Platform.allCases.count]
    let behaviors = RuleSetBehaviors(config, language: .superscript(SDKProfile(platform)))
    let lines = (0..<60).map { random.record($0) }.flatMap {
      [$0, $0.replacing("\"xyz\"", with: "\"3\"").replacing("\"x\"", with: "\"2.0\"")]
    }
    for behavior in EvaluatorBehavior.allCases {
      let shared = try #require(behaviors[behavior])
      let alone = try #require(
        RuleSet.compile(config, language: .superscript(SDKProfile(platform)), behavior: behavior)
          .output)
      for line in lines {
        #expect(
          Self.outcomes(line, shared) == Self.outcomes(line, alone),
          "\(behavior) on \(platform): \(line)")
      }
    }
  }

  private static func outcomes(_ line: String, _ rules: RuleSet) -> [String] {
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 1_772_366_400_000))
    guard (try? reader.read(json: line.utf8, into: &frame)) != nil else { return [] }
    let state = reader.state(now: 1_772_366_400_000)
    return rules.placementNames.map { name in
      rules.decide(name, frame: &frame, state: state, assigner: .djb2)
        .outcomeLine(subjectID: state.subjectID, errors: []).json
    }
  }
}
