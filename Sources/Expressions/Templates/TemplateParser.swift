/// Parses templates: blocks of statements, each with its expressions. After an error, the rest is still parsed.
struct TemplateParser {
  /// A tag that ends the statements before it.
  struct Ending {
    var name: TagName
    var markup: Markup
    var from: Int
    var to: Int
  }

  /// Statements, and whether they only write white space.
  struct Body {
    var node: UInt32
    var isBlank: Bool
    var ending: Ending?
  }

  /// The lines of a `liquid` tag.
  private struct Lines {
    var at: Int
    var end: Int
  }

  // SAFETY: A view of the whole source, which outlives the parser. Tags and outputs are ranges that
  // the lexer found in it. Tests: RenderingTests, HostileTemplateTests.
  let source: ByteView
  let environment: TemplateEnvironment
  var dialect: TemplateDialect { environment.dialect }
  var isJavaScript: Bool { dialect.syntax == .javaScript }
  var lexer: TemplateLexer
  var tree: TemplateTree
  var reader: ExpressionReader
  var diagnostics: [Diagnostic] = []
  private var lines: Lines?
  private var depth = 0
  /// Statements of the blocks around the current place, until each block is complete.
  var open: [UInt32] = []
  /// Whether the parsed parts of the current statement write nothing.
  var lastIsBlank = false

  init(_ source: ByteView, _ environment: TemplateEnvironment) {
    self.source = source
    self.environment = environment
    lexer = TemplateLexer(
      source, environment.delimiters, respectsQuotes: environment.dialect.syntax == .javaScript)
    reader = ExpressionReader(dialect: environment.dialect, limits: environment.limits)
    tree = TemplateTree()
  }

  /// Parses a whole source.
  static func parse(_ source: ByteView, _ environment: TemplateEnvironment)
    -> (tree: TemplateTree, diagnostics: [Diagnostic])
  {
    let scratch = TemplateScratch()
    let diagnostics = parse(source, environment, scratch)
    return (scratch.tree, diagnostics)
  }

  /// Parses a whole source into the tree of a scratch.
  static func parse(
    _ source: ByteView, _ environment: TemplateEnvironment, _ scratch: TemplateScratch
  ) -> [Diagnostic] {
    var parser = TemplateParser(source, environment)
    parser.swapMemory(scratch)
    parser.tree.begin(sourceCount: source.count)
    parser.parse()
    parser.swapMemory(scratch)
    return parser.diagnostics
  }

  private mutating func swapMemory(_ scratch: TemplateScratch) {
    swap(&tree, &scratch.tree)
    swap(&open, &scratch.parsed)
    swap(&reader.open, &scratch.read)
  }

  private mutating func parse() {
    guard source.count <= environment.limits.sourceBytes else {
      diagnostics.append(
        Diagnostic(
          .limitExceeded, "the template has more than \(environment.limits.sourceBytes) bytes",
          range: SourceRange(from: environment.limits.sourceBytes, to: source.count)))
      tree.root = Int(tree.add(.sequence, 0, 0, tree.add(list: [])))
      return
    }
    if environment.dialect.syntax == .paths {
      parsePaths()
    } else {
      tree.root = Int(body(inside: nil).node)
    }
    if reader.unknownFilters.isEmpty { return }
    for filter in reader.unknownFilters.prefix(TemplateParser.errorLimit) {
      reportUnknownFilter(filter.name, filter.range)
    }
  }

  private mutating func reportUnknownFilter(_ name: String, _ range: SourceRange) {
    let close = Suggestion.closest(to: name, among: LiquidFilters.all.names(in: dialect))
    diagnostics.append(
      Diagnostic(
        .unknownFunction, "the filter '\(name)' does not exist; the value stays unchanged",
        severity: .warning, range: range, suggestion: close.map { "did you mean '\($0)'?" }))
  }

  // MARK: Statements

