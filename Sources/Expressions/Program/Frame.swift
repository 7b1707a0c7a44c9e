internal import Regex

/// The values that a program uses while it runs: its constants, the attributes of one context, and temporary values.
///
/// Create one frame per thread, and fill it again for every user. After the first few users, filling a frame allocates
/// no memory.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.plan == 'free'").get()
/// var frame = Frame(for: program)
/// for (line, isFree) in [(#"{"user":{"plan":"free"}}"#, true), (#"{"user":{}}"#, false)] {
///   try frame.fill(json: line.utf8)
///   program.isTrue(in: &frame) == isFree  // true
/// }
/// ```
public struct Frame: ~Copyable {
  // SAFETY: All sizes come from the program, which `storage` keeps alive. `init` initializes every
  // cell and `deinit` frees them; a frame cannot be copied. Tests: FrameFillTests, asan.

  let storage: Program.Storage
  package let cells: UnsafeMutablePointer<Cell>
  /// The cells of the attributes, in slot order.
  package let slots: UnsafeMutablePointer<Cell>
  /// The faults that chains of `&&` and `||` have skipped, by chain.
  let pending: UnsafeMutablePointer<Cell>
  private let defaults: UnsafeMutablePointer<Cell>
  private let slotCount: Int
  private let temporaries: Int
  /// Whether values are stored unconverted.
  private let isPlain: Bool
  private let readsTextsPlainly: Bool
  private let trie: AttributeTrie.View
  let running: Program.Running
  package var arena: Arena
  /// The memory of the values of ``keep(_:)``.
  private var kept = Arena(limit: 0)
  /// The slot of an attribute that occurred twice in an object since the last reset.
  package private(set) var repeatedSlot: Int?
  var regexScratch: RegexScratch
  var patternCache = PatternCache()
  /// The output of templates.
  var rendering = RenderingState()
  /// Number of the run, which distinguishes pending faults of this run from those of earlier runs.
  var run: UInt64 = 0
  /// The state of the arena when the run began.
  var runMark: Arena.Mark
  /// Bytes that were copied for the last fill.
  private var owned = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1)

  public init(for program: Program) {
    let storage = program.storage
    self.storage = storage
    let constants = storage.graph.constants.cells.count
    let count = constants + storage.graph.slots.count + storage.temporaries
    slotCount = storage.graph.slots.count
    temporaries = storage.temporaries
    isPlain = storage.binding.isPlain
    readsTextsPlainly = storage.binding.readsTextsPlainly
    cells = .allocate(capacity: max(count, 1))
    cells.initialize(repeating: .missing, count: max(count, 1))
    for (i, cell) in storage.graph.constants.cells.enumerated() { cells[i] = cell }
    slots = cells + constants
    pending = .allocate(capacity: max(storage.chains, 1))
    pending.initialize(repeating: .missing, count: max(storage.chains, 1))
    defaults = .allocate(capacity: max(slotCount, 1))
    running = storage.prepared()
    for (i, cell) in running.defaults.enumerated() { (defaults + i).initialize(to: cell) }
    trie = running.trie.view
    arena = Arena(limit: storage.limits.memoryBytes)
    runMark = arena.mark
    regexScratch = RegexScratch()
    if let template = storage.template { rendering.style = template.style }
    reset()
  }

  deinit {
    cells.deallocate()
    pending.deallocate()
    defaults.deallocate()
    owned.deallocate()
  }

  /// Clears the frame. Afterwards all attributes are missing, and the frame no longer refers to the source of the last
  /// fill.
  public mutating func reset() {
    // SAFETY: Afterwards no slot points to memory that the frame was filled from.
    // Tests: FrameFillTests, asan.
    arena.reset()
    repeatedSlot = nil
    slots.update(from: defaults, count: slotCount)
    vacateTemporaries()
  }

  /// Poisons all temporaries, so that no run reads them before it writes them.
  @inline(__always)
  func vacateTemporaries() {
    if ReusedMemory.isPoisoned {
      (slots + slotCount).update(repeating: .vacant, count: temporaries)
    }
  }

  /// Clears the variables of a template, which are its first temporaries.
  mutating func clearVariables(_ count: Int) {
    (slots + slotCount).update(repeating: .missing, count: min(count, temporaries))
  }

  /// Sets default values for the roots that a later context does not contain. Earlier defaults are replaced, and the
  /// frame is cleared.
  ///
  /// - Parameter context: a map with a value for each root.
  public mutating func keep(_ context: Value) throws(EvaluationError) {
    // SAFETY: Defaults point into `kept`, which only the next call resets, after it has put back
    // the program's own defaults. Tests: PrecomputeTextsTests, asan.
    for (slot, cell) in running.defaults.enumerated() { defaults[slot] = cell }
    reset()
    kept.reset()
    kept.limit = arena.limit
    swap(&arena, &kept)
    defer {
      swap(&arena, &kept)
      reset()
    }
    try fill(values: context)
    defaults.update(from: slots, count: slotCount)
  }

  /// Fills the frame from a JSON object whose members are the roots. Members that the program does not read are
  /// validated and skipped.
  ///
  /// - Throws: ``JSONFault`` if the JSON is invalid. The frame is empty afterwards.
  public mutating func fill(json: some Sequence<UInt8>) throws(JSONFault) {
    let bytes = own(json)
    guard let base = bytes.baseAddress else {
      reset()
      throw JSONFault(kind: .unexpectedEnd, offset: 0)
    }
    var cursor = JSONCursor(base, from: 0, to: bytes.count)
    try fill(&cursor)
    if let slot = storage.allDataSlot {
      cursor = JSONCursor(base, from: 0, to: bytes.count)
      do {
        slots[slot] = try cursor.cell(in: &arena, nesting: storage.limits.dataNesting)
      } catch {
        reset()
        throw error
      }
    }
  }

  /// Copies bytes into the frame, whose strings can point into them until the next call.
  package mutating func own(_ bytes: some Sequence<UInt8>) -> ByteView {
    // SAFETY: Slots may point into the old copy, so every caller resets the frame before it reads
    // the new one. Tests: FrameFillTests.framesAreIndependent,
    // FrameFillTests.nothingIsLeftAfterAFault, asan.
    let copied = bytes.withContiguousStorageIfAvailable { source in
      makeRoom(source.count)
      _ = owned.update(fromContentsOf: source)
      return source.count
    }
    if let copied { return ByteView(rebasing: owned[0..<copied]) }
    let copy = Array(bytes)
    makeRoom(copy.count)
    _ = owned.update(fromContentsOf: copy)
    return ByteView(rebasing: owned[0..<copy.count])
  }

  /// Reserves memory for a number of bytes. The old content is lost.
  private mutating func makeRoom(_ count: Int) {
    guard count > owned.count else { return }
    owned.deallocate()
    owned = .allocate(capacity: max(count, 2 * owned.count))
    owned.initialize(repeating: 0)
  }

  private mutating func fill(_ cursor: inout JSONCursor) throws(JSONFault) {
    reset()
    let nesting = storage.limits.dataNesting
    do throws(JSONFault) {
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        if try !fillMember(key, from: &cursor) { try cursor.skipValue(nesting: nesting) }
      }
      try cursor.expectEnd()
    } catch {
      reset()
      throw error
    }
  }

  /// Fills one root from the next value. If the program reads nothing below this name, the result is false and
  /// the cursor does not move.
  ///
  /// - Parameter nullIsAbsent: whether null counts as a missing root.
  package mutating func fillMember(
    _ key: JSONCursor.RawString, from cursor: inout JSONCursor, nullIsAbsent: Bool = false
  ) throws(JSONFault) -> Bool {
    // SAFETY: Strings without escapes point into the caller's record. The caller resets the frame
    // before the record goes away. Tests: InputFormsTests, BatchDifferentialTests.
    guard let node = try child(AttributeTrie.root, key, cursor) else { return false }
    if nullIsAbsent, try cursor.takeNull() {
      empty(trie.nodes[node])
    } else {
      try fillValue(node, from: &cursor, nesting: storage.limits.dataNesting)
    }
    return true
  }

  /// Sets an attribute, and the attributes below it, to their defaults.
  private func empty(_ node: AttributeTrie.Node) {
    if node.slot >= 0 { slots[Int(node.slot)] = defaults[Int(node.slot)] }
    for i in 0..<Int(node.childCount) {
      empty(trie.nodes[Int(trie.children[Int(node.firstChild) + i])])
    }
  }

  @inline(__always)
  private mutating func child(
    _ node: Int, _ key: JSONCursor.RawString, _ cursor: JSONCursor
  ) throws(JSONFault) -> Int? {
    if key.hasEscapes { return try escapedChild(node, key, cursor) }
    return trie.child(
      of: node, named: key.bytes, prefix: AttributeTrie.prefix(key.bytes, before: cursor))
  }

  @inline(never)
  private mutating func escapedChild(
    _ node: Int, _ key: JSONCursor.RawString, _ cursor: JSONCursor
  ) throws(JSONFault) -> Int? {
    let cell = try cursor.text(key, in: &arena)
    // SAFETY: The view of the local cell stays in the closure. Tests: FrameFillTests.
    return withUnsafePointer(to: cell) { trie.child(of: node, named: $0.textBytes) }
  }

  private mutating func fillValue(
    _ id: Int, from cursor: inout JSONCursor, nesting: Int
  ) throws(JSONFault) {
    let node = trie.nodes[id]
    if node.childCount > 0 {
      let isObject = cursor.peek() == UInt8(ascii: "{")
      let behind: Cell = storage.binding.isLenient ? .behindValue : .notAMap
      let below: Cell = isObject || storage.binding.isLenient ? .unreachable : .notAMap
      markChildren(node, isObject ? .missing : behind, below: below)
      if isObject {
        let start = cursor.at
        try fillSlot(node, from: &cursor, nesting: nesting, wantsValue: false)
        cursor.at = start
        try fillChildren(id, from: &cursor, nesting: nesting)
        return
      }
    }
    try fillSlot(node, from: &cursor, nesting: nesting, wantsValue: true)
  }

  /// Fills the attributes below a node from an object. This loop uses no closure for each member, because it reads all
  /// records and skips most of their content.
  private mutating func fillChildren(
    _ id: Int, from outer: inout JSONCursor, nesting: Int
  ) throws(JSONFault) {
    var cursor = outer
    let trie = trie
    guard nesting > 0 else { throw cursor.fault(.tooDeep) }
    try cursor.expect(UInt8(ascii: "{"))
    var isOpen = !cursor.take(UInt8(ascii: "}"))
    while isOpen {
      guard cursor.peek() == UInt8(ascii: "\"") else { throw cursor.unexpected() }
      let key = try cursor.string()
      try cursor.expect(UInt8(ascii: ":"))
      let found =
        key.hasEscapes
        ? try escapedChild(id, key, cursor)
        : trie.child(
          of: id, named: key.bytes, prefix: AttributeTrie.prefix(key.bytes, before: cursor))
      if let child = found {
        // When an object begins, the slots of its members are empty.
        let slot = Int(trie.nodes[child].slot)
        if slot >= 0, slots[slot].isValue { repeatedSlot = slot }
        try fillValue(child, from: &cursor, nesting: nesting - 1)
      } else if cursor.peek() == UInt8(ascii: "\"") {
        _ = try cursor.string()
      } else {
        try cursor.skipValue(nesting: nesting - 1)
      }
      isOpen = cursor.take(UInt8(ascii: ","))
      if !isOpen { try cursor.expect(UInt8(ascii: "}")) }
    }
    outer = cursor
  }

  /// Puts the next value into the slot that ends at this node. If no slot ends there, the value is skipped, unless the
  /// caller skips it anyway.
  private mutating func fillSlot(
    _ node: AttributeTrie.Node, from cursor: inout JSONCursor, nesting: Int, wantsValue: Bool
  ) throws(JSONFault) {
    let slot = Int(node.slot)
    if slot < 0 || node.isPresenceOnly {
      let isDropped = storage.binding.null == .dropped && cursor.peek() == UInt8(ascii: "n")
      if wantsValue { try cursor.skipValue(nesting: nesting) }
      // If a name is repeated, the last value counts, even if it is dropped.
      if slot >= 0 { slots[slot] = isDropped ? .missing : .true }
      return
    }
    put(try cursor.cell(in: &arena, nesting: nesting), into: slot)
  }

  /// Binds a value and puts it into a slot.
  @inline(__always)
  mutating func put(_ cell: Cell, into slot: Int) {
    if isPlain {
      slots[slot] = cell
    } else if cell.isText, readsTextsPlainly {
      slots[slot] = ValueBinding.boolean(cell)
    } else {
      slots[slot] = bound(cell, slot)
    }
  }

  /// A dropped value leaves the slot's default.
  @inline(never)
  private mutating func bound(_ cell: Cell, _ slot: Int) -> Cell {
    let bound = storage.binding.bound(cell, in: &arena)
    if bound.isValue { return bound }
    return running.isRoot[slot] ? (defaults + slot).pointee : .missing
  }

  /// Puts the answer to one of the program's questions into the frame. The answer is valid until the next fill.
  ///
  /// - Parameters:
  ///   - number: the question's place in ``Program/questions``.
  ///   - value: the reply, or null if there is none.
  package mutating func answer(_ number: Int, with value: Value) throws(EvaluationError) {
    guard let cell = arena.cell(value) else { throw EvaluationError(.limitExceeded) }
    // Replies come from the host itself, so the platform's conversions of attributes do not apply.
    var binding = ValueBinding()
    binding.readsBooleanTexts = storage.binding.readsBooleanTexts
    binding.readsNumberTexts = storage.environment.behavior.readsNumbers
    slots[running.questionSlots[number]] = binding.bound(cell, in: &arena)
  }

  /// Sets all attributes below a node: `direct` is for the nodes directly below, and `below` for all others.
  private func markChildren(_ node: AttributeTrie.Node, _ direct: Cell, below: Cell) {
    let children = trie.children + Int(node.firstChild)
    if node.isRun {
      let first = Int(trie.nodes[Int(children[0])].slot)
      (slots + first).update(repeating: direct, count: Int(node.childCount))
      return
    }
    for i in 0..<Int(node.childCount) {
      let child = trie.nodes[Int(children[i])]
      if child.slot >= 0 { slots[Int(child.slot)] = direct }
      if child.childCount > 0 { markChildren(child, below, below: below) }
    }
  }
}

