/// Reads UTF-8 without strings, because the subjects of matches are bytes.
enum UTF8Text {
  // SAFETY: The checking functions compare every read with the count: eight bytes are loaded only
  // while eight remain. `decode` and `decodeBackwards` do not look at the end. Their callers pass
  // valid UTF-8 and the place of a character. Tests: RegexRejectionTests, RegexDifferentialTests,
  // fuzz regex.

  /// The offset of the first invalid byte, or nil for valid text.
  static func firstInvalidOffset(in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { firstInvalidOffset(in: $0) }
  }

  /// The offset of the first invalid byte of text at any address, or nil for valid text.
  static func firstInvalidOffset(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = text.baseAddress else { return nil }
    let raw = UnsafeRawPointer(base)
    var offset = 0
    while offset < text.count {
      if offset + 8 <= text.count,
        raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        offset += 8
      } else if base[offset] < 0x80 {
        offset += 1
      } else {
        let width = widthOfValidSequence(base + offset, available: text.count - offset)
        if width == 0 { return offset }
        offset += width
      }
    }
    return nil
  }

  /// The length of the well-formed sequence that begins here, or 0. Overlong forms, surrogates and values past U+10FFFF are not
  /// well formed.
  private static func widthOfValidSequence(
    _ bytes: UnsafePointer<UInt8>, available: Int
  ) -> Int {
    let first = bytes[0]
    let width: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: width = 2
    case 0xE0:
      width = 3
      second = 0xA0...0xBF
    case 0xED:
      width = 3
      second = 0x80...0x9F
    case 0xE1...0xEF: width = 3
    case 0xF0:
      width = 4
      second = 0x90...0xBF
    case 0xF1...0xF3: width = 4
    case 0xF4:
      width = 4
      second = 0x80...0x8F
    default: return 0
    }
    guard width <= available, second.contains(bytes[1]) else { return 0 }
    for index in 2..<max(2, width) where bytes[index] & 0xC0 != 0x80 { return 0 }
    return width
  }

  /// The code point that begins here in valid text, and its length.
  @inline(__always)
  static func decode(_ bytes: UnsafePointer<UInt8>) -> (scalar: UInt32, width: Int) {
    let first = UInt32(bytes[0])
    if first < 0x80 { return (first, 1) }
    if first < 0xE0 { return ((first & 0x1F) << 6 | UInt32(bytes[1] & 0x3F), 2) }
    if first < 0xF0 {
      let middle = UInt32(bytes[1] & 0x3F) << 6
      return ((first & 0x0F) << 12 | middle | UInt32(bytes[2] & 0x3F), 3)
    }
    let high = UInt32(bytes[1] & 0x3F) << 12 | UInt32(bytes[2] & 0x3F) << 6
    return ((first & 0x07) << 18 | high | UInt32(bytes[3] & 0x3F), 4)
  }

  /// The code point that ends before `offset` in valid text.
  static func decodeBackwards(_ bytes: UnsafePointer<UInt8>, before offset: Int) -> UInt32 {
    var start = offset - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return decode(bytes + start).scalar
  }

  /// The bytes of a code point that is not a surrogate.
  static func encode(_ scalar: UInt32) -> [UInt8] {
    Unicode.Scalar(scalar).map { Array(Unicode.UTF8.encode($0) ?? .init()) } ?? []
  }
}
