/// A part of an expression whose truth is evaluated: a clause, or a combination of clauses.
package struct ExpressionPart: Sendable {
  package var range: SourceRange
  /// The part as written.
  package var text: String
  /// The indexes of the smaller parts that form this part. A clause has no parts.
  package var parts: [Int] = []
  /// The literals of the part.
  package var constants: [Value] = []

  package init(range: SourceRange, text: String) {
    self.range = range
    self.text = text
  }
}

extension ExpressionPart {
  /// The parts of an expression, beginning with the whole expression. Nil if the expression is not in the language.
  package static func all(of source: String, in dialect: Dialect, limits: Limits = Limits())
    -> [ExpressionPart]?
  {
    let (tree, problems) = dialect.parse(source, limits: limits)
    guard problems.isEmpty else { return nil }
    var collector = PartCollector(tree: tree, source: Array(source.utf8))
    _ = collector.add(tree.root)
    return collector.parts
  }
}

/// Walks the parts of a tree that determine the result.
private struct PartCollector {
  let tree: SyntaxTree
  let source: [UInt8]
  var parts: [ExpressionPart] = []

  mutating func add(_ id: SyntaxTree.ID) -> Int {
    let node = tree[id]
    let end = min(Int(node.to), source.count)
    let number = parts.count
    parts.append(
      ExpressionPart(
        range: SourceRange(from: Int(node.from), to: end),
        text: String(decoding: source[Int(node.from)..<end], as: UTF8.self)))
    var constants: [Value] = []
    var seen: Set<Value> = []
    collect(id, &constants, &seen)
    parts[number].constants = constants
    parts[number].parts = tree.connected(node).map { add($0) }
    return number
  }

  private func collect(
    _ id: SyntaxTree.ID, _ constants: inout [Value], _ seen: inout Set<Value>
  ) {
    let node = tree[id]
    if let literal = literal(node) {
      if seen.insert(literal).inserted { constants.append(literal) }
      return
    }
    for child in tree.operands(of: node) { collect(child, &constants, &seen) }
  }

  private func literal(_ node: SyntaxTree.Node) -> Value? {
    switch node.kind {
    case .bool: .bool(node.a == 1)
    case .int: .int(Int64(bitPattern: node.bits))
    case .uint: .uint(node.bits)
    case .double: .double(Double(bitPattern: node.bits))
    case .string: .string(tree.name(node.a, node.b))
    default: nil
    }
  }
}
