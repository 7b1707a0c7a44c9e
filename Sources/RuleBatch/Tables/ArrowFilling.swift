internal import CShims
internal import Expressions

/// Fills columns from Arrow columns, with a loop over rows for each type.
extension ArrowRows {
  /// Some rows of a batch: a range, or a list.
  struct Selection {
    // SAFETY: A list has `count` rows of the batch, and outlives the call that gets it.
    // Tests: TableFleetTests, asan.

    /// The first row, if the selection is a range.
    let first: Int
    let count: Int
    /// The rows of a list; nil for a range.
    let list: UnsafePointer<Int>?

    init(from first: Int, count: Int) { (self.first, self.count, list) = (first, count, nil) }

    init(_ list: UnsafeBufferPointer<Int>) {
      (first, count, self.list) = (list.first ?? 0, list.count, list.baseAddress)
    }

    /// A part of the selection.
    func part(from start: Int, count: Int) -> Selection {
      guard let list else { return Selection(from: first &+ start, count: count) }
      return Selection(UnsafeBufferPointer(start: list + start, count: count))
    }

    /// The row in the batch for an index of the selection.
    @inline(__always)
    subscript(row: Int) -> Int { list.map { $0[row] } ?? first &+ row }
  }

  /// The selected rows of a batch, which fill the first rows of a block.
  private struct Part {
    var rows: Selection
    /// The cells of the column, and the rows that have a value.
    var cells: UnsafeMutablePointer<Cell>
    var valid: RowMask

    var count: Int { rows.count }
    var isList: Bool { rows.list != nil }
    /// The first row, if the selection is a range.
    var first: Int { rows.first }

    @inline(__always)
    func isValid(_ row: Int) -> Bool { valid[row &>> 6] &>> UInt64(row & 63) & 1 != 0 }
  }

  /// Fills the first rows of a block with the attributes of some rows.
  ///
  /// - Parameters:
  ///   - tooLarge: receives a bit for each row whose values exceed the memory of a block, or are
  ///     unreadable. Decide these rows alone.
  ///   - scratch: a mask.
  func fill(
    _ columns: inout ColumnFrame, _ rows: Selection, tooLarge: RowMask, scratch: RowMask
  ) throws(ArrowError) {
    // SAFETY: Rows are below 512. All offsets of a block are checked before the first text, and 16
    // bytes are read only where the buffer has them. Tests: ArrowColumnTests, DamagedFrameTests.
    precondition(rows.count <= ColumnFrame.rows)
    check(rows)
    for column in self.columns {
      let slot = column.source.slot
      let part = Part(
        rows: rows, cells: columns.cells + slot &* ColumnFrame.stride, valid: scratch)
      fillMask(part, column.levels)
      // The flag is set early, because filling may end with an error after some cells already point
      // outside.
      columns.pointing[slot] = 1
      let points = try fillValues(column, part, &columns.arena, tooLarge)
      if !points, !column.pointsOutside { columns.pointing[slot] = 0 }
      fillNulls(part, column.levels)
    }
  }

  func check(_ rows: Selection) {
    precondition(rows.first >= 0 && rows.count >= 0)
    guard rows.list != nil else { return precondition(rows.count <= count - rows.first) }
    for row in 0..<rows.count { precondition(rows[row] >= 0 && rows[row] < count) }
  }

  /// The rows that have a value.
  private func fillMask(_ part: Part, _ levels: [Column.Level]) {
    RowMasks.fill(part.valid, rows: part.count)
    if part.isList {
      for level in levels {
        for row in 0..<part.count where !level.valid[part.rows[row]] {
          part.valid[row &>> 6] &= ~(1 &<< UInt64(row & 63))
        }
      }
      return
    }
    for level in levels {
      for word in 0..<ColumnFrame.words {
        part.valid[word] &= level.valid.word(part.first &+ word &* 64)
      }
    }
  }