  /// Parses statements up to the tag that ends them.
  ///
  /// - Parameter block: the tag around the statements, which must be closed, or nil for a whole source.
  mutating func body(inside block: (name: TagName, from: Int, to: Int)?) -> Body {
    depth += 1
    defer { depth -= 1 }
    let first = open.count
    var isBlank = true
    let start = lexer.at
    guard depth <= environment.limits.nesting else {
      report(
        MarkupError(
          message: "blocks are nested too deeply", from: block?.from ?? 0, to: block?.to ?? 0,
          suggestion: "at most \(environment.limits.nesting) are allowed", code: .limitExceeded))
      lexer.move(to: source.count, trimming: false)
      if let end = lines?.end { lines?.at = end }
      return Body(node: sequence(from: first, start, start), isBlank: true)
    }
    while true {
      let piece = nextPiece()
      switch piece.kind {
      case .end:
        if let block, depth <= environment.limits.nesting { reportUnclosed(block) }
        return Body(node: sequence(from: first, start, piece.from), isBlank: isBlank)
      case .text:
        guard piece.contentTo > piece.contentFrom else { continue }
        let content = ByteView(rebasing: source[piece.contentFrom..<piece.contentTo])
        if isBlank, !content.allSatisfy(TemplateLexer.isSpace) { isBlank = false }
        open.append(
          tree.add(
            .text, piece.contentFrom, piece.contentTo, UInt32(piece.contentFrom),
            UInt32(content.count)))
      case .output:
        isBlank = false
        if let node = output(piece) { open.append(node) }
      case .tag:
        switch tag(piece, inside: block?.name) {
        case .statement(let node):
          if let node { open.append(node) }
          isBlank = isBlank && lastIsBlank
        case .ending(let ending):
          let node = sequence(from: first, start, ending.from)
          return Body(node: node, isBlank: isBlank, ending: ending)
        }
      }
    }
  }

  /// Joins the open statements from some place on into one statement.
  private mutating func sequence(from first: Int, _ start: Int, _ end: Int) -> UInt32 {
    defer { close(first) }
    if open.count - first == 1 { return open[first] }
    return tree.add(.sequence, start, end, tree.add(list: open[first...]))
  }

  /// Removes all elements after a mark. There are few elements, so removing them one by one is fastest.
  mutating func close(_ mark: Int) { while open.count > mark { open.removeLast() } }

  enum Tag {
    case statement(UInt32?)
    case ending(Ending)
  }

  private mutating func nextPiece() -> TemplatePiece {
    guard lines != nil else { return lexer.next() }
    return nextLine()
      ?? TemplatePiece(
        kind: .end, from: lines?.end ?? 0, to: lines?.end ?? 0, contentFrom: 0, contentTo: 0)
  }

  /// Returns the next line of a `liquid` tag that is not empty, as a tag.
  private mutating func nextLine() -> TemplatePiece? {
    guard var lines else { return nil }
    defer { self.lines = lines }
    while lines.at < lines.end {
      var end = lines.at
      while end < lines.end, source[end] != 0x0A { end += 1 }
      var (from, to) = (lines.at, end)
      while from < to, LiquidConversions.isSpace(source[from]) { from += 1 }
      while to > from, LiquidConversions.isSpace(source[to - 1]) { to -= 1 }
      lines.at = min(end + 1, lines.end)
      if to > from {
        return TemplatePiece(kind: .tag, from: from, to: to, contentFrom: from, contentTo: to)
      }
    }
    return nil
  }

  private mutating func output(_ piece: TemplatePiece) -> UInt32? {
    var markup = Markup(source: source, at: piece.contentFrom, end: piece.contentTo)
    guard piece.isClosed else {
      report(markupError("the output is not closed", piece, suggestion: "close it with }}"))
      return nil
    }
    return write(&markup, piece.from, piece.to)
  }

  func markupError(_ message: String, _ piece: TemplatePiece, suggestion: String? = nil)
    -> MarkupError
  {
    MarkupError(message: message, from: piece.from, to: piece.to, suggestion: suggestion)
  }

  /// Parses a statement that writes a value.
  mutating func write(_ markup: inout Markup, _ from: Int, _ to: Int) -> UInt32? {
    guard let value = value(&markup) else { return nil }
    return tree.add(.output, from, to, value)
  }

  /// Parses a value with filters, up to the end.
  mutating func value(_ markup: inout Markup) -> UInt32? {
    read(&markup) { reader, markup, tree throws(MarkupError) in
      try reader.javaScriptOutput(&markup, into: &tree)
    } strict: { reader, markup, tree throws(MarkupError) in
      try reader.rubyOutput(&markup, into: &tree)
    } lax: { reader, markup, tree throws(MarkupError) in
      try reader.laxOutput(&markup, into: &tree)
    }
  }

  /// Parses a condition, up to the end.
  mutating func condition(_ markup: inout Markup) -> UInt32? {
    read(&markup) { reader, markup, tree throws(MarkupError) in
      try reader.javaScriptOutput(&markup, into: &tree)
    } strict: { reader, markup, tree throws(MarkupError) in
      let value = try reader.rubyCondition(&markup, into: &tree)
      markup.skipSpace()
      guard markup.isAtEnd else { throw markup.expected("'and', 'or' or the end") }
      return value
    } lax: { reader, markup, tree throws(MarkupError) in
      try reader.laxCondition(&markup, into: &tree)
    }
  }

  typealias Reading = (inout ExpressionReader, inout Markup, inout TemplateTree) throws(MarkupError)
    -> UInt32

