/// The constructs around a place of a template while it is emitted.
struct TemplatePlaces {
  /// A loop, or a partial that breaks cannot leave.
  struct Loop {
    /// The targets of a break and of a continue.
    var done: UInt32
    var again: UInt32
    /// The number of captures that were open around the loop.
    var captures: Int
    /// The place that stores a break until the end of the loop.
    var flag: UInt32?
  }

  struct Capture {
    var beginning: UInt32
    var variable: UInt32
  }

  /// Whether a template is being emitted. Missing values are then not faults.
  var isOpen = false
  /// The number of the template's variables. The places of these variables begin where temporaries begin.
  var variables: UInt32 = 0
  /// The target of breaks outside loops.
  var whole: Loop?
  var loops: [Loop] = []
  var captures: [Capture] = []
}

/// Templates: statements write strings and variables, and continue with the next one in any case. A statement
/// that fails is reported, and writes nothing.
extension Lowering {
  mutating func templateEntry(_ root: Node) -> UInt32 {
    let content = graph[root]
    template = TemplatePlaces(isOpen: true)
    defer { template = TemplatePlaces() }
    var depth = 0
    for _ in 0..<content.b { _ = temporary(&depth) }
    template.variables = content.b
    emit(.finish(UInt32(ConstantPool.null)), root)
    let end = last
    template.whole = TemplatePlaces.Loop(done: end, again: end, captures: 0)
    return statement(Int(content.a), next: end, depth)
  }

  /// Emits a statement that continues at `next`.
  mutating func statement(_ node: Node, next: UInt32, _ depth: Int) -> UInt32 {
    let content = graph[node]
    switch content.kind {
    case .statements:
      var start = next
      let first = Int(content.a)
      var i = first + Int(graph.lists[first])
      while i > first {
        start = statement(Int(graph.lists[i]), next: start, depth)
        i -= 1
      }
      return start
    case .text:
      continueAt(next, node)
      emit(.writeText(content.a), node)
      return last
    case .output: return output(node, content, next, depth)
    case .assign:
      let place = localPlace(content.b)
      let isInPlace = graph[Int(content.a)].kind.isInPlace
      let fault = isInPlace ? Lowering.finishFault : report(node, next)
      return value(Int(content.a), to: place, next: next, fault: fault, depth)
    case .capture: return capture(node, content, next, depth)
    case .choose: return choose(node, content, next, depth)
    case .items: return items(node, content, next, depth)
    case .leave: return leave(node, content)
    case .cell: return cell(node, content, next, depth)
    case .constant, .slot, .present, .not, .negate, .holds, .clause, .and, .or, .conditional,
      .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .select,
      .hasField, .index, .list, .map, .optionalElement, .call, .local, .bind, .loop, .raise,
      .rescue, .orElse, .slotOrNull, .sequence, .isThere, .truthy, .both, .firstTruthy, .compare,
      .equalEither, .testCall, .whenThere, .member, .arithmetic, .mapKeepingLast, .filter,
      .relation, .affirms, .template:
      // Values alone write nothing.
      return next
    }
  }

  /// Emits branches from the last to the first, without nested calls, because there may be many.
  private mutating func choose(
    _ node: Node, _ content: ConditionGraph.Node, _ next: UInt32, _ depth: Int
  ) -> UInt32 {
    var earlier: [Node] = []
    var last = content
    var lastNode = node
    while graph[Int(last.c)].kind == .choose {
      earlier.append(lastNode)
      lastNode = Int(last.c)
      last = graph[lastNode]
    }
    var start = branch(lastNode, no: statement(Int(last.c), next: next, depth), next, depth)
    for node in earlier.reversed() { start = branch(node, no: start, next, depth) }
    return start
  }

  private mutating func branch(_ node: Node, no: UInt32, _ next: UInt32, _ depth: Int) -> UInt32 {
    let content = graph[node]
    let fault = report(node, next)
    let yes = statement(Int(content.b), next: next, depth)
    return test(Int(content.a), Targets(yes: yes, no: no, fault: fault), depth)
  }

  /// Reports the last fault before continuing at `next`.
  private mutating func report(_ node: Node, _ next: UInt32) -> UInt32 {
    emit(.report(next: next), node)
    return last
  }

  private mutating func output(
    _ node: Node, _ content: ConditionGraph.Node, _ next: UInt32, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let place = operand(Int(content.a), &depth)
    let fault = report(node, next)
    emit(
      .write(place, form: OutputForm(rawValue: UInt8(content.b)) ?? .escaped, next: next), node)
    return produce(Int(content.a), place, next: last, fault: fault, depth)
  }

