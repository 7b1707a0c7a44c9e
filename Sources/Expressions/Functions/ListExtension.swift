/// The lists extension of CEL, and `reverse` for lists.
enum ListExtension {
  // SAFETY: The same walk counts and writes, so `list(of:)` gets the right size. Slices are
  // compared with the count. Tests: ListExtensionTests, HostileInputTests, asan.

  /// The ints from 0 up to, but not including, the operand. A negative operand returns an empty list.
  static func range(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let end = operands.int(0) else { return operands.refused }
    guard let count = Int(exactly: max(end, 0)) else { return Cell(fault: .limitExceeded) }
    return arena.list(of: count) { target in
      for i in 0..<count { target[i] = Cell(Int64(i)) }
    }
  }

  /// The elements from one index up to, but not including, another index, as a view of the list.
  static func slice(_ operands: Operands) -> Cell {
    guard let list = operands.elements(0), let from = operands.int(1), let to = operands.int(2)
    else { return operands.refused }
    guard from >= 0, from <= to, to <= list.count else { return Cell(fault: .indexOutOfRange) }
    return Cell(listAt: UnsafeBufferPointer(rebasing: list[Int(from)..<Int(to)]))
  }

  static func reverse(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let list = operands.elements(0) else { return operands.refused }
    return arena.list(of: list.count) { target in
      for (i, element) in list.enumerated() { target[list.count - 1 - i] = element }
    }
  }

  // MARK: Flatten

  /// Replaces lists inside the list by their elements. The depth is the second operand, or one.
  static func flatten(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let list = operands.elements(0), let levels = operands.count > 1 ? operands.int(1) : 1
    else { return operands.refused }
    guard levels >= 0 else { return Cell(fault: .indexOutOfRange) }
    guard list.contains(where: { $0.tag == Tag.list }), levels > 0 else {
      return operands[0].pointee
    }
    // Lists may be shared and empty, so the number of visits is limited in addition to the size of the result.
    var visits = Visits(left: arena.limit / MemoryLayout<Cell>.stride)
    let depth = Int(min(levels, Int64(Nesting.deepest)))
    guard let count = visits.count(list, depth), !visits.isTooDeep || levels <= depth else {
      return Cell(fault: .limitExceeded)
    }
    return arena.list(of: count) { target in
      var end = target
      spread(list, depth, to: &end)
    }
  }

  private struct Visits {
    var left: Int
    /// Whether there was a list below the maximum depth.
    var isTooDeep = false

    init(left: Int) { self.left = left }

    mutating func count(_ list: UnsafeBufferPointer<Cell>, _ depth: Int) -> Int? {
      var count = 0
      for element in list {
        left -= 1
        if left < 0 { return nil }
        if element.tag != Tag.list {
          count += 1
        } else if depth == 0 {
          isTooDeep = true
          count += 1
        } else {
          guard let inner = self.count(element.elements, depth - 1) else { return nil }
          count += inner
        }
      }
      return count
    }
  }

  private static func spread(
    _ list: UnsafeBufferPointer<Cell>, _ depth: Int, to target: inout UnsafeMutablePointer<Cell>
  ) {
    for element in list {
      if element.tag == Tag.list, depth > 0 {
        spread(element.elements, depth - 1, to: &target)
      } else {
        target.pointee = element
        target += 1
      }
    }
  }

  // MARK: Order

  /// Sorts the elements by their keys, which are an operand. All keys must have the same type, and the type must have
  /// an order. Elements with equal keys stay in order, and NaN comes last.
  static func sort(_ operands: Operands, keys: Int, _ arena: inout Arena) -> Cell {
    guard let list = operands.elements(0), let keys = operands.elements(keys) else {
      return operands.refused
    }
    guard list.count == keys.count else { return Cell(fault: .indexOutOfRange) }
    guard let base = keys.baseAddress, list.count > 0 else { return .emptyList }
    var bytes = 0
    for key in keys {
      guard kind(key.tag) == kind(keys[0].tag), isOrdered(key) else {
        return Cell(fault: .noSuchOverload, keys[0].tag, key.tag)
      }
      // One long string may occur in many keys. Comparing such keys takes more time than their memory suggests.
      if key.hasBytesOutside { bytes += key.outsideCount }
      guard bytes / 16 <= arena.limit else { return Cell(fault: .limitExceeded) }
    }
    guard let result = arena.cells(list.count) else { return Cell(fault: .limitExceeded) }
    let afterResult = arena.mark
    defer { arena.release(to: afterResult) }
    let order = StableSort.order(of: keys.count, &arena) { isBefore(base + $0, base + $1) }
    guard let order else { return Cell(fault: .limitExceeded) }
    for i in 0..<list.count { result[i] = list[order[i]] }
    return Cell(tag: Tag.list, count: list.count, at: result)
  }

  /// A tag that is equal for all strings.
  private static func kind(_ tag: UInt8) -> UInt8 { tag >= Tag.shortText ? Tag.longText : tag }

  private static func isOrdered(_ cell: Cell) -> Bool {
    switch cell.tag {
    case Tag.bool, Tag.int, Tag.uint, Tag.double, Tag.longText, Tag.bytes, Tag.timestamp,
      Tag.duration, Tag.version, Tag.shortText...:
      true
    default: false
    }
  }

  private static func isBefore(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>) -> Bool {
    switch Comparing.order(a, b) {
    case .less: true
    case .unordered: !a.pointee.doubleValue.isNaN
    default: false
    }
  }

  /// The list without elements that equal an earlier element.
  static func distinct(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let list = operands.elements(0) else { return operands.refused }
    guard list.count > 1 else { return operands[0].pointee }
    guard let result = arena.cells(list.count) else { return Cell(fault: .limitExceeded) }
    let afterResult = arena.mark
    defer { arena.release(to: afterResult) }
    guard var index = CellIndex(for: list, &arena) else { return Cell(fault: .limitExceeded) }
    var count = 0
    for i in 0..<list.count {
      guard let isNew = index.insert(i) else { return Cell(fault: .limitExceeded) }
      guard isNew else { continue }
      result[count] = list[i]
      count += 1
    }
    return Cell(tag: Tag.list, count: count, at: result)
  }
}
