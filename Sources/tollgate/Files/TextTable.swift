internal import Expressions

/// Rows of cells in columns. If a line does not fit, optional columns are dropped first, and then the widest names are
/// shortened in the middle. Heads are not shortened.
struct TextTable {
  /// The cells of each line. The first line is the head.
  var rows: [[String]]
  /// The left-aligned columns; all other columns are right-aligned.
  var left: Set<Int> = [0]
  /// Left-aligned columns that are never shortened.
  var whole: Set<Int> = []
  /// Columns whose head also covers the next column, which has an empty head.
  var spanning: Set<Int> = []
  /// Columns that are dropped if they do not fit. Columns of one group are dropped together, the
  /// first group first.
  var spare: [Set<Int>] = []
  /// Whether the heads are names, which may be shortened like the cells below them.
  var hasNamesAsHeads = false
  /// Rows with a rule above them, in addition to the rule under the head.
  var ruled: Set<Int> = []

  private static let gap = 2
  /// The minimum length of shortened names.
  private static let shortest = 8

  /// - Parameter style: the style of the lines. Lines fit its width as far as numbers allow.
  func lines(_ style: TextStyle) -> [String] {
    fitted(style.width).shownLines(style)
  }

  private func shownLines(_ style: TextStyle) -> [String] {
    let widths = widths(style.width)
    let rule = String(repeating: "-", count: TextTable.total(widths))
    var lines: [String] = []
    for (number, row) in rows.enumerated() {
      if number == 1 || ruled.contains(number) { lines.append(rule) }
      let line = number == 0 ? headLine(row, widths) : self.line(row, widths)
      let trimmed = String(line.reversed().drop { $0 == " " }.reversed())
      lines.append(number == 0 ? style.head(trimmed) : trimmed)
    }
    return lines
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    row.indices.map { cell(row[$0], widths[$0], isLeft: isLeft($0)) }
      .joined(separator: TextTable.space(TextTable.gap))
  }

  private func headLine(_ row: [String], _ widths: [Int]) -> String {
    var cells: [String] = []
    for column in row.indices where !spanning.contains(column - 1) {
      let isSpanning = spanning.contains(column)
      let width = isSpanning ? TextTable.total(Array(widths[column...column + 1])) : widths[column]
      cells.append(cell(row[column], width, isLeft: isSpanning || isLeft(column)))
    }
    return cells.joined(separator: TextTable.space(TextTable.gap))
  }

  private func isLeft(_ column: Int) -> Bool { left.contains(column) || whole.contains(column) }

  private func cell(_ text: String, _ width: Int, isLeft: Bool) -> String {
    let text = TextWidth.shortened(text, to: width)
    let space = TextTable.space(width - TextWidth.columns(text))
    return isLeft ? text + space : space + text
  }

  private static func space(_ count: Int) -> String { String(repeating: " ", count: count) }

  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// The width of the widest line, without shortening.
  var width: Int { TextTable.total(widths(nil)) }

  // MARK: Room

  /// The table without the columns that do not fit.
  private func fitted(_ limit: Int?) -> TextTable {
    guard let limit else { return self }
    var dropped: Set<Int> = []
    for group in spare where TextTable.total(without(dropped).widths(limit)) > limit {
      dropped.formUnion(group)
    }
    return without(dropped)
  }

  private func without(_ columns: Set<Int>) -> TextTable {
    guard !columns.isEmpty, let head = rows.first else { return self }
    let kept = head.indices.filter { !columns.contains($0) }
    func places(_ old: Set<Int>) -> Set<Int> {
      Set(kept.indices.filter { old.contains(kept[$0]) })
    }
    return TextTable(
      rows: rows.map { row in kept.map { row[$0] } }, left: places(left),
      whole: places(whole), spanning: places(spanning), hasNamesAsHeads: hasNamesAsHeads,
      ruled: ruled)
  }

  /// The widths of the columns: as wide as the cells, or with the widest columns of names reduced.
  private func widths(_ limit: Int?) -> [Int] {
    guard let head = rows.first else { return [] }
    var widths = head.indices.map { column in
      let shown = spanning.contains(column) ? rows.dropFirst() : rows[...]
      return shown.map { TextWidth.columns($0[column]) }.max() ?? 0
    }
    for column in spanning where column + 1 < widths.count {
      let missing =
        TextWidth.columns(head[column]) - TextTable.total([widths[column], widths[column + 1]])
      widths[column + 1] += max(0, missing)
    }
    guard let limit else { return widths }
    let least = head.map {
      hasNamesAsHeads ? TextTable.shortest : max(TextTable.shortest, TextWidth.columns($0))
    }
    var excess = TextTable.total(widths) - limit
    while excess > 0 {
      let widest = left.filter { widths.indices.contains($0) && widths[$0] > least[$0] }
        .max { (widths[$0], $1) < (widths[$1], $0) }
      guard let widest else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
