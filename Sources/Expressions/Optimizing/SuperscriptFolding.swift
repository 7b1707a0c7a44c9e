/// Folds the nodes that superscript adds to the graph.
extension ConstantFolding {
  /// The replacement for a node whose operands are folded, or nil if the node does not change.
  func superscript(
    _ node: ConditionGraph.Node, _ origin: ConditionGraph.Origin, _ graph: inout ConditionGraph
  ) -> ConditionGraph.ID? {
    let a = folded(node.a)
    switch node.kind {
    case .rescue, .orElse:
      // A constant cannot fail.
      if graph.constant(a) != nil { return a }
      return node.kind == .orElse && isMissing(a, graph) ? folded(node.b) : nil
    case .compare, .arithmetic:
      return operation(node, a, folded(node.b), graph).map { graph.addConstant($0, at: origin) }
    case .truthy:
      return graph.constant(a).map {
        graph.addConstant(Cell(Superscript.isTruthy($0)), at: origin)
      }
    case .equalEither:
      guard let cell = graph.constant(a) else { return nil }
      let cells = graph.constants.cells
      let isEqual = [node.b, node.c].contains { areEqual(cell, cells[Int($0)]) }
      return graph.addConstant(Cell(isEqual), at: origin)
    case .isThere:
      if graph.constant(a) != nil { return graph.addConstant(.true, at: origin) }
      return isMissing(a, graph) ? graph.addConstant(.false, at: origin) : nil
    case .whenThere:
      // A relation of constants reads no attribute.
      if graph.constant(a) != nil { return a }
      return isLeftMissing(a, graph) ? graph.addConstant(.false, at: origin) : nil
    default: return nil
    }
  }

  /// Folds `&&` and `||`. Constants that have no effect are removed, and so are operands after a constant that ends an
  /// `||`. Operands of `&&` are evaluated even if one operand is false, because they may fail.
  func superscriptChain(
    _ id: ConditionGraph.ID, _ node: ConditionGraph.Node, _ origin: ConditionGraph.Origin,
    _ graph: inout ConditionGraph
  ) -> ConditionGraph.ID {
    let list = graph.list(node.a)
    if isUnchanged(list), !list.contains(where: { graph[Int($0)].kind == .constant }) { return id }
    let all = list.map { folded($0) }
    var kept: [ConditionGraph.ID] = []
    if node.kind == .firstTruthy {
      for operand in all {
        let isTrue = graph.constant(operand).map(Superscript.isTruthy)
        if isTrue != false || operand == all.last { kept.append(operand) }
        if isTrue == true { break }
      }
      return kept.count == 1 ? kept[0] : graph.add(.firstTruthy, list: kept, at: origin)
    }
    kept = all.filter { graph.constant($0) == nil }
    let isFalse = all.contains { graph.constant($0).map(Superscript.isTruthy) == false }
    if isFalse { kept.removeAll { !graph.canFail($0) } }
    if isFalse || kept.isEmpty { kept.append(graph.addConstant(Cell(!isFalse), at: origin)) }
    if kept.count > 1 { return graph.add(.both, list: kept, at: origin) }
    return graph.constant(kept[0]) == nil ? graph.add(.truthy, kept[0], at: origin) : kept[0]
  }

  /// The place of the constant that replaces a test or a map of constants, or nil.
  func superscriptConstant(
    _ id: ConditionGraph.ID, _ kind: ConditionGraph.Kind, _ cells: [Cell],
    _ graph: inout ConditionGraph
  ) -> Int? {
    // SAFETY: Pointers to the cells stay in their closures. The pool copies results before the
    // local arena ends. Tests: SpecializingTests, asan.
    switch kind {
    case .sequence: return cells.last.map { graph.constants.intern($0) }
    case .testCall:
      guard let function = graph.function(id), cells.count == 2 else { return nil }
      var work = 0
      let result = cells.withUnsafeBufferPointer { cells -> Cell? in
        guard let base = cells.baseAddress else { return nil }
        return Superscript.test(function, base, base + 1, &work)
      }
      return result.flatMap { $0.isValue ? graph.constants.intern($0) : nil }
    case .mapKeepingLast:
      var arena = Arena(limit: 1 << 20)
      let map = cells.withUnsafeBufferPointer { cells -> Cell? in
        guard let base = cells.baseAddress else { return Cell(tag: Tag.map, count: 0, at: nil) }
        return Superscript.makeMap(base, cells.count / 2, in: &arena)
      }
      guard let map, map.isValue else { return nil }
      return graph.constants.intern(
        Tag.map, count: map.outsideCount, of: map.entries.map { $0 })
    default: return nil
    }
  }

  /// Whether a node is an attribute that is known to be missing.
  private func isMissing(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) -> Bool {
    guard graph[id].kind == .constant else { return false }
    switch graph.constants.cells[Int(graph[id].a)].tag {
    case Tag.missing, Tag.unreachable, Tag.behindValue: return true
    default: return false
    }
  }

  private func isLeftMissing(_ relation: ConditionGraph.ID, _ graph: borrowing ConditionGraph)
    -> Bool
  {
    guard let left = graph.operands(of: relation).first else { return false }
    return graph[relation].kind == .not ? isLeftMissing(left, graph) : isMissing(left, graph)
  }

  private func areEqual(_ a: Cell, _ b: Cell) -> Bool {
    withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { Comparing.areEqual(a, $0) } }
  }

  /// The result of a comparison, or of arithmetic on numbers, or nil if it is not known.
  private func operation(
    _ node: ConditionGraph.Node, _ a: Int, _ b: Int, _ graph: borrowing ConditionGraph
  ) -> Cell? {
    // SAFETY: Pointers to the local cells stay in their closures. An arena without room means that all results are
    // numbers and bools. Tests: SpecializingTests, asan.
    guard let left = graph.constant(a), let right = graph.constant(b) else { return nil }
    let number = UInt8(truncatingIfNeeded: node.c)
    let result = withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right -> Cell? in
        if node.kind == .compare {
          return Superscript.Comparison(rawValue: number).map {
            Superscript.compare(left, right, $0)
          }
        }
        guard Tag.int...Tag.double ~= left.pointee.tag, Tag.int...Tag.double ~= right.pointee.tag
        else { return nil }
        var arena = Arena(limit: 0)
        return Superscript.Operator(rawValue: number).map {
          Superscript.apply($0, left, right, in: &arena)
        }
      }
    }
    return result.flatMap { $0.isValue ? $0 : nil }
  }
}
