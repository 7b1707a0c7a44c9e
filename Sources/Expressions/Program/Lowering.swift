/// Emits instructions for graph nodes, each expression from its end to its beginning.
///
/// Every function takes the instruction to continue at, and returns the index of the first instruction to run.
struct Lowering: ~Copyable {
  typealias Node = ConditionGraph.ID

  var graph: ConditionGraph
  private(set) var code: [Instruction] = []
  /// The node that each instruction belongs to, for explanations and error ranges.
  private(set) var nodeOf: [UInt32] = []
  private(set) var sets: [ConstantSet] = []
  private(set) var temporaries = 0
  /// The number of chains that store faults: in the current expression, and the maximum of all expressions.
  private var chains: UInt32 = 0
  private(set) var mostChains: UInt32 = 0
  /// The places of the variables of macros, by level.
  var localPlaces: [UInt32: UInt32] = [:]
  /// The open constructs around the current place of a template.
  var template = TemplatePlaces()
  /// The number of loops around the current place.
  var loopDepth = 0
  let slotBase: Int
  let temporaryBase: Int
  /// The pattern of a constant node, compiled by the program builder.
  let patternOf: [Node: UInt32]

  /// Indexes of the instructions that every program begins with.
  static let finishFault: UInt32 = 0
  static let finishFalse: UInt32 = 1
  static let finishTrue: UInt32 = 2

  init(_ graph: consuming ConditionGraph, patternOf: [Node: UInt32]) {
    self.patternOf = patternOf
    slotBase = graph.constants.cells.count
    temporaryBase = slotBase + graph.slots.count
    code.reserveCapacity(graph.nodes.count + 8)
    nodeOf.reserveCapacity(graph.nodes.count + 8)
    self.graph = graph
    emit(.finishFault, 0)
    emit(.finish(UInt32(ConstantPool.false)), 0)
    emit(.finish(UInt32(ConstantPool.true)), 0)
  }

  /// Emits a whole expression.
  mutating func entry(_ root: Node) -> UInt32 {
    chains = 0
    if graph[root].kind == .template { return templateEntry(root) }
    defer { mostChains = max(mostChains, chains) }
    if isCondition(root) {
      return test(
        root,
        Targets(yes: Lowering.finishTrue, no: Lowering.finishFalse, fault: Lowering.finishFault), 0)
    }
    if graph[root].kind == .rescue, let entry = rescuedEntry(root) { return entry }
    return valueEntry(root, fault: Lowering.finishFault)
  }

  private mutating func valueEntry(_ root: Node, fault: UInt32) -> UInt32 {
    var depth = 0
    let place = operand(root, &depth)
    emit(.finish(place), root)
    return produce(root, place, next: last, fault: fault, depth)
  }

  /// Emits an expression whose value is a constant if the expression fails with certain errors.
  private mutating func rescuedEntry(_ root: Node) -> UInt32? {
    let (inner, other) = (Int(graph[root].a), Int(graph[root].b))
    guard graph.constant(other) != nil else { return nil }
    // An attribute is read in place, so no rescue would see its fault.
    if graph[inner].kind == .slot, graph.canFail(inner) { return nil }
    emit(.finish(graph[other].a), root)
    let kinds = FaultSet(rawValue: graph[root].c)
    emit(.rescue(kinds, caught: last, other: Lowering.finishFault), root)
    let fault = last
    guard isCondition(inner) else { return valueEntry(inner, fault: fault) }
    return test(
      inner, Targets(yes: Lowering.finishTrue, no: Lowering.finishFalse, fault: fault), 0)
  }

  /// Emits expressions that are tried one after the other. A run from one of the starts returns the place, as an
  /// int, of the first expression from there on that is exactly true, or null.
  ///
  /// One run over many conditions costs less than a run for each, because there is no setup between them. Work
  /// and memory are reset before every condition that could reach a limit, so that each has the limits of a
  /// separate run.
  ///
  /// - Parameters:
  ///   - roots: the expressions. Nil means true.
  ///   - places: the places of the constants 0, 1, 2 ...
  mutating func choice(_ roots: [Node?], places: [Int]) -> [UInt32] {
    chains = 0
    defer { mostChains = max(mostChains, chains) }
    var starts = [UInt32](repeating: 0, count: roots.count)
    emit(.finish(UInt32(ConstantPool.null)), 0)
    var next = last
    for (i, root) in roots.enumerated().reversed() {
      emit(.finish(UInt32(places[i])), root ?? 0)
      if let root {
        let first = code.count
        let start = match(root, Targets(yes: last, no: next, fault: next))
        next = start
        if code[first...].contains(where: { !$0.isWithinAnyLimit }) {
          continueAt(start, root)
          emit(.renew, root)
          next = last
        }
      } else {
        next = last
      }
      starts[i] = next
    }
    return starts
  }

