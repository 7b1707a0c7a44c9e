/// Text in columns: the first is aligned to the left, numbers to the right.
struct Table {
  private var rows: [[String]]

  init(_ header: [String]) { rows = [header] }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The table's lines, without a newline at the end.
  var text: String {
    let count = rows[0].count
    let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }
      .joined(separator: "  ")
    }
    .joined(separator: "\n")
  }
}

extension Double {
  /// The number for people, with one decimal if that is significant.
  var short: String {
    if isNaN { return "-" }
    let tenths = (self * 10).rounded() / 10
    return magnitude < 1_000 ? "\(tenths)" : Int(rounded()).grouped
  }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String {
    var digits = ""
    for (i, digit) in String(magnitude).reversed().enumerated() {
      if i > 0, i % 3 == 0 { digits.append(",") }
      digits.append(digit)
    }
    return (self < 0 ? "-" : "") + String(digits.reversed())
  }
}
