package import Expressions
internal import RuleEngine

/// What the users of a chunk get, as numbers of choices, for whoever compares them with others.
package final class KeptChoices {
  // SAFETY: Choices and identities are copied while the block has them. No address is stored.
  // Tests: ComparisonTests.

  private let placements: Int
  /// Block after block: by placement and row.
  package private(set) var choices: [Int32] = []
  /// By block: where its choices begin, and its first row.
  package private(set) var blocks: [(start: Int, firstRow: Int)] = []
  private(set) var rows = 0
  /// Identities one after the other, and where each ends.
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

  /// Rows of a block.
  package func count(ofBlock block: Int) -> Int {
    (block + 1 < blocks.count ? blocks[block + 1].firstRow : rows) - blocks[block].firstRow
  }

  /// Calls with the identity of a row.
  package func withSubject<Result>(_ row: Int, _ body: (ByteView) -> Result) -> Result {
    let from = row > 0 ? ends[row - 1] : 0
    return subjects.withUnsafeBufferPointer { body(ByteView(rebasing: $0[from..<ends[row]])) }
  }
}
