internal import CShims
package import Expressions

/// Fills columns from Arrow columns, with a loop over rows for each type.
extension ArrowRows {
  /// Rows of a batch for the first rows of a block.
  private struct Part {
    var first: Int
    var count: Int
    /// The cells of the column, and the rows that have a value.
    var cells: UnsafeMutablePointer<Cell>
    var valid: RowMask

    @inline(__always)
    func isValid(_ row: Int) -> Bool { valid[row &>> 6] &>> UInt64(row & 63) & 1 != 0 }
  }

  /// Fills the first rows of a block with the attributes of a range of rows.
  ///
  /// - Parameters:
  ///   - tooLarge: receives a bit for each row whose values exceed the memory of a block, or are
  ///     unreadable. Decide these rows alone.
  ///   - scratch: a mask.
  package func fill(
    _ columns: inout ColumnFrame, from first: Int, count: Int, tooLarge: RowMask, scratch: RowMask
  ) throws(ArrowError) {
    // SAFETY: Rows are below 512. All offsets of a block are checked before the first text, and 16
    // bytes are read only where the buffer has them. Tests: ArrowColumnTests, DamagedFrameTests.
    precondition(first >= 0 && count >= 0 && count <= ColumnFrame.rows)
    precondition(count <= self.count - first)
    for column in self.columns {
      let slot = column.source.slot
      let part = Part(
        first: first, count: count, cells: columns.cells + slot &* ColumnFrame.stride,
        valid: scratch)
      fillMask(part, column.levels)
      // Set early, because filling may end with an error after some cells already point outside.
      columns.pointing[slot] = 1
      let points = try fillValues(column, part, &columns.arena, tooLarge)
      if !points, !column.pointsOutside { columns.pointing[slot] = 0 }
      fillNulls(part, column.levels)
    }
  }

  /// The rows that have a value.
  private func fillMask(_ part: Part, _ levels: [Column.Level]) {
    RowMasks.fill(part.valid, rows: part.count)
    for level in levels {
      for word in 0..<ColumnFrame.words {
        part.valid[word] &= level.valid.word(part.first &+ word &* 64)
      }
    }
  }

  /// Fills the rows in which a value or struct is NULL, from the inside out, so that the outermost
  /// takes precedence.
  private func fillNulls(_ part: Part, _ levels: [Column.Level]) {
    for level in levels.reversed() {
      let cell = level.whenNull
      var row = 0
      while row < part.count {
        let rows = min(64, part.count &- row)
        var absent = ~level.valid.word(part.first &+ row)
        if rows < 64 { absent &= 1 &<< UInt64(rows) &- 1 }
        while absent != 0 {
          part.cells[row &+ absent.trailingZeroBitCount] = cell
          absent &= absent &- 1
        }
        row &+= 64
      }
    }
  }

