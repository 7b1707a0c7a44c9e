internal import Expressions
internal import RuleEngine

/// Writes draws in JSON notation, with the fewest digits that parse to the same double. The result
/// is the same as the description of `Double`, but no strings are created.
enum DrawDigits {
  /// Appends the fraction `bits` / 2^53.
  ///
  /// The digits are computed one by one with whole numbers. `rest` is the part of the number beyond
  /// the digits so far, and `half` is half the distance to the next double, both in units of `one`.
  /// If the digits, or the digits with the last one increased, are closer to the number than
  /// `half`, they identify the double.
  static func append(_ bits: UInt64, to bytes: inout [UInt8]) {
    let scale = UInt64(bits.leadingZeroBitCount) &- 11
    // Small numbers need more bits than an integer has. For a power of two, the double below it is
    // nearer.
    guard scale <= 6, bits & (bits &- 1) != 0 else { return appendAny(bits, to: &bytes) }
    let (one, start) = (1 &<< (54 &+ scale) as UInt64, bytes.count)
    var (rest, half): (UInt64, UInt64) = (bits &<< (1 &+ scale), 1)
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "."))
    while true {
      rest &*= 10
      half &*= 10
      let digit = rest &>> (54 &+ scale)
      rest &= one &- 1
      // The number is exactly between two doubles or two digits, which is rare enough for the slow path.
      guard rest != half, rest &+ half != one, rest != one / 2 else {
        bytes.removeLast(bytes.count - start)
        return appendAny(bits, to: &bytes)
      }
      let (isLow, isHigh) = (rest < half, rest &+ half > one)
      let isUp = isHigh && (!isLow || rest > one / 2)
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit) &+ (isUp ? 1 : 0))
      if isLow || isHigh { return }
    }
  }

  private static func appendAny(_ bits: UInt64, to bytes: inout [UInt8]) {
    JSONWriter.append(.double(Double(bits) * 0x1p-53), to: &bytes)
  }
}
