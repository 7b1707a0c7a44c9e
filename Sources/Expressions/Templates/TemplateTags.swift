/// Parses standalone tags: variables, counters, cycles, other templates.
extension TemplateParser {
  mutating func assign(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    lastIsBlank = true
    let start = markup.at
    var name: TemplateTree.Bytes?
    if isJavaScript {
      let found = reader.javaScriptName(&markup)
      markup.skipSpace()
      if found.count > 0, markup.take(UInt8(ascii: "=")) { name = found }
    } else {
      // Find the first signature before an equals sign.
      while name == nil, let found = signature(&markup) {
        let mark = markup.at
        markup.skipSpace()
        if markup.take(UInt8(ascii: "=")) { name = found } else { markup.at = mark }
      }
    }
    guard let name else {
      report(
        MarkupError(
          message: "expected 'name = value'", from: start, to: markup.end,
          suggestion: "write {% assign name = value %}"))
      return nil
    }
    guard let value = value(&markup) else { return nil }
    return tree.add(.assign, piece.from, piece.to, name.from, name.count, value)
  }

  mutating func counter(
    _ tag: TagName, _ markup: inout Markup, _ piece: TemplatePiece
  ) -> UInt32? {
    let name = isJavaScript ? reader.javaScriptName(&markup) : markup.rest
    guard name.count > 0 || !isJavaScript else {
      report(markupError("'\(tag.text)' needs a name", piece, suggestion: nil))
      return nil
    }
    return tree.add(
      tag == .increment ? .increment : .decrement, piece.from, piece.to, name.from, name.count)
  }

  // MARK: cycle

  /// Parses `cycle a, b` or `cycle name: a, b`.
  mutating func cycle(_ markup: inout Markup, _ piece: TemplatePiece) -> UInt32? {
    let text = markup.rest
    do throws(MarkupError) {
      var name = TemplateTree.none
      var items: [UInt32] = []
      if isJavaScript {
        name = try javaScriptCycle(&markup, &items)
      } else {
        name = try rubyCycle(&markup, &items)
      }
      guard !items.isEmpty else { throw markup.error("'cycle' needs values") }
      return tree.add(
        .cycle, piece.from, piece.to, tree.add(list: [name, text.from, text.count] + items))
    } catch {
      reader.depth = 0
      report(error)
      return nil
    }
  }

  private mutating func javaScriptCycle(
    _ markup: inout Markup, _ items: inout [UInt32]
  ) throws(MarkupError) -> UInt32 {
    var name = TemplateTree.none
    guard let first = try reader.javaScriptValue(&markup, into: &tree) else { return name }
    markup.skipSpace()
    if markup.take(UInt8(ascii: ":")) {
      name = first
    } else {
      items.append(first)
      _ = markup.take(UInt8(ascii: ","))
    }
    while let item = try reader.javaScriptValue(&markup, into: &tree) {
      items.append(item)
      while !markup.isAtEnd, markup.peek() != UInt8(ascii: ",") { markup.at += 1 }
      guard markup.take(UInt8(ascii: ",")) else { break }
    }
    return name
  }

  private mutating func rubyCycle(
    _ markup: inout Markup, _ items: inout [UInt32]
  ) throws(MarkupError) -> UInt32 {
    var name = TemplateTree.none
    let start = markup.at
    if environment.mode != .lax {
      let value = try reader.rubyValue(&markup, into: &tree)
      markup.skipSpace()
      if markup.take(UInt8(ascii: ":")) { name = value } else { markup.at = start }
    } else if let fragment = cycleName(&markup) {
      name = try reader.laxValue(fragment, markup, into: &tree)
    } else {
      markup.at = start
    }
    // Items are separated by commas, at any place.
    while !markup.isAtEnd {
      var end = markup.at
      while end < markup.end, markup.source[end] != UInt8(ascii: ",") { end += 1 }
      var part = Markup(source: source, at: markup.at, end: end)
      if let fragment = reader.fragment(&part, isSearched: true) {
        items.append(try reader.laxValue(fragment, markup, into: &tree))
      }
      markup.at = min(end + 1, markup.end)
    }
    return name
  }

  /// Reads the name before a colon.
  private func cycleName(_ markup: inout Markup) -> TemplateTree.Bytes? {
    markup.skipSpace()
    let start = markup.at
    guard let fragment = reader.fragment(&markup, isSearched: false) else { return nil }
    if markup.source[markup.at - 1] == UInt8(ascii: ":") {
      return TemplateTree.Bytes(start, markup.at - 1)
    }
    markup.skipSpace()
    if markup.take(UInt8(ascii: ":")) { return fragment }
    return nil
  }

  // MARK: include, render

  mutating func partial(
    _ tag: TagName, _ markup: inout Markup, _ piece: TemplatePiece
  ) -> UInt32? {
    do throws(MarkupError) {
      let partial =
        isJavaScript ? try javaScriptPartial(tag, &markup) : try rubyPartial(tag, &markup)
      return tree.add(partial, tag == .include ? .include : .render, piece.from, piece.to)
    } catch {
      reader.depth = 0
      report(error)
      return nil
    }
  }

