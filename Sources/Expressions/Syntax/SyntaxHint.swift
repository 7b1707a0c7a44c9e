/// Guesses the intended expression behind invalid code, in any dialect.
enum SyntaxHint {
  /// The replacement for a single '='.
  ///
  /// - Parameter next: the byte after the '='.
  static func equals(before next: UInt8) -> String {
    switch next {
    case UInt8(ascii: ">"): "did you mean '>='?"
    case UInt8(ascii: "<"): "did you mean '<='?"
    case UInt8(ascii: "~"): "write a.matches(pattern)"
    default: "write '==' to compare"
    }
  }

  /// The replacement for a word that is an operator in other languages.
  static func `operator`(called word: String) -> String? {
    switch word.lowercased() {
    case "and": "write '&&'"
    case "or": "write '||'"
    case "not": "write '!'"
    case "in": "write 'in' in small letters"
    case "eq", "is", "equals": "write '=='"
    case "ne", "neq": "write '!='"
    case "gt": "write '>'"
    case "gte", "ge": "write '>='"
    case "lt": "write '<'"
    case "lte", "le": "write '<='"
    case "mod": "write '%'"
    case "div": "write '/'"
    case "like", "ilike", "rlike", "matches": "write a.matches(pattern)"
    case "contains": "write a.contains(part)"
    case "startswith", "beginswith": "write a.startsWith(part)"
    case "endswith": "write a.endsWith(part)"
    case "between": "write a >= from && a <= to"
    case "then", "else": "write condition ? a : b"
    default: nil
    }
  }

  /// The hint for a word where an operator is expected, depending on the code after it.
  ///
  /// - Returns: the operator, which may include the next word, its number of bytes, and the help.
  static func `operator`(called word: String, before rest: String)
    -> (words: String, count: Int, help: String)?
  {
    let next = rest.split(maxSplits: 3) { !$0.isLetter }.prefix(2).map { $0.lowercased() }
    let nothing: Set = ["null", "nil", "none", "undefined", "empty"]
    let isNothing = next.last.map(nothing.contains) ?? false
    let help: String? =
      switch (word.lowercased(), next.first) {
      case ("is", "not"):
        isNothing ? "write has(user.plan) to test whether the attribute exists" : "write '!='"
      case ("is", let next?) where nothing.contains(next):
        "write !has(user.plan) to test whether the attribute is missing"
      case ("not", "in"): "write !(a in list)"
      case ("not", "like"): "write !a.matches(pattern)"
      case ("not", "contains"): "write !a.contains(part)"
      default: nil
      }
    guard let help else {
      return self.operator(called: word).map { (word, word.utf8.count, $0) }
    }
    let space = rest.prefix { !$0.isLetter }
    let second = rest[space.endIndex...].prefix { $0.isLetter }
    let count = word.utf8.count + space.utf8.count + second.utf8.count
    return ("\(word) \(second)", count, help)
  }

  /// The replacement for a name that is a value in other languages, or nil if there is none.
  static func value(called name: String) -> String? {
    switch name.lowercased() {
    case "null", "nil", "none", "undefined", "nothing":
      "write null, or has(user.plan) to test whether the attribute exists"
    case "true", "yes": "write true"
    case "false", "no": "write false"
    default: nil
    }
  }

  /// The hint for a name that is not a root.
  ///
  /// - Parameters:
  ///   - before: the source up to the name.
  ///   - known: the roots first, then other names.
  static func name(_ name: String, behind before: String, known: [String]) -> String {
    if let value = value(called: name) { return value }
    if let close = Suggestion.closest(to: name, among: known) { return "did you mean '\(close)'?" }
    let all = "expressions can read \(known.joined(separator: ", "))"
    let trimmed = before.reversed().drop { $0.isWhitespace || $0 == "(" }
    if let last = trimmed.first, last == "=" || last == "[" {
      return "a string is written in quotes, \"\(name)\"; \(all)"
    }
    if before.last == "-",
      let path = before.dropLast().split(whereSeparator: { $0.isPathEnd }).last,
      let dot = path.lastIndex(of: "."), before.dropLast().hasSuffix(path)
    {
      let key = path[path.index(after: dot)...] + "-" + name
      return "\(all); a name with a '-' is written \(path[..<dot])[\"\(key)\"]"
    }
    guard let root = known.first, name.first?.isLowercase == true else { return all }
    return "did you mean '\(root).\(name)'? \(all)"
  }

  /// The hint for a missing operator after a string. If a quote is missing, the string may have swallowed the code
  /// between two strings.
  ///
  /// - Parameters:
  ///   - token: the token where the operator is expected.
  ///   - string: the token before it.
  static func quote(before token: Token, behind string: Token?, in source: ByteView) -> String? {
    // SAFETY: The token's range is compared with the count, and the view is not stored.
    // Tests: SyntaxHintTests, fuzz parser.
    guard let string, string.kind == .string, string.to <= source.count else { return nil }
    let content = source[string.from..<string.to]
    let operators = ["&&", "||", "==", "!=", "<=", ">="]
    let holdsCode = operators.contains { text in
      content.indices.contains { content[$0...].starts(with: text.utf8) }
    }
    let isBeside =
      string.to == token.from && (token.kind.startsOperand || token.kind == .invalid)
    guard holdsCode || isBeside else { return nil }
    let (from, to) = (
      SourcePosition(offset: string.from, in: source).column,
      SourcePosition(offset: string.to - 1, in: source).column
    )
    let quote = source[string.to - 1] == UInt8(ascii: "'") ? "'" : "\""
    return "the string before it goes from column \(from) to \(to) of the expression; is a quote "
      + "missing?" + (holdsCode ? "" : " Within a string it is written \\\(quote)")
  }
}

extension Character {
  /// Whether a dotted path ends before this character.
  fileprivate var isPathEnd: Bool { !isLetter && !isNumber && self != "." && self != "_" }
}