  /// Parses a part in the syntax of the dialect, and reports its errors.
  mutating func read(
    _ markup: inout Markup, script: Reading, strict: Reading, lax: Reading
  ) -> UInt32? {
    let start = markup.at
    let known = reader.unknownFilters.count
    do throws(MarkupError) {
      return isJavaScript
        ? try script(&reader, &markup, &tree) : try strict(&reader, &markup, &tree)
    } catch {
      reader.depth = 0
      guard !isJavaScript, environment.mode == .lax, error.code != .limitExceeded else {
        report(error)
        return nil
      }
      markup.at = start
      reader.unknownFilters.removeLast(reader.unknownFilters.count - known)
    }
    do throws(MarkupError) {
      return try lax(&reader, &markup, &tree)
    } catch {
      reader.depth = 0
      report(error)
      return nil
    }
  }

  // MARK: Reports

  mutating func report(_ error: MarkupError) {
    guard hasRoomForErrors() else { return }
    diagnostics.append(
      Diagnostic(
        error.code, error.message,
        range: SourceRange(from: error.from, to: max(error.to, error.from)),
        suggestion: error.suggestion ?? hint(error)))
  }

  private func hint(_ error: MarkupError) -> String? {
    guard error.isExpectation, error.from < error.to else { return nil }
    return TemplateHint.operator(at: ByteView(rebasing: source[error.from..<error.to]))
  }

  /// Parsing stops after this number of errors.
  private static let errorLimit = 100

  private mutating func hasRoomForErrors() -> Bool {
    if diagnostics.count < TemplateParser.errorLimit { return true }
    lexer.move(to: source.count, trimming: false)
    if let end = lines?.end { lines?.at = end }
    return false
  }

  private mutating func reportUnclosed(_ block: (name: TagName, from: Int, to: Int)) {
    report(
      MarkupError(
        message: "'\(block.name.text)' is not closed", from: block.from, to: block.to,
        suggestion: "close it with 'end\(block.name.text)'"))
  }

  // MARK: Tags

  /// Parses a tag: a statement, or the end of the statements before it.
  private mutating func tag(_ piece: TemplatePiece, inside block: TagName?) -> Tag {
    var markup = Markup(source: source, at: piece.contentFrom, end: piece.contentTo)
    lastIsBlank = false
    guard piece.isClosed else {
      report(markupError("the tag is not closed", piece, suggestion: "close it with %}"))
      return .statement(nil)
    }
    markup.skipSpace()
    let start = markup.at
    if markup.peek() == UInt8(ascii: "#") { markup.at += 1 } else { _ = markup.word() }
    let name = ByteView(rebasing: source[start..<markup.at])
    guard let tag = TagName(name), !(isJavaScript && tag == .ifchanged) else {
      reportUnknownTag(String(decoding: name, as: UTF8.self), start, max(markup.at, start + 1))
      return .statement(nil)
    }
    markup.skipSpace()
    if tag.isInner {
      if let block, belongs(tag, to: block) {
        return .ending(Ending(name: tag, markup: markup, from: piece.from, to: piece.to))
      }
      report(
        MarkupError(
          message: "unmatched '\(tag.text)'", from: start, to: markup.end,
          suggestion: block.map { "the open block is '\($0.text)'" }
            ?? "remove it, or open a block before it"))
      return .statement(nil)
    }
    return .statement(statement(tag, &markup, piece))
  }

  private mutating func reportUnknownTag(_ name: String, _ from: Int, _ to: Int) {
    guard hasRoomForErrors() else { return }
    let close = Suggestion.closest(to: name, among: TagName.names)
    report(
      MarkupError(
        message: "the tag '\(name)' does not exist", from: from, to: to,
        suggestion: close.map { "did you mean '\($0)'?" } ?? TemplateHint.tag(called: name)))
  }

  private func belongs(_ tag: TagName, to block: TagName) -> Bool {
    switch (block, tag) {
    case (.if, .else), (.if, .elsif), (.if, .endif), (.unless, .else), (.unless, .elsif),
      (.unless, .endunless), (.case, .when), (.case, .else), (.case, .endcase), (.for, .else),
      (.for, .endfor), (.capture, .endcapture), (.tablerow, .endtablerow),
      (.ifchanged, .endifchanged):
      true
    default: false
    }
  }

