internal import CShims

// SAFETY: Tags are checked before bytes are read. Results go into the arena.
// Tests: SuperscriptReferenceTests, AnyOperandsTests.neverTraps.
extension Superscript {
  package enum Operator: UInt8 {
    case add, subtract, multiply, divide, modulo
  }

  /// Arithmetic in which integers wrap, and a double can be combined with any number. `int` and `uint` cannot
  /// be combined.
  @inline(__always)
  static func apply(
    _ operation: Operator, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    in arena: inout Arena
  ) -> Cell {
    let (left, right) = (a.pointee, b.pointee)
    if left.tag == Tag.int, right.tag == Tag.int {
      return integer(operation, left.intValue, right.intValue)
    }
    return applySlowly(operation, a, b, in: &arena)
  }

  private static func integer(_ operation: Operator, _ a: Int64, _ b: Int64) -> Cell {
    switch operation {
    case .add: return Cell(a &+ b)
    case .subtract: return Cell(a &- b)
    case .multiply: return Cell(a &* b)
    case .divide:
      let (result, overflow) = a.dividedReportingOverflow(by: b)
      return overflow ? Cell(fault: b == 0 ? .divisionByZero : .overflow) : Cell(result)
    case .modulo:
      let (result, overflow) = a.remainderReportingOverflow(dividingBy: b)
      return overflow ? Cell(fault: b == 0 ? .moduloByZero : .overflow) : Cell(result)
    }
  }

  private static func unsigned(_ operation: Operator, _ a: UInt64, _ b: UInt64) -> Cell {
    switch operation {
    case .add: return Cell(a &+ b)
    case .subtract: return Cell(a &- b)
    case .multiply: return Cell(a &* b)
    case .divide: return b == 0 ? Cell(fault: .divisionByZero) : Cell(a / b)
    case .modulo: return b == 0 ? Cell(fault: .moduloByZero) : Cell(a % b)
    }
  }

  private static func double(_ operation: Operator, _ a: Double, _ b: Double) -> Cell {
    switch operation {
    case .add: Cell(a + b)
    case .subtract: Cell(a - b)
    case .multiply: Cell(a * b)
    case .divide: Cell(a / b)
    case .modulo: Cell(fmod(a, b))
    }
  }

  @inline(never)
  private static func applySlowly(
    _ operation: Operator, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    in arena: inout Arena
  ) -> Cell {
    let (left, right) = (a.pointee, b.pointee)
    switch (left.tag, right.tag) {
    case (Tag.uint, Tag.uint): return unsigned(operation, left.uintValue, right.uintValue)
    case (Tag.int, Tag.uint), (Tag.uint, Tag.int): return Arithmetic.noOverload(left, right)
    case (Tag.int...Tag.double, Tag.int...Tag.double):
      return double(operation, left.nearestDouble, right.nearestDouble)
    case (Tag.map, Tag.map) where operation == .add: return overlay(left, right, in: &arena)
    case (Tag.bytes, Tag.bytes): return Arithmetic.noOverload(left, right)
    default: break
    }
    switch operation {
    case .add: return Arithmetic.add(a, b, in: &arena)
    case .subtract: return Arithmetic.subtract(left, right)
    case .multiply, .divide, .modulo: return Arithmetic.noOverload(left, right)
    }
  }

  /// The result of `-value`. The smallest int does not change.
  static func negate(_ value: Cell) -> Cell {
    switch value.tag {
    case Tag.int: Cell(0 &- value.intValue)
    case Tag.double: Cell(-value.doubleValue)
    default: Arithmetic.noOverload(value)
    }
  }

  /// `max(...)`, which returns the last of equal values. A list that is the only operand means its elements.
  static func greatest(_ operands: Operands) -> Cell {
    guard operands.count > 0 else { return .null }
    if operands.count == 1 {
      let only = operands[0].pointee
      guard only.tag == Tag.list else { return only }
      guard let base = only.elements.baseAddress, only.outsideCount > 0 else { return .null }
      return greatest(only.outsideCount) { base + $0 }
    }
    return greatest(operands.count) { operands[$0] }
  }

  private static func greatest(_ count: Int, _ at: (Int) -> UnsafePointer<Cell>) -> Cell {
    var best = at(0)
    for i in 1..<max(count, 1) {
      let isGreater = compare(best, at(i), .greater)
      guard isGreater.tag == Tag.bool else { return isGreater }
      if !isGreater.boolValue { best = at(i) }
    }
    return best.pointee
  }
}
