package import Expressions
internal import RuleEngine

/// The choices of a chunk's users as numbers, for comparisons with other choices.
package final class KeptChoices {
  // SAFETY: Choices and identities are copied while the block has them. No address is stored.
  // Tests: ComparisonTests.

  private let placements: Int
  /// The choices, block after block, by placement and row.
  package private(set) var choices: [Int32] = []
  /// For each block, the index of its first choice, and its first row.
  package private(set) var blocks: [(start: Int, firstRow: Int)] = []
  private(set) var rows = 0
  /// The concatenated identities, and the end of each.
  private var subjects: [UInt8] = []
  private var ends: [Int] = []

  init(placements: Int) { self.placements = placements }

  func clear() {
    choices.removeAll(keepingCapacity: true)
    blocks.removeAll(keepingCapacity: true)
    subjects.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    rows = 0
  }

  func add(_ block: borrowing BatchBlock) {
    let count = block.count
    blocks.append((choices.count, rows))
    for placement in 0..<placements {
      choices += UnsafeBufferPointer(
        start: block.choices + placement &* BlockShape.rows, count: count)
    }
    rows += count
    for row in 0..<count {
      subjects += block.subjects[row]
      ends.append(subjects.count)
    }
  }

  /// Takes over the choices of groups of users, in the order of the users.
  ///
  /// - Parameters:
  ///   - order: the group of each user.
  ///   - groups: the choices of each group, by its number.
  func join(_ order: [Int], _ groups: [KeptChoices?]) {
    var next = groups.map { _ in 0 }
    var places = groups.map { $0?.places ?? [] }
    for start in stride(from: 0, to: order.count, by: BlockShape.rows) {
      let part = order[start..<min(start + BlockShape.rows, order.count)]
      blocks.append((choices.count, rows))
      let first = choices.count
      choices += Array(repeating: 0, count: placements * part.count)
      for (row, number) in part.enumerated() {
        guard let group = groups[number] else { continue }
        let (place, count) = places[number][next[number]]
        for placement in 0..<placements {
          choices[first + placement * part.count + row] = group.choices[place + placement * count]
        }
        group.withSubject(next[number]) { subjects += $0 }
        ends.append(subjects.count)
        next[number] += 1
      }
      rows += part.count
    }
    places.removeAll()
  }

  /// For each row, the index of its first choice, and the distance to the choice of the next placement.
  private var places: [(place: Int, count: Int)] {
    blocks.indices.flatMap { block in
      let count = count(ofBlock: block)
      return (0..<count).map { (place: blocks[block].start + $0, count: count) }
    }
  }

  /// The number of rows in a block.
  package func count(ofBlock block: Int) -> Int {
    (block + 1 < blocks.count ? blocks[block + 1].firstRow : rows) - blocks[block].firstRow
  }

  /// Calls the body with the identity of a row.
  package func withSubject<Result>(_ row: Int, _ body: (ByteView) -> Result) -> Result {
    let from = row > 0 ? ends[row - 1] : 0
    return subjects.withUnsafeBufferPointer { body(ByteView(rebasing: $0[from..<ends[row]])) }
  }
}
