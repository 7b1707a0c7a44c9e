extension Cell {
  /// The size as a value that shares no parts: 16 bytes for each cell, and the bytes of strings. The result is nil
  /// above `limit`, or deeper than ``Nesting/deepestValue``. The time does not depend on how far the limit is exceeded.
  func treeSize(upTo limit: Int) -> Int? {
    var left = limit
    return Cell.take(self, from: &left, depth: 0) ? limit - left : nil
  }

  private static func take(_ cell: Cell, from left: inout Int, depth: Int) -> Bool {
    // SAFETY: Elements and entries are read through views with their counts. The depth is bounded.
    // Tests: WorstCaseTests.
    left -= 16
    if cell.hasBytesOutside { left -= cell.outsideCount }
    guard left >= 0, depth <= Nesting.deepestValue else { return false }
    switch cell.tag {
    case Tag.list, Tag.optional:
      return cell.elements.allSatisfy { take($0, from: &left, depth: depth + 1) }
    case Tag.map: return cell.entries.allSatisfy { take($0, from: &left, depth: depth + 1) }
    default: return true
    }
  }
}
