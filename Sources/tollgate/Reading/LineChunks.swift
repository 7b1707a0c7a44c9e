/// Cuts text that comes in pieces into chunks of whole lines, or of whole rows of CSV, so that memory
/// does not grow with it.
///
/// A line that is longer than the limit is cut behind it: what is left is long enough to be
/// refused, and the rest is passed over. A row of CSV in quotes that is longer than the limit, or that
/// nothing closes, ends with its first line, and no other line is lost with it. Where rows end does not
/// depend on the pieces in which the text comes.
struct LineChunks {
  private let source: Lookahead.Source
  private let size: Int
  private let lineLimit: Int
  /// Nil when newlines end lines wherever they are.
  private var rows: CSVRows.Ends?
  /// What was read and is not in a chunk yet, from `head` on.
  private var waiting: [UInt8] = []
  private var head = 0
  private var isAtEnd = false
  private var isSkipping = false
  /// Bytes of rows that were given up, which are looked at once more.
  private var lookedAtAgain = 0
  private var read = 0

  init(size: Int, lineLimit: Int, isCSV: Bool, _ source: @escaping Lookahead.Source) {
    self.source = source
    self.size = size
    self.lineLimit = lineLimit
    rows = isCSV ? CSVRows.Ends(limit: lineLimit + 1) : nil
  }

  /// Bytes up to the end of the last chunk.
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

  /// Behind the last line that ends in what is waiting.
  private mutating func end(from start: Int) -> Int? {
    if rows != nil {
      return rows?.last(in: waiting, row: head, from: start, shift: waiting.count - read)
    }
    return waiting[start...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  /// Gives up a row that is in quotes for too long: behind its first line, where others follow it.
  private mutating func firstLine() -> Int? {
    guard rows != nil else { return nil }
    let end = min(waiting.count, head + lineLimit + 2)
    guard let newline = waiting[head..<end].firstIndex(of: UInt8(ascii: "\n")),
      newline + 1 < waiting.count
    else { return nil }
    // Quotes that open in every line would have each look at all that follow. Past some of that, the
    // lines of a row that is given up are rows of their own.
    lookedAtAgain += end - head
    if lookedAtAgain > LineChunks.again * (lineLimit + offset) {
      rows?.lineEnd = read - (waiting.count - end)
    }
    return newline + 1
  }

  /// How often a text may be looked at again, on average.
  private static let again = 16

  /// Reads what comes next behind what is waiting.
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
  /// - Returns: where the newline is then; nil when it is still to be read.
  private mutating func droppedToNewline(from start: Int) -> Int? {
    let newline = waiting[start...].firstIndex(of: UInt8(ascii: "\n"))
    waiting.removeSubrange(start..<(newline ?? waiting.count))
    isSkipping = newline == nil
    return newline == nil ? nil : start
  }
}
