extension Value {
  /// Parses one JSON value. Integers become `int`, or `uint` if they exceed the range of `Int64`. Other numbers become
  /// `double`. If a key is repeated, looking it up returns the last value.
  ///
  /// - Throws: ``JSONFault`` with the byte offset of the first error.
  public static func parse(json: some Sequence<UInt8>, nesting: Int = 512) throws(JSONFault)
    -> Value
  {
    let bytes = ContiguousArray(json)
    // SAFETY: The cursor stays in the closure, and values copy what they need.
    // Tests: JSONReaderTests.
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<Value, JSONFault> in
      guard let base = buffer.baseAddress else {
        return .failure(JSONFault(kind: .unexpectedEnd, offset: 0))
      }
      var cursor = JSONCursor(base, from: 0, to: buffer.count)
      do throws(JSONFault) {
        let value = try cursor.value(nesting: nesting)
        try cursor.expectEnd()
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension JSONCursor.RawString {
  /// The string with escapes resolved.
  package var text: String {
    // SAFETY: `unescape` returns the number of bytes that it wrote, at most the capacity.
    // Tests: JSONReaderTests.
    guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: bytes.count) {
      guard let target = $0.baseAddress else { return 0 }
      return JSONCursor.unescape(bytes, into: target)
    }
  }
}

extension JSONCursor {
  /// Reads the value that comes next.
  package mutating func value(nesting: Int) throws(JSONFault) -> Value {
    switch peek() {
    case UInt8(ascii: "\""): return .string(try string().text)
    case UInt8(ascii: "{"):
      var entries: [Value.Entry] = []
      try forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        let value = try cursor.value(nesting: nesting - 1)
        entries.append(Value.Entry(key: .string(key.text), value: value))
      }
      return .map(entries)
    case UInt8(ascii: "["):
      var values: [Value] = []
      try forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
        values.append(try cursor.value(nesting: nesting - 1))
      }
      return .list(values)
    case UInt8(ascii: "t"):
      try word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    default:
      return Value(try number())
    }
  }

  /// Reads the value that comes next into cells. Strings without escapes stay views of the source. Other values that
  /// are too long for a cell are stored in the arena.
  package mutating func cell(in arena: inout Arena, nesting: Int) throws(JSONFault) -> Cell {
    switch peek() {
    case UInt8(ascii: "\""): return try text(in: &arena)
    case UInt8(ascii: "{"):
      var cells: [Cell] = []
      try forEachMember(nesting: nesting) { (cursor, raw) throws(JSONFault) in
        let key = try cursor.text(raw, in: &arena)
        let value = try cursor.cell(in: &arena, nesting: nesting - 1)
        cells.append(key)
        cells.append(value)
      }
      guard let map = arena.map(lastOfRepeated: cells) else { throw fault(.tooLarge) }
      return map
    case UInt8(ascii: "["):
      var cells: [Cell] = []
      try forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
        cells.append(try cursor.cell(in: &arena, nesting: nesting - 1))
      }
      return try outside(Tag.list, cells.count, cells, in: &arena)
    case UInt8(ascii: "t"):
      try word("true")
      return .true
    case UInt8(ascii: "f"):
      try word("false")
      return .false
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    default:
      return try number()
    }
  }

  /// Reads a string that comes next.
  package mutating func text(in arena: inout Arena) throws(JSONFault) -> Cell {
    let raw = try string()
    return try text(raw, in: &arena)
  }

  package func text(_ raw: RawString, in arena: inout Arena) throws(JSONFault) -> Cell {
    // SAFETY: The memory is as long as the source, which bounds what `unescape` writes.
    // Tests: JSONReaderTests, FrameFillTests.
    guard raw.hasEscapes else { return Cell(textAt: raw.bytes) }
    guard let memory = arena.allocate(raw.bytes.count) else { throw fault(.tooLarge) }
    let target = memory.bindMemory(to: UInt8.self, capacity: raw.bytes.count)
    let count = JSONCursor.unescape(raw.bytes, into: target)
    return Cell(textAt: ByteView(start: target, count: count))
  }

  private func outside(_ tag: UInt8, _ count: Int, _ cells: [Cell], in arena: inout Arena)
    throws(JSONFault) -> Cell
  {
    // SAFETY: All cells are written before the cell that points to them is made.
    // Tests: FrameFillTests.
    guard let memory = arena.cells(max(cells.count, 1)) else { throw fault(.tooLarge) }
    for (i, cell) in cells.enumerated() { memory[i] = cell }
    return Cell(tag: tag, count: count, at: memory)
  }
}
