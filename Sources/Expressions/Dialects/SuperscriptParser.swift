/// Builds a ``SyntaxTree`` from a superscript expression. The parser accepts the same expressions as the original, and
/// stops at the first error.
struct SuperscriptParser {
  // SAFETY: `source` is the caller's view and outlives the parser. Tokens are inside it. The tree
  // copies the text. Tests: SuperscriptProgramTests, fuzz parser.

  private let source: ByteView
  private let limits: Limits
  private var lexer: SuperscriptLexer
  private var token = Token(kind: .end, from: 0, to: 0)
  /// The preceding token.
  private var previous: Token?
  private var tree: SyntaxTree
  private var depth = 0

  typealias Fault = SuperscriptLexer.Fault

  /// Parses a whole source. The tree is only usable if there are no diagnostics.
  static func parse(_ source: ByteView, limits: Limits)
    -> (tree: SyntaxTree, diagnostics: [Diagnostic])
  {
    guard source.count <= limits.sourceBytes else { return Parser.parse(source, limits: limits) }
    var parser = SuperscriptParser(source, limits)
    do throws(Fault) {
      try parser.whole()
      return (parser.tree, [])
    } catch {
      let isLimit = parser.depth > limits.nesting
      let diagnostic = Diagnostic(
        isLimit ? .limitExceeded : .syntaxError, error.message, range: error.range,
        suggestion: error.suggestion)
      var diagnostics = ForeignSyntax.clarified([diagnostic], in: source)
      for i in diagnostics.indices { diagnostics[i].abortsApp = error.abortsApp }
      return (parser.tree, diagnostics)
    }
  }

  private init(_ source: ByteView, _ limits: Limits) {
    self.source = source
    self.limits = limits
    lexer = SuperscriptLexer(source)
    tree = SyntaxTree(source: source)
  }

  private mutating func whole() throws(Fault) {
    try advance()
    tree.root = try expression(0)
    guard token.kind == .end else { throw unexpectedOperator() }
  }

  // MARK: Tokens

  private mutating func advance() throws(Fault) {
    previous = token
    token = try lexer.next()
  }

