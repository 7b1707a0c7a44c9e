internal import Expressions
internal import RuleEngine

/// Numbers that are noted of the outcomes of a block: for each a list, in the order in which they came.
struct OutcomeNotes {
  private struct Entry {
    /// Placement and row, as choices are numbered.
    var cell: Int32
    var number: Int32
    /// The next entry of the same outcome, or -1.
    var next: Int32
  }

  private let placements: Int
  private var entries: [Entry] = []
  /// By placement and row: the first entry and the last one, or -1. Made when there is an entry.
  private var firsts: [Int32] = []
  private var lasts: [Int32] = []

  init(placements: Int) { self.placements = placements }

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ number: Int, placement: Int, row: Int) {
    if firsts.isEmpty {
      firsts = Array(repeating: -1, count: placements * BlockShape.rows)
      lasts = firsts
    }
    let cell = placement &* BlockShape.rows &+ row
    let place = Int32(entries.count)
    entries.append(Entry(cell: Int32(cell), number: Int32(number), next: -1))
    if firsts[cell] < 0 { firsts[cell] = place } else { entries[Int(lasts[cell])].next = place }
    lasts[cell] = place
  }

  /// Calls with the numbers of an outcome. There must be some in the block.
  @inline(__always)
  func forEach(placement: Int, row: Int, _ body: (Int) -> Void) {
    var entry = firsts[placement &* BlockShape.rows &+ row]
    while entry >= 0 {
      body(Int(entries[Int(entry)].number))
      entry = entries[Int(entry)].next
    }
  }

  mutating func removeAll() {
    for entry in entries { firsts[Int(entry.cell)] = -1 }
    entries.removeAll(keepingCapacity: true)
  }
}
