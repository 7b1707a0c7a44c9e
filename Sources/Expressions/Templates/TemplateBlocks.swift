/// Parses blocks: conditions, cases, loops, captures.
extension TemplateParser {
  /// Removes the strings directly in the statements. In Shopify's implementation a block that would only write
  /// white space writes nothing.
  private mutating func withoutTexts(_ body: UInt32) -> UInt32 {
    let node = tree[Int(body)]
    switch node.kind {
    case .text: return tree.add(.sequence, Int(node.from), Int(node.to), tree.add(list: []))
    case .sequence:
      let kept = tree.list(node.a).filter { tree[Int($0)].kind != .text }
      return tree.add(.sequence, Int(node.from), Int(node.to), tree.add(list: kept))
    default: return body
    }
  }

  mutating func nothing(_ at: Int) -> UInt32 { tree.add(.sequence, at, at, tree.add(list: [])) }

  // MARK: if, unless

  mutating func conditional(
    _ tag: TagName, _ markup: inout Markup, _ piece: TemplatePiece
  ) -> UInt32? {
    let mark = open.count
    defer { close(mark) }
    var test = condition(&markup)
    if tag == .unless, let known = test {
      test = tree.add(.not, Int(tree[Int(known)].from), Int(tree[Int(known)].to), known)
    }
    var isBlank = true
    var otherwise: UInt32?
    var seenElse = false
    while true {
      let body = body(inside: (tag, piece.from, piece.to))
      isBlank = isBlank && body.isBlank
      if !seenElse {
        open.append(test ?? tree.add(.bool, piece.from, piece.to, 0))
        open.append(body.node)
      } else if otherwise == nil {
        otherwise = body.node
      }
      guard var ending = body.ending else { break }
      if ending.name == .endif || ending.name == .endunless { break }
      if seenElse {
        // Branches after `else` never run, and liquidjs rejects them.
        if isJavaScript {
          report(
            MarkupError(
              message: "'\(ending.name.text)' comes after 'else'", from: ending.from,
              to: ending.to, suggestion: nil))
        }
      } else if ending.name == .else {
        seenElse = true
        if isJavaScript, !ending.markup.isAtEnd { reportJunk(ending.markup) }
      } else {
        test = condition(&ending.markup)
      }
    }
    lastIsBlank = isBlank
    if isBlank, dialect.dropsBlankBlocks {
      for i in stride(from: mark + 1, to: open.count, by: 2) { open[i] = withoutTexts(open[i]) }
      otherwise = otherwise.map { withoutTexts($0) }
    }
    if let otherwise { open.append(otherwise) }
    return tree.add(.ifs, piece.from, piece.to, tree.add(list: open[mark...]))
  }

  /// Reports unexpected content after `else`.
  private mutating func reportJunk(_ markup: Markup) {
    let isElseIf = source[markup.at..<markup.end].starts(with: "if".utf8)
    report(
      MarkupError(
        message: "unexpected text here", from: markup.at, to: markup.end,
        suggestion: isElseIf ? "write 'elsif'" : nil))
  }

  // MARK: case

  mutating func cases(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    let target = caseTarget(&markup)
    // Content before the first branch is not written.
    var head = body(inside: (.case, piece.from, piece.to))
    var isBlank = head.isBlank
    var branches: [(values: [UInt32], body: UInt32)] = []
    var elseCount = 0
    while var ending = head.ending, ending.name != .endcase {
      let isBehindElse = isJavaScript && elseCount > 0
      let values = ending.name == .when && !isBehindElse ? whenValues(&ending.markup) : []
      if ending.name == .else {
        elseCount += 1
        if isJavaScript, !ending.markup.isAtEnd { reportJunk(ending.markup) }
      }
      head = body(inside: (.case, piece.from, piece.to))
      isBlank = isBlank && head.isBlank
      if ending.name == .when, values.isEmpty, !isBehindElse { continue }
      if isJavaScript, elseCount > 1 { continue }
      branches.append((values, head.node))
    }
    lastIsBlank = isBlank
    if isJavaScript { branches = mergedElse(branches, piece.to) }
    guard let target else { return nil }
    var parts = [target]
    for branch in branches {
      let body = isBlank && dialect.dropsBlankBlocks ? withoutTexts(branch.body) : branch.body
      parts.append(UInt32(branch.values.count))
      parts += branch.values
      parts.append(body)
    }
    return tree.add(.cases, piece.from, piece.to, tree.add(list: parts))
  }