  private mutating func take(_ kind: Token.Kind) throws(Fault) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ kind: Token.Kind, _ message: String) throws(Fault) {
    if try !take(kind) { throw fault(message) }
  }

  private func fault(_ message: String, _ suggestion: String? = nil) -> Fault {
    Fault(message, token.from, max(token.to, token.from), suggestion)
  }

  /// The error where an operator or the end is expected.
  private func unexpectedOperator() -> Fault {
    switch token.kind {
    case .int where hasSign, .double where hasSign:
      fault(
        "the sign belongs to the number, so an operator is missing",
        "put a space after the sign")
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in:
      fault(
        "comparisons cannot be chained in superscript",
        "write a < b && b < c, or put one comparison in parentheses")
    case .question:
      fault("a '?:' inside another '?:' needs parentheses", "put the inner '?:' in parentheses")
    default: unexpected(String(decoding: source[token.from..<token.to], as: UTF8.self))
    }
  }

  private func unexpected(_ word: String) -> Fault {
    if token.kind == .identifier {
      let rest = String(decoding: source[token.to...], as: UTF8.self)
      if let (words, count, help) = SyntaxHint.operator(called: word, before: rest) {
        return Fault("'\(words)' is not an operator", token.from, token.from + count, help)
      }
    }
    if let previous, previous.kind == .identifier, token.kind.startsOperand {
      let word = String(decoding: source[previous.from..<previous.to], as: UTF8.self)
      if word.lowercased() == "not" {
        return Fault("'\(word)' is not an operator", previous.from, previous.to, "write '!'")
      }
    }
    return fault(
      "expected an operator or the end before \(token.kind.description)",
      SyntaxHint.quote(before: token, behind: previous, in: source))
  }

  private var hasSign: Bool { [0x2B, 0x2D].contains(source[token.from]) }

  // MARK: Nodes

  private mutating func add(
    _ kind: SyntaxTree.Kind, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, from: Int, to: Int,
    below: [SyntaxTree.ID] = []
  ) throws(Fault) -> SyntaxTree.ID {
    let height = 1 + below.reduce(0) { max($0, Int(tree[$1].height)) }
    if height > limits.nesting { throw tooDeep(from, to) }
    tree.nodes.append(
      SyntaxTree.Node(
        kind: kind, height: UInt16(clamping: height), a: UInt32(truncatingIfNeeded: a),
        b: UInt32(truncatingIfNeeded: b), c: UInt32(truncatingIfNeeded: c),
        from: UInt32(truncatingIfNeeded: from), to: UInt32(truncatingIfNeeded: to)))
    return tree.nodes.count - 1
  }

  private mutating func tooDeep(_ from: Int, _ to: Int) -> Fault {
    depth = limits.nesting + 1
    return Fault(
      "the expression is nested more than \(limits.nesting) levels deep", from, to,
      "simplify it, or raise the limit")
  }

  private mutating func addList(_ ids: [SyntaxTree.ID]) -> Int {
    tree.lists.append(UInt32(ids.count))
    for id in ids { tree.lists.append(UInt32(id)) }
    return tree.lists.count - 1 - ids.count
  }

  private func from(_ id: SyntaxTree.ID) -> Int { Int(tree[id].from) }
  private func to(_ id: SyntaxTree.ID) -> Int { Int(tree[id].to) }

  // MARK: Operators

  /// Parses an expression whose operators bind at least as tightly as `precedence`.
  private mutating func expression(_ precedence: Int) throws(Fault) -> SyntaxTree.ID {
    depth += 1
    guard depth <= limits.nesting else { throw tooDeep(token.from, token.to) }
    var left = try operand()
    var isRelation = false
    while true {
      let binding = token.kind.precedence
      guard binding > 0, binding >= precedence else { break }
      switch token.kind {
      case .question: left = try conditional(left)
      case .and: left = try chain(.and, .and, left)
      case .or: left = try chain(.or, .or, left)
      default:
        let relates = binding == Token.Kind.equal.precedence
        if relates, isRelation { throw unexpectedOperator() }
        isRelation = relates
        left = try binary(left, binding)
        continue
      }
      isRelation = false
    }
    depth -= 1
    return left
  }

  private mutating func conditional(_ condition: SyntaxTree.ID) throws(Fault) -> SyntaxTree.ID {
    try advance()
    let yes = try expression(2)
    if token.kind == .question { throw unexpectedOperator() }
    try expect(.colon, "'?' needs a ':' and a second choice")
    let no = try expression(1)
    return try add(
      .conditional, condition, yes, no, from: from(condition), to: to(no),
      below: [condition, yes, no])
  }

  private mutating func chain(
    _ kind: SyntaxTree.Kind, _ separator: Token.Kind, _ first: SyntaxTree.ID
  ) throws(Fault) -> SyntaxTree.ID {
    var operands = [first]
    while try take(separator) { operands.append(try expression(separator.precedence + 1)) }
    return try add(
      kind, 0, 0, addList(operands), from: from(first), to: to(operands[operands.count - 1]),
      below: operands)
  }

  private mutating func binary(_ left: SyntaxTree.ID, _ binding: Int) throws(Fault)
    -> SyntaxTree.ID
  {
    // `--` is a single token here, which is not a binary operator.
    guard let kind = token.kind.operation, kind != .subtract || token.to - token.from == 1 else {
      throw unexpectedOperator()
    }
    try advance()
    let right = try expression(binding + 1)
    return try add(kind, left, right, from: from(left), to: to(right), below: [left, right])
  }

  /// Parses at most one unary operator, then an operand with its selections, calls and indexes.
  private mutating func operand() throws(Fault) -> SyntaxTree.ID {
    guard token.kind == .not || token.kind == .minus else { return try suffixes(try primary()) }
    let sign = token
    try advance()
    if token.kind == .not || token.kind == .minus {
      throw fault(
        "superscript allows only one '!', '!!', '-' or '--' before a value",
        "put the rest of the expression in parentheses")
    }
    let value = try suffixes(try primary())
    let isDouble = sign.to - sign.from == 2
    return try add(
      sign.kind == .not ? .not : .negate, value, 0, isDouble ? 1 : 0, from: sign.from,
      to: to(value), below: [value])
  }
}

