/// Builds a ``SyntaxTree`` from a source by precedence climbing. The parser continues after an error, so that one
/// source can have several diagnostics.
package struct Parser {
  // SAFETY: `source` is the caller's view and outlives the parser. Tokens are inside it. The tree
  // copies the text. Tests: ParserTests, LiteralTests, fuzz parser.

  private let source: ByteView
  private var lexer: Lexer
  var token: Token
  /// The preceding token.
  private var previous: Token?
  var tree: SyntaxTree
  var diagnostics: [Diagnostic] = []
  private var depth = 0
  /// Operands, elements and arguments of the constructs around the current place, until they become lists of the
  /// tree. One stack avoids an array for every construct.
  private(set) var open: [UInt32] = []
  private let limits: Limits
  /// Set when the nesting limit is exceeded. All later errors are consequences of the limit.
  private var gaveUp = false

  /// Parses a whole source. The tree is only usable if no diagnostic has severity error.
  package static func parse(_ source: ByteView, limits: Limits = Limits())
    -> (tree: SyntaxTree, diagnostics: [Diagnostic])
  {
    guard source.count <= limits.sourceBytes else {
      let message = "the expression has \(source.count) bytes; the limit is \(limits.sourceBytes)"
      return (
        SyntaxTree(source: ByteView(start: nil, count: 0)),
        [Diagnostic(.limitExceeded, message, suggestion: "split it, or raise the limit")]
      )
    }
    var parser = Parser(source, limits)
    parser.tree.root = parser.expression(0)
    if parser.token.kind != .end, !parser.gaveUp { parser.reportTrailing() }
    guard !parser.diagnostics.isEmpty || !parser.lexer.problems.isEmpty else {
      return (parser.tree, [])
    }
    parser.diagnostics += parser.lexer.problems
    parser.diagnostics.sort { ($0.range?.from ?? 0) < ($1.range?.from ?? 0) }
    parser.diagnostics = ForeignSyntax.clarified(parser.diagnostics, in: source)
    return (parser.tree, parser.limitedDiagnostics)
  }

  /// The first findings, and a note if there are more.
  private var limitedDiagnostics: [Diagnostic] {
    let most = 20
    guard diagnostics.count > most else { return diagnostics }
    let more = diagnostics.count - most
    let note = Diagnostic(
      .syntaxError,
      more == 1
        ? "1 more error in this expression is not shown"
        : "\(more) more errors in this expression are not shown", severity: .note,
      range: diagnostics[most].range)
    return Array(diagnostics.prefix(most)) + [note]
  }

  private init(_ source: ByteView, _ limits: Limits) {
    self.source = source
    self.limits = limits
    lexer = Lexer(source)
    tree = SyntaxTree(source: source)
    token = lexer.next()
  }

  mutating func advance() {
    previous = token
    token = lexer.next()
  }

  /// The kind of the token after the current one.
  var following: Token.Kind {
    var ahead = lexer
    return ahead.next().kind
  }

  mutating func take(_ kind: Token.Kind) -> Bool {
    guard token.kind == kind else { return false }
    advance()
    return true
  }

  // MARK: Nodes

  mutating func add(
    _ kind: SyntaxTree.Kind, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, from: Int, to: Int,
    height: Int
  ) -> SyntaxTree.ID {
    if height > limits.nesting { giveUp(SourceRange(from: from, to: to)) }
    tree.nodes.append(
      SyntaxTree.Node(
        kind: kind, height: UInt16(clamping: height), a: UInt32(truncatingIfNeeded: a),
        b: UInt32(truncatingIfNeeded: b), c: UInt32(truncatingIfNeeded: c),
        from: UInt32(truncatingIfNeeded: from), to: UInt32(truncatingIfNeeded: to)))
    return tree.nodes.count - 1
  }

  /// Adds a node to the list that is closed next.
  mutating func keep(_ id: SyntaxTree.ID) {
    if open.capacity == 0 {
      // One allocation is enough for most expressions.
      open.reserveCapacity(16)
      tree.lists.reserveCapacity(32)
    }
    open.append(UInt32(id))
  }

  /// Adds a node whose list consists of the nodes added since `mark`. The first `skipped` entries are numbers instead
  /// of nodes.
  mutating func addListNode(
    _ kind: SyntaxTree.Kind, _ a: Int = 0, _ b: Int = 0, since mark: Int, skipping skipped: Int = 0,
    from: Int, to: Int, height atLeast: Int = 0
  ) -> SyntaxTree.ID {
    let start = tree.lists.count
    var height = atLeast
    tree.lists.append(UInt32(open.count - mark))
    for i in mark..<open.count {
      tree.lists.append(open[i])
      if i >= mark + skipped { height = max(height, Int(tree.nodes[Int(open[i])].height)) }
    }
    open.removeLast(open.count - mark)
    return add(kind, a, b, start, from: from, to: to, height: height + 1)
  }

  func height(_ id: SyntaxTree.ID) -> Int { 1 + Int(tree.nodes[id].height) }

  func height(_ a: SyntaxTree.ID, _ b: SyntaxTree.ID) -> Int { max(height(a), height(b)) }

  mutating func invalid(at range: SourceRange) -> SyntaxTree.ID {
    add(.invalid, from: range.from, to: range.to, height: 1)
  }

  // MARK: Diagnostics

  mutating func report(_ message: String, _ range: SourceRange, _ suggestion: String? = nil) {
    // The lexer has reported an invalid token already.
    guard !gaveUp, token.kind != .invalid else { return }
    if let last = diagnostics.last?.range, last.from == range.from { return }
    diagnostics.append(Diagnostic(.syntaxError, message, range: range, suggestion: suggestion))
  }

  private mutating func giveUp(_ range: SourceRange) {
    guard !gaveUp else { return }
    gaveUp = true
    let message = "the expression is nested more than \(limits.nesting) levels deep"
    diagnostics.append(
      Diagnostic(
        .limitExceeded, message, range: range, suggestion: "simplify it, or raise the limit"))
    while token.kind != .end { advance() }
  }

  private mutating func reportTrailing() {
    let range = SourceRange(from: token.from, to: token.to)
    let word = String(decoding: source[token.from..<token.to], as: UTF8.self)
    let rest = String(decoding: source[token.to...], as: UTF8.self)
    let hint =
      token.kind == .identifier ? SyntaxHint.operator(called: word, before: rest) : nil
    switch token.kind {
    case .identifier where hint != nil:
      report(
        "'\(hint?.words ?? word)' is not an operator",
        SourceRange(from: token.from, to: token.from + (hint?.count ?? word.utf8.count)), hint?.help
      )
    case .rightParenthesis, .rightBracket, .rightBrace:
      report("unmatched \(token.kind.description)", range, "remove it")
      advance()
    default:
      report(
        "expected an operator or the end before \(token.kind.description)", range,
        SyntaxHint.quote(before: token, behind: previous, in: source))
    }
    resume()
  }

  /// Parses the rest as another expression if no operator follows an operand, so that the errors of the rest are found
  /// too.
  private mutating func resume() {
    while token.kind != .end, !gaveUp {
      let before = token.from
      if token.kind == .identifier, ["and", "or"].contains(currentWord.lowercased()) { advance() }
      _ = expression(0)
      if token.from == before { advance() }
    }
  }

  var currentWord: String {
    String(decoding: source[token.from..<token.to], as: UTF8.self)
  }

  func word(_ token: Token) -> String {
    String(decoding: source[token.from..<token.to], as: UTF8.self)
  }

  /// Whether a token is this word of lower-case letters, in any case if `ignoringCase`.
  func isWord(_ token: Token, _ word: StaticString, ignoringCase: Bool = false) -> Bool {
    guard token.to - token.from == word.utf8CodeUnitCount else { return false }
    for i in 0..<word.utf8CodeUnitCount {
      let byte = source[token.from + i]
      if (ignoringCase ? byte | 0x20 : byte) != word.utf8Start[i] { return false }
    }
    return true
  }

  // MARK: Operators

  /// Parses an expression whose operators bind at least as tightly as `precedence`.
  mutating func expression(_ precedence: Int) -> SyntaxTree.ID {
    depth += 1
    defer { depth -= 1 }
    guard depth <= limits.nesting else {
      giveUp(token.range)
      return invalid(at: token.range)
    }
    var left = operand()
    while true {
      let binding = token.kind.precedence
      guard binding > 0, binding >= precedence else { return left }
      switch token.kind {
      case .question: left = conditional(left)
      case .and: left = chain(.and, .and, left)
      case .or: left = chain(.or, .or, left)
      default: left = binary(left, binding)
      }
    }
  }

  private mutating func conditional(_ condition: SyntaxTree.ID) -> SyntaxTree.ID {
    advance()
    let yes = expression(2)
    var no: SyntaxTree.ID
    if take(.colon) {
      no = expression(1)
    } else {
      report("'?' needs a ':' and a second choice", token.range, "write condition ? a : b")
      no = invalid(at: token.range)
    }
    return add(
      .conditional, condition, yes, no, from: Int(tree[condition].from), to: Int(tree[no].to),
      height: max(height(condition, yes), height(no)))
  }

  private mutating func chain(
    _ kind: SyntaxTree.Kind, _ separator: Token.Kind, _ first: SyntaxTree.ID
  ) -> SyntaxTree.ID {
    let mark = open.count
    keep(first)
    var last = first
    while take(separator) {
      last = expression(separator.precedence + 1)
      keep(last)
    }
    return addListNode(
      kind, since: mark, from: Int(tree[first].from), to: Int(tree[last].to))
  }

  private mutating func binary(_ left: SyntaxTree.ID, _ binding: Int) -> SyntaxTree.ID {
    let kind = token.kind.operation ?? .modulo
    advance()
    let right = expression(binding + 1)
    return add(
      kind, left, right, from: Int(tree[left].from), to: Int(tree[right].to),
      height: height(left, right))
  }

  /// Parses unary operators of one kind, then an operand with its selections, calls and indexes.
  private mutating func operand() -> SyntaxTree.ID {
    switch token.kind {
    case .not, .minus:
      let start = token
      depth += 1
      defer { depth -= 1 }
      guard depth <= limits.nesting else {
        giveUp(token.range)
        return invalid(at: token.range)
      }
      advance()
      // The sign belongs to the number literal, so that the smallest int can be written.
      if start.kind == .minus, let literal = numberLiteral(negative: true, from: start.from) {
        return suffixes(literal)
      }
      checkRepetition(of: start.kind)
      let value = operand()
      return add(
        start.kind == .not ? .not : .negate, value, from: start.from, to: Int(tree[value].to),
        height: height(value))
    default:
      return suffixes(primary())
    }
  }

  /// The grammar repeats one unary operator (`!!a`, `--a`) and accepts the sign of a number (`!-1`), but does not
  /// mix them.
  private mutating func checkRepetition(of outer: Token.Kind) {
    let inner = token.kind
    guard inner == .not || inner == .minus, inner != outer else { return }
    if inner == .minus, [.int, .hexInt, .double].contains(following) { return }
    let (first, second) = outer == .not ? ("!", "-") : ("-", "!")
    report(
      "'\(second)' cannot stand right after '\(first)'", token.range,
      "write \(first)(\(second)...) with parentheses")
  }

  /// Parses the next number literal with its sign, or returns nil if the next token is not a number.
  mutating func numberLiteral(negative: Bool, from: Int) -> SyntaxTree.ID? {
    let number = token
    let bits: UInt64
    let kind: SyntaxTree.Kind
    switch number.kind {
    case .double:
      let digits = UnsafeBufferPointer(rebasing: source[number.from..<number.to])
      guard let value = NumberText.double(digits) else {
        return tooLarge(number, from, "a double holds up to 1.7976931348623157e308")
      }
      bits = (negative ? -value : value).bitPattern
      kind = .double
    case .int, .hexInt:
      let magnitude = Literals.magnitude(number, in: source) ?? .max
      guard magnitude <= (negative ? 1 << 63 : (1 << 63) - 1) else {
        return tooLarge(number, from, "an int holds -9223372036854775808 to 9223372036854775807")
      }
      bits = negative ? 0 &- magnitude : magnitude
      kind = .int
    case .uint where !negative, .hexUint where !negative:
      guard let magnitude = Literals.magnitude(number, in: source) else {
        return tooLarge(number, from, "a uint holds 0u to 18446744073709551615u")
      }
      bits = magnitude
      kind = .uint
    default:
      return nil
    }
    advance()
    return add(
      kind, Int(truncatingIfNeeded: bits), Int(truncatingIfNeeded: bits >> 32), from: from,
      to: number.to, height: 1)
  }

  private mutating func tooLarge(_ number: Token, _ from: Int, _ note: String) -> SyntaxTree.ID {
    diagnostics.append(
      Diagnostic(.syntaxError, "this number is too large", range: number.range, notes: [note]))
    advance()
    return invalid(at: SourceRange(from: from, to: number.to))
  }

  /// Whether the value of a string literal is exactly the bytes between its quotes.
  private func isPlainText(_ literal: Token) -> Bool {
    let quote = source[literal.from]
    guard literal.to - literal.from >= 2, quote == 0x22 || quote == 0x27,
      literal.to - literal.from < 6 || source[literal.from + 1] != quote
    else { return false }
    for i in literal.from..<literal.to where source[i] == 0x5C || source[i] == 0x0D {
      return false
    }
    return true
  }

  /// Parses the next string or bytes literal, which becomes a range of the tree's text.
  mutating func textLiteral() -> SyntaxTree.ID {
    let literal = token
    let quotes = literal.to - literal.from
    var range = (literal.from + 1, quotes - 2)
    if lexer.plainEnd != literal.to, !isPlainText(literal) {
      range.0 = tree.text.count
      do throws(Literals.Fault) {
        try Literals.appendText(literal, in: source, to: &tree.text)
      } catch {
        diagnostics.append(
          Diagnostic(
            .syntaxError, error.message, range: error.range, suggestion: error.suggestion))
      }
      range.1 = tree.text.count - range.0
    }
    advance()
    return add(
      literal.kind == .bytes ? .bytes : .string, range.0, range.1, from: literal.from,
      to: literal.to, height: 1)
  }
}
