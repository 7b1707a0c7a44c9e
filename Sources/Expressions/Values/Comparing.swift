internal import CShims

/// Equality and order of cells as the CEL specification defines them. Numbers of all three types are ordered
/// together, strings and bytes are compared by byte, lists and maps are compared deeply, and values of different
/// kinds are unequal, never an error.
package enum Comparing {
  // SAFETY: Elements are read below the count of their cell, and `memcmp` gets the smaller of both
  // counts. Work and depth are bounded. Tests: ComparingTests, WorstCaseTests.

  /// The result of an ordering.
  package enum Order {
    case less, equal, greater
    /// One side is NaN: every ordering is false.
    case unordered
    /// The kinds have no common order.
    case noOverload
  }

  package static func areEqual(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>) -> Bool {
    var work = 0
    return areEqual(a, b, &work)
  }

  /// The maximum work of one comparison. A list that contains another list twice, which contains another one twice,
  /// and so on, is small in memory but endless to visit.
  static let mostWork = 1 << 24

  /// Whether two cells are equal. Adds the work to `work`: an element of a list, an entry of a map or 64 bytes count as
  /// one. Beyond ``mostWork``, or deeper than ``Nesting/deepestValue``, the result is false and `work` exceeds any
  /// budget.
  package static func areEqual(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ work: inout Int, depth: Int = 0
  ) -> Bool {
    let left = a.pointee
    let right = b.pointee
    if left == right {
      return left.tag != Tag.double ? isReflexive(left, &work, depth) : !left.doubleValue.isNaN
    }
    switch (left.tag, right.tag) {
    case (Tag.longText, Tag.longText), (Tag.bytes, Tag.bytes), (Tag.ip, Tag.ip),
      (Tag.cidr, Tag.cidr), (Tag.version, Tag.version):
      work &+= left.outsideCount >> 6
      return equalBytes(a.textBytes, b.textBytes)
    case (Tag.list, Tag.list), (Tag.optional, Tag.optional), (Tag.function, Tag.function):
      return equalLists(left, right, &work, depth)
    case (Tag.map, Tag.map):
      return left.outsideCount == right.outsideCount && FlatMap.areEqual(left, right, &work, depth)
    case (Tag.int...Tag.double, Tag.int...Tag.double):
      return left.tag == right.tag && left.tag != Tag.double
        ? false : orderNumbers(left, right) == .equal
    case (Tag.timestamp, Tag.timestamp):
      // The same instant can have different offsets.
      return order(left.timestampValue, right.timestampValue) == .equal
    default:
      return false
    }
  }

  /// Bit-identical lists and maps are equal unless they contain a NaN.
  private static func isReflexive(_ cell: Cell, _ work: inout Int, _ depth: Int) -> Bool {
    switch cell.tag {
    case Tag.list, Tag.optional, Tag.function: equalLists(cell, cell, &work, depth)
    case Tag.map: FlatMap.areEqual(cell, cell, &work, depth)
    default: true
    }
  }

  package static func equalBytes(_ a: ByteView, _ b: ByteView) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0, let left = a.baseAddress, let right = b.baseAddress else { return true }
    return memcmp(left, right, a.count) == 0
  }

  private static func equalLists(_ a: Cell, _ b: Cell, _ work: inout Int, _ depth: Int) -> Bool {
    guard a.outsideCount == b.outsideCount, isWithinBounds(&work, depth) else { return false }
    guard let left = a.elements.baseAddress, let right = b.elements.baseAddress else { return true }
    for i in 0..<a.outsideCount {
      work &+= 1
      guard isWithinBounds(&work), areEqual(left + i, right + i, &work, depth: depth + 1)
      else { return false }
    }
    return true
  }

  /// False if a comparison has done too much work. In that case, `work` exceeds any budget of the caller.
  static func isWithinBounds(_ work: inout Int, _ depth: Int = 0) -> Bool {
    if work <= mostWork, depth < Nesting.deepestValue { return true }
    work = .max >> 1
    return false
  }

  /// The value of a key in a map. Keys are compared as in any map: numbers by value.
  package static func lookUp(_ key: UnsafePointer<Cell>, in map: Cell) -> UnsafePointer<Cell>? {
    var work = 0
    return lookUp(key, in: map, &work)
  }

  package static func lookUp(_ key: UnsafePointer<Cell>, in map: Cell, _ work: inout Int)
    -> UnsafePointer<Cell>?
  {
    guard let entries = map.entries.baseAddress else { return nil }
    for i in 0..<map.outsideCount {
      work &+= 1
      if areEqual(entries + 2 * i, key, &work) { return entries + 2 * i + 1 }
    }
    return nil
  }

  package static func order(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>) -> Order {
    let left = a.pointee
    let right = b.pointee
    if left.isText, right.isText { return orderBytes(a.textBytes, b.textBytes) }
    switch (left.tag, right.tag) {
    case (Tag.int...Tag.double, Tag.int...Tag.double):
      return orderNumbers(left, right)
    case (Tag.bool, Tag.bool):
      return order(left.boolValue ? 1 : 0, right.boolValue ? 1 : 0)
    case (Tag.bytes, Tag.bytes), (Tag.version, Tag.version):
      return orderBytes(a.textBytes, b.textBytes)
    case (Tag.timestamp, Tag.timestamp):
      return order(left.timestampValue, right.timestampValue)
    case (Tag.duration, Tag.duration):
      return order(left.intValue, right.intValue)
    default:
      return .noOverload
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Order {
    a < b ? .less : a == b ? .equal : .greater
  }

  package static func orderBytes(_ a: ByteView, _ b: ByteView) -> Order {
    if let left = a.baseAddress, let right = b.baseAddress {
      let order = memcmp(left, right, min(a.count, b.count))
      if order != 0 { return order < 0 ? .less : .greater }
    }
    return order(a.count, b.count)
  }

  /// Integers are compared exactly with each other. An integer is converted to the nearest double when it is compared
  /// with a double, as the specification's tests at the ends of the range require.
  package static func orderNumbers(_ a: Cell, _ b: Cell) -> Order {
    switch (a.tag, b.tag) {
    case (Tag.int, Tag.int): return order(a.intValue, b.intValue)
    case (Tag.uint, Tag.uint): return order(a.uintValue, b.uintValue)
    case (Tag.int, Tag.uint):
      return a.intValue < 0 ? .less : order(UInt64(a.intValue), b.uintValue)
    case (Tag.uint, Tag.int):
      return b.intValue < 0 ? .greater : order(a.uintValue, UInt64(b.intValue))
    default:
      let (left, right) = (a.nearestDouble, b.nearestDouble)
      return left.isNaN || right.isNaN ? .unordered : order(left, right)
    }
  }
}

extension Cell {
  /// A number as a double.
  package var nearestDouble: Double {
    switch tag {
    case Tag.int: Double(intValue)
    case Tag.uint: Double(uintValue)
    default: doubleValue
    }
  }
}
