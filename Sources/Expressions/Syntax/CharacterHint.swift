/// Messages for a character that cannot begin a token.
enum CharacterHint {
  /// The message and, if there is a replacement, the help.
  static func text(_ character: ByteView) -> (message: String, help: String?) {
    // SAFETY: The view is copied into a string at once. Tests: SyntaxHintTests.
    let text = String(decoding: character, as: UTF8.self)
    guard let scalar = text.unicodeScalars.first else { return ("this has no meaning here", nil) }
    if curlyQuotes.contains(scalar) {
      return ("curly quotes do not begin a string", "use straight quotes")
    }
    if let meant = operators[scalar] { return ("'\(text)' is not an operator", "write \(meant)") }
    switch scalar {
    case "`": return ("'`' does not begin a string", "use \" or '")
    case ";": return ("an expression cannot contain ';'", "remove it")
    case "$", "@": return ("a name cannot contain '\(text)'", "remove it")
    case "\\": return ("a '\\' is only allowed in strings", "remove it")
    default: return other(scalar)
    }
  }

  /// Quotes that word processors and keyboards insert instead of straight quotes.
  static let curlyQuotes: Set<Unicode.Scalar> = [
    "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}", "\u{201A}", "\u{AB}", "\u{BB}",
  ]

  /// Mathematical signs, and operators of other languages, with their replacements.
  private static let operators: [Unicode.Scalar: String] = [
    "^": "a * a for a power", "~": "a.matches(pattern)",
    "\u{2013}": "'-'", "\u{2014}": "'-'", "\u{2212}": "'-'", "\u{D7}": "'*'", "\u{F7}": "'/'",
    "\u{2260}": "'!='", "\u{2264}": "'<='", "\u{2265}": "'>='",
    "\u{2227}": "'&&'", "\u{2228}": "'||'", "\u{AC}": "'!'",
  ]

  private static func other(_ scalar: Unicode.Scalar) -> (message: String, help: String?) {
    let number = "U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator:
      return ("this is a special space (\(number))", "write a plain space")
    case .format, .control, .nonspacingMark, .enclosingMark:
      return ("this is an invisible character (\(number))", "remove it")
    case _ where scalar.properties.isAlphabetic:
      return (
        "'\(scalar)' cannot be part of a name",
        "write such a key in brackets, as in user[\"größe\"]"
      )
    default: return ("'\(scalar)' has no meaning outside a string", nil)
    }
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}
