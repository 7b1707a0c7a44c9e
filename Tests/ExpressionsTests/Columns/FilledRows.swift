import Testing

@testable import Expressions

/// Contexts, each in a frame of its own, to hold columns of the same contexts against.
struct FilledRows {
  final class Row {
    var frame: Frame
    init(_ program: Program) { frame = Frame(for: program) }
  }

  let program: Program
  let contexts: [Value]
  /// Columns refer to texts and lists that these hold.
  private let rows: [Row]

  /// - Parameter complete: puts into a frame what is not in the contexts.
  init(
    _ program: Program, _ contexts: [Value], complete: (inout Frame) throws -> Void = { _ in }
  ) throws {
    self.program = program
    self.contexts = contexts
    rows = try contexts.map { context in
      let row = Row(program)
      try row.frame.fill(context)
      try complete(&row.frame)
      return row
    }
  }

  /// Puts the contexts into rows, between which some stay vacant: whoever looks into these is found out.
  func copy(to columns: borrowing ColumnFrame) {
    for (number, row) in rows.enumerated() { columns.copyRow(Self.row(number), from: row.frame) }
  }

  private static func row(_ number: Int) -> Int { number + number / 4 }

  /// Expects a condition to hold for the rows of a mask exactly, and counts them.
  func expect(_ entry: Program.Entry, _ number: Int, holdsFor mask: RowMask) -> Int {
    var held = 0
    for (place, row) in rows.enumerated() {
      let at = Self.row(place)
      let got = mask[at / 64] & 1 << UInt64(at % 64) != 0
      if got { held += 1 }
      #expect(
        got == program.isTrue(entry, in: &row.frame),
        "\(program.sources[number]) on \(contexts[place].json)")
    }
    return held
  }
}
