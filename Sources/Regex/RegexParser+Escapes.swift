extension RegexParser {
  /// Parses an escape outside of classes.
  mutating func parseEscape() throws(RegexSyntaxError) {
    let start = position
    if let set = try parseClassEscape() {
      return append(node(for: set))
    }
    let next = position + 1 < bytes.count ? bytes[position + 1] : 0
    switch next {
    case UInt8(ascii: "A"): append(.assertion(.textStart))
    case UInt8(ascii: "z"): append(.assertion(.textEnd))
    case UInt8(ascii: "b"):
      append(.assertion(flags.unicode ? .unicodeWordBoundary : .wordBoundary))
    case UInt8(ascii: "B"):
      try requireUnicodeFlag(for: "\\B")
      append(.assertion(flags.unicode ? .notUnicodeWordBoundary : .notWordBoundary))
    case UInt8(ascii: "Q") where flavor == .re2:
      position = start + 2
      return appendQuoted()
    default:
      return appendLiteral(try parseScalarEscape())
    }
    position = start + 2
  }

  /// Parses literal text up to `\E` or the end.
  private mutating func appendQuoted() {
    while position < bytes.count {
      if isNext("\\"), isNext("E", offset: 1) {
        position += 2
        return
      }
      appendLiteral(nextScalar())
    }
  }

  /// Parses a backslash and a letter that mean a set, or returns nil.
  mutating func parseClassEscape() throws(RegexSyntaxError) -> RegexSet? {
    guard position + 1 < bytes.count else { return nil }
    let name = bytes[position + 1]
    switch name {
    case UInt8(ascii: "d"), UInt8(ascii: "s"), UInt8(ascii: "w"):
      position += 2
      return perlSet(name)
    case UInt8(ascii: "D"), UInt8(ascii: "S"), UInt8(ascii: "W"):
      let set = perlSet(name | 0x20).complement
      try requireUnicodeFlag(for: text(position..<position + 2))
      position += 2
      return set
    case UInt8(ascii: "p"), UInt8(ascii: "P"):
      return try parseProperty()
    default:
      return nil
    }
  }

  /// The set of `\d`, `\s` or `\w`.
  private mutating func perlSet(_ name: UInt8) -> RegexSet {
    if flags.unicode { return Self.unicodePerlSet(name) }
    switch name {
    case UInt8(ascii: "d"): return RegexSet(Self.asciiClass(named: "digit"))
    case UInt8(ascii: "w"): return folded(RegexSet(Self.asciiClass(named: "word")))
    default:
      // RE2's \s does not contain the vertical tab, and [[:space:]] does.
      let low: UInt32 = flavor == .re2 ? 0x0C : 0x0B
      return RegexSet([
        ScalarRange(low: 0x09, high: 0x0A), ScalarRange(low: low, high: 0x0D),
        ScalarRange(low: 0x20, high: 0x20),
      ])
    }
  }

  /// The sets of Perl classes for Unicode. These sets are closed under case folding.
  private static func unicodePerlSet(_ name: UInt8) -> RegexSet {
    switch name {
    case UInt8(ascii: "d"): return RegexSet([], categories: .decimalNumber)
    case UInt8(ascii: "w"): return RegexSet([], categories: .word)
    default:
      let spaces: [(UInt32, UInt32)] = [
        (0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680),
        (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
      ]
      return RegexSet(spaces.map { ScalarRange(low: $0.0, high: $0.1) })
    }
  }

  /// The set, folded if the case flag is set.
  mutating func folded(_ set: RegexSet) -> RegexSet {
    guard flags.foldsCase else { return set }
    if let known = foldedSets[set] { return known }
    let result = set.caseFolded
    foldedSets[set] = result
    return result
  }
}

// MARK: - Single code points

extension RegexParser {
  /// Parses an escape that means one code point, inside or outside of classes.
  mutating func parseScalarEscape() throws(RegexSyntaxError) -> UInt32 {
    let start = position
    guard position + 1 < bytes.count else {
      throw RegexSyntaxError(
        .trailingBackslash, at: start..<start + 1, "a backslash ends the pattern",
        suggestion: "write \\\\ for the character itself")
    }
    let byte = bytes[position + 1]
    position += 2
    switch byte {
    case UInt8(ascii: "a"): return 0x07
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "v"): return 0x0B
    case UInt8(ascii: "x"): return try parseHex(digits: 2, start: start)
    case UInt8(ascii: "u") where flavor == .rust: return try parseHex(digits: 4, start: start)
    case UInt8(ascii: "U") where flavor == .rust: return try parseHex(digits: 8, start: start)
    case UInt8(ascii: "0")...UInt8(ascii: "7") where flavor == .re2:
      return try parseOctal(start: start)
    case UInt8(ascii: "<"), UInt8(ascii: ">"):
      guard flavor == .re2 else { try refuseEscape(start: start) }
      return UInt32(byte)
    case 0..<0x80 where !Self.isWord(byte) || (byte == UInt8(ascii: "_") && flavor == .re2):
      return UInt32(byte)
    default: try refuseEscape(start: start)
    }
  }

  /// Parses one to three octal digits. A single digit would be a back-reference in other languages.
  private mutating func parseOctal(start: Int) throws(RegexSyntaxError) -> UInt32 {
    var value = UInt32(bytes[start + 1] - 0x30)
    var width = 1
    while width < 3, position < bytes.count, (0x30...0x37).contains(bytes[position]) {
      value = value * 8 + UInt32(bytes[position] - 0x30)
      position += 1
      width += 1
    }
    if width == 1, value > 0 { try refuseEscape(start: start) }
    return value
  }

  /// Parses a fixed number of hexadecimal digits, or any number in braces.
  private mutating func parseHex(
    digits: Int, start: Int
  ) throws(RegexSyntaxError) -> UInt32 {
    let inBraces = skip("{")
    let from = position
    var value: UInt32 = 0
    while position < bytes.count, inBraces || position - from < digits,
      let digit = Self.hexDigit(bytes[position])
    {
      value = min(value << 4 | digit, 0x0FFF_FFFF)
      position += 1
    }
    let count = position - from
    let isComplete = inBraces ? count > 0 && skip("}") : count == digits
    guard isComplete else {
      throw RegexSyntaxError(
        .badCodePoint, at: start..<position, "hexadecimal digits are missing",
        suggestion: "write \\x7F or \\x{10FFFF}")
    }
    let isSurrogate = (0xD800...0xDFFF).contains(value)
    guard value <= 0x10_FFFF, !(isSurrogate && flavor == .rust) else {
      throw RegexSyntaxError(
        .badCodePoint, at: start..<position,
        "\(text(start..<position)) is not a Unicode character",
        suggestion: "the highest is \\x{10FFFF}")
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x37)
    case 0x61...0x66: UInt32(byte - 0x57)
    default: nil
    }
  }

  /// Reports why this character must not follow a backslash.
  private func refuseEscape(start: Int) throws(RegexSyntaxError) -> Never {
    var end = start + 2
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let written = text(start..<end)
    let advice: String?
    switch bytes[start + 1] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "k"), UInt8(ascii: "g"):
      throw RegexSyntaxError(
        .backReference, at: start..<end, "\(flavor.name) has no back-references",
        suggestion: "write \\x{..} for a character by its number")
    case UInt8(ascii: "C"):
      throw RegexSyntaxError(
        .anyByte, at: start..<end, "\\C would match a part of a character",
        suggestion: "write (?s:.) for any character")
    case UInt8(ascii: "Z"): advice = "write \\z for the end of the text"
    case UInt8(ascii: "G"): advice = "write \\A for the start of the text"
    case UInt8(ascii: "h"): advice = "write [ \\t] for a blank"
    case UInt8(ascii: "R"): advice = "write (?:\\r\\n|\\n|\\r) for a line break"
    case UInt8(ascii: "N"): advice = "write . for anything but a newline"
    case UInt8(ascii: "e"): advice = "write \\x1B for the escape character"
    case UInt8(ascii: "b"): advice = "write \\x08 for a backspace"
    case UInt8(ascii: "u"): advice = "write \\x{..} for a character by its number"
    case UInt8(ascii: "K"): advice = "put what you want to find in a group"
    default: advice = Self.isWord(bytes[start + 1]) ? nil : "remove the backslash"
    }
    throw RegexSyntaxError(
      .unknownEscape, at: start..<end, "\(written) has no meaning here", suggestion: advice)
  }
}

