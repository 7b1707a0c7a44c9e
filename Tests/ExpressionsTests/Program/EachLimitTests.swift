import Testing

@testable import Expressions

/// Every limit of ``Limits``: what is just within passes, one more is the limit's own error.
@Suite("Each limit, just within and just beyond")
struct EachLimitTests {
  private func outcome(_ source: String, _ context: Value, _ limits: Limits) throws -> String {
    let program = try #require(ExpressionEnvironment(limits: limits).compile(source).output)
    do throws(EvaluationError) {
      return try program.evaluate(context).json
    } catch {
      return error.kind.slug
    }
  }

  private func codes(_ source: String, _ limits: Limits) -> [Diagnostic.Code] {
    ExpressionEnvironment(limits: limits).compile(source).diagnostics.map(\.code)
  }

  private static func texts(_ count: Int) -> Value {
    ["user": ["s": .string(String(repeating: "x", count: count))]]
  }

  @Test func sourceBytes() {
    #expect(codes("user.a == 'é'", Limits(sourceBytes: 14)) == [])
    #expect(codes("user.a == 'é'", Limits(sourceBytes: 13)) == [.limitExceeded])
    #expect(codes("", Limits(sourceBytes: 0)) == [.syntaxError])
    #expect(codes(" ", Limits(sourceBytes: 0)) == [.limitExceeded])
  }

  /// The depth that 20 levels have room for, and one more.
  @Test(arguments: [
    ("(", "1", ")", 19), ("!", "true", "", 19), ("-(", "1", ")", 9), ("[", "1", "]", 19),
    ("{1: ", "1", "}", 19), ("size(", "'a'", ")", 19), ("true ? 1 : ", "1", "", 19),
    ("user[", "1", "]", 19), ("1 + (", "1", ")", 9),
  ])
  func nesting(open: String, middle: String, close: String, deepest: Int) {
    func text(_ depth: Int) -> String {
      String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
    }
    #expect(codes(text(deepest), Limits(nesting: 20)) == [])
    #expect(codes(text(deepest + 1), Limits(nesting: 20)) == [.limitExceeded])
  }

  /// A round of a loop takes one step, and so do 16 elements or 64 bytes of what is gone through.
  @Test(arguments: [
    ("user.l.all(x, x >= 0)", 100), ("user.l.all(x, user.m.all(y, y >= 0))", 100 + 100 * 10),
    ("user.l.map(x, x).size() > 0", 100), ("-1 in user.n || user.b", 1_600 / 16 + 1),
    ("user.n == user.o", 1_600 / 16 + 1), ("user.s.contains('y') || user.b", 6_400 / 64 + 1),
    ("user.s < user.s || user.b", 6_400 / 64 + 1),
    ("has(user.w[0].nope) || user.b", 1_600 / 16 + 1),
    ("user.s in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] || user.b", 6_400 / 64 + 1),
  ])
  func steps(source: String, needed: Int) throws {
    func numbers(_ count: Int64) -> Value { .list((0..<count).map { .int($0) }) }
    let wide = Value.map(
      (0..<1_600).map { Value.Entry(key: .string("key\($0)"), value: .int(1)) })
    let context: Value = [
      "user": [
        "b": true, "l": numbers(100), "m": numbers(10), "n": numbers(1_600), "o": numbers(1_600),
        "s": .string(String(repeating: "x", count: 6_400)), "w": [wide],
      ]
    ]
    #expect(try outcome(source, context, Limits(steps: needed)) == "true")
    // The right side of `||` would hide the error.
    let bare = source.replacing(" || user.b", with: "")
    #expect(try outcome(bare, context, Limits(steps: needed - 1)) == "limit-exceeded")
  }

  @Test func memoryOfWhatIsBuilt() throws {
    // 600 bytes in the context, 1,200 that are built.
    let source = "size(user.s + user.s) == 1200"
    #expect(try outcome(source, EachLimitTests.texts(600), Limits(memoryBytes: 1_808)) == "true")
    let tooMuch = try outcome(source, EachLimitTests.texts(600), Limits(memoryBytes: 1_807))
    #expect(tooMuch == "limit-exceeded")
  }