// MARK: Operands

extension SuperscriptParser {
  private mutating func primary() throws(Fault) -> SyntaxTree.ID {
    let start = token
    switch start.kind {
    case .identifier: return try name(from: start.from)
    case .dot:
      try advance()
      guard token.kind == .identifier else {
        throw fault("expected a name after the leading '.'")
      }
      return try name(from: start.from)
    case .int, .double: return try number()
    case .string, .bytes: return try textLiteral()
    case .true, .false:
      try advance()
      return try add(.bool, start.kind == .true ? 1 : 0, from: start.from, to: start.to)
    case .null:
      try advance()
      return try add(.null, from: start.from, to: start.to)
    case .leftParenthesis: return try parenthesised()
    case .leftBracket: return try list()
    case .leftBrace:
      let (ids, end) = try entries()
      return try add(.map, 0, 0, addList(ids), from: start.from, to: end, below: ids)
    default:
      let what = start.kind == .end ? "the expression ends" : "\(start.kind.description) stands"
      throw fault(
        "\(what) where a value is expected",
        "write a literal, an attribute such as user.plan, or a call")
    }
  }

  private mutating func number() throws(Fault) -> SyntaxTree.ID {
    let digits = UnsafeBufferPointer(rebasing: source[token.from..<token.to])
    let bits: UInt64
    if token.kind == .int {
      guard let value = RustNumbers.int(digits) else {
        throw fault(
          "this number is too large",
          "an int holds -9223372036854775808 to 9223372036854775807"
        ).aborting
      }
      bits = UInt64(bitPattern: value)
    } else {
      bits = (RustNumbers.double(digits) ?? .infinity).bitPattern
    }
    let number = token
    try advance()
    return try add(
      number.kind == .int ? .int : .double, Int(truncatingIfNeeded: bits),
      Int(truncatingIfNeeded: bits >> 32), from: number.from, to: number.to)
  }

  private mutating func textLiteral() throws(Fault) -> SyntaxTree.ID {
    let literal = token
    let start = tree.text.count
    try SuperscriptLiterals.append(literal, in: source, to: &tree.text)
    let count = tree.text.count - start
    try advance()
    return try add(
      literal.kind == .bytes ? .bytes : .string, start, count, from: literal.from, to: literal.to)
  }

  private mutating func parenthesised() throws(Fault) -> SyntaxTree.ID {
    let open = token
    try advance()
    let inner = try expression(0)
    let end = token.to
    try close(.rightParenthesis)
    // Parentheses have no node. The range of the inner node includes them, so that messages show them.
    tree.nodes[inner].from = UInt32(open.from)
    tree.nodes[inner].to = UInt32(end)
    return inner
  }

  /// Consumes a closing delimiter.
  private mutating func close(_ kind: Token.Kind) throws(Fault) {
    if try take(kind) { return }
    throw token.kind == .end
      ? fault("expected \(kind.description) before the end") : unexpectedOperator()
  }

  /// Parses elements up to a closing delimiter. A trailing comma is allowed.
  private mutating func elements(
    until close: Token.Kind, _ element: (inout SuperscriptParser) throws(Fault) -> Void
  ) throws(Fault) {
    while token.kind != close {
      try element(&self)
      if try take(.comma) { continue }
      guard token.kind == close else { throw unexpectedOperator() }
    }
  }

