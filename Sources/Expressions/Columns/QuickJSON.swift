internal import CShims

/// Reads what is most frequent in records, where enough bytes can be read: no bounds are looked at.
enum QuickJSON {
  /// Bytes behind the beginning of a value that must be readable.
  static let reach = 24

  /// Compares sixteen bytes, and as many that end where the texts end; both texts have sixteen more
  /// bytes that may be read.
  @inline(__always)
  static func isSame(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    if count <= 16 { return CShims.isSame(a, b, count: count) }
    let last = count &- 16
    return CShims.isSame(a, b, count: 16) && CShims.isSame(a + last, b + last, count: 16)
      && (count <= 32 || isSameInside(a, b, count))
  }

  @inline(never)
  private static func isSameInside(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    var i = 16
    while i < count &- 16 {
      if word(a + i) != word(b + i) { return false }
      i &+= 8
    }
    return true
  }

  @inline(__always)
  private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
  }

  /// Reads the most frequent values: short texts without escapes or characters beyond ASCII, and
  /// whole numbers of few digits, with 24 readable bytes. Others are left alone.
  ///
  /// - Returns: the offset behind the value, or nil.
  @inline(__always)
  static func value(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ cell: UnsafeMutablePointer<Cell>,
    _ readsBooleans: Bool
  ) -> Int? {
    let byte = base[start]
    if byte == UInt8(ascii: "\"") {
      let text = base + (start &+ 1)
      let count = textEnd(text, quote: UInt8(ascii: "\""))
      guard count >= 0 else { return nil }
      writeShortText(Tag.shortText | UInt8(truncatingIfNeeded: count), text, count: count, to: cell)
      if readsBooleans, ValueBinding.isBooleanName(cell.pointee) {
        cell.pointee = ValueBinding.boolean(cell.pointee)
      }
      return start &+ 2 &+ count
    }
    let bytes = word(base + start)
    guard byte &- 0x30 < 10 else {
      // Without a branch for each: which of them it is cannot be predicted.
      let isTrue = bytes & 0xFFFF_FFFF == 0x6575_7274 ? 1 : 0
      let isFalse = bytes & 0xFF_FFFF_FFFF == 0x65_736C_6166 ? 1 : 0
      guard isTrue | isFalse != 0 else { return nil }
      cell.pointee = Cell(low: UInt64(Tag.bool) | UInt64(isTrue) &<< 8, high: 0)
      return start &+ 5 &- isTrue
    }
    // Up to seven digits at once: how many there are is different for every record.
    let digits = bytes ^ 0x3030_3030_3030_3030
    let ends = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
    guard ends != 0 else { return longNumber(base, start, cell) }
    let count = ends.trailingZeroBitCount >> 3
    let next = base[start &+ count]
    let isPadded = (byte == 0x30 ? 1 : 0) & (count == 1 ? 0 : 1)
    guard isPadded == 0, next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e")
    else { return nil }
    cell.pointee = Cell(Int64(bitPattern: number(digits &<< (UInt64(8 &- count) &* 8))))
    return start &+ count
  }

  /// The number of eight digits, the first in the low byte: pairs, fours and the whole are put
  /// together side by side.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 {
    let pairs = ((digits &* 2_561) &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = ((pairs &* 6_553_601) &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 42_949_672_960_001) &>> 32
  }

  /// Whole numbers of 8 to 15 digits.
  @inline(never)
  private static func longNumber(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ cell: UnsafeMutablePointer<Cell>
  ) -> Int? {
    var value: UInt64 = 0
    var at = start
    var digit = UInt64(base[at] &- 0x30)
    while digit < 10, at &- start < 16 {
      value = value &* 10 &+ digit
      at &+= 1
      digit = UInt64(base[at] &- 0x30)
    }
    let next = base[at]
    guard at &- start < 16, base[start] != 0x30, next != UInt8(ascii: "."),
      next | 0x20 != UInt8(ascii: "e")
    else { return nil }
    cell.pointee = Cell(Int64(bitPattern: value))
    return at
  }

  /// Passes a text of up to 15 plain characters, with 24 readable bytes.
  ///
  /// - Returns: the offset behind the text, or nil.
  @inline(__always)
  static func text(_ base: UnsafePointer<UInt8>, _ start: Int) -> Int? {
    guard base[start] == UInt8(ascii: "\"") else { return nil }
    let count = textEnd(base + (start &+ 1), quote: UInt8(ascii: "\""))
    return count >= 0 ? start &+ 2 &+ count : nil
  }
}