  /// Emits a whole expression as a test. Every clause of the expression is then a test, even if the clause is used as a
  /// value.
  mutating func condition(_ root: Node) -> UInt32 {
    chains = 0
    defer { mostChains = max(mostChains, chains) }
    return match(
      root,
      Targets(yes: Lowering.finishTrue, no: Lowering.finishFalse, fault: Lowering.finishFault))
  }

  /// Tests whether an expression evaluates to exactly true.
  private mutating func match(_ root: Node, _ targets: Targets) -> UInt32 {
    // The value that replaces a fault is not true either.
    if graph[root].kind == .rescue, graph.constant(Int(graph[root].b)) != .true {
      return match(Int(graph[root].a), targets)
    }
    return isCondition(root) ? test(root, targets, 0) : testValue(root, targets, 0)
  }

  // MARK: Emitting

  var last: UInt32 { UInt32(code.count - 1) }

  /// Replaces a jump that was written before its target was known, at the end of a loop.
  mutating func patch(_ jump: UInt32, to target: UInt32) { code[Int(jump)] = .jump(target) }

  mutating func emit(_ instruction: Instruction, _ node: Node) {
    code.append(instruction)
    nodeOf.append(UInt32(node))
  }

  /// Ensures that running falls through to `next`.
  mutating func continueAt(_ next: UInt32, _ node: Node) {
    if next != last { emit(.jump(next), node) }
  }

  mutating func temporary(_ depth: inout Int) -> UInt32 {
    defer { depth += 1 }
    temporaries = max(temporaries, depth + 1)
    return UInt32(temporaryBase + depth)
  }

  // MARK: Operands

  /// The place of a node's value. Constants and attributes are read in place.
  mutating func operand(_ node: Node, _ depth: inout Int) -> UInt32 {
    let content = graph[node]
    guard content.kind.isInPlace else { return temporary(&depth) }
    if content.kind == .local { return localPlace(content.a) }
    return content.kind == .slot ? UInt32(slotBase) + content.a : content.a
  }

  /// The place of the variable at a level. The variables of a template are consecutive.
  func localPlace(_ level: UInt32) -> UInt32 {
    if level < template.variables { return UInt32(temporaryBase) + level }
    return localPlaces[level] ?? UInt32(ConstantPool.null)
  }

  /// Emits the computation of an operand, unless the operand is read in place.
  mutating func produce(
    _ node: Node, _ place: UInt32, next: UInt32, fault: UInt32, _ depth: Int
  ) -> UInt32 {
    graph[node].kind.isInPlace
      ? next : value(node, to: place, next: next, fault: fault, depth)
  }

  // MARK: Conditions

  /// Whether the result of a node is always a bool or an error.
  func isCondition(_ node: Node) -> Bool {
    let content = graph[node]
    switch content.kind {
    case .constant: return graph.constant(node)?.tag == Tag.bool
    case .clause: return isCondition(Int(content.a))
    case .conditional: return isCondition(Int(content.b)) && isCondition(Int(content.c))
    case .call: return graph.function(node)?.textTest != nil
    case .loop: return Lowering.loopKind(content).isCondition
    case .bind: return isCondition(boundBody(node))
    default: return content.kind.isTest
    }
  }