  private mutating func statement(
    _ tag: TagName, _ markup: inout Markup, _ piece: TemplatePiece
  ) -> UInt32? {
    switch tag {
    case .assign: return assign(&markup, piece)
    case .capture: return capture(&markup, piece)
    case .case: return cases(&markup, piece)
    case .comment:
      lastIsBlank = true
      return comment(piece)
    case .doc: return doc(markup, piece)
    case .raw: return raw(markup, piece)
    case .cycle: return cycle(&markup, piece)
    case .increment, .decrement: return counter(tag, &markup, piece)
    case .echo: return isJavaScript && markup.isAtEnd ? nil : write(&markup, piece.from, piece.to)
    case .for: return loop(&markup, piece)
    case .tablerow: return table(&markup, piece)
    case .if, .unless: return conditional(tag, &markup, piece)
    case .ifchanged:
      let body = body(inside: (tag, piece.from, piece.to))
      lastIsBlank = body.isBlank
      return tree.add(.ifChanged, piece.from, piece.to, body.node)
    case .include, .render: return partial(tag, &markup, piece)
    case .liquid: return liquid(markup, piece)
    case .break, .continue:
      return tree.add(.leave, piece.from, piece.to, tag == .break ? 0 : 1)
    case .inlineComment:
      lastIsBlank = true
      return inlineComment(markup, piece)
    default: return nil
    }
  }

  /// Parses a `liquid` tag, whose lines are separate tags.
  private mutating func liquid(_ markup: Markup, _ piece: TemplatePiece) -> UInt32? {
    let outer = lines
    // Inside another `liquid` tag, the content is the rest of the line.
    lines = Lines(at: markup.at, end: markup.end)
    let body = body(inside: nil)
    lines = outer
    lastIsBlank = body.isBlank
    return body.node
  }

  private mutating func inlineComment(_ markup: Markup, _ piece: TemplatePiece) -> UInt32? {
    var i = markup.at
    while i < markup.end {
      guard source[i] == 0x0A else {
        i += 1
        continue
      }
      while i < markup.end, LiquidConversions.isSpace(source[i]) { i += 1 }
      if i < markup.end, source[i] != UInt8(ascii: "#") {
        report(
          MarkupError(
            message: "every line of a comment begins with '#'", from: i, to: markup.end,
            suggestion: nil))
        return nil
      }
    }
    return nil
  }

  // MARK: Blocks whose content is not parsed

  /// Skips the content of a comment. In Shopify's implementation comments nest, and ends inside raw blocks do not
  /// count.
  private mutating func comment(_ piece: TemplatePiece) -> UInt32? {
    var nesting = 1
    while nesting > 0 {
      let next = nextPiece()
      if next.kind == .end {
        reportUnclosed((.comment, piece.from, piece.to))
        return nil
      }
      guard next.kind == .tag else {
        if isJavaScript, !next.isClosed { report(markupError("the output is not closed", next)) }
        continue
      }
      var markup = Markup(source: source, at: next.contentFrom, end: next.contentTo)
      markup.skipSpace()
      let word = markup.word()
      switch TagName(markup.bytes(word)) {
      case .comment where !isJavaScript: nesting += 1
      case .endcomment: nesting -= 1
      case .raw where lines == nil:
        guard let end = lexer.end(of: "endraw", from: next.to, allowsControl: !isJavaScript) else {
          reportUnclosed((.raw, next.from, next.to))
          return nil
        }
        lexer.move(to: end.to, trimming: end.trimsRight)
      default: break
      }
    }
    lastIsBlank = true
    return nil
  }

  private mutating func doc(_ markup: Markup, _ piece: TemplatePiece) -> UInt32? {
    lastIsBlank = true
    if isJavaScript {
      // liquidjs has no tag `doc`.
      reportUnknownTag("doc", piece.from, piece.to)
    }
    if !markup.isAtEnd {
      report(
        MarkupError(
          message: "'doc' takes no arguments", from: markup.at, to: markup.end, suggestion: nil))
    }
    guard let end = lexer.end(of: "enddoc", from: piece.to, allowsControl: true) else {
      reportUnclosed((.doc, piece.from, piece.to))
      return nil
    }
    if let nested = lexer.end(of: "doc", from: piece.to, allowsControl: true),
      nested.textTo < end.textTo
    {
      report(
        MarkupError(
          message: "'doc' cannot be nested", from: nested.textTo, to: nested.to,
          suggestion: nil))
    }
    lexer.move(to: end.to, trimming: end.trimsRight)
    return nil
  }

  private mutating func raw(_ markup: Markup, _ piece: TemplatePiece) -> UInt32? {
    if !markup.isAtEnd, !isJavaScript {
      report(
        MarkupError(
          message: "'raw' takes no arguments", from: markup.at, to: markup.end, suggestion: nil))
    }
    guard let end = lexer.end(of: "endraw", from: piece.to, allowsControl: !isJavaScript) else {
      reportUnclosed((.raw, piece.from, piece.to))
      return nil
    }
    lexer.move(to: end.to, trimming: end.trimsRight)
    let count = end.textTo - piece.to
    lastIsBlank = count == 0
    return count == 0
      ? nil : tree.add(.text, piece.to, end.textTo, UInt32(piece.to), UInt32(count))
  }
}
