/// Finds the elements of a list that equal a given cell.
///
/// Hashes are seeded per process, so that no user can choose elements with equal hashes. Results do not depend on the
/// seed. The table is in the arena. The work is limited: for a value that shares its parts many times over, the result
/// is nil.
struct CellIndex {
  // SAFETY: The table is in the arena and has at least twice as many places as elements, so a
  // search ends at an empty one. Hashes are read only of elements in the table. Work is bounded.
  // Tests: ListExtensionTests, HostileInputTests, asan.

  private let elements: UnsafePointer<Cell>
  /// Indexes of elements, or -1 for an empty slot. There are at least twice as many slots as elements.
  private let slots: UnsafeMutablePointer<Int32>
  private let hashes: UnsafeMutablePointer<Int>
  private let mask: Int
  private var work: Work

  /// An empty index for elements of this list, or nil if the arena is full.
  init?(for list: UnsafeBufferPointer<Cell>, _ arena: inout Arena) {
    guard let base = list.baseAddress, list.count <= Int32.max / 4 else { return nil }
    var size = 8
    while size < list.count * 2 { size *= 2 }
    guard let slots = arena.allocate(size * MemoryLayout<Int32>.stride),
      let hashes = arena.allocate(list.count * MemoryLayout<Int>.stride)
    else { return nil }
    elements = base
    self.slots = slots.bindMemory(to: Int32.self, capacity: size)
    self.slots.update(repeating: -1, count: size)
    self.hashes = hashes.bindMemory(to: Int.self, capacity: list.count)
    mask = size - 1
    work = Work(limit: arena.limit)
  }

  /// Whether an equal element is in the index, or nil if the search takes too much work.
  mutating func contains(_ cell: UnsafePointer<Cell>) -> Bool? {
    guard let place = place(of: cell) else { return nil }
    return slots[place.slot] >= 0
  }

  /// Inserts an element unless the index contains an equal element. The result is nil if the search takes too much
  /// work.
  mutating func insert(_ number: Int) -> Bool? {
    guard let place = place(of: elements + number) else { return nil }
    guard slots[place.slot] < 0 else { return false }
    slots[place.slot] = Int32(number)
    hashes[number] = place.hash
    return true
  }

  /// The slot of an equal element, or the empty slot for it.
  private mutating func place(of cell: UnsafePointer<Cell>) -> (slot: Int, hash: Int)? {
    var hasher = Hasher()
    let before = work.comparing
    guard work.hash(cell, into: &hasher) else { return nil }
    let cost = work.comparing - before + 1
    let hash = hasher.finalize()
    var slot = hash & mask
    while slots[slot] >= 0 {
      let other = Int(slots[slot])
      if hashes[other] == hash {
        work.comparing += cost
        guard work.isWithinLimit else { return nil }
        if Comparing.areEqual(elements + other, cell) { break }
      }
      slot = (slot + 1) & mask
    }
    return (slot, hash)
  }
}

/// Hashes cells, and counts the steps of hashing and of later comparisons.
private struct Work {
  // SAFETY: Elements are read below the count of their list or map, and depth and steps are
  // bounded. Tests: ListExtensionTests, HostileInputTests.

  private let limit: Int
  private var steps = 0
  /// The steps of comparisons: of the hashed values, and for looking up every key of maps.
  var comparing = 0

  init(limit: Int) { self.limit = limit }

  /// Both bounds are far above the needs of a frame's own data.
  var isWithinLimit: Bool { steps <= limit && comparing / 16 <= limit }

  /// Hashes a value. Equal values have equal hashes. The result is false if the limit is reached.
  mutating func hash(_ value: UnsafePointer<Cell>, into hasher: inout Hasher, depth: Int = 0)
    -> Bool
  {
    let cell = value.pointee
    count(1)
    switch cell.tag {
    case Tag.int, Tag.uint, Tag.double:
      // Numbers of different types are equal if they are equal as doubles, including 0.0 and -0.0. A NaN
      // equals nothing, and many NaNs should not have the same hash.
      let number = cell.nearestDouble
      if number.isNaN { hasher.combine(UInt(bitPattern: value)) }
      hasher.combine(number == 0 ? 0 : number.bitPattern)
    case Tag.longText, Tag.bytes, Tag.ip, Tag.cidr, Tag.version:
      count(cell.outsideCount / 16)
      hasher.combine(cell.tag)
      hasher.combine(bytes: UnsafeRawBufferPointer(value.textBytes))
    case Tag.list, Tag.optional:
      hasher.combine(cell.tag)
      hasher.combine(cell.outsideCount)
      guard let base = cell.elements.baseAddress else { break }
      for i in 0..<cell.outsideCount {
        guard canGoOn(depth), hash(base + i, into: &hasher, depth: depth + 1) else { return false }
      }
    case Tag.map: return hashMap(cell, into: &hasher, depth)
    default:
      hasher.combine(cell.low)
      hasher.combine(cell.high)
    }
    return isWithinLimit
  }

  /// Entries may be in any order, so their hashes are added.
  private mutating func hashMap(_ map: Cell, into hasher: inout Hasher, _ depth: Int) -> Bool {
    var sum = 0
    var keys = 0
    if let base = map.entries.baseAddress {
      for i in 0..<map.outsideCount {
        var entry = Hasher()
        let start = steps
        guard canGoOn(depth), hash(base + 2 * i, into: &entry, depth: depth + 1) else {
          return false
        }
        keys += steps - start
        guard hash(base + 2 * i + 1, into: &entry, depth: depth + 1) else { return false }
        sum &+= entry.finalize()
      }
    }
    hasher.combine(Tag.map)
    hasher.combine(map.outsideCount)
    hasher.combine(sum)
    // Small maps are compared key by key, and large maps by hashes.
    comparing += keys * min(map.outsideCount, FlatMap.smallCount)
    return isWithinLimit
  }

  private func canGoOn(_ depth: Int) -> Bool { depth < Nesting.deepest && isWithinLimit }

  private mutating func count(_ cost: Int) {
    steps += cost
    comparing += cost
  }
}
