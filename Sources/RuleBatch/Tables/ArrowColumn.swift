internal import CArrow
internal import CivilTime
internal import Expressions

/// The meaning of NULL in rules.
package enum ArrowNull: Hashable, Sendable {
  /// NULL means a missing attribute or member. A NULL element of a list is null, because it needs
  /// an index.
  case missing
  /// NULL means a missing attribute or member, and lists omit NULL elements. This meaning is for
  /// lists that are not attributes.
  case omitted
  /// NULL means null, as in JSON.
  case null
}

/// An array whose buffers exist and have the required lengths, including the buffers of its
/// children. The contents of buffers are not checked: offsets and codes must be compared with their
/// limits before use.
///
/// The parts are trivial values except for the children, so that they can stay in registers during
/// a loop over rows. The column is valid until the array is released.
struct ArrowColumn {
  // SAFETY: Offsets, codes and views are compared with what they point into before they are
  // followed, and strings are checked for UTF-8. The batch outlives the column.
  // Tests: DamagedFrameTests, ArrowColumnTests, asan.

  enum Content {
    case nothing
    case bool(ArrowBits)
    case int8(ArrowElements<Int8>)
    case uint8(ArrowElements<UInt8>)
    case int16(ArrowElements<Int16>)
    case uint16(ArrowElements<UInt16>)
    case int32(ArrowElements<Int32>)
    case uint32(ArrowElements<UInt32>)
    case int64(ArrowElements<Int64>)
    case uint64(ArrowElements<UInt64>)
    case half(ArrowElements<UInt16>)
    case float(ArrowElements<Float>)
    case double(ArrowElements<Double>)
    /// The offsets, one more than there are strings, and the bytes that they point into.
    case text(ArrowElements<Int32>, UnsafePointer<UInt8>)
    case largeText(ArrowElements<Int64>, UnsafePointer<UInt8>)
    case textViews(ArrowElements<ArrowTextView>, UnsafeBufferPointer<ByteView>)
    case timestamp(ArrowElements<Int64>, unitsPerSecond: Int64)
    case list(ArrowElements<Int32>)
    case largeList(ArrowElements<Int64>)
    case fixedList(Int)
    case structure
    case map(ArrowElements<Int32>)
  }

  /// The name of the column, with the names of the structs around it from the outside in.
  let name: String
  /// The content. The values of a dictionary are in the first child.
  let content: Content
  let hasDictionary: Bool
  /// Whether the strings are JSON.
  private let isJSON: Bool
  /// The number of rows.
  let count: Int
  /// The number of rows in the array before the first row, which is needed to find the elements of
  /// fixed-size lists.
  private let first: Int
  /// The rows that have a value; nil if all rows have one.
  let valid: ArrowBits?
  private(set) var children: [ArrowColumn] = []
  /// The names of the members of a struct.
  private var names: [String] = []

  /// Reads a part of an array, with its children.
  ///
  /// - Parameters:
  ///   - field: the schema of the array.
  ///   - from: the first row of the part, relative to the array's own first one.
  ///   - tables: memory that stays valid while the column is used.
  init(
    _ array: UnsafePointer<ArrowArray>, _ field: ArrowField, _ name: String, from: Int = 0,
    count: Int? = nil, tables: inout Arena
  ) throws(ArrowError) {
    let part = try ArrowPart(array, field, name, from: from, count: count)
    self.name = name
    self.count = part.count
    first = part.offset
    valid = try part.validity()
    hasDictionary = field.codes != nil
    isJSON = field.isJSON
    if let codes = field.codes {
      content = try part.integers(codes)
      guard let values = array.pointee.dictionary else {
        throw ArrowError(name, "the array has no dictionary")
      }
      var plain = ArrowField(field.name, field.type, field.children)
      plain.isJSON = field.isJSON
      children = [try ArrowColumn(values, plain, name, tables: &tables)]
      return
    }
    content = try part.content(field.type, &tables)
    guard !field.children.isEmpty else { return }
    for (i, child) in field.children.enumerated() {
      // A struct's rows are also its members' rows. Elements of lists are found by offsets.
      let isMember = field.type == .structure
      children.append(
        try ArrowColumn(
          try part.child(i), child, isMember ? "\(name).\(child.name)" : name,
          from: isMember ? part.offset : 0, count: isMember ? part.count : nil, tables: &tables))
    }
    if field.type == .structure { names = field.children.map({ $0.name }) }
    if case .fixedList(let length) = field.type { try part.checkElements(length, children[0]) }
  }

