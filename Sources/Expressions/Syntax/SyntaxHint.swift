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

  /// What to say of a word in the place of an operator, by what follows it.
  ///
  /// - Returns: the operator, which may be the next word too, how many bytes it has, and the help.
  static func `operator`(called word: String, before rest: String)
    -> (words: String, count: Int, help: String)?
  {
    let next = rest.split(maxSplits: 3) { !$0.isLetter }.prefix(2).map { $0.lowercased() }
    let nothing: Set = ["null", "nil", "none", "undefined", "empty"]
    let isNothing = next.last.map(nothing.contains) ?? false
    let help: String? =
      switch (word.lowercased(), next.first) {
      case ("is", "not"):
        isNothing ? "write has(user.plan) to ask whether there is a value" : "write '!='"
      case ("is", let next?) where nothing.contains(next):
        "write !has(user.plan) to ask whether there is no value"
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

  /// What to write in place of a name that other languages have as a value; nil when none has.
  static func value(called name: String) -> String? {
    switch name.lowercased() {
    case "null", "nil", "none", "undefined", "nothing":
      "write null, or has(user.plan) to ask whether there is a value"
    case "true", "yes": "write true"
    case "false", "no": "write false"
    default: nil
    }
  }

  /// What to say of a name that is none of the roots.
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
    if before.last == "-", let path = before.dropLast().split(whereSeparator: \.isPathEnd).last,
      let dot = path.lastIndex(of: "."), before.dropLast().hasSuffix(path)
    {
      let key = path[path.index(after: dot)...] + "-" + name
      return "\(all); a name with a '-' is written \(path[..<dot])[\"\(key)\"]"
    }
    guard let root = known.first, name.first?.isLowercase == true else { return all }
    return "did you mean '\(root).\(name)'? \(all)"
  }

  /// Where an operator must come behind a string: the string may have swallowed what was meant to be
  /// between two, because a quote is missing.
  ///
  /// - Parameters:
  ///   - token: what stands in the operator's place.
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
  /// Whether a path of names with dots ends before it.
  fileprivate var isPathEnd: Bool { !isLetter && !isNumber && self != "." && self != "_" }
}