  /// In liquidjs, all content between the first and the second `else` belongs to the first `else`, which is tried last.
  /// Content after the second `else` is never written.
  private mutating func mergedElse(
    _ branches: [(values: [UInt32], body: UInt32)], _ at: Int
  ) -> [(values: [UInt32], body: UInt32)] {
    guard let first = branches.firstIndex(where: { $0.values.isEmpty }) else { return branches }
    let bodies = branches[first...].map { $0.body }
    let merged =
      bodies.count == 1 ? bodies[0] : tree.add(.sequence, at, at, tree.add(list: bodies))
    return branches[..<first] + [([], merged)]
  }

  private mutating func caseTarget(_ markup: inout Markup) -> UInt32? {
    let isLenient = environment.mode != .strict2
    return read(&markup) { reader, markup, tree throws(MarkupError) in
      try reader.javaScriptOutput(&markup, into: &tree)
    } strict: { reader, markup, tree throws(MarkupError) in
      let value = try reader.rubyValue(&markup, into: &tree)
      markup.skipSpace()
      // Only the strictest mode checks the rest of the tag.
      guard markup.isAtEnd || isLenient else {
        throw markup.expected("the end of 'case'")
      }
      return value
    } lax: { reader, markup, tree throws(MarkupError) in
      guard let fragment = reader.fragment(&markup, isSearched: true) else {
        throw markup.expected("a value")
      }
      return try reader.laxValue(fragment, markup, into: &tree)
    }
  }

  /// Parses the values of `when`, separated by commas or `or`.
  private mutating func whenValues(_ markup: inout Markup) -> [UInt32] {
    var values: [UInt32] = []
    do throws(MarkupError) {
      while true {
        markup.skipSpace()
        if isJavaScript {
          if markup.isAtEnd { break }
          guard let value = try reader.javaScriptValue(&markup, into: &tree) else {
            throw markup.expected("a value")
          }
          values.append(value)
          skipToNextJavaScriptValue(&markup)
        } else if environment.mode == .strict2 {
          values.append(try reader.rubyValue(&markup, into: &tree))
          markup.skipSpace()
          if markup.isAtEnd { break }
          guard markup.take(UInt8(ascii: ",")) || markup.take(word: "or") else {
            throw markup.expected("',' or 'or'")
          }
        } else {
          guard let fragment = reader.fragment(&markup, isSearched: false) else {
            if values.isEmpty { throw markup.expected("a value") }
            break
          }
          values.append(try reader.laxValue(fragment, markup, into: &tree))
          markup.skipSpace()
          guard markup.take(UInt8(ascii: ",")) || markup.take(word: "or") else { break }
        }
      }
    } catch {
      reader.depth = 0
      report(error)
    }
    return values
  }

  private func skipToNextJavaScriptValue(_ markup: inout Markup) {
    markup.skipSpace()
    let isComma = markup.peek() == UInt8(ascii: ",")
    while !markup.isAtEnd {
      if isComma, markup.take(UInt8(ascii: ",")) { return }
      if !isComma, markup.peek() == UInt8(ascii: "o"), markup.peek(1) == UInt8(ascii: "r") {
        markup.at += 2
        return
      }
      markup.at += 1
    }
  }

  // MARK: for, tablerow

  mutating func loop(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    let head = loopHead(&markup, isTable: false)
    var isBlank = true
    let body = body(inside: (.for, piece.from, piece.to))
    isBlank = body.isBlank
    var content = body.node
    var otherwise: UInt32?
    var ending = body.ending
    while let known = ending, known.name == .else {
      if isJavaScript, !known.markup.isAtEnd { reportJunk(known.markup) }
      let next = self.body(inside: (.for, piece.from, piece.to))
      isBlank = isBlank && next.isBlank
      if otherwise == nil { otherwise = next.node }
      ending = next.ending
    }
    lastIsBlank = isBlank
    if isBlank, dialect.dropsBlankBlocks {
      content = withoutTexts(content)
      otherwise = otherwise.map { withoutTexts($0) }
    }
    guard var head else { return nil }
    head.body = content
    head.otherwise = otherwise ?? TemplateTree.none
    return tree.add(head, .loop, piece.from, piece.to)
  }

