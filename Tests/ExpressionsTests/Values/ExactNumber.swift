import Expressions

/// A number written out bit by bit, as a sign and a whole multiple of 2^-1074, which every int, uint
/// and finite double is. Slow, and simple enough to be believed.
struct ExactNumber {
  var isNegative: Bool
  /// Least significant first.
  var bits: [Bool]

  private static let exponentOfLowestBit = -1_074
  private static let bitCount = 1_074 + 1_024 + 1

  init(_ value: Int64) { self.init(value < 0, value.magnitude, exponent: 0) }

  init(_ value: UInt64) { self.init(false, value, exponent: 0) }

  /// - Precondition: finite.
  init(_ value: Double) {
    let isSubnormal = value.exponentBitPattern == 0
    let fraction = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let exponent = isSubnormal ? -1_074 : Int(value.exponentBitPattern) - 1_023 - 52
    self.init(value.sign == .minus, fraction, exponent: exponent)
  }

  private init(_ isNegative: Bool, _ magnitude: UInt64, exponent: Int) {
    self.isNegative = isNegative
    bits = Array(repeating: false, count: ExactNumber.bitCount)
    for i in 0..<64 where magnitude >> UInt64(i) & 1 == 1 {
      bits[exponent + i - ExactNumber.exponentOfLowestBit] = true
    }
  }

  /// -1, 0 or 1 as `self` is less than, equal to or greater than the other.
  func compared(to other: ExactNumber) -> Int {
    if !bits.contains(true), !other.bits.contains(true) { return 0 }
    if isNegative != other.isNegative { return isNegative ? -1 : 1 }
    for i in bits.indices.reversed() where bits[i] != other.bits[i] {
      return bits[i] == isNegative ? -1 : 1
    }
    return 0
  }
}

/// How two numbers of any type compare.
enum NumberOrder {
  /// -1, 0 or 1, or nil when one of the values is NaN. Integers compare exactly. Next to a double an
  /// integer counts as the double nearest to it: the conformance tests of CEL ask for that at the
  /// ends of the range (`dyn(9223372036854775807) >= 9223372036854775808.0`).
  /// - Precondition: both are numbers.
  static func compare(_ a: Value, _ b: Value) -> Int? {
    switch (a, b) {
    case (.double, _), (_, .double):
      let (left, right) = (double(a), double(b))
      return left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    default: return whole(a).compared(to: whole(b))
    }
  }

  private static func double(_ value: Value) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: fatalError("\(value.typeName) is no number")
    }
  }

  private static func whole(_ value: Value) -> ExactNumber {
    switch value {
    case .int(let number): ExactNumber(number)
    case .uint(let number): ExactNumber(number)
    default: fatalError("\(value.typeName) is no integer")
    }
  }
}
