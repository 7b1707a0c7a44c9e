/// Writes a syntax tree as an expression: one space around binary operators, double quotes, and only the
/// parentheses that the tree needs. Parsing the result in the same dialect returns the same tree.
package struct Printer {
  private let tree: SyntaxTree
  private let isSuperscript: Bool
  private var output = ""

  /// The expression of a whole tree that was parsed without errors.
  ///
  /// - Parameter dialect: the dialect of the tree and of the result.
  package static func print(_ tree: SyntaxTree, _ dialect: Dialect = .cel) -> String {
    var printer = Printer(tree, dialect)
    printer.write(tree.root, tighterThan: 0)
    return printer.output
  }

  private init(_ tree: SyntaxTree, _ dialect: Dialect) {
    self.tree = tree
    isSuperscript = dialect == .superscript
  }

  /// The symbol and the precedence of an operator. Other nodes have the highest precedence.
  static func notation(_ kind: SyntaxTree.Kind) -> (symbol: String, precedence: Int) {
    switch kind {
    case .conditional: ("?", 1)
    case .or: ("||", 2)
    case .and: ("&&", 3)
    case .equal: ("==", 4)
    case .notEqual: ("!=", 4)
    case .less: ("<", 4)
    case .lessOrEqual: ("<=", 4)
    case .greater: (">", 4)
    case .greaterOrEqual: (">=", 4)
    case .in: ("in", 4)
    case .add: ("+", 5)
    case .subtract: ("-", 5)
    case .multiply: ("*", 6)
    case .divide: ("/", 6)
    case .modulo: ("%", 6)
    case .not: ("!", 7)
    case .negate: ("-", 7)
    case .invalid, .null, .bool, .int, .uint, .double, .string, .bytes, .identifier, .select,
      .optionalSelect, .index, .optionalIndex, .call, .list, .map, .message, .optionalElement,
      .clause:
      ("", 8)
    }
  }

  /// The symbol of a binary operator, or nil for any other node.
  static func `operator`(_ kind: SyntaxTree.Kind) -> String? {
    let (symbol, precedence) = notation(kind)
    return (4...6).contains(precedence) ? symbol : nil
  }

  /// Writes a node, in parentheses if its operator does not bind more tightly.
  private mutating func write(_ id: SyntaxTree.ID, tighterThan outer: Int) {
    let own = Printer.notation(tree[id].kind).precedence
    // A literal with a sign is written like a negation.
    let isSigned = isNegativeNumber(tree[id]) && outer >= 7
    let needsParentheses = own <= outer || isSigned
    if needsParentheses { output += "(" }
    content(id, tree[id], own)
    if needsParentheses { output += ")" }
  }

  private func isNegativeNumber(_ node: SyntaxTree.Node) -> Bool {
    switch node.kind {
    case .int: Int64(bitPattern: node.bits) < 0
    case .double: Double(bitPattern: node.bits).sign == .minus
    default: false
    }
  }

  private mutating func content(_ id: SyntaxTree.ID, _ node: SyntaxTree.Node, _ own: Int) {
    switch node.kind {
    case .invalid, .null: output += "null"
    case .bool: output += node.a == 1 ? "true" : "false"
    case .int: output += String(Int64(bitPattern: node.bits))
    case .uint: output += String(node.bits) + "u"
    case .double: output += Printer.double(Double(bitPattern: node.bits))
    case .string: output += Printer.quoted(tree.text(node.a, node.b), isBytes: false)
    case .bytes:
      let text = tree.text(node.a, node.b)
      output += "b" + Printer.quoted(text, isBytes: true, hasNames: !isSuperscript)
    case .identifier: output += (node.c == 1 ? "." : "") + tree.name(node.a, node.b)
    case .select, .optionalSelect:
      write(Int(node.a), tighterThan: 7)
      output += (node.kind == .select ? "." : ".?") + Printer.field(tree.name(node.b, node.c))
    case .index, .optionalIndex:
      write(Int(node.a), tighterThan: 7)
      output += node.kind == .index ? "[" : "[?"
      write(Int(node.b), tighterThan: 0)
      output += "]"
    case .call: call(node)
    case .list: enclosed("[", tree.list(node.c), "]")
    case .map: entries("{", tree.list(node.c))
    case .message:
      write(Int(node.a), tighterThan: 7)
      entries("{", tree.list(node.c))
    case .optionalElement:
      output += "?"
      write(Int(node.a), tighterThan: 0)
    case .not, .negate: unary(node)
    case .and, .or:
      for (i, operand) in tree.list(node.c).enumerated() {
        if i > 0 { output += node.kind == .and ? " && " : " || " }
        write(Int(operand), tighterThan: own)
      }
    case .conditional:
      write(Int(node.a), tighterThan: own)
      output += " ? "
      write(Int(node.b), tighterThan: own)
      output += " : "
      write(Int(node.c), tighterThan: own - 1)
    case .clause: write(Int(node.a), tighterThan: 0)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .add, .subtract,
      .multiply, .divide, .modulo:
      // In superscript, comparisons cannot be chained.
      let chains = own != 4 || !isSuperscript
      write(Int(node.a), tighterThan: chains ? own - 1 : own)
      output += " \(Printer.notation(node.kind).symbol) "
      write(Int(node.b), tighterThan: own)
    }
  }

  /// Writes a unary operator. After a minus, a number must not look like one literal with its sign. CEL's grammar
  /// repeats a unary operator and does not mix two of them. superscript's grammar allows only one of `!`, `!!`, `-` and
  /// `--`.
  private mutating func unary(_ node: SyntaxTree.Node) {
    let (isMinus, isTwice) = (node.kind == .negate, node.c == 1)
    output += String(repeating: isMinus ? "-" : "!", count: isTwice ? 2 : 1)
    let id = Int(node.a)
    let isMixed = isMinus ? tree[id].kind == .not : tree[id].kind == .negate
    if isMixed || isMinus && !isTwice && beginsWithNumber(id) {
      output += "("
      write(id, tighterThan: 0)
      output += ")"
    } else {
      write(id, tighterThan: isSuperscript ? 7 : 6)
    }
  }

  /// Whether a node's first character is a digit of a number that may have a sign.
  private func beginsWithNumber(_ id: SyntaxTree.ID) -> Bool {
    let node = tree[id]
    switch node.kind {
    case .int, .double: return true
    case .select, .optionalSelect, .index, .optionalIndex: return beginsWithNumber(Int(node.a))
    case .call:
      guard let target = tree.list(node.c).first, target > 0 else { return false }
      return beginsWithNumber(Int(target) - 1)
    default: return false
    }
  }

  private mutating func call(_ node: SyntaxTree.Node) {
    let parts = tree.list(node.c)
    if let target = parts.first, target > 0 {
      write(Int(target) - 1, tighterThan: 7)
      output += "."
    }
    // A leading dot of a function's name precedes the name in the source.
    output += tree.name(node.a, node.b)
    enclosed("(", parts.dropFirst(), ")")
  }

  private mutating func enclosed(_ open: String, _ ids: ArraySlice<UInt32>, _ close: String) {
    output += open
    for (i, id) in ids.enumerated() {
      if i > 0 { output += ", " }
      write(Int(id), tighterThan: 0)
    }
    output += close
  }

  private mutating func entries(_ open: String, _ ids: ArraySlice<UInt32>) {
    output += open
    for (i, id) in ids.enumerated() {
      if i > 0 { output += i % 2 == 0 ? ", " : ": " }
      write(Int(id), tighterThan: 0)
    }
    output += "}"
  }

  // MARK: Literals

  static func double(_ value: Double) -> String {
    // In superscript a number that is too large is infinite.
    if value.isInfinite { return value < 0 ? "-1e400" : "1e400" }
    let text = value.description
    // Swift writes 1e+16, which is valid in CEL too.
    return text.contains(".") || text.contains("e") ? text : text + ".0"
  }

  static func field(_ name: String) -> String {
    let isPlain =
      name.utf8.allSatisfy { $0 == 0x5F || $0 | 0x20 &- 0x61 < 26 && $0 > 0x40 || $0 &- 0x30 < 10 }
      && name.utf8.first.map { $0 &- 0x30 >= 10 } == true
      && !["in", "true", "false", "null"].contains(name)
    return isPlain ? name : "`\(name)`"
  }

  /// A literal in double quotes. Bytes literals escape all bytes that are not printable ASCII. Strings only escape
  /// quotes, backslashes and control characters.
  ///
  /// - Parameter hasNames: whether there are escapes such as `\\n`, in addition to numeric escapes.
  static func quoted(_ text: ArraySlice<UInt8>, isBytes: Bool, hasNames: Bool = true) -> String {
    var result: [UInt8] = [0x22]
    func escape(_ text: String) { result += text.utf8 }
    for byte in text {
      switch byte {
      case 0x22 where !hasNames, 0x5C where !hasNames, 0..<0x20 where !hasNames: escape(hex(byte))
      case 0x22, 0x5C: result += [0x5C, byte]
      case 0x0A: escape("\\n")
      case 0x0D: escape("\\r")
      case 0x09: escape("\\t")
      case 0..<0x20, 0x7F: escape(hex(byte))
      case 0x80... where isBytes: escape(hex(byte))
      default: result.append(byte)
      }
    }
    result.append(0x22)
    return String(decoding: result, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> String {
    "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension SyntaxTree {
  /// Whether two trees have the same content, wherever their nodes are in their sources.
  package func isSame(as other: SyntaxTree) -> Bool { isSame(root, other, other.root) }

  private func isSame(_ id: ID, _ other: SyntaxTree, _ otherID: ID) -> Bool {
    let (a, b) = (self[id], other[otherID])
    guard a.kind == b.kind, content(a) == other.content(b) else { return false }
    let (parts, others) = (operands(of: a), other.operands(of: b))
    return parts.count == others.count
      && zip(parts, others).allSatisfy { isSame($0, other, $1) }
  }

  /// The content of a node without its operands: a name or a string, and a number.
  private func content(_ node: Node) -> Content {
    switch node.kind {
    case .bool, .int, .uint, .double: Content(number: node.bits)
    case .string, .bytes: Content(text: text(node.a, node.b))
    case .identifier: Content(text: text(node.a, node.b), number: UInt64(node.c))
    case .call: Content(text: text(node.a, node.b), number: list(node.c).first == 0 ? 0 : 1)
    case .select, .optionalSelect: Content(text: text(node.b, node.c))
    case .not, .negate: Content(number: UInt64(node.c))
    case .invalid, .null, .index, .optionalIndex, .list, .map, .message, .optionalElement, .and,
      .or, .conditional, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in,
      .add, .subtract, .multiply, .divide, .modulo, .clause:
      Content()
    }
  }

  private struct Content: Equatable {
    var text: ArraySlice<UInt8> = []
    var number: UInt64 = 0
  }
}
