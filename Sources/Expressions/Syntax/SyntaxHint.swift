/// What somebody may have meant who wrote something that is not an expression, in any dialect.
enum SyntaxHint {
  /// What to write in place of a single '='.
  ///
  /// - Parameter next: the byte behind it.
  static func equals(before next: UInt8) -> String {
    switch next {
    case UInt8(ascii: ">"): "did you mean '>='?"
    case UInt8(ascii: "<"): "did you mean '<='?"
    case UInt8(ascii: "~"): "write a.matches(pattern)"
    default: "write '==' to compare"
    }
  }

  /// What to write in place of a word that other languages have as an operator.
  static func `operator`(called word: String) -> String? {
    switch word.lowercased() {
    case "and": "write '&&'"
    case "or": "write '||'"
    case "not": "write '!'"
    case "eq", "is", "equals": "write '=='"
    case "ne", "neq": "write '!='"
    case "like", "matches": "write a.matches(pattern)"
    case "contains": "write a.contains(part)"
    default: nil
    }
  }

  /// Whether a character is a quote that word processors write.
  static func isCurlyQuote(_ character: ByteView) -> Bool {
    ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}"].contains { $0.utf8.elementsEqual(character) }
  }

  /// Where an operator must come behind a string: the string may have swallowed what was meant to be
  /// between two, because a quote is missing.
  ///
  /// - Parameters:
  ///   - token: what stands in the operator's place.
  ///   - string: the token before it.
  static func quote(before token: Token, behind string: Token?, in source: ByteView) -> String? {
    guard let string, string.kind == .string, string.to <= source.count else { return nil }
    let content = source[string.from..<string.to]
    let operators = ["&&", "||", "==", "!=", "<=", ">="]
    let holdsCode = operators.contains { text in
      content.indices.contains { content[$0...].starts(with: text.utf8) }
    }
    guard holdsCode || string.to == token.from else { return nil }
    let (from, to) = (
      SourcePosition(offset: string.from, in: source).column,
      SourcePosition(offset: string.to - 1, in: source).column
    )
    return
      "the string before it goes from column \(from) to \(to) of the expression; is a quote missing?"
  }
}
