/// Memory for the values of one evaluation: bump allocation, released all at once.
///
/// Blocks are reused for the next evaluation, so a warm arena allocates nothing from the system.
@usableFromInline package struct Arena: ~Copyable {
  // SAFETY: The arena owns its blocks, cannot be copied, and frees them in `deinit` only. Cells
  // point into a block until `reset()` or `release(to:)`. Tests: LimitTests, EachLimitTests, asan.

  private struct Block {
    var start: UnsafeMutableRawPointer
    var size: Int
  }

  private var blocks: [Block] = []
  private var current = 0
  private var used = 0
  /// Bytes allocated since the last reset, over all blocks.
  private(set) var taken = 0
  /// Bytes that may be allocated between two resets.
  package var limit: Int
  /// Whether an allocation has failed since this property was set to false, or since the last reset.
  package var hasRunOut = false

  /// The minimum size of the first block. Later blocks are larger.
  private let firstBlock: Int

  package init(limit: Int, firstBlock: Int = 4_096) {
    self.limit = limit
    self.firstBlock = firstBlock
  }

  deinit {
    for block in blocks {
      ReusedMemory.take(block.start, block.size)
      block.start.deallocate()
    }
  }

  /// Memory of `size` bytes aligned to 16, or nil if the limit is reached.
  package mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    // SAFETY: Rounding up may overflow, so the size is checked again. The block has `size` bytes
    // left after `used`. Tests: LimitTests, asan.
    guard size >= 0 else { return nil }
    let size = (size &+ 15) & ~15
    // The limit is on allocated bytes, not on blocks: the result must not depend on the earlier content of a
    // frame.
    guard size >= 0, size <= limit &- taken else {
      hasRunOut = true
      return nil
    }
    taken &+= size
    if current < blocks.count, blocks[current].size - used >= size {
      defer { used += size }
      ReusedMemory.take(blocks[current].start + used, size)
      return blocks[current].start + used
    }
    return allocateInNextBlock(size)
  }

  @inline(never)
  private mutating func allocateInNextBlock(_ size: Int) -> UnsafeMutableRawPointer {
    current = current < blocks.count ? current + 1 : blocks.count
    while current < blocks.count, blocks[current].size < size { current += 1 }
    if current == blocks.count {
      let capacity = max(size, min(firstBlock << min(blocks.count, 11), 1 << 20))
      blocks.append(
        Block(start: .allocate(byteCount: capacity, alignment: 16), size: capacity))
      ReusedMemory.giveBack(blocks[current].start, capacity)
    }
    used = size
    ReusedMemory.take(blocks[current].start, size)
    return blocks[current].start
  }

  /// Releases everything. Cells that point into the arena are invalid afterwards.
  package mutating func reset() {
    giveBack(from: 0, 0)
    current = 0
    used = 0
    taken = 0
    hasRunOut = false
  }

  /// A state that ``release(to:)`` can return to.
  package struct Mark {
    fileprivate var current: Int
    fileprivate var used: Int
    fileprivate var taken: Int
  }

  package var mark: Mark { Mark(current: current, used: used, taken: taken) }

  /// Releases all memory that was allocated since the mark.
  package mutating func release(to mark: Mark) {
    giveBack(from: mark.current, mark.used)
    current = mark.current
    used = mark.used
    taken = mark.taken
  }

  /// Poisons all memory after a place.
  @inline(__always)
  private func giveBack(from block: Int, _ offset: Int) {
    guard ReusedMemory.isPoisoned, block < blocks.count, block <= current else { return }
    var start = offset
    for number in block...min(current, blocks.count - 1) {
      // The bytes after ``used`` have not been taken since they were released.
      let end = number == current ? used : blocks[number].size
      if end > start { ReusedMemory.giveBack(blocks[number].start + start, end - start) }
      start = 0
    }
  }

  /// Memory for `count` cells.
  package mutating func cells(_ count: Int) -> UnsafeMutablePointer<Cell>? {
    // SAFETY: The product is checked, and blocks are aligned to 16 bytes, the size of a cell.
    // Tests: LimitTests, HostileInputTests.
    let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Cell>.stride)
    guard !overflow else { return nil }
    return allocate(size)?.bindMemory(to: Cell.self, capacity: count)
  }

  /// A string cell with a copy of the bytes.
  package mutating func text(copying bytes: ByteView) -> Cell? {
    // SAFETY: The copy has room for `bytes.count` bytes. Tests: FrameFillTests, asan.
    if let short = Cell(short: bytes) { return short }
    guard let copy = allocate(bytes.count), let start = bytes.baseAddress else { return nil }
    copy.copyMemory(from: start, byteCount: bytes.count)
    return Cell(tag: Tag.longText, count: bytes.count, at: copy)
  }
}
