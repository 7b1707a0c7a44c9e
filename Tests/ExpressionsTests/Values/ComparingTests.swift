import TestSupport
import Testing

@testable import Expressions

/// Comparing numbers of all three types, each with each, and texts by their bytes.
@Suite struct ComparingTests {
  private static let numbers: [Value] = {
    let ints: [Int64] = [
      0, 1, -1, 2, 3, 255, 1 << 31, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 53) + 2, .max,
      .max - 1, .max - 511, .max - 512, .max - 1_023, .min, .min + 1, .min + 1_024, -(1 << 53) - 1,
    ]
    let uints: [UInt64] = [
      0, 1, 3, 1 << 53, (1 << 53) + 1, UInt64(Int64.max), 1 << 63, (1 << 63) + 1, (1 << 63) + 2_048,
      .max, .max - 1, .max - 1_023, .max - 2_047,
    ]
    let doubles: [Double] = [
      0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, 2.999_999_999, 3, 255, 9_007_199_254_740_991,
      9_007_199_254_740_992, 9_007_199_254_740_994, -9_007_199_254_740_992, 0x1p63, -0x1p63,
      0x1.fffffffffffffp62, -0x1.fffffffffffffp62, 0x1p63 + 2_048, -0x1p63 - 2_048, 0x1p64,
      0x1.fffffffffffffp63, 0x1p64 + 4_096, 1e300, -1e300, .leastNonzeroMagnitude,
      -Double.leastNonzeroMagnitude, .infinity, -.infinity,
      .nan,
    ]
    return ints.map { .int($0) } + uints.map { .uint($0) } + doubles.map { .double($0) }
  }()

  private func order(_ a: Value, _ b: Value) throws -> Comparing.Order {
    var arena = Arena(limit: 1 << 10)
    let cells = (arena.cell(a), arena.cell(b))
    let left = try #require(cells.0)
    let right = try #require(cells.1)
    return withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right in
        let order = Comparing.order(left, right)
        #expect(Comparing.areEqual(left, right) == (order == .equal), "\(a) == \(b)")
        return order
      }
    }
  }

  @Test func everyNumberAgainstEveryOther() throws {
    for a in Self.numbers {
      for b in Self.numbers {
        let expected: Comparing.Order =
          switch NumberOrder.compare(a, b) {
          case nil: .unordered
          case 0: .equal
          case -1: .less
          default: .greater
          }
        #expect(try order(a, b) == expected, "\(a) and \(b)")
      }
    }
  }

  /// An integer that a double can hold compares with every double by its exact value.
  @Test func exactWhereDoublesAreExact() throws {
    for a in Self.numbers {
      for case .double(let b) in Self.numbers where b.isFinite {
        let exact: ExactNumber
        switch a {
        case .int(let number) where Int64(exactly: Double(number)) == number:
          exact = ExactNumber(number)
        case .uint(let number) where UInt64(exactly: Double(number)) == number:
          exact = ExactNumber(number)
        default: continue
        }
        let expected = exact.compared(to: ExactNumber(b))
        let order = try order(a, .double(b))
        #expect((order == .less ? -1 : order == .greater ? 1 : 0) == expected, "\(a) and \(b)")
      }
    }
  }

  /// The same through compiled expressions: two attributes, an attribute and a constant on either
  /// side, and two constants that are folded.
  @Test(arguments: ["==", "!=", "<", "<=", ">", ">="])
  func operators(operation: String) throws {
    var random = SplitMix(seed: 11)
    func holds(_ order: Int?) -> Bool {
      switch operation {
      case "==": order == 0
      case "!=": order != 0
      case "<": order == -1
      case "<=": order.map { $0 <= 0 } ?? false
      case ">": order == 1
      default: order.map { $0 >= 0 } ?? false
      }
    }
    let both = try #require(ExpressionEnvironment().compile("user.a \(operation) user.b").output)
    for a in Self.numbers {
      let isLiteral = if case .double(let number) = a { number.isFinite } else { true }
      let literal =
        isLiteral ? LiteralText.write(a, isPlayful: false, using: &random) : "(0.0 / 0.0)"
      let left = try #require(
        ExpressionEnvironment().compile("\(literal) \(operation) user.b").output)
      let right = try #require(
        ExpressionEnvironment().compile("user.b \(operation) \(literal)").output)
      for b in Self.numbers where isLiteral {
        let context: Value = ["user": ["a": a, "b": b]]
        let expected = Value.bool(holds(NumberOrder.compare(a, b)))
        #expect(try both.evaluate(context) == expected, "\(a) \(operation) \(b)")
        #expect(try left.evaluate(context) == expected, "constant \(a) \(operation) \(b)")
        let reversed = Value.bool(holds(NumberOrder.compare(b, a)))
        #expect(try right.evaluate(context) == reversed, "\(b) \(operation) constant \(a)")
      }
    }
  }

  /// Membership in lists of constants, short ones and those that get a hash index, agrees with
  /// `==`.
  @Test(arguments: [1, 5, 9, 40])
  func membership(size: Int) throws {
    var random = SplitMix(seed: UInt64(size))
    let finite = Self.numbers.filter {
      if case .double(let number) = $0 { number.isFinite } else { true }
    }
    let others: [Value] = ["", "a", "a text that is longer than a cell", .null, true, false]
    for _ in 0..<40 {
      let elements = (0..<size).map { _ in
        (Bool.random(using: &random) ? finite : others).randomElement(using: &random)!
      }
      let list = elements.map { LiteralText.write($0, isPlayful: false, using: &random) }
      let program = try #require(
        ExpressionEnvironment().compile("user.a in [\(list.joined(separator: ", "))]").output)
      for value in Self.numbers + others {
        let expected = elements.contains { ReferenceEquality.areEqual($0, value) }
        #expect(
          try program.evaluate(["user": ["a": value]]) == .bool(expected), "\(value) in \(list)")
      }
    }
  }

  /// Texts are ordered by their bytes, which is the order of code points and not of UTF-16 or of
  /// any language, and nothing is normalised.
  @Test func texts() throws {
    let ordered = [
      "", "\u{0}", " ", "A", "B", "Z", "a", "a\u{0}", "a text longer than a cell",
      "a text longer than a cell!", "aa", "ab", "b", "cafe\u{301}", "caf\u{E9}", "z", "é", "ｚ",
      "\u{FFFF}", "\u{1F92A}",
    ]
    for (i, a) in ordered.enumerated() {
      for (j, b) in ordered.enumerated() {
        let expected: Comparing.Order = i < j ? .less : i > j ? .greater : .equal
        #expect(try order(.string(a), .string(b)) == expected, "\(a) and \(b)")
      }
    }
  }

  /// Different kinds are unequal and have no order.
  @Test func kinds() throws {
    let values: [Value] = [.null, true, 1, "a", .bytes([0x61]), [1], ["a": 1]]
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() where i != j {
        #expect(try order(a, b) == .noOverload, "\(a) and \(b)")
      }
    }
  }

  @Test(
    arguments: [
      ([1, 2], [1, 2], true), ([1, 2], [1.0, .uint(2)], true), ([1, 2], [2, 1], false),
      ([1], [1, 1], false),
      ([[1], [.null]], [[1.0], [.null]], true), (["a": 1, "b": 2], ["b": 2.0, "a": 1], true),
      (["a": 1], ["a": 1, "b": 2], false), (["a": 1], ["b": 1], false),
      (["a": .null], ["b": .null], false),
      (.map([]), .map([]), true), (.map([]), [], false), ([.double(.nan)], [.double(.nan)], false),
      (["a": .double(.nan)], ["a": .double(.nan)], false), ([.double(0)], [.double(-0.0)], true),
    ] as [(Value, Value, Bool)])
  func collections(a: Value, b: Value, expected: Bool) throws {
    let program = try #require(
      ExpressionEnvironment().compile("[user.a == user.b, user.b == user.a]").output)
    #expect(
      try program.evaluate(["user": ["a": a, "b": b]]) == [.bool(expected), .bool(expected)])
  }

  /// A NaN is not equal to itself, not even in the very same list.
  @Test func notANumberIsNotItself() throws {
    for source in [
      "user.a == user.a", "[user.a] == [user.a]", "user.l == user.l", "user.a in user.l",
    ] {
      let program = try #require(ExpressionEnvironment().compile(source).output)
      let context: Value = ["user": ["a": .double(.nan), "l": [1, .double(.nan)]]]
      #expect(try program.evaluate(context) == false, "\(source)")
    }
  }
}