  mutating func test(_ node: Node, _ targets: Targets, _ depth: Int) -> UInt32 {
    let content = graph[node]
    let (a, b) = (Int(content.a), Int(content.b))
    switch content.kind {
    case .constant:
      if let cell = graph.constant(node), cell.tag == Tag.bool {
        return cell.boolValue ? targets.yes : targets.no
      }
      return testValue(node, targets, depth)
    case .present:
      emit(.present(UInt32(slotBase) + content.a, targets), node)
      return last
    case .not: return test(a, targets.negated, depth)
    case .holds:
      return test(a, Targets(yes: targets.yes, no: targets.no, fault: targets.no), depth)
    case .clause: return clause(node, test(a, targets, depth))
    case .and, .or: return chain(node, graph.list(content.a), targets, depth)
    case .conditional:
      let no = test(Int(content.c), targets, depth)
      let yes = test(b, targets, depth)
      return test(a, Targets(yes: yes, no: no, fault: targets.fault), depth)
    case .equal where graph[a].kind != .orElse: return equal(node, a, b, targets, depth)
    case .equal, .compare, .equalEither, .testCall:
      return relation(node, targets, depth, ifMissing: nil)
    case .less: return binary(node, a, b, targets, depth) { .less($0, $1, targets) }
    case .lessOrEqual: return binary(node, a, b, targets, depth) { .lessOrEqual($0, $1, targets) }
    case .in: return membership(node, a, b, targets, depth)
    case .hasField:
      return unary(node, a, targets, depth) { .hasField($0, name: content.b, targets) }
    case .call: return callTest(node, content, targets, depth)
    case .affirms: return unary(node, a, targets, depth) { .affirms($0, targets) }
    case .relation:
      let relation = LiquidRelation(rawValue: UInt8(content.c)) ?? .equal
      return binary(node, a, b, targets, depth) { .relation($0, $1, targets, relation) }
    case .loop where Lowering.loopKind(content).isCondition:
      return loopTest(node, content, targets, depth)
    case .bind where isCondition(node): return bind(node, depth) { $0.test($1, targets, $2) }
    case .isThere: return isThere(node, a, targets, depth)
    case .truthy: return truthy(a, node, targets, depth)
    case .both: return both(node, graph.list(content.a).map(Int.init), targets, depth)
    case .whenThere: return whenThere(a, targets, depth)
    case .slot, .negate, .add, .subtract, .multiply, .divide, .modulo, .select, .index, .list,
      .map, .optionalElement, .local, .loop, .bind, .raise, .rescue, .orElse, .slotOrNull,
      .sequence, .firstTruthy, .member, .arithmetic, .mapKeepingLast, .filter, .text, .output,
      .statements, .choose, .assign, .capture, .items, .cell, .template, .leave:
      return testValue(node, targets, depth)
    }
  }

  /// Begins a clause of an explanation with a separate jump, which identifies the clause in a trace.
  mutating func clause(_ node: Node, _ first: UInt32) -> UInt32 {
    emit(.jump(first), node)
    return last
  }

  mutating func testValue(_ node: Node, _ targets: Targets, _ depth: Int) -> UInt32 {
    unary(node, node, targets, depth) { .isTrue($0, targets) }
  }

  mutating func unary(
    _ node: Node, _ a: Node, _ targets: Targets, _ depth: Int,
    _ make: (UInt32) -> Instruction
  ) -> UInt32 {
    var depth = depth
    let place = operand(a, &depth)
    emit(make(place), node)
    return produce(a, place, next: last, fault: targets.fault, depth)
  }

  mutating func binary(
    _ node: Node, _ a: Node, _ b: Node, _ targets: Targets, _ depth: Int,
    _ make: (UInt32, UInt32) -> Instruction
  ) -> UInt32 {
    var depth = depth
    let left = operand(a, &depth)
    let right = operand(b, &depth)
    emit(make(left, right), node)
    let second = produce(b, right, next: last, fault: targets.fault, depth)
    return produce(a, left, next: second, fault: targets.fault, depth)
  }

  mutating func equal(
    _ node: Node, _ a: Node, _ b: Node, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    let (tested, other) = graph.constant(a) != nil ? (b, a) : (a, b)
    guard let constant = graph.constant(other) else {
      return binary(node, a, b, targets, depth) { .equal($0, $1, targets) }
    }
    let place = graph[other].a
    if Lowering.isIdentity(constant) {
      return unary(node, tested, targets, depth) { .equalBits($0, constant: place, targets) }
    }
    if constant.tag == Tag.int {
      return unary(node, tested, targets, depth) { .equalInt($0, constant: place, targets) }
    }
    return unary(node, tested, targets, depth) { .equal($0, place, targets) }
  }

  /// Whether a value must have identical bits to equal this constant.
  static func isIdentity(_ cell: Cell) -> Bool {
    cell.isShortText || cell.tag == Tag.bool || cell.tag == Tag.null
  }

