internal import Expressions

/// Rows of CSV as in RFC 4180: cells between commas, quoted if they contain commas, quotes or
/// newlines, with inner quotes doubled.
struct CSVRows {
  // SAFETY: Every offset is compared with the count of the caller's view. Rows are offsets and not
  // pointers. Tests: InputFormsTests, DemoFormsTests, PrecomputeFilesTests.

  /// The state of a reader of single bytes.
  private enum State { case cellStart, plain, quoted, quoteInQuoted }

  /// Finds the ends of rows.
  struct Ends {
    /// The maximum number of bytes of a row before its newline.
    let limit: Int
    /// The offset in the text up to which newlines end rows even inside quotes.
    var lineEnd = 0
    /// Whether the first row without an end is longer than the limit.
    private(set) var isTooLong = false
    private var state = State.cellStart

    init(limit: Int) { self.limit = limit }

    /// Begins a row at the next byte.
    mutating func begin() { (state, isTooLong) = (.cellStart, false) }

    /// Whether the bytes so far end in quotes.
    var isOpen: Bool { state == .quoted }

    /// The offset after the last newline that ends a row, up to a row that is too long.
    ///
    /// - Parameters:
    ///   - first: the start of the first row.
    ///   - start: where to start scanning. Earlier bytes are already scanned.
    ///   - shift: the difference between an offset in the text and an offset in the bytes.
    mutating func last(in bytes: [UInt8], row first: Int, from start: Int, shift: Int) -> Int? {
      var last: Int?
      var row = first
      var state = state
      let lineEnd = lineEnd + shift
      bytes.withUnsafeBufferPointer { bytes in
        for at in start..<bytes.count {
          let byte = bytes[at]
          if byte == UInt8(ascii: "\n"), state != .quoted || at < lineEnd {
            // A row that is too long ends the search. A row that ends in quotes becomes a separate chunk.
            let isOpen = state == .quoted
            if at - row > limit || isOpen && last != nil { break }
            (last, row, state) = (at + 1, at + 1, .cellStart)
            if isOpen { break }
          } else {
            state = CSVRows.next(state, byte)
          }
        }
      }
      self.state = state
      isTooLong = last == nil && bytes.count - row > limit
      return last
    }
  }

  private static func next(_ state: State, _ byte: UInt8) -> State {
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): .quoteInQuoted
    case (.quoted, _): .quoted
    case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "\n")): .cellStart
    case (.cellStart, UInt8(ascii: "\"")), (.quoteInQuoted, UInt8(ascii: "\"")): .quoted
    default: .plain
    }
  }

  /// A row: its text, the line where it begins, counted from 0, and its cells or its problem.
  struct Row {
    var from: Int
    var to: Int
    var line: Int
    var cells: [CSVCell]
    var fault: String?
  }

  /// Calls the body for every row of a text, which must contain complete rows. Blank lines are not
  /// rows.
  ///
  /// - Returns: the number of lines.
  static func forEach(_ text: UnsafeRawBufferPointer, _ body: (Row) -> Void) -> Int {
    var at = 0
    var line = 0
    while at < text.count {
      var row = Row(from: at, to: at, line: line, cells: [])
      line += 1
      read(text, &at, &line, &row)
      let isBlank = row.cells.count == 1 && row.cells[0].isEmpty && row.fault == nil
      if !isBlank { body(row) }
    }
    return line
  }

  /// The first row of a text, which must contain complete rows, with the number of its lines and its end.
  static func first(_ text: UnsafeRawBufferPointer) -> (row: Row, lines: Int, end: Int) {
    var (at, line) = (0, 1)
    var row = Row(from: 0, to: 0, line: 0, cells: [])
    read(text, &at, &line, &row)
    return (row, line, min(at, text.count))
  }

  private static func read(
    _ text: UnsafeRawBufferPointer, _ at: inout Int, _ line: inout Int, _ row: inout Row
  ) {
    while true {
      let cell = cell(text, &at, &line, &row)
      row.cells.append(cell)
      guard at < text.count, text[at] == UInt8(ascii: ",") else { break }
      at += 1
    }
    row.to = at
    if row.to > row.from, text[row.to - 1] == UInt8(ascii: "\r") { row.to -= 1 }
    at += 1
  }

  /// Reads a cell and stops at the following comma, newline or end.
  private static func cell(
    _ text: UnsafeRawBufferPointer, _ at: inout Int, _ line: inout Int, _ row: inout Row
  ) -> CSVCell {
    let isQuoted = at < text.count && text[at] == UInt8(ascii: "\"")
    if isQuoted { at += 1 }
    var cell = CSVCell(from: at, to: at, isQuoted: isQuoted, hasQuotes: false)
    var isOpen = isQuoted
    while at < text.count {
      let byte = text[at]
      if isOpen {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if byte == UInt8(ascii: "\"") {
          if at + 1 < text.count, text[at + 1] == byte {
            cell.hasQuotes = true
            at += 1
          } else {
            isOpen = false
            cell.to = at
          }
        }
      } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") {
        break
      } else if isQuoted, byte != UInt8(ascii: "\r") {
        row.fault = row.fault ?? "cell \(row.cells.count + 1) continues after its closing quote"
      }
      at += 1
    }
    if isOpen { row.fault = row.fault ?? "cell \(row.cells.count + 1) has no closing quote" }
    if !isQuoted || isOpen {
      cell.to = at
      if !isOpen, cell.to > cell.from, text[cell.to - 1] == UInt8(ascii: "\r"),
        at == text.count || text[at] == UInt8(ascii: "\n")
      {
        cell.to -= 1
      }
    }
    return cell
  }
}