  func isValid(_ row: Int) -> Bool { valid.map { $0[row] } ?? true }

  func fault(_ reason: String, _ row: Int) -> ArrowError { ArrowError(name, reason, row: row) }

  static let endedOffsets = "the array is damaged: its offsets run backwards or past its end"
  static let notUTF8 = "these bytes are not UTF-8"

  // MARK: Single values

  /// The bytes of a row's string; nil for NULL. Dictionaries are resolved.
  func text(_ row: Int) throws(ArrowError) -> ByteView? {
    guard isValid(row) else { return nil }
    if hasDictionary {
      let code = try code(row)
      do throws(ArrowError) {
        return try children[0].text(code)
      } catch {
        // The error must name the row, not the index in the dictionary.
        throw ArrowError(error.column, error.reason, row: row, isOfValue: error.isOfValue)
      }
    }
    let bytes: ByteView
    switch content {
    case .text(let offsets, let start):
      bytes = ByteView(rebasing: try part(offsets, row, Int(offsets[count]), start))
    case .largeText(let offsets, let start):
      bytes = ByteView(rebasing: try part(offsets, row, Int(offsets[count]), start))
    case .textViews(let views, let buffers):
      bytes = try ArrowColumn.text(views, row, buffers, self)
    default: return nil
    }
    guard UTF8Scan.isValid(bytes) else { throw fault(ArrowColumn.notUTF8, row) }
    return bytes
  }

  /// The bytes between two offsets of a string.
  private func part<Offset: BinaryInteger>(
    _ offsets: ArrowElements<Offset>, _ row: Int, _ end: Int, _ start: UnsafePointer<UInt8>
  ) throws(ArrowError) -> Slice<ByteView> {
    let range = try range(offsets, row, end)
    return ByteView(start: start, count: max(end, 0))[range]
  }

  /// The elements between two offsets, checked against the number of elements.
  private func range<Offset: BinaryInteger>(
    _ offsets: ArrowElements<Offset>, _ row: Int, _ end: Int
  ) throws(ArrowError) -> Range<Int> {
    let (from, to) = (Int(offsets[row]), Int(offsets[row + 1]))
    guard from >= 0, to >= from, to <= end else { throw fault(ArrowColumn.endedOffsets, row) }
    return from..<to
  }

  /// The bytes of a view, which may be inline.
  @inline(__always)
  static func text(
    _ views: ArrowElements<ArrowTextView>, _ row: Int, _ buffers: UnsafeBufferPointer<ByteView>,
    _ column: ArrowColumn
  ) throws(ArrowError) -> ByteView {
    let view = views[row]
    if view.count <= ArrowTextView.longestInline, view.count >= 0 {
      return ByteView(start: views.place(of: row) + 4, count: Int(view.count))
    }
    let (buffer, offset, count) = (Int(view.buffer), Int(view.offset), Int(view.count))
    guard count >= 0, buffer >= 0, buffer < buffers.count, offset >= 0,
      count <= buffers[buffer].count &- offset
    else { throw column.fault("the array is damaged: a string is outside its buffers", row) }
    return ByteView(rebasing: buffers[buffer][offset..<offset &+ count])
  }

  /// The index of a value in the dictionary.
  func code(_ row: Int) throws(ArrowError) -> Int {
    let cell = wholeNumber(row) ?? Cell(Int64(-1))
    guard cell.tag == Tag.int, cell.intValue >= 0, cell.intValue < Int64(children[0].count) else {
      throw fault("the array is damaged: a code is not in its dictionary", row)
    }
    return Int(cell.intValue)
  }

  /// A whole number of any width; nil for other types.
  func wholeNumber(_ row: Int) -> Cell? {
    switch content {
    case .int8(let values): Cell(Int64(values[row]))
    case .uint8(let values): Cell(Int64(values[row]))
    case .int16(let values): Cell(Int64(values[row]))
    case .uint16(let values): Cell(Int64(values[row]))
    case .int32(let values): Cell(Int64(values[row]))
    case .uint32(let values): Cell(Int64(values[row]))
    case .int64(let values): Cell(values[row])
    case .uint64(let values): Int64(exactly: values[row]).map { Cell($0) } ?? Cell(values[row])
    default: nil
    }
  }

  /// A time in the form that apps pass to rules and that JSON records have: a string in RFC 3339
  /// format, in UTC. Nil if the arena is full.
  private func time(_ row: Int, _ value: Int64, _ unitsPerSecond: Int64, in arena: inout Arena)
    throws(ArrowError) -> Cell?
  {
    guard let time = ArrowColumn.timestamp(value, unitsPerSecond) else {
      throw ArrowError(name, "the time is not in the years 1 to 9999", row: row, isOfValue: true)
    }
    var text = time.text
    return text.withUTF8 { arena.text(copying: $0) }
  }

