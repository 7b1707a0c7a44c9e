internal import CShims

/// The reason why input is not valid JSON, and where the error is.
///
/// ```swift
/// do throws(JSONFault) {
///   _ = try Value.parse(json: #"{"plan": "free",}"#.utf8)
/// } catch {
///   error.offset  // 16
///   error.message  // "this is not valid JSON"
/// }
/// ```
public struct JSONFault: Error, Hashable, Sendable {
  /// The kinds of fault.
  package enum Kind: UInt8, Hashable, Sendable {
    case unexpectedEnd
    case unexpectedByte
    case badEscape
    case badNumber
    case numberTooLarge
    case badUTF8
    case controlCharacter
    case tooDeep
    case tooLarge
    case trailingBytes
  }

  package var kind: Kind
  /// Byte offset in the input.
  public var offset: Int

  /// A description of the error.
  public var message: String {
    switch kind {
    case .unexpectedEnd: "the JSON ends too early"
    case .unexpectedByte: "this is not valid JSON"
    case .badEscape: "the escape after the backslash is invalid"
    case .badNumber: "this is not a JSON number"
    case .numberTooLarge: "the number is too large: numbers go up to 1.7976931348623157e308"
    case .badUTF8: "these bytes are not UTF-8"
    case .controlCharacter: "a string contains a control character that must be escaped"
    case .tooDeep: "objects and arrays are nested too deeply"
    case .tooLarge: "the value needs more memory than the limit allows"
    case .trailingBytes: "the JSON value is followed by other characters"
    }
  }
}

