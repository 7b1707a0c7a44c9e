/// Replaces operations on constants by their result, and literal lists and maps by constants.
///
/// An operation that would fail is not replaced, so that it fails when and where the program runs.
struct ConstantFolding {
  // SAFETY: Operands are cells of a local array, and pointers to them stay in their closures.
  // Results are copied from the local arena into the pool before the arena ends.
  // Tests: SpecializingTests, asan.

  /// The number of nodes at the beginning of the graph that do not change.
  private var unchanged = 0
  /// The new node for each visited node.
  private var replaced: [UInt32] = []
  /// Whether expressions without foldable nodes are skipped. The option is off only in tests, which compare both ways.
  private let looksFirst: Bool
  /// The number of bytes left for constants that do not occur in the source of the expression.
  private var room = 0
  /// The bytes that are available per expression. A short source can request many: `lists.range(60000)`. Larger
  /// constants are computed at run time, within the limits of an evaluation.
  static let roomPerExpression = 1 << 16
  /// The room that remains for all expressions of a program.
  private var roomInAll: Int
  static let roomPerProgram = 64 << 20

  init(looksFirst: Bool = true, roomInAll: Int = roomPerProgram) {
    self.looksFirst = looksFirst
    self.roomInAll = roomInAll
  }

  /// The node that replaces `root` after folding. Nodes refer only to nodes before them, so one pass over the
  /// nodes that the root needs is enough.
  mutating func fold(_ root: ConditionGraph.ID, in graph: inout ConditionGraph)
    -> ConditionGraph.ID
  {
    if looksFirst, replaced.isEmpty {
      if !ConstantFolding.hasWork(unchanged, root, graph) {
        unchanged = max(unchanged, root + 1)
        return root
      }
    }
    if replaced.isEmpty { replaced.reserveCapacity(root + 1 - unchanged) }
    room = min(ConstantFolding.roomPerExpression, roomInAll)
    let before = room
    defer { roomInAll -= before - room }
    while unchanged + replaced.count <= root {
      let id = unchanged + replaced.count
      let new = rebuilt(id, in: &graph)
      replaced.append(UInt32(new))
      graph.replaced(id, by: new)
    }
    return folded(UInt32(root))
  }

  func folded(_ id: UInt32) -> ConditionGraph.ID {
    let place = Int(id) - unchanged
    return place >= 0 && place < replaced.count ? Int(replaced[place]) : Int(id)
  }

  /// Whether some of the nodes can be folded because they have enough constant operands. Most expressions have
  /// no such node.
  static func hasWork(_ first: Int, _ last: Int, _ graph: borrowing ConditionGraph)
    -> Bool
  {
    func isConstant(_ id: UInt32) -> Bool { graph[Int(id)].kind == .constant }
    for id in stride(from: first, through: last, by: 1) {
      let node = graph[id]
      switch node.kind {
      case .constant, .slot, .present, .local, .loop, .optionalElement, .select, .hasField:
        continue
      case .not, .negate, .holds, .conditional:
        if isConstant(node.a) { return true }
      case .bind:
        if isConstant(node.b) { return true }
      case .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .index:
        if isConstant(node.a), isConstant(node.b) { return true }
      case .and, .or:
        for operand in graph.list(node.a) where isConstant(operand) { return true }
      case .list, .map, .call:
        if graph.list(node.a).allSatisfy(isConstant) { return true }
      case .clause, .raise, .rescue, .orElse, .slotOrNull, .sequence, .isThere, .truthy, .both,
        .firstTruthy, .compare, .equalEither, .testCall, .whenThere, .member, .arithmetic,
        .mapKeepingLast, .filter, .relation, .affirms, .text, .output, .statements, .choose,
        .assign, .capture, .items, .cell, .template, .leave:
        return true
      }
    }
    return false
  }

  /// Whether no operand of a list changes.
  func isUnchanged(_ list: ArraySlice<UInt32>) -> Bool {
    for operand in list where folded(operand) != Int(operand) { return false }
    return true
  }

  private mutating func rebuilt(_ id: ConditionGraph.ID, in graph: inout ConditionGraph)
    -> ConditionGraph.ID
  {
    let node = graph[id]
    let origin = graph.origins[id]
    switch node.kind {
    case .bind:
      // A value that is never read cannot cause an error.
      let body = folded(node.b)
      if graph.constant(body) != nil { return body }
    case .not, .negate:
      if let result = unary(node.kind, folded(node.a), graph) {
        return graph.addConstant(result, at: origin)
      }
    case .holds:
      let a = folded(node.a)
      if let constant = graph.constant(a), constant.tag == Tag.bool { return a }
    case .conditional:
      if let condition = graph.constant(folded(node.a)), condition.tag == Tag.bool {
        return folded(condition.boolValue ? node.b : node.c)
      }
    case .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .index:
      if let result = binary(node.kind, folded(node.a), folded(node.b), &graph) {
        return graph.addConstant(result, at: origin)
      }
    case .and, .or: return chain(id, node, origin, &graph)
    case .both, .firstTruthy: return superscriptChain(id, node, origin, &graph)
    case .list, .map, .call, .sequence, .testCall, .mapKeepingLast:
      if let place = constant(id, node, &graph) { return graph.add(.constant, place, at: origin) }
    case .rescue, .orElse, .isThere, .truthy, .compare, .equalEither, .whenThere, .arithmetic:
      if let known = superscript(node, origin, &graph) { return known }
    case .constant, .slot, .present, .local, .optionalElement, .select, .hasField, .clause, .loop,
      .raise, .slotOrNull, .member:
      // Nodes inside a clause may become constants, but the clause stays.
      break
    case .filter, .relation, .affirms, .text, .output, .statements, .choose, .assign, .capture,
      .items, .leave, .template, .cell:
      // Templates are not folded.
      return id
    }
    return graph.rebuilt(id) { folded($0) }
  }

