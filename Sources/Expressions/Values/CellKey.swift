/// A cell as a key of a Swift dictionary, for working on large maps in linear time. Two keys are equal if a map
/// considers them equal. Hashes use the process's random seed, so that no user can prepare collisions.
package struct CellKey: Hashable {
  // SAFETY: The pointers to local copies of cells stay in their closures. The memory of the cell outlives the
  // dictionary, which is always a local. Tests: ComparingTests, HostileInputTests.

  let cell: Cell

  package static func == (a: CellKey, b: CellKey) -> Bool {
    withUnsafePointer(to: a.cell) { a in
      withUnsafePointer(to: b.cell) { b in Comparing.areEqual(a, b) }
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch cell.tag {
    case Tag.int, Tag.uint, Tag.double:
      // Equal numbers compare as the same double, and minus zero equals zero.
      hasher.combine((cell.nearestDouble + 0).bitPattern)
    case Tag.longText, Tag.shortText...:
      withUnsafePointer(to: cell) { hasher.combine(bytes: UnsafeRawBufferPointer($0.textBytes)) }
    default: hasher.combine(cell.tag)
    }
  }
}

/// Maps as flat lists of keys and values.
package enum FlatMap {
  // SAFETY: A map has two cells for each entry, so every place that is read is below twice the
  // count. Tests: ComparingTests, HostileInputTests.

  /// Up to this number of entries, comparing all pairs is faster than hashing.
  static let smallCount = 16

  /// The entries with every key once, at its first place and with its last value.
  package static func lastOfRepeated(_ cells: [Cell]) -> [Cell] {
    if cells.count / 2 <= smallCount { return lastOfFew(cells) }
    var places: [CellKey: Int] = [:]
    places.reserveCapacity(cells.count / 2)
    var result: [Cell] = []
    result.reserveCapacity(cells.count)
    for i in stride(from: 0, to: cells.count, by: 2) {
      let key = CellKey(cell: cells[i])
      if let place = places[key] {
        result[place + 1] = cells[i + 1]
      } else {
        places[key] = result.count
        result.append(cells[i])
        result.append(cells[i + 1])
      }
    }
    return result
  }

  private static func lastOfFew(_ cells: [Cell]) -> [Cell] {
    var result: [Cell] = []
    for i in stride(from: 0, to: cells.count, by: 2) {
      let key = CellKey(cell: cells[i])
      let known = stride(from: 0, to: result.count, by: 2).first {
        CellKey(cell: result[$0]) == key
      }
      if let known {
        result[known + 1] = cells[i + 1]
      } else {
        result.append(cells[i])
        result.append(cells[i + 1])
      }
    }
    return result
  }

  /// Whether a key occurs twice among the entries.
  package static func hasRepeatedKey(_ cells: UnsafePointer<Cell>, _ entries: Int) -> Bool {
    if entries <= smallCount {
      for i in 0..<entries {
        for j in 0..<i where Comparing.areEqual(cells + 2 * i, cells + 2 * j) { return true }
      }
      return false
    }
    var seen: Set<CellKey> = []
    seen.reserveCapacity(entries)
    for i in 0..<entries where !seen.insert(CellKey(cell: cells[2 * i])).inserted { return true }
    return false
  }

  /// Whether the entries of two maps with the same number of entries are equal.
  static func areEqual(_ a: Cell, _ b: Cell, _ work: inout Int, _ depth: Int) -> Bool {
    guard let left = a.entries.baseAddress, let right = b.entries.baseAddress else { return true }
    guard Comparing.isWithinBounds(&work, depth) else { return false }
    let count = a.outsideCount
    if count <= smallCount {
      for i in 0..<count {
        guard let value = Comparing.lookUp(left + 2 * i, in: b, &work),
          Comparing.areEqual(left + 2 * i + 1, value, &work, depth: depth + 1)
        else { return false }
      }
      return true
    }
    work &+= 2 * count
    var places: [CellKey: Int] = [:]
    places.reserveCapacity(count)
    for i in 0..<count { places[CellKey(cell: right[2 * i])] = i }
    for i in 0..<count {
      guard let place = places[CellKey(cell: left[2 * i])],
        Comparing.areEqual(left + 2 * i + 1, right + 2 * place + 1, &work, depth: depth + 1)
      else { return false }
    }
    return true
  }
}
