/// The sets extension of CEL: lists whose order and repetitions do not matter.
enum SetExtension {
  /// Calls a function of the extension.
  static func call(_ function: Function, _ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let left = operands.elements(0), let right = operands.elements(1) else {
      return operands.refused
    }
    let beginning = arena.mark
    defer { arena.release(to: beginning) }
    switch function {
    case .setContains: return verdict(holds(left, all: true, of: right, &arena))
    case .setEquivalent:
      guard let isPart = holds(left, all: true, of: right, &arena) else { return verdict(nil) }
      return isPart ? verdict(holds(right, all: true, of: left, &arena)) : .false
    case .setIntersects: return verdict(holds(left, all: false, of: right, &arena))
    default: return operands.noOverload
    }
  }

  private static func verdict(_ outcome: Bool?) -> Cell {
    outcome.map { Cell($0) } ?? Cell(fault: .limitExceeded)
  }

  /// Whether the list holds all, or any, of the elements; nil when a limit is reached.
  private static func holds(
    _ list: UnsafeBufferPointer<Cell>, all: Bool, of elements: UnsafeBufferPointer<Cell>,
    _ arena: inout Arena
  ) -> Bool? {
    guard let wanted = elements.baseAddress, elements.count > 0 else { return all }
    guard list.count > 0 else { return !all }
    guard var index = CellIndex(for: list, &arena) else { return nil }
    for i in 0..<list.count where index.insert(i) == nil { return nil }
    for i in 0..<elements.count {
      guard let isThere = index.contains(wanted + i) else { return nil }
      if isThere != all { return !all }
    }
    return all
  }
}
