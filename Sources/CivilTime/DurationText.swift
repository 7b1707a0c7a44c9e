/// Why a string is not a duration.
package enum DurationTextError: Error, Hashable, Sendable {
  /// A number is missing, or the string is empty.
  case malformed

  /// A number without a unit: `1`. Only `0` needs no unit.
  case missingUnit

  /// A number is followed by letters other than h, m, s, ms, us, µs and ns. Days have no unit.
  case unknownUnit

  /// The duration is longer than a ``TimeSpan`` can be.
  case outOfRange
}

extension TimeSpan {
  /// Parses Go's durations, like `duration()` of the language: `1h30m`, `-1.5s`, `100ms`, `0`.
  ///
  /// A sign applies to the whole duration. Numbers with units follow in any order, and are added up. The part of a
  /// fraction below a nanosecond is dropped, and so are the fraction's digits after the eighteenth. The arithmetic is
  /// exact. Go uses floating point, so its result may differ by a nanosecond if a fraction has more digits than its
  /// unit has nanoseconds.
  package init(duration text: UnsafeBufferPointer<UInt8>) throws(DurationTextError) {
    // SAFETY: `text` is the caller's view. Every index is compared with its count.
    // Tests: DurationTextTests.
    var position = 0
    var isNegative = false
    if !text.isEmpty, text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") {
      isNegative = text[0] == UInt8(ascii: "-")
      position = 1
    }
    if text.count == position + 1, text[position] == UInt8(ascii: "0") {
      self = .zero
      return
    }
    guard position < text.count else { throw .malformed }
    var total: UInt64 = 0
    while position < text.count {
      let term = try TimeSpan.readTerm(text, from: &position)
      // Both terms are at most 2^63, so the sum only wraps if both are exactly 2^63. The sum is then 0.
      total = total &+ term
      guard total <= furthest, total >= term else { throw .outOfRange }
    }
    if isNegative {
      self.init(nanoseconds: Int64(truncatingIfNeeded: 0 &- total))
    } else {
      guard total < furthest else { throw .outOfRange }
      self.init(nanoseconds: Int64(truncatingIfNeeded: total))
    }
  }

  /// Parses Go's durations, like `duration()` of the language.
  package init(duration text: String) throws(DurationTextError) {
    self = try readUTF8(text) { bytes throws(DurationTextError) in
      try TimeSpan(duration: bytes)
    }
  }

  /// Parses one number with its unit, and returns the nanoseconds, at most 2^63.
  private static func readTerm(
    _ text: UnsafeBufferPointer<UInt8>, from position: inout Int
  ) throws(DurationTextError) -> UInt64 {
    // SAFETY: Every index is compared with the count. Tests: DurationTextTests.
    let start = position
    var whole: UInt64 = 0
    while let digit = digit(text, at: position) {
      guard whole <= furthest / 10 else { throw .outOfRange }
      whole = whole &* 10 &+ UInt64(digit)
      guard whole <= furthest else { throw .outOfRange }
      position &+= 1
    }
    var digits = position &- start
    var fraction: UInt64 = 0
    var scale: UInt64 = 1
    if position < text.count, text[position] == UInt8(ascii: ".") {
      position &+= 1
      while let digit = digit(text, at: position) {
        // Together, all digits after the eighteenth are less than a nanosecond, even of an hour.
        if scale < 1_000_000_000_000_000_000 {
          fraction = fraction &* 10 &+ UInt64(digit)
          scale = scale &* 10
        }
        digits &+= 1
        position &+= 1
      }
    }
    guard digits > 0 else { throw .malformed }
    let unit = try readUnit(text, from: &position)
    guard whole <= furthest / unit else { throw .outOfRange }
    // The fraction is less than 1, so the quotient is less than the unit and fits.
    let (part, _) = scale.dividingFullWidth(fraction.multipliedFullWidth(by: unit))
    let sum = whole &* unit &+ part
    guard sum <= furthest else { throw .outOfRange }
    return sum
  }

  /// Parses a unit, which ends before a digit, a point or the end, and returns its nanoseconds.
  private static func readUnit(
    _ text: UnsafeBufferPointer<UInt8>, from position: inout Int
  ) throws(DurationTextError) -> UInt64 {
    // SAFETY: Every index is compared with the count. Tests: DurationTextTests.
    let start = position
    // Every unit fits into four bytes, so longer units are unknown.
    var unit: UInt32 = 0
    while position < text.count, text[position] != UInt8(ascii: "."),
      digit(text, at: position) == nil
    {
      unit = unit &<< 8 | UInt32(text[position])
      position &+= 1
    }
    guard position > start else { throw .missingUnit }
    guard position &- start <= 3 else { throw .unknownUnit }
    switch unit {
    case 0x68: return 3_600_000_000_000  // h
    case 0x6D: return 60_000_000_000  // m
    case 0x73: return 1_000_000_000  // s
    case 0x6D_73: return 1_000_000  // ms
    case 0x75_73: return 1000  // us
    case 0xC2_B5_73: return 1000  // µs with the micro sign, U+00B5
    case 0xCE_BC_73: return 1000  // μs with the Greek letter, U+03BC
    case 0x6E_73: return 1  // ns
    default: throw .unknownUnit
    }
  }

  /// The digit at a place, if there is one.
  @inline(__always)
  private static func digit(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt8? {
    guard place < text.count else { return nil }
    let digit = text[place] &- UInt8(ascii: "0")
    return digit <= 9 ? digit : nil
  }
}

extension TimeSpan {
  /// The number of bytes of the longest result: -9223372036.854775808s.
  package static let longestText = 22

  /// The length in seconds, like `string()` of the language: `3600.001s`, `-1.5s`.
  ///
  /// All digits are exact. (cel-go prints a double, which rounds lengths above 104 days.)
  package var text: String {
    String(unsafeUninitializedCapacity: TimeSpan.longestText) { write(into: $0) }
  }

  /// Writes ``text`` to a buffer of at least ``longestText`` bytes and returns the number of bytes.
  package func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    // SAFETY: `DigitWriter` checks that the buffer holds the longest text.
    // Tests: DurationTextTests.
    var writer = DigitWriter(buffer, capacity: TimeSpan.longestText)
    if nanoseconds < 0 { writer.character("-") }
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(
      dividingBy: UInt64(nanosecondsInSecond))
    writer.number(seconds)
    writer.fraction(nanoseconds: UInt32(truncatingIfNeeded: rest))
    writer.character("s")
    return writer.count
  }
}

/// 2^63, the maximum length in nanoseconds of a negative duration. A positive duration must be shorter.
private let furthest: UInt64 = 1 << 63
