/// Reads strings, lists and maps: size, selection, index and membership.
enum CollectionFunctions {
  // SAFETY: Tags are checked before elements are read, and indexes are compared with the count.
  // Tests: AnyOperandsTests.neverTraps, ReferenceTests.

  /// The number of code points of a string, bytes, elements or entries.
  static func size(_ value: UnsafePointer<Cell>) -> Cell {
    switch value.pointee.tag {
    case Tag.longText, Tag.shortText...: Cell(Int64(UTF8Scan.codePoints(value.textBytes)))
    case Tag.bytes, Tag.list, Tag.map: Cell(Int64(value.pointee.outsideCount))
    default: Arithmetic.noOverload(value.pointee)
    }
  }

  /// The value of `map.name`.
  static func select(
    _ map: UnsafePointer<Cell>, _ name: UnsafePointer<Cell>, in arena: inout Arena
  ) -> Cell {
    if map.pointee.tag == Tag.optional { return OptionalFunctions.select(map, name, in: &arena) }
    guard map.pointee.tag == Tag.map else { return Arithmetic.noOverload(map.pointee) }
    return Comparing.lookUp(name, in: map.pointee)?.pointee ?? Cell(fault: .noSuchAttribute)
  }

  /// `has(map.name)`: a bool, or an error if the operand is not a map.
  static func hasField(_ map: UnsafePointer<Cell>, _ name: UnsafePointer<Cell>) -> Cell {
    if map.pointee.tag == Tag.optional {
      guard map.pointee.outsideCount == 1 else { return .false }
      return map.pointee.elements.baseAddress.map { hasField($0, name) } ?? .false
    }
    guard map.pointee.tag == Tag.map else { return Arithmetic.noOverload(map.pointee) }
    return Cell(Comparing.lookUp(name, in: map.pointee) != nil)
  }

  /// The value of `map[key]` or `list[index]`. Whole numbers of any type can be indexes.
  static func index(_ value: UnsafePointer<Cell>, _ key: UnsafePointer<Cell>) -> Cell {
    switch value.pointee.tag {
    case Tag.map:
      guard isKey(key.pointee) else { return Arithmetic.noOverload(value.pointee, key.pointee) }
      return Comparing.lookUp(key, in: value.pointee)?.pointee ?? Cell(fault: .noSuchAttribute)
    case Tag.list:
      guard let index = wholeNumber(key.pointee) else {
        return Arithmetic.noOverload(value.pointee, key.pointee)
      }
      let elements = value.pointee.elements
      guard index >= 0, index < elements.count else { return Cell(fault: .indexOutOfRange) }
      return elements[Int(index)]
    default:
      return Arithmetic.noOverload(value.pointee, key.pointee)
    }
  }

  private static func wholeNumber(_ cell: Cell) -> Int64? {
    switch cell.tag {
    case Tag.int: cell.intValue
    case Tag.uint: Int64(exactly: cell.uintValue)
    case Tag.double: Int64(exactly: cell.doubleValue)
    default: nil
    }
  }

  /// Whether a value can be looked up in a map. Doubles match the whole numbers that they equal.
  static func isKey(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.bool, Tag.int, Tag.uint, Tag.double, Tag.longText, Tag.shortText...: true
    default: false
    }
  }

  /// Whether a value can be a key of a map literal.
  static func isLiteralKey(_ cell: Cell) -> Bool { isKey(cell) && cell.tag != Tag.double }

  /// `element in list` or `key in map`: a bool, or an error.
  static func contains(_ collection: UnsafePointer<Cell>, _ element: UnsafePointer<Cell>) -> Cell {
    var work = 0
    return contains(collection, element, &work)
  }

  /// Whether a collection contains an element. Adds the cost of the search to `work`.
  static func contains(
    _ collection: UnsafePointer<Cell>, _ element: UnsafePointer<Cell>, _ work: inout Int
  ) -> Cell {
    switch collection.pointee.tag {
    case Tag.list where element.pointee.isValue:
      let elements = collection.pointee.elements
      guard let base = elements.baseAddress else { return .false }
      for i in 0..<elements.count {
        work &+= 1
        if Comparing.areEqual(base + i, element, &work) { return .true }
      }
      return .false
    case Tag.map where isKey(element.pointee):
      return Cell(Comparing.lookUp(element, in: collection.pointee, &work) != nil)
    default:
      return Arithmetic.noOverload(element.pointee, collection.pointee)
    }
  }

  /// A map of keys and values. A repeated key, or a key of an invalid type, is an error.
  static func makeMap(_ cells: UnsafePointer<Cell>, _ entries: Int, in arena: inout Arena) -> Cell {
    for i in 0..<entries where !isLiteralKey(cells[2 * i]) {
      return Cell(fault: .badMapKey, cells[2 * i].tag)
    }
    if FlatMap.hasRepeatedKey(cells, entries) { return Cell(fault: .badMapKey) }
    guard let memory = arena.cells(max(entries * 2, 1)) else { return Cell(fault: .limitExceeded) }
    memory.update(from: cells, count: entries * 2)
    return Cell(tag: Tag.map, count: entries, at: memory)
  }
}
