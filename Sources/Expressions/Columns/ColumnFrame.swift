/// The attributes of many contexts: a column of cells for each attribute that a program reads.
///
/// A test takes about a nanosecond per row if it reads a column instead of a context. Rows are filled one after the
/// other, by ``RecordShapes`` or from a ``Frame``.
@usableFromInline package struct ColumnFrame: ~Copyable {
  // SAFETY: There are `stride` cells for each slot of the program, all vacant at first. Rows are
  // below 512 and slots below `slotCount`. `deinit` frees the memory. Tests: ConditionColumnsTests,
  // asan.

  /// The number of contexts in a frame.
  ///
  /// A computed property, so that loops over rows and masks have constant bounds.
  @inlinable package static var rows: Int { 512 }
  /// The number of words in a mask, which has a bit for every row.
  @inlinable package static var words: Int { rows / 64 }
  /// The number of cells from one column to the next. The stride is not a power of two, so that the cells of a row do
  /// not compete for the same cache lines.
  @inlinable package static var stride: Int { rows + 4 }

  /// The columns, one after the other, in slot order.
  @usableFromInline package let cells: UnsafeMutablePointer<Cell>
  package let slotCount: Int
  /// The rows that hold a context. The cells of other rows are vacant: they point nowhere, and their
  /// content has no meaning.
  @usableFromInline package let filled: RowMask
  /// For each slot, 1 if a cell of the column may contain a pointer, until the next ``reset()``.
  @usableFromInline package let pointing: UnsafeMutablePointer<UInt8>
  /// Memory for values that do not fit into cells, until the next ``reset()``.
  package var arena: Arena

  package init(for program: Program) {
    self.init(
      slotCount: program.storage.graph.slots.count, memoryBytes: program.limits.memoryBytes)
  }

  init(slotCount: Int, memoryBytes: Int) {
    self.slotCount = slotCount
    cells = .allocate(capacity: max(slotCount, 1) * ColumnFrame.stride)
    cells.initialize(repeating: .vacant, count: max(slotCount, 1) * ColumnFrame.stride)
    filled = RowMasks.allocate()
    pointing = .allocate(capacity: max(slotCount, 1))
    pointing.initialize(repeating: 0, count: max(slotCount, 1))
    arena = Arena(limit: memoryBytes)
  }

  deinit {
    cells.deallocate()
    filled.deallocate()
    pointing.deallocate()
  }

  /// Clears all rows. Afterwards no cell points into the arena or to the memory of the contexts.
  package mutating func reset() {
    // SAFETY: No cell points anywhere afterwards: `pointing` names every column that may hold an
    // address. Tests: ConditionColumnsTests, InputFormsTests, asan.
    for slot in 0..<slotCount where pointing[slot] != 0 || ReusedMemory.isPoisoned {
      (cells + slot &* ColumnFrame.stride).update(repeating: .vacant, count: ColumnFrame.stride)
      pointing[slot] = 0
    }
    filled.update(repeating: 0, count: ColumnFrame.words)
    arena.reset()
  }

  /// Marks a row as filled, in ``filled``.
  @inlinable package func keepRow(_ row: Int) { filled[row >> 6] |= 1 << UInt64(row & 63) }

  /// Removes the context of a row, even if only some of the row's cells were filled.
  package func vacateRow(_ row: Int) {
    // SAFETY: The row's cells no longer point anywhere, as in `reset`.
    // Tests: ConditionColumnsTests, BatchDifferentialTests.
    for slot in 0..<slotCount where pointing[slot] != 0 || ReusedMemory.isPoisoned {
      cells[slot &* ColumnFrame.stride &+ row] = .vacant
    }
    filled[row >> 6] &= ~(1 << UInt64(row & 63))
  }

  @inlinable package func cell(_ slot: Int, row: Int) -> Cell {
    cells[slot &* ColumnFrame.stride &+ row]
  }

  /// Sets a cell. The cell may point into the ``arena``, or to memory that does not change until the next ``reset()``.
  @inlinable package func set(_ slot: Int, row: Int, to cell: Cell) {
    // SAFETY: Writing an address marks the column, so that `reset` sweeps it.
    // Tests: ConditionColumnsTests, asan.
    if cell.pointsOutside { pointing[slot] = 1 }
    cells[slot &* ColumnFrame.stride &+ row] = cell
  }

  /// Copies the attributes of a frame. The frame must not change for as long as the row is used.
  package func copyRow(_ row: Int, from frame: borrowing Frame) {
    for slot in 0..<slotCount { set(slot, row: row, to: frame.slots[slot]) }
    keepRow(row)
  }

  /// Copies the attributes of a row into a frame, and replaces its content.
  func copyRow(_ row: Int, to frame: borrowing Frame) {
    for slot in 0..<slotCount { frame.slots[slot] = cells[slot &* ColumnFrame.stride &+ row] }
  }
}

/// A set of rows of a ``ColumnFrame``, as a mask.
@usableFromInline package typealias RowMask = UnsafeMutablePointer<UInt64>

/// Operations on masks. All masks have ``ColumnFrame/words`` words.
@usableFromInline package enum RowMasks {
  // SAFETY: Every mask has `ColumnFrame.words` words, and rows are below 512.
  // Tests: ConditionColumnsTests, asan.

  package static func allocate(_ count: Int = 1) -> RowMask {
    let masks = RowMask.allocate(capacity: count * ColumnFrame.words)
    masks.initialize(repeating: 0, count: count * ColumnFrame.words)
    return masks
  }

  /// Sets the first `rows` rows.
  @inlinable package static func fill(_ mask: RowMask, rows: Int) {
    for word in 0..<ColumnFrame.words {
      let bits = max(0, min(64, rows - word * 64))
      mask[word] = bits == 64 ? .max : (1 << UInt64(bits)) - 1
    }
  }

  @inlinable @inline(__always)
  package static func count(_ mask: RowMask) -> Int {
    var count = 0
    for word in 0..<ColumnFrame.words { count &+= mask[word].nonzeroBitCount }
    return count
  }

  @inlinable @inline(__always)
  package static func isEmpty(_ mask: RowMask) -> Bool {
    var any: UInt64 = 0
    for word in 0..<ColumnFrame.words { any |= mask[word] }
    return any == 0
  }

  @inlinable package static func first(_ mask: RowMask) -> Int? {
    for word in 0..<ColumnFrame.words where mask[word] != 0 {
      return word * 64 + mask[word].trailingZeroBitCount
    }
    return nil
  }

  /// Calls `body` for every row of a mask, in order.
  @inlinable @inline(__always)
  package static func forEach(_ mask: RowMask, _ body: (Int) -> Void) {
    for word in 0..<ColumnFrame.words {
      var bits = mask[word]
      while bits != 0 {
        body(word &* 64 &+ bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
    }
  }
}
