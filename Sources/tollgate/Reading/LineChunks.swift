/// Cuts a stream of text into chunks of whole lines, or of whole rows of CSV, so that memory does
/// not grow with the input.
///
/// A line that is longer than the limit is cut just after the limit. The cut line is still long enough to be rejected.
/// A quoted row of CSV that is longer than the limit, or that is not closed, ends with its first line, so no other line
/// is lost. The ends of rows do not depend on the pieces of the stream.
struct LineChunks {
  private let source: Lookahead.Source
  private let size: Int
  private let lineLimit: Int
  /// The ends of rows; nil if every newline ends a line.
  private var rows: CSVRows.Ends?
  /// The input that is not in a chunk yet, starting at `head`.
  private var waiting: [UInt8] = []
  private var head = 0
  private var isAtEnd = false
  private var isSkipping = false
  /// The number of bytes of dropped rows that were scanned again.
  private var lookedAtAgain = 0
  private var read = 0

  init(size: Int, lineLimit: Int, isCSV: Bool, _ source: @escaping Lookahead.Source) {
    self.source = source
    self.size = size
    self.lineLimit = lineLimit
    rows = isCSV ? CSVRows.Ends(limit: lineLimit + 1) : nil
  }

  /// The offset of the end of the last chunk.
  var offset: Int { read - (waiting.count - head) }

  /// The next chunk, or nil at the end. The last line need not end in a newline.
  mutating func next() throws -> [UInt8]? {
    rows?.begin()
    var start = head
    while true {
      if isSkipping, let newline = droppedToNewline(from: start) { return chunk(to: newline + 1) }
      if let last = end(from: start) { return chunk(to: last) }
      let isTooLong = rows?.isTooLong ?? (waiting.count - head > lineLimit)
      if isTooLong || isAtEnd && rows?.isOpen == true, !isSkipping {
        if let line = firstLine() { return chunk(to: line) }
        if isTooLong {
          start = head + lineLimit + 1
          isSkipping = true
          rows?.begin()
          continue
        }
      }
      if isAtEnd { return head == waiting.count ? nil : chunk(to: waiting.count) }
      start = waiting.count - head
      try fill()
    }
  }

  private mutating func chunk(to end: Int) -> [UInt8] {
    defer { head = end }
    return Array(waiting[head..<end])
  }

  /// The end of the last complete line in the waiting input.
  private mutating func end(from start: Int) -> Int? {
    if rows != nil {
      return rows?.last(in: waiting, row: head, from: start, shift: waiting.count - read)
    }
    return waiting[start...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  /// Drops a quoted row that is too long. Returns the end of its first line if other lines follow.
  private mutating func firstLine() -> Int? {
    guard rows != nil else { return nil }
    let end = min(waiting.count, head + lineLimit + 2)
    guard let newline = waiting[head..<end].firstIndex(of: UInt8(ascii: "\n")),
      newline + 1 < waiting.count
    else { return nil }
    // If every line opens quotes, each line would cause a scan of all following lines. Beyond a limit, the lines of a
    // dropped row become separate rows.
    lookedAtAgain += end - head
    if lookedAtAgain > LineChunks.again * (lineLimit + offset) {
      rows?.lineEnd = read - (waiting.count - end)
    }
    return newline + 1
  }

  /// The average number of times that input may be scanned again.
  private static let again = 16

  /// Reads the next bytes after the waiting input.
  private mutating func fill() throws {
    // SAFETY: The array has room for what was there and `size` bytes more. Only what was copied and
    // read counts. Tests: InputFormsTests, InputFileTests.
    let kept = waiting.count - head
    let longer = try [UInt8](unsafeUninitializedCapacity: kept + size) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      raw.copyBytes(from: waiting[head...])
      count = try kept + source(.init(rebasing: raw[kept...]))
    }
    isAtEnd = longer.count == kept
    read += longer.count - kept
    waiting = longer
    head = 0
  }

  /// Drops the rest of a line that is too long.
  ///
  /// - Returns: the position of the newline, or nil if the newline is not read yet.
  private mutating func droppedToNewline(from start: Int) -> Int? {
    let newline = waiting[start...].firstIndex(of: UInt8(ascii: "\n"))
    waiting.removeSubrange(start..<(newline ?? waiting.count))
    isSkipping = newline == nil
    return newline == nil ? nil : start
  }
}
