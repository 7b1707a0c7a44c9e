/// An open-addressing index from content to number: what lies under a number is kept elsewhere,
/// and the caller says whether it is the same. Used for nodes, constants and attribute paths.
struct InternTable {
  private var slots: [Int32] = Array(repeating: -1, count: 32)
  private var hashes: [UInt64] = []

  /// The number of the content, or nil when it is not there yet.
  func find(_ hash: UInt64, isSame: (Int) -> Bool) -> Int? {
    var i = Int(truncatingIfNeeded: InternTable.mix(hash)) & (slots.count - 1)
    while slots[i] >= 0 {
      let number = Int(slots[i])
      if hashes[number] == hash, isSame(number) { return number }
      i = (i + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Takes the next number for content that is not there yet; the caller stores it.
  mutating func insert(_ hash: UInt64) -> Int {
    if (hashes.count + 1) * 2 > slots.count { grow() }
    var i = Int(truncatingIfNeeded: InternTable.mix(hash)) & (slots.count - 1)
    while slots[i] >= 0 { i = (i + 1) & (slots.count - 1) }
    slots[i] = Int32(hashes.count)
    hashes.append(hash)
    return hashes.count - 1
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for (number, hash) in hashes.enumerated() {
      var i = Int(truncatingIfNeeded: InternTable.mix(hash)) & (slots.count - 1)
      while slots[i] >= 0 { i = (i + 1) & (slots.count - 1) }
      slots[i] = Int32(number)
    }
  }

  private static func mix(_ hash: UInt64) -> UInt64 {
    (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 >> 20
  }

  /// Adds a word to a hash.
  static func combine(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    ((hash ^ word) &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93).high
      &+ word &* 0x1000_0000_01B3
  }
}
