/// Reads a record once for several programs that read similar attributes, such as the conditions of
/// one config for several SDKs.
///
/// The row has the attributes of all programs, with values as in the record. A ``RowTransfer`` copies the values into
/// the columns of one program, and converts them according to that program's binding.
@usableFromInline package struct SharedRow: ~Copyable {
  // SAFETY: There is one row. Transfers copy only slots that the table has. Its arena stores what cells point to until
  // `reset()`. Tests: SharedRowTests, FleetTests, asan.

  private var slots = SlotTable()
  private let environment: ExpressionEnvironment
  private let captures: [String]
  private let objects: [String]
  private var shapes: RecordShapes
  private var columns: ColumnFrame
  private let captured: UnsafeMutablePointer<RecordShapes.Captured>

  /// - Parameters:
  ///   - environment: the environment of all programs, whose bindings may differ.
  ///   - paths: attributes to read in addition to the attributes of the programs.
  package init(
    _ environment: ExpressionEnvironment, paths: [AttributePath], captures: [String],
    objects: [String]
  ) {
    self.environment = environment
    self.captures = captures
    self.objects = objects
    captured = .allocate(capacity: max(captures.count, 1))
    captured.initialize(repeating: RecordShapes.Captured(), count: max(captures.count, 1))
    for path in paths { _ = slots.slot(path.names, isPresenceOnly: false) }
    shapes = SharedRow.shapes(slots, environment, captures, objects)
    columns = SharedRow.columns(slots)
  }

  deinit { captured.deallocate() }

  private static func shapes(
    _ slots: SlotTable, _ environment: ExpressionEnvironment, _ captures: [String],
    _ objects: [String]
  ) -> RecordShapes {
    var binding = ValueBinding()
    binding.isLenient = environment.binding.isLenient
    return RecordShapes(
      Program.Running(slots, environment, []), binding, nesting: environment.limits.dataNesting,
      captures: captures, objects: objects)
  }

  private static func columns(_ slots: SlotTable) -> ColumnFrame {
    // Each record has its own limit.
    ColumnFrame(slotCount: slots.count, memoryBytes: .max)
  }

  /// Whether the row has all attributes of a program.
  package func includes(_ program: Program) -> Bool {
    program.requirements.allSatisfy { slot(of: $0) != nil }
  }

  /// Adds the attributes of a program. The row loses its record, all shapes, and the memory that copies of the record
  /// point to.
  package mutating func include(_ program: Program) {
    for path in program.requirements { _ = slots.slot(path.names, isPresenceOnly: false) }
    shapes = SharedRow.shapes(slots, environment, captures, objects)
    columns = SharedRow.columns(slots)
  }

  /// The slot of an attribute.
  package func slot(of path: AttributePath) -> Int? {
    slots.contents.firstIndex { $0.attribute == path }
  }

  package func cell(_ slot: Int) -> Cell { columns.cell(slot, row: 0) }

  /// Reads the record at the beginning of the text, if its shape is known, as
  /// ``RecordShapes/fill(_:slack:row:of:captured:)`` does.
  package mutating func fill(_ text: ByteView, slack: Int) -> RecordShapes.Filled? {
    let taken = columns.arena.taken
    guard let record = shapes.fill(text, slack: slack, row: 0, of: &columns, captured: captured),
      columns.arena.taken &- taken <= environment.limits.memoryBytes
    else { return nil }
    return record
  }

  /// The places of the record's captured values, in the order of the captures.
  package var places: UnsafePointer<RecordShapes.Captured> { UnsafePointer(captured) }

  /// Stores the shape of a record.
  package mutating func learn(_ record: ByteView) { shapes.learn(record) }

  /// Drops the record, and everything that columns with copies of it point to.
  package mutating func reset() { columns.reset() }

  /// The number of the shape of the record, and the unknown keys of a shape.
  package var lastShape: Int { shapes.lastShape }
  package func unknownKeys(ofShape number: Int) -> [String] { shapes.unknownKeys(ofShape: number) }

  /// Creates the transfer that copies rows into the columns of an included program.
  package func transfer(to program: Program) -> RowTransfer {
    let running = program.storage.prepared()
    let contents = program.storage.graph.slots.contents
    let moves = contents.indices.map { slot in
      RowTransfer.Move(
        from: contents[slot].attribute.flatMap { self.slot(of: $0) } ?? -1, to: slot,
        isPresence: program.storage.graph.slots.slots[slot].isPresenceOnly,
        fallback: running.isRoot[slot] || contents[slot].attribute == nil
          ? running.defaults[slot] : .missing)
    }
    return RowTransfer(moves, program.storage.binding)
  }

  /// Copies the record into a row.
  ///
  /// - Returns: false if no memory is left. The row is then undefined.
  package func copy(
    by transfer: borrowing RowTransfer, to row: Int, of columns: inout ColumnFrame
  ) -> Bool {
    transfer.copy(self.columns, to: row, of: &columns)
  }
}

