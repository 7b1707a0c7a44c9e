internal import Expressions

extension InputPart {
  /// Calls the body with the records of a part, one line of JSON each, from any source.
  ///
  /// - Returns: the number of rows that are not records, because of the table that contains them.
  func withLines(
    _ reader: SegmentReader, lineLimit: Int, _ body: (ByteView) -> Void
  ) throws -> Int {
    // SAFETY: Views lie in the reader's memory or in arrays of the part, and are valid while the
    // closure runs. Tests: UserSearchTests, InputFormsTests.
    switch content {
    case .segment(let file, let from, let to):
      try reader.withLines(of: file, from: from, to: to) { body($0) }
    case .lines(let lines): lines.withUnsafeBufferPointer(body)
    case .rows(let text, let from, let header):
      return text.withUnsafeBytes { bytes in
        let rows = UnsafeRawBufferPointer(rebasing: bytes[from...])
        let records = CSVRecords(rows, header, lineLimit: lineLimit)
        records.json.withUnsafeBufferPointer(body)
        return records.faultCount
      }
    }
    return 0
  }
}
