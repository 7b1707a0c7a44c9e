import Expressions
import RuleEngine
import TestSupport
import Testing

/// Rule sets of several generations of Superwall's evaluator that decide alike.
@Suite struct SameProgramTests {
  /// A config as a generation reads it, with numbers made where expressions read them, so that graphs can be compared.
  private static func compiled(
    _ config: Config, _ behavior: EvaluatorBehavior, _ language: RuleLanguage
  ) throws -> RuleSet {
    let environment = language.environment(behavior: behavior).readingNumbersInGraph
    return try #require(
      RuleSet.compile(config, language: language, environment: environment).output)
  }

  /// Whether two generations evaluate an expression alike.
  private static func isShared(
    _ expression: String, _ one: EvaluatorBehavior, _ other: EvaluatorBehavior
  ) throws -> Bool {
    let config = try #require(
      Config.decode(superwall: wireConfig(rules: wireRule("e", expression: expression))).output)
    let programs = try [one, other].map { try compiled(config, $0, .superscript(.ios)).program }
    return programs[0].evaluatesAs(programs[1])
  }

  @Test func equalConditionsAreShared() throws {
    let words = "user.plan == \"pro\" && device.country in [\"US\", \"DE\"]"
    #expect(try Self.isShared(words, .skip, .text) && !Self.isShared(words, .raw, .text))
    for expression in ["user.age > 18", "user.build == \"1042\""] {
      #expect(try !Self.isShared(expression, .skip, .text))
      #expect(try !Self.isShared(expression, .numeric, .text))
    }
    // A version beside a string that is not a number.
    let version = "device.appVersionPadded >= \"009.000.001\""
    #expect(try Self.isShared(version, .skip, .text) && !Self.isShared(version, .numeric, .text))
  }

  /// Rule sets that are said to evaluate alike give the same outcomes.
  @Test(arguments: 0..<12) func decidesAsOthersOfTheSameProgram(seed: UInt64) throws {
    var random = RandomUsers(random: SplitMix(seed: seed &* 31 &+ 7), isSuperscript: true)
    var json = String(decoding: random.config(), as: UTF8.self)
    if seed % 2 == 0 { json = json.replacing("'x'", with: "'3'") }
    let config = try #require(Config.decode(json.utf8).output)
    let platform = Platform.allCases[Int(seed) % Platform.allCases.count]
    let all = try EvaluatorBehavior.allCases.map {
      try Self.compiled(config, $0, .superscript(SDKProfile(platform)))
    }
    let lines = (0..<60).map { random.record($0) }.flatMap {
      [$0, $0.replacing("\"xyz\"", with: "\"3\"").replacing("\"x\"", with: "\"2.0\"")]
    }
    for one in all {
      for other in all where one.program.evaluatesAs(other.program) {
        for line in lines {
          #expect(Self.outcomes(line, one) == Self.outcomes(line, other), "\(platform): \(line)")
        }
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
