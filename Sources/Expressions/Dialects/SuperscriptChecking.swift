/// Turns superscript's expressions into graph nodes.
///
/// The original rewrites an expression before it evaluates it. A missing attribute becomes null, or the
/// zero of the literal that it is compared with. A string of digits is also compared as a number. The
/// strings "true" and "false" are bools. All of this is decided here, once. The rewriting depends on the
/// place (``Rewriting``) and on the generation of the evaluator (``EvaluatorBehavior``).
extension Checker {
  /// Checks a whole expression. The expression is null if it fails with an undeclared name or a comparison with null.
  /// In the behavior `raw`, these two failures are errors.
  mutating func checkSuperscript(_ root: SyntaxTree.ID) -> ConditionGraph.ID {
    graph.variables = environment.variables
    guard environment.behavior != .raw else { return matched(root) }
    keptPaths = environment.behavior == .skip ? tree.pathsComparedWithStrings : []
    let whole = origin(tree[root])
    let null = graph.addConstant(.null, at: whole)
    let nullish = FaultSet(.undeclaredName, .nullComparison)
    return rescue(matched(root), null, nullish, whole)
  }

  /// The result of an expression: its value, or whether the value is truthy. A clause that is the whole expression has
  /// this result too.
  private mutating func matched(_ root: SyntaxTree.ID) -> ConditionGraph.ID {
    let node = tree[root]
    if node.kind == .clause { return clause(node) { $0.matched(Int(node.a)) } }
    let value = superscript(root, environment.behavior == .raw ? .nothing : .everything)
    return environment.takesTruthForTrue ? addCall(.superscriptTruth, [value], origin(node)) : value
  }

  mutating func superscript(_ id: SyntaxTree.ID, _ rewriting: Rewriting) -> ConditionGraph.ID {
    let node = tree[id]
    let origin = origin(node)
    switch node.kind {
    case .null, .bool, .int, .double, .bytes: return check(id)
    case .string: return text(node, rewriting)
    case .identifier: return superscriptVariable(node)
    case .select: return superscriptMember(id, node, rewriting)
    case .index: return superscriptIndex(node, rewriting)
    case .call: return superscriptCall(node, rewriting)
    case .message:
      let value = superscript(Int(node.a), .nothing)
      return sequence([value, raise(.noSuchOverload, origin)], origin)
    case .list: return graph.add(.list, list: all(tree.list(node.c), rewriting), at: origin)
    case .map: return superscriptMap(node, rewriting)
    case .not:
      let truth = truthy(superscript(Int(node.a), rewriting), origin)
      return node.c == 1 ? truth : graph.add(.not, truth, at: origin)
    case .negate:
      let value = superscript(Int(node.a), rewriting)
      return addCall(node.c == 1 ? .sameNumber : .negateWrapping, [value], origin)
    case .and: return graph.add(.both, list: all(tree.list(node.c), rewriting), at: origin)
    case .or: return graph.add(.firstTruthy, list: all(tree.list(node.c), rewriting), at: origin)
    case .conditional:
      let condition = truthy(superscript(Int(node.a), rewriting), origin)
      let yes = superscript(Int(node.b), rewriting)
      return graph.add(
        .conditional, condition, yes, superscript(Int(node.c), rewriting), at: origin)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in:
      return superscriptRelation(node, rewriting)
    case .add: return superscriptArithmetic(.add, node, rewriting)
    case .subtract: return superscriptArithmetic(.subtract, node, rewriting)
    case .multiply: return superscriptArithmetic(.multiply, node, rewriting)
    case .divide: return superscriptArithmetic(.divide, node, rewriting)
    case .modulo: return superscriptArithmetic(.modulo, node, rewriting)
    case .invalid, .uint, .optionalSelect, .optionalIndex, .optionalElement:
      // The parser never creates such a node.
      return raise(.noSuchOverload, origin)
    case .clause: return clause(node) { $0.superscript(Int(node.a), rewriting) }
    }
  }

  private mutating func all(_ ids: ArraySlice<UInt32>, _ rewriting: Rewriting)
    -> [ConditionGraph.ID]
  {
    ids.map { superscript(Int($0), rewriting) }
  }

  // MARK: Nodes

