internal import CivilTime

/// Values that may be absent: the optionals extension of CEL.
enum OptionalFunctions {
  // SAFETY: Operands are checked for values first, and not stored. Results are written into the
  // arena. Tests: AnyOperandsTests.neverTraps, ReferenceTests.

  static let none = Cell(tag: Tag.optional, count: 0, at: nil)

  static func some(_ value: Cell, in arena: inout Arena) -> Cell {
    guard let memory = arena.cells(1) else { return Cell(fault: .limitExceeded) }
    memory[0] = value
    return Cell(tag: Tag.optional, count: 1, at: memory)
  }

  /// The result of `optional.ofNonZeroValue()`.
  static func ofNonZero(_ value: UnsafePointer<Cell>, in arena: inout Arena) -> Cell {
    isZero(value) ? none : some(value.pointee, in: &arena)
  }

  /// Applies the body to an optional and to its value, which is nil if the optional is empty.
  static func onOptional(_ operands: Operands, _ body: (Cell, Cell?) -> Cell) -> Cell {
    let optional = operands[0].pointee
    guard optional.tag == Tag.optional else { return operands.noOverload }
    return body(optional, optional.elements.first)
  }

  /// The first optional, or the second optional if the first is empty.
  static func or(_ operands: Operands) -> Cell {
    onOptional(operands) { optional, value in
      guard operands[1].pointee.tag == Tag.optional else { return operands.noOverload }
      return value == nil ? operands[1].pointee : optional
    }
  }

  /// `.?name` and `[?key]`: the value if it exists. An empty optional has no members.
  static func select(
    _ value: UnsafePointer<Cell>, _ key: UnsafePointer<Cell>, in arena: inout Arena
  ) -> Cell {
    if value.pointee.tag == Tag.optional {
      guard value.pointee.outsideCount == 1, let inner = value.pointee.elements.baseAddress else {
        return none
      }
      return select(inner, key, in: &arena)
    }
    // No map has a key of another type.
    if value.pointee.tag == Tag.map, key.pointee.isValue, !CollectionFunctions.isKey(key.pointee) {
      return none
    }
    let found = CollectionFunctions.index(value, key)
    if found.isValue { return some(found, in: &arena) }
    switch EvaluationError(fault: found).kind {
    case .noSuchAttribute, .indexOutOfRange: return none
    default: return found
    }
  }

  /// The values of the optionals in a list that are not empty.
  static func unwrap(_ operands: Operands, _ arena: inout Arena) -> Cell {
    let list = operands[0].pointee
    guard list.tag == Tag.list, list.elements.allSatisfy({ $0.tag == Tag.optional }) else {
      return operands.noOverload
    }
    let values = list.elements.compactMap { $0.elements.first }
    guard let memory = arena.cells(max(values.count, 1)) else {
      return Cell(fault: .limitExceeded)
    }
    for (i, value) in values.enumerated() { memory[i] = value }
    return Cell(tag: Tag.list, count: values.count, at: memory)
  }

  /// The first or the last element of a list, if the list is not empty.
  static func end(_ operands: Operands, isFirst: Bool, _ arena: inout Arena) -> Cell {
    let list = operands[0].pointee
    guard list.tag == Tag.list else { return operands.noOverload }
    let value = isFirst ? list.elements.first : list.elements.last
    return value.map { some($0, in: &arena) } ?? none
  }

  /// Whether the extension counts a value as zero: null, false, zero, and all empty values. An empty optional
  /// does not count.
  private static func isZero(_ value: UnsafePointer<Cell>) -> Bool {
    switch value.pointee.tag {
    case Tag.null: true
    case Tag.bool: !value.pointee.boolValue
    case Tag.int, Tag.uint, Tag.duration: value.pointee.high == 0
    case Tag.double: value.pointee.doubleValue == 0
    case Tag.timestamp: value.pointee.timestampValue == Timestamp.epoch
    case Tag.list, Tag.map, Tag.bytes: value.pointee.outsideCount == 0
    case Tag.longText, Tag.shortText...: value.textBytes.isEmpty
    default: false
    }
  }
}
