/// A hash index over a constant list, for `x in [...]` with many elements.
///
/// Elements are strings, bools, nulls and numbers. A number is found by value whatever its type.
struct ConstantSet: @unchecked Sendable {
  // SAFETY: Nothing changes after `init`, so threads can share it. `memory` keeps the cells alive,
  // and the table has only their numbers. Tests: ReferenceTests, tsan.

  /// The elements, in the memory that is retained below.
  private let cells: UnsafePointer<Cell>
  private let table: [Int32]
  private let mask: Int
  /// Retains the memory of long strings.
  private let memory: ConstantMemory

  /// Creates a set. Fails if an element is a list or a map, which this set cannot hash.
  init?(_ elements: UnsafeBufferPointer<Cell>, memory: ConstantMemory) {
    var size = 8
    while size < elements.count * 2 { size *= 2 }
    var table = [Int32](repeating: -1, count: size)
    for (number, element) in elements.enumerated() {
      guard let hash = withUnsafePointer(to: element, ConstantSet.hash) else { return nil }
      var i = Int(truncatingIfNeeded: hash) & (size - 1)
      while table[i] >= 0 { i = (i + 1) & (size - 1) }
      table[i] = Int32(number)
    }
    guard let cells = elements.baseAddress else { return nil }
    self.cells = cells
    self.table = table
    self.memory = memory
    mask = size - 1
  }

  func contains(_ cell: UnsafePointer<Cell>) -> Bool {
    guard let hash = ConstantSet.hash(cell) else { return false }
    var i = Int(truncatingIfNeeded: hash) & mask
    while table[i] >= 0 {
      if Comparing.areEqual(cells + Int(table[i]), cell) { return true }
      i = (i + 1) & mask
    }
    return false
  }

  /// Equal values have equal hashes: numbers use the double that they are compared as.
  private static func hash(_ cell: UnsafePointer<Cell>) -> UInt64? {
    let value = cell.pointee
    switch value.tag {
    case Tag.int, Tag.uint, Tag.double:
      // Minus zero equals zero.
      return mix((value.nearestDouble + 0).bitPattern, 1)
    case Tag.null, Tag.bool, Tag.shortText...: return mix(value.high, value.low)
    case Tag.longText, Tag.bytes:
      return mix(InternTable.combine(3, cell.textBytes), 3)
    default: return nil
    }
  }

  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    // The hash uses both halves of the product, because doubles of whole numbers have zeros in their low bits.
    let mixed = (a ^ b &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return mixed.high ^ mixed.low
  }
}