  mutating func raise(_ kind: EvaluationError.Kind, _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    graph.add(.raise, Int(kind.rawValue), at: origin)
  }

  mutating func rescue(
    _ node: ConditionGraph.ID, _ other: ConditionGraph.ID, _ kinds: FaultSet,
    _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    graph.add(.rescue, node, other, Int(kinds.rawValue), at: origin)
  }

  mutating func orNull(_ node: ConditionGraph.ID, _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    graph.add(.orElse, node, graph.addConstant(.null, at: origin), at: origin)
  }

  /// Evaluates all nodes in order. The value is the value of the last node.
  mutating func sequence(_ nodes: [ConditionGraph.ID], _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    let last = nodes[nodes.count - 1]
    let needed = nodes.dropLast().filter { graph.canFail($0) } + [last]
    return needed.count == 1 ? last : graph.add(.sequence, list: needed, at: origin)
  }

  /// Checks an attribute that may be missing before a later operand can fail. Other attributes are only read when their
  /// operation runs.
  mutating func readFirst(_ node: ConditionGraph.ID, before other: ConditionGraph.ID)
    -> ConditionGraph.ID
  {
    guard graph[node].kind == .slot, graph.canFail(node), graph.canFail(other) else {
      return node
    }
    return rescue(node, node, [], graph.origins[node])
  }

  private mutating func truthy(_ node: ConditionGraph.ID, _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    graph.add(.truthy, node, at: origin)
  }

  private mutating func superscriptArithmetic(
    _ operation: Superscript.Operator, _ node: SyntaxTree.Node, _ rewriting: Rewriting
  ) -> ConditionGraph.ID {
    var left = superscript(Int(node.a), rewriting)
    let right = superscript(Int(node.b), rewriting)
    left = readFirst(left, before: right)
    return graph.add(.arithmetic, left, right, Int(operation.rawValue), at: origin(node))
  }

  // MARK: Literals

  private mutating func text(_ node: SyntaxTree.Node, _ rewriting: Rewriting)
    -> ConditionGraph.ID
  {
    graph.addConstant(literalText(node, rewriting), at: origin(node))
  }

  /// The strings "true" and "false" are bools, and in some behaviors numeric strings are numbers, except where nothing
  /// is rewritten. A long string is a view of the tree's text.
  private mutating func literalText(_ node: SyntaxTree.Node, _ rewriting: Rewriting) -> Cell {
    if rewriting != .nothing {
      let text = tree.text(node.a, node.b)
      if text.elementsEqual("true".utf8) { return .true }
      if text.elementsEqual("false".utf8) { return .false }
      if environment.behavior.readsNumbers,
        let number = tree.withText(node.a, node.b, { RustNumbers.normalized($0) })
      {
        return number
      }
    }
    let place = tree.withText(node.a, node.b) { graph.constants.intern(text: $0) }
    return graph.constants.cells[place]
  }

  /// The value of a literal, or nil for any other node.
  private mutating func literal(_ id: SyntaxTree.ID) -> Cell? {
    let node = tree[id]
    switch node.kind {
    case .null: return .null
    case .bool: return Cell(node.a == 1)
    case .int: return Cell(Int64(bitPattern: node.bits))
    case .double: return Cell(Double(bitPattern: node.bits))
    case .string: return literalText(node, .everything)
    case .bytes: return Cell(tag: Tag.bytes, count: 0, at: nil)
    default: return nil
    }
  }

  /// The value of a missing attribute that is compared with a literal.
  private static func zero(for literal: Cell) -> Cell {
    switch literal.tag {
    case Tag.bool: .false
    case Tag.int: Cell(Int64(0))
    case Tag.uint: Cell(UInt64(0))
    case Tag.double: Cell(0.0)
    case Tag.longText, Tag.shortText...: .emptyText
    default: .null
    }
  }

  private mutating func superscriptMap(_ node: SyntaxTree.Node, _ rewriting: Rewriting)
    -> ConditionGraph.ID
  {
    let parts = tree.list(node.c).enumerated().map { number, id -> ConditionGraph.ID in
      let part = superscript(Int(id), rewriting)
      guard number % 2 == 0 else { return part }
      guard let key = graph.constant(part) else {
        return addCall(.requireKey, [part], origin(tree[Int(id)]))
      }
      return Superscript.isKey(key) ? part : raise(.badMapKey, origin(tree[Int(id)]))
    }
    return graph.add(.mapKeepingLast, list: parts, at: origin(node))
  }

