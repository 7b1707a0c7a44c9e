/// Expressions in the syntax of liquidjs.
extension ExpressionReader {
  // SAFETY: Views are parts of the template's source, between places that were compared with
  // `markup.end`. The tree stores offsets, or copies of strings with escapes.
  // Tests: RenderingTests, HostileTemplateTests.

  /// Parses a value with operators and filters, up to the end.
  mutating func javaScriptOutput(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    markup.skipSpace()
    let from = markup.at
    var plain = plainPath(&markup, into: &tree)
    if plain == nil { plain = try javaScriptExpression(&markup, into: &tree) }
    guard var value = plain else {
      throw markup.expected("a value", "write a path such as user.name")
    }
    var count = 0
    while true {
      markup.skipSpace()
      if markup.isAtEnd { return value }
      guard markup.take(UInt8(ascii: "|")) else {
        throw markup.expected("'|' before a filter")
      }
      count += 1
      if count > limits.filters { throw limit("a value has too many filters", markup) }
      markup.skipSpace()
      let name = javaScriptName(&markup)
      guard name.count > 0 else {
        if markup.isAtEnd { return value }
        throw markup.expected("a filter's name")
      }
      markup.skipSpace()
      let mark = open.count
      defer { close(mark) }
      if markup.take(UInt8(ascii: ":")) {
        repeat {
          if let argument = try javaScriptArgument(&markup, into: &tree) { open.append(argument) }
          markup.skipSpace()
          guard
            markup.isAtEnd || markup.peek() == UInt8(ascii: ",")
              || markup.peek() == UInt8(ascii: "|")
          else {
            throw markup.expected("',' or '|'")
          }
        } while markup.take(UInt8(ascii: ","))
      } else if !markup.isAtEnd, markup.peek() != UInt8(ascii: "|") {
        throw markup.expected(
          "':' after the filter's name", "write filter: value, as in default: 'you'")
      }
      value = filtered(
        value, by: name, open[mark...], from, markup.at, markup, into: &tree)
    }
  }

  /// Reads a path of names that only filters follow, as in most templates. For any other content the result is nil, and
  /// the position does not change.
  private func plainPath(_ markup: inout Markup, into tree: inout TemplateTree) -> UInt32? {
    let start = markup.at
    guard Markup.isWord(markup.peek()), !Markup.isDigit(markup.peek()) else { return nil }
    let count = tree.nodes.count
    let list = tree.beginList()
    var names = 0
    while true {
      let name = markup.at
      while markup.at < markup.end, Markup.isWord(markup.source[markup.at]) { markup.at += 1 }
      guard markup.at > name, names < 16 else { break }
      names += 1
      let node = tree.add(.name, name, markup.at, UInt32(name), UInt32(markup.at - name))
      tree.append(node, toList: list)
      if markup.peek() != UInt8(ascii: ".") {
        let end = markup.at
        markup.skipSpace()
        guard markup.isAtEnd || markup.peek() == UInt8(ascii: "|"), names > 1 else { break }
        return tree.add(.path, start, end, list)
      }
      markup.at += 1
    }
    markup.at = start
    tree.cancelList(list, nodes: count)
    return nil
  }

  private mutating func javaScriptArgument(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32? {
    markup.skipSpace()
    let start = markup.at
    guard let key = try javaScriptValue(&markup, into: &tree) else { return nil }
    let end = markup.at
    markup.skipSpace()
    guard markup.take(UInt8(ascii: ":")) else { return key }
    let value = try javaScriptValue(&markup, into: &tree) ?? tree.add(.null, markup.at, markup.at)
    return tree.add(.keyword, start, markup.at, UInt32(start), UInt32(end - start), value)
  }

  static func isName(_ byte: UInt8) -> Bool {
    Markup.isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "?") || byte >= 0x80
  }

  func javaScriptName(_ markup: inout Markup) -> TemplateTree.Bytes {
    markup.skipSpace()
    let start = markup.at
    while !markup.isAtEnd, ExpressionReader.isName(markup.peek()) { markup.at += 1 }
    return TemplateTree.Bytes(start, markup.at)
  }

  // MARK: Operators

  private enum Operator {
    case relation(LiquidRelation)
    case not, and, or

    var precedence: Int {
      switch self {
      case .relation: 2
      case .not: 1
      case .and, .or: 0
      }
    }
  }

