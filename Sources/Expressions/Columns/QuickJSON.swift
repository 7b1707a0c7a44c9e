internal import CShims

/// Reads the most frequent values of records without bounds checks, where enough bytes are readable.
package enum QuickJSON {
  // SAFETY: Reads without bounds checks. Callers provide 24 readable bytes after the beginning of
  // a value. Tests: RecordShapesTests.nothingIsReadBehindTheSlack, VectorTests, asan.

  /// The number of bytes after the beginning of a value that must be readable.
  static let reach = 24

  @inline(__always)
  private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
  }

  /// The strings that become bools, as the low halves of their cells. Zero matches no string.
  package struct BoolNames {
    package let isTrue: UInt64
    package let isFalse: UInt64

    package init(areRead: Bool) {
      isTrue = areRead ? ValueBinding.trueText.low : 0
      isFalse = areRead ? ValueBinding.falseText.low : 0
    }
  }

  /// Writes a string of up to 15 bytes.
  @inline(__always)
  static func write(
    _ text: UnsafePointer<UInt8>, _ count: Int, _ cell: UnsafeMutablePointer<Cell>,
    _ names: BoolNames
  ) {
    writeShortText(Tag.shortText | UInt8(truncatingIfNeeded: count), text, count: count, to: cell)
    let low = cell.pointee.low
    if low == names.isTrue {
      cell.pointee = .true
    } else if low == names.isFalse {
      cell.pointee = .false
    }
  }

  /// Reads a bool, or the digits of a number with up to 15 digits, with 24 readable bytes. Other values are
  /// not read. The caller must check whether a fraction or an exponent follows.
  ///
  /// - Returns: the end of the value, or nil.
  @inline(__always)
  static func scalar(
    _ start: UnsafePointer<UInt8>, _ cell: UnsafeMutablePointer<Cell>
  ) -> UnsafePointer<UInt8>? {
    let bytes = word(start)
    let digits = bytes ^ 0x3030_3030_3030_3030
    // In `ends`, the high bit is set for each byte that is not a digit. Up to seven digits are read together, because
    // their count differs from record to record.
    let ends = (digits &+ 0x7676_7676_7676_7676 | bytes) & 0x8080_8080_8080_8080
    if ends & 0x80 != 0 {
      // A branch for each literal would be unpredictable.
      let isTrue = bytes & 0xFFFF_FFFF == 0x6575_7274 ? 1 : 0
      let isFalse = bytes & 0xFF_FFFF_FFFF == 0x65_736C_6166 ? 1 : 0
      guard isTrue | isFalse != 0 else { return nil }
      cell.pointee = Cell(low: UInt64(Tag.bool) | UInt64(isTrue) &<< 8, high: 0)
      return start + (5 &- isTrue)
    }
    guard ends != 0 else { return longNumber(start, cell) }
    // JSON allows no zero before another digit.
    guard (digits & 0xFF) | (ends & 0x8000) != 0 else { return nil }
    let bits = ends.trailingZeroBitCount &- 7
    cell.pointee = Cell(Int64(bitPattern: number(digits &<< UInt64(64 &- bits))))
    return start + (bits &>> 3)
  }

  /// Skips a value that ``scalar(_:_:)`` reads.
  @inline(never)
  static func passScalar(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var unread = Cell.missing
    return scalar(start, &unread)
  }

  /// The number that eight digits form, the first digit in the low byte. Each step combines all neighbours in parallel.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 {
    let pairs = ((digits &* 2_561) &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = ((pairs &* 6_553_601) &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 42_949_672_960_001) &>> 32
  }

  /// Reads a number of 8 to 15 digits.
  @inline(never)
  private static func longNumber(
    _ start: UnsafePointer<UInt8>, _ cell: UnsafeMutablePointer<Cell>
  ) -> UnsafePointer<UInt8>? {
    var value: UInt64 = 0
    var at = start
    while at - start < 16, case let digit = at.pointee &- 0x30, digit < 10 {
      value = value &* 10 &+ UInt64(digit)
      at += 1
    }
    guard at - start < 16, start.pointee != 0x30 else { return nil }
    cell.pointee = Cell(Int64(bitPattern: value))
    return at
  }

  /// The first digit of a number whose fraction or exponent begins at a place, or nil if no such number ends there.
  @inline(never)
  static func startOfNumber(
    before place: UnsafePointer<UInt8>, after base: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    // SAFETY: The caller can read at `place`, and the loop ends at `base`.
    // Tests: RecordShapesTests.
    guard place.pointee == UInt8(ascii: ".") || place.pointee | 0x20 == UInt8(ascii: "e") else {
      return nil
    }
    var start = place
    while start > base, (start - 1).pointee &- 0x30 < 10 { start -= 1 }
    return start < place ? start : nil
  }
}
