import Expressions
import TestSupport
import Testing

/// `&&` and `||` are indifferent to errors that another operand outweighs, wherever these stand and
/// however the operators are nested.
@Suite struct AbsorptionTests {
  /// Operands with what they come to: true, false, or an error (nil).
  private static let operands: [(text: String, value: Bool?)] = [
    ("user.t", true), ("user.f", false), ("user.nope", nil), ("user.nope == 1", nil),
    ("user.n / 0 == 1", nil), ("user.s", nil), ("user.n == 1", true), ("user.n > 1", false),
    ("has(user.t)", true), ("has(user.nope)", false), ("has(user.s.x)", nil),
    ("has(device.x)", nil), ("!user.t", false), ("!user.s", nil), ("user.s in user.l", false),
    ("user.n in user.nope", nil), ("(user.t ? user.nope : true)", nil),
    ("(user.f ? user.nope : true)", true), ("user.s.contains(1)", nil),
    ("user.s.startsWith('a')", true), ("user.l.all(x, x > 0)", true),
    ("user.l.exists(x, x.y)", nil), ("user.l == [1, 2]", true), ("[user.nope] == []", nil),
  ]

  private static let context: Value = [
    "user": ["t": true, "f": false, "n": 1, "s": "abc", "l": [1, 2]], "device": 5,
  ]

  /// True, false or an error (nil).
  private func evaluate(_ source: String) throws -> Bool? {
    let program = try #require(ExpressionEnvironment().compile(source).output, "\(source)")
    do throws(EvaluationError) {
      let value = try program.evaluate(Self.context)
      guard case .bool(let bool) = value else {
        Issue.record("\(source) gives \(value)")
        return nil
      }
      return bool
    } catch {
      return nil
    }
  }

  private static func combine(_ values: [Bool?], deciding: Bool) -> Bool? {
    if values.contains(deciding) { return deciding }
    return values.contains(nil) ? nil : !deciding
  }

  @Test func theOperandsAreWhatTheySay() throws {
    for operand in Self.operands {
      // As a condition of its own, `user.s` would be a value.
      #expect(try evaluate("\(operand.text) && true") == operand.value, "\(operand.text)")
    }
  }

  /// What a variable holds errs where it is read, and the error is told where it arose.
  @Test(arguments: [
    ("cel.bind(x, user.n / 0, [x, 1].size() == 2)", "user.n / 0"),
    ("cel.bind(x, user.n / 0, cel.bind(y, x + 1, y == 2 && user.t))", "user.n / 0"),
    ("cel.bind(x, user.n / 0, x)", "user.n / 0"),
    ("cel.bind(x, user.nope, x == 1)", "x == 1"),
  ])
  func placesOfKeptErrors(source: String, expected: String) throws {
    let program = try #require(ExpressionEnvironment().compile(source).output)
    let error = try #require(throws: EvaluationError.self) { try program.evaluate(Self.context) }
    let range = try #require(program.range(of: error, in: program.entries[0]))
    #expect(String(decoding: Array(source.utf8)[range.from..<range.to], as: UTF8.self) == expected)
  }

  /// A bound operand is what the operand is, wherever it is read.
  @Test(arguments: [false, true])
  func everyBoundPair(deciding: Bool) throws {
    let operation = deciding ? "||" : "&&"
    for a in Self.operands {
      for b in Self.operands {
        let expected = Self.combine([a.value, b.value], deciding: deciding)
        for source in [
          "cel.bind(x, \(a.text), x \(operation) \(b.text))",
          "cel.bind(x, \(a.text), \(b.text) \(operation) x)",
          "cel.block([\(a.text), \(b.text)], cel.index(0) \(operation) cel.index(1))",
        ] {
          #expect(try evaluate(source) == expected, "\(source)")
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func everyPair(deciding: Bool) throws {
    let operation = deciding ? "||" : "&&"
    for a in Self.operands {
      for b in Self.operands {
        let source = "\(a.text) \(operation) \(b.text)"
        let expected = Self.combine([a.value, b.value], deciding: deciding)
        #expect(try evaluate(source) == expected, "\(source)")
      }
    }
  }

  /// Chains next to and within each other, of random operands: no chain knows of another's errors.
  @Test(arguments: 0..<16)
  func nestedChains(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func make(_ depth: Int) -> (text: String, value: Bool?) {
      guard depth > 0, Int.random(in: 0..<8, using: &random) > 0 else {
        return Self.operands[Int.random(in: 0..<Self.operands.count, using: &random)]
      }
      let deciding = Bool.random(using: &random)
      let parts = (0..<Int.random(in: 2...4, using: &random)).map { _ in make(depth - 1) }
      let text = "(" + parts.map(\.text).joined(separator: deciding ? " || " : " && ") + ")"
      let value = Self.combine(parts.map(\.value), deciding: deciding)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return ("!\(text)", value.map { !$0 })
      case 1: return ("(user.t ? \(text) : user.nope)", value)
      case 2: return ("(\(text) == true)", value)
      case 3: return ("user.l.all(x, \(text))", value)
      default: return (text, value)
      }
    }
    for depth in [2, 3, 4, 4] {
      for _ in 0..<20 {
        let (text, value) = make(depth)
        #expect(try evaluate("\(text) && true") == value, "\(text)")
      }
    }
  }

  /// One deciding operand among many that err, at the beginning, in the middle and at the end.
  @Test(arguments: [0, 1, 50, 98, 99])
  func oneAmongMany(place: Int) throws {
    for (operation, decides, other) in [("&&", "user.f", "user.t"), ("||", "user.t", "user.f")] {
      var operands = Array(repeating: "user.nope == 1", count: 100)
      operands[place] = decides
      #expect(try evaluate(operands.joined(separator: " \(operation) ")) == (operation == "||"))
      operands[place] = other
      #expect(try evaluate(operands.joined(separator: " \(operation) ")) == nil)
    }
  }

  /// The same frame again and again: no error of one run is left for the next.
  @Test func runsAreIndependent() throws {
    let program = try #require(
      ExpressionEnvironment().compile("(user.a == 1 && user.b) || (user.c == 1 && user.b)").output)
    var frame = Frame(for: program)
    for _ in 0..<3 {
      try frame.fill(["user": ["b": true]])
      #expect(throws: EvaluationError.self) { try program.evaluate(in: &frame) }
      try frame.fill(["user": ["b": true, "c": 1]])
      #expect(try program.evaluate(in: &frame) == true)
      try frame.fill(["user": ["b": false]])
      #expect(try program.evaluate(in: &frame) == false)
    }
  }
}
