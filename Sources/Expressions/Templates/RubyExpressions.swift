/// Expressions as Shopify's implementation parses them in strict mode.
extension ExpressionReader {
  // SAFETY: The view of a number is between two places of the cursor, and is converted immediately.
  // Tests: RenderingTests.

  /// Parses a value with filters, up to the end. An empty output is null.
  mutating func rubyOutput(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    markup.skipSpace()
    if markup.isAtEnd { return tree.add(.null, markup.at, markup.at) }
    let from = markup.at
    var value = try rubyValue(&markup, into: &tree)
    markup.skipSpace()
    var count = 0
    while markup.take(UInt8(ascii: "|")) {
      count += 1
      if count > limits.filters { throw limit("a value has too many filters", markup) }
      markup.skipSpace()
      guard let name = rubyName(&markup) else { throw markup.expected("a filter's name") }
      markup.skipSpace()
      var arguments: [UInt32] = []
      if markup.take(UInt8(ascii: ":")) {
        repeat {
          arguments.append(try rubyArgument(&markup, into: &tree))
          markup.skipSpace()
        } while markup.take(UInt8(ascii: ","))
      }
      value = filtered(value, by: name, arguments[...], from, markup.at, markup, into: &tree)
    }
    guard markup.isAtEnd else {
      throw markup.expected("a filter or the end", "write {{ value | filter }}")
    }
    return value
  }

  private mutating func rubyArgument(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    markup.skipSpace()
    let mark = markup.at
    if let name = rubyName(&markup) {
      markup.skipSpace()
      if markup.take(UInt8(ascii: ":")) {
        let value = try rubyValue(&markup, into: &tree)
        return tree.add(.keyword, mark, markup.at, name.from, name.count, value)
      }
    }
    markup.at = mark
    return try rubyValue(&markup, into: &tree)
  }

  /// Reads a name: a letter or an underscore, then word characters and hyphens, then optionally a question mark.
  func rubyName(_ markup: inout Markup) -> TemplateTree.Bytes? {
    let start = markup.at
    guard Markup.isWord(markup.peek()), !Markup.isDigit(markup.peek()) else { return nil }
    while Markup.isWord(markup.peek()) || markup.peek() == UInt8(ascii: "-") { markup.at += 1 }
    if markup.peek() == UInt8(ascii: "?") { markup.at += 1 }
    return TemplateTree.Bytes(start, markup.at)
  }

  mutating func rubyValue(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    try enter(markup)
    defer { depth -= 1 }
    markup.skipSpace()
    let start = markup.at
    switch markup.peek() {
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      let quote = markup.peek()
      var end = start + 1
      while end < markup.end, markup.source[end] != quote { end += 1 }
      guard end < markup.end else { throw markup.error("the string is not closed") }
      markup.at = end + 1
      return tree.add(.string, start, end + 1, UInt32(start + 1), UInt32(end - start - 1))
    case UInt8(ascii: "("):
      markup.at += 1
      let first = try rubyValue(&markup, into: &tree)
      markup.skipSpace()
      guard markup.take(UInt8(ascii: ".")), markup.take(UInt8(ascii: ".")) else {
        throw markup.expected("'..'", "write a range as (1..5)")
      }
      let last = try rubyValue(&markup, into: &tree)
      markup.skipSpace()
      guard markup.take(UInt8(ascii: ")")) else { throw markup.expected("')'") }
      return tree.add(.range, start, markup.at, first, last)
    case UInt8(ascii: "["):
      markup.at += 1
      let key = try rubyValue(&markup, into: &tree)
      markup.skipSpace()
      guard markup.take(UInt8(ascii: "]")) else { throw markup.expected("']'") }
      let root = tree.add(.variable, start, markup.at, key)
      return try rubyPath([root], start, &markup, into: &tree)
    case let byte
    where Markup.isDigit(byte) || byte == UInt8(ascii: "-") && Markup.isDigit(markup.peek(1)):
      markup.at += 1
      while Markup.isDigit(markup.peek()) { markup.at += 1 }
      if markup.peek() == UInt8(ascii: "."), Markup.isDigit(markup.peek(1)) {
        markup.at += 1
        while Markup.isDigit(markup.peek()) { markup.at += 1 }
      }
      return number(
        ByteView(rebasing: markup.source[start..<markup.at]), start, markup.at, into: &tree)
    default:
      guard let name = rubyName(&markup) else { throw markup.expected("a value") }
      let segment = { (tree: inout TemplateTree) in
        tree.add(.name, Int(name.from), Int(name.from + name.count), name.from, name.count)
      }
      let mark = markup.at
      markup.skipSpace()
      let next = markup.peek()
      let hasMore =
        next == UInt8(ascii: "[")
        || next == UInt8(ascii: ".") && markup.peek(1) != UInt8(ascii: ".")
      if !hasMore {
        markup.at = mark
        if let literal = literal(markup.bytes(name), start, mark, into: &tree) { return literal }
      }
      return try rubyPath([segment(&tree)], start, &markup, into: &tree)
    }
  }

