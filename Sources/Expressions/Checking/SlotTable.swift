/// The attributes that a program reads, each with its place in a frame.
struct SlotTable {
  struct Slot {
    /// Where the names of the path begin among all names, and how many they are.
    fileprivate var first: UInt32
    fileprivate var count: UInt32
    /// True while only `has()` asks for it: then filling need not read its value.
    var isPresenceOnly: Bool
  }

  /// A name within a text: where it begins, and its number of bytes.
  struct NameRange {
    var from: UInt32
    var count: UInt32
  }

  private(set) var slots: [Slot] = []
  /// The names of all paths, as ranges of ``text``: strings are made when somebody asks.
  private var names: [NameRange] = []
  private var text: [UInt8] = []
  private var table = InternTable()

  var count: Int { slots.count }

  init() {}

  /// - Parameter table: an empty table whose memory is used.
  init(table: consuming InternTable) { self.table = table }

  /// Takes the table out, after which no paths can be added.
  mutating func takeTable() -> InternTable { exchange(&table, with: InternTable()) }

  /// Makes room for the paths of a few attributes.
  mutating func reserve() {
    slots.reserveCapacity(8)
    names.reserveCapacity(16)
    text.reserveCapacity(128)
    table.reserve(8)
  }

  func path(_ slot: Int) -> AttributePath {
    let entry = slots[slot]
    return AttributePath(
      names[Int(entry.first)..<Int(entry.first + entry.count)].map { name in
        withBytes(name) { String(decoding: $0, as: UTF8.self) }
      })
  }

  /// The slot of a path, or nil when nothing reads it.
  func number(of path: AttributePath) -> Int? {
    (0..<count).first { number in
      let names = self.path(number).names
      return names.count == path.names.count
        && zip(names, path.names).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
  }

  /// The number of names of a slot's path.
  func length(_ slot: Int) -> Int { Int(slots[slot].count) }

  /// Whether a slot's path begins with one of these names.
  func begins(_ slot: Int, withOneOf roots: [String]) -> Bool {
    guard !roots.isEmpty else { return false }
    return withBytes(names[Int(slots[slot].first)]) { name in
      roots.contains { SlotTable.isSame($0, name) }
    }
  }

  private func withBytes<Result>(_ name: NameRange, _ body: (ByteView) -> Result) -> Result {
    text.withUnsafeBufferPointer {
      body(ByteView(rebasing: $0[Int(name.from)..<Int(name.from + name.count)]))
    }
  }

  /// The slot of a path whose names are ranges of a text.
  mutating func slot(_ names: [NameRange], of text: ByteView, isPresenceOnly: Bool) -> Int {
    func bytes(_ name: NameRange) -> ByteView {
      ByteView(rebasing: text[Int(name.from)..<Int(name.from + name.count)])
    }
    var hash: UInt64 = 0
    for name in names { hash = InternTable.combine(hash, bytes(name)) }
    let known = table.find(hash) { number in
      let known = slots[number]
      guard Int(known.count) == names.count else { return false }
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
        first: UInt32(self.names.count), count: UInt32(names.count),
        isPresenceOnly: isPresenceOnly))
    for name in names {
      self.names.append(NameRange(from: UInt32(self.text.count), count: name.count))
      self.text.append(contentsOf: bytes(name))
    }
    return table.insert(hash)
  }

  mutating func slot(_ names: [String], isPresenceOnly: Bool) -> Int {
    var text: [UInt8] = []
    var ranges: [NameRange] = []
    for name in names {
      ranges.append(NameRange(from: UInt32(text.count), count: UInt32(name.utf8.count)))
      text += name.utf8
    }
    return text.withUnsafeBufferPointer {
      slot(ranges, of: $0, isPresenceOnly: isPresenceOnly)
    }
  }

  /// Whether a string consists of these bytes. Strings compare normalised, names do not.
  static func isSame(_ name: String, _ bytes: ByteView) -> Bool {
    var name = name
    return name.withUTF8 { Comparing.equalBytes($0, bytes) }
  }
}
