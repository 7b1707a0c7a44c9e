extension ConditionGraph.LoopKind {
  /// Whether the loop is a test and not a value.
  var isCondition: Bool {
    switch self {
    case .all, .exists, .existsOne: true
    case .map, .transformMap, .transformMapEntry: false
    }
  }
}

/// Macros: loops over lists and maps, and bindings.
extension Lowering {
  static func loopKind(_ node: ConditionGraph.Node) -> ConditionGraph.LoopKind {
    ConditionGraph.LoopKind(rawValue: node.b % ConditionGraph.LoopKind.twoVariables) ?? .all
  }

  static func hasTwoVariables(_ node: ConditionGraph.Node) -> Bool {
    node.b & ConditionGraph.LoopKind.twoVariables != 0
  }

  private static func failsAtOnce(_ node: ConditionGraph.Node) -> Bool {
    node.b & ConditionGraph.LoopKind.failsAtOnce != 0
  }

  /// Finds the innermost body of nested bindings.
  func boundBody(_ node: Node) -> Node {
    var body = node
    while graph[body].kind == .bind { body = Int(graph[body].b) }
    return body
  }

  /// Emits bindings around a body. The body receives its node and the temporaries in use. There is no
  /// recursion, because `cel.block` nests hundreds of bindings.
  ///
  /// If a value fails, the variable stores the fault, and reading the variable is an error. Values that are in the
  /// frame already are read in place.
  mutating func bind(
    _ node: Node, _ depth: Int, _ emitBody: (inout Lowering, Node, Int) -> UInt32
  ) -> UInt32 {
    var depth = depth
    var bound: [(value: Node, place: UInt32, depth: Int)] = []
    var body = node
    while graph[body].kind == .bind {
      let content = graph[body]
      let value = Int(content.a)
      let place = operand(value, &depth)
      localPlaces[content.c] = place
      if !graph[value].kind.isInPlace { bound.append((value, place, depth)) }
      body = Int(content.b)
    }
    var start = emitBody(&self, body, depth)
    for (value, place, depth) in bound.reversed() {
      emit(.keep(to: place, next: start), value)
      start = self.value(value, to: place, next: start, fault: last, depth)
    }
    return start
  }

  /// The places that every loop needs, for range, iterator and variables.
  private struct Frame {
    var range: UInt32
    var iterator: UInt32
    var two: Bool
    var parts: [Node]
  }

  private mutating func begin(_ content: ConditionGraph.Node, _ depth: inout Int) -> Frame {
    let parts = graph.list(content.a).map(Int.init)
    let range = operand(parts[0], &depth)
    let iterator = temporary(&depth)
    let two = Lowering.hasTwoVariables(content)
    localPlaces[content.c] = temporary(&depth)
    if two { localPlaces[content.c + 1] = temporary(&depth) }
    return Frame(range: range, iterator: iterator, two: two, parts: parts)
  }

  /// Emits the rounds of a loop around a body, and the code before the first round. The body receives the
  /// target for the end of a round.
  private mutating func rounds(
    _ node: Node, _ frame: Frame, done: UInt32, fault: UInt32, _ depth: Int,
    _ body: (inout Lowering, _ again: UInt32) -> UInt32
  ) -> UInt32 {
    emit(.jump(0), node)
    let again = last
    loopDepth += 1
    let start = body(&self, again)
    loopDepth -= 1
    continueAt(start, node)
    emit(
      .next(frame.range, iterator: frame.iterator, two: frame.two, done: done, fault: fault), node)
    patch(again, to: last)
    emit(.beginLoop(frame.range, iterator: frame.iterator, fault: fault), node)
    return produce(frame.parts[0], frame.range, next: last, fault: fault, depth)
  }

  mutating func loopTest(
    _ node: Node, _ content: ConditionGraph.Node, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let frame = begin(content, &depth)
    if Lowering.failsAtOnce(content) {
      return searchingLoop(node, Lowering.loopKind(content), frame, targets, depth)
    }
    switch Lowering.loopKind(content) {
    case .existsOne: return existsOne(node, frame, targets, depth)
    case .exists: return quantifier(node, frame, isAll: false, targets, depth)
    default: return quantifier(node, frame, isAll: true, targets, depth)
    }
  }

