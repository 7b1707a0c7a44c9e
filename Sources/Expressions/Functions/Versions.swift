/// Versions: `version("1.10.2") < version("1.11")`, in the order of Semantic Versioning 2.0.0.
///
/// The bytes of a version, outside its cell, are in the order of versions, so that versions compare as bytes. A number
/// is stored as the count of its decimal digits, followed by the digits (0 has no digits). Three numbers come first. A
/// release then has the byte 3. A pre-release has its identifiers instead, each as 1 and a number, or as 2, the
/// characters and 0. If one version is a prefix of another, the prefix is less.
enum Versions {
  // SAFETY: A cell has the length of each number in front of it. Reading limits it to the bytes
  // that are left. Tests: VersionsTests.

  private enum Mark {
    static let endOfText: UInt8 = 0
    static let number: UInt8 = 1
    static let text: UInt8 = 2
    static let release: UInt8 = 3
  }

  /// The maximum number of digits of a number.
  private static let mostDigits = 255

  /// `version()`, whose operand is a string or a version.
  static func version(_ operands: Operands, _ arena: inout Arena) -> Cell {
    if operands[0].pointee.tag == Tag.version { return operands[0].pointee }
    guard let text = operands.text(0) else { return operands.refused }
    var bytes = ByteBuilder(in: &arena)
    guard read(text, into: &bytes, &arena) else { return Cell(fault: .conversion) }
    return bytes.finish(&arena, as: Tag.version)
  }

  // MARK: Parsing

  /// Parses a version such as `v1.2.3-rc.1+build`. Missing parts are 0, and leading zeros, `v` and everything after `+`
  /// have no effect.
  private static func read(
    _ text: ByteView, into bytes: inout ByteBuilder, _ arena: inout Arena
  ) -> Bool {
    var at = text.first.map { $0 | 0x20 == UInt8(ascii: "v") } == true ? 1 : 0
    for part in 0..<3 {
      if part > 0 {
        guard at < text.count, text[at] == UInt8(ascii: ".") else {
          bytes.append(0, &arena)
          continue
        }
        at += 1
      }
      let start = at
      while at < text.count, isDigit(text[at]) { at += 1 }
      let digits = ByteView(rebasing: text[start..<at])
      guard at > start, append(number: digits, to: &bytes, &arena) else { return false }
    }
    guard at < text.count, text[at] == UInt8(ascii: "-") else {
      bytes.append(Mark.release, &arena)
      return isBuild(text, from: at)
    }
    repeat {
      at += 1
      let start = at
      while at < text.count, isIdentifier(text[at]) { at += 1 }
      let identifier = ByteView(rebasing: text[start..<at])
      guard at > start, append(identifier: identifier, to: &bytes, &arena) else { return false }
    } while at < text.count && text[at] == UInt8(ascii: ".")
    return isBuild(text, from: at)
  }

  /// Whether the rest is empty, or `+` and identifiers.
  private static func isBuild(_ text: ByteView, from start: Int) -> Bool {
    guard start < text.count else { return true }
    guard text[start] == UInt8(ascii: "+") else { return false }
    var length = 0
    for byte in text[(start + 1)...] {
      if byte == UInt8(ascii: ".") {
        guard length > 0 else { return false }
        length = 0
      } else {
        guard isIdentifier(byte) else { return false }
        length += 1
      }
    }
    return length > 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func isIdentifier(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-")
  }

  private static func append(
    identifier: ByteView, to bytes: inout ByteBuilder, _ arena: inout Arena
  ) -> Bool {
    if identifier.allSatisfy(isDigit) {
      bytes.append(Mark.number, &arena)
      return append(number: identifier, to: &bytes, &arena)
    }
    bytes.append(Mark.text, &arena)
    bytes.append(identifier, &arena)
    bytes.append(Mark.endOfText, &arena)
    return true
  }

  private static func append(
    number digits: ByteView, to bytes: inout ByteBuilder, _ arena: inout Arena
  ) -> Bool {
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    let significant = ByteView(rebasing: digits[zeros...])
    guard significant.count <= mostDigits else { return false }
    bytes.append(UInt8(significant.count), &arena)
    bytes.append(significant, &arena)
    return true
  }

  // MARK: String form

  /// The string form of a version, without parts that have no effect: `1.10.0-rc.1`, for `string()`.
  static func text(_ version: Cell, _ arena: inout Arena) -> Cell {
    var text = ByteBuilder(in: &arena)
    append(version, to: &text, &arena)
    return text.finish(&arena)
  }

  /// Appends the string form of a version, as in ``text(_:_:)``.
  static func append(_ version: Cell, to text: inout ByteBuilder, _ arena: inout Arena) {
    let version = version.outsideBytes
    var at = 0
    for part in 0..<3 {
      if part > 0 { text.append(UInt8(ascii: "."), &arena) }
      appendNumber(version, &at, to: &text, &arena)
    }
    var separator = UInt8(ascii: "-")
    while at < version.count, version[at] != Mark.release {
      text.append(separator, &arena)
      separator = UInt8(ascii: ".")
      let mark = version[at]
      at += 1
      if mark == Mark.number {
        appendNumber(version, &at, to: &text, &arena)
      } else {
        let identifier = ByteView(rebasing: version[at...].prefix { $0 != Mark.endOfText })
        text.append(identifier, &arena)
        at += identifier.count + 1
      }
    }
  }

  private static func appendNumber(
    _ version: ByteView, _ at: inout Int, to text: inout ByteBuilder, _ arena: inout Arena
  ) {
    guard at < version.count else { return }
    let count = min(Int(version[at]), version.count - at - 1)
    if count == 0 { text.append(UInt8(ascii: "0"), &arena) }
    text.append(ByteView(rebasing: version[(at + 1)...].prefix(count)), &arena)
    at += 1 + count
  }
}