  @Test func memoryOfAContext() throws {
    let source = "size(user.s) == 800"
    #expect(try outcome(source, EachLimitTests.texts(800), Limits(memoryBytes: 800)) == "true")
    let program = try #require(
      ExpressionEnvironment(limits: Limits(memoryBytes: 799)).compile(source).output)
    #expect(throws: EvaluationError(.limitExceeded)) {
      try program.evaluate(EachLimitTests.texts(800))
    }
    // JSON takes memory for what is not in its text as it is: escapes, lists, maps.
    func fill(_ elements: Int) throws(JSONFault) {
      var frame = Frame(for: program)
      try frame.fill(
        json:
          "{\"user\":{\"s\":[\(Array(repeating: "1", count: elements).joined(separator: ","))]}}"
          .utf8)
    }
    try fill(49)
    let fault = #expect(throws: JSONFault.self) { try fill(50) }
    #expect(fault?.kind == .tooLarge)
  }

  /// A result that shares its parts is small in the frame and may be endless as a value.
  @Test func sizeOfAResult() throws {
    func doubled(_ times: Int) -> String {
      (0..<times).reduce("v\(times)") { inner, i in
        let at = times - i
        return "cel.bind(v\(at), [v\(at - 1), v\(at - 1)], \(inner))"
      }.replacing("v0", with: "user.s")
    }
    // 16 bytes a list, 16 for each text and 100 for what is in it.
    let bytes = (1 << 6) * (16 + 100) + ((1 << 6) - 1) * 16
    let context = EachLimitTests.texts(100)
    let within = try outcome(doubled(6), context, Limits(memoryBytes: bytes / 16))
    #expect(within.utf8.count > (1 << 6) * 100)
    let beyond = try outcome(doubled(6), context, Limits(memoryBytes: bytes / 16 - 1))
    #expect(beyond == "limit-exceeded")
    #expect(try outcome(doubled(60), context, Limits()) == "limit-exceeded")
    #expect(try outcome("size(\(doubled(60)))", context, Limits()) == "2")
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
  func dataNesting(open: String, close: String) throws {
    let program = try #require(
      ExpressionEnvironment(limits: Limits(dataNesting: 10)).compile("size(user) > 0").output)
    // Levels count from the values of the context's members.
    func json(_ depth: Int) -> [UInt8] {
      let (open, close) = (
        String(repeating: open, count: depth), String(repeating: close, count: depth)
      )
      return Array(#"{"user":{"a":\#(open)1\#(close)},"other":1}"#.utf8)
    }
    var frame = Frame(for: program)
    try frame.fill(json: json(9))
    let fault = #expect(throws: JSONFault.self) { try frame.fill(json: json(10)) }
    #expect(fault?.kind == .tooDeep)
    // What is skipped counts as well.
    func skipped(_ depth: Int) -> [UInt8] {
      String(decoding: json(depth), as: UTF8.self).replacing("user", with: "else").utf8.map { $0 }
    }
    try frame.fill(json: skipped(9))
    #expect(throws: JSONFault.self) { try frame.fill(json: skipped(10)) }
  }

  /// The same levels in a context that is not JSON text.
  @Test(arguments: [10, 64, 200], ["size(user) > 0", "size(user.a) > 0", "size(user.a.b) > 0"])
  func dataNestingOfValues(limit: Int, source: String) throws {
    let program = try #require(
      ExpressionEnvironment(limits: Limits(dataNesting: limit)).compile(source).output)
    func context(_ depth: Int) -> Value {
      ["user": ["a": ["b": (3..<depth).reduce([1]) { inner, _ in .list([inner]) }]]]
    }
    #expect(try program.evaluate(context(limit)) == true)
    #expect(throws: EvaluationError(.limitExceeded)) { try program.evaluate(context(limit + 1)) }
    var frame = Frame(for: program)
    try frame.fill(json: context(limit).json.utf8)
    #expect(throws: JSONFault.self) { try frame.fill(json: context(limit + 1).json.utf8) }
  }

  @Test func regexSteps() throws {
    let context: Value = [
      "user": ["s": .string(String(repeating: "a", count: 400)), "p": "(?:a?){300}(?:a?b?)*c"]
    ]
    for source in ["user.s.matches('(?:a?){300}(?:a?b?)*c')", "user.s.matches(user.p)"] {
      var beyond = 1
      var within = 10_000_000
      #expect(try outcome(source, context, Limits(regexSteps: beyond)) == "limit-exceeded")
      #expect(try outcome(source, context, Limits(steps: .max, regexSteps: within)) == "false")
      // There is one number from which on the match has an answer.
      while within - beyond > 1 {
        let middle = (within + beyond) / 2
        let got = try outcome(source, context, Limits(steps: .max, regexSteps: middle))
        if got == "false" { within = middle } else { beyond = middle }
        #expect(["false", "limit-exceeded"].contains(got))
      }
      #expect(within > 1_000)
    }
  }

  /// Patterns have limits of their own, whenever they become known.
  @Test func sizeOfPatterns() throws {
    let most = String(repeating: "a{1000}|", count: 19)
    let context: Value = [
      "user": [
        "fits": .string(most), "large": .string(most + "a{1000}"),
        "long": .string(String(repeating: "a", count: 10_001)),
        "deep": .string(String(repeating: "(", count: 51) + String(repeating: ")", count: 51)),
        "bad": "(",
      ]
    ]
    #expect(try outcome("'a'.matches(user.fits)", context, Limits()) == "true")
    #expect(try outcome("'a'.matches(user.bad)", context, Limits()) == "bad-regex")
    for name in ["large", "long", "deep"] {
      let source = "'a'.matches(user.\(name))"
      #expect(try outcome(source, context, Limits()) == "limit-exceeded", "\(name)")
      let extract = "regex.extract('a', user.\(name)).hasValue()"
      #expect(try outcome(extract, context, Limits()) == "limit-exceeded", "\(name)")
    }
    #expect(codes("user.a.matches('\(most)')", Limits()) == [])
    #expect(codes("user.a.matches('\(most)a{1000}')", Limits()) == [.limitExceeded])
    #expect(codes("user.a.matches('(')", Limits()) == [.badRegex])
  }

  /// What a short text asks to be worked out beforehand is left to the evaluation when it is large.
  @Test func foldingHasAnEnd() throws {
    let ranges = (0..<2_000).map { "lists.range(\(60_000 + $0)) == user.l" }
    let program = try #require(
      ExpressionEnvironment().compile(ranges.joined(separator: " || ")).output)
    let constants = program.storage.graph.constants.cells.filter { $0.tag == Tag.list }
    #expect(constants.reduce(0) { $0 + $1.outsideCount * 16 } <= 1 << 16)
    #expect(try outcome("lists.range(1000).size()", .map([]), Limits(memoryBytes: 0)) == "1000")
    #expect(try outcome("lists.range(10000).size()", .map([]), Limits()) == "10000")
    let tooMuch = try outcome("lists.range(10000).size()", .map([]), Limits(memoryBytes: 0))
    #expect(tooMuch == "limit-exceeded")
  }
}