  private static func timestamp(_ value: Int64, _ unitsPerSecond: Int64) -> Timestamp? {
    var (seconds, rest) = value.quotientAndRemainder(dividingBy: unitsPerSecond)
    if rest < 0 {
      seconds -= 1
      rest += unitsPerSecond
    }
    let nanoseconds = Int32(rest * (1_000_000_000 / unitsPerSecond))
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// The exact value of a two-byte floating point number.
  static func double(half bits: UInt16) -> Double {
    let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1_023))
    let magnitude =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? Double.infinity : Double.nan
      default:
        (1 + fraction * 0x1p-10) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
      }
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }

  /// A value of any type as a cell, which may point into the arena and into the array. NULL is
  /// ``Cell/missing``, or null.
  ///
  /// - Returns: nil when the arena is full, or values are nested too deep.
  func cell(_ row: Int, in arena: inout Arena, nesting: Int, _ null: ArrowNull)
    throws(ArrowError) -> Cell?
  {
    guard isValid(row) else { return null == .null ? .null : .missing }
    if hasDictionary {
      return try children[0].cell(try code(row), in: &arena, nesting: nesting, null)
    }
    switch content {
    case .nothing: return null == .null ? .null : .missing
    case .bool(let bits): return Cell(bits[row])
    case .half(let values): return Cell(ArrowColumn.double(half: values[row]))
    case .float(let values): return Cell(Double(values[row]))
    case .double(let values): return Cell(values[row])
    case .text, .largeText, .textViews:
      guard let text = try text(row) else { return null == .null ? .null : .missing }
      return isJSON ? try json(text, row, in: &arena, nesting) : Cell(textAt: text)
    case .timestamp(let values, let unit): return try time(row, values[row], unit, in: &arena)
    case .list, .largeList, .fixedList:
      return try list(try elements(row), in: &arena, nesting, null)
    case .map: return try map(try elements(row), in: &arena, nesting, null)
    case .structure: return try structure(row, in: &arena, nesting, null)
    default: return wholeNumber(row)
    }
  }

  /// The elements of a list or the entries of a map, as rows of the child; empty for NULL.
  func elements(_ row: Int) throws(ArrowError) -> Range<Int> {
    guard isValid(row) else { return 0..<0 }
    switch content {
    case .list(let offsets), .map(let offsets):
      return try range(offsets, row, children[0].count)
    case .largeList(let offsets): return try range(offsets, row, children[0].count)
    case .fixedList(let length):
      return (first + row) * length..<(first + row + 1) * length
    default: return 0..<0
    }
  }

  private func list(
    _ elements: Range<Int>, in arena: inout Arena, _ nesting: Int, _ null: ArrowNull
  ) throws(ArrowError) -> Cell? {
    guard nesting > 0, let cells = arena.cells(max(elements.count, 1)) else { return nil }
    var kept = 0
    for element in elements {
      guard let cell = try children[0].cell(element, in: &arena, nesting: nesting - 1, null)
      else { return nil }
      if !cell.isValue, null == .omitted { continue }
      cells[kept] = cell.isValue ? cell : .null
      kept += 1
    }
    return Cell(tag: Tag.list, count: kept, at: cells)
  }

  private func map(
    _ entries: Range<Int>, in arena: inout Arena, _ nesting: Int, _ null: ArrowNull
  ) throws(ArrowError) -> Cell? {
    guard nesting > 0 else { return nil }
    let (keys, values) = (children[0].children[0], children[0].children[1])
    var cells: [Cell] = []
    for entry in entries {
      guard let key = try keys.cell(entry, in: &arena, nesting: 1, .missing),
        let value = try values.cell(entry, in: &arena, nesting: nesting - 1, null)
      else { return nil }
      guard key.isValue else { throw fault("a key of the map is NULL", entry) }
      if value.isValue { cells += [key, value] }
    }
    return arena.map(lastOfRepeated: cells)
  }

  private func structure(
    _ row: Int, in arena: inout Arena, _ nesting: Int, _ null: ArrowNull
  ) throws(ArrowError) -> Cell? {
    guard nesting > 0 else { return nil }
    var cells: [Cell] = []
    for (number, child) in children.enumerated() {
      guard let value = try child.cell(row, in: &arena, nesting: nesting - 1, null) else {
        return nil
      }
      guard value.isValue else { continue }
      guard let key = arena.text(copying: names[number]) else { return nil }
      cells += [key, value]
    }
    return arena.map(lastOfRepeated: cells)
  }
}

