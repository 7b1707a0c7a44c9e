/// Maps placement names to numbers. Lookups allocate no memory. The index is an open-addressing table over the names'
/// bytes, because comparing strings would normalise them.
struct PlacementIndex: Sendable {
  // SAFETY: Each place records where a name begins and its length. Words are read only while eight
  // bytes remain. The table is never full, so every search ends. Tests: PlacementIndexTests.

  private struct Place {
    /// Number of the placement, or -1 for an empty place.
    var number: Int32 = -1
    /// The start of the name in `names`, and its length.
    var start: Int32 = 0
    var count: Int32 = 0
  }

  private var table: [Place]
  private var names: [UInt8] = []
  private let mask: Int

  /// If two placements have the same name, the later one counts.
  init(_ placements: [String]) {
    var size = 4
    while size < placements.count * 2 { size *= 2 }
    mask = size - 1
    table = Array(repeating: Place(), count: size)
    for (number, name) in placements.enumerated() {
      let bytes = Array(name.utf8)
      bytes.withUnsafeBufferPointer { bytes in
        var place = place(of: bytes)
        if table[place].number < 0 {
          table[place] = Place(
            number: 0, start: Int32(names.count), count: Int32(bytes.count))
          names += bytes
          place = self.place(of: bytes)
        }
        table[place].number = Int32(number)
      }
    }
  }

  func number(of name: String) -> Int? {
    let found = name.utf8.withContiguousStorageIfAvailable { number(of: $0) }
    // Only strings from other frameworks on Apple's platforms can lack contiguous bytes.
    return found ?? Array(name.utf8).withUnsafeBufferPointer { number(of: $0) }
  }

  private func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    let number = table[place(of: name)].number
    return number < 0 ? nil : Int(number)
  }

  /// The slot of a name, or the empty slot for it.
  private func place(of name: UnsafeBufferPointer<UInt8>) -> Int {
    var i = hash(name) & mask
    while table[i].number >= 0, !isSame(table[i], name) { i = (i + 1) & mask }
    return i
  }

  private func isSame(_ place: Place, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard Int(place.count) == name.count else { return false }
    return names.withUnsafeBytes { names in
      let known = UnsafeRawBufferPointer(rebasing: names[Int(place.start)...])
      let name = UnsafeRawBufferPointer(name)
      var at = 0
      while at &+ 8 <= name.count {
        guard PlacementIndex.word(known, at) == PlacementIndex.word(name, at) else { return false }
        at &+= 8
      }
      while at < name.count {
        guard known[at] == name[at] else { return false }
        at &+= 1
      }
      return true
    }
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
  }

  /// The FNV-1a hash of a name, eight bytes at a time. For a long name, the last step reads the final eight bytes,
  /// which overlap the previous ones. This is faster than reading the rest byte by byte.
  private func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(name.count)
    let bytes = UnsafeRawBufferPointer(name)
    var at = 0
    while at &+ 8 <= bytes.count {
      hash = (hash ^ PlacementIndex.word(bytes, at)) &* 0x100_0000_01B3
      hash ^= hash >> 32
      at &+= 8
    }
    if at > 0 {
      hash = (hash ^ PlacementIndex.word(bytes, bytes.count &- 8)) &* 0x100_0000_01B3
      hash ^= hash >> 32
    } else {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 29) & 0x7FFF_FFFF)
  }
}
