/// The math extension of CEL.
enum MathExtension {
  private static func isNumber(_ cell: Cell) -> Bool { Tag.int...Tag.double ~= cell.tag }

  /// The greatest or the least of numbers of any types, in its own type. Among equal numbers, the first is returned.
  /// The numbers are the operands, or the elements of a single list operand. A NaN is neither greater nor less.
  static func extreme(_ operands: Operands, _ wanted: Comparing.Order) -> Cell {
    if operands.count == 1, let elements = operands.elements(0) {
      guard let first = elements.first else { return Cell(fault: .indexOutOfRange) }
      guard let wrong = elements.first(where: { !isNumber($0) }) else {
        return elements.reduce(first) {
          Comparing.orderNumbers($1, $0) == wanted ? $1 : $0
        }
      }
      return Cell(fault: .noSuchOverload, Tag.list, wrong.tag)
    }
    guard isNumber(operands[0].pointee) else { return operands.refused }
    var winner = operands[0].pointee
    for i in 1..<max(operands.count, 1) {
      let number = operands[i].pointee
      guard isNumber(number) else { return operands.refused }
      if Comparing.orderNumbers(number, winner) == wanted { winner = number }
    }
    return winner
  }

  @inline(__always)
  static func onDouble(_ operands: Operands, _ body: (Double) -> Cell) -> Cell {
    let value = operands[0].pointee
    return value.tag == Tag.double ? body(value.doubleValue) : operands.refused
  }

  static func abs(_ operands: Operands) -> Cell {
    let value = operands[0].pointee
    switch value.tag {
    case Tag.int:
      return Int64(exactly: value.intValue.magnitude).map { Cell($0) } ?? Cell(fault: .overflow)
    case Tag.uint: return value
    case Tag.double: return Cell(value.doubleValue.magnitude)
    default: return operands.refused
    }
  }

  /// The sign as -1, 0 or 1, in the type of the operand. NaN has no sign.
  static func sign(_ operands: Operands) -> Cell {
    let value = operands[0].pointee
    switch value.tag {
    case Tag.int: return Cell(value.intValue.signum())
    case Tag.uint: return Cell(min(value.uintValue, 1))
    case Tag.double:
      let number = value.doubleValue
      return number.isNaN ? value : Cell(number > 0 ? 1.0 : number < 0 ? -1.0 : 0.0)
    default: return operands.refused
    }
  }

  static func squareRoot(_ operands: Operands) -> Cell {
    let value = operands[0].pointee
    return isNumber(value) ? Cell(value.nearestDouble.squareRoot()) : operands.refused
  }

  // MARK: Bits

  /// Applies the body to the bits of two ints or of two uints.
  @inline(__always)
  static func onBits(_ operands: Operands, _ body: (UInt64, UInt64) -> UInt64) -> Cell {
    let left = operands[0].pointee
    let right = operands[1].pointee
    guard left.tag == right.tag, left.tag == Tag.int || left.tag == Tag.uint else {
      return operands.refused
    }
    return Cell(low: left.low, high: body(left.high, right.high))
  }

  static func complement(_ operands: Operands) -> Cell {
    let value = operands[0].pointee
    guard value.tag == Tag.int || value.tag == Tag.uint else { return operands.refused }
    return Cell(low: value.low, high: ~value.high)
  }

  /// Shifts fill with zeros in both types, so shifting by 64 or more results in 0. A negative distance is an error.
  @inline(__always)
  static func shift(_ operands: Operands, _ body: (UInt64, Int64) -> UInt64) -> Cell {
    let value = operands[0].pointee
    guard value.tag == Tag.int || value.tag == Tag.uint, let distance = operands.int(1) else {
      return operands.refused
    }
    guard distance >= 0 else { return Cell(fault: .indexOutOfRange) }
    return Cell(low: value.low, high: body(value.high, distance))
  }
}
