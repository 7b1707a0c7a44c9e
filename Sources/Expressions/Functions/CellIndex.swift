/// Finds cells that are equal to a given one among the elements of a list.
///
/// Hashes are seeded by the process, so that nobody can choose elements whose hashes are the same;
/// what is found does not depend on them. The table lies in the arena. Work is counted: a value
/// that is shared many times over ends as nil and not as a hang.
struct CellIndex {
  // SAFETY: The table lies in the arena and has at least twice as many places as elements, so a
  // search ends at an empty one. Hashes are read only of elements in the table. Work is bounded.
  // Tests: ListExtensionTests, HostileInputTests, asan.

  private let elements: UnsafePointer<Cell>
  /// Numbers of elements, -1 where there is none; twice as many places as elements at least.
  private let slots: UnsafeMutablePointer<Int32>
  private let hashes: UnsafeMutablePointer<Int>
  private let mask: Int
  private var work: Work

  /// An empty index for elements of this list, or nil when the arena is full.
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

  /// Whether an element equal to this is in the index, or nil when that takes too much work.
  mutating func contains(_ cell: UnsafePointer<Cell>) -> Bool? {
    guard let place = place(of: cell) else { return nil }
    return slots[place.slot] >= 0
  }

  /// Puts an element in, unless an equal one is there already; nil when that takes too much work.
  mutating func insert(_ number: Int) -> Bool? {
    guard let place = place(of: elements + number) else { return nil }
    guard slots[place.slot] < 0 else { return false }
    slots[place.slot] = Int32(number)
    hashes[number] = place.hash
    return true
  }

  /// The slot of an equal element, or the empty one where it would be.
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

/// Hashing of cells, and the count of the steps that it and the comparing after it take.
private struct Work {
  // SAFETY: Elements are read below the count of their list or map, and depth and steps are
  // bounded. Tests: ListExtensionTests, HostileInputTests.

  private let limit: Int
  private var steps = 0
  /// What comparing takes: the values that were hashed, and for maps the search for every key.
  var comparing = 0

  init(limit: Int) { self.limit = limit }

  /// Both bounds are far above what a frame's own data can need.
  var isWithinLimit: Bool { steps <= limit && comparing / 16 <= limit }

  /// Equal values give equal hashes; false when the limit is reached.
  mutating func hash(_ value: UnsafePointer<Cell>, into hasher: inout Hasher, depth: Int = 0)
    -> Bool
  {
    let cell = value.pointee
    count(1)
    switch cell.tag {
    case Tag.int, Tag.uint, Tag.double:
      // Numbers of different types are equal as doubles; 0.0 and -0.0 are, too. A NaN equals
      // nothing, and many of them should not meet in one place.
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

  /// Entries may be in any order, so that their hashes are added.
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
    // Small maps are compared key by key, large ones by hashes.
    comparing += keys * min(map.outsideCount, FlatMap.smallCount)
    return isWithinLimit
  }

  private func canGoOn(_ depth: Int) -> Bool { depth < Nesting.deepest && isWithinLimit }

  private mutating func count(_ cost: Int) {
    steps += cost
    comparing += cost
  }
}
