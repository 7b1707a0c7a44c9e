internal import Expressions
internal import RuleEngine

/// Why the rows of a table got what they got: of each placement a text for each row, as
/// `tollgate precompute --reasons` writes it; empty where there is nothing to say.
package struct FrameReasons: Sendable {
  /// The texts of a placement, one after the other.
  package struct Column: Sendable {
    package fileprivate(set) var bytes: [UInt8] = []
    /// Where each text ends.
    package fileprivate(set) var ends: [Int] = []
  }

  /// By placement; none where the plan does not ask for reasons.
  package private(set) var columns: [Column]
  private var text: [UInt8] = []

  init(_ plan: BatchPlan) {
    columns = plan.tellsReasons && plan.form == .rows ? plan.placements.map { _ in Column() } : []
  }

  var isActive: Bool { !columns.isEmpty }

  mutating func removeAll() {
    for number in columns.indices {
      columns[number].bytes.removeAll(keepingCapacity: true)
      columns[number].ends.removeAll(keepingCapacity: true)
    }
  }

  /// Adds the texts of a block's rows, from the first one on.
  mutating func append(
    _ count: Int, of block: borrowing BatchBlock, _ chooser: borrowing VariantChooser,
    _ errors: borrowing BatchErrors, _ reasons: inout BatchReasons
  ) {
    for placement in columns.indices {
      for row in 0..<count {
        text.removeAll(keepingCapacity: true)
        if block.choices[placement &* BlockShape.rows &+ row] >= 0 {
          reasons.append(
            placement: placement, row: row, block, chooser, errors, to: &text)
          // In the form of rows, a text has its length before it.
          columns[placement].bytes += text.dropFirst(4)
        }
        columns[placement].ends.append(columns[placement].bytes.count)
      }
    }
  }
}
