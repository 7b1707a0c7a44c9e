/// Operands of the grammar: names, literals, collections, calls and their suffixes.
extension Parser {
  /// Words that CEL reserves for the languages that embed it.
  private func isReserved(_ name: Token) -> Bool {
    switch name.to - name.from {
    case 2: isWord(name, "as") || isWord(name, "if")
    case 3: isWord(name, "for") || isWord(name, "let") || isWord(name, "var")
    case 4: isWord(name, "else") || isWord(name, "loop") || isWord(name, "void")
    case 5: isWord(name, "break") || isWord(name, "const") || isWord(name, "while")
    case 6: isWord(name, "import") || isWord(name, "return")
    case 7: isWord(name, "package")
    case 8: isWord(name, "continue") || isWord(name, "function")
    case 9: isWord(name, "namespace")
    default: false
    }
  }

  mutating func primary() -> SyntaxTree.ID {
    let start = token
    switch start.kind {
    case .identifier: return name(leadingDot: false, from: start.from)
    case .int, .hexInt, .uint, .hexUint, .double:
      return numberLiteral(negative: false, from: start.from) ?? invalid(at: start.range)
    case .string, .bytes: return textLiteral()
    case .true, .false:
      advance()
      return add(
        .bool, start.kind == .true ? 1 : 0, from: start.from, to: start.to, height: 1)
    case .null:
      advance()
      return add(.null, from: start.from, to: start.to, height: 1)
    case .leftParenthesis: return parenthesised()
    case .leftBracket: return list()
    case .leftBrace: return map()
    case .dot:
      advance()
      if token.kind == .identifier { return name(leadingDot: true, from: start.from) }
      report("expected a name after the leading '.'", token.range)
      return invalid(at: start.range)
    case .quotedIdentifier:
      report("a quoted name can only follow a '.'", start.range, "write user.`quoted name`")
      advance()
      return invalid(at: start.range)
    default:
      return missingOperand()
    }
  }

  private mutating func missingOperand() -> SyntaxTree.ID {
    let start = token
    if start.kind == .invalid {
      // The lexer has reported the error. Continue after the token, where an operand may follow.
      while token.kind == .invalid { advance() }
      return token.kind.startsOperand ? primary() : invalid(at: start.range)
    }
    let what = start.kind == .end ? "the expression ends" : "\(start.kind.description) stands"
    report(
      "\(what) where a value is expected", start.range,
      "write a literal, an attribute such as user.plan, or a call")
    switch start.kind {
    case .end, .comma, .colon, .rightParenthesis, .rightBracket, .rightBrace: break
    default:
      if start.kind.precedence == 0 { advance() }
    }
    return invalid(at: start.range)
  }

  private mutating func parenthesised() -> SyntaxTree.ID {
    let open = token
    advance()
    let inner = expression(0)
    let close = token
    expectClosing(.rightParenthesis, of: open)
    // Parentheses have no node. The range of the inner node includes them, so that messages show them.
    if close.kind == .rightParenthesis {
      tree.nodes[inner].from = UInt32(open.from)
      tree.nodes[inner].to = UInt32(close.to)
    }
    return inner
  }

  /// Consumes the closing delimiter. If the delimiter is missing, reports an error and skips to a place where the
  /// delimiter may be.
  private mutating func expectClosing(_ kind: Token.Kind, of open: Token) {
    if take(kind) { return }
    report(
      "expected \(kind.description) to close \(open.kind.description)",
      token.kind == .end ? open.range : token.range)
    var depth = 0
    while token.kind != .end {
      switch token.kind {
      case .leftParenthesis, .leftBracket, .leftBrace: depth += 1
      case .rightParenthesis, .rightBracket, .rightBrace:
        if depth == 0 {
          if token.kind == kind { advance() }
          return
        }
        depth -= 1
      default: break
      }
      advance()
    }
  }

  /// Parses elements up to a closing delimiter. Lists and maps may end with a comma, and may consist of only a comma.
  /// For arguments, this is an error.
  private mutating func elements(
    until close: Token.Kind, _ element: (inout Parser) -> Void
  ) {
    let isCall = close == .rightParenthesis
    if !isCall, token.kind == .comma, following == close { advance() }
    while token.kind != close, token.kind != .end {
      let before = token.from
      element(&self)
      let comma = token
      if take(.comma) {
        if isCall, token.kind == close {
          report("an argument is missing after ','", comma.range, "remove the ','")
        }
        continue
      }
      if token.kind == close || token.kind == .end { return }
      if token.from == before || !token.kind.startsOperand { return }
      report("expected ',' before \(token.kind.description)", token.range, "separate with ','")
    }
  }

  /// Parses an element, which a leading '?' can mark as optional.
  private mutating func optionalElement(_ value: (inout Parser) -> SyntaxTree.ID) -> SyntaxTree.ID {
    guard token.kind == .question else { return value(&self) }
    let start = token.from
    advance()
    let inner = value(&self)
    return add(
      .optionalElement, inner, from: start, to: Int(tree[inner].to), height: height(inner))
  }

  private mutating func list() -> SyntaxTree.ID {
    let bracket = token
    let mark = open.count
    advance()
    elements(until: .rightBracket) { parser in
      parser.keep(parser.optionalElement { $0.expression(0) })
    }
    let end = token.to
    expectClosing(.rightBracket, of: bracket)
    return addListNode(.list, since: mark, from: bracket.from, to: end)
  }

