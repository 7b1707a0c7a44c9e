internal import CShims

/// Fills rows from records.
extension RecordShapes {
  /// The destination of values.
  struct Row {
    // SAFETY: The pointers lead into a `ColumnFrame` and the caller's captures, which outlive the
    // filling of a row. Places come from steps, whose slots are below the number of columns. A row
    // that fails is vacated or filled again. Tests: RecordShapesTests, asan.

    /// The cell in the first column.
    var cells: UnsafeMutablePointer<Cell>
    /// The frame's ``ColumnFrame/pointing``.
    var pointing: UnsafeMutablePointer<UInt8>
    var captured: UnsafeMutablePointer<Captured>

    @inline(__always)
    func cell(_ place: Int) -> UnsafeMutablePointer<Cell> {
      (UnsafeMutableRawPointer(cells) + place).assumingMemoryBound(to: Cell.self)
    }
  }

  /// The number of bytes after the beginning of a step that must be readable: a short literal and a value.
  private static let reach = 32 + QuickJSON.reach

  /// Fills a row from a record of a known shape.
  ///
  /// - Parameters:
  ///   - text: begins with the record, a JSON object on a line. Strings without escapes stay in the text.
  ///   - slack: the number of readable bytes after the text, whatever their content. A record with fewer than 56 readable
  ///     bytes after it may be left to the general reader.
  ///   - captured: room for all captures. Only captures that the record has are written.
  /// - Returns: nil if the shape is unknown, a value is not valid JSON, or no memory is left for the row. The general
  ///   reader handles these records. After nil, the row is undefined.
  package func fill(
    _ text: ByteView, slack: Int = 0, row: Int, of columns: inout ColumnFrame,
    captured: UnsafeMutablePointer<Captured>
  ) -> Filled? {
    // SAFETY: `at <= safe` leaves 56 readable bytes before each step. A record that ran into the
    // slack is rejected at its end. Tests: RecordShapesTests, InputFormsTests, asan.
    guard let base = text.baseAddress else { return nil }
    let row = Row(cells: columns.cells + row, pointing: columns.pointing, captured: captured)
    // Reads may continue past the text. Such a record is rejected at its end.
    let safe = base + (text.count &+ slack &- RecordShapes.reach)
    var at = base
    var candidate = first
    // The step of the last value, unless its end is certain.
    var last: UnsafeMutablePointer<Step>?
    while true {
      guard let step = candidate else {
        // The last number may have a fraction or an exponent, which was not checked.
        guard let number = last, at <= safe,
          let start = QuickJSON.startOfNumber(before: at, after: base)
        else { return nil }
        let end = value(number.pointee, start - base, text, row, &columns.arena)
        if end < 0 { return nil }
        at = base + end
        candidate = number.pointee.next
        last = nil
        continue
      }
      guard at <= safe, isLiteral(at, step.pointee.literal, mask: step.pointee.mask),
        step.pointee.length <= 32 || RecordShapes.isLongLiteral(step, at, safe)
      else {
        candidate = step.pointee.other
        continue
      }
      at += Int(step.pointee.length)
      last = step
      candidate = step.pointee.next
      if step.pointee.action == .slot {
        let cell = row.cell(step.pointee.place)
        if at.pointee == UInt8(ascii: "\""),
          case let count = textEnd(at + 1, quote: UInt8(ascii: "\"")), count >= 0
        {
          QuickJSON.write(at + 1, count, cell, boolNames)
          at += count &+ 2
          continue
        } else if let end = QuickJSON.scalar(at, cell) {
          at = end
          continue
        }
      } else if step.pointee.action == .end {
        return finish(Int(step.pointee.number), at - base, text, row, &columns.arena)
      } else if let end = pass(step, at, base, row) {
        at = end
        continue
      }
      let end = value(step.pointee, at - base, text, row, &columns.arena)
      if end < 0 { return nil }
      at = base + end
      last = nil
    }
  }

  /// Skips a short string or scalar that is not stored in a cell.
  @inline(__always)
  private func pass(
    _ step: UnsafeMutablePointer<Step>, _ at: UnsafePointer<UInt8>, _ base: UnsafePointer<UInt8>,
    _ row: Row
  ) -> UnsafePointer<UInt8>? {
    switch step.pointee.action {
    case .capture, .skip:
      guard at.pointee == UInt8(ascii: "\"") else {
        return step.pointee.action == .skip ? QuickJSON.passScalar(at) : nil
      }
      let count = textEnd(at + 1, quote: UInt8(ascii: "\""))
      guard count >= 0 else { return nil }
      if step.pointee.action == .capture {
        row.captured[Int(step.pointee.number)] = Captured(
          from: at - base, to: at - base &+ count &+ 2, isPlainText: true)
      }
      return at + (count &+ 2)
    default: return nil
    }
  }