  // MARK: Relations

  private mutating func superscriptRelation(_ node: SyntaxTree.Node, _ rewriting: Rewriting)
    -> ConditionGraph.ID
  {
    let (left, right) = (Int(node.a), Int(node.b))
    if rewriting == .nothing {
      let (a, b) = (superscript(left, .nothing), superscript(right, .nothing))
      return relation(node, readFirst(a, before: b), b)
    }
    switch tree[left].kind {
    case .select, .index, .message:
      let value = superscript(left, .nothing)
      let other = superscript(right, rewriting)
      guard let literal = literal(right) else {
        return graph.add(.whenThere, relation(node, value, other), at: origin(node))
      }
      let zero = graph.addConstant(Checker.zero(for: literal), at: origin(tree[left]))
      let filled = graph.add(.orElse, value, zero, at: origin(tree[left]))
      return coerced(node, filled, other, literal)
    case .call where isUnansweredCall(tree[left]):
      // The function is known to be unanswered, so the result is decided now.
      _ = unknownFunction(tree[left], .null)
      guard let literal = literal(right) else {
        return graph.addConstant(.false, at: origin(node))
      }
      let zero = graph.addConstant(Checker.zero(for: literal), at: origin(tree[left]))
      return coerced(node, zero, superscript(right, rewriting), literal)
    default:
      let a = superscript(left, rewriting)
      let b = superscript(right, rewriting)
      return coerced(node, readFirst(a, before: b), b, literal(right))
    }
  }

  /// A relation in which a literal string of digits is also compared as its number.
  private mutating func coerced(
    _ node: SyntaxTree.Node, _ a: ConditionGraph.ID, _ b: ConditionGraph.ID, _ right: Cell?
  ) -> ConditionGraph.ID {
    guard environment.behavior == .text, node.kind == .equal || node.kind == .notEqual else {
      return relation(node, a, b)
    }
    var tested = a
    var choices = right.flatMap(Checker.choices)
    if choices == nil, let left = literal(Int(node.a)) {
      tested = b
      choices = Checker.choices(left)
    }
    guard let choices else { return relation(node, a, b) }
    let (text, number) = (
      graph.constants.intern(choices.text), graph.constants.intern(choices.number)
    )
    let equal = graph.add(.equalEither, tested, text, number, at: origin(node))
    return node.kind == .equal ? equal : graph.add(.not, equal, at: origin(node))
  }

  /// A literal string of digits and its number, or nil for any other literal.
  private static func choices(_ literal: Cell) -> (text: Cell, number: Cell)? {
    guard literal.isText else { return nil }
    // SAFETY: The view of the local cell stays in the closure. Tests: SuperscriptProgramTests.
    return withUnsafePointer(to: literal) { RustNumbers.number($0.textBytes) }
      .map { (literal, $0) }
  }

  private mutating func relation(
    _ node: SyntaxTree.Node, _ a: ConditionGraph.ID, _ b: ConditionGraph.ID
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let (a, b) = operands(of: node, a, b)
    func comparison(_ comparison: Superscript.Comparison, _ graph: inout ConditionGraph)
      -> ConditionGraph.ID
    {
      graph.add(.compare, a, b, Int(comparison.rawValue), at: origin)
    }
    switch node.kind {
    case .equal: return graph.add(.equal, a, b, at: origin)
    case .notEqual: return graph.add(.not, graph.add(.equal, a, b, at: origin), at: origin)
    case .less: return comparison(.less, &graph)
    case .lessOrEqual: return comparison(.lessOrEqual, &graph)
    case .greater: return comparison(.greater, &graph)
    case .greaterOrEqual: return comparison(.greaterOrEqual, &graph)
    default:
      // For a list literal, CEL's `in` means the same and has faster instructions.
      if tree[Int(node.b)].kind == .list { return graph.add(.in, a, b, at: origin) }
      return graph.add(.testCall, list: [a, b], Int(Function.isWithin.rawValue), at: origin)
    }
  }
}