  /// Fills the rows in which a value or struct is NULL. Inner levels are filled first, so that the
  /// outermost NULL takes precedence.
  private func fillNulls(_ part: Part, _ levels: [Column.Level]) {
    for level in levels.reversed() {
      let cell = level.whenNull
      if part.isList {
        for row in 0..<part.count where !level.valid[part.rows[row]] { part.cells[row] = cell }
        continue
      }
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

  /// Fills the rows that have a value. The cells of other rows are undefined.
  ///
  /// - Returns: whether a new cell may point outside.
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
      // Numbers that fit into an int become ints, as in JSON.
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
    if part.isList {
      for row in 0..<part.count { part.cells[row] = bits[part.rows[row]] ? .true : .false }
      return
    }
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
    if part.isList {
      for row in 0..<part.count { part.cells[row] = cell(values[part.rows[row]]) }
      return
    }
    ArrowRows.inParts(part.count) { rows in
      values.readAhead(part.first &+ rows.lowerBound &+ ColumnFrame.rows, count: 64)
      for row in rows { part.cells[row] = cell(values[part.first &+ row]) }
    }
  }

  /// Processes rows in parts, and prefetches the input of the next part before each part. A block
  /// has one page of each column, and at its beginning, reads are unpredictable.
  @inline(__always)
  static func inParts(_ count: Int, _ body: (Range<Int>) -> Void) {
    var row = 0
    while row < count {
      let end = min(row &+ 64, count)
      body(row..<end)
      row = end
    }
  }

  /// Converts the values to the types that the program requires.
  private func bindValues(
    _ source: ArrowBinding.Source, _ part: Part, _ arena: inout Arena, _ tooLarge: RowMask
  ) {
    for row in 0..<part.count where part.isValid(row) {
      arena.hasRunOut = false
      part.cells[row] = binding.bound(part.cells[row], source, &arena)
      if arena.hasRunOut { tooLarge[row &>> 6] |= 1 &<< UInt64(row & 63) }
    }
  }

  /// Fills the cells row by row, which works for any type.
  private func fillSlowly(
    _ column: Column, _ part: Part, _ arena: inout Arena, _ tooLarge: RowMask
  ) throws(ArrowError) -> Bool {
    for row in 0..<part.count {
      let mark = arena.mark
      arena.hasRunOut = false
      if part.isValid(row), let cell = try readableCell(column, part.rows[row], &arena),
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

  /// The cell of a row; nil for an unreadable value, which is reported when the row is decided alone.
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
      // A negative code becomes a large number.
      let code = UInt(bitPattern: Int(truncatingIfNeeded: codes[part.rows[row]]))
      if code < UInt(bitPattern: cells.count) {
        part.cells[row] = cells[Int(bitPattern: code)]
      } else if part.isValid(row) {
        _ = try array.code(part.rows[row])
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
    if part.isList { return try fillListedTexts(array, part) }
    let (from, to) = try ArrowTexts.range(offsets, part.first, part.count, array)
    let isASCII = ArrowTexts.isASCII(start + from, to - from)
    // The bytes after the last string must not be read.
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
      let view = views[part.rows[row]]
      if view.count >= 0, view.count <= ArrowTextView.longestInline {
        ArrowTexts.write(view, cell, names)
        all |= cell.pointee.high | cell.pointee.low & ~0xFF
      } else if part.isValid(row) {
        let text = try ArrowColumn.text(views, part.rows[row], buffers, array)
        ArrowTexts.write(text, cell, names)
        isAnyLong = isAnyLong || text.count > 15
        // The strings are checked below, if necessary.
        if !ArrowTexts.isASCII(text.baseAddress, text.count) { all = .max }
      } else {
        cell.pointee = .missing
      }
    }
    if all & 0x8080_8080_8080_8080 != 0 { try checkTexts(part, array) }
    return isAnyLong
  }

  /// - Returns: whether any string is too long for a cell.
  private func fillListedTexts(_ array: ArrowColumn, _ part: Part) throws(ArrowError) -> Bool {
    let names = boolNames
    var isAnyLong = false
    for row in 0..<part.count {
      guard part.isValid(row), let text = try array.text(part.rows[row]) else {
        part.cells[row] = .missing
        continue
      }
      ArrowTexts.write(text, part.cells + row, names)
      isAnyLong = isAnyLong || text.count > 15
    }
    return isAnyLong
  }

  /// Whether the strings are UTF-8, which all later code relies on.
  @inline(never)
  private func checkTexts(_ part: Part, _ array: ArrowColumn) throws(ArrowError) {
    for row in 0..<part.count where part.isValid(row) {
      let cell = UnsafePointer(part.cells + row)
      if cell.pointee.isText, !UTF8Scan.isValid(cell.textBytes) {
        throw array.fault(ArrowColumn.notUTF8, part.rows[row])
      }
    }
  }
}
