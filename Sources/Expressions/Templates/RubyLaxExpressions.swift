/// Expressions as Shopify's implementation parses them in lax mode: it searches for fragments, and ignores the
/// characters between them.
extension ExpressionReader {
  // SAFETY: Views are between places of the cursor or inside such a view, and are compared or
  // converted at once. Tests: RenderingTests, HostileTemplateTests.

  /// Parses a value with filters.
  mutating func laxOutput(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    let from = markup.at
    guard let fragment = fragment(&markup, isSearched: true) else {
      return tree.add(.null, markup.at, markup.at)
    }
    var value = try laxValue(fragment, markup, into: &tree)
    while !markup.isAtEnd, markup.peek() != UInt8(ascii: "|") { markup.at += 1 }
    var count = 0
    while markup.take(UInt8(ascii: "|")) {
      count += 1
      if count > limits.filters { throw limit("a value has too many filters", markup) }
      while !markup.isAtEnd, !Markup.isWord(markup.peek()), markup.peek() != UInt8(ascii: "|") {
        markup.at += 1
      }
      let name = markup.word()
      guard name.count > 0 else { continue }
      let arguments = try laxArguments(&markup, into: &tree)
      value = filtered(value, by: name, arguments[...], from, markup.at, markup, into: &tree)
    }
    return value
  }

  /// Parses fragments after a colon or a comma, up to the next filter.
  private mutating func laxArguments(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> [UInt32] {
    var arguments: [UInt32] = []
    while !markup.isAtEnd, markup.peek() != UInt8(ascii: "|") {
      guard markup.take(UInt8(ascii: ":")) || markup.take(UInt8(ascii: ",")) else {
        // The content of a string is not searched.
        if fragment(&markup, isSearched: false) == nil { markup.at += 1 }
        continue
      }
      markup.skipSpace()
      let mark = markup.at
      let name = markup.word()
      markup.skipSpace()
      if name.count > 0, markup.take(UInt8(ascii: ":")) {
        markup.skipSpace()
        if let fragment = fragment(&markup, isSearched: false) {
          let value = try laxValue(fragment, markup, into: &tree)
          arguments.append(tree.add(.keyword, mark, markup.at, name.from, name.count, value))
        }
        continue
      }
      markup.at = mark
      if let fragment = fragment(&markup, isSearched: false) {
        arguments.append(try laxValue(fragment, markup, into: &tree))
      }
    }
    return arguments
  }

  /// Reads the next run of strings and of characters that are not white space, comma, bar or quote.
  func fragment(_ markup: inout Markup, isSearched: Bool) -> TemplateTree.Bytes? {
    func isPart(_ byte: UInt8) -> Bool {
      !LiquidConversions.isSpace(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "|")
    }
    while isSearched, !markup.isAtEnd, !isPart(markup.peek()) { markup.at += 1 }
    let start = markup.at
    while !markup.isAtEnd, isPart(markup.peek()) {
      let byte = markup.peek()
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        var end = markup.at + 1
        while end < markup.end, markup.source[end] != byte { end += 1 }
        guard end < markup.end else { break }
        let isWhole = markup.at == start
        markup.at = end + 1
        // A string is a separate fragment.
        if isWhole { break }
      } else {
        markup.at += 1
      }
    }
    return markup.at > start ? TemplateTree.Bytes(start, markup.at) : nil
  }