  /// Fills the rows that have a value. The cells of others are undefined.
  ///
  /// - Returns: whether a cell may point outside, except for one that the column had before.
  private func fillValues(
    _ column: Column, _ part: Part, _ arena: inout Arena, _ tooLarge: RowMask
  ) throws(ArrowError) -> Bool {
    if case .constant(let cell) = column.source.content {
      part.cells.update(repeating: cell, count: part.count)
      return false
    }
    if column.isThereOrNull {
      part.cells.update(repeating: .true, count: part.count)
      return false
    }
    guard let array = column.array else { return try fillSlowly(column, part, &arena, tooLarge) }
    if !column.isPlain { return try fillSlowly(column, part, &arena, tooLarge) }
    if array.hasDictionary {
      guard let cells = column.dictionary else {
        return try fillSlowly(column, part, &arena, tooLarge)
      }
      try fillFromDictionary(array, part, cells)
      return false
    }
    let binding = binding.program.storage.binding
    var points = false
    switch array.content {
    case .bool(let bits): fillBools(bits, part)
    case .int8(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .uint8(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .int16(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .uint16(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .int32(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .uint32(let values): fillNumbers(values, part) { Cell(Int64($0)) }
    case .int64(let values): fillNumbers(values, part) { Cell($0) }
    case .uint64(let values):
      // Numbers that fit are ints, as in JSON.
      fillNumbers(values, part) {
        Cell(low: $0 &>> 63 == 0 ? UInt64(Tag.int) : UInt64(Tag.uint), high: $0)
      }
    case .half(let values): fillNumbers(values, part) { Cell(ArrowColumn.double(half: $0)) }
    case .float(let values): fillNumbers(values, part) { Cell(Double($0)) }
    case .double(let values): fillNumbers(values, part) { Cell($0) }
    case .text(let offsets, let start): points = try fillTexts(offsets, start, array, part)
    case .largeText(let offsets, let start): points = try fillTexts(offsets, start, array, part)
    case .textViews(let views, let buffers): points = try fillTexts(views, buffers, array, part)
    default: return try fillSlowly(column, part, &arena, tooLarge)
    }
    let changes: Bool =
      switch array.content {
      case .bool: false
      case .half, .float, .double: binding.wholeDoublesAreInts
      case .text, .largeText, .textViews: binding.changesTexts
      default: binding.longsAreUnsigned
      }
    if changes { bindValues(column.source, part, &arena, tooLarge) }
    return points
  }

  private func fillBools(_ bits: ArrowBits, _ part: Part) {
    var row = 0
    while row < part.count {
      let word = bits.word(part.first &+ row)
      for bit in 0..<min(64, part.count &- row) {
        let isTrue = word &>> UInt64(bit) & 1
        part.cells[row &+ bit] = Cell(low: UInt64(Tag.bool) | isTrue &<< 8, high: 0)
      }
      row &+= 64
    }
  }

  @inline(__always)
  private func fillNumbers<Number>(
    _ values: ArrowElements<Number>, _ part: Part, _ cell: (Number) -> Cell
  ) {
    ArrowRows.inParts(part.count) { rows in
      values.readAhead(part.first &+ rows.lowerBound &+ ColumnFrame.rows, count: 64)
      for row in rows { part.cells[row] = cell(values[part.first &+ row]) }
    }
  }

  /// Goes through rows in parts, and prefetches the input of the next block before each. A block
  /// has one page of each column, and at its beginning reads are unpredictable.
  @inline(__always)
  private static func inParts(_ count: Int, _ body: (Range<Int>) -> Void) {
    var row = 0
    while row < count {
      let end = min(row &+ 64, count)
      body(row..<end)
      row = end
    }
  }

  /// Converts the values to the types that the program needs.
  private func bindValues(
    _ source: ArrowBinding.Source, _ part: Part, _ arena: inout Arena, _ tooLarge: RowMask
  ) {
    for row in 0..<part.count where part.isValid(row) {
      arena.hasRunOut = false
      part.cells[row] = binding.bound(part.cells[row], source, &arena)
      if arena.hasRunOut { tooLarge[row &>> 6] |= 1 &<< UInt64(row & 63) }
    }
  }

  /// Fills row by row, for any type.
  private func fillSlowly(
    _ column: Column, _ part: Part, _ arena: inout Arena, _ tooLarge: RowMask
  ) throws(ArrowError) -> Bool {
    for row in 0..<part.count {
      let mark = arena.mark
      arena.hasRunOut = false
      if part.isValid(row), let cell = try readableCell(column, part.first &+ row, &arena),
        !arena.hasRunOut
      {
        part.cells[row] = cell
      } else {
        if part.isValid(row) { tooLarge[row &>> 6] |= 1 &<< UInt64(row & 63) }
        arena.release(to: mark)
        part.cells[row] = .missing
      }
    }
    return true
  }

  /// The same, and nil for an unreadable value, which is reported when the row is decided alone.
  private func readableCell(
    _ column: Column, _ row: Int, _ arena: inout Arena
  ) throws(ArrowError) -> Cell? {
    do throws(ArrowError) {
      return try slotCell(column, row, &arena)
    } catch {
      if error.isOfValue { return nil }
      throw error
    }
  }
}

// MARK: Dictionaries

extension ArrowRows {
  private func fillFromDictionary(
    _ array: ArrowColumn, _ part: Part, _ cells: UnsafeBufferPointer<Cell>
  ) throws(ArrowError) {
    switch array.content {
    case .int8(let codes): try fill(codes, array, part, cells)
    case .uint8(let codes): try fill(codes, array, part, cells)
    case .int16(let codes): try fill(codes, array, part, cells)
    case .uint16(let codes): try fill(codes, array, part, cells)
    case .int32(let codes): try fill(codes, array, part, cells)
    case .uint32(let codes): try fill(codes, array, part, cells)
    case .int64(let codes): try fill(codes, array, part, cells)
    case .uint64(let codes): try fill(codes, array, part, cells)
    default: break
    }
  }

  @inline(__always)
  private func fill<Code: FixedWidthInteger>(
    _ codes: ArrowElements<Code>, _ array: ArrowColumn, _ part: Part,
    _ cells: UnsafeBufferPointer<Cell>
  ) throws(ArrowError) {
    for row in 0..<part.count {
      // A negative code becomes a large one.
      let code = UInt(bitPattern: Int(truncatingIfNeeded: codes[part.first &+ row]))
      if code < UInt(bitPattern: cells.count) {
        part.cells[row] = cells[Int(bitPattern: code)]
      } else if part.isValid(row) {
        _ = try array.code(part.first &+ row)
      } else {
        part.cells[row] = .missing
      }
    }
  }
}

// MARK: Texts

extension ArrowRows {
  private var boolNames: QuickJSON.BoolNames {
    let binding = binding.program.storage.binding
    return QuickJSON.BoolNames(areRead: binding.readsBooleanTexts && !binding.dropsDollarSigns)
  }

  @inline(__always)
  private func fillTexts<Offset: FixedWidthInteger>(
    _ offsets: ArrowElements<Offset>, _ start: UnsafePointer<UInt8>, _ array: ArrowColumn,
    _ part: Part
  ) throws(ArrowError) -> Bool {
    guard part.count > 0 else { return false }
    let (from, to) = try ArrowTexts.range(offsets, part.first, part.count, array)
    let isASCII = ArrowTexts.isASCII(start + from, to - from)
    // The readable bytes. Those after the last string belong to no one.
    let end = Int(truncatingIfNeeded: offsets[array.count])
    let names = boolNames
    var at = from
    var isAnyLong = false
    ArrowRows.inParts(part.count) { rows in
      let begin = at
      offsets.readAhead(part.first &+ rows.lowerBound &+ ColumnFrame.rows, count: 64)
      at = Int(truncatingIfNeeded: offsets[part.first &+ rows.upperBound])
      ArrowTexts.readAhead(start, begin &+ to &- from, count: at &- begin, end: end)
      let cells = part.cells + rows.lowerBound
      var left = writeTexts(
        offsets.place(of: part.first &+ rows.lowerBound), start, areLarge: Offset.bitWidth == 64,
        count: rows.count, Tag.shortText, to: cells)
      isAnyLong = isAnyLong || left != 0
      while left != 0 {
        let row = rows.lowerBound &+ left.trailingZeroBitCount
        left &= left &- 1
        let at = Int(truncatingIfNeeded: offsets[part.first &+ row])
        let count = Int(truncatingIfNeeded: offsets[part.first &+ row &+ 1]) &- at
        part.cells[row] = Cell(textAt: ByteView(start: start + at, count: count))
      }
      if names.isTrue != 0 { ArrowTexts.nameBools(cells, rows.count, names) }
    }
    if !isASCII { try checkTexts(part, array) }
    return isAnyLong
  }

  private func fillTexts(
    _ views: ArrowElements<ArrowTextView>, _ buffers: UnsafeBufferPointer<ByteView>,
    _ array: ArrowColumn, _ part: Part
  ) throws(ArrowError) -> Bool {
    let names = boolNames
    var isAnyLong = false
    var all: UInt64 = 0
    for row in 0..<part.count {
      let cell = part.cells + row
      let view = views[part.first &+ row]
      if view.count >= 0, view.count <= ArrowTextView.longestInline {
        ArrowTexts.write(view, cell, names)
        all |= cell.pointee.high | cell.pointee.low & ~0xFF
      } else if part.isValid(row) {
        let text = try ArrowColumn.text(views, part.first &+ row, buffers, array)
        ArrowTexts.write(text, cell, names)
        isAnyLong = isAnyLong || text.count > 15
        // Checked below, if necessary.
        if !ArrowTexts.isASCII(text.baseAddress, text.count) { all = .max }
      } else {
        cell.pointee = .missing
      }
    }
    if all & 0x8080_8080_8080_8080 != 0 { try checkTexts(part, array) }
    return isAnyLong
  }

  /// Whether the strings are UTF-8, which all later code relies on.
  @inline(never)
  private func checkTexts(_ part: Part, _ array: ArrowColumn) throws(ArrowError) {
    for row in 0..<part.count where part.isValid(row) {
      let cell = UnsafePointer(part.cells + row)
      if cell.pointee.isText, !UTF8Scan.isValid(cell.textBytes) {
        throw array.fault(ArrowColumn.notUTF8, part.first + row)
      }
    }
  }
}

// MARK: Texts for the caller

extension ArrowRows {
  /// The strings of a captured column, row by row, in the batch's memory. For whole numbers their
  /// digits, in the arena. NULL has no address.
  ///
  /// - Parameter texts: has room for all rows.
  package func fillTexts(
    ofCapture number: Int, from first: Int, count: Int, to texts: UnsafeMutablePointer<ByteView>,
    in arena: inout Arena
  ) throws(ArrowError) {
    precondition(first >= 0 && count >= 0 && count <= self.count - first)
    texts.update(repeating: ByteView(start: nil, count: 0), count: count)
    guard count > 0, let column = captured[number], let array = column.array else { return }
    let isPlain = column.levels.isEmpty && !array.hasDictionary
    if isPlain, case .text(let offsets, let start) = array.content {
      return try fillTexts(offsets, start, array, first, count, texts)
    }
    if isPlain, case .largeText(let offsets, let start) = array.content {
      return try fillTexts(offsets, start, array, first, count, texts)
    }
    rows: for row in 0..<count {
      for level in column.levels where !level.valid[first &+ row] { continue rows }
      if let text = try array.text(first &+ row) {
        texts[row] = text
      } else if let digits = try digits(array, first &+ row, in: &arena) {
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

/// Strings of a column, many at once.
enum ArrowTexts {
  /// Prefetches strings that are read soon, as far as they are readable.
  @inline(__always)
  static func readAhead(_ start: UnsafePointer<UInt8>, _ first: Int, count: Int, end: Int) {
    guard first < end else { return }
    CShims.readAhead(start + first, count: min(count, end &- first))
  }

  /// The bounds of some rows' strings, after all their offsets are checked.
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

  /// Writes a string that is inline in its view. The bytes after it may be nonzero.
  @inline(__always)
  static func write(
    _ view: ArrowTextView, _ cell: UnsafeMutablePointer<Cell>, _ names: QuickJSON.BoolNames
  ) {
    let count = UInt64(UInt32(bitPattern: view.count))
    let first = UInt64(view.prefix) | UInt64(UInt32(bitPattern: view.buffer)) &<< 32
    let last = UInt64(UInt32(bitPattern: view.offset))
    // Smart shifts, so that a word without bytes of the string is cleared.
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