/// Copies a ``SharedRow`` into the columns of one program.
@usableFromInline package struct RowTransfer: ~Copyable {
  // SAFETY: `moves` has `count` elements until `deinit`. Slots are those of the row's table and of
  // the program's columns. Tests: SharedRowTests, asan.

  struct Move {
    /// The distances in bytes from the first cell of a row, or a negative `from` for a constant.
    var from: Int
    var to: Int
    var slot: Int
    var isPresence: Bool
    /// The cell for a value that is dropped, or the constant.
    var fallback: Cell

    init(from: Int, to slot: Int, isPresence: Bool, fallback: Cell) {
      let width = ColumnFrame.stride * MemoryLayout<Cell>.stride
      self.from = from * width
      to = slot * width
      self.slot = slot
      self.isPresence = isPresence
      self.fallback = fallback
    }
  }

  private let moves: UnsafeMutablePointer<Move>
  private let count: Int
  private let binding: ValueBinding
  /// Whether binding leaves numbers unchanged, and changes no short strings except those that become bools.
  private let isSimple: Bool

  init(_ moves: [Move], _ binding: ValueBinding) {
    count = moves.count
    self.moves = .allocate(capacity: max(count, 1))
    for (number, move) in moves.enumerated() { (self.moves + number).initialize(to: move) }
    self.binding = binding
    isSimple =
      !binding.changesTexts && !binding.longsAreUnsigned && !binding.wholeDoublesAreInts
  }

  deinit { moves.deallocate() }

  fileprivate func copy(
    _ source: borrowing ColumnFrame, to row: Int, of columns: inout ColumnFrame
  ) -> Bool {
    let old = UnsafeRawPointer(source.cells)
    let new = UnsafeMutableRawPointer(columns.cells + row)
    let pointing = columns.pointing
    columns.arena.hasRunOut = false
    for number in 0..<count {
      let move = moves + number
      guard move.pointee.from >= 0 else {
        new.storeBytes(of: move.pointee.fallback, toByteOffset: move.pointee.to, as: Cell.self)
        continue
      }
      var cell = old.load(fromByteOffset: move.pointee.from, as: Cell.self)
      if cell.isValue {
        if move.pointee.isPresence {
          cell = cell == .null && binding.null == .dropped ? .missing : .true
        } else if isSimple, cell.isShortText {
          if binding.readsBooleanTexts { cell = ValueBinding.boolean(cell) }
        } else if !isSimple || cell.tag == Tag.null || cell.tag > Tag.double {
          cell = binding.bound(cell, in: &columns.arena)
          if !cell.isValue { cell = move.pointee.fallback }
        }
        if cell.pointsOutside { pointing[move.pointee.slot] = 1 }
      }
      new.storeBytes(of: cell, toByteOffset: move.pointee.to, as: Cell.self)
    }
    return !columns.arena.hasRunOut
  }
}
