internal import Expressions
internal import RuleEngine

/// The reasons for the rows of a table. Each placement has a string per row, in the format of
/// `tollgate precompute --reasons`. The string is empty for a row without a reason.
package struct FrameReasons: Sendable {
  /// The concatenated strings of a placement.
  package struct Column: Sendable {
    package fileprivate(set) var bytes: [UInt8] = []
    /// The offset at which each string ends.
    package fileprivate(set) var ends: [Int] = []
  }

  /// The column of each placement; empty if the plan does not request reasons.
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

  /// Combines the strings of several workers. Each worker has the strings of its own rows.
  ///
  /// - Parameter part: for each row, the index of the worker that has its string.
  mutating func join(_ parts: [FrameReasons], of part: [Int]) {
    removeAll()
    for placement in columns.indices {
      var next = Array(repeating: 0, count: parts.count)
      for number in part {
        let column = parts[number].columns[placement]
        let row = next[number]
        next[number] += 1
        let from = row > 0 ? column.ends[row - 1] : 0
        columns[placement].bytes += column.bytes[from..<column.ends[row]]
        columns[placement].ends.append(columns[placement].bytes.count)
      }
    }
  }

  /// Adds the strings of a block's rows, starting with the first.
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
          // In ``OutcomeForm/rows``, the length precedes the string.
          columns[placement].bytes += text.dropFirst(4)
        }
        columns[placement].ends.append(columns[placement].bytes.count)
      }
    }
  }
}
