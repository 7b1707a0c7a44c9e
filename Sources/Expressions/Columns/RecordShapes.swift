/// Fills rows from JSON records that look like records before.
///
/// The lines of a users file mostly have the same keys in the same order. What lies between their
/// values - braces, keys, colons, commas - is then the same bytes, and comparing it with what was
/// learned from an earlier record is all the parsing that it needs. Values are read as everywhere.
/// A record of another shape is left to the general reader and learned.
///
/// Shapes are a tree: a step is the bytes before a value and what the value is for, and after each
/// value several steps may follow.
package struct RecordShapes: ~Copyable {
  // SAFETY: `init` allocates all steps and endings, and learning stops before they are used up.
  // Steps never move, so they can point to each other. `deinit` frees everything together.
  // Tests: RecordShapesTests.learningEnds, asan.

  /// Where the value of a key that the caller asked for lies in the record.
  package struct Captured {
    /// Offset of the first byte.
    package var from: Int
    package var to: Int
    /// Whether it is known to be a text without escapes.
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
      /// Nobody reads it.
      case skip
      /// A value that the caller reads.
      case capture
      /// Only that an attribute is there.
      case presence
      /// Nobody reads it, and what is below is not there: if it is an object, the shape is another.
      case skipUnlessObject
      /// Nobody reads it, and it must be an object.
      case object
      /// The value of an attribute, which must be an object.
      case objectSlot
      /// It must be null, which is as if it were not there.
      case null
      /// The record ends behind the bytes.
      case end
    }

    /// The bytes before the value, and which of the first 32 there are.
    var literal: UnsafePointer<UInt8>
    var mask: UInt32
    var length: Int32
    /// Bytes from the first cell of a row to the slot's.
    var place: Int
    /// The slot, the capture, or the ending.
    var number: Int32
    /// The first step that may follow, and the next that may stand in this one's place.
    var next: UnsafeMutablePointer<Step>?
    var other: UnsafeMutablePointer<Step>?
    var action: Action
    var nesting: Int16

    init(_ action: Action, number: Int, nesting: Int, _ literal: Slice<ByteView>) {
      // SAFETY: Literals have `slack` zero bytes behind them, because they are compared 32 bytes at
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

    /// Bytes behind each literal that may be read.
    private static let slack = 32
  }

  /// What a shape gives values, and the keys that nobody knows.
  struct Ending {
    /// The slots that get a value.
    var filled: [Int]
    var unknownKeys: [String]
  }

  /// A cell that a record of some shape has without a value for it.
  struct Default {
    /// Bytes from the first cell of a row.
    var place: Int
    var cell: Cell
  }

  /// What the loop over records needs of an ending.
  struct PlainEnding {
    var defaults: UnsafeMutablePointer<Default>
    var end: UnsafeMutablePointer<Default>
    var captures: UInt32
    var hasUnknownKeys: Bool
  }

  /// What became of a record.
  package struct Filled {
    /// Bytes of its line.
    package var length: Int
    /// Which captures the record has: a bit for each.
    package var captures: UInt32
    /// Whether there are ``RecordShapes/unknownKeys(ofShape:)``.
    package var hasUnknownKeys: Bool
  }

  /// At most so many steps are learned; records of further shapes are read by the general reader.
  static let mostSteps = 4_096
  static let mostLessons = 2_048
  /// At most this many unknown keys of a shape are remembered.
  static let mostUnknownKeys = 256

  let program: Program
  let captures: [String]
  /// Keys of records whose values are objects or null, whether the program reads them or not.
  let objects: [String]
  let tree: AttributeTrie.View
  let running: Program.Running
  /// What happens to values on their way in, beside what reading them does.
  let binding: ValueBinding
  /// Whether binding changes nothing of what ``QuickJSON`` reads but texts that name bools.
  let bindsSimply: Bool
  /// What the texts that name bools begin with in a cell, where they become bools.
  let boolNames: QuickJSON.BoolNames
  // Read for every value of every record, so they lie in plain memory.
  let steps: UnsafeMutablePointer<Step>
  private(set) var stepCount = 0
  var endings: [Ending] = []
  /// The same for the loop over records, in plain memory.
  let plainEndings: UnsafeMutablePointer<PlainEnding>
  var first: UnsafeMutablePointer<Step>?
  /// How many records were looked at to learn from.
  var lessons = 0

  /// - Parameter captures: at most 32 keys.
  package init(for program: Program, captures: [String], objects: [String]) {
    precondition(captures.count <= 32)
    self.program = program
    self.captures = captures
    self.objects = objects
    running = program.storage.prepared()
    binding = program.storage.binding
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

  /// Adds what a new shape ends with.
  ///
  /// - Parameter cells: what all slots hold; those that get a value are not looked at.
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

  /// Takes the last ending back, to which no step leads.
  mutating func dropEnding() {
    endings.removeLast()
    plainEndings[endings.count].defaults.deallocate()
  }

  /// Adds a step with the bytes before its value; nil when there are enough.
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

  /// The ending of the record that was filled last. In plain memory: a function that changes the
  /// value works on a copy of it wherever it calls one that does not.
  let lastEnding: UnsafeMutablePointer<Int>

  /// The number of the shape of the record that was filled last.
  package var lastShape: Int { lastEnding.pointee }

  /// Keys of records of a shape that nobody knows.
  package func unknownKeys(ofShape number: Int) -> [String] { endings[number].unknownKeys }
}