  /// Compares the rest of a literal of more than 32 bytes, and checks that enough bytes after the literal are readable.
  @inline(never)
  private static func isLongLiteral(
    _ step: UnsafeMutablePointer<Step>, _ at: UnsafePointer<UInt8>, _ safe: UnsafePointer<UInt8>
  ) -> Bool {
    // SAFETY: The length is compared with `safe` first. Tests: RecordShapesTests, asan.
    let length = Int(step.pointee.length)
    guard length <= safe - at else { return false }
    for i in 32..<length where at[i] != step.pointee.literal[i] { return false }
    return true
  }

  /// Reads a value of any kind. Returns -1 if the value is invalid, or differs from the shape.
  @inline(never)
  private func value(
    _ step: Step, _ start: Int, _ record: ByteView, _ row: Row, _ arena: inout Arena
  ) -> Int {
    // SAFETY: The cursor gets the record's end, so this path never reads the slack.
    // Tests: RecordShapesTests.
    guard let base = record.baseAddress, start < record.count else { return -1 }
    var cursor = JSONCursor(base, from: start, to: record.count)
    // White space before the value makes another shape.
    guard base[start] > 0x20 else { return -1 }
    do throws(JSONFault) {
      switch step.action {
      case .objectSlot where base[start] != UInt8(ascii: "{"): return -1
      case .slot, .objectSlot:
        let place = row.cell(step.place)
        place.pointee = try cursor.cell(in: &arena, nesting: Int(step.nesting))
        if bindsSimply, !binding.isPlain { bind(Int(step.number), place, &arena) }
        if place.pointee.pointsOutside { row.pointing[Int(step.number)] = 1 }
      case .presence:
        let isDropped = binding.null == .dropped && base[start] == UInt8(ascii: "n")
        try cursor.skipValue(nesting: Int(step.nesting))
        row.cell(step.place).pointee = isDropped ? .missing : .true
      case .capture:
        try cursor.skipValue(nesting: Int(step.nesting))
        row.captured[Int(step.number)] = Captured(from: start, to: cursor.at)
      case .skipUnlessObject:
        guard base[start] != UInt8(ascii: "{") else { return -1 }
        try cursor.skipValue(nesting: Int(step.nesting))
      case .object:
        guard base[start] == UInt8(ascii: "{") else { return -1 }
        try cursor.skipValue(nesting: Int(step.nesting))
      case .null:
        guard try cursor.takeNull() else { return -1 }
      case .skip, .end:
        try cursor.skipValue(nesting: Int(step.nesting))
      }
    } catch {
      return -1
    }
    // White space inside a value may be a newline, which still ends the record.
    for i in start..<cursor.at where base[i] == 0x0A { return -1 }
    return cursor.at
  }

  /// Sets the cells of attributes that the record does not have. White space may follow.
  @inline(__always)
  private func finish(
    _ number: Int, _ at: Int, _ record: ByteView, _ row: Row, _ arena: inout Arena
  ) -> Filled? {
    guard let base = record.baseAddress, at <= record.count else { return nil }
    var end = at
    while end < record.count, base[end] != 0x0A {
      let byte = base[end]
      guard byte == 0x20 || byte == 0x0D || byte == 0x09 else { return nil }
      end &+= 1
    }
    if !bindsSimply, !bindAll(number, row, &arena) { return nil }
    let ending = plainEndings + number
    var next = ending.pointee.defaults
    let last = ending.pointee.end
    while next != last {
      row.cell(next.pointee.place).pointee = next.pointee.cell
      next += 1
    }
    lastEnding.pointee = number
    return Filled(
      length: end, captures: ending.pointee.captures,
      hasUnknownKeys: ending.pointee.hasUnknownKeys)
  }

  /// - Returns: false if other rows have taken the memory that this row needs.
  @inline(never)
  private func bindAll(_ number: Int, _ row: Row, _ arena: inout Arena) -> Bool {
    // SAFETY: Slots are below the number of columns. Tests: RecordShapesTests.
    arena.hasRunOut = false
    for slot in endings[number].filled {
      let place = row.cells + slot &* ColumnFrame.stride
      bind(slot, place, &arena)
      if place.pointee.pointsOutside { row.pointing[slot] = 1 }
    }
    return !arena.hasRunOut
  }

  /// Binds the value of a slot.
  private func bind(
    _ slot: Int, _ place: UnsafeMutablePointer<Cell>, _ arena: inout Arena
  ) {
    guard place.pointee.isValue else { return }
    let bound = binding.bound(place.pointee, in: &arena)
    place.pointee =
      bound.isValue || !running.isRoot[slot] ? bound : running.defaults[slot]
  }
}