  private mutating func map() -> SyntaxTree.ID {
    let from = token.from
    let mark = open.count
    let end = entries()
    return addListNode(.map, since: mark, from: from, to: end)
  }

  /// Adds the keys and values in braces, and returns the end of the braces.
  private mutating func entries() -> Int {
    let brace = token
    advance()
    elements(until: .rightBrace) { parser in
      parser.keep(parser.optionalElement { $0.expression(0) })
      parser.keep(parser.valueAfterColon())
    }
    let end = token.to
    expectClosing(.rightBrace, of: brace)
    return end
  }

  private mutating func valueAfterColon() -> SyntaxTree.ID {
    guard take(.colon) else {
      report("expected ':' and a value", token.range, "write key: value")
      return invalid(at: token.range)
    }
    return expression(0)
  }

  // MARK: Names and calls

  private mutating func name(leadingDot: Bool, from: Int) -> SyntaxTree.ID {
    let name = token
    advance()
    if token.kind == .leftParenthesis {
      return call(name, target: nil, from: from)
    }
    if token.kind.startsOperand, isWord(name, "not", ignoringCase: true) {
      report("'\(word(name))' is not an operator", name.range, "write '!'")
      while token.kind == .identifier, isWord(token, "not", ignoringCase: true) { advance() }
      return token.kind.startsOperand ? expression(7) : invalid(at: name.range)
    }
    if isReserved(name) {
      report("'\(word(name))' is a reserved word", name.range, "use another name")
    }
    return add(
      .identifier, name.from, name.to - name.from, leadingDot ? 1 : 0, from: from, to: name.to,
      height: 1)
  }

  private mutating func call(_ name: Token, target: SyntaxTree.ID?, from: Int) -> SyntaxTree.ID {
    let parenthesis = token
    let mark = open.count
    advance()
    keep(target.map { $0 + 1 } ?? 0)
    elements(until: .rightParenthesis) { parser in parser.keep(parser.expression(0)) }
    let end = token.to
    expectClosing(.rightParenthesis, of: parenthesis)
    return addListNode(
      .call, name.from, name.to - name.from, since: mark, skipping: 1, from: from, to: end,
      height: target.map { Int(tree[$0].height) } ?? 0)
  }

  /// Parses the suffixes of an operand: `.name`, `.name(...)`, `[index]`, `{fields}` and optional forms.
  mutating func suffixes(_ first: SyntaxTree.ID) -> SyntaxTree.ID {
    var left = first
    while true {
      switch token.kind {
      case .dot: left = selection(left)
      case .leftBracket: left = index(left)
      case .leftBrace where isMessageName(left): left = message(left)
      default: return left
      }
    }
  }

  private mutating func selection(_ left: SyntaxTree.ID) -> SyntaxTree.ID {
    let from = Int(tree[left].from)
    advance()
    let isOptional = take(.question)
    let name = token
    switch name.kind {
    case .identifier, .quotedIdentifier:
      break
    case .in, .true, .false, .null:
      report(
        "'\(word(name))' is a keyword and cannot follow '.'", name.range,
        "write [\"\(word(name))\"]")
    case .invalid where isWord(Token(kind: .invalid, from: name.from, to: name.from + 1), "`"):
      // The lexer has reported the error in the quoted name. The suffixes of the name may be valid.
      advance()
      return invalid(at: SourceRange(from: from, to: name.to))
    default:
      report("expected a name after '.'", name.range)
      return invalid(at: SourceRange(from: from, to: name.from))
    }
    advance()
    if token.kind == .leftParenthesis, name.kind == .identifier, !isOptional {
      return call(name, target: left, from: from)
    }
    let trim = name.kind == .quotedIdentifier ? 1 : 0
    return add(
      isOptional ? .optionalSelect : .select, left, name.from + trim,
      name.to - name.from - 2 * trim, from: from, to: name.to, height: height(left))
  }

  private mutating func index(_ left: SyntaxTree.ID) -> SyntaxTree.ID {
    let open = token
    advance()
    let isOptional = take(.question)
    let key = expression(0)
    let end = token.to
    expectClosing(.rightBracket, of: open)
    return add(
      isOptional ? .optionalIndex : .index, left, key, from: Int(tree[left].from), to: end,
      height: height(left, key))
  }

  private func isMessageName(_ id: SyntaxTree.ID) -> Bool {
    switch tree[id].kind {
    case .identifier: true
    case .select: isMessageName(Int(tree[id].a))
    default: false
    }
  }

  /// Parses `Name{field: value}`, so that the checker can report that messages do not exist here.
  private mutating func message(_ name: SyntaxTree.ID) -> SyntaxTree.ID {
    let mark = open.count
    let end = entries()
    return addListNode(
      .message, name, since: mark, from: Int(tree[name].from), to: end,
      height: Int(tree[name].height))
  }
}

extension Token.Kind {
  /// Whether an operand can begin with this token.
  var startsOperand: Bool {
    switch self {
    case .identifier, .int, .hexInt, .uint, .hexUint, .double, .string, .bytes, .true, .false,
      .null, .leftParenthesis, .leftBracket, .leftBrace:
      true
    default: false
    }
  }
}
