internal import Expressions

/// Rows of cells in columns. The widest names are shortened in the middle where a line would not fit.
struct TextTable {
  /// The cells of a line; the first line is the head.
  var rows: [[String]]
  /// The columns that stand left; the others stand right.
  var left: Set<Int> = [0]
  /// Rows above which another rule stands, beside the one under the head.
  var ruled: Set<Int> = []

  private static let gap = 2
  /// Names are not made shorter than this.
  private static let shortest = 8

  /// - Parameter style: how the lines are shown; a width is kept to as far as numbers let it.
  func lines(_ style: TextStyle) -> [String] {
    let widths = widths(style.width)
    let rule = String(repeating: "-", count: TextTable.sum(widths))
    var lines: [String] = []
    for (number, row) in rows.enumerated() {
      if number == 1 || ruled.contains(number) { lines.append(rule) }
      let line = zip(row, widths).enumerated().map { column, cell in
        let text = TextWidth.shortened(cell.0, to: cell.1)
        let space = String(repeating: " ", count: cell.1 - TextWidth.columns(text))
        return left.contains(column) ? text + space : space + text
      }
      .joined(separator: String(repeating: " ", count: TextTable.gap))
      let trimmed = String(line.reversed().drop { $0 == " " }.reversed())
      lines.append(number == 0 ? style.head(trimmed) : trimmed)
    }
    return lines
  }

  /// The columns that the widest line takes, when nothing is shortened.
  var width: Int { TextTable.sum(widths(nil)) }

  /// The columns that a line takes.
  private static func sum(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// As wide as the cells, or with the widest columns of names narrower.
  private func widths(_ limit: Int?) -> [Int] {
    guard let head = rows.first else { return [] }
    var widths = head.indices.map { column in
      rows.map { TextWidth.columns($0[column]) }.max() ?? 0
    }
    guard let limit else { return widths }
    var excess = TextTable.sum(widths) - limit
    while excess > 0 {
      let widest = left.filter { widths.indices.contains($0) && widths[$0] > TextTable.shortest }
        .max { (widths[$0], $1) < (widths[$1], $0) }
      guard let widest else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