  /// Folds `&&` and `||`. A constant that decides is the result, and the errors of other operands do not count.
  /// Constants that do not decide are left out while at least two operands remain.
  private func chain(
    _ id: Int, _ node: ConditionGraph.Node, _ origin: ConditionGraph.Origin,
    _ graph: inout ConditionGraph
  ) -> ConditionGraph.ID {
    let deciding = Cell(node.kind == .or)
    let list = graph.list(node.a)
    if isUnchanged(list), !list.contains(where: { graph[Int($0)].kind == .constant }) { return id }
    var operands: [Int] = []
    for operand in list.map({ folded($0) }) {
      guard let constant = graph.constant(operand), constant.tag == Tag.bool else {
        operands.append(operand)
        continue
      }
      if constant == deciding { return graph.addConstant(deciding, at: origin) }
    }
    if operands.isEmpty { return graph.addConstant(Cell(node.kind == .and), at: origin) }
    if operands.count == 1, graph[operands[0]].kind.isTest { return operands[0] }
    if operands.count == 1 {
      operands.append(graph.addConstant(Cell(node.kind == .and), at: origin))
    }
    return graph.add(node.kind, list: operands, at: origin)
  }

  /// The place of the constant that replaces a literal or a call of constants, or nil.
  private mutating func constant(
    _ id: Int, _ node: ConditionGraph.Node, _ graph: inout ConditionGraph
  ) -> Int? {
    let list = graph.list(node.a)
    if list.contains(where: { graph.constant(folded($0)) == nil }) { return nil }
    let cells = list.map { graph.constant(folded($0)) ?? .null }
    switch node.kind {
    case .list:
      return graph.constants.intern(Tag.list, count: cells.count, of: cells)
    case .map:
      return literalMap(cells, &graph)
    case .call:
      return call(graph.function(id), cells, &graph).map { graph.constants.intern($0) }
    default:
      return superscriptConstant(id, node.kind, cells, &graph)
    }
  }

  /// The constant of a map literal, or nil if a key is invalid.
  private func literalMap(_ cells: [Cell], _ graph: inout ConditionGraph) -> Int? {
    var arena = Arena(limit: 1 << 20)
    let isMap = cells.withUnsafeBufferPointer { cells in
      guard let base = cells.baseAddress else { return true }
      return CollectionFunctions.makeMap(base, cells.count / 2, in: &arena).isValue
    }
    return isMap ? graph.constants.intern(Tag.map, count: cells.count / 2, of: cells) : nil
  }

  // MARK: Operations on cells

  private func unary(_ kind: ConditionGraph.Kind, _ a: Int, _ graph: borrowing ConditionGraph)
    -> Cell?
  {
    guard let cell = graph.constant(a) else { return nil }
    if kind == .negate { return value(Arithmetic.negate(cell)) }
    return cell.tag == Tag.bool ? Cell(!cell.boolValue) : nil
  }

  private mutating func binary(
    _ kind: ConditionGraph.Kind, _ a: Int, _ b: Int, _ graph: inout ConditionGraph
  ) -> Cell? {
    guard let left = graph.constant(a), let right = graph.constant(b) else { return nil }
    switch kind {
    case .subtract: return value(Arithmetic.subtract(left, right))
    case .multiply: return value(Arithmetic.multiply(left, right))
    case .divide: return value(Arithmetic.divide(left, right))
    case .modulo: return value(Arithmetic.modulo(left, right))
    default: break
    }
    return withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right in
        switch kind {
        case .equal: return Cell(Comparing.areEqual(left, right))
        case .in: return value(CollectionFunctions.contains(right, left))
        case .index: return value(CollectionFunctions.index(left, right))
        case .less, .lessOrEqual:
          let order = Comparing.order(left, right)
          if order == .noOverload { return nil }
          return Cell(order == .less || kind == .lessOrEqual && order == .equal)
        default: return joined(left, right, &graph)
        }
      }
    }
  }

  /// The result of `+`. A joined list shares its elements, which are constants. A joined string is copied.
  private mutating func joined(
    _ left: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>, _ graph: inout ConditionGraph
  ) -> Cell? {
    var arena = Arena(limit: room)
    guard let sum = value(Arithmetic.add(left, right, in: &arena)) else { return nil }
    room -= arena.taken
    let place =
      sum.tag == Tag.list
      ? graph.constants.intern(Tag.list, count: sum.outsideCount, of: Array(sum.elements))
      : graph.constants.intern(sum)
    return graph.constants.cells[place]
  }

  /// Computes a call on constants. The arena is released afterwards, so results are copied into the pool. Patterns run
  /// later, because matching needs scratch memory.
  private mutating func call(_ function: Function?, _ cells: [Cell], _ graph: inout ConditionGraph)
    -> Cell?
  {
    guard let function, function.row.folds else { return nil }
    var arena = Arena(limit: room)
    let result = cells.withUnsafeBufferPointer { cells -> Cell? in
      guard let base = cells.baseAddress else { return nil }
      if let test = function.textTest.flatMap(Calls.body), cells.count == 2 {
        guard cells[0].isText, cells[1].isText else { return nil }
        return Cell(test(base.textBytes, (base + 1).textBytes))
      }
      return value(Calls.call(function, Operands(base, count: cells.count), &arena))
    }
    room -= arena.taken
    guard let result else { return nil }
    return graph.constants.copy(result)
  }

  private func value(_ cell: Cell) -> Cell? { cell.isValue ? cell : nil }
}