  /// The value of a fragment: a literal, a range, or a path. In a path, only names and brackets count.
  mutating func laxValue(
    _ fragment: TemplateTree.Bytes, _ markup: Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    try enter(markup)
    defer { depth -= 1 }
    let (from, to) = (Int(fragment.from), Int(fragment.from + fragment.count))
    let text = markup.bytes(fragment)
    guard let first = text.first, let last = text.last else { return tree.add(.null, from, to) }
    if text.count > 1, first == last, first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
      return tree.add(.string, from, to, UInt32(from + 1), UInt32(text.count - 2))
    }
    if let literal = literal(text, from, to, into: &tree) { return literal }
    let digits = first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    if let start = digits.first, Markup.isDigit(start) {
      let points = digits.filter { $0 == UInt8(ascii: ".") }.count
      let isNumber = digits.allSatisfy { Markup.isDigit($0) || $0 == UInt8(ascii: ".") }
      if isNumber {
        // The characters from a second point on are ignored.
        var end = 0
        var seen = 0
        while end < text.count {
          if text[end] == UInt8(ascii: ".") { seen += 1 }
          if seen == 2 || seen == 1 && end + 1 == text.count && last == UInt8(ascii: ".") { break }
          end += 1
        }
        if points > 0, !text[..<end].contains(UInt8(ascii: ".")) {
          let value = NumberText.double(ByteView(rebasing: text[..<end])) ?? 0
          return tree.add(
            .double, from, to, 0, UInt32(truncatingIfNeeded: value.bitPattern),
            UInt32(value.bitPattern >> 32))
        }
        return number(ByteView(rebasing: text[..<end]), from, to, into: &tree)
      }
    }
    if first == UInt8(ascii: "("), last == UInt8(ascii: ")"),
      let range = try laxRange(from + 1, to - 1, markup, into: &tree)
    {
      return range
    }
    return try laxPath(from, to, markup, into: &tree)
  }

  private mutating func laxRange(
    _ from: Int, _ to: Int, _ markup: Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32? {
    // Find the last two consecutive points.
    var dots = to - 2
    while dots > from {
      if markup.source[dots] == UInt8(ascii: "."), markup.source[dots + 1] == UInt8(ascii: ".") {
        break
      }
      dots -= 1
    }
    guard dots > from else { return nil }
    func trimmed(_ from: Int, _ to: Int) -> TemplateTree.Bytes {
      Markup(source: markup.source, at: from, end: to).rest
    }
    let first = try laxValue(trimmed(from, dots), markup, into: &tree)
    let last = try laxValue(trimmed(dots + 2, to), markup, into: &tree)
    return tree.add(.range, from - 1, to + 1, first, last)
  }

  private mutating func laxPath(
    _ from: Int, _ to: Int, _ markup: Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    var segments: [UInt32] = []
    var i = from
    while i < to {
      if segments.count > limits.pathNames { throw limit("a path has too many names", markup) }
      let byte = markup.source[i]
      if byte == UInt8(ascii: "[") {
        var nested = 0
        var end = i
        while end < to {
          if markup.source[end] == UInt8(ascii: "[") { nested += 1 }
          if markup.source[end] == UInt8(ascii: "]") { nested -= 1 }
          if nested == 0 { break }
          end += 1
        }
        guard end < to else {
          i += 1
          continue
        }
        let inner = Markup(source: markup.source, at: i + 1, end: end).rest
        let key = try laxValue(inner, markup, into: &tree)
        segments.append(segments.isEmpty ? tree.add(.variable, i, end + 1, key) : key)
        i = end + 1
      } else if Markup.isWord(byte) || byte == UInt8(ascii: "-") {
        let start = i
        while i < to, Markup.isWord(markup.source[i]) || markup.source[i] == UInt8(ascii: "-") {
          i += 1
        }
        if i < to, markup.source[i] == UInt8(ascii: "?") { i += 1 }
        segments.append(tree.add(.name, start, i, UInt32(start), UInt32(i - start)))
      } else {
        i += 1
      }
    }
    guard !segments.isEmpty else { return tree.add(.null, from, to) }
    let list = tree.add(list: segments)
    return tree.add(.path, from, to, list)
  }

  // MARK: Conditions

  /// Parses comparisons between `and` and `or`. An unknown operator is an error.
  mutating func laxCondition(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    try enter(markup)
    defer { depth -= 1 }
    let start = markup.at
    let left = try laxComparison(&markup, into: &tree)
    var search = markup
    while !search.isAtEnd {
      let isBoundary = search.at > start && LiquidConversions.isSpace(search.source[search.at - 1])
      if isBoundary, search.take(word: "and") || search.take(word: "or") {
        let isAnd = search.source[search.at - 1] == UInt8(ascii: "d")
        markup.at = search.at
        let right = try laxCondition(&markup, into: &tree)
        return tree.add(isAnd ? .and : .or, start, markup.at, left, right)
      }
      if fragment(&search, isSearched: false) == nil { search.at += 1 }
    }
    return left
  }

  private mutating func laxComparison(
    _ markup: inout Markup, into tree: inout TemplateTree
  ) throws(MarkupError) -> UInt32 {
    markup.skipSpace()
    for word in ["and", "or"] as [StaticString] {
      var probe = markup
      let count = word.utf8CodeUnitCount
      let begins = TextFunctions.startsWith(
        ByteView(rebasing: markup.source[markup.at..<markup.end]), LiquidComparing.literal(word))
      probe.at += count
      if begins, !Markup.isWord(probe.peek()) { throw markup.expected("a condition") }
    }
    guard let left = fragment(&markup, isSearched: true) else {
      throw markup.expected("a condition")
    }
    let value = try laxValue(left, markup, into: &tree)
    markup.skipSpace()
    let start = markup.at
    while isOperatorPart(markup.peek()) { markup.at += 1 }
    let name = ByteView(rebasing: markup.source[start..<markup.at])
    if name.isEmpty || name.elementsEqual("and".utf8) || name.elementsEqual("or".utf8) {
      markup.at = start
      return value
    }
    guard let relation = relation(named: name) else {
      throw MarkupError(
        message: "'\(String(decoding: name, as: UTF8.self))' is not an operator", from: start,
        to: markup.at, suggestion: "operators are ==, !=, <, >, <=, >= and contains")
    }
    markup.skipSpace()
    var other = tree.add(.null, markup.at, markup.at)
    if let right = fragment(&markup, isSearched: false) {
      other = try laxValue(right, markup, into: &tree)
    }
    return tree.add(.compare, Int(left.from), markup.at, value, other, UInt32(relation.rawValue))
  }

  private func isOperatorPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  private func relation(named name: ByteView) -> LiquidRelation? {
    switch String(decoding: name, as: UTF8.self) {
    case "==": .equal
    case "!=", "<>": .notEqual
    case "<": .less
    case "<=": .lessOrEqual
    case ">": .greater
    case ">=": .greaterOrEqual
    case "contains": .contains
    default: nil
    }
  }
}