/// Reads JSON in memory. The cursor validates everything that it reads, including skipped values. It copies nothing, so
/// strings are views of the source.
///
/// The grammar is RFC 8259's. Strings must be UTF-8 and escapes must form whole code points, except that a lone
/// surrogate escape becomes U+FFFD.
package struct JSONCursor {
  // SAFETY: The caller keeps the bytes below `end` while it uses the cursor and its views. Every
  // read compares with `end` first; 16 bytes are read only while 16 remain.
  // Tests: JSONDifferentialTests, JSONReaderTests, fuzz json.

  package let base: UnsafePointer<UInt8>
  package let end: Int
  package var at: Int

  package init(_ base: UnsafePointer<UInt8>, from: Int, to end: Int) {
    self.base = base
    self.at = from
    self.end = end
  }

  /// The next byte that is not white space, or 0 at the end. The cursor moves to that byte.
  @inline(__always)
  package mutating func peek() -> UInt8 {
    // Compact JSON has no white space.
    if at < end, base[at] > 0x20 { return base[at] }
    return peekBehindSpace()
  }

  @inline(never)
  private mutating func peekBehindSpace() -> UInt8 {
    while at < end {
      let byte = base[at]
      if byte > 0x20 { return byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      at += 1
    }
    return 0
  }

  /// Whether the next word begins like null.
  package var isAtNull: Bool {
    var copy = self
    return copy.peek() == UInt8(ascii: "n")
  }

  /// Skips null if it comes next.
  package mutating func takeNull() throws(JSONFault) -> Bool {
    guard peek() == UInt8(ascii: "n") else { return false }
    try word("null")
    return true
  }

  package func fault(_ kind: JSONFault.Kind, at offset: Int? = nil) -> JSONFault {
    JSONFault(kind: kind, offset: offset ?? at)
  }

  @inline(never)
  package func unexpected() -> JSONFault { fault(at >= end ? .unexpectedEnd : .unexpectedByte) }

  /// Consumes the byte if it comes next.
  @inline(__always)
  package mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte, at < end else { return false }
    at &+= 1
    return true
  }

  @inline(__always)
  package mutating func expect(_ byte: UInt8) throws(JSONFault) {
    guard take(byte) else { throw unexpected() }
  }

  /// The bytes of a string in the source, and whether it contains escapes.
  package struct RawString {
    package var bytes: ByteView
    package var hasEscapes: Bool

    /// The first escape of a lone surrogate, such as `\ud800`, which becomes U+FFFD, or nil if there is none.
    package var loneSurrogate: (text: String, offset: Int)? {
      // SAFETY: Every read is below `bytes.count`. `unicodeEscape` gets the number of bytes left.
      // Tests: JSONReaderTests.
      guard hasEscapes, let base = bytes.baseAddress else { return nil }
      var at = 0
      while at < bytes.count {
        guard base[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else {
          at += 1
          continue
        }
        guard base[at + 1] == UInt8(ascii: "u") else {
          at += 2
          continue
        }
        let (scalar, length) = JSONCursor.unicodeEscape(base + at, bytes.count - at)
        let escape = ByteView(rebasing: bytes[at..<min(at + 6, bytes.count)])
        // The replacement character may be intended.
        if scalar == 0xFFFD, escape.count == 6, JSONCursor.hex4(base + at + 2) != 0xFFFD {
          return (String(decoding: escape, as: UTF8.self), at)
        }
        at += length
      }
      return nil
    }
  }

  /// Reads a string whose opening quote comes next.
  @inline(__always)
  package mutating func string() throws(JSONFault) -> RawString {
    try expect(UInt8(ascii: "\""))
    let start = at
    while at &+ 16 <= end {
      let plain = plainBytes(base + at)
      at &+= plain
      if plain < 16 { break }
    }
    if at < end, base[at] == UInt8(ascii: "\"") {
      at &+= 1
      return RawString(
        bytes: ByteView(start: base + start, count: at &- 1 &- start), hasEscapes: false)
    }
    return try stringSlowly(from: start)
  }

  @inline(never)
  private mutating func stringSlowly(from start: Int) throws(JSONFault) -> RawString {
    var hasEscapes = false
    while at < end {
      let byte = base[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        let bytes = ByteView(start: base + start, count: at - 1 - start)
        return RawString(bytes: bytes, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0..<0x20:
        throw fault(.controlCharacter)
      case 0..<0x80:
        at += 1
      default:
        let length = UTF8Scan.scalarLength(base + at, end - at)
        guard length > 0 else { throw fault(.badUTF8) }
        at += length
      }
    }
    throw fault(.unexpectedEnd)
  }

  private mutating func skipEscape() throws(JSONFault) {
    guard at + 1 < end else { throw fault(.unexpectedEnd, at: end) }
    switch base[at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 2
    case UInt8(ascii: "u"):
      guard at + 6 <= end, JSONCursor.hex4(base + at + 2) != nil else { throw fault(.badEscape) }
      at += 6
    default:
      throw fault(.badEscape)
    }
  }

  fileprivate static func hex4(_ bytes: UnsafePointer<UInt8>) -> UInt32? {
    // SAFETY: Callers have compared the four bytes with the end. Tests: JSONReaderTests, fuzz json.
    var value: UInt32 = 0
    for i in 0..<4 {
      guard let digit = Digits.hex(bytes[i]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Writes the content of an escaped string, which is never longer than its source, and returns its length.
  package static func unescape(_ raw: ByteView, into target: UnsafeMutablePointer<UInt8>) -> Int {
    // SAFETY: The caller's memory is as long as the source, and a valid escape never gets longer.
    // Only strings that the cursor has passed come here. Tests: JSONReaderTests, fuzz json.
    guard let base = raw.baseAddress else { return 0 }
    var written = 0
    var i = 0
    while i < raw.count {
      guard base[i] == UInt8(ascii: "\\"), i + 1 < raw.count else {
        target[written] = base[i]
        written += 1
        i += 1
        continue
      }
      let kind = base[i + 1]
      if kind == UInt8(ascii: "u") {
        let (scalar, length) = unicodeEscape(base + i, raw.count - i)
        written += UTF8Scan.write(scalar, to: target + written)
        i += length
      } else {
        target[written] = simpleEscape(kind)
        written += 1
        i += 2
      }
    }
    return written
  }

  private static func simpleEscape(_ kind: UInt8) -> UInt8 {
    switch kind {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: kind
    }
  }

  /// The code point of `\uXXXX`, or of two as a surrogate pair, and the number of bytes.
  fileprivate static func unicodeEscape(_ at: UnsafePointer<UInt8>, _ room: Int) -> (UInt32, Int) {
    // SAFETY: Reads six bytes if `room` has six, and twelve if it has twelve.
    // Tests: JSONReaderTests, fuzz json.
    guard room >= 6, let first = hex4(at + 2) else { return (0xFFFD, min(room, 2)) }
    guard 0xD800...0xDFFF ~= first else { return (first, 6) }
    guard first < 0xDC00, room >= 12, at[6] == UInt8(ascii: "\\"), at[7] == UInt8(ascii: "u"),
      let second = hex4(at + 8), 0xDC00...0xDFFF ~= second
    else { return (0xFFFD, 6) }
    return (0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), 12)
  }

  /// Reads the number that comes next.
  @inline(__always)
  package mutating func number() throws(JSONFault) -> Cell {
    let start = at
    let negative = at < end && base[at] == UInt8(ascii: "-")
    if negative { at &+= 1 }
    var magnitude: UInt64 = 0
    let digits = at
    while at < end, base[at] &- 0x30 < 10 {
      magnitude = magnitude &* 10 &+ UInt64(base[at] &- 0x30)
      at &+= 1
    }
    let count = at &- digits
    let next = at < end ? base[at] : 0
    if count > 0, count < 19, count == 1 || base[digits] != 0x30, next != UInt8(ascii: "."),
      next | 0x20 != UInt8(ascii: "e")
    {
      return Cell(negative ? 0 &- Int64(magnitude) : Int64(magnitude))
    }
    at = start
    return try numberSlowly()
  }

  /// Reads a number with a fraction, an exponent or more than 18 digits.
  @inline(never)
  private mutating func numberSlowly() throws(JSONFault) -> Cell {
    let start = at
    guard at < end, base[at] == UInt8(ascii: "-") || base[at] &- 0x30 < 10 else {
      throw unexpected()
    }
    guard let length = NumberText.jsonLength(base + at, end - at) else { throw fault(.badNumber) }
    at += length
    guard let cell = NumberText.number(ByteView(start: base + start, count: length)) else {
      throw fault(.numberTooLarge, at: start)
    }
    return cell
  }

  /// Consumes a word such as `true`, whose first byte has been checked.
  package mutating func word(_ word: StaticString) throws(JSONFault) {
    // SAFETY: The word fits before `end`. A `StaticString` lives as long as the process.
    // Tests: JSONReaderTests, fuzz json.
    let length = word.utf8CodeUnitCount
    guard at + length <= end else { throw fault(.unexpectedEnd, at: end) }
    var i = 0
    while i < length {
      guard base[at &+ i] == word.utf8Start[i] else { throw fault(.unexpectedByte) }
      i &+= 1
    }
    at &+= length
  }

  /// Skips a value of any kind, and validates it.
  package mutating func skipValue(nesting: Int) throws(JSONFault) {
    switch peek() {
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "{"):
      try forEachMember(nesting: nesting) { (cursor, _) throws(JSONFault) in
        try cursor.skipValue(nesting: nesting - 1)
      }
    case UInt8(ascii: "["):
      try forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
        try cursor.skipValue(nesting: nesting - 1)
      }
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: _ = try number()
    }
  }

  /// Reads an object. The body reads the value of each member.
  @inline(__always)
  package mutating func forEachMember(
    nesting: Int, _ body: (inout JSONCursor, RawString) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    guard nesting > 0 else { throw fault(.tooDeep) }
    try expect(UInt8(ascii: "{"))
    if take(UInt8(ascii: "}")) { return }
    while true {
      guard peek() == UInt8(ascii: "\"") else { throw unexpected() }
      let key = try string()
      try expect(UInt8(ascii: ":"))
      try body(&self, key)
      if take(UInt8(ascii: ",")) { continue }
      try expect(UInt8(ascii: "}"))
      return
    }
  }

  /// Reads an array. The body reads each element.
  @inline(__always)
  package mutating func forEachElement(
    nesting: Int, _ body: (inout JSONCursor) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    guard nesting > 0 else { throw fault(.tooDeep) }
    try expect(UInt8(ascii: "["))
    if take(UInt8(ascii: "]")) { return }
    while true {
      try body(&self)
      if take(UInt8(ascii: ",")) { continue }
      try expect(UInt8(ascii: "]"))
      return
    }
  }

  /// Fails unless only white space is left.
  package mutating func expectEnd() throws(JSONFault) {
    _ = peek()
    guard at >= end else { throw fault(.trailingBytes) }
  }
}