extension Frame {
  /// Fills the frame from a map with a value for each root.
  public mutating func fill(_ context: Value) throws(EvaluationError) {
    reset()
    try fill(values: context)
  }

  private mutating func fill(values context: Value) throws(EvaluationError) {
    var index = MemberIndex(reads: slotCount)
    for (slot, names) in running.attributes {
      guard let cell = try cell(at: names, in: context, &index) else { continue }
      if cell.isValue { put(cell, into: slot) } else { slots[slot] = cell }
    }
    if let slot = storage.allDataSlot {
      guard let cell = arena.cell(context) else { throw EvaluationError(.limitExceeded) }
      slots[slot] = cell
    }
  }

  /// The cell of an attribute. Nil means the default of a root that the context does not contain.
  private mutating func cell(
    at path: [String], in context: Value, _ index: inout MemberIndex
  ) throws(EvaluationError) -> Cell? {
    guard var value = context[path[0]] else { return nil }
    for (depth, name) in path.enumerated().dropFirst() {
      guard case .map = value else {
        guard storage.binding.isLenient else { return .notAMap }
        return depth == path.count - 1 ? .behindValue : .unreachable
      }
      guard let next = index.member(name, of: value, at: path[..<depth]) else {
        return depth == path.count - 1 ? .missing : .unreachable
      }
      value = next
    }
    // The names of the path are levels too, except for the root. The last level is a scalar.
    let nesting = storage.limits.dataNesting - path.count + 2
    guard let cell = arena.cell(value, nesting: nesting) else {
      throw EvaluationError(.limitExceeded)
    }
    return cell
  }
}

