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
  /// Where the value of a key that the caller asked for lies in the record.
  package struct Captured {
    /// Offset of the first byte; -1 when the record does not have the key.
    package var from: Int
    package var to: Int
    /// Whether it is known to be a text without escapes.
    package var isPlainText: Bool

    package init(from: Int = -1, to: Int = 0, isPlainText: Bool = false) {
      self.from = from
      self.to = to
      self.isPlainText = isPlainText
    }
  }

  struct Step {
    enum Action: UInt8 {
      /// The value of an attribute, or only that it is there.
      case slot, presence
      /// A value that the caller reads.
      case capture
      /// Nobody reads it.
      case skip
      /// Nobody reads it, and what is below is not there: if it is an object, the shape is another.
      case skipUnlessObject
      /// The record ends behind the bytes.
      case end
    }

    /// The bytes before the value, as a range of the literals.
    var literal: Int32
    var length: Int32
    var action: Action
    var nesting: Int16
    /// The slot, the capture, or the ending.
    var number: Int32
    /// The first step that may follow, and the next that may stand in this one's place, or -1.
    var next: Int32 = -1
    var other: Int32 = -1
  }

  /// What a shape gives values, and the keys that nobody knows.
  struct Ending {
    /// The slots that get a value.
    var filled: [Int]
    var unknownKeys: [String]
  }

  /// A cell that a record of some shape has without a value for it.
  struct Default {
    /// Where it lies from the first cell of a row.
    var place: Int
    var cell: Cell
  }

  /// What the loop over records needs of an ending.
  struct PlainEnding {
    var defaults: UnsafeMutablePointer<Default>
    var count: Int
    var hasUnknownKeys: Bool
  }

  /// At most so many steps are learned; records of further shapes are read by the general reader.
  static let mostSteps = 4_096
  static let mostLessons = 2_048

  let program: Program
  let captures: [String]
  /// Keys of records that mean something, but not here.
  let ignored: [String]
  let tree: AttributeTrie.View
  let running: Program.Running
  /// What happens to values on their way in, beside what reading them does.
  let binding: ValueBinding
  /// Whether binding changes nothing of what ``quickValue`` reads but texts that name bools.
  private let bindsSimply: Bool
  // Read for every value of every record, so they lie in plain memory.
  let steps: UnsafeMutablePointer<Step>
  private(set) var stepCount = 0
  private(set) var literals: UnsafeMutablePointer<UInt8>
  private var literalCount = 0
  private var literalRoom = 4_096
  var endings: [Ending] = []
  /// The same for the loop over records, in plain memory.
  private let plainEndings: UnsafeMutablePointer<PlainEnding>
  var first: Int32 = -1
  /// How many records were looked at to learn from.
  var lessons = 0

  package init(for program: Program, captures: [String], ignored: [String]) {
    self.program = program
    self.captures = captures
    self.ignored = ignored
    running = program.storage.prepared()
    binding = program.storage.binding
    bindsSimply = !binding.longsAreUnsigned && !binding.dropsDollarSigns
    tree = running.trie.view
    steps = .allocate(capacity: RecordShapes.mostSteps)
    literals = .allocate(capacity: literalRoom)
    plainEndings = .allocate(capacity: RecordShapes.mostLessons)
    lastEnding = .allocate(capacity: 1)
    lastEnding.initialize(to: 0)
  }

  deinit {
    for number in endings.indices { plainEndings[number].defaults.deallocate() }
    plainEndings.deallocate()
    lastEnding.deallocate()
    steps.deallocate()
    literals.deallocate()
  }

  /// Adds what a new shape ends with.
  ///
  /// - Parameter cells: what all slots hold; those that get a value are not looked at.
  mutating func addEnding(filled: Set<Int>, cells: [Cell], unknownKeys: [String]) {
    let slots = cells.indices.filter { !filled.contains($0) }
    let defaults = UnsafeMutablePointer<Default>.allocate(capacity: max(slots.count, 1))
    for (number, slot) in slots.enumerated() {
      (defaults + number).initialize(
        to: Default(place: slot * ColumnFrame.stride, cell: cells[slot]))
    }
    (plainEndings + endings.count).initialize(
      to: PlainEnding(
        defaults: defaults, count: slots.count, hasUnknownKeys: !unknownKeys.isEmpty))
    endings.append(Ending(filled: filled.sorted(), unknownKeys: unknownKeys))
  }

  /// Takes the last ending back, to which no step leads.
  mutating func dropEnding() {
    endings.removeLast()
    plainEndings[endings.count].defaults.deallocate()
  }

  /// Adds a step with the bytes before its value; nil when there are enough.
  mutating func add(_ step: Step, _ literal: Slice<ByteView>) -> Int32? {
    guard stepCount < RecordShapes.mostSteps, !literal.isEmpty else { return nil }
    // Sixteen bytes behind each literal may be read.
    let needed = literalCount + literal.count + 16
    if needed > literalRoom {
      literalRoom = needed * 2
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: literalRoom)
      larger.update(from: literals, count: literalCount)
      literals.deallocate()
      literals = larger
    }
    var step = step
    step.literal = Int32(literalCount)
    for byte in literal {
      literals[literalCount] = byte
      literalCount += 1
    }
    (literals + literalCount).update(repeating: 0, count: 16)
    literalCount += 16
    (steps + stepCount).initialize(to: step)
    stepCount += 1
    return Int32(stepCount - 1)
  }

  /// The ending of the record that was filled last. In plain memory: a function that changes the
  /// value works on a copy of it wherever it calls one that does not.
  private let lastEnding: UnsafeMutablePointer<Int>

  /// Whether the record that was filled last has keys that nobody knows, and these.
  package var hasUnknownKeys: Bool { plainEndings[lastEnding.pointee].hasUnknownKeys }
  package var unknownKeys: [String] { endings[lastEnding.pointee].unknownKeys }

  /// Fills a row from a record of a known shape.
  ///
  /// - Parameters:
  ///   - text: begins with the record, a JSON object on a line. Texts without escapes stay there.
  ///   - slack: bytes behind the text that may be read, whatever they are.
  ///   - captured: room for as many as there are captures.
  /// - Returns: where the record's line ends; nil when the shape is not known, or a value is not as
  ///   JSON wants it: the general reader knows what to do. The row is void then.
  package func fill(
    _ text: ByteView, slack: Int = 0, row: Int, of columns: inout ColumnFrame,
    captured: UnsafeMutablePointer<Captured>
  ) -> Int? {
    guard let base = text.baseAddress, first >= 0 else { return nil }
    for i in 0..<captures.count { captured[i] = Captured() }
    let cells = columns.cells + row
    // Quick reads may go on behind the text; a record that does is found out at its end.
    let readable = text.count &+ slack
    let safe = readable &- QuickJSON.reach
    let readsBooleans = bindsSimply && binding.readsBooleanTexts
    var at = 0
    var number = first
    while number >= 0 {
      let step = steps[Int(number)]
      let length = Int(step.length)
      guard length &+ 16 <= readable &- at,
        QuickJSON.isSame(literals + Int(step.literal), base + at, length)
      else {
        number = step.other
        continue
      }
      at &+= length
      if step.action == .slot, at < safe,
        let next = QuickJSON.value(
          base, at, cells + Int(step.number) &* ColumnFrame.stride, readsBooleans)
      {
        at = next
      } else if step.action == .capture, at < safe, let next = QuickJSON.text(base, at) {
        captured[Int(step.number)] = Captured(from: at, to: next, isPlainText: true)
        at = next
      } else if step.action == .skip, at < safe, let next = QuickJSON.text(base, at) {
        at = next
      } else if step.action == .end {
        return finish(Int(step.number), at, text, cells, &columns.arena)
      } else {
        at = value(step, at, text, cells, &columns.arena, captured)
        if at < 0 { return nil }
      }
      number = step.next
    }
    return nil
  }

  /// Any value; -1 when it is none, or not what the shape has here.
  @inline(never)
  private func value(
    _ step: Step, _ start: Int, _ record: ByteView, _ cells: UnsafeMutablePointer<Cell>,
    _ arena: inout Arena, _ captured: UnsafeMutablePointer<Captured>
  ) -> Int {
    guard let base = record.baseAddress, start < record.count else { return -1 }
    var cursor = JSONCursor(base, from: start, to: record.count)
    // A value begins where the bytes before it end.
    guard base[start] > 0x20 else { return -1 }
    do throws(JSONFault) {
      switch step.action {
      case .slot:
        let place = cells + Int(step.number) &* ColumnFrame.stride
        place.pointee = try cursor.cell(in: &arena, nesting: Int(step.nesting))
        if bindsSimply, !binding.isPlain { bind(Int(step.number), place, &arena) }
      case .presence:
        let isDropped = binding.null == .dropped && base[start] == UInt8(ascii: "n")
        try cursor.skipValue(nesting: Int(step.nesting))
        cells[Int(step.number) &* ColumnFrame.stride] = isDropped ? .missing : .true
      case .capture:
        try cursor.skipValue(nesting: Int(step.nesting))
        captured[Int(step.number)] = Captured(from: start, to: cursor.at)
      case .skipUnlessObject:
        guard base[start] != UInt8(ascii: "{") else { return -1 }
        try cursor.skipValue(nesting: Int(step.nesting))
      case .skip, .end:
        try cursor.skipValue(nesting: Int(step.nesting))
      }
    } catch {
      return -1
    }
    // White space inside a value may be a newline, which ends the record all the same.
    for i in start..<cursor.at where base[i] == 0x0A { return -1 }
    return cursor.at
  }

  /// Gives the attributes that the record does not have their cells. White space may follow.
  ///
  /// - Returns: where the line ends.
  @inline(__always)
  private func finish(
    _ number: Int, _ at: Int, _ text: ByteView, _ cells: UnsafeMutablePointer<Cell>,
    _ arena: inout Arena
  ) -> Int? {
    guard at <= text.count else { return nil }
    var end = at
    while end < text.count, text[end] != 0x0A {
      let byte = text[end]
      guard byte == 0x20 || byte == 0x0D || byte == 0x09 else { return nil }
      end &+= 1
    }
    if !bindsSimply {
      for slot in endings[number].filled { bind(slot, cells + slot &* ColumnFrame.stride, &arena) }
    }
    let ending = plainEndings[number]
    for i in 0..<ending.count {
      let (place, cell) = (ending.defaults[i].place, ending.defaults[i].cell)
      cells[place] = cell
    }
    lastEnding.pointee = number
    return end
  }

  /// Gives a slot what its binding makes of its value.
  private func bind(
    _ slot: Int, _ place: UnsafeMutablePointer<Cell>, _ arena: inout Arena
  ) {
    guard place.pointee.isValue else { return }
    let bound = binding.bound(place.pointee, in: &arena)
    place.pointee =
      bound.isValue || running.paths[slot].names.count > 1 ? bound : running.defaults[slot]
  }
}
