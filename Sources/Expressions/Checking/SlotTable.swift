/// The attributes that a program reads, each with its place in a frame.
struct SlotTable {
  struct Slot {
    var path: AttributePath
    /// True while only `has()` asks for it: then filling need not read its value.
    var isPresenceOnly: Bool
  }

  /// A name within a text: where it begins, and its number of bytes.
  struct NameRange {
    var from: UInt32
    var count: UInt32
  }

  private(set) var slots: [Slot] = []
  private var table = InternTable()

  /// The slot of a path whose names are ranges of a text.
  mutating func slot(_ names: [NameRange], of text: ByteView, isPresenceOnly: Bool) -> Int {
    func bytes(_ name: NameRange) -> ByteView {
      ByteView(rebasing: text[Int(name.from)..<Int(name.from + name.count)])
    }
    var hash: UInt64 = 0
    for name in names { hash = InternTable.combine(hash, bytes(name)) }
    let known = table.find(hash) { number in
      let known = slots[number].path.names
      guard known.count == names.count else { return false }
      for i in 0..<known.count where !SlotTable.isSame(known[i], bytes(names[i])) { return false }
      return true
    }
    if let known {
      if !isPresenceOnly { slots[known].isPresenceOnly = false }
      return known
    }
    let path = AttributePath(names.map { String(decoding: bytes($0), as: UTF8.self) })
    slots.append(Slot(path: path, isPresenceOnly: isPresenceOnly))
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