extension Program {
  /// Evaluates an entry (by default the first one) on a filled frame.
  ///
  /// - Throws: ``EvaluationError``.
  public func evaluate(_ entry: Entry? = nil, in frame: inout Frame) throws(EvaluationError)
    -> Value
  {
    // SAFETY: The result is copied into a `Value` before the arena releases what the run built.
    // Tests: HostileInputTests.nothingIsLeftBehind, asan.
    var trace = NoTrace()
    let start = (entry ?? entries.first)?.start ?? Lowering.finishFault
    // Release the memory of the run, so that one filled frame can be evaluated any number of times.
    let mark = frame.arena.mark
    let cell = Machine.run(storage, from: start, in: &frame, &trace)
    defer { frame.arena.release(to: mark) }
    switch cell.tag {
    case Tag.fault: throw EvaluationError(fault: cell)
    case Tag.list, Tag.map, Tag.optional:
      // In a value, parts that are shared in memory are repeated.
      guard cell.treeSize(upTo: storage.limits.resultBytes) != nil else {
        throw EvaluationError(.limitExceeded)
      }
      return Value(cell)
    default: return Value(cell)
    }
  }

  /// Whether an entry (by default the first one) evaluates to the bool true on a filled frame. Other values and errors
  /// count as false. This is the fastest way to evaluate a condition, and allocates no memory.
  public func isTrue(_ entry: Entry? = nil, in frame: inout Frame) -> Bool {
    guard let entry = entry ?? entries.first else { return false }
    return condition(entry, in: &frame) == .true
  }