  mutating func table(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    let head = loopHead(&markup, isTable: true)
    let body = body(inside: (.tablerow, piece.from, piece.to))
    lastIsBlank = body.isBlank
    guard var head else { return nil }
    head.body = body.node
    return tree.add(head, .table, piece.from, piece.to)
  }

  /// Parses the head of a loop: `item in items limit: 2 offset: 1 reversed`.
  private mutating func loopHead(_ markup: inout Markup, isTable: Bool) -> TemplateTree.Loop? {
    let start = markup.at
    do throws(MarkupError) {
      if isJavaScript { return try javaScriptLoop(&markup, isTable: isTable) }
      do throws(MarkupError) {
        return try rubyLoop(&markup, isTable: isTable)
      } catch {
        reader.depth = 0
        guard environment.mode == .lax, error.code != .limitExceeded else { throw error }
        markup.at = start
        return try laxLoop(&markup, isTable: isTable)
      }
    } catch {
      reader.depth = 0
      report(error)
      return nil
    }
  }

  private mutating func javaScriptLoop(
    _ markup: inout Markup, isTable: Bool
  ) throws(MarkupError) -> TemplateTree.Loop {
    let variable = reader.javaScriptName(&markup)
    markup.skipSpace()
    let word = reader.javaScriptName(&markup)
    guard variable.count > 0, markup.bytes(word).elementsEqual("in".utf8) else {
      throw markup.notALoop()
    }
    markup.skipSpace()
    let start = markup.at
    guard let items = try reader.javaScriptValue(&markup, into: &tree) else {
      throw markup.expected("the list to loop over")
    }
    var loop = TemplateTree.Loop(
      variable: variable, items: items, text: TemplateTree.Bytes(start, markup.at))
    while let (name, value) = try javaScriptPair(&markup) {
      switch markup.string(name) {
      case "offset": loop.offset = isContinue(value) ? TemplateTree.continuing : value
      case "limit": loop.limit = value
      case "cols": loop.columns = value
      case "reversed": loop.isReversed = true
      default: break
      }
    }
    return loop
  }

  private func isContinue(_ value: UInt32) -> Bool {
    guard tree[Int(value)].kind == .path, let first = tree.list(tree[Int(value)].a).first,
      tree.list(tree[Int(value)].a).count == 1, tree[Int(first)].kind == .name
    else { return false }
    let name = tree[Int(first)]
    return tree.withBytes(TemplateTree.Bytes(from: name.a, count: name.b), of: source) {
      $0.elementsEqual("continue".utf8)
    }
  }

  /// Parses `name: value`, or only a name, whose value is then true.
  mutating func javaScriptPair(_ markup: inout Markup) throws(MarkupError)
    -> (name: TemplateTree.Bytes, value: UInt32)?
  {
    markup.skipSpace()
    if markup.take(UInt8(ascii: ",")) { markup.skipSpace() }
    let name = reader.javaScriptName(&markup)
    guard name.count > 0 else { return nil }
    markup.skipSpace()
    guard markup.take(UInt8(ascii: ":")) else {
      return (name, tree.add(.bool, Int(name.from), markup.at, 1))
    }
    let value = try reader.javaScriptValue(&markup, into: &tree)
    return (name, value ?? tree.add(.null, markup.at, markup.at))
  }

  private mutating func rubyLoop(
    _ markup: inout Markup, isTable: Bool
  ) throws(MarkupError) -> TemplateTree.Loop {
    guard let variable = reader.rubyName(&markup) else {
      throw markup.notALoop()
    }
    markup.skipSpace()
    guard markup.take(word: "in") else { throw markup.expected("'in'") }
    markup.skipSpace()
    let start = markup.at
    let items = try reader.rubyValue(&markup, into: &tree)
    var loop = TemplateTree.Loop(
      variable: variable, items: items, text: TemplateTree.Bytes(start, markup.at))
    markup.skipSpace()
    if !isTable, markup.take(word: "reversed") { loop.isReversed = true }
    while true {
      markup.skipSpace()
      if markup.isAtEnd { return loop }
      if markup.take(UInt8(ascii: ",")) { markup.skipSpace() }
      guard let name = reader.rubyName(&markup) else {
        throw markup.expected("'limit' or 'offset'")
      }
      markup.skipSpace()
      guard markup.take(UInt8(ascii: ":")) else { throw markup.expected("':'") }
      let value = try reader.rubyValue(&markup, into: &tree)
      guard set(markup.string(name), value, in: &loop, isTable: isTable) else {
        throw MarkupError(
          message: "a loop has no '\(markup.string(name))'", from: Int(name.from), to: markup.at,
          suggestion: "the parameters are limit, offset and reversed")
      }
    }
  }

