internal import CShims

/// Tests of strings, by bytes. In valid UTF-8, a valid substring always begins at a code point.
enum TextFunctions {
  // SAFETY: Lengths are compared before `memchr` and `memcmp`, which stay below the end of the
  // string. Tests: TextSearchTests, asan.

  static func contains(_ text: ByteView, _ part: ByteView) -> Bool {
    guard part.count > 0, let needle = part.baseAddress else { return true }
    guard part.count <= text.count, let hay = text.baseAddress else { return false }
    guard part.count <= 32 else { return containsLong(hay, text.count, needle, part.count) }
    var at = 0
    let last = text.count - part.count
    while at <= last {
      guard let found = memchr(hay + at, Int32(needle[0]), last - at + 1) else { return false }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(hay)
      if memcmp(hay + at, needle, part.count) == 0 { return true }
      at += 1
    }
    return false
  }

  /// A rolling hash (Karp and Rabin 1987), so that long needles in long texts cost linear time.
  private static func containsLong(
    _ hay: UnsafePointer<UInt8>, _ count: Int, _ needle: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    var wanted: UInt64 = 0
    var rolling: UInt64 = 0
    var leading: UInt64 = 1
    for i in 0..<length {
      wanted = wanted &* factor &+ UInt64(needle[i])
      rolling = rolling &* factor &+ UInt64(hay[i])
      if i > 0 { leading = leading &* factor }
    }
    var at = 0
    while true {
      if rolling == wanted, memcmp(hay + at, needle, length) == 0 { return true }
      guard at + length < count else { return false }
      rolling =
        (rolling &- UInt64(hay[at]) &* leading) &* factor &+ UInt64(hay[at + length])
      at += 1
    }
  }

  static func startsWith(_ text: ByteView, _ part: ByteView) -> Bool {
    guard part.count > 0, let needle = part.baseAddress else { return true }
    guard part.count <= text.count, let hay = text.baseAddress else { return false }
    return memcmp(hay, needle, part.count) == 0
  }

  static func endsWith(_ text: ByteView, _ part: ByteView) -> Bool {
    guard part.count > 0, let needle = part.baseAddress else { return true }
    guard part.count <= text.count, let hay = text.baseAddress else { return false }
    return memcmp(hay + (text.count - part.count), needle, part.count) == 0
  }
}
