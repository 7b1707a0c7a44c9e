internal import CShims
internal import Expressions

extension ArrowRows {
  /// Fills the strings of a captured column, row by row. The strings point into the batch's memory.
  /// Whole numbers become digits in the arena. NULL has no address.
  ///
  /// - Parameter texts: memory with room for all rows.
  func fillTexts(
    ofCapture number: Int, _ rows: Selection, to texts: UnsafeMutablePointer<ByteView>,
    in arena: inout Arena
  ) throws(ArrowError) {
    // SAFETY: `check` compares the rows with the column, and `range` compares all offsets with the
    // bytes before a string is read. Digits are in the arena. Tests: ArrowColumnTests,
    // FrameWorkerTests, asan.
    check(rows)
    let (first, count) = (rows.first, rows.count)
    texts.update(repeating: ByteView(start: nil, count: 0), count: count)
    guard count > 0, let column = captured[number], let array = column.array else { return }
    let isPlain = column.levels.isEmpty && !array.hasDictionary && rows.list == nil
    if isPlain, case .text(let offsets, let start) = array.content {
      return try fillTexts(offsets, start, array, first, count, texts)
    }
    if isPlain, case .largeText(let offsets, let start) = array.content {
      return try fillTexts(offsets, start, array, first, count, texts)
    }
    rows: for row in 0..<count {
      for level in column.levels where !level.valid[rows[row]] { continue rows }
      if let text = try array.text(rows[row]) {
        texts[row] = text
      } else if let digits = try digits(array, rows[row], in: &arena) {
        texts[row] = digits
      }
    }
  }

  private func digits(
    _ array: ArrowColumn, _ row: Int, in arena: inout Arena
  ) throws(ArrowError) -> ByteView? {
    if array.hasDictionary {
      let values = array.children[0]
      return values.hasDictionary ? nil : try digits(values, try array.code(row), in: &arena)
    }
    guard array.isValid(row), let cell = array.wholeNumber(row) else { return nil }
    var text = cell.tag == Tag.int ? String(cell.intValue) : String(cell.uintValue)
    return text.withUTF8 { digits -> ByteView? in
      guard let copy = arena.allocate(digits.count), let start = digits.baseAddress else {
        return nil
      }
      copy.copyMemory(from: start, byteCount: digits.count)
      return ByteView(start: copy.assumingMemoryBound(to: UInt8.self), count: digits.count)
    }
  }

  @inline(__always)
  private func fillTexts<Offset: FixedWidthInteger>(
    _ offsets: ArrowElements<Offset>, _ start: UnsafePointer<UInt8>, _ array: ArrowColumn,
    _ first: Int, _ count: Int, _ texts: UnsafeMutablePointer<ByteView>
  ) throws(ArrowError) {
    let (from, to) = try ArrowTexts.range(offsets, first, count, array)
    let end = Int(truncatingIfNeeded: offsets[array.count])
    var at = from
    ArrowRows.inParts(count) { rows in
      let begin = at
      offsets.readAhead(first &+ rows.lowerBound &+ ColumnFrame.rows, count: 64)
      for row in rows {
        let next = Int(truncatingIfNeeded: offsets[first &+ row &+ 1])
        texts[row] = ByteView(start: start + at, count: next &- at)
        at = next
      }
      ArrowTexts.readAhead(start, begin &+ to &- from, count: at &- begin, end: end)
    }
    if ArrowTexts.isASCII(start + from, to - from) { return }
    for row in 0..<count where !UTF8Scan.isValid(texts[row]) {
      throw array.fault(ArrowColumn.notUTF8, first + row)
    }
  }
}

/// Processes strings of a column, many at once.
enum ArrowTexts {
  /// Prefetches the strings that are read next, up to the last readable byte.
  @inline(__always)
  static func readAhead(_ start: UnsafePointer<UInt8>, _ first: Int, count: Int, end: Int) {
    guard first < end else { return }
    CShims.readAhead(start + first, count: min(count, end &- first))
  }

  /// The range of some rows' strings, after all their offsets are checked.
  @inline(__always)
  static func range<Offset: FixedWidthInteger>(
    _ offsets: ArrowElements<Offset>, _ first: Int, _ count: Int, _ array: ArrowColumn
  ) throws(ArrowError) -> (from: Int, to: Int) {
    // A negative or descending offset sets the highest bit.
    var faults = offsets[first]
    for row in first..<first &+ count {
      faults |= offsets[row &+ 1] | (offsets[row &+ 1] &- offsets[row])
    }
    let (from, to) = (
      Int(truncatingIfNeeded: offsets[first]), Int(truncatingIfNeeded: offsets[first &+ count])
    )
    guard faults >= 0, to <= Int(truncatingIfNeeded: offsets[array.count]) else {
      throw array.fault(ArrowColumn.endedOffsets, first)
    }
    return (from, to)
  }

  static func isASCII(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
    guard let start = UnsafeRawPointer(start) else { return true }
    var all: UInt64 = 0
    var i = 0
    while i &+ 8 <= count {
      all |= start.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      i &+= 8
    }
    while i < count {
      all |= UInt64(start.load(fromByteOffset: i, as: UInt8.self))
      i &+= 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Replaces strings that name a bool, in up to 64 cells of a column.
  static func nameBools(
    _ cells: UnsafeMutablePointer<Cell>, _ count: Int, _ names: QuickJSON.BoolNames
  ) {
    func write(_ cell: Cell, for name: UInt64) {
      var rows = testCells(cells, .lowIs, mask: .max, name)
      if count < 64 { rows &= 1 &<< UInt64(count) &- 1 }
      while rows != 0 {
        cells[rows.trailingZeroBitCount] = cell
        rows &= rows &- 1
      }
    }
    write(.true, for: names.isTrue)
    write(.false, for: names.isFalse)
  }

  /// Writes a string of any length.
  @inline(__always)
  static func write(
    _ text: ByteView, _ cell: UnsafeMutablePointer<Cell>, _ names: QuickJSON.BoolNames
  ) {
    let made = Cell(textAt: text)
    cell.pointee = made.low == names.isTrue ? .true : made.low == names.isFalse ? .false : made
  }

  /// Writes a string that is inline in its view. The bytes after the string may be nonzero.
  @inline(__always)
  static func write(
    _ view: ArrowTextView, _ cell: UnsafeMutablePointer<Cell>, _ names: QuickJSON.BoolNames
  ) {
    let count = UInt64(UInt32(bitPattern: view.count))
    let first = UInt64(view.prefix) | UInt64(UInt32(bitPattern: view.buffer)) &<< 32
    let last = UInt64(UInt32(bitPattern: view.offset))
    // The unmasked shift `<<` clears a word that contains no byte of the string.
    let keptFirst = first & ~(UInt64.max << (8 &* count))
    let keptLast = last & (count > 8 ? ~(UInt64.max << (8 &* (count &- 8))) : 0)
    let low = UInt64(Tag.shortText) | count | keptFirst << 8
    if low == names.isTrue {
      cell.pointee = .true
    } else if low == names.isFalse {
      cell.pointee = .false
    } else {
      cell.pointee = Cell(low: low, high: keptFirst >> 56 | keptLast << 8)
    }
  }
}
