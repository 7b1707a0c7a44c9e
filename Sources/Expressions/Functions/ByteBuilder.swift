/// Collects an unknown number of bytes in an arena, so that the arena's limit applies to the bytes too.
///
/// After the limit is reached, further bytes are ignored. Callers whose output has no end check ``isFull``.
struct ByteBuilder {
  // SAFETY: `room` makes the space before a write and counts it as used. Growing copies what was
  // written. The arena owns the bytes, and `finish` releases only what was taken since `init`.
  // Tests: StringFormatTests, HostileInputTests, asan.

  private var start: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var count = 0
  /// Whether the limit of the arena was reached.
  private(set) var isFull = false
  private let beginning: Arena.Mark

  /// An empty builder.
  init(in arena: inout Arena) { beginning = arena.mark }

  /// Appends one byte.
  mutating func append(_ byte: UInt8, _ arena: inout Arena) {
    if let room = room(1, &arena) { room[0] = byte }
  }

  /// Appends bytes.
  mutating func append(_ bytes: ByteView, _ arena: inout Arena) {
    guard let source = bytes.baseAddress, let room = room(bytes.count, &arena) else { return }
    room.update(from: source, count: bytes.count)
  }

  /// Appends the UTF-8 of a short string.
  mutating func append(_ text: String, _ arena: inout Arena) {
    var text = text
    text.withUTF8 { append($0, &arena) }
  }

  /// Appends the bytes that `write` puts into a buffer of `most` bytes. `write` returns the number of bytes.
  mutating func append(
    upTo most: Int, _ arena: inout Arena, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    guard let room = room(most, &arena) else { return }
    count -= most - write(UnsafeMutableBufferPointer(start: room, count: most))
  }

  /// Returns the bytes as a cell: a string, or a value of another type if `tag` names one.
  mutating func finish(_ arena: inout Arena, as tag: UInt8 = Tag.longText) -> Cell {
    if isFull { return Cell(fault: .limitExceeded) }
    guard tag == Tag.longText else { return Cell(tag: tag, count: count, at: start) }
    let cell = Cell(textAt: ByteView(start: start, count: count))
    if cell.isShortText { arena.release(to: beginning) }
    return cell
  }

  /// Memory for further bytes, counted as used.
  private mutating func room(_ extra: Int, _ arena: inout Arena) -> UnsafeMutablePointer<UInt8>? {
    if isFull { return nil }
    if extra > capacity - count {
      // The capacity at least doubles, so that the number of copied bytes stays proportional to the result.
      capacity = max(count + extra, capacity * 2, 64)
      guard let larger = arena.allocate(capacity) else {
        isFull = true
        return nil
      }
      let bytes = larger.assumingMemoryBound(to: UInt8.self)
      if let start { bytes.update(from: start, count: count) }
      start = bytes
    }
    defer { count += extra }
    return start.map { $0 + count }
  }
}

extension Arena {
  /// A string of exactly `count` bytes, which `write` fills in.
  mutating func text(ofBytes count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) -> Cell {
    // SAFETY: `write` fills exactly `count` bytes. A short result is copied into its cell before
    // the arena releases them. Tests: StringExtensionTests, EncodersTests, asan.
    let beginning = mark
    guard count > 0 else { return .emptyText }
    guard let memory = allocate(count) else { return Cell(fault: .limitExceeded) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    write(bytes)
    let cell = Cell(textAt: ByteView(start: bytes, count: count))
    if cell.isShortText { release(to: beginning) }
    return cell
  }

  /// A list of exactly `count` cells, which `fill` fills in.
  mutating func list(of count: Int, _ fill: (UnsafeMutablePointer<Cell>) -> Void) -> Cell {
    // SAFETY: `fill` writes all `count` cells before the list's cell is made.
    // Tests: ListExtensionTests, asan.
    guard count > 0 else { return .emptyList }
    guard let memory = cells(count) else { return Cell(fault: .limitExceeded) }
    fill(memory)
    return Cell(tag: Tag.list, count: count, at: memory)
  }
}