  private mutating func javaScriptPartial(
    _ tag: TagName, _ markup: inout Markup
  ) throws(MarkupError) -> TemplateTree.Partial {
    guard let name = try reader.javaScriptValue(&markup, into: &tree) else {
      throw markup.expected("a template's name")
    }
    var partial = TemplateTree.Partial(name: name)
    while !markup.isAtEnd {
      let mark = markup.at
      let word = markup.string(reader.javaScriptName(&markup))
      markup.skipSpace()
      let isBinding = word == "with" || word == "for" && tag == .render
      guard isBinding, markup.peek() != UInt8(ascii: ":"),
        let value = try reader.javaScriptValue(&markup, into: &tree)
      else {
        markup.at = mark
        break
      }
      partial.value = value
      partial.isLoop = word == "for"
      if tag == .include { break }
      let beforeAlias = markup.at
      if markup.string(reader.javaScriptName(&markup)) == "as" {
        partial.alias = reader.javaScriptName(&markup)
      } else {
        markup.at = beforeAlias
      }
      markup.skipSpace()
      _ = markup.take(UInt8(ascii: ","))
    }
    while let (name, value) = try javaScriptPair(&markup) {
      partial.arguments.append((name, value))
    }
    return partial
  }

  private mutating func rubyPartial(
    _ tag: TagName, _ markup: inout Markup
  ) throws(MarkupError) -> TemplateTree.Partial {
    guard let fragment = reader.fragment(&markup, isSearched: true) else {
      throw markup.expected("a template's name")
    }
    let name = try reader.laxValue(fragment, markup, into: &tree)
    if tag == .render, tree[Int(name)].kind != .string {
      throw markup.error("'render' needs a name in quotes")
    }
    var partial = TemplateTree.Partial(name: name)
    markup.skipSpace()
    let isFor = markup.take(word: "for")
    if isFor || markup.take(word: "with") {
      markup.skipSpace()
      guard let value = reader.fragment(&markup, isSearched: false) else {
        throw markup.expected("a value")
      }
      partial.value = try reader.laxValue(value, markup, into: &tree)
      partial.isLoop = isFor
      markup.skipSpace()
    }
    if markup.take(word: "as") {
      markup.skipSpace()
      let start = markup.at
      while Markup.isWord(markup.peek()) || markup.peek() == UInt8(ascii: "-") { markup.at += 1 }
      if markup.at > start { partial.alias = TemplateTree.Bytes(start, markup.at) }
    }
    for (name, value) in try laxAttributes(&markup) { partial.arguments.append((name, value)) }
    return partial
  }

  // MARK: Paths only

  /// Parses the dialect that only has `{{ root.name }}`. Everything else is plain text.
  mutating func parsePaths() {
    var statements: [UInt32] = []
    var textFrom = 0
    var i = 0
    func text(_ tree: inout TemplateTree, _ from: Int, _ to: Int) {
      if to > from { statements.append(tree.add(.text, from, to, UInt32(from), UInt32(to - from))) }
    }
    while i + 1 < source.count {
      guard source[i] == UInt8(ascii: "{"), source[i + 1] == UInt8(ascii: "{") else {
        i += 1
        continue
      }
      guard let (content, end) = pathTag(&i) else { continue }
      if let node = path(content, i, end) {
        text(&tree, textFrom, i)
        statements.append(node)
        textFrom = end
      }
      i = end
    }
    text(&tree, textFrom, source.count)
    let list = tree.add(list: statements)
    tree.root = Int(tree.add(.sequence, 0, source.count, list))
  }

  /// Finds `{{`, characters other than a closing brace, and `}}`. Returns the content without white space, and the end.
  /// If there is no tag, the place moves to where the next tag may begin.
  private func pathTag(_ place: inout Int) -> (content: TemplateTree.Bytes, end: Int)? {
    let start = place
    var end = start + 2
    while end < source.count, source[end] != UInt8(ascii: "}") { end += 1 }
    guard end + 1 < source.count, source[end + 1] == UInt8(ascii: "}"), end > start + 2 else {
      place = max(end, start + 1)
      return nil
    }
    return (Markup(source: source, at: start + 2, end: end).rest, end + 2)
  }

  /// Parses a path with the number of names that its root requires. Further names are ignored.
  private mutating func path(_ content: TemplateTree.Bytes, _ from: Int, _ to: Int) -> UInt32? {
    // SAFETY: The range is between two places of the source that the parser compared with its
    // count. Tests: RenderingTests, HostileTemplateTests.
    let bytes = ByteView(rebasing: source[Int(content.from)..<Int(content.from + content.count)])
    var names: [TemplateTree.Bytes] = []
    var start = Int(content.from)
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: ".") {
      names.append(TemplateTree.Bytes(start, Int(content.from) + offset))
      start = Int(content.from) + offset + 1
    }
    names.append(TemplateTree.Bytes(start, Int(content.from + content.count)))
    names.removeAll { $0.count == 0 }
    guard let first = names.first else { return nil }
    let written = source[Int(first.from)..<Int(first.from + first.count)]
    guard let root = dialect.roots.first(where: { $0.name.utf8.elementsEqual(written) }),
      names.count >= root.names
    else { return nil }
    let segments = names.prefix(root.names).map {
      tree.add(.name, Int($0.from), Int($0.from + $0.count), $0.from, $0.count)
    }
    let path = tree.add(
      .path, Int(content.from), Int(content.from + content.count), tree.add(list: segments))
    return tree.add(.verbatim, from, to, path, UInt32(from), UInt32(to - from))
  }
}