  /// Fills a new frame and evaluates the first entry on it.
  public func evaluate(_ context: Value) throws(EvaluationError) -> Value {
    var frame = Frame(for: self)
    try frame.fill(context)
    return try evaluate(in: &frame)
  }

  /// The result of a condition. The bools true and false mean themselves, and any other result (another value, an
  /// error) does not match. This is the hot path: a warm frame allocates nothing. Strings and collections in the result
  /// are invalid.
  package func condition(_ entry: Entry, in frame: inout Frame) -> Cell {
    condition(at: entry.start, in: &frame)
  }

  /// Evaluates a condition, for callers that store the start of an entry.
  package func condition(at start: UInt32, in frame: inout Frame) -> Cell {
    // SAFETY: The arena releases what the run built, so a string or list in the result must not be
    // followed. Callers compare with bools alone. Tests: HostileInputTests.nothingIsLeftBehind,
    // asan.
    var trace = NoTrace()
    let mark = frame.arena.mark
    let cell = Machine.run(storage, from: start, in: &frame, &trace)
    frame.arena.release(to: mark)
    return cell
  }

  /// The number of the first condition of a choice that is exactly true, beginning at one of the choice's starts.
  package func firstTrue(from start: UInt32, in frame: inout Frame) -> Int? {
    // SAFETY: Only a number leaves the run; the arena releases the rest.
    // Tests: HostileInputTests.nothingIsLeftBehind, asan.
    var trace = NoTrace()
    frame.runMark = frame.arena.mark
    let cell = Machine.run(storage, from: start, in: &frame, &trace)
    frame.arena.release(to: frame.runMark)
    return cell.tag == Tag.int ? Int(cell.intValue) : nil
  }
}

extension EvaluationError {
  /// The error of a fault cell.
  package init(fault cell: Cell) {
    let kind = Kind(rawValue: UInt8(truncatingIfNeeded: cell.low >> 8)) ?? .noSuchOverload
    let hasTypes = kind == .noSuchOverload
    self.init(
      kind, instruction: UInt32(truncatingIfNeeded: cell.low >> 32),
      firstTag: hasTypes ? UInt8(truncatingIfNeeded: cell.low >> 16) : 0,
      secondTag: hasTypes ? UInt8(truncatingIfNeeded: cell.low >> 24) : 0)
  }
}
