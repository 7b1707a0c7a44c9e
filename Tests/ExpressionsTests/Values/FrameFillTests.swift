import TestSupport
import Testing

@testable import Expressions

/// A frame filled from JSON text and one filled from a value give the same answers.
@Suite struct FrameFillTests {
  /// What a program gives on a frame, as text: a value, or why there is none.
  private static func outcome(_ program: Program, _ frame: inout Frame) -> String {
    do throws(EvaluationError) {
      return "\(try program.evaluate(in: &frame))"
    } catch {
      return "error \(error.kind.slug)"
    }
  }

  private static func outcomes(_ program: Program, json: String, _ value: Value) -> [String] {
    var fromJSON = Frame(for: program)
    var fromValue = Frame(for: program)
    do {
      try fromJSON.fill(json: json.utf8)
      try fromValue.fill(value)
    } catch {
      return ["not filled: \(error)"]
    }
    return [outcome(program, &fromJSON), outcome(program, &fromValue)]
  }

  /// A run with one slot changed gives what filling the whole does, and leaves nothing behind.
  @Test func oneSlotAlone() throws {
    let sources = ["user.a", "user.a == 'x'", "user.a > 3", "size(user.a)", "user.a == user.b"]
    let values: [Value] = [
      "x", 5, 2.5, true, .null, ["x"], ["b": 1], "a string that is longer than a cell", .uint(.max),
    ]
    for source in sources {
      let program = try #require(ExpressionEnvironment().compile(source).output)
      let slot = try #require(program.slot(of: AttributePath(["user", "a"])))
      var whole = Frame(for: program)
      var changed = Frame(for: program)
      let mayChange = changed.canChange(slot)
      #expect(mayChange)
      try changed.fill(json: #"{"user":{"a":"another long string","b":"x"}}"#.utf8)
      let before = Self.outcome(program, &changed)
      for value in values {
        try whole.fill(["user": ["a": value, "b": "x"]])
        let outcome = try changed.changing(slot, to: value) { Self.outcome(program, &$0) }
        #expect(outcome == Self.outcome(program, &whole), "\(source) of \(value)")
        #expect(Self.outcome(program, &changed) == before)
      }
    }
    let present = try #require(ExpressionEnvironment().compile("has(user.a)").output)
    let frame = Frame(for: present)
    let mayChange = frame.canChange(0)
    #expect(!mayChange)
  }

  /// Paths that lead to values, through values, past values, and into nothing; with and without
  /// their presence being asked.
  @Test(arguments: [
    "user.a", "user.a.b", "user.a.b.c", "user.a.b.c.d", "device", "params.x", "user.x.y",
    "has(user.a)", "has(user.a.b)", "has(user.a.b.c)", "has(user.x.y)", "has(device.os)",
    "user.a.b == 1 || has(user.a)", "has(user.a.b) && user.a == {'b': 1}", "size(user.a)",
    "user.a.size() == size(user)", "user[user.k]", "user.a[user.k]", "'b' in user.a",
    "user.`content-type`", "user[\"content-type\"]", "user.a == user.a2", "user.l[0].b",
    "user.l.exists(e, e.b == 1)", "user['b\u{E9}']", "user['']", "user.aa", "user.abcdefgh",
    "user.abcdefghi", "user.abcdefgh1", "user == {'a': {'b': 1}}", "user.a.b + user.a.c",
  ])
  func pathsThroughAnything(source: String) throws {
    let program = try #require(ExpressionEnvironment().compile(source).output)
    let contexts: [Value] = [
      .map([]), ["user": .null], ["user": 5], ["user": []], ["user": "a"], ["user": .map([])],
      ["user": ["a": .null]], ["user": ["a": 1]], ["user": ["a": "b"]], ["user": ["a": ["b"]]],
      ["user": ["a": .map([])]], ["user": ["a": ["b": 1]]], ["user": ["a": ["b": .null]]],
      ["user": ["a": ["b": ["c": 2]]]], ["user": ["a": ["b": ["c": ["d": 3]]]]],
      ["user": ["a": ["b": 1, "c": 2], "a2": ["c": 2, "b": 1], "k": "b"]],
      ["user": ["k": "a", "a": ["a": 7]], "device": ["os": "iOS"], "params": ["x": 1]],
      ["user": ["content-type": "x", "": "empty", "b\u{E9}": 1, "be\u{301}": 2]],
      ["user": ["l": [["b": 1], 5]], "device": .null],
      ["user": ["aa": 1, "a": 2, "abcdefgh": 3, "abcdefghi": 4, "abcdefgh1": 5, "abcdefg": 6]],
      ["other": 1, "user": ["b": 2]],
    ]
    var writer = RandomJSON(random: SplitMix(seed: 3), repeatsKeys: true)
    for context in contexts {
      for _ in 0..<3 {
        let json = writer.write(context)
        let outcomes = Self.outcomes(program, json: json, context)
        #expect(outcomes.count == 2 && outcomes[0] == outcomes[1], "\(outcomes) on \(json)")
      }
    }
  }

  /// A program that reads many members asks large maps in another way.
  @Test func manyMembersOfLargeMaps() throws {
    let clauses = (0..<40).map { "user.n\($0) == \($0)" }
    let source = (clauses + ["user['b\u{E9}'] == 4", "user[''] == 2", "user.a == {'b': 1}"])
      .joined(separator: " && ")
    let program = try #require(ExpressionEnvironment().compile(source).output)
    #expect(program.requirements.count > 40)
    let entries: [Value.Entry] =
      (0..<40).map { (i: Int64) in .init(key: .string("n\(i)"), value: .int(i)) } + [
        .init(key: "a", value: 1), .init(key: "a", value: ["b": 1]), .init(key: "", value: 2),
        .init(key: "be\u{301}", value: 3), .init(key: "b\u{E9}", value: 4),
      ]
    for left in [entries[...], entries.dropLast(), entries.dropFirst()] {
      let context: Value = ["user": .map(Array(left))]
      let outcomes = Self.outcomes(program, json: context.json, context)
      #expect(outcomes[0] == outcomes[1] && outcomes.count == 2, "\(outcomes)")
      #expect((outcomes[0] == "bool(true)") == (left.count == entries.count), "\(outcomes)")
    }
  }

  /// Random expressions on random data, written in random ways.
  @Test(arguments: Extent.some(0..<20))
  func randomData(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 300))
    var plain = ReferenceWriter(random: SplitMix(seed: seed), isPlayful: false)
    var writer = RandomJSON(random: SplitMix(seed: seed), repeatsKeys: true)
    for round in 0..<40 {
      let source = plain.write(expressions.expression(.any, depth: 1 + round % 4))
      let program = try #require(ExpressionEnvironment().compile(source).output, "\(source)")
      // One frame for all, so that nothing may be left of the one before.
      var frame = Frame(for: program)
      for _ in 0..<4 {
        let context = expressions.context()
        let json = writer.write(context)
        try frame.fill(json: json.utf8)
        let first = Self.outcome(program, &frame)
        let second = Self.outcome(program, &frame)
        // The value has the repeated keys too, since the order of a map's keys can be observed.
        let outcomes =
          Self.outcomes(program, json: json, try Value.parse(json: json.utf8)) + [first, second]
        #expect(Set(outcomes).count == 1, "\(outcomes) of \(source) on \(json)")
      }
    }
  }

  /// Of repeated keys the last one counts, however many others stand between.
  @Test(arguments: [0, 1, 15, 31, 40, 300])
  func repeatedKeys(others: Int) throws {
    let between = (0..<others).map { "\"k\($0)\":0," }.joined()
    let json = "{\"user\":{\"k\":\"a\",\"m\":{\"a\":1,\(between)\"a\":2}}}"
    let value = try Value.parse(json: json.utf8)
    for (source, expected) in [
      ("user.m.a", Value.int(2)), ("user.m[user.k]", 2), ("size(user.m)", .int(Int64(others) + 1)),
      ("user.m.filter(key, key == 'a').size()", 1),
    ] {
      let program = try #require(ExpressionEnvironment().compile(source).output)
      var frame = Frame(for: program)
      try frame.fill(json: json.utf8)
      #expect(try program.evaluate(in: &frame) == expected, "\(source) from JSON")
      try frame.fill(value)
      #expect(try program.evaluate(in: &frame) == expected, "\(source) from a value")
    }
  }

  /// A fault anywhere in the text, in what is read and in what is not, leaves an empty frame.
  @Test func nothingIsLeftAfterAFault() throws {
    let program = try #require(
      ExpressionEnvironment().compile("has(user.a) || has(device.b)").output)
    var frame = Frame(for: program)
    for json in [
      "{\"user\":{\"a\":1},", "{\"user\":{\"a\":1}} x", "{\"user\":{\"a\":1},\"z\":[01]}",
    ] {
      try frame.fill(json: "{\"device\":{\"b\":1}}".utf8)
      #expect(throws: JSONFault.self) { try frame.fill(json: json.utf8) }
      #expect(try program.evaluate(in: &frame) == false)
    }
  }

  /// Two frames of a program do not share what they hold.
  @Test func framesAreIndependent() throws {
    let program = try #require(ExpressionEnvironment().compile("user.s + '!'").output)
    var first = Frame(for: program)
    var second = Frame(for: program)
    let long = String(repeating: "long ", count: 20)
    try first.fill(json: "{\"user\":{\"s\":\"\(long)\"}}".utf8)
    try second.fill(json: "{\"user\":{\"s\":\"other \\u0041\"}}".utf8)
    #expect(try program.evaluate(in: &first) == .string(long + "!"))
    #expect(try program.evaluate(in: &second) == "other A!")
    second.reset()
    #expect(throws: EvaluationError.self) { try program.evaluate(in: &second) }
    #expect(try program.evaluate(in: &first) == .string(long + "!"))
  }
}
