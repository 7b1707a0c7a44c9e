/// A finite double as exactly the same decimal number, for printing with a precision.
///
/// The value is `0.d1d2d3... * 10^point`. Rounding is to the nearest, and ties go to the even digit, as in
/// C and Go.
struct ExactDecimal {
  private var digits: [UInt8] = []
  private var point = 0
  private let isNegative: Bool

  /// The digits of a finite number.
  init(_ value: Double) {
    isNegative = value.sign == .minus
    guard value != 0 else { return }
    let isSubnormal = value.exponentBitPattern == 0
    var significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    var exponent = Int(isSubnormal ? 1 : value.exponentBitPattern) - 1075
    let zeros = significand.trailingZeroBitCount
    significand >>= zeros
    exponent += zeros
    // Base 10^9, lowest first. A negative power of two becomes a power of five with the point moved.
    var words = [UInt32(significand % 1_000_000_000), UInt32(significand / 1_000_000_000)]
    ExactDecimal.multiply(&words, by: exponent < 0 ? 5 : 2, times: abs(exponent))
    digits.reserveCapacity(words.count * 9)
    for word in words.reversed() { ExactDecimal.append(word, to: &digits) }
    digits.removeFirst(digits.prefix { $0 == 0 }.count)
    point = digits.count + min(exponent, 0)
    while digits.last == 0 { digits.removeLast() }
  }

  private static func multiply(_ words: inout [UInt32], by base: UInt64, times: Int) {
    // The largest number of factors per step that leaves room for a carry.
    let most = base == 2 ? 29 : 12
    var left = times
    while left > 0 {
      let factor = (0..<min(left, most)).reduce(1) { product, _ in product * base }
      left -= most
      var carry: UInt64 = 0
      for i in words.indices {
        let product = UInt64(words[i]) * factor + carry
        words[i] = UInt32(product % 1_000_000_000)
        carry = product / 1_000_000_000
      }
      while carry > 0 {
        words.append(UInt32(carry % 1_000_000_000))
        carry /= 1_000_000_000
      }
    }
  }

  private static func append(_ word: UInt32, to digits: inout [UInt8]) {
    var divisor: UInt32 = 100_000_000
    while divisor > 0 {
      digits.append(UInt8(word / divisor % 10))
      divisor /= 10
    }
  }

  /// Rounds to a number of digits. A number of zero or fewer means rounding at that place before the first digit.
  private mutating func round(keeping kept: Int) {
    guard kept < digits.count else { return }
    guard kept >= 0 else {
      digits = []
      return
    }
    let isHalfway = digits[kept] == 5 && kept + 1 == digits.count
    let isOdd = kept > 0 && digits[kept - 1] % 2 == 1
    let goesUp = isHalfway ? isOdd : digits[kept] >= 5
    digits.removeSubrange(kept...)
    guard goesUp else { return }
    while digits.last == 9 { digits.removeLast() }
    if let last = digits.indices.last {
      digits[last] += 1
    } else {
      digits = [1]
      point += 1
    }
  }

  private func digit(_ i: Int) -> UInt8 {
    UInt8(ascii: "0") + (digits.indices.contains(i) ? digits[i] : 0)
  }

  /// Appends the number with this number of digits after the point: `-12.50`.
  consuming func appendFixed(
    precision: Int, to text: inout ByteBuilder, _ arena: inout Arena
  ) {
    round(keeping: point + precision)
    if isNegative { text.append(UInt8(ascii: "-"), &arena) }
    let first = digits.isEmpty ? 0 : point
    if first <= 0 { text.append(UInt8(ascii: "0"), &arena) }
    for i in 0..<max(first, 0) { text.append(digit(i), &arena) }
    guard precision > 0 else { return }
    text.append(UInt8(ascii: "."), &arena)
    for i in first..<(first + precision) { text.append(digit(i), &arena) }
  }

  /// Appends the number with one digit before the point and an exponent: `1.250000e+03`.
  consuming func appendScientific(
    precision: Int, to text: inout ByteBuilder, _ arena: inout Arena
  ) {
    round(keeping: precision + 1)
    if isNegative { text.append(UInt8(ascii: "-"), &arena) }
    text.append(digit(0), &arena)
    if precision > 0 { text.append(UInt8(ascii: "."), &arena) }
    for i in 0..<precision { text.append(digit(i + 1), &arena) }
    let exponent = digits.isEmpty ? 0 : point - 1
    text.append(exponent < 0 ? "e-" : "e+", &arena)
    if abs(exponent) < 10 { text.append(UInt8(ascii: "0"), &arena) }
    text.append(String(abs(exponent)), &arena)
  }
}