  private mutating func list() throws(Fault) -> SyntaxTree.ID {
    let open = token
    try advance()
    var ids: [SyntaxTree.ID] = []
    try elements(until: .rightBracket) { parser throws(Fault) in
      ids.append(try parser.expression(0))
    }
    let end = token.to
    try close(.rightBracket)
    return try add(.list, 0, 0, addList(ids), from: open.from, to: end, below: ids)
  }

  /// Parses keys and values in braces, and returns them with the end of the braces.
  private mutating func entries() throws(Fault) -> (ids: [SyntaxTree.ID], end: Int) {
    try advance()
    var ids: [SyntaxTree.ID] = []
    try elements(until: .rightBrace) { parser throws(Fault) in
      ids.append(try parser.expression(0))
      try parser.expect(.colon, "expected ':' and a value")
      ids.append(try parser.expression(0))
    }
    let end = token.to
    try close(.rightBrace)
    return (ids, end)
  }

  // MARK: Names and calls

  private mutating func name(from: Int) throws(Fault) -> SyntaxTree.ID {
    let name = token
    try advance()
    if token.kind == .leftParenthesis { return try call(name, target: nil, from: from) }
    return try add(.identifier, name.from, name.to - name.from, from: from, to: name.to)
  }

  private mutating func call(_ name: Token, target: SyntaxTree.ID?, from: Int) throws(Fault)
    -> SyntaxTree.ID
  {
    try advance()
    var arguments: [SyntaxTree.ID] = []
    try elements(until: .rightParenthesis) { parser throws(Fault) in
      arguments.append(try parser.expression(0))
    }
    let end = token.to
    try close(.rightParenthesis)
    return try add(
      .call, name.from, name.to - name.from, addList([target.map { $0 + 1 } ?? 0] + arguments),
      from: from, to: end, below: arguments + (target.map { [$0] } ?? []))
  }

  /// Parses the suffixes of an operand: `.name`, `.name(...)`, `[index]` and `{fields}`.
  private mutating func suffixes(_ first: SyntaxTree.ID) throws(Fault) -> SyntaxTree.ID {
    var left = first
    while true {
      switch token.kind {
      case .dot: left = try selection(left)
      case .leftBracket: left = try index(left)
      case .leftBrace: left = try message(left)
      default: return left
      }
    }
  }

  private mutating func selection(_ left: SyntaxTree.ID) throws(Fault) -> SyntaxTree.ID {
    try advance()
    let name = token
    guard name.kind == .identifier else {
      let word = String(decoding: source[name.from..<name.to], as: UTF8.self)
      switch name.kind {
      case .in, .true, .false, .null:
        throw fault("'\(word)' is a keyword and cannot follow '.'", "write [\"\(word)\"]")
      default: throw fault("expected a name after '.'")
      }
    }
    try advance()
    if token.kind == .leftParenthesis {
      return try call(name, target: left, from: from(left))
    }
    return try add(
      .select, left, name.from, name.to - name.from, from: from(left), to: name.to, below: [left])
  }

  private mutating func index(_ left: SyntaxTree.ID) throws(Fault) -> SyntaxTree.ID {
    try advance()
    let key = try expression(0)
    let end = token.to
    try close(.rightBracket)
    return try add(.index, left, key, from: from(left), to: end, below: [left, key])
  }

  /// `value{name: value}` parses, but fails wherever it is evaluated.
  private mutating func message(_ left: SyntaxTree.ID) throws(Fault) -> SyntaxTree.ID {
    try advance()
    var ids: [SyntaxTree.ID] = []
    try elements(until: .rightBrace) { parser throws(Fault) in
      let name = parser.token
      try parser.expect(.identifier, "expected the name of a field")
      ids.append(
        try parser.add(.identifier, name.from, name.to - name.from, from: name.from, to: name.to))
      try parser.expect(.colon, "expected ':' and a value")
      ids.append(try parser.expression(0))
    }
    let end = token.to
    try close(.rightBrace)
    return try add(.message, left, 0, addList(ids), from: from(left), to: end, below: ids + [left])
  }
}
