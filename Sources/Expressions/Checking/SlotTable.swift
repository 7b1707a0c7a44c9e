/// The attributes that a program reads, each with its place in a frame.
struct SlotTable {
  struct Slot {
    var path: AttributePath
    /// True while only `has()` asks for it: then filling need not read its value.
    var isPresenceOnly: Bool
  }

  private(set) var slots: [Slot] = []
  private var table = InternTable()

  mutating func slot(_ names: [String], isPresenceOnly: Bool) -> Int {
    var hash: UInt64 = 0
    for name in names {
      hash = InternTable.combine(hash, UInt64(name.utf8.count))
      for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    let known = table.find(hash) {
      let known = slots[$0].path.names
      return known.count == names.count
        && zip(known, names).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
    if let known {
      if !isPresenceOnly { slots[known].isPresenceOnly = false }
      return known
    }
    slots.append(Slot(path: AttributePath(names), isPresenceOnly: isPresenceOnly))
    return table.insert(hash)
  }
}