  mutating func membership(
    _ node: Node, _ a: Node, _ b: Node, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    if let list = graph.constant(b), list.tag == Tag.list {
      let place = graph[b].a
      if list.outsideCount <= 8, list.elements.allSatisfy(Lowering.isIdentity) {
        return unary(node, a, targets, depth) { .inBits($0, list: place, targets) }
      }
      if let number = constantSet(list) {
        return unary(node, a, targets, depth) { .inSet($0, set: number, targets) }
      }
    }
    return binary(node, a, b, targets, depth) { .isIn($0, $1, targets) }
  }

  /// The number of a hash index over a constant list, or nil if the list cannot have an index.
  mutating func constantSet(_ list: Cell) -> UInt32? {
    guard let set = ConstantSet(list.elements, memory: graph.constants.memory) else { return nil }
    sets.append(set)
    return UInt32(sets.count - 1)
  }

  mutating func callTest(
    _ node: Node, _ content: ConditionGraph.Node, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    let list = graph.list(content.a)
    guard let test = graph.function(node)?.textTest, list.count == 2 else {
      return testValue(node, targets, depth)
    }
    let operands = (Int(list[list.startIndex]), Int(list[list.startIndex + 1]))
    switch test {
    case .contains:
      return binary(node, operands.0, operands.1, targets, depth) {
        .contains($0, $1, targets)
      }
    case .startsWith:
      return binary(node, operands.0, operands.1, targets, depth) {
        .startsWith($0, $1, targets)
      }
    case .endsWith:
      return binary(node, operands.0, operands.1, targets, depth) {
        .endsWith($0, $1, targets)
      }
    case .matches:
      if let pattern = patternOf[operands.1] {
        return unary(node, operands.0, targets, depth) {
          .matches($0, pattern: pattern, targets)
        }
      }
      return binary(node, operands.0, operands.1, targets, depth) {
        .matchesText($0, $1, targets)
      }
    }
  }

  /// `&&` and `||` absorb errors: an operand that fails is skipped while a later one may still decide. The fault is
  /// stored under the chain's number. If no operand decides, the end of the chain checks for a stored fault.
  mutating func chain(
    _ node: Node, _ operands: ArraySlice<UInt32>, _ targets: Targets, _ depth: Int
  ) -> UInt32 {
    let isAnd = graph[node].kind == .and
    let earlier = operands.dropLast()
    guard let lastOperand = operands.last else { return isAnd ? targets.yes : targets.no }
    var pending: UInt32?
    if earlier.contains(where: { canFail(Int($0)) }) {
      pending = newChain()
    }

    // Undecided after the last operand: the chain is true (and) or false (or), unless an operand failed.
    var undecided = isAnd ? targets.yes : targets.no
    if let pending {
      continueAt(undecided, node)
      emit(.check(chain: pending, fault: targets.fault), node)
      undecided = last
    }
    func operandTargets(next: UInt32, fault: UInt32) -> Targets {
      isAnd
        ? Targets(yes: next, no: targets.no, fault: fault)
        : Targets(yes: targets.yes, no: next, fault: fault)
    }
    var next = test(
      Int(lastOperand), operandTargets(next: undecided, fault: targets.fault), depth)
    for operand in earlier.reversed().lazy.map({ Int($0) }) {
      var fault = targets.fault
      if let pending, canFail(operand) {
        emit(.pend(chain: pending, next: next), node)
        fault = last
      }
      next = test(operand, operandTargets(next: next, fault: fault), depth)
    }
    return pending.map { forget($0, next: next, node) } ?? next
  }

  /// In a loop, a chain must not read the fault that it stored in the previous round.
  mutating func forget(_ chain: UInt32, next: UInt32, _ node: Node) -> UInt32 {
    guard loopDepth > 0 else { return next }
    continueAt(next, node)
    emit(.forget(chain: chain), node)
    return last
  }

  /// A number under which a chain stores a fault.
  mutating func newChain() -> UInt32 {
    defer { chains += 1 }
    return chains
  }

  /// Whether evaluating a node can end in a fault.
  func canFail(_ node: Node) -> Bool {
    let content = graph[node]
    switch content.kind {
    case .constant: return graph.constant(node)?.tag != Tag.bool
    case .holds: return false
    case .not: return canFail(Int(content.a))
    case .and, .or: return graph.list(content.a).contains { canFail(Int($0)) }
    case .slot, .present, .negate, .clause, .conditional, .equal, .less, .lessOrEqual, .in, .add,
      .subtract, .multiply, .divide, .modulo, .select, .hasField, .index, .list, .map,
      .optionalElement, .call, .local, .bind, .loop, .raise, .rescue, .orElse, .slotOrNull,
      .sequence, .isThere, .truthy, .both, .firstTruthy, .compare, .equalEither, .testCall,
      .whenThere, .member, .arithmetic, .mapKeepingLast, .filter, .relation, .affirms, .text,
      .output, .statements, .choose, .assign, .capture, .items, .cell, .template, .leave:
      return true
    }
  }

