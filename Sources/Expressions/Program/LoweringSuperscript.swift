/// Instructions for the nodes that superscript adds to the graph.
extension Lowering {
  /// The target for faults if some kinds of faults are caught.
  private mutating func rescue(
    _ kinds: FaultSet, caught: UInt32, other: UInt32, _ node: Node
  ) -> UInt32 {
    emit(.rescue(kinds, caught: caught, other: other), node)
    return last
  }

  // MARK: Values

  /// Emits a value that is replaced by another value if it fails with certain faults.
  mutating func rescued(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    var fault = fault
    if content.c != 0 {
      let other = value(Int(content.b), to: place, next: next, fault: fault, depth)
      fault = rescue(FaultSet(rawValue: content.c), caught: other, other: fault, node)
    }
    return value(Int(content.a), to: place, next: next, fault: fault, depth)
  }

  mutating func slotOrNull(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32
  ) -> UInt32 {
    continueAt(next, node)
    emit(.orNull(UInt32(slotBase) + content.a, to: place, fault: fault), node)
    return last
  }

  /// Emits nodes in order. The result is the value of the last node.
  mutating func sequence(
    _ parts: [Node], to place: UInt32, _ next: UInt32, _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    var start = value(parts[parts.count - 1], to: place, next: next, fault: fault, depth)
    for part in parts.dropLast().reversed() {
      start = effect(part, next: start, fault: fault, depth)
    }
    return start
  }

  mutating func raise(_ content: ConditionGraph.Node, fault: UInt32, _ node: Node)
    -> UInt32
  {
    let kind = EvaluationError.Kind(rawValue: UInt8(truncatingIfNeeded: content.a))
    emit(.raise(kind ?? .noSuchOverload, fault: fault), node)
    return last
  }

  mutating func orElse(
    _ node: Node, _ a: Node, _ b: Node, to place: UInt32, _ next: UInt32, _ fault: UInt32,
    _ depth: Int
  ) -> UInt32 {
    if graph[a].kind == .slot, graph[b].kind == .constant {
      continueAt(next, node)
      emit(.orElse(UInt32(slotBase) + graph[a].a, graph[b].a, to: place, fault: fault), node)
      return last
    }
    let other = value(b, to: place, next: next, fault: fault, depth)
    let caught = rescue(.missing, caught: other, other: fault, node)
    return value(a, to: place, next: next, fault: caught, depth)
  }

  /// Emits `a || b` as a value: the first operand that is truthy, or the last operand.
  mutating func firstTruthy(
    _ node: Node, _ operands: [Node], _ place: UInt32, _ next: UInt32, _ fault: UInt32,
    _ depth: Int
  ) -> UInt32 {
    var start = value(
      operands[operands.count - 1], to: place, next: next, fault: fault, depth)
    for operand in operands.dropLast().reversed() {
      if isCondition(operand) {
        let no = start
        continueAt(next, node)
        emit(.copy(UInt32(ConstantPool.true), to: place, fault: fault), node)
        start = test(operand, Targets(yes: last, no: no, fault: fault), depth)
      } else {
        emit(.isTruthy(place, Targets(yes: next, no: start, fault: fault)), node)
        start = value(operand, to: place, next: last, fault: fault, depth)
      }
    }
    return start
  }

  /// Evaluates a node only because it may fail. The value is not used.
  mutating func effect(_ node: Node, next: UInt32, fault: UInt32, _ depth: Int) -> UInt32 {
    guard graph.canFail(node) else { return next }
    if isCondition(node), graph[node].kind != .clause {
      return test(node, Targets(yes: next, no: next, fault: fault), depth)
    }
    switch graph[node].kind {
    case .raise: return raise(graph[node], fault: fault, node)
    case .clause:
      return clause(node, effect(Int(graph[node].a), next: next, fault: fault, depth))
    default:
      var depth = depth
      let scratch = temporary(&depth)
      return value(node, to: scratch, next: next, fault: fault, depth)
    }
  }

  // MARK: Conditions

  /// Emits a relation that is false if an attribute of its left side is missing.
  mutating func whenThere(_ a: Node, _ targets: Targets, _ depth: Int) -> UInt32 {
    let isNegated = graph[a].kind == .not
    // In variants of expressions, constants replace other nodes.
    if graph.constant(isNegated ? Int(graph[a].a) : a) != nil { return test(a, targets, depth) }
    return relation(
      isNegated ? Int(graph[a].a) : a, isNegated ? targets.negated : targets, depth,
      ifMissing: Settled(outcome: isNegated, target: targets.no))
  }

  mutating func isThere(_ node: Node, _ a: Node, _ targets: Targets, _ depth: Int)
    -> UInt32
  {
    emit(.settle(false, targets.no), node)
    let caught = rescue(.missing, caught: last, other: targets.fault, node)
    if graph[a].kind == .slot {
      let slot = UInt32(slotBase) + graph[a].a
      emit(.present(slot, Targets(yes: targets.yes, no: targets.no, fault: caught)), node)
      return last
    }
    emit(.settle(true, targets.yes), node)
    return effect(a, next: last, fault: caught, depth)
  }

