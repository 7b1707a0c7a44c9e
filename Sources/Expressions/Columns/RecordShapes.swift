/// Fills rows from JSON records that have the same form as earlier records.
///
/// Most lines of a users file have the same keys in the same order. The bytes between the values - braces, keys,
/// colons, commas - are then equal in all such lines. To parse such a line, it is enough to compare these bytes with
/// the bytes of an earlier record. Values are read as usual. A record of another shape goes to the general reader, and
/// its shape is learned.
///
/// Shapes form a tree: a step is the bytes before a value and the use of the value. Several steps may
/// follow each value.
@usableFromInline package struct RecordShapes: ~Copyable {
  // SAFETY: `init` allocates all steps and endings, and learning stops before they are used up.
  // Steps never move, so they can point to each other. `deinit` frees everything together.
  // Tests: RecordShapesTests.learningEnds, asan.

  /// The place in the record of a value that the caller asked for by its key.
  package struct Captured {
    /// Offset of the first byte.
    package var from: Int
    package var to: Int
    /// Whether the value is certainly a string without escapes.
    package var isPlainText: Bool

    package init(from: Int = 0, to: Int = 0, isPlainText: Bool = false) {
      self.from = from
      self.to = to
      self.isPlainText = isPlainText
    }
  }

  /// Steps do not move, so that they can point to each other.
  struct Step {
    enum Action: UInt8 {
      /// The value of an attribute.
      case slot
      /// The value is not used.
      case skip
      /// A value for the caller.
      case capture
      /// The shape stores only whether an attribute exists.
      case presence
      /// The value is not used, and attributes below it are missing. An object has another shape.
      case skipUnlessObject
      /// The value is not used, and must be an object.
      case object
      /// The value of an attribute, which must be an object.
      case objectSlot
      /// The value must be null, which counts as missing.
      case null
      /// The record ends after the bytes.
      case end
    }

    /// The bytes before the value, and a mask of the existing bytes among the first 32.
    var literal: UnsafePointer<UInt8>
    var mask: UInt32
    var length: Int32
    /// The distance in bytes from the first cell of a row to the slot's cell.
    var place: Int
    /// The slot, the capture, or the ending.
    var number: Int32
    /// The first step that may follow, and the next alternative to this step.
    var next: UnsafeMutablePointer<Step>?
    var other: UnsafeMutablePointer<Step>?
    var action: Action
    var nesting: Int16

    init(_ action: Action, number: Int, nesting: Int, _ literal: Slice<ByteView>) {
      // SAFETY: Literals have `slack` zero bytes after them, because they are compared 32 bytes at
      // a time. Tests: RecordShapesTests, VectorTests, asan.
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: literal.count + Step.slack)
      copy.initialize(repeating: 0, count: literal.count + Step.slack)
      for (i, byte) in literal.enumerated() { copy[i] = byte }
      self.literal = UnsafePointer(copy)
      mask = literal.count < 32 ? 1 << UInt32(literal.count) - 1 : .max
      length = Int32(literal.count)
      place = number * ColumnFrame.stride * MemoryLayout<Cell>.stride
      self.number = Int32(number)
      self.action = action
      self.nesting = Int16(clamping: nesting)
    }

    /// The number of bytes after each literal that may be read.
    private static let slack = 32
  }

  /// The slots that a shape fills, and the shape's unknown keys.
  struct Ending {
    /// The slots that get a value.
    var filled: [Int]
    var unknownKeys: [String]
  }

  /// The content of a slot for which the records of a shape contain no value.
  struct Default {
    /// The distance in bytes from the first cell of a row.
    var place: Int
    var cell: Cell
  }

  /// The part of an ending that the loop over records needs.
  struct PlainEnding {
    var defaults: UnsafeMutablePointer<Default>
    var end: UnsafeMutablePointer<Default>
    var captures: UInt32
    var hasUnknownKeys: Bool
  }

  /// The result of reading a record.
  package struct Filled {
    /// The length of the record's line in bytes.
    package var length: Int
    /// The captures that the record contains, one bit for each.
    package var captures: UInt32
    /// Whether the shape has ``RecordShapes/unknownKeys(ofShape:)``.
    package var hasUnknownKeys: Bool
  }

  /// The maximum number of steps. The general reader reads the records of further shapes.
  static let mostSteps = 4_096
  static let mostLessons = 2_048
  /// The maximum number of unknown keys that are stored per shape.
  static let mostUnknownKeys = 256

  /// The number of levels that a record may have.
  let dataNesting: Int
  let captures: [String]
  /// Keys of records whose values are objects or null, whether the program reads them or not.
  let objects: [String]
  let tree: AttributeTrie.View
  let running: Program.Running
  /// The conversions that are applied to values after reading.
  let binding: ValueBinding
  /// Whether binding leaves the values of ``QuickJSON`` unchanged, except strings that name bools.
  let bindsSimply: Bool
  /// The strings that become bools, as the first bytes of their cells.
  let boolNames: QuickJSON.BoolNames
  // Every value of every record needs these, so they are in plain memory.
  let steps: UnsafeMutablePointer<Step>
  private(set) var stepCount = 0
  var endings: [Ending] = []
  /// The endings in plain memory, for the loop over records.
  let plainEndings: UnsafeMutablePointer<PlainEnding>
  var first: UnsafeMutablePointer<Step>?
  /// The number of records that learning has looked at.
  var lessons = 0

  /// - Parameter captures: at most 32 keys.
  package init(for program: Program, captures: [String], objects: [String]) {
    self.init(
      program.storage.prepared(), program.storage.binding, nesting: program.limits.dataNesting,
      captures: captures, objects: objects)
  }

  init(
    _ running: Program.Running, _ binding: ValueBinding, nesting: Int, captures: [String],
    objects: [String]
  ) {
    precondition(captures.count <= 32)
    dataNesting = nesting
    self.captures = captures
    self.objects = objects
    self.running = running
    self.binding = binding
    bindsSimply = !binding.longsAreUnsigned && !binding.changesTexts
    boolNames = QuickJSON.BoolNames(areRead: bindsSimply && binding.readsBooleanTexts)
    tree = running.trie.view
    steps = .allocate(capacity: RecordShapes.mostSteps)
    plainEndings = .allocate(capacity: RecordShapes.mostLessons)
    lastEnding = .allocate(capacity: 1)
    lastEnding.initialize(to: 0)
  }

  deinit {
    for number in endings.indices { plainEndings[number].defaults.deallocate() }
    plainEndings.deallocate()
    lastEnding.deallocate()
    for number in 0..<stepCount { steps[number].literal.deallocate() }
    steps.deallocate()
  }

  /// Adds the ending of a new shape.
  ///
  /// - Parameter cells: the content of all slots. Cells of slots that get a value are not read.
  mutating func addEnding(
    filled: Set<Int>, cells: [Cell], captures: Set<Int>, unknownKeys: [String]
  ) {
    let slots = cells.indices.filter { !filled.contains($0) }
    let defaults = UnsafeMutablePointer<Default>.allocate(capacity: max(slots.count, 1))
    for (number, slot) in slots.enumerated() {
      let place = slot * ColumnFrame.stride * MemoryLayout<Cell>.stride
      (defaults + number).initialize(to: Default(place: place, cell: cells[slot]))
    }
    (plainEndings + endings.count).initialize(
      to: PlainEnding(
        defaults: defaults, end: defaults + slots.count,
        captures: captures.reduce(0) { $0 | 1 << UInt32($1) },
        hasUnknownKeys: !unknownKeys.isEmpty))
    endings.append(Ending(filled: filled.sorted(), unknownKeys: unknownKeys))
  }

  /// Removes the last ending, to which no step leads.
  mutating func dropEnding() {
    endings.removeLast()
    plainEndings[endings.count].defaults.deallocate()
  }

  /// Adds a step with the bytes before its value. The result is nil if the maximum is reached.
  mutating func add(
    _ action: Step.Action, number: Int, nesting: Int, _ literal: Slice<ByteView>
  ) -> UnsafeMutablePointer<Step>? {
    guard stepCount < RecordShapes.mostSteps, !literal.isEmpty, literal.count <= Int32.max
    else { return nil }
    let step = steps + stepCount
    step.initialize(to: Step(action, number: number, nesting: nesting, literal))
    stepCount += 1
    return step
  }

  /// The ending of the record that was filled last. The ending is in plain memory, because a mutating function copies
  /// `self` when it calls a nonmutating function.
  let lastEnding: UnsafeMutablePointer<Int>

  /// The number of the shape of the record that was filled last.
  package var lastShape: Int { lastEnding.pointee }

  /// The unknown keys of records of a shape.
  package func unknownKeys(ofShape number: Int) -> [String] { endings[number].unknownKeys }
}
