internal import Expressions
internal import RuleEngine

/// A list of numbers for each outcome of a block, in the order in which they were added.
struct OutcomeNotes {
  private struct Entry {
    /// The index of the outcome: placement and row, as for choices.
    var cell: Int32
    var number: Int32
    /// The next entry of the same outcome, or -1.
    var next: Int32
  }

  private let placements: Int
  private var entries: [Entry] = []
  /// For each outcome, the index of its first entry and of its last entry, or -1. Created for the
  /// first entry.
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

  /// Calls the body with the numbers of an outcome. The block must have at least one entry.
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
