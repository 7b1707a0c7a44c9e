/// An open-addressing index from content to number. The caller stores and compares the content. The table is used for
/// nodes, constants and attribute paths.
///
/// If there are few entries, as for one expression, they are searched one by one, which is faster than creating a
/// table.
struct InternTable {
  private static let mostWithoutSlots = 16

  private var slots: [Int32] = []
  private var hashes: [UInt64] = []
  /// Whether there are enough entries to search the slots.
  private var usesSlots = false

  var count: Int { hashes.count }

  /// Reserves memory for a number of entries.
  mutating func reserve(_ count: Int) { hashes.reserveCapacity(count) }

  /// Removes all entries. The memory is reused unless it is large.
  mutating func removeAll() {
    hashes.removeAll(keepingCapacity: hashes.capacity <= 4_096)
    if slots.count > 4_096 { slots = [] }
    usesSlots = false
  }

  /// The number of the content, or nil if the table does not contain it.
  func find(_ hash: UInt64, isSame: (Int) -> Bool) -> Int? {
    if !usesSlots {
      for number in 0..<hashes.count where hashes[number] == hash && isSame(number) {
        return number
      }
      return nil
    }
    var i = Int(truncatingIfNeeded: InternTable.mix(hash)) & (slots.count - 1)
    while slots[i] >= 0 {
      let number = Int(slots[i])
      if hashes[number] == hash, isSame(number) { return number }
      i = (i + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Takes the next number for content that is new to the table. The caller stores the content.
  mutating func insert(_ hash: UInt64) -> Int {
    let number = hashes.count
    hashes.append(hash)
    if number >= InternTable.mostWithoutSlots {
      if !usesSlots || (number + 1) * 2 > slots.count { grow() } else { place(number) }
    }
    return number
  }

  private mutating func place(_ number: Int) {
    var i = Int(truncatingIfNeeded: InternTable.mix(hashes[number])) & (slots.count - 1)
    while slots[i] >= 0 { i = (i + 1) & (slots.count - 1) }
    slots[i] = Int32(number)
  }

  private mutating func grow() {
    let size = max(usesSlots ? slots.count * 2 : 0, InternTable.mostWithoutSlots * 4)
    if slots.count == size {
      for i in 0..<size { slots[i] = -1 }
    } else {
      slots = Array(repeating: -1, count: size)
    }
    usesSlots = true
    for number in 0..<hashes.count { place(number) }
  }

  private static func mix(_ hash: UInt64) -> UInt64 {
    (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 >> 20
  }

  /// Adds a word to a hash.
  @inline(__always)
  static func combine(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    ((hash ^ word) &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93).high
      &+ word &* 0x1000_0000_01B3
  }

  /// Adds bytes and their count to a hash.
  static func combine(_ hash: UInt64, _ bytes: ByteView) -> UInt64 {
    // SAFETY: Eight bytes are read only while eight remain. Tests: SharingTests, corpus, asan.
    var hash = combine(hash, UInt64(bytes.count))
    guard let base = bytes.baseAddress else { return hash }
    var at = 0
    while at &+ 8 <= bytes.count {
      hash = combine(
        hash, UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
      at &+= 8
    }
    var rest: UInt64 = 0
    while at < bytes.count {
      rest = rest << 8 | UInt64(base[at])
      at &+= 1
    }
    return combine(hash, rest)
  }
}
