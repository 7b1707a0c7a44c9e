/// The encoders extension of CEL: base64 with the standard alphabet (RFC 4648, section 4).
enum Encoders {
  // SAFETY: Sizes are computed with overflow checks. The loop that writes is the one that the size
  // was computed for. Tests: EncodersTests, asan.

  static func encode(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard operands[0].pointee.tag == Tag.bytes else { return operands.refused }
    let bytes = operands[0].textBytes
    let (size, overflow) = ((bytes.count + 2) / 3).multipliedReportingOverflow(by: 4)
    guard !overflow else { return Cell(fault: .limitExceeded) }
    return arena.text(ofBytes: size) { target in
      var write = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let count = min(bytes.count - start, 3)
        var group: UInt32 = 0
        for i in 0..<3 { group = group << 8 | (i < count ? UInt32(bytes[start + i]) : 0) }
        for i in 0..<4 {
          let digit = UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * i)) & 0x3F
          target[write + i] = i <= count ? character(digit) : UInt8(ascii: "=")
        }
        write += 4
      }
    }
  }

  private static func character(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0..<26: UInt8(ascii: "A") + digit
    case 26..<52: UInt8(ascii: "a") + (digit - 26)
    case 52..<62: UInt8(ascii: "0") + (digit - 52)
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// Padding may be missing, but must not be wrong. Line breaks are skipped, as in other implementations.
  static func decode(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    guard let memory = arena.allocate(text.count / 4 * 3 + 3) else {
      return Cell(fault: .limitExceeded)
    }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var group: UInt32 = 0
    var digits = 0
    var padding = 0
    var count = 0
    for character in text where character != 0x0A && character != 0x0D {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let digit = digit(character) else { return Cell(fault: .conversion) }
      group = group << 6 | UInt32(digit)
      digits += 1
      guard digits % 4 == 0 else { continue }
      for i in 0..<3 { bytes[count + i] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * i)) }
      count += 3
    }
    let rest = digits % 4
    guard rest != 1, padding == 0 || (rest > 0 && padding == 4 - rest) else {
      return Cell(fault: .conversion)
    }
    if rest > 1 { bytes[count] = UInt8(truncatingIfNeeded: group >> (rest == 2 ? 4 : 10)) }
    if rest > 2 { bytes[count + 1] = UInt8(truncatingIfNeeded: group >> 2) }
    return Cell(tag: Tag.bytes, count: count + max(rest - 1, 0), at: memory)
  }
}