  private func javaScriptOperator(_ markup: inout Markup) -> Operator? {
    switch markup.peek() {
    case UInt8(ascii: "a"): return markup.take(word: "and") ? .and : nil
    case UInt8(ascii: "o"): return markup.take(word: "or") ? .or : nil
    case UInt8(ascii: "n"): return markup.take(word: "not") ? .not : nil
    case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "c"):
      return relation(&markup).map { .relation($0) }
    default: return nil
    }
  }

  /// Parses operands and operators. If there are operands without an operator between them, the first operand counts.
  mutating func javaScriptExpression(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32? {
    let mark = open.count
    defer { close(mark) }
    var operators: [(Operator, Int)] = []
    var count = 0
    while true {
      markup.skipSpace()
      if markup.isAtEnd { break }
      let start = markup.at
      count += 1
      if count > 2 * limits.nesting { throw limit("a condition has too many parts", markup) }
      if let next = javaScriptOperator(&markup) {
        while let (top, place) = operators.last, top.precedence > next.precedence {
          operators.removeLast()
          apply(top, place, above: mark, into: &tree)
        }
        operators.append((next, start))
      } else if let operand = try javaScriptValue(&markup, into: &tree) {
        open.append(operand)
      } else {
        break
      }
    }
    while let (top, place) = operators.popLast() {
      apply(top, place, above: mark, into: &tree)
    }
    return open.count > mark ? open[mark] : nil
  }

  /// The last operand after a mark. liquidjs computes with missing operands, so a missing operand is nil here.
  private mutating func operand(
    above mark: Int, _ place: Int, into tree: inout TemplateTree
  ) -> UInt32 {
    open.count > mark ? open.removeLast() : tree.add(.null, place, place)
  }

  private mutating func apply(
    _ operation: Operator, _ place: Int, above mark: Int, into tree: inout TemplateTree
  ) {
    let right = operand(above: mark, place, into: &tree)
    if case .not = operation {
      open.append(tree.add(.not, place, Int(tree[Int(right)].to), right))
      return
    }
    let left = operand(above: mark, place, into: &tree)
    let (from, to) = (min(Int(tree[Int(left)].from), place), Int(tree[Int(right)].to))
    switch operation {
    case .relation(let relation):
      open.append(tree.add(.compare, from, to, left, right, UInt32(relation.rawValue)))
    case .and: open.append(tree.add(.and, from, to, left, right))
    default: open.append(tree.add(.or, from, to, left, right))
    }
  }

  // MARK: Values

  mutating func javaScriptValue(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32? {
    try enter(markup)
    defer { depth -= 1 }
    markup.skipSpace()
    let start = markup.at
    var first: UInt32?
    if let literal = javaScriptLiteral(&markup, into: &tree) {
      first = literal
    } else if markup.peek() == UInt8(ascii: "'") || markup.peek() == UInt8(ascii: "\"") {
      first = try javaScriptString(&markup, into: &tree)
    } else if markup.peek() == UInt8(ascii: "(") {
      first = try javaScriptRange(&markup, into: &tree)
    } else {
      first = javaScriptNumber(&markup, into: &tree)
    }
    let mark = open.count
    defer { close(mark) }
    if let first { open.append(first) }
    try javaScriptSegments(above: mark, &markup, into: &tree)
    if open.count == mark { return nil }
    if open.count == mark + 1, let first { return first }
    let list = tree.add(list: open[mark...])
    return tree.add(.path, start, markup.at, list)
  }

  private func javaScriptLiteral(_ markup: inout Markup, into tree: inout TemplateTree) -> UInt32? {
    var end = markup.at
    while end < markup.end, ExpressionReader.isName(markup.source[end]), end - markup.at < 6 {
      end += 1
    }
    guard end > markup.at, end - markup.at < 6 else { return nil }
    let word = ByteView(rebasing: markup.source[markup.at..<end])
    guard let literal = literal(word, markup.at, end, into: &tree) else { return nil }
    markup.at = end
    return literal
  }

  private mutating func javaScriptRange(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    let start = markup.at
    markup.at += 1
    guard let first = try javaScriptValue(&markup, into: &tree) else {
      throw markup.expected("a value")
    }
    markup.skipSpace()
    guard markup.take(UInt8(ascii: ".")), markup.take(UInt8(ascii: ".")) else {
      throw markup.expected("'..'", "write a range as (1..5)")
    }
    guard let last = try javaScriptValue(&markup, into: &tree) else {
      throw markup.expected("a value")
    }
    markup.skipSpace()
    guard markup.take(UInt8(ascii: ")")) else { throw markup.expected("')'") }
    return tree.add(.range, start, markup.at, first, last)
  }

  private func javaScriptNumber(_ markup: inout Markup, into tree: inout TemplateTree) -> UInt32? {
    var end = markup.at
    func byte(_ i: Int) -> UInt8 { i < markup.end ? markup.source[i] : 0 }
    if byte(end) == UInt8(ascii: "-") || byte(end) == UInt8(ascii: "+") { end += 1 }
    var hasPoint = false
    var hasDigit = false
    while end < markup.end {
      if Markup.isDigit(byte(end)) {
        hasDigit = true
      } else if byte(end) == UInt8(ascii: "."), byte(end + 1) != UInt8(ascii: ".") {
        if hasPoint || !hasDigit { return nil }
        hasPoint = true
      } else {
        break
      }
      end += 1
    }
    guard hasDigit, !ExpressionReader.isName(byte(end)) else { return nil }
    let start = markup.at
    var digits = ByteView(rebasing: markup.source[start..<end])
    if digits.first == UInt8(ascii: "+") { digits = ByteView(rebasing: digits[1...]) }
    if digits.last == UInt8(ascii: ".") {
      digits = ByteView(rebasing: digits[..<(digits.count - 1)])
    }
    markup.at = end
    return number(digits, start, end, into: &tree)
  }

  /// Parses names after dots and values in brackets. The first part may be a value that is not a name.
  private mutating func javaScriptSegments(
    above mark: Int, _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) {
    if open.count == mark {
      let name = javaScriptPathName(&markup)
      if name.count > 0 {
        open.append(tree.add(.name, Int(name.from), markup.at, name.from, name.count))
      } else if markup.peek() != UInt8(ascii: "["), markup.peek() != UInt8(ascii: ".") {
        return
      }
    }
    while true {
      if open.count - mark > limits.pathNames { throw limit("a path has too many names", markup) }
      if markup.take(UInt8(ascii: "[")) {
        let key = try javaScriptValue(&markup, into: &tree) ?? tree.add(.null, markup.at, markup.at)
        while !markup.isAtEnd, markup.peek() != UInt8(ascii: "]") { markup.at += 1 }
        guard markup.take(UInt8(ascii: "]")) else { throw markup.expected("']'") }
        let isFirst = open.count == mark
        open.append(
          isFirst ? tree.add(.variable, Int(tree[Int(key)].from), markup.at, key) : key)
      } else if markup.peek() == UInt8(ascii: "."), markup.peek(1) != UInt8(ascii: ".") {
        let dot = markup.at
        markup.at += 1
        let name = javaScriptPathName(&markup)
        guard name.count > 0 else {
          // A dot without a name is consumed, unless it is at the beginning.
          if open.count == mark { markup.at = dot }
          return
        }
        open.append(tree.add(.name, Int(name.from), markup.at, name.from, name.count))
      } else {
        return
      }
    }
  }

  /// Reads a name without leading white space.
  private func javaScriptPathName(_ markup: inout Markup) -> TemplateTree.Bytes {
    let start = markup.at
    while !markup.isAtEnd, ExpressionReader.isName(markup.peek()) { markup.at += 1 }
    return TemplateTree.Bytes(start, markup.at)
  }

  /// Parses a string in quotes, with the escapes of ECMAScript.
  private func javaScriptString(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32? {
    let start = markup.at
    let quote = markup.peek()
    var end = start + 1
    var hasEscapes = false
    while end < markup.end, markup.source[end] != quote {
      if markup.source[end] == UInt8(ascii: "\\") {
        hasEscapes = true
        end += 1
      }
      end += 1
    }
    guard end < markup.end else { return nil }
    markup.at = end + 1
    guard hasEscapes else {
      return tree.add(.string, start, end + 1, UInt32(start + 1), UInt32(end - start - 1))
    }
    let text = tree.make(
      JavaScriptEscapes.unescaped(ByteView(rebasing: markup.source[start + 1..<end])))
    return tree.add(.string, start, end + 1, text.from, text.count)
  }
}

/// Escapes in strings: `\n`, `\u00e9`, `\'`.
enum JavaScriptEscapes {
  // SAFETY: Every index is compared with the count. The result is a copy. Tests: RenderingTests,
  // HostileTemplateTests.

  static func unescaped(_ text: ByteView) -> [UInt8] {
    var result: [UInt8] = []
    var i = 0
    while i < text.count {
      guard text[i] == UInt8(ascii: "\\"), i + 1 < text.count else {
        result.append(text[i])
        i += 1
        continue
      }
      let kind = text[i + 1]
      i += 2
      switch kind {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "v"): result.append(0x0B)
      case UInt8(ascii: "u"): i = append(unicode: text, i, to: &result)
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        var value = UInt32(kind - 0x30)
        var digits = 1
        while digits < 3, i < text.count, 0x30...0x37 ~= text[i] {
          value = value * 8 + UInt32(text[i] - 0x30)
          digits += 1
          i += 1
        }
        result.append(contentsOf: Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8))
      default: result.append(kind)
      }
    }
    return result
  }

  private static func append(unicode text: ByteView, _ start: Int, to result: inout [UInt8]) -> Int
  {
    var i = start
    func unit() -> UInt32 {
      var value: UInt32 = 0
      var digits = 0
      while digits < 4, i < text.count, let digit = Digits.hex(text[i]) {
        value = value << 4 | UInt32(digit)
        digits += 1
        i += 1
      }
      return value
    }
    var value = unit()
    if 0xD800...0xDBFF ~= value, i + 1 < text.count, text[i] == UInt8(ascii: "\\"),
      text[i + 1] == UInt8(ascii: "u")
    {
      let mark = i
      i += 2
      let low = unit()
      if 0xDC00...0xDFFF ~= low {
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      } else {
        i = mark
      }
    }
    result.append(contentsOf: Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8))
    return i
  }
}