  private mutating func rubyPath(
    _ first: [UInt32], _ start: Int, _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    var segments = first
    while true {
      let mark = markup.at
      markup.skipSpace()
      if segments.count > limits.pathNames { throw limit("a path has too many names", markup) }
      if markup.take(UInt8(ascii: "[")) {
        segments.append(try rubyValue(&markup, into: &tree))
        markup.skipSpace()
        guard markup.take(UInt8(ascii: "]")) else { throw markup.expected("']'") }
      } else if markup.peek() == UInt8(ascii: "."), markup.peek(1) != UInt8(ascii: ".") {
        markup.at += 1
        markup.skipSpace()
        guard let name = rubyName(&markup) else { throw markup.expected("a name after '.'") }
        segments.append(
          tree.add(.name, Int(name.from), Int(name.from + name.count), name.from, name.count))
      } else {
        markup.at = mark
        break
      }
    }
    let list = tree.add(list: segments)
    return tree.add(.path, start, markup.at, list)
  }

  // MARK: Conditions

  /// Parses comparisons with `and` and `or`, which group from the right.
  mutating func rubyCondition(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    try enter(markup)
    defer { depth -= 1 }
    let start = markup.at
    let left = try rubyComparison(&markup, into: &tree)
    markup.skipSpace()
    let isAnd = markup.take(word: "and")
    guard isAnd || markup.take(word: "or") else { return left }
    let right = try rubyCondition(&markup, into: &tree)
    return tree.add(isAnd ? .and : .or, start, markup.at, left, right)
  }

  private mutating func rubyComparison(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    markup.skipSpace()
    let start = markup.at
    let left = try rubyValue(&markup, into: &tree)
    markup.skipSpace()
    guard let relation = relation(&markup) else { return left }
    let right = try rubyValue(&markup, into: &tree)
    return tree.add(.compare, start, markup.at, left, right, UInt32(relation.rawValue))
  }

  /// The operator at the current place.
  func relation(_ markup: inout Markup) -> LiquidRelation? {
    let (first, second) = (markup.peek(), markup.peek(1))
    let hasEqual = second == UInt8(ascii: "=")
    switch first {
    case UInt8(ascii: "=") where hasEqual:
      markup.at += 2
      return .equal
    case UInt8(ascii: "!") where hasEqual:
      markup.at += 2
      return .notEqual
    case UInt8(ascii: "<"):
      if second == UInt8(ascii: ">"), dialect.syntax == .ruby {
        markup.at += 2
        return .notEqual
      }
      markup.at += hasEqual ? 2 : 1
      return hasEqual ? .lessOrEqual : .less
    case UInt8(ascii: ">"):
      markup.at += hasEqual ? 2 : 1
      return hasEqual ? .greaterOrEqual : .greater
    case UInt8(ascii: "c"):
      let mark = markup.at
      guard markup.take(word: "contains") else { return nil }
      if dialect.syntax == .ruby, !LiquidConversions.isSpace(markup.peek()) {
        markup.at = mark
        return nil
      }
      return .contains
    default: return nil
    }
  }
}