  // MARK: Values

  mutating func value(
    _ node: Node, to place: UInt32, next: UInt32, fault: UInt32, _ depth: Int
  ) -> UInt32 {
    let content = graph[node]
    let (a, b) = (Int(content.a), Int(content.b))
    func with(_ operands: [Node], _ make: ([UInt32]) -> Instruction) -> UInt32 {
      apply(node, operands, next, fault, depth, make)
    }
    switch content.kind {
    case .constant, .slot, .local: return copy(node, to: place, next, fault)
    case .filter: return filter(node, content, to: place, next, fault, depth)
    case .clause: return clause(node, value(a, to: place, next: next, fault: fault, depth))
    case .conditional:
      let no = value(Int(content.c), to: place, next: next, fault: fault, depth)
      let yes = value(b, to: place, next: next, fault: fault, depth)
      return test(a, Targets(yes: yes, no: no, fault: fault), depth)
    case .negate: return with([a]) { .negate($0[0], to: place, fault: fault) }
    case .add: return with([a, b]) { .add($0[0], $0[1], to: place, fault: fault) }
    case .subtract: return with([a, b]) { .subtract($0[0], $0[1], to: place, fault: fault) }
    case .multiply: return with([a, b]) { .multiply($0[0], $0[1], to: place, fault: fault) }
    case .divide: return with([a, b]) { .divide($0[0], $0[1], to: place, fault: fault) }
    case .modulo: return with([a, b]) { .modulo($0[0], $0[1], to: place, fault: fault) }
    case .select: return with([a]) { .select($0[0], name: content.b, to: place, fault: fault) }
    case .index: return with([a, b]) { .index($0[0], $0[1], to: place, fault: fault) }
    case .member:
      let isFunction = content.c == 1
      return with([a]) {
        .member($0[0], name: content.b, to: place, fault: fault, isFunction: isFunction)
      }
    case .arithmetic:
      let operation = Superscript.Operator(rawValue: UInt8(truncatingIfNeeded: content.c)) ?? .add
      return with([a, b]) { .arithmetic($0[0], $0[1], to: place, fault: fault, operation) }
    case .call where !isCondition(node): return call(node, content, to: place, next, fault, depth)
    case .bind:
      return bind(node, depth) { $0.value($1, to: place, next: next, fault: fault, $2) }
    case .loop where !Lowering.loopKind(content).isCondition:
      return loopValue(node, content, to: place, next, fault, depth)
    case .list, .map, .mapKeepingLast:
      return collection(node, content, to: place, next, fault, depth)
    case .raise: return raise(content, fault: fault, node)
    case .rescue: return rescued(node, content, to: place, next, fault, depth)
    case .orElse: return orElse(node, a, b, to: place, next, fault, depth)
    case .slotOrNull: return slotOrNull(node, content, to: place, next, fault)
    case .sequence:
      return sequence(graph.list(content.a).map(Int.init), to: place, next, fault, depth)
    case .firstTruthy:
      return firstTruthy(node, graph.list(content.a).map(Int.init), place, next, fault, depth)
    case .present, .not, .holds, .and, .or, .equal, .less, .lessOrEqual, .in, .hasField, .call,
      .loop, .isThere, .truthy, .both, .compare, .equalEither, .testCall, .whenThere, .affirms,
      .relation:
      return boolValue(node, to: place, next, fault, depth)
    case .optionalElement, .text, .output, .statements, .choose, .assign, .capture, .items, .cell,
      .template, .leave:
      // The node is neither a value nor a test. Raising an error here avoids infinite recursion.
      emit(.raise(.noSuchOverload, fault: fault), node)
      return last
    }
  }

  /// Copies a value that is in the frame already, at another place.
  private mutating func copy(
    _ node: Node, to place: UInt32, _ next: UInt32, _ fault: UInt32
  ) -> UInt32 {
    var none = 0
    let from = operand(node, &none)
    continueAt(next, node)
    emit(template.isOpen ? .move(from, to: place) : .copy(from, to: place, fault: fault), node)
    return last
  }
}