  mutating func truthy(_ a: Node, _ node: Node, _ targets: Targets, _ depth: Int)
    -> UInt32
  {
    if isCondition(a) { return test(a, targets, depth) }
    let content = graph[a]
    switch content.kind {
    case .firstTruthy:
      var no = targets.no
      for operand in graph.list(content.a).reversed() {
        let next = Targets(yes: targets.yes, no: no, fault: targets.fault)
        no = truthy(Int(operand), Int(operand), next, depth)
      }
      return no
    case .conditional:
      let no = truthy(Int(content.c), Int(content.c), targets, depth)
      let yes = truthy(Int(content.b), Int(content.b), targets, depth)
      return test(Int(content.a), Targets(yes: yes, no: no, fault: targets.fault), depth)
    case .raise: return raise(content, fault: targets.fault, a)
    case .clause: return clause(a, truthy(Int(content.a), Int(content.a), targets, depth))
    case .constant where graph.constant(a) == nil, .slot:
      // The instruction treats a missing value as false, which is only right if there is a default.
      var depth = depth
      let place = temporary(&depth)
      emit(.isTruthy(place, targets), a)
      return value(a, to: place, next: last, fault: targets.fault, depth)
    case .orElse where graph[Int(content.a)].kind == .slot && isNull(Int(content.b)):
      emit(.isTruthy(UInt32(slotBase) + graph[Int(content.a)].a, targets), a)
      return last
    default:
      return unary(a, a, targets, depth) { .isTruthy($0, targets) }
    }
  }

  private func isNull(_ node: Node) -> Bool { graph.constant(node)?.tag == Tag.null }

  /// Emits `a && b`, whose operands are all evaluated. A failing operand is a fault, regardless of the other operands.
  mutating func both(
    _ node: Node, _ operands: [Node], _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    let later = operands.dropFirst().filter { graph.canFail($0) }
    if later.isEmpty || later.allSatisfy({ isSmall($0) }) {
      return bothInTwoWays(operands, targets, depth)
    }
    return bothWithFlag(node, operands, targets, depth)
  }

  /// Emits each operand twice: for the case that all earlier operands were true, and for the case that only its errors
  /// matter.
  private mutating func bothInTwoWays(
    _ operands: [Node], _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    // The target for each operand if it is false.
    var whenFalse = [targets.no]
    for operand in operands.dropFirst().reversed() {
      whenFalse.append(
        effect(operand, next: whenFalse[whenFalse.count - 1], fault: targets.fault, depth))
    }
    var next = targets.yes
    for (operand, no) in zip(operands.reversed(), whenFalse) {
      next = truthy(
        operand, operand, Targets(yes: next, no: no, fault: targets.fault), depth)
    }
    return next
  }

  /// Emits each operand once, and stores in a cell whether one was false.
  private mutating func bothWithFlag(
    _ node: Node, _ operands: [Node], _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let flag = temporary(&depth)
    emit(.branch(flag, yes: targets.yes, no: targets.no), node)
    var next = last
    // The next operand that may fail. If no later operand can fail, a false operand decides immediately.
    var nextFailing: UInt32?
    for operand in operands.reversed() {
      var no = targets.no
      if let nextFailing {
        continueAt(nextFailing, node)
        emit(.copy(UInt32(ConstantPool.false), to: flag, fault: targets.fault), node)
        no = last
      }
      next = truthy(
        operand, operand, Targets(yes: next, no: no, fault: targets.fault), depth)
      if graph.canFail(operand) { nextFailing = next }
    }
    continueAt(next, node)
    emit(.copy(UInt32(ConstantPool.true), to: flag, fault: targets.fault), node)
    return last
  }

  /// Whether a node is a relation or a call with few nodes below it, so that emitting it twice costs little.
  private func isSmall(_ node: Node) -> Bool {
    var open = [node]
    var count = 0
    while let id = open.popLast() {
      count += 1
      switch graph[id].kind {
      case .both, .firstTruthy, .conditional, .loop, .rescue: return false
      default: open += graph.operands(of: id)
      }
      if count > 16 { return false }
    }
    return true
  }

  // MARK: Relations

  /// The result of a test if an attribute on its left side is missing.
  struct Settled {
    var outcome: Bool
    var target: UInt32
  }

