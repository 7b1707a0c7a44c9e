/// Operations on growing collections, for loops and for literals with optional elements.
///
/// A growing list or map has room for the next power of two of its count. Appending then costs constant
/// time on average, and the room need not be stored.
enum Loops {
  // SAFETY: Positions come from the loop, which stops at the range's count. Tests: ReferenceTests,
  // LimitTests.

  /// Sets the variables after an iterator to its current element, and advances the iterator. One variable is the
  /// element or the key. Two variables are index or key, and value.
  static func advance(_ range: Cell, _ iterator: UnsafeMutablePointer<Cell>, _ two: Bool) {
    let position = Int(truncatingIfNeeded: iterator.pointee.high)
    if range.isRange {
      iterator[1] = range.rangeElement(position)
      iterator.pointee = Cell(Int64(position + 1))
      return
    }
    let isMap = range.tag == Tag.map
    let first = isMap ? range.entries[2 * position] : range.elements[position]
    iterator[1] = two && !isMap ? Cell(Int64(position)) : first
    if two { iterator[2] = isMap ? range.entries[2 * position + 1] : first }
    iterator.pointee = Cell(Int64(position + 1))
  }

  static func append(_ value: Cell, to list: Cell, _ arena: inout Arena) -> Cell {
    let count = list.outsideCount
    guard let memory = room(for: count, each: 1, list, &arena) else {
      return Cell(fault: .limitExceeded)
    }
    memory[count] = value
    return Cell(tag: Tag.list, count: count + 1, at: memory)
  }

  static func appendOptional(_ value: Cell, to list: Cell, _ arena: inout Arena) -> Cell {
    guard value.tag == Tag.optional else { return Arithmetic.noOverload(value) }
    return value.elements.first.map { append($0, to: list, &arena) } ?? list
  }

  static func insert(
    _ key: UnsafePointer<Cell>, _ value: Cell, into map: Cell, _ arena: inout Arena
  ) -> Cell {
    guard CollectionFunctions.isLiteralKey(key.pointee),
      Comparing.lookUp(key, in: map) == nil
    else { return Cell(fault: .badMapKey, key.pointee.tag) }
    let count = map.outsideCount
    guard let memory = room(for: count, each: 2, map, &arena) else {
      return Cell(fault: .limitExceeded)
    }
    memory[2 * count] = key.pointee
    memory[2 * count + 1] = value
    return Cell(tag: Tag.map, count: count + 1, at: memory)
  }

  static func insertOptional(
    _ key: UnsafePointer<Cell>, _ value: Cell, into map: Cell, _ arena: inout Arena
  ) -> Cell {
    guard value.tag == Tag.optional else { return Arithmetic.noOverload(value) }
    return value.elements.first.map { insert(key, $0, into: map, &arena) } ?? map
  }

  static func insertAll(_ entries: Cell, into map: Cell, _ arena: inout Arena) -> Cell {
    guard entries.tag == Tag.map else { return Arithmetic.noOverload(entries) }
    var map = map
    guard let base = entries.entries.baseAddress else { return map }
    for i in 0..<entries.outsideCount where map.isValue {
      map = insert(base + 2 * i, base[2 * i + 1], into: map, &arena)
    }
    return map
  }

  /// The memory for element `count`: in place while there is room, otherwise in a copy with twice the room.
  private static func room(for count: Int, each: Int, _ old: Cell, _ arena: inout Arena)
    -> UnsafeMutablePointer<Cell>?
  {
    // SAFETY: Appends in place only to a list or map that began empty in the same loop. Its room is
    // then the next power of two, and no other cell points past its count. Tests: ReferenceTests,
    // LimitTests, asan.
    let isFull = count & (count - 1) == 0
    if !isFull, let memory = old.address {
      return UnsafeMutableRawPointer(mutating: memory).assumingMemoryBound(to: Cell.self)
    }
    guard let memory = arena.cells(max(count * 2, 1) * each) else { return nil }
    if let from = old.address {
      memory.update(from: from.assumingMemoryBound(to: Cell.self), count: count * each)
    }
    return memory
  }
}