// MARK: - Properties

extension RegexParser {
  /// Parses `\pN`, `\p{Name}`, `\P..` or `\p{^Name}`.
  private mutating func parseProperty() throws(RegexSyntaxError) -> RegexSet {
    let start = position
    var isNegated = bytes[position + 1] == UInt8(ascii: "P")
    position += 2
    var name: Range<Int>
    if skip("{") {
      if skip("^") { isNegated.toggle() }
      let from = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "}") { position += 1 }
      name = from..<position
      guard skip("}") else {
        throw RegexSyntaxError(
          .unknownProperty, at: start..<position, "the name of the property never ends",
          suggestion: "write \\p{Lu}")
      }
    } else {
      guard position < bytes.count else {
        throw RegexSyntaxError(
          .unknownProperty, at: start..<position, "the name of a property is missing",
          suggestion: "write \\pL or \\p{Lu}")
      }
      let from = position
      _ = nextScalar()
      name = from..<position
    }
    let set = folded(try property(named: text(name), at: start..<position))
    return isNegated ? set.complement : set
  }

  private func property(
    named name: String, at range: Range<Int>
  ) throws(RegexSyntaxError) -> RegexSet {
    if let set = flavor == .re2 ? Self.exactProperty(name) : Self.looseProperty(name) {
      return set
    }
    guard name.utf8.count <= 2 || name.utf8.contains(where: { !Self.isWord($0) && $0 != 0x20 })
    else {
      throw RegexSyntaxError(
        .unsupportedProperty, at: range, "there is no category or known script named \(name)",
        suggestion: "known are categories such as Lu, and "
          + RegexScripts.names.joined(separator: " "))
    }
    throw RegexSyntaxError(
      .unknownProperty, at: range, "there is no category named \(name)",
      suggestion: "categories are L, Lu, Ll, Nd, P and so on")
  }

  private static func exactProperty(_ name: String) -> RegexSet? {
    if name == "Any" { return .everything }
    // RE2's C does not include unassigned code points, and it has no name for these.
    if name == "C" {
      return RegexSet([], categories: RegexCategories.other.subtracting(.unassigned))
    }
    if name != "Cn", let entry = RegexCategories.names.first(where: { $0.name == name }) {
      return RegexSet([], categories: entry.categories)
    }
    return RegexScripts.ranges(named: name).map { RegexSet($0) }
  }

  /// The property with this name in Rust's flavor, which ignores case, blanks, hyphens and underscores.
  private static func looseProperty(_ name: String) -> RegexSet? {
    var value = name
    if let equals = name.firstIndex(where: { $0 == "=" || $0 == ":" }) {
      let key = loosened(String(name[..<equals]))
      guard ["gc", "generalcategory", "sc", "script"].contains(key) else { return nil }
      value = String(name[name.index(after: equals)...])
    }
    let wanted = loosened(value)
    switch wanted {
    case "any": return .everything
    case "ascii": return RegexSet([ScalarRange(low: 0, high: 0x7F)])
    case "assigned":
      return RegexSet([], categories: RegexCategories.all.subtracting(.unassigned))
    case "whitespace", "wspace", "space": return unicodePerlSet(UInt8(ascii: "s"))
    case "lc", "casedletter": return RegexSet([], categories: .casedLetter)
    default: break
    }
    let short = RegexCategories.longNames[wanted] ?? wanted
    if let entry = RegexCategories.names.first(where: { loosened($0.name) == loosened(short) }) {
      return RegexSet([], categories: entry.categories)
    }
    let script = RegexScripts.names.first { loosened($0) == wanted }
    return script.flatMap { RegexScripts.ranges(named: $0) }.map { RegexSet($0) }
  }

  private static func loosened(_ name: String) -> String {
    String(name.lowercased().unicodeScalars.filter { !" _-".unicodeScalars.contains($0) })
  }
}
