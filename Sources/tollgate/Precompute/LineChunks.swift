/// Cuts text that comes in pieces into chunks of whole lines, or of whole rows of CSV, so that memory
/// does not grow with it.
///
/// A line that is longer than the limit is cut behind it: what is left is long enough to be
/// refused, and the rest is passed over. A row of CSV with a quote that nothing closes ends with its
/// first line, and no other line is lost with it.
struct LineChunks {
  private let source: Lookahead.Source
  private let size: Int
  private let lineLimit: Int
  /// Nil when newlines end lines wherever they are.
  private var rows: CSVRows.Ends?
  private var carry: [UInt8] = []
  private var isAtEnd = false
  private var isSkipping = false
  /// Whether what is carried over has not been looked at as rows of its own.
  private var looksAgain = false
  private var read = 0

  init(size: Int, lineLimit: Int, isCSV: Bool, _ source: @escaping Lookahead.Source) {
    self.source = source
    self.size = size
    self.lineLimit = lineLimit
    rows = isCSV ? CSVRows.Ends() : nil
  }

  /// Bytes up to the end of the last chunk.
  var offset: Int { read - carry.count }

  /// The next chunk, or nil at the end. The last line need not end in a newline.
  mutating func next() throws -> [UInt8]? {
    var chunk = carry
    carry = []
    // What was carried over has no end of a row: its quotes have been counted.
    var start = rows == nil || looksAgain ? 0 : chunk.count
    looksAgain = false
    while true {
      if isSkipping { dropToNewline(&chunk, from: start) }
      if let last = end(of: chunk, from: start) {
        carry = Array(chunk[last...])
        chunk.removeSubrange(last...)
        return chunk
      }
      if isAtEnd || chunk.count > lineLimit, let line = openLine(of: chunk) {
        rows?.giveUp()
        looksAgain = true
        carry = Array(chunk[line...])
        chunk.removeSubrange(line...)
        return chunk
      }
      if chunk.count > lineLimit, !isSkipping {
        isSkipping = true
        rows?.giveUp()
        chunk.removeSubrange((lineLimit + 1)...)
      }
      if isAtEnd { return chunk.isEmpty ? nil : chunk }
      start = chunk.count
      chunk = try filled(chunk)
    }
  }

  /// Behind the last line that ends in a chunk.
  private mutating func end(of chunk: [UInt8], from start: Int) -> Int? {
    if rows != nil { return rows?.last(in: chunk, from: start) }
    return chunk[start...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  /// Behind the first line of a row that is in quotes to the end of a chunk, where others follow it.
  private func openLine(of chunk: [UInt8]) -> Int? {
    guard !isSkipping, rows?.isOpen == true,
      let newline = chunk.firstIndex(of: UInt8(ascii: "\n")), newline + 1 < chunk.count
    else { return nil }
    return newline + 1
  }

  /// A chunk with what is read next behind it.
  private mutating func filled(_ chunk: [UInt8]) throws -> [UInt8] {
    let longer = try [UInt8](unsafeUninitializedCapacity: chunk.count + size) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      raw.copyBytes(from: chunk)
      count = try chunk.count + source(.init(rebasing: raw[chunk.count...]))
    }
    isAtEnd = longer.count == chunk.count
    read += longer.count - chunk.count
    return longer
  }

  private mutating func dropToNewline(_ chunk: inout [UInt8], from start: Int) {
    if let newline = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
      chunk.removeSubrange(start..<newline)
      isSkipping = false
    } else {
      chunk.removeSubrange(start...)
    }
  }
}
