/// What to say of a character that no token begins with.
enum CharacterHint {
  /// The message and, where there is something to write instead, the help.
  static func text(_ character: ByteView) -> (message: String, help: String?) {
    let text = String(decoding: character, as: UTF8.self)
    guard let scalar = text.unicodeScalars.first else { return ("this has no meaning here", nil) }
    switch text {
    case "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}", "\u{201A}", "\u{AB}", "\u{BB}":
      return ("curly quotes do not begin a string", "use straight quotes")
    case "`": return ("'`' does not begin a string", "use \" or '")
    case ";": return ("an expression has no ';'", "remove it")
    case "$", "@": return ("a name has no '\(text)'", "remove it")
    case "^": return ("'^' is not an operator", "write a * a for a power")
    case "~": return ("'~' is not an operator", "write a.matches(pattern)")
    case "\\": return ("a '\\' stands in strings only", "remove it")
    case "\u{2013}", "\u{2014}", "\u{2212}": return ("'\(text)' is not an operator", "write '-'")
    case "\u{2260}": return ("'\(text)' is not an operator", "write '!='")
    case "\u{2264}": return ("'\(text)' is not an operator", "write '<='")
    case "\u{2265}": return ("'\(text)' is not an operator", "write '>='")
    case "\u{D7}": return ("'\(text)' is not an operator", "write '*'")
    case "\u{F7}": return ("'\(text)' is not an operator", "write '/'")
    case "\u{2227}": return ("'\(text)' is not an operator", "write '&&'")
    case "\u{2228}": return ("'\(text)' is not an operator", "write '||'")
    case "\u{AC}": return ("'\(text)' is not an operator", "write '!'")
    default: return other(scalar)
    }
  }

  private static func other(_ scalar: Unicode.Scalar) -> (message: String, help: String?) {
    let number = "U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator:
      return ("this is a special space (\(number))", "write a plain space")
    case .format, .control, .nonspacingMark, .enclosingMark:
      return ("an invisible character stands here (\(number))", "remove it")
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
