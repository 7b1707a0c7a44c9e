extension RegexParser {
  /// Parses an opening parenthesis and its flags or name.
  mutating func openGroup() throws(RegexSyntaxError) {
    let start = position
    let outerFlags = flags
    position += 1
    if isNext("*"), position + 1 < bytes.count, Self.isWord(bytes[position + 1]) {
      throw RegexSyntaxError(.verb, at: start..<position + 1, "\(flavor.name) has no (*VERBS)")
    }
    guard skip("?") else {
      groupNames.append(nil)
      return try pushGroup(index: groupNames.count - 1, start: start, outerFlags: outerFlags)
    }
    try refuseForeignGroup(start: start)
    let isNamed =
      isNext("<") || (isNext("P") && isNext("<", offset: 1))
    if isNamed {
      position += isNext("P") ? 2 : 1
      let name = try parseGroupName(start: start)
      groupNames.append(name)
      return try pushGroup(index: groupNames.count - 1, start: start, outerFlags: outerFlags)
    }
    if try parseFlags(start: start) {
      try pushGroup(index: nil, start: start, outerFlags: outerFlags)
    }
  }

  /// Parses the name of a group and the bracket after it.
  private mutating func parseGroupName(start: Int) throws(RegexSyntaxError) -> String {
    let from = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") { position += 1 }
    let name = from..<position
    let mayBegin = name.isEmpty || flavor == .re2 || !(0x30...0x39).contains(bytes[from])
    guard position < bytes.count, !name.isEmpty, mayBegin, bytes[name].allSatisfy(Self.isWord)
    else {
      throw RegexSyntaxError(
        .badGroupName, at: start..<min(position + 1, bytes.count),
        "a group's name has letters, digits and underscores and ends with >",
        suggestion: "write (?P<name>..)")
    }
    position += 1
    let text = text(name)
    guard !groupNames.contains(text) else {
      throw RegexSyntaxError(
        .duplicateGroupName, at: name, "there is already a group named \(text)",
        suggestion: "give every group its own name")
    }
    return text
  }

  /// Parses flags up to a colon (true: a group follows) or a parenthesis (false: they apply to the rest of the enclosing group).
  private mutating func parseFlags(start: Int) throws(RegexSyntaxError) -> Bool {
    var isOn = true
    var changed = false
    var hasMinus = false
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "i"): flags.foldsCase = isOn
      case UInt8(ascii: "m"): flags.multiLine = isOn
      case UInt8(ascii: "s"): flags.dotMatchesNewline = isOn
      case UInt8(ascii: "U"): flags.swapsGreed = isOn
      case UInt8(ascii: "x") where flavor == .rust: flags.extended = isOn
      case UInt8(ascii: "u") where flavor == .rust: flags.unicode = isOn
      case UInt8(ascii: "-") where !hasMinus:
        hasMinus = true
        isOn = false
        changed = false
        continue
      case UInt8(ascii: ":") where changed || !hasMinus: return true
      case UInt8(ascii: ")") where changed || (flavor == .re2 && !hasMinus):
        try refuseRepeatedFlags()
        return false
      default: try refuseFlag(at: start..<position)
      }
      changed = true
    }
    throw RegexSyntaxError(
      .missingParenthesis, at: start..<bytes.count, "this group is never closed",
      suggestion: "write (?i) or (?i:..)")
  }

  /// Rejects a repetition after flags in Rust's flavor. RE2 repeats the part before the flags.
  private func refuseRepeatedFlags() throws(RegexSyntaxError) {
    guard flavor == .rust, position < bytes.count, "*+?{".utf8.contains(bytes[position]) else {
      return
    }
    throw RegexSyntaxError(
      .missingRepeatArgument, at: position..<position + 1, "flags cannot be repeated")
  }

  private func refuseFlag(at range: Range<Int>) throws(RegexSyntaxError) -> Never {
    // The last byte may be the first byte of a longer character.
    var end = range.upperBound
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    throw RegexSyntaxError(
      .unknownFlag, at: range.lowerBound..<end,
      "there is no flag or group of the form "
        + text(range.lowerBound..<end),
      suggestion: flavor == .re2
        ? "flags are i, m, s and U; groups are (..), (?:..) and (?P<name>..)"
        : "flags are i, m, s, U, u and x; groups are (..), (?:..) and (?P<name>..)")
  }

  /// Reports a kind of group that RE2 does not have, by its name in other languages.
  private func refuseForeignGroup(start: Int) throws(RegexSyntaxError) {
    let rest = bytes[position...].prefix(2).map { Unicode.Scalar($0) }
    guard let first = rest.first else { return }
    let second = rest.count > 1 ? rest[1] : nil
    let (code, what, advice): (RegexSyntaxError.Code, String, String?)
    switch (first, second) {
    case ("=", _), ("!", _):
      (code, what, advice) = (.lookAround, "look-ahead", Self.lookAroundAdvice)
    case ("<", "="), ("<", "!"):
      (code, what, advice) = (.lookAround, "look-behind", Self.lookAroundAdvice)
    case (">", _):
      (code, what, advice) = (.atomicGroup, "atomic groups", "write (?:..)")
    case ("P", "="):
      (code, what, advice) = (.backReference, "back-references", nil)
    case ("P", ">"), ("R", _), ("&", _), ("+", _), ("0"..."9", _), ("-", .some("0"..."9")):
      (code, what, advice) = (.recursion, "recursion", nil)
    case ("(", _):
      (code, what, advice) = (.conditional, "conditional groups", "write an alternation: (?:a|b)")
    case ("C", _):
      (code, what, advice) = (.callout, "callouts", nil)
    case ("|", _):
      (code, what, advice) = (.branchReset, "branch reset groups", "write (?:a|b)")
    case ("#", _):
      (code, what, advice) = (.comment, "comments", "leave the comment out")
    case ("'", _):
      (code, what, advice) = (.badGroupName, "names in quotes", "write (?P<name>..)")
    default: return
    }
    let width = second.map { "=!>".unicodeScalars.contains($0) ? 2 : 1 } ?? 1
    throw RegexSyntaxError(
      code, at: start..<position + width, "\(flavor.name) has no \(what)", suggestion: advice)
  }

  private static let lookAroundAdvice =
    "test both conditions with two calls of matches(), joined with && or !"

  /// Whether the byte is an ASCII letter, a digit or an underscore.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    default: false
    }
  }
}
