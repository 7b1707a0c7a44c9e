/// Operations that write a value: operators, calls, literals.
extension Lowering {
  mutating func apply(
    _ node: Node, _ operands: [Node], _ next: UInt32, _ fault: UInt32, _ depth: Int,
    _ make: ([UInt32]) -> Instruction
  ) -> UInt32 {
    var depth = depth
    var places: [UInt32] = []
    for node in operands { places.append(operand(node, &depth)) }
    continueAt(next, node)
    emit(make(places), node)
    var first = last
    for (node, place) in zip(operands, places).reversed() {
      first = produce(node, place, next: first, fault: fault, depth)
    }
    return first
  }

  /// Emits a literal list or map. Its elements must be consecutive, so each is computed into, or copied to, its place.
  mutating func collection(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    let elements = graph.list(content.a).map(Int.init)
    if elements.contains(where: { graph[$0].kind == .optionalElement }) {
      return optionalCollection(node, elements, to: place, next, fault, depth)
    }
    var depth = depth
    let first = UInt32(temporaryBase + depth)
    for _ in elements { _ = temporary(&depth) }
    continueAt(next, node)
    let entries = UInt32(elements.count / 2)
    switch content.kind {
    case .map: emit(.makeMap(first: first, count: entries, to: place, fault: fault), node)
    case .mapKeepingLast:
      emit(.makeMapKeepingLast(first: first, count: entries, to: place, fault: fault), node)
    default:
      let count = UInt32(elements.count)
      emit(.makeList(first: first, count: count, to: place, fault: fault), node)
    }
    var start = last
    for (i, element) in elements.enumerated().reversed() {
      start = value(element, to: first + UInt32(i), next: start, fault: fault, depth)
    }
    return start
  }

  mutating func boolValue(
    _ node: Node, to place: UInt32, _ next: UInt32, _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    continueAt(next, node)
    emit(.copy(UInt32(ConstantPool.false), to: place, fault: fault), node)
    let no = last
    continueAt(next, node)
    emit(.copy(UInt32(ConstantPool.true), to: place, fault: fault), node)
    return test(node, Targets(yes: last, no: no, fault: fault), depth)
  }

  /// Builds a literal with optional elements one element at a time.
  private mutating func optionalCollection(
    _ node: Node, _ elements: [Node], to place: UInt32, _ next: UInt32, _ fault: UInt32,
    _ depth: Int
  ) -> UInt32 {
    let isMap = graph[node].kind == .map
    var depth = depth
    // Elements may read the previous value of the place, so the literal grows elsewhere.
    let built = temporary(&depth)
    let key = temporary(&depth)
    let held = temporary(&depth)
    continueAt(next, node)
    emit(.copy(built, to: place, fault: fault), node)
    var start = last
    let step = isMap ? 2 : 1
    for i in stride(from: elements.count - step, through: 0, by: -step) {
      let isOptional = graph[elements[i]].kind == .optionalElement
      let first = isOptional ? Int(graph[elements[i]].a) : elements[i]
      continueAt(start, node)
      if isMap {
        emit(
          isOptional
            ? .insertOptional(key: key, held, to: built, fault: fault)
            : .insert(key: key, held, to: built, fault: fault), node)
        let second = value(elements[i + 1], to: held, next: last, fault: fault, depth)
        start = value(first, to: key, next: second, fault: fault, depth)
      } else {
        emit(
          isOptional
            ? .appendOptional(held, to: built, fault: fault)
            : .append(held, to: built, fault: fault), node)
        start = value(first, to: held, next: last, fault: fault, depth)
      }
    }
    continueAt(start, node)
    emit(isMap ? .newMap(built) : .newList(built), node)
    return last
  }

  mutating func call(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    let operands = graph.list(content.a).map(Int.init)
    guard let function = graph.function(node) else { return next }
    let count = UInt8(clamping: operands.count)
    if function == .size {
      return apply(node, operands, next, fault, depth) { .size($0[0], to: place, fault: fault) }
    }
    if operands.count <= 2 {
      return apply(node, operands, next, fault, depth) { places in
        let a = places.first ?? UInt32(ConstantPool.null)
        return .call(
          function, count: count, a, places.count > 1 ? places[1] : a, to: place, fault: fault)
      }
    }
    var depth = depth
    let first = UInt32(temporaryBase + depth)
    for _ in operands { _ = temporary(&depth) }
    continueAt(next, node)
    emit(.callMany(function, count: count, first: first, to: place, fault: fault), node)
    var start = last
    for (i, operand) in operands.enumerated().reversed() {
      start = value(operand, to: first + UInt32(i), next: start, fault: fault, depth)
    }
    return start
  }
}