  private mutating func capture(
    _ node: Node, _ content: ConditionGraph.Node, _ next: UInt32, _ depth: Int
  ) -> UInt32 {
    var depth = depth
    let beginning = temporary(&depth)
    let variable = localPlace(content.b)
    let fault = report(node, next)
    continueAt(next, node)
    emit(.endCapture(beginning, to: variable, fault: fault), node)
    let end = last
    template.captures.append(TemplatePlaces.Capture(beginning: beginning, variable: variable))
    let start = statement(Int(content.a), next: end, depth)
    template.captures.removeLast()
    continueAt(start, node)
    emit(.beginCapture(to: beginning), node)
    return last
  }

  /// Emits a break, which ends the captures between the break and its loop.
  private mutating func leave(_ node: Node, _ content: ConditionGraph.Node) -> UInt32 {
    guard let loop = template.loops.last ?? template.whole else { return Lowering.finishFault }
    var start = content.a == 0 && loop.flag == nil ? loop.done : loop.again
    if let flag = loop.flag {
      continueAt(start, node)
      let kind = content.a == 0 ? ConstantPool.true : ConstantPool.one
      emit(.move(UInt32(kind), to: flag), node)
      start = last
    }
    for capture in template.captures[loop.captures...] {
      continueAt(start, node)
      emit(
        .endCapture(capture.beginning, to: capture.variable, fault: Lowering.finishFault), node)
      start = last
    }
    return start
  }

  /// Emits a loop over a list or a range. The loop's variable follows the iterator.
  private mutating func items(
    _ node: Node, _ content: ConditionGraph.Node, _ next: UInt32, _ depth: Int
  ) -> UInt32 {
    let parts = graph.list(content.a).map(Int.init)
    // The machine expects the variable directly after the iterator.
    let (range, iterator) = (localPlace(content.c + 1), localPlace(content.c - 1))
    let fault = report(node, next)
    let otherwise = statement(parts[2], next: next, depth)
    emit(.jump(0), node)
    let again = last
    // Breaks do not leave implicit loops.
    let isWritten = content.b == 0
    if isWritten {
      template.loops.append(
        TemplatePlaces.Loop(done: next, again: again, captures: template.captures.count))
    }
    let body = statement(parts[1], next: again, depth)
    if isWritten { template.loops.removeLast() }
    continueAt(body, node)
    emit(.next(range, iterator: iterator, two: false, done: next, fault: fault), node)
    patch(again, to: last)
    if otherwise != next {
      emit(.jump(body), node)
      emit(.next(range, iterator: iterator, two: false, done: otherwise, fault: fault), node)
    }
    emit(.move(UInt32(ConstantPool.zero), to: iterator), node)
    return value(parts[0], to: range, next: last, fault: fault, depth)
  }

  /// Emits a part of a loop's body that breaks do not leave. A variable stores the breaks.
  private mutating func cell(
    _ node: Node, _ content: ConditionGraph.Node, _ next: UInt32, _ depth: Int
  ) -> UInt32 {
    let flag = content.c == 2 ? nil : localPlace(content.b)
    template.loops.append(
      TemplatePlaces.Loop(
        done: next, again: next, captures: template.captures.count, flag: flag))
    defer { template.loops.removeLast() }
    let body = Int(content.a)
    guard content.c == 1, let flag, graph[body].kind == .statements else {
      return statement(body, next: next, depth)
    }
    // In liquidjs, after a break that was stored in an earlier round, only the first part is written.
    var start = next
    for (i, child) in graph.list(graph[body].a).map(Int.init).enumerated().reversed() {
      start = statement(child, next: start, depth)
      if i == 1 {
        emit(.affirms(flag, Targets(yes: next, no: start, fault: next)), node)
        start = last
      }
    }
    return start
  }

  /// Emits a filter, whose operands are consecutive.
  mutating func filter(
    _ node: Node, _ content: ConditionGraph.Node, to place: UInt32, _ next: UInt32,
    _ fault: UInt32, _ depth: Int
  ) -> UInt32 {
    let operands = graph.list(content.a)
    guard let function = LiquidFunction(rawValue: UInt8(content.b)) else { return next }
    var depth = depth
    continueAt(next, node)
    if operands.count == 1 {
      // A single operand is read in place.
      let only = Int(operands[operands.startIndex])
      let from = operand(only, &depth)
      emit(.filter(function, count: 1, first: from, to: place, fault: fault), node)
      return produce(only, from, next: last, fault: fault, depth)
    }
    let first = UInt32(temporaryBase + depth)
    for _ in operands { _ = temporary(&depth) }
    let count = UInt8(clamping: operands.count)
    emit(.filter(function, count: count, first: first, to: place, fault: fault), node)
    var start = last
    for (i, operand) in operands.enumerated().reversed() {
      start = value(Int(operand), to: first + UInt32(i), next: start, fault: fault, depth)
    }
    return start
  }
}
