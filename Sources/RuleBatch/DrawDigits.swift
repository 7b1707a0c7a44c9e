internal import Expressions
internal import RuleEngine

/// Writes draws as JSON has them: in the fewest digits that give the same double again, as `Double`
/// describes itself, but without a text for each.
enum DrawDigits {
  /// Appends `bits` of 2^53.
  ///
  /// Digit by digit with whole numbers: `rest` is what the digits so far leave of the number, `half` is
  /// half the distance to the next double, both in parts of `one`. Where the digits, or these with the last
  /// one higher, are nearer than that, no other double is meant.
  static func append(_ bits: UInt64, to bytes: inout [UInt8]) {
    let scale = UInt64(bits.leadingZeroBitCount) &- 11
    // Small numbers need more bits than there are; a power of two has the double below it nearer.
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
      // In the middle between two doubles or two digits: what decides then is not worth knowing.
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
