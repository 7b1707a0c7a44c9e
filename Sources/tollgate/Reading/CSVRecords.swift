internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Converts rows of CSV to the lines of JSON that workers read, and maps rejected lines back to
/// rows.
struct CSVRecords {
  // SAFETY: Rows are ranges of the text, which the caller passes again for every question. Nothing
  // points into it. Tests: InputFormsTests, DemoFormsTests, PrecomputeFilesTests.

  /// A line of JSON for each row; blank for a row that is itself rejected.
  private(set) var json: [UInt8] = []
  /// The row of each line of JSON.
  private var rows: [(line: Int, from: Int, to: Int)] = []
  private var faults: [(row: Int, reason: String)] = []
  /// Cells that could be read in another way.
  private(set) var texts = CSVTexts()
  /// The number of lines of the file.
  private(set) var lines = 0

  init(_ text: UnsafeRawBufferPointer, _ header: CSVHeader, lineLimit: Int) {
    json.reserveCapacity(text.count * 2)
    lines = CSVRows.forEach(text) { row in
      rows.append((row.line, row.from, row.to))
      if let reason = CSVRecords.fault(row, header, lineLimit) {
        faults.append((rows.count - 1, reason))
      } else {
        header.append(row.cells, text, to: &json, &texts)
      }
      json.append(UInt8(ascii: "\n"))
    }
    texts.settle(header.names)
  }

  private static func fault(_ row: CSVRows.Row, _ header: CSVHeader, _ lineLimit: Int) -> String? {
    if row.to - row.from > lineLimit {
      return "the row has more than \(lineLimit) bytes, which is the limit"
    }
    if let fault = row.fault { return fault }
    return row.cells.count == header.columns
      ? nil : "the row has \(counted(row.cells.count, "cell")), and the header \(header.columns)"
  }

  /// The number of rows that are themselves rejected.
  var faultCount: Int { faults.count }

  /// The first rejected row that contains a given text: its line, from 0, and the reason.
  func fault(with part: String, in text: UnsafeRawBufferPointer) -> (line: Int, reason: String)? {
    let found = faults.first { fault in
      String(decoding: text[rows[fault.row].from..<rows[fault.row].to], as: UTF8.self)
        .contains(part)
    }
    return found.map { (rows[$0.row].line, $0.reason) }
  }

  /// The line of the text, from 0, where the row of a line of JSON begins.
  func line(ofRow row: Int) -> Int { rows[row].line }

  /// The output of a worker for the lines of JSON, mapped to the rows.
  func output(_ output: BatchWorker.Output, _ text: UnsafeRawBufferPointer)
    -> BatchWorker.Output
  {
    var output = output
    output.rejected = rejected(output.rejected, text)
    output.repeated = output.repeated.map { (rows[$0.line].line, $0.key) }
    for index in output.subjects.indices {
      output.subjects[index].line = rows[output.subjects[index].line].line
    }
    output.sums.rejected += faults.count
    output.sums.lines = lines
    return output
  }
  /// Rejected lines of JSON, mapped to the rows, together with the rows that are themselves
  /// rejected.
  func rejected(_ lines: [BatchWorker.RejectedLine], _ text: UnsafeRawBufferPointer)
    -> [BatchWorker.RejectedLine]
  {
    func rejected(_ row: Int, _ reason: String) -> BatchWorker.RejectedLine {
      BatchWorker.RejectedLine(
        line: rows[row].line, reason: reason, text: Array(text[rows[row].from..<rows[row].to]))
    }
    return
      (lines.map { rejected($0.line, $0.reason) }
      + faults.map { rejected($0.row, $0.reason) }).sorted { $0.line < $1.line }
  }
}