  /// Emits `all` and `exists`. If one element decides, errors of other elements do not count.
  private mutating func quantifier(
    _ node: Node, _ frame: Frame, isAll: Bool, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    let chain = newChain()
    continueAt(isAll ? targets.yes : targets.no, node)
    emit(.check(chain: chain, fault: targets.fault), node)
    let done = last
    let start = rounds(node, frame, done: done, fault: targets.fault, depth) { lowering, again in
      lowering.emit(.pend(chain: chain, next: again), node)
      let kept = lowering.last
      return lowering.test(
        frame.parts[1],
        isAll
          ? Targets(yes: again, no: targets.no, fault: kept)
          : Targets(yes: targets.yes, no: again, fault: kept), depth)
    }
    return forget(chain, next: start, node)
  }

  /// Emits a loop that does not absorb errors: the first element that decides or fails ends the loop.
  private mutating func searchingLoop(
    _ node: Node, _ kind: ConditionGraph.LoopKind, _ frame: Frame, _ targets: Targets,
    _ depth: Int
  ) -> UInt32 {
    if kind == .existsOne { return onlyOne(node, frame, targets, depth) }
    let isAll = kind == .all
    return rounds(
      node, frame, done: isAll ? targets.yes : targets.no, fault: targets.fault, depth
    ) { lowering, again in
      lowering.test(
        frame.parts[1],
        isAll
          ? Targets(yes: again, no: targets.no, fault: targets.fault)
          : Targets(yes: targets.yes, no: again, fault: targets.fault), depth)
    }
  }

  /// Emits `exists_one`, which is false as soon as the body is true for a second element.
  private mutating func onlyOne(_ node: Node, _ frame: Frame, _ targets: Targets, _ depth: Int)
    -> UInt32
  {
    var depth = depth
    let found = temporary(&depth)
    emit(.branch(found, yes: targets.yes, no: targets.no), node)
    let done = last
    let start = rounds(node, frame, done: done, fault: targets.fault, depth) { lowering, again in
      lowering.continueAt(again, node)
      lowering.emit(.copy(UInt32(ConstantPool.true), to: found, fault: targets.fault), node)
      let first = lowering.last
      lowering.emit(.branch(found, yes: targets.no, no: first), node)
      return lowering.test(
        frame.parts[1], Targets(yes: lowering.last, no: again, fault: targets.fault), depth)
    }
    continueAt(start, node)
    emit(.copy(UInt32(ConstantPool.false), to: found, fault: targets.fault), node)
    return last
  }

  private mutating func existsOne(
    _ node: Node, _ frame: Frame, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let count = temporary(&depth)
    emit(.equalInt(count, constant: UInt32(ConstantPool.one), targets), node)
    let done = last
    let start = rounds(node, frame, done: done, fault: targets.fault, depth) { lowering, again in
      lowering.continueAt(again, node)
      lowering.emit(
        .add(count, UInt32(ConstantPool.one), to: count, fault: targets.fault), node)
      return lowering.test(
        frame.parts[1], Targets(yes: lowering.last, no: again, fault: targets.fault), depth)
    }
    continueAt(start, node)
    emit(.copy(UInt32(ConstantPool.zero), to: count, fault: targets.fault), node)
    return last
  }

  /// Emits `map`, `filter` and the transforming forms, which build a list or a map.
  mutating func loopValue(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let frame = begin(content, &depth)
    let kind = Lowering.loopKind(content)
    let built = temporary(&depth)
    let value = temporary(&depth)
    continueAt(next, node)
    emit(.copy(built, to: place, fault: fault), node)
    let done = last
    let start = rounds(node, frame, done: done, fault: fault, depth) { lowering, again in
      lowering.continueAt(again, node)
      switch kind {
      case .transformMap:
        lowering.emit(.insert(key: frame.iterator + 1, value, to: built, fault: fault), node)
      case .transformMapEntry: lowering.emit(.insertAll(value, to: built, fault: fault), node)
      default: lowering.emit(.append(value, to: built, fault: fault), node)
      }
      let body = lowering.value(
        frame.parts[2], to: value, next: lowering.last, fault: fault, depth)
      return lowering.test(
        frame.parts[1], Targets(yes: body, no: again, fault: fault), depth)
    }
    continueAt(start, node)
    emit(kind == .map ? .newList(built) : .newMap(built), node)
    return last
  }
}
