/// The memory for the long strings and literal lists among a program's constants.
///
/// Only one ``ConstantPool`` fills the memory, while compiling. The memory never changes afterwards, which makes it
/// `Sendable`.
///
/// The memory has no limit, because a lack of memory must not change a constant. Constants from sources take at most
/// eight times the bytes of the source, and ``ConstantFolding`` limits all other constants.
package final class ConstantMemory: @unchecked Sendable {
  // SAFETY: Only the pool of one graph writes here, and only while it compiles; graphs cannot be
  // copied. Afterwards threads only read. Tests: SharingTests, tsan.

  private var arena = Arena(limit: .max, firstBlock: 512)

  fileprivate func bytes(_ count: Int) -> UnsafeMutableRawPointer {
    guard let room = arena.allocate(count) else {
      preconditionFailure("a constant of \(count) bytes")
    }
    return room
  }

  fileprivate func cells(_ count: Int) -> UnsafeMutablePointer<Cell> {
    guard let room = arena.cells(max(count, 1)) else {
      preconditionFailure("a constant of \(count) cells")
    }
    return room
  }
}

/// The constants of a program.
package struct ConstantPool: Sendable {
  // SAFETY: Cells point into `memory`, so everything that stores a cell of the pool stores `memory`
  // too. Views of local cells stay in their closures. Tests: SharingTests, ReferenceTests, asan.

  package private(set) var cells: [Cell] = []
  /// Code that stores cells of the pool must store this too.
  let memory = ConstantMemory()
  private var table = InternTable()

  /// Places of constants that every program has.
  package static let null = 0
  package static let `false` = 1
  package static let `true` = 2
  package static let zero = 3
  package static let one = 4

  package init() { self.init(table: InternTable()) }

  /// - Parameter table: an empty table, whose memory is used.
  init(table: consuming InternTable) {
    self.table = table
    self.table.reserve(16)
    cells.reserveCapacity(16)
    append(.null)
    append(.false)
    append(.true)
    append(Cell(Int64(0)))
    append(Cell(Int64(1)))
  }

  /// Empties the table and returns it. No constants can be added afterwards.
  mutating func takeTable() -> InternTable { exchange(&table, with: InternTable()) }

  private mutating func append(_ cell: Cell) {
    cells.append(cell)
    _ = table.insert(hash(cell))
  }

  /// Returns the place of a constant. Strings that do not fit into a cell are copied.
  package mutating func intern(_ cell: Cell) -> Int {
    let hash = hash(cell)
    if let known = table.find(hash, isSame: { isSame(cells[$0], cell) }) { return known }
    cells.append(owned(cell))
    return table.insert(hash)
  }

  package mutating func intern(text: ByteView) -> Int { intern(Cell(textAt: text)) }

  /// The place of a list or map of cells that are already constants.
  package mutating func intern(_ tag: UInt8, count: Int, of elements: [Cell]) -> Int {
    let room = memory.cells(elements.count)
    for i in 0..<elements.count { room[i] = elements[i] }
    cells.append(Cell(tag: tag, count: count, at: room))
    return table.insert(UInt64(UInt(bitPattern: room)))
  }

  /// The place of a list or map that consists of this number of cells. Long strings among the cells are copied.
  mutating func intern(_ tag: UInt8, count: Int, cells number: Int, _ cell: (Int) -> Cell) -> Int {
    let room = memory.cells(number)
    for i in 0..<number { room[i] = owned(cell(i)) }
    cells.append(Cell(tag: tag, count: count, at: room))
    return table.insert(UInt64(UInt(bitPattern: room)))
  }

  /// A copy of a cell, in the pool's memory.
  package mutating func copy(_ cell: Cell) -> Cell {
    switch cell.tag {
    case Tag.longText, Tag.bytes: return cells[intern(cell)]
    case Tag.list, Tag.map, Tag.optional, Tag.function:
      let source = cell.tag == Tag.map ? cell.entries : cell.elements
      let room = memory.cells(source.count)
      for (i, element) in source.enumerated() { room[i] = copy(element) }
      return Cell(tag: cell.tag, count: cell.outsideCount, at: room)
    case Tag.ip, Tag.cidr, Tag.version: return owned(cell)
    default: return cell
    }
  }

  /// Copies a constant of another pool, and returns the place of the copy.
  mutating func internCopy(_ cell: Cell) -> Int { intern(copy(cell)) }

  private func hash(_ cell: Cell) -> UInt64 {
    guard cell.tag == Tag.longText || cell.tag == Tag.bytes else {
      return InternTable.combine(cell.low, cell.high)
    }
    return withUnsafePointer(to: cell) {
      InternTable.combine(UInt64(cell.tag), $0.textBytes)
    }
  }

  private func isSame(_ a: Cell, _ b: Cell) -> Bool {
    if a == b { return true }
    guard a.tag == b.tag, a.tag == Tag.longText || a.tag == Tag.bytes else { return false }
    return withUnsafePointer(to: a) { a in
      withUnsafePointer(to: b) { b in Comparing.equalBytes(a.textBytes, b.textBytes) }
    }
  }

  private func owned(_ cell: Cell) -> Cell {
    guard cell.hasBytesOutside, cell.outsideCount > 0, let source = cell.address else {
      return cell
    }
    let copy = memory.bytes(cell.outsideCount)
    copy.copyMemory(from: source, byteCount: cell.outsideCount)
    return Cell(tag: cell.tag, count: cell.outsideCount, at: copy)
  }
}