// MARK: JSON and members

extension ArrowColumn {
  /// The string of a row, which must be one JSON value; nil for NULL.
  func jsonText(_ row: Int, nesting: Int) throws(ArrowError) -> ByteView? {
    // SAFETY: The cursor gets the string's count, and ends with the call. Tests: FrameWorkerTests,
    // asan.
    guard let text = try text(row) else { return nil }
    guard let start = text.baseAddress, !text.isEmpty else { throw emptyJSON(row) }
    do throws(JSONFault) {
      var cursor = JSONCursor(start, from: 0, to: text.count)
      try cursor.skipValue(nesting: nesting)
      try cursor.expectEnd()
    } catch {
      throw notJSON(error, row)
    }
    return text
  }

  private func json(
    _ text: ByteView, _ row: Int, in arena: inout Arena, _ nesting: Int
  ) throws(ArrowError) -> Cell? {
    // SAFETY: As above. Strings of the result point into the batch, which outlives it.
    // Tests: ArrowColumnTests, FrameWorkerTests, asan.
    guard let start = text.baseAddress, !text.isEmpty else { throw emptyJSON(row) }
    do throws(JSONFault) {
      var cursor = JSONCursor(start, from: 0, to: text.count)
      let cell = try cursor.cell(in: &arena, nesting: nesting)
      try cursor.expectEnd()
      return cell
    } catch {
      if error.kind == .tooDeep || error.kind == .tooLarge { return nil }
      throw notJSON(error, row)
    }
  }

  private func emptyJSON(_ row: Int) -> ArrowError {
    ArrowError(name, "the string is empty, which is not JSON", row: row, isOfValue: true)
  }

  private func notJSON(_ fault: JSONFault, _ row: Int) -> ArrowError {
    ArrowError(
      name, "the string is not JSON: \(fault.message) at byte \(fault.offset)", row: row,
      isOfValue: true)
  }

  /// The result of looking up a value below a row's value.
  enum Member {
    case value(Cell)
    /// NULL, a value that has no members, or a missing name, with its index in the path.
    case null(Int)
    case scalar(Int)
    case absent(Int)
  }

  /// The value of a path below a row's value.
  ///
  /// - Parameter at: the index of the next name.
  /// - Returns: nil when the arena is full.
  func member(
    _ row: Int, _ path: [String], at place: Int, in arena: inout Arena, nesting: Int,
    _ null: ArrowNull
  ) throws(ArrowError) -> Member? {
    guard isValid(row) else { return .null(place - 1) }
    if hasDictionary {
      return try children[0].member(
        try code(row), path, at: place, in: &arena, nesting: nesting, null)
    }
    if case .nothing = content { return .null(place - 1) }
    if place == path.count || isJSON {
      guard let cell = try cell(row, in: &arena, nesting: nesting, null) else { return nil }
      return ArrowColumn.member(of: cell, path, at: place)
    }
    switch content {
    case .structure:
      guard let number = names.firstIndex(where: { $0.utf8.elementsEqual(path[place].utf8) })
      else { return .absent(place) }
      return try children[number].member(
        row, path, at: place + 1, in: &arena, nesting: nesting, null)
    case .map:
      let (keys, values) = (children[0].children[0], children[0].children[1])
      // If a key occurs several times, the last entry counts.
      for entry in try elements(row).reversed() {
        guard let key = try keys.text(entry) else { throw fault("a key of the map is NULL", entry) }
        guard key.elementsEqual(path[place].utf8) else { continue }
        return try values.member(
          entry, path, at: place + 1, in: &arena, nesting: nesting, null)
      }
      return .absent(place)
    default: return .scalar(place)
    }
  }

  private static func member(of cell: Cell, _ path: [String], at start: Int) -> Member {
    var cell = cell
    for place in start..<path.count {
      guard cell.tag == Tag.map else { return .scalar(place) }
      let entries = cell.entries
      let found = stride(from: 0, to: entries.count, by: 2).first {
        let key = entries[$0]
        return key.isText && key.text.utf8.elementsEqual(path[place].utf8)
      }
      guard let found else { return .absent(place) }
      cell = entries[found + 1]
    }
    return .value(cell)
  }
}

extension Arena {
  /// A string cell with a copy of a name.
  mutating func text(copying name: String) -> Cell? {
    var name = name
    return name.withUTF8 { text(copying: $0) }
  }
}
