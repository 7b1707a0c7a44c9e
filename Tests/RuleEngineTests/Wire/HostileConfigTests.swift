import Expressions
import RuleEngine
import TestSupport
import Testing

/// Any text at all: no trap, something said about whatever is wrong, and a rule set that decides.
@Suite struct HostileConfigTests {
  /// Values of every type in every place of a config, several at a time.
  static func spoiled(
    _ value: Value, _ random: inout SplitMix, _ chance: Int
  ) -> Value {
    if Int.random(in: 0..<chance, using: &random) == 0 {
      let others: [Value] = [
        .null, true, 5, .int(-1), .double(1e300), .uint(.max), "", "text", [], [.null], .map([]),
        ["event_name": "p", "rules": [5]], .string(String(repeating: "x", count: 300)), "user.a ==",
        "user.a.matches('(')", ["type": "MINUTES", "minutes": .int(-5)], ["key": "k"], .int(.min),
      ]
      return others.randomElement(using: &random)!
    }
    switch value {
    case .list(let elements):
      var elements = elements.map { spoiled($0, &random, chance) }
      if Int.random(in: 0..<8, using: &random) == 0 { elements += elements }
      return .list(elements)
    case .map(let entries):
      return .map(
        entries.filter { _ in Int.random(in: 0..<40, using: &random) > 0 }
          .map { Value.Entry(key: $0.key, value: spoiled($0.value, &random, chance)) })
    default: return value
    }
  }

  @Test(arguments: Extent.some(0..<10))
  func anythingAnywhere(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for round in 0..<60 {
      let value = Self.spoiled(ConfigEdits.whole, &random, 20 + round)
      let json = Array(value.json.utf8)
      let decoded = Config.decode(superwall: json)
      guard let config = decoded.output else {
        #expect(decoded.diagnostics.contains { $0.severity == .error })
        continue
      }
      let compiled = RuleSet.compile(config)
      let rules = try #require(compiled.output)
      var frame = Frame(for: rules.program)
      try frame.fill(["user": ["a": 1]])
      for name in rules.placementNames {
        let decision = rules.decide(
          name, frame: &frame, state: DecisionState(subjectID: "u", now: 0),
          assigner: .hash(salt: ""))
        #expect(decision.outcome != .placementNotFound)
        let explanation = rules.explain(
          name, frame: &frame, state: DecisionState(subjectID: "u", now: 0),
          assigner: .hash(salt: ""))
        #expect(explanation.decision == decision)
        _ = explanation.text
        _ = explanation.value
      }
      // Every path leads somewhere in the text.
      let paths = (decoded.diagnostics + compiled.diagnostics).map(\.path).filter { $0 != "" }
      let lines = JSONLocation.lines(of: paths, in: json)
      #expect(paths.allSatisfy { lines[$0] != nil })
    }
  }

  /// A text that breaks off anywhere, or has a byte changed, gives a result or a fault with a
  /// place.
  @Test func textsThatBreakOff() throws {
    let json = Array(ConfigEdits.whole.json.utf8)
    for end in stride(from: 0, to: json.count, by: 7) {
      let decoded = Config.decode(superwall: json[..<end])
      #expect(decoded.output == nil)
      let range = try #require(decoded.diagnostics.first?.range)
      #expect(range.from <= end)
    }
    var random = SplitMix(seed: 4)
    for _ in 0..<400 {
      var changed = json
      changed[Int.random(in: 0..<json.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      let decoded = Config.decode(superwall: changed)
      #expect(decoded.output != nil || !decoded.diagnostics.isEmpty)
    }
  }

  @Test(arguments: ["[", "{\"a\":", "{\"trigger_options\":["])
  func deepTexts(piece: String) {
    let decoded = Config.decode(superwall: String(repeating: piece, count: 50_000).utf8)
    #expect(decoded.output == nil)
    #expect(decoded.diagnostics.count == 1)
  }

  /// A rule may have an expression as deep and as long as the limits allow, and beyond.
  @Test(arguments: ["(", "!", "[", "not ", "user.", "\"", "a && ", "@"])
  func hostileExpressions(piece: String) throws {
    let expression = String(repeating: piece, count: 120_000 / piece.utf8.count)
    let path = "trigger_options[0].rules[1].expression_cel"
    let (config, diagnostics) = ConfigEdits.decode(
      ConfigEdits.replacing(path, by: .string(expression)))
    #expect(ConfigEdits.outline(config) == "p: 0=first 1=second; q: 0=third")
    #expect(!diagnostics.isEmpty)
    #expect(diagnostics.allSatisfy { $0.path == path && $0.severity == .error })
  }
}
