package import CArrow
package import Expressions

/// A batch of rows whose columns are read through a binding: the input of the C data interface,
/// validated as far as possible. The array must outlive this value, and everything that was filled
/// from it.
package struct ArrowRows: ~Copyable {
  // SAFETY: The caller keeps the batch alive as long as this value: a `FrameStream` stores both,
  // and other callers use it during one call. Tables and dictionaries lie in `tables`.
  // Tests: FrameWorkerTests, asan.

  /// A source with the arrays of this batch.
  ///
  /// The type is a class because a column is used once per block, and has reference-counted parts.
  final class Column {
    /// The rows of a struct or column that have a value, and the value for the other rows.
    struct Level {
      var valid: ArrowBits
      var whenNull: Cell
    }

    let source: ArrowBinding.Source
    /// The levels from the outside in, without those that contain no NULL.
    var levels: [Level] = []
    var array: ArrowColumn?
    var members: [(name: String, column: Column)] = []
    /// The cells of a dictionary's values, created once; nil if that is not worthwhile.
    var dictionary: UnsafeBufferPointer<Cell>?
    /// Whether a cell of the dictionary, the value for NULL, or a constant points outside.
    var pointsOutside = false

    init(source: ArrowBinding.Source) { self.source = source }

    /// Whether the values are those of the column itself, and not JSON or values below it.
    var isPlain: Bool {
      switch source.content {
      case .column(let field): !field.isJSON
      case .below: false
      case .group, .constant: true
      }
    }

    /// Whether a row that is not NULL always has a value, so that the contents do not matter. The
    /// value of a code may be NULL itself.
    var isThereOrNull: Bool {
      if !isPlain { return false }
      guard source.isPresenceOnly else { return false }
      return array.map { !$0.hasDictionary || $0.children[0].valid == nil } ?? true
    }
  }

  let binding: ArrowBinding
  private let array: UnsafePointer<ArrowArray>
  let columns: [Column]
  let captured: [Column?]
  /// Roots that are columns of JSON, by their keys.
  let objects: [(key: String, column: Column)]
  package let count: Int
  /// The memory for tables of buffers and for dictionaries.
  private let tables: Arena
  /// The memory of values that are returned as ``Value``.
  private var scratch: Arena

  /// The maximum memory for dictionaries of one batch. If a dictionary does not fit, its values are
  /// looked up row by row.
  private static let mostTables = 64 << 20

  package init(_ binding: ArrowBinding, _ array: UnsafePointer<ArrowArray>) throws(ArrowError) {
    guard array.pointee.release != nil else {
      throw ArrowError("", "the batch has been released")
    }
    let count = try ArrowPart(array, binding.table, "", from: 0, count: nil).count
    var tables = Arena(limit: ArrowRows.mostTables)
    var columns: [Column] = []
    for source in binding.sources {
      let column = try ArrowRows.column(source, array, binding, &tables)
      try column.makeDictionary(rows: count, binding, &tables)
      columns.append(column)
    }
    var captured: [Column?] = []
    for source in binding.captures {
      guard let source else {
        captured.append(nil)
        continue
      }
      captured.append(try ArrowRows.column(source, array, binding, &tables))
    }
    var objects: [(key: String, column: Column)] = []
    for object in binding.objects {
      objects.append((object.key, try ArrowRows.column(object.source, array, binding, &tables)))
    }
    self.objects = objects
    self.binding = binding
    self.array = array
    self.columns = columns
    self.captured = captured
    self.count = count
    self.tables = tables
    scratch = Arena(limit: binding.program.storage.limits.memoryBytes)
  }

  /// The same rows, read through another binding.
  func rows(_ binding: ArrowBinding) throws(ArrowError) -> ArrowRows {
    try ArrowRows(binding, array)
  }

  private static func column(
    _ source: ArrowBinding.Source, _ table: UnsafePointer<ArrowArray>, _ binding: ArrowBinding,
    _ tables: inout Arena
  ) throws(ArrowError) -> Column {
    let column = Column(source: source)
    column.pointsOutside = source.whenNull.contains { $0.pointsOutside }
    if case .constant(let cell) = source.content, cell.pointsOutside {
      column.pointsOutside = true
    }
    var (array, field) = (table, binding.table)
    var part = try ArrowPart(array, field, "", from: 0, count: nil)
    var isOutermost = true
    func add(_ level: Int, _ valid: ArrowBits?) {
      guard let valid else { return }
      column.levels.append(Column.Level(valid: valid, whenNull: source.whenNull[level]))
    }
    add(0, try part.validity())
    var name = ""
    for (level, index) in source.indexes.enumerated() {
      name += (level > 0 ? "." : "") + field.children[index].name
      array = try part.child(index)
      field = field.children[index]
      isOutermost = false
      if level == source.indexes.count - 1, source.content.isLeaf {
        let leaf = try ArrowColumn(
          array, field, name, from: part.offset, count: part.count, tables: &tables)
        column.array = leaf
        add(level + 1, leaf.valid)
      } else {
        part = try ArrowPart(array, field, name, from: part.offset, count: part.count)
        add(level + 1, try part.validity())
      }
    }
    guard isOutermost, case .group(let members) = source.content else { return column }
    for member in members {
      column.members.append(
        (member.name, try self.column(member.source, table, binding, &tables)))
    }
    return column
  }

  // MARK: One row

  /// Adds the attributes of a row to a frame that has been reset.
  ///
  /// - Returns: false if the attributes exceed the memory limit.
  package func fillRow(_ row: Int, of frame: inout Frame) throws(ArrowError) -> Bool {
    for column in columns where !column.source.isInRecord {
      guard let cell = try slotCell(column, row, &frame.arena) else { return false }
      // If the columns have no value, the slot keeps the caller's value.
      let slot = column.source.slot
      if cell.isValue || !frame.slots[slot].isValue { frame.slots[slot] = cell }
    }
    return true
  }

  /// The cell for a slot and row; nil if the arena is full.
  func slotCell(_ column: Column, _ row: Int, _ arena: inout Arena) throws(ArrowError) -> Cell? {
    for level in column.levels where !level.valid[row] { return level.whenNull }
    if case .constant(let cell) = column.source.content { return cell }
    if column.isThereOrNull { return .true }
    if case .below(_, let place) = column.source.content {
      return try member(column, row, at: place, &arena)
    }
    guard
      let cell = try ArrowRows.value(
        column, row, &arena, nesting: column.source.nesting, binding.null)
    else { return nil }
    if case .column(let field) = column.source.content, field.isJSON, cell == .null {
      // JSON's null is a value.
      return presentCell(cell, column, &arena)
    }
    // The value is NULL in a dictionary.
    guard cell.isValue, cell != .null else { return column.source.valueOfNull }
    return presentCell(cell, column, &arena)
  }

  private func presentCell(_ cell: Cell, _ column: Column, _ arena: inout Arena) -> Cell {
    guard column.source.isPresenceOnly else { return binding.bound(cell, column.source, &arena) }
    return cell == .null && binding.program.storage.binding.null == .dropped ? .missing : .true
  }

  /// The cell for a slot whose value is in a map or in JSON; nil if the arena is full.
  private func member(
    _ column: Column, _ row: Int, at place: Int, _ arena: inout Arena
  ) throws(ArrowError) -> Cell? {
    guard let array = column.array else { return .missing }
    let path = column.source.path
    let isLenient = binding.program.storage.binding.isLenient
    let found: ArrowColumn.Member?
    do throws(ArrowError) {
      found = try array.member(
        row, path, at: place, in: &arena, nesting: column.source.nesting, binding.null)
    } catch {
      // The error must name the row, not the index of an entry.
      throw ArrowError(error.column, error.reason, row: row, isOfValue: error.isOfValue)
    }
    func scalar(_ depth: Int) -> Cell {
      if !isLenient { return .notAMap }
      return depth == path.count - 1 ? .behindValue : .unreachable
    }
    switch found {
    case nil: return nil
    case .value(let cell)?: return presentCell(cell.isValue ? cell : .null, column, &arena)
    case .absent(let depth)?: return depth == path.count - 1 ? .missing : .unreachable
    case .scalar(let depth)?: return scalar(depth)
    case .null(let depth)?:
      if binding.null == .missing { return depth == path.count - 1 ? .missing : .unreachable }
      return depth == path.count - 1 ? presentCell(.null, column, &arena) : scalar(depth + 1)
    }
  }

  /// The unconverted value of a row; nil if the arena is full.
  private static func value(
    _ column: Column, _ row: Int, _ arena: inout Arena, nesting: Int, _ null: ArrowNull
  ) throws(ArrowError) -> Cell? {
    for level in column.levels where !level.valid[row] { return null == .null ? .null : .missing }
    if case .constant(let cell) = column.source.content { return cell }
    if let array = column.array {
      do throws(ArrowError) {
        return try array.cell(row, in: &arena, nesting: nesting, null)
      } catch {
        // The error must name the row, not an index below a list.
        throw ArrowError(error.column, error.reason, row: row, isOfValue: error.isOfValue)
      }
    }
    guard nesting > 0 else { return nil }
    var cells: [Cell] = []
    for member in column.members {
      guard
        let cell = try value(member.column, row, &arena, nesting: nesting - 1, null)
      else { return nil }
      guard cell.isValue else { continue }
      guard let key = arena.text(copying: member.name) else { return nil }
      cells += [key, cell]
    }
    return arena.map(lastOfRepeated: cells)
  }

  // MARK: Captured columns

  /// The value of a captured column; nil for NULL or a missing column.
  package mutating func value(ofCapture number: Int, _ row: Int) throws(ArrowError) -> Value? {
    guard let column = captured[number] else { return nil }
    scratch.reset()
    guard
      let cell = try ArrowRows.value(
        column, row, &scratch, nesting: column.source.nesting, .omitted)
    else {
      throw ArrowError(
        column.source.name, "the value takes more memory than the limit allows", row: row,
        isOfValue: true)
    }
    return cell.isValue ? Value(cell) : nil
  }

  /// The value of a captured column for a slot, converted for the program. The cell is
  /// ``Cell/missing`` for NULL, and nil if the arena is full.
  package func cell(ofCapture number: Int, _ row: Int, in arena: inout Arena) throws(ArrowError)
    -> Cell?
  {
    guard let column = captured[number] else { return .missing }
    guard
      let cell = try ArrowRows.value(
        column, row, &arena, nesting: column.source.nesting, .omitted)
    else { return nil }
    return cell.isValue ? binding.program.passed(cell, in: &arena) : cell
  }

  package func hasCapture(_ number: Int) -> Bool { captured[number] != nil }

  /// The JSON of a root that is a column of JSON; nil for NULL.
  func json(ofObject number: Int, _ row: Int) throws(ArrowError) -> ByteView? {
    let column = objects[number].column
    for level in column.levels where !level.valid[row] { return nil }
    return try column.array?.jsonText(row, nesting: column.source.nesting)
  }

  /// Whether a captured column has no data for a row: NULL, or an empty list, struct or map.
  package func isSilent(capture number: Int, _ row: Int) throws(ArrowError) -> Bool {
    guard let column = captured[number], let array = column.array else { return true }
    for level in column.levels where !level.valid[row] { return true }
    return try array.isEmpty(row)
  }
}

