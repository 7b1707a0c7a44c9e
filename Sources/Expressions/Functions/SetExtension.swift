/// The sets extension of CEL: lists whose order and repetitions do not matter.
enum SetExtension {
  // SAFETY: Tags are checked before elements are read. The index is in the arena.
  // Tests: ListExtensionTests, HostileInputTests.

  /// Whether the first list contains all elements of the second list.
  static func contains(_ operands: Operands, _ arena: inout Arena) -> Cell {
    compare(operands, &arena) { holds($0, all: true, of: $1, &$2) }
  }

  /// Whether each of two lists contains all elements of the other.
  static func areEquivalent(_ operands: Operands, _ arena: inout Arena) -> Cell {
    compare(operands, &arena) { left, right, arena in
      guard let isPart = holds(left, all: true, of: right, &arena) else { return nil }
      return isPart ? holds(right, all: true, of: left, &arena) : false
    }
  }

  /// Whether the first list contains an element of the second list.
  static func intersect(_ operands: Operands, _ arena: inout Arena) -> Cell {
    compare(operands, &arena) { holds($0, all: false, of: $1, &$2) }
  }

  /// Calls the body with two lists, and releases the arena memory that it used.
  private static func compare(
    _ operands: Operands, _ arena: inout Arena,
    _ body: (UnsafeBufferPointer<Cell>, UnsafeBufferPointer<Cell>, inout Arena) -> Bool?
  ) -> Cell {
    guard let left = operands.elements(0), let right = operands.elements(1) else {
      return operands.refused
    }
    let beginning = arena.mark
    defer { arena.release(to: beginning) }
    return body(left, right, &arena).map { Cell($0) } ?? Cell(fault: .limitExceeded)
  }

  /// Whether the list contains all, or any, of the elements. The result is nil if a limit is reached.
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
