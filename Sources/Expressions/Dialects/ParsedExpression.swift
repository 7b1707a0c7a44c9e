/// An expression as written, for code that needs its syntax and not its value.
package struct ParsedExpression {
  package typealias ID = SyntaxTree.ID

  package let source: String
  package let dialect: Dialect
  package let tree: SyntaxTree
  /// The variables of the expression's loops.
  private let variables: Set<String>

  /// - Returns: nil if the source is not in the language.
  package init?(_ source: String, in dialect: Dialect, limits: Limits = Limits()) {
    let (tree, problems) = dialect.parse(source, limits: limits)
    guard problems.isEmpty else { return nil }
    self.source = source
    self.dialect = dialect
    self.tree = tree
    var variables: Set<String> = []
    for node in tree.nodes where node.kind == .call {
      guard ParsedExpression.loops.contains(tree.name(node.a, node.b)) else { continue }
      for id in tree.list(node.c).dropFirst().dropLast() where tree[Int(id)].kind == .identifier {
        variables.insert(tree.name(tree[Int(id)].a, tree[Int(id)].b))
      }
    }
    self.variables = variables
  }

  /// The names of calls that declare variables for their arguments.
  package static let loops = Set(Macro.allCases.filter { $0 != .has }.flatMap { $0.usages.keys })

  package var root: ID { tree.root }

  package subscript(id: ID) -> SyntaxTree.Node { tree[id] }

  /// The names of `user.a.b` and `user["a"].b`, or nil if the node is not the path of an attribute.
  package func path(_ id: ID) -> [String]? {
    guard let path = names(id), !variables.contains(path[0]) else { return nil }
    return path
  }

  private func names(_ id: ID) -> [String]? {
    let node = tree[id]
    switch node.kind {
    case .identifier: return [tree.name(node.a, node.b)]
    case .select: return names(Int(node.a)).map { $0 + [tree.name(node.b, node.c)] }
    case .index:
      guard case .string(let key)? = literal(Int(node.b)) else { return nil }
      return names(Int(node.a)).map { $0 + [key] }
    default: return nil
    }
  }

  /// The place of the last name of a path, or nil if the name is not written plainly.
  package func lastName(_ id: ID) -> SourceRange? {
    let node = tree[id]
    switch node.kind {
    case .identifier: return SourceRange(from: Int(node.a), to: Int(node.a + node.b))
    case .select: return SourceRange(from: Int(node.b), to: Int(node.b + node.c))
    default: return nil
    }
  }

  /// The value of a literal. A number may have a sign.
  package func literal(_ id: ID) -> Value? {
    let node = tree[id]
    switch node.kind {
    case .null: return .null
    case .bool: return .bool(node.a == 1)
    case .int: return .int(Int64(bitPattern: node.bits))
    case .uint: return .uint(node.bits)
    case .double: return .double(Double(bitPattern: node.bits))
    case .string: return .string(tree.name(node.a, node.b))
    default: return nil
    }
  }

  /// The source of a part, without redundant parentheses around it.
  package func text(_ id: ID) -> String {
    String(decoding: bytes(tree[id].range), as: UTF8.self)
  }

  package func bytes(_ range: SourceRange) -> [UInt8] {
    Array(source.utf8.dropFirst(range.from).prefix(range.to - range.from))
  }

  /// The name, receiver and arguments of a call, or nil for anything else.
  package func call(_ id: ID) -> (name: String, target: ID?, arguments: [ID])? {
    let node = tree[id]
    guard node.kind == .call, let target = tree.list(node.c).first else { return nil }
    return (
      tree.name(node.a, node.b), target > 0 ? Int(target) - 1 : nil,
      tree.list(node.c).dropFirst().map(Int.init)
    )
  }

  /// Visits all nodes in the order of the source, each with its parent.
  package func visit(_ visitor: (_ id: ID, _ parent: ID?) -> Void) { visit(root, nil, visitor) }

  private func visit(_ id: ID, _ parent: ID?, _ visitor: (ID, ID?) -> Void) {
    visitor(id, parent)
    for operand in tree.operands(of: tree[id]) { visit(operand, id, visitor) }
  }
}

extension Dialect {
  /// Whether a name has another meaning if a member with this name is missing. In superscript, this is true for the
  /// names of functions.
  package func isFunctionName(_ name: String, with host: HostFunctions) -> Bool {
    self == .superscript && (Superscript.functions.contains(name) || host.contains(name))
  }
}
