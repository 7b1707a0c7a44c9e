internal import CivilTime

/// Arithmetic as CEL defines it: number types are not mixed, overflow is an error, division truncates, and `+` also
/// joins strings, bytes and lists. A failed result contains the reason.
enum Arithmetic {
  // SAFETY: Tags are checked before bytes or elements are read. New strings and lists have room for
  // the sum of both counts, and are written whole. Tests: AnyOperandsTests.neverTraps,
  // ReferenceTests.

  static func add(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, in arena: inout Arena)
    -> Cell
  {
    let left = a.pointee
    let right = b.pointee
    if left.isText, right.isText { return join(a, b, Tag.longText, in: &arena) }
    switch (left.tag, right.tag) {
    case (Tag.int, Tag.int):
      return checked(left.intValue.addingReportingOverflow(right.intValue))
    case (Tag.uint, Tag.uint):
      return checked(left.uintValue.addingReportingOverflow(right.uintValue))
    case (Tag.double, Tag.double): return Cell(left.doubleValue + right.doubleValue)
    case (Tag.bytes, Tag.bytes): return join(a, b, Tag.bytes, in: &arena)
    case (Tag.list, Tag.list): return joinLists(left, right, in: &arena)
    case (Tag.timestamp, Tag.duration):
      return checked(left.timestampValue.adding(right.durationValue))
    case (Tag.duration, Tag.timestamp):
      return checked(right.timestampValue.adding(left.durationValue))
    case (Tag.duration, Tag.duration):
      return checked(left.durationValue.adding(right.durationValue))
    default: return noOverload(left, right)
    }
  }

  static func subtract(_ left: Cell, _ right: Cell) -> Cell {
    switch (left.tag, right.tag) {
    case (Tag.int, Tag.int):
      checked(left.intValue.subtractingReportingOverflow(right.intValue))
    case (Tag.uint, Tag.uint):
      checked(left.uintValue.subtractingReportingOverflow(right.uintValue))
    case (Tag.double, Tag.double): Cell(left.doubleValue - right.doubleValue)
    case (Tag.timestamp, Tag.timestamp): checked(left.timestampValue.since(right.timestampValue))
    case (Tag.timestamp, Tag.duration):
      checked(left.timestampValue.subtracting(right.durationValue))
    case (Tag.duration, Tag.duration):
      checked(left.durationValue.subtracting(right.durationValue))
    default: noOverload(left, right)
    }
  }

  static func multiply(_ left: Cell, _ right: Cell) -> Cell {
    switch (left.tag, right.tag) {
    case (Tag.int, Tag.int):
      checked(left.intValue.multipliedReportingOverflow(by: right.intValue))
    case (Tag.uint, Tag.uint):
      checked(left.uintValue.multipliedReportingOverflow(by: right.uintValue))
    case (Tag.double, Tag.double): Cell(left.doubleValue * right.doubleValue)
    default: noOverload(left, right)
    }
  }

  static func divide(_ left: Cell, _ right: Cell) -> Cell {
    switch (left.tag, right.tag) {
    case (Tag.int, Tag.int), (Tag.uint, Tag.uint):
      if right.high == 0 { return Cell(fault: .divisionByZero) }
      return left.tag == Tag.int
        ? checked(left.intValue.dividedReportingOverflow(by: right.intValue))
        : Cell(left.uintValue / right.uintValue)
    case (Tag.double, Tag.double): return Cell(left.doubleValue / right.doubleValue)
    default: return noOverload(left, right)
    }
  }

  static func modulo(_ left: Cell, _ right: Cell) -> Cell {
    switch (left.tag, right.tag) {
    case (Tag.int, Tag.int), (Tag.uint, Tag.uint):
      if right.high == 0 { return Cell(fault: .moduloByZero) }
      return left.tag == Tag.int
        ? checked(left.intValue.remainderReportingOverflow(dividingBy: right.intValue))
        : Cell(left.uintValue % right.uintValue)
    default: return noOverload(left, right)
    }
  }

  static func negate(_ value: Cell) -> Cell {
    switch value.tag {
    case Tag.int: checked(Int64(0).subtractingReportingOverflow(value.intValue))
    case Tag.double: Cell(-value.doubleValue)
    default: noOverload(value, value)
    }
  }

  private static func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Cell {
    result.overflow ? Cell(fault: .overflow) : Cell(result.partialValue)
  }

  private static func checked(_ result: (partialValue: UInt64, overflow: Bool)) -> Cell {
    result.overflow ? Cell(fault: .overflow) : Cell(result.partialValue)
  }

  private static func checked(_ result: Timestamp?) -> Cell {
    result.map { Cell($0) } ?? Cell(fault: .overflow)
  }

  private static func checked(_ result: TimeSpan?) -> Cell {
    result.map { Cell($0) } ?? Cell(fault: .overflow)
  }

  /// The error for operands whose types do not fit together, or for a missing operand.
  static func noOverload(_ a: Cell, _ b: Cell) -> Cell {
    if !a.isValue { return absent(a) }
    if !b.isValue { return absent(b) }
    return Cell(fault: .noSuchOverload, a.tag, b.tag)
  }

  static func noOverload(_ a: Cell) -> Cell {
    a.isValue ? Cell(fault: .noSuchOverload, a.tag) : absent(a)
  }

  /// The error for reading a cell without a value.
  static func absent(_ cell: Cell) -> Cell {
    switch cell.tag {
    case Tag.fault: cell
    case Tag.unknown: Cell(fault: .unknownValue)
    case Tag.notAMap: Cell(fault: .noSuchOverload)
    case Tag.undeclared: Cell(fault: .undeclaredName)
    default: Cell(fault: .noSuchAttribute)
    }
  }

  private static func join(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ tag: UInt8, in arena: inout Arena
  ) -> Cell {
    let left = a.textBytes
    let right = b.textBytes
    let count = left.count + right.count
    guard let memory = arena.allocate(max(count, 1)) else { return Cell(fault: .limitExceeded) }
    if let start = left.baseAddress { memory.copyMemory(from: start, byteCount: left.count) }
    if let start = right.baseAddress {
      (memory + left.count).copyMemory(from: start, byteCount: right.count)
    }
    if tag == Tag.bytes { return Cell(tag: Tag.bytes, count: count, at: memory) }
    return Cell(textAt: ByteView(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
  }

  private static func joinLists(_ a: Cell, _ b: Cell, in arena: inout Arena) -> Cell {
    let count = a.outsideCount + b.outsideCount
    guard let cells = arena.cells(max(count, 1)) else { return Cell(fault: .limitExceeded) }
    for (i, cell) in a.elements.enumerated() { cells[i] = cell }
    for (i, cell) in b.elements.enumerated() { cells[a.outsideCount + i] = cell }
    return Cell(tag: Tag.list, count: count, at: cells)
  }
}
