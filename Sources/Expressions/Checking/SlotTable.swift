/// The values that a program reads, each with its place in a frame.
package struct SlotTable {
  /// The content of a slot.
  package enum Content {
    case attribute(AttributePath)
    /// The host's answer to a question. No context can contain it.
    case question(HostQuestion)
    /// All the data that the frame was filled from, for names that a template computes.
    case everything
  }

  /// The kind of content that the names of a slot describe.
  fileprivate enum Kind: UInt8 {
    /// The names are a path.
    case attribute
    /// The names are a function and, for a string argument, that string.
    case text, anyKnown, anyOther
    /// The slot has no names.
    case everything
  }

  package struct Slot {
    /// The place of the first name among all names, and the number of names.
    fileprivate var first: UInt32
    fileprivate var count: UInt32
    fileprivate var kind: Kind
    /// Whether only `has()` reads the slot, so that filling need not read the value.
    package var isPresenceOnly: Bool
  }

  /// A name within a text: its offset and its number of bytes.
  package struct NameRange {
    var from: UInt32
    var count: UInt32
  }

  package private(set) var slots: [Slot] = []
  /// The slot for `Content.everything`.
  private(set) var everything: Int?
  /// The names of all slots, as ranges of ``text``. Strings are only created on demand.
  private var names: [NameRange] = []
  private var text: [UInt8] = []
  private var table = InternTable()

  package var count: Int { slots.count }

  init() {}

  /// - Parameter table: an empty table, whose memory is used.
  init(table: consuming InternTable) { self.table = table }

  /// Empties the table and returns it. No paths can be added afterwards.
  mutating func takeTable() -> InternTable { exchange(&table, with: InternTable()) }

  /// Reserves memory for the paths of a few attributes.
  mutating func reserve() {
    slots.reserveCapacity(8)
    names.reserveCapacity(16)
    text.reserveCapacity(128)
    table.reserve(8)
  }

  func content(_ slot: Int) -> Content {
    switch slots[slot].kind {
    case .attribute: .attribute(AttributePath(strings(slot)))
    case .text:
      .question(HostQuestion(function: strings(slot)[0], argument: .text(strings(slot)[1])))
    case .anyKnown: .question(HostQuestion(function: strings(slot)[0], argument: .anyKnown))
    case .anyOther: .question(HostQuestion(function: strings(slot)[0], argument: .anyOther))
    case .everything: .everything
    }
  }

  /// The content of each slot.
  package var contents: [Content] { (0..<count).map { content($0) } }

  /// The attribute in a slot, or nil if the slot holds other content.
  func attribute(_ slot: Int) -> AttributePath? {
    slots[slot].kind == .attribute ? AttributePath(strings(slot)) : nil
  }

  private func strings(_ slot: Int) -> [String] {
    nameRanges(slot).map { name in withBytes(name) { String(decoding: $0, as: UTF8.self) } }
  }

  private func nameRanges(_ slot: Int) -> ArraySlice<NameRange> {
    names[Int(slots[slot].first)..<Int(slots[slot].first + slots[slot].count)]
  }

  /// The slot with the same content as a slot of another table, or nil.
  package func slot(like number: Int, of other: SlotTable) -> Int? {
    (0..<count).first { isSame($0, as: number, of: other) }
  }

  /// Whether a slot has the same content as a slot of another table. Names are compared by their bytes.
  func isSame(_ slot: Int, as number: Int, of other: SlotTable) -> Bool {
    guard slots[slot].kind == other.slots[number].kind,
      slots[slot].count == other.slots[number].count
    else { return false }
    return zip(nameRanges(slot), other.nameRanges(number)).allSatisfy { own, name in
      withBytes(own) { own in other.withBytes(name) { Comparing.equalBytes(own, $0) } }
    }
  }

  /// Whether a slot holds an attribute below a root. Such an attribute may be missing.
  func isBelowRoot(_ slot: Int) -> Bool {
    slots[slot].kind == .attribute && slots[slot].count > 1
  }

  /// Whether a slot holds an attribute whose path begins with one of these names.
  func begins(_ slot: Int, withOneOf roots: [String]) -> Bool {
    guard !roots.isEmpty, slots[slot].kind == .attribute else { return false }
    return withBytes(names[Int(slots[slot].first)]) { name in
      roots.contains { SlotTable.isSame($0, name) }
    }
  }

  private func withBytes<Result>(_ name: NameRange, _ body: (ByteView) -> Result) -> Result {
    // SAFETY: The view lives as long as the closure runs. Ranges were recorded when the names were
    // appended. Tests: FilterTests, SharingTests.
    text.withUnsafeBufferPointer {
      body(ByteView(rebasing: $0[Int(name.from)..<Int(name.from + name.count)]))
    }
  }

  /// The slot of a path whose names are ranges of a text.
  package mutating func slot(_ names: [NameRange], of text: ByteView, isPresenceOnly: Bool) -> Int {
    slot(.attribute, names, of: text, isPresenceOnly: isPresenceOnly)
  }

  private mutating func slot(
    _ kind: Kind, _ names: [NameRange], of text: ByteView, isPresenceOnly: Bool
  ) -> Int {
    func bytes(_ name: NameRange) -> ByteView {
      // SAFETY: The caller made the ranges for its own text. The names are copied into the table. Tests: FilterTests,
      // SharingTests.
      ByteView(rebasing: text[Int(name.from)..<Int(name.from + name.count)])
    }
    var hash = UInt64(kind.rawValue)
    for name in names { hash = InternTable.combine(hash, bytes(name)) }
    let known = table.find(hash) { number in
      let known = slots[number]
      guard known.kind == kind, Int(known.count) == names.count else { return false }
      for i in 0..<names.count {
        let isSame = withBytes(self.names[Int(known.first) + i]) {
          Comparing.equalBytes($0, bytes(names[i]))
        }
        if !isSame { return false }
      }
      return true
    }
    if let known {
      if !isPresenceOnly { slots[known].isPresenceOnly = false }
      return known
    }
    slots.append(
      Slot(
        first: UInt32(self.names.count), count: UInt32(names.count), kind: kind,
        isPresenceOnly: isPresenceOnly))
    for name in names {
      self.names.append(NameRange(from: UInt32(self.text.count), count: name.count))
      self.text.append(contentsOf: bytes(name))
    }
    return table.insert(hash)
  }

  package mutating func slot(_ names: [String], isPresenceOnly: Bool) -> Int {
    slot(.attribute, names, isPresenceOnly: isPresenceOnly)
  }

  /// The slot for the answer to a question.
  package mutating func slot(of question: HostQuestion) -> Int {
    switch question.argument {
    case .text(let text): slot(.text, [question.function, text])
    case .anyKnown: slot(.anyKnown, [question.function])
    case .anyOther: slot(.anyOther, [question.function])
    }
  }

  mutating func slotOfEverything() -> Int {
    let slot = slot(.everything, [])
    everything = slot
    return slot
  }

  package mutating func slot(of content: Content, isPresenceOnly: Bool) -> Int {
    switch content {
    case .attribute(let path): slot(path.names, isPresenceOnly: isPresenceOnly)
    case .question(let question): slot(of: question)
    case .everything: slotOfEverything()
    }
  }

  private mutating func slot(_ kind: Kind, _ names: [String], isPresenceOnly: Bool = false) -> Int {
    var text: [UInt8] = []
    var ranges: [NameRange] = []
    for name in names {
      ranges.append(NameRange(from: UInt32(text.count), count: UInt32(name.utf8.count)))
      text += name.utf8
    }
    // SAFETY: The view of the local array stays in the closure. Tests: FilterTests.
    return text.withUnsafeBufferPointer {
      slot(kind, ranges, of: $0, isPresenceOnly: isPresenceOnly)
    }
  }

  /// Whether a string consists of these bytes. String comparison would normalise, and names differ by bytes.
  static func isSame(_ name: String, _ bytes: ByteView) -> Bool {
    // SAFETY: The view of the string stays in the closure. Tests: SharingTests.
    var name = name
    return name.withUTF8 { Comparing.equalBytes($0, bytes) }
  }
}

extension SlotTable.Content {
  package var attribute: AttributePath? {
    if case .attribute(let path) = self { path } else { nil }
  }

  var question: HostQuestion? { if case .question(let question) = self { question } else { nil } }

  /// The slot as an expression writes it.
  var description: String {
    switch self {
    case .attribute(let path): path.description
    case .question(let question): question.description
    case .everything: "."
    }
  }
}
