/// The behavior `skip`: numeric strings become numbers where an expression reads them, except at paths that the
/// expression compares with string literals.
///
/// Attributes are stored in frames as in the behavior `text`, because two expressions of a program can read the same
/// attribute in both ways. A node around the attribute converts the strings to numbers. The node is omitted if the
/// numbers cannot change the result of a relation.
extension Checker {
  /// The node that reads a path. In all behaviors except `skip`, this is the attribute's node.
  mutating func readNumbers(
    _ node: ConditionGraph.ID, of path: [String], _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    guard environment.readsNumbersInGraph else { return node }
    let kept = KeptPaths.text(KeptPaths.below(KeptPaths.joined(path), among: keptPaths))
    // SAFETY: The pool copies the text inside the closure. Tests: SuperscriptReferenceTests.
    let place = kept.withUnsafeBufferPointer { graph.constants.intern(text: $0) }
    let paths = graph.add(.constant, place, at: origin)
    return addCall(.readNumbers, [node, paths], origin)
  }

  /// The operands of a relation. Attributes are not converted where numbers would make no difference.
  mutating func operands(
    of node: SyntaxTree.Node, _ a: ConditionGraph.ID, _ b: ConditionGraph.ID
  ) -> (ConditionGraph.ID, ConditionGraph.ID) {
    guard environment.readsNumbersInGraph else { return (a, b) }
    if let constant = graph.constant(b) { return (withStrings(a, beside: constant, node.kind), b) }
    if let constant = graph.constant(a) { return (a, withStrings(b, beside: constant, node.kind)) }
    if node.kind == .in, graph[b].kind == .list {
      // In a list literal, the elements are not folded yet.
      let elements = graph.list(graph[b].a).map { graph.constant(Int($0)) }
      guard elements.allSatisfy({ $0.map { Checker.isNoNumber($0) } ?? false }) else {
        return (a, b)
      }
      return (withStrings(a) { _ in true }, b)
    }
    return (a, b)
  }

  private mutating func withStrings(
    _ id: ConditionGraph.ID, beside constant: Cell, _ relation: SyntaxTree.Kind
  ) -> ConditionGraph.ID {
    let isScalar = constant.tag != Tag.list && constant.tag != Tag.map
    let isEquality = relation == .equal || relation == .notEqual
    return withStrings(id) { keepsOwn in
      // A string that stays a string is compared unchanged. Strings inside a list or map are not compared.
      keepsOwn ? isScalar : isEquality && Checker.isNoNumber(constant)
    }
  }

  /// The attribute itself, without the conversion to numbers.
  ///
  /// - Parameter isSame: returns whether the result is the same without the conversion. The argument is whether the
  ///   attribute's own strings stay strings.
  private mutating func withStrings(_ id: ConditionGraph.ID, _ isSame: (Bool) -> Bool)
    -> ConditionGraph.ID
  {
    let node = graph[id]
    if node.kind == .orElse {
      let strings = withStrings(Int(node.a), isSame)
      return strings == Int(node.a)
        ? id : graph.add(.orElse, strings, Int(node.b), at: graph.origins[id])
    }
    guard node.kind == .call, graph.function(id) == .readNumbers,
      let kept = graph.list(node.a).last.flatMap({ graph.constant(Int($0)) })
    else { return id }
    return isSame(KeptPaths.holdsOwn(kept)) ? graph.strings(of: id) : id
  }

  /// Whether a value equals neither a number nor a numeric string.
  private static func isNoNumber(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.null, Tag.bool, Tag.bytes: true
    case Tag.longText, Tag.shortText...: ValueBinding.number(cell).isText
    default: false
    }
  }
}

extension ConditionGraph {
  /// The attribute whose strings a node converts to numbers, or the node itself if it converts nothing.
  func strings(of id: ID) -> ID {
    guard self[id].kind == .call, function(id) == .readNumbers else { return id }
    return Int(list(self[id].a)[list(self[id].a).startIndex])
  }
}

extension SyntaxTree {
  /// The paths of attributes that are operands of a relation with a string literal. Arguments of calls and
  /// indexes in `[...]` are not searched.
  var pathsComparedWithStrings: [[UInt8]] {
    var paths: [[UInt8]] = []
    collect(root, &paths)
    return paths
  }

  private func collect(_ id: ID, _ paths: inout [[UInt8]]) {
    let node = self[id]
    switch node.kind {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in:
      for (literal, other) in [(node.b, node.a), (node.a, node.b)]
      where self[Int(literal)].kind == .string {
        guard let names = names(Int(other)) else { continue }
        let path = KeptPaths.joined(names)
        if !paths.contains(path) { paths.append(path) }
      }
    default: break
    }
    for operand in searched(node) { collect(operand, &paths) }
  }

  private func searched(_ node: Node) -> [ID] {
    switch node.kind {
    case .call: list(node.c).prefix(1).filter { $0 > 0 }.map { Int($0) - 1 }
    case .index, .message: [Int(node.a)]
    default: operands(of: node)
    }
  }

  private func names(_ id: ID) -> [String]? {
    let node = self[id]
    switch node.kind {
    case .identifier: return [name(node.a, node.b)]
    case .select: return names(Int(node.a)).map { $0 + [name(node.b, node.c)] }
    case .index:
      let key = self[Int(node.b)]
      guard key.kind == .string else { return nil }
      return names(Int(node.a)).map { $0 + [name(key.a, key.b)] }
    default: return nil
    }
  }
}
