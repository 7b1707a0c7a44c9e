/// Writes bindings, and restores calls that the checker replaced by bindings.
extension GraphWriter {
  /// Writes nested bindings, without recursion, because `cel.block` nests hundreds of bindings.
  mutating func bindings(_ id: Int) -> String {
    var opening = ""
    var closing = ""
    var id = id
    while storage.graph[id].kind == .bind {
      if let written = sorting(id) ?? alternative(id) { return opening + written + closing }
      let node = storage.graph[id]
      let value = text(Int(node.a), tighterThan: 0)
      opening += "cel.bind(\(GraphWriter.variable(node.c)), \(value), "
      closing += ")"
      id = Int(node.b)
    }
    return opening + text(id, tighterThan: 0) + closing
  }

  /// Writes `list.sortBy(x, key)` for a list that is computed.
  private mutating func sorting(_ id: Int) -> String? {
    let node = storage.graph[id]
    guard let (held, keys) = call(.sortByKeys, Int(node.b)), isVariable(held, node.c),
      storage.graph[keys].kind == .loop
    else { return nil }
    let loop = storage.graph[keys]
    let parts = storage.graph.list(loop.a).map { Int($0) }
    guard parts.count == 3, parts[0] == held, !mentions(parts[2], node.c) else { return nil }
    let key = text(parts[2], tighterThan: 0)
    let list = text(Int(node.a), tighterThan: 7)
    return "\(list).sortBy(\(GraphWriter.variable(loop.c)), \(key))"
  }

  /// Writes `a.or(b)` or `a.orValue(b)`.
  private mutating func alternative(_ id: Int) -> String? {
    let node = storage.graph[id]
    let choice = storage.graph[Int(node.b)]
    guard choice.kind == .conditional, let (tested, _) = call(.hasValue, Int(choice.a)),
      isVariable(tested, node.c)
    else { return nil }
    let (yes, no) = (Int(choice.b), Int(choice.c))
    if yes == tested, let (held, rest) = call(.or, no), held == tested, !mentions(rest, node.c) {
      let other = text(rest, tighterThan: 0)
      return "\(text(Int(node.a), tighterThan: 7)).or(\(other))"
    }
    guard let (held, _) = call(.value, yes), held == tested, !mentions(no, node.c) else {
      return nil
    }
    let other = text(no, tighterThan: 0)
    return "\(text(Int(node.a), tighterThan: 7)).orValue(\(other))"
  }

  /// The first and the last operand of a call of a function.
  private func call(_ function: Function, _ id: Int) -> (Int, Int)? {
    guard storage.graph[id].kind == .call, storage.graph.function(id) == function else {
      return nil
    }
    let operands = storage.graph.list(storage.graph[id].a)
    guard let first = operands.first, let last = operands.last else { return nil }
    return (Int(first), Int(last))
  }

  private func isVariable(_ id: Int, _ level: UInt32) -> Bool {
    storage.graph[id].kind == .local && storage.graph[id].a == level
  }

  private func mentions(_ id: Int, _ level: UInt32) -> Bool {
    storage.graph.nodes(below: id).contains { isVariable($0, level) }
  }
}