extension ArrowBinding {
  /// A value after its conversion for its slot.
  func bound(_ cell: Cell, _ source: Source, _ arena: inout Arena) -> Cell {
    let storage = program.storage
    if storage.binding.isPlain { return cell }
    let bound = storage.binding.bound(cell, in: &arena)
    if bound.isValue { return bound }
    let running = storage.prepared()
    return running.isRoot[source.slot] ? running.defaults[source.slot] : .missing
  }
}

extension ArrowRows.Column {
  /// Creates the cells of a dictionary, unless it has many more values than the batch has rows.
  fileprivate func makeDictionary(
    rows: Int, _ binding: ArrowBinding, _ tables: inout Arena
  ) throws(ArrowError) {
    // SAFETY: There is a cell for each value, and all are written before `dictionary` is set.
    // Tests: FrameWorkerTests, ArrowColumnTests, asan.
    guard let array, array.hasDictionary, !isThereOrNull, isPlain else { return }
    let values = array.children[0]
    let mark = tables.mark
    guard values.count <= max(64, 2 * rows), let cells = tables.cells(max(values.count, 1)) else {
      return
    }
    for value in 0..<values.count {
      tables.hasRunOut = false
      let cell: Cell?
      do throws(ArrowError) {
        cell = try values.cell(value, in: &tables, nesting: source.nesting, binding.null)
      } catch {
        // The error would name an index of the dictionary. An unreadable value only affects the
        // rows that use it.
        if error.isOfValue { return tables.release(to: mark) }
        throw ArrowError(error.column, error.reason)
      }
      guard let cell else { return tables.release(to: mark) }
      if !cell.isValue || cell == .null {
        cells[value] = source.valueOfNull
      } else {
        cells[value] = source.isPresenceOnly ? .true : binding.bound(cell, source, &tables)
      }
      // If the values do not fit, they are looked up row by row.
      guard !tables.hasRunOut else { return tables.release(to: mark) }
      pointsOutside = pointsOutside || cells[value].pointsOutside
    }
    dictionary = UnsafeBufferPointer(start: cells, count: values.count)
  }
}

extension ArrowColumn {
  /// Whether a row is NULL, or an empty list, struct or map.
  fileprivate func isEmpty(_ row: Int) throws(ArrowError) -> Bool {
    guard isValid(row) else { return true }
    switch content {
    case .nothing: return true
    case .list, .largeList, .fixedList, .map: return try elements(row).isEmpty
    case .structure:
      for child in children where try !child.isEmpty(row) { return false }
      return true
    default: return false
    }
  }
}