  private func set(
    _ name: String, _ value: UInt32, in loop: inout TemplateTree.Loop, isTable: Bool
  ) -> Bool {
    switch name {
    case "offset": loop.offset = !isTable && isContinue(value) ? TemplateTree.continuing : value
    case "limit": loop.limit = value
    case "cols" where isTable: loop.columns = value
    case "range" where isTable: break
    default: return false
    }
    return true
  }

  private mutating func laxLoop(
    _ markup: inout Markup, isTable: Bool
  ) throws(MarkupError) -> TemplateTree.Loop {
    let start = markup.at
    while Markup.isWord(markup.peek()) || markup.peek() == UInt8(ascii: "-") { markup.at += 1 }
    let variable = TemplateTree.Bytes(start, markup.at)
    markup.skipSpace()
    guard variable.count > 0, markup.take(word: "in") else {
      throw markup.notALoop()
    }
    markup.skipSpace()
    guard var fragment = reader.fragment(&markup, isSearched: false) else {
      throw markup.expected("the list to loop over")
    }
    while let next = reader.fragment(&markup, isSearched: false) {
      fragment = TemplateTree.Bytes(Int(fragment.from), Int(next.from + next.count))
    }
    let items = try reader.laxValue(fragment, markup, into: &tree)
    var loop = TemplateTree.Loop(variable: variable, items: items, text: fragment)
    markup.skipSpace()
    if !isTable, markup.take(word: "reversed") { loop.isReversed = true }
    for (name, value) in try laxAttributes(&markup) {
      _ = set(markup.string(name), value, in: &loop, isTable: isTable)
    }
    return loop
  }

  /// Parses every `name: fragment` in the rest of the tag.
  mutating func laxAttributes(_ markup: inout Markup) throws(MarkupError)
    -> [(TemplateTree.Bytes, UInt32)]
  {
    var attributes: [(TemplateTree.Bytes, UInt32)] = []
    while !markup.isAtEnd {
      let start = markup.at
      if Markup.isWord(markup.peek()) {
        while Markup.isWord(markup.peek()) || markup.peek() == UInt8(ascii: "-") { markup.at += 1 }
        let name = TemplateTree.Bytes(start, markup.at)
        markup.skipSpace()
        guard markup.take(UInt8(ascii: ":")) else { continue }
        markup.skipSpace()
        if let fragment = reader.fragment(&markup, isSearched: false) {
          attributes.append((name, try reader.laxValue(fragment, markup, into: &tree)))
        }
      } else if reader.fragment(&markup, isSearched: false) == nil {
        markup.at += 1
      }
    }
    return attributes
  }

  // MARK: capture

  mutating func capture(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    let name = variableName(&markup)
    let body = body(inside: (.capture, piece.from, piece.to))
    lastIsBlank = true
    guard let name else {
      report(markupError("'capture' needs a variable's name", piece, suggestion: nil))
      return nil
    }
    return tree.add(.capture, piece.from, piece.to, name.from, name.count, body.node)
  }

  /// Reads the name of a variable that a tag writes, optionally in quotes.
  private func variableName(_ markup: inout Markup) -> TemplateTree.Bytes? {
    markup.skipSpace()
    let quote = markup.peek()
    if quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
      let start = markup.at + 1
      var end = start
      while end < markup.end, markup.source[end] != quote { end += 1 }
      markup.at = min(end + 1, markup.end)
      return end > start ? TemplateTree.Bytes(start, end) : nil
    }
    if isJavaScript {
      let name = reader.javaScriptName(&markup)
      return name.count > 0 ? name : nil
    }
    return signature(&markup)
  }

  /// Reads word characters, hyphens, points and brackets, which Shopify's implementation finds at any place.
  func signature(_ markup: inout Markup) -> TemplateTree.Bytes? {
    func isPart(_ byte: UInt8) -> Bool {
      Markup.isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }
    while !markup.isAtEnd, !isPart(markup.peek()) { markup.at += 1 }
    let start = markup.at
    while !markup.isAtEnd, isPart(markup.peek()) { markup.at += 1 }
    return markup.at > start ? TemplateTree.Bytes(start, markup.at) : nil
  }
}
