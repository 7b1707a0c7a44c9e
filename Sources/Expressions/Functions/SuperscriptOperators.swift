internal import CivilTime

/// Operators that accept more than CEL's: values are true or false by their content, numbers of different types can be
/// combined, and integers wrap. These are superscript's operators.
package enum Superscript {
  // SAFETY: Tags are checked before views are read, and indexes are compared with the count. Maps
  // have room for the entries of both sides. Tests: SuperscriptReferenceTests,
  // AnyOperandsTests.neverTraps, asan.

  // MARK: Truth

  /// Whether a value is truthy: numbers that are not zero, values that are not empty, instants later than
  /// 1970. A missing value is false.
  @inline(__always)
  package static func isTruthy(_ cell: Cell) -> Bool {
    cell.tag == Tag.bool ? cell.boolValue : isTruthyValue(cell)
  }

  @inline(never)
  private static func isTruthyValue(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.int, Tag.uint, Tag.duration: cell.high != 0
    case Tag.double: cell.doubleValue != 0
    case Tag.longText, Tag.bytes, Tag.list, Tag.map: cell.outsideCount > 0
    case Tag.shortText...: cell.low & 0x0F != 0
    case Tag.timestamp: isAfter1970(cell.timestampValue)
    default: false
    }
  }

  /// Instants outside the range of 64-bit nanoseconds since 1970 count as 1970 itself.
  private static func isAfter1970(_ time: Timestamp) -> Bool {
    let (seconds, nanoseconds) = (Int64.max / 1_000_000_000, Int64.max % 1_000_000_000)
    guard time.seconds < seconds || time.seconds == seconds && time.nanoseconds <= nanoseconds
    else { return false }
    return time.seconds > 0 || time.seconds == 0 && time.nanoseconds > 0
  }

  // MARK: Comparing

  package enum Comparison: UInt8 {
    case less, lessOrEqual, greater, greaterOrEqual

    @inline(__always)
    func holds(_ a: Int64, _ b: Int64) -> Bool {
      switch self {
      case .less: a < b
      case .lessOrEqual: a <= b
      case .greater: a > b
      case .greaterOrEqual: a >= b
      }
    }
  }

  /// An ordering as a bool. Values without an order, such as NaN, are an error. A null on the left side is a separate
  /// error.
  @inline(never)
  static func compare(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ comparison: Comparison
  ) -> Cell {
    if a.pointee.tag == Tag.null, b.pointee.tag == Tag.null { return Cell(comparison.holds(0, 0)) }
    if a.pointee.tag == Tag.bytes { return unordered(a.pointee, b.pointee) }
    switch Comparing.order(a, b) {
    case .less: return Cell(comparison.holds(0, 1))
    case .equal: return Cell(comparison.holds(0, 0))
    case .greater: return Cell(comparison.holds(1, 0))
    case .unordered, .noOverload: return unordered(a.pointee, b.pointee)
    }
  }

  private static func unordered(_ a: Cell, _ b: Cell) -> Cell {
    a.tag == Tag.null && b.isValue ? Cell(fault: .nullComparison) : Arithmetic.noOverload(a, b)
  }

  /// `element in collection`: a part of a string, an element of a list or a key of a map.
  static func isWithin(
    _ element: UnsafePointer<Cell>, _ collection: UnsafePointer<Cell>, _ work: inout Int
  ) -> Cell {
    guard element.pointee.isValue, collection.pointee.isValue else {
      return Arithmetic.noOverload(element.pointee, collection.pointee)
    }
    if element.pointee.isText, collection.pointee.isText {
      work &+= collection.textBytes.count >> 2
      return Cell(TextFunctions.contains(collection.textBytes, element.textBytes))
    }
    switch collection.pointee.tag {
    case Tag.list: return CollectionFunctions.contains(collection, element, &work)
    case Tag.map: return Cell(place(of: element, in: collection.pointee, &work) != nil)
    default: return unordered(element.pointee, collection.pointee)
    }
  }

  /// `collection.contains(element)`: false if the receiver is not a collection.
  static func contains(
    _ collection: UnsafePointer<Cell>, _ element: UnsafePointer<Cell>, _ work: inout Int
  ) -> Cell {
    guard element.pointee.isValue, collection.pointee.isValue else {
      return Arithmetic.noOverload(collection.pointee, element.pointee)
    }
    switch collection.pointee.tag {
    case Tag.list: return CollectionFunctions.contains(collection, element, &work)
    case Tag.map:
      guard isKey(element.pointee) else { return Cell(fault: .badMapKey, element.pointee.tag) }
      return Cell(place(of: element, in: collection.pointee, &work) != nil)
    case Tag.bytes:
      guard element.pointee.tag == Tag.bytes else { return .false }
      // The original stops at an empty part.
      guard element.pointee.outsideCount > 0 else { return Cell(fault: .fatalArgument) }
      work &+= collection.pointee.outsideCount >> 2
      return Cell(TextFunctions.contains(collection.textBytes, element.textBytes))
    case Tag.longText, Tag.shortText...:
      guard element.pointee.isText else { return .false }
      work &+= collection.textBytes.count >> 2
      return Cell(TextFunctions.contains(collection.textBytes, element.textBytes))
    default: return .false
    }
  }

  /// Calls a function that tests two operands.
  static func test(
    _ function: Function, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ work: inout Int
  ) -> Cell {
    function == .isWithin ? isWithin(a, b, &work) : contains(a, b, &work)
  }

  // MARK: Members

  /// Whether a value can be a key of a map.
  static func isKey(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.bool, Tag.int, Tag.uint, Tag.longText, Tag.shortText...: true
    default: false
    }
  }

  /// Keys are equal only if their types are equal: the keys 1 and 1u differ.
  private static func isSameKey(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>) -> Bool {
    if a.pointee == b.pointee { return true }
    return a.pointee.isText && b.pointee.isText && Comparing.equalBytes(a.textBytes, b.textBytes)
  }

  /// The value under a key, or nil.
  private static func place(of key: UnsafePointer<Cell>, in map: Cell, _ work: inout Int)
    -> UnsafePointer<Cell>?
  {
    guard let entries = map.entries.baseAddress, isKey(key.pointee) else { return nil }
    for i in 0..<map.outsideCount {
      work &+= 1
      if isSameKey(entries + 2 * i, key) { return entries + 2 * i + 1 }
    }
    return nil
  }

  /// The value of `value.name`. A value that is not a map has no members. With `isFunction`, a missing member is the
  /// function with this name.
  static func member(
    _ value: UnsafePointer<Cell>, _ name: UnsafePointer<Cell>, isFunction: Bool,
    _ work: inout Int, in arena: inout Arena
  ) -> Cell {
    guard value.pointee.isValue else { return Arithmetic.absent(value.pointee) }
    if value.pointee.tag == Tag.map, let found = place(of: name, in: value.pointee, &work) {
      return found.pointee
    }
    guard isFunction else { return Cell(fault: .noSuchAttribute) }
    guard let cells = arena.cells(2) else { return Cell(fault: .limitExceeded) }
    cells[0] = name.pointee
    cells[1] = value.pointee
    return Cell(tag: Tag.function, count: 2, at: cells)
  }

  /// `value[key]`: null for a missing element. The elements of strings are bytes.
  static func index(_ value: UnsafePointer<Cell>, _ key: UnsafePointer<Cell>) -> Cell {
    guard value.pointee.isValue, key.pointee.isValue else {
      return Arithmetic.noOverload(value.pointee, key.pointee)
    }
    switch (value.pointee.tag, key.pointee.tag) {
    case (Tag.list, Tag.int):
      let elements = value.pointee.elements
      let index = key.pointee.intValue
      return index >= 0 && index < elements.count ? elements[Int(index)] : .null
    case (Tag.map, _) where isKey(key.pointee):
      var work = 0
      return place(of: key, in: value.pointee, &work)?.pointee ?? .null
    case (Tag.longText, Tag.int), (Tag.shortText..., Tag.int):
      let bytes = value.textBytes
      let index = key.pointee.intValue
      // A byte that is only a part of a character is not a string.
      guard index >= 0, index < bytes.count, bytes[Int(index)] < 0x80 else { return .null }
      return Cell(short: UnsafeBufferPointer(rebasing: bytes[Int(index)...Int(index)])) ?? .null
    default: return Arithmetic.noOverload(value.pointee, key.pointee)
    }
  }

  /// A map of keys and values. If a key is repeated, its last entry counts.
  static func makeMap(_ cells: UnsafePointer<Cell>, _ entries: Int, in arena: inout Arena) -> Cell {
    guard let memory = arena.cells(max(entries * 2, 1)) else { return Cell(fault: .limitExceeded) }
    let count = merge(cells, entries, into: memory, 0)
    return Cell(tag: Tag.map, count: count, at: memory)
  }

  /// Adds entries to a map that has room for them, and returns its new count.
  private static func merge(
    _ cells: UnsafePointer<Cell>, _ entries: Int, into map: UnsafeMutablePointer<Cell>,
    _ count: Int
  ) -> Int {
    if entries + count > 64 { return mergeMany(cells, entries, into: map, count) }
    var count = count
    for i in 0..<entries {
      var at = 0
      while at < count, !isSameKey(map + 2 * at, cells + 2 * i) { at += 1 }
      map[2 * at] = cells[2 * i]
      map[2 * at + 1] = cells[2 * i + 1]
      count = max(count, at + 1)
    }
    return count
  }

  /// A key by type and content.
  private struct TypedKey: Hashable {
    var type: UInt8
    var key: CellKey

    init(_ cell: Cell) {
      type = cell.isText ? Tag.shortText : cell.tag
      key = CellKey(cell: cell)
    }
  }

  private static func mergeMany(
    _ cells: UnsafePointer<Cell>, _ entries: Int, into map: UnsafeMutablePointer<Cell>,
    _ count: Int
  ) -> Int {
    var places: [TypedKey: Int] = [:]
    for i in 0..<count { places[TypedKey(map[2 * i])] = i }
    for i in 0..<entries {
      let key = TypedKey(cells[2 * i])
      let place = places[key] ?? places.count
      places[key] = place
      map[2 * place] = cells[2 * i]
      map[2 * place + 1] = cells[2 * i + 1]
    }
    return places.count
  }

  /// A map with the entries of two maps. If both have a key, the second map's entry counts. A value that is not a map
  /// adds no entries.
  static func overlay(_ a: Cell, _ b: Cell, in arena: inout Arena) -> Cell {
    guard b.tag == Tag.map, let top = b.entries.baseAddress, b.outsideCount > 0 else { return a }
    guard a.tag == Tag.map, let base = a.entries.baseAddress, a.outsideCount > 0 else { return b }
    guard let memory = arena.cells(2 * (a.outsideCount + b.outsideCount)) else {
      return Cell(fault: .limitExceeded)
    }
    memory.update(from: base, count: 2 * a.outsideCount)
    let count = merge(top, b.outsideCount, into: memory, a.outsideCount)
    return Cell(tag: Tag.map, count: count, at: memory)
  }
}