  /// Emits a relation of two operands, left before right.
  mutating func relation(
    _ node: Node, _ targets: Targets, _ depth: Int, ifMissing: Settled?
  ) -> UInt32 {
    var (left, right) = sides(node)
    var settled = ifMissing
    var missingFault = targets.fault
    if settled == nil, let (slot, outcome) = settledDefault(node, left, right) {
      left = slot
      switch outcome {
      case .outcome(let isTrue):
        settled = Settled(outcome: isTrue, target: isTrue ? targets.yes : targets.no)
      case .fault(let kind):
        emit(.raise(kind, fault: targets.fault), node)
        missingFault = rescue(.missing, caught: last, other: targets.fault, node)
      }
    }
    if let settled {
      emit(.settle(settled.outcome, settled.target), node)
      missingFault = rescue(.missing, caught: last, other: targets.fault, node)
    }
    if let other = right, graph.constant(left) != nil, graph[node].kind == .equal {
      // Equality is symmetric, and has faster instructions with a constant on the right.
      (left, right) = (other, left)
    }
    var depth = depth
    let place = operand(left, &depth)
    guard let right, !graph[right].kind.isInPlace else {
      let inPlace = right.map { operand($0, &depth) }
      emitRelation(
        node, place, right, inPlace,
        Targets(yes: targets.yes, no: targets.no, fault: missingFault))
      return produce(left, place, next: last, fault: missingFault, depth)
    }
    let rightPlace = operand(right, &depth)
    emitRelation(node, place, right, rightPlace, targets)
    let second = produce(right, rightPlace, next: last, fault: targets.fault, depth)
    if graph[left].kind == .slot, let settled {
      emit(
        .skipIfMissing(place, next: second, missing: settled.target, fault: targets.fault), node)
      return last
    }
    return produce(left, place, next: second, fault: missingFault, depth)
  }

  /// The operands of a relation. A relation with constants has no right side.
  private func sides(_ node: Node) -> (left: Node, right: Node?) {
    let operands = graph.operands(of: node)
    return (operands[0], operands.count > 1 ? operands[1] : nil)
  }

  private enum Default {
    case outcome(Bool)
    case fault(EvaluationError.Kind)
  }

  /// The attribute of a relation with a constant, and the relation's result if the attribute is missing. Nil if a
  /// missing attribute does not count as a constant.
  private func settledDefault(_ node: Node, _ left: Node, _ right: Node?) -> (Node, Default)? {
    // SAFETY: Pointers to the local cells stay in their closures. Tests: ReferenceTests,
    // SuperscriptReferenceTests.
    guard graph[left].kind == .orElse else { return nil }
    let (slot, other) = (Int(graph[left].a), Int(graph[left].b))
    guard graph[slot].kind == .slot, let zero = graph.constant(other) else { return nil }
    let content = graph[node]
    if content.kind == .equalEither {
      let isEqual = [content.b, content.c].contains {
        areEqual(zero, graph.constants.cells[Int($0)])
      }
      return (slot, .outcome(isEqual))
    }
    guard let right, let constant = graph.constant(right) else { return nil }
    var work = 0
    let result = withUnsafePointer(to: zero) { zero in
      withUnsafePointer(to: constant) { constant -> Cell? in
        switch content.kind {
        case .equal: Cell(Comparing.areEqual(zero, constant))
        case .compare: Superscript.compare(zero, constant, comparison(content))
        case .testCall where graph.function(node) == .isWithin:
          Superscript.isWithin(zero, constant, &work)
        default: nil
        }
      }
    }
    guard let result else { return nil }
    if result.tag == Tag.bool { return (slot, .outcome(result.boolValue)) }
    return (slot, .fault(EvaluationError(fault: result).kind))
  }

  private func areEqual(_ a: Cell, _ b: Cell) -> Bool {
    withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { Comparing.areEqual(a, $0) } }
  }

  private func comparison(_ content: ConditionGraph.Node) -> Superscript.Comparison {
    Superscript.Comparison(rawValue: UInt8(truncatingIfNeeded: content.c)) ?? .less
  }

  /// Emits one or two instructions that read the operands.
  private mutating func emitRelation(
    _ node: Node, _ a: UInt32, _ right: Node?, _ b: UInt32?, _ targets: Targets
  ) {
    let content = graph[node]
    let b = b ?? a
    switch content.kind {
    case .equalEither:
      emit(.equal(a, content.c, targets), node)
      let first = Targets(yes: targets.yes, no: last, fault: targets.fault)
      emit(equality(a, content.b, first), node)
    case .compare: emit(.compare(a, b, targets, comparison(content)), node)
    case .testCall: emit(.testCall(a, b, targets, graph.function(node) ?? .isWithin), node)
    case .in: emit(membership(a, right ?? node, b, targets), node)
    default:
      let isConstant = right.map { graph.constant($0) != nil } ?? false
      emit(isConstant ? equality(a, b, targets) : .equal(a, b, targets), node)
    }
  }

  private func equality(_ a: UInt32, _ constant: UInt32, _ targets: Targets) -> Instruction {
    let cell = graph.constants.cells[Int(constant)]
    if Lowering.isIdentity(cell) { return .equalBits(a, constant: constant, targets) }
    return cell.tag == Tag.int
      ? .equalInt(a, constant: constant, targets) : .equal(a, constant, targets)
  }

  private mutating func membership(
    _ a: UInt32, _ right: Node, _ place: UInt32, _ targets: Targets
  ) -> Instruction {
    guard let list = graph.constant(right), list.tag == Tag.list else {
      return .isIn(a, place, targets)
    }
    if list.outsideCount <= 8, list.elements.allSatisfy(Lowering.isIdentity) {
      return .inBits(a, list: place, targets)
    }
    return constantSet(list).map { .inSet(a, set: $0, targets) } ?? .isIn(a, place, targets)
  }
}
