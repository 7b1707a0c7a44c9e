/// Cuts what comes out of a file into chunks of whole lines, so that memory does not grow with it.
///
/// A line that is longer than the limit is cut behind it: what is left is long enough to be
/// refused, and the rest is passed over.
struct LineChunks {
  private let file: InputFile
  private let size: Int
  private let lineLimit: Int
  private var carry: [UInt8] = []
  private var isAtEnd = false
  private var isSkipping = false
  private var read = 0

  init(_ file: InputFile, size: Int = 512 << 10, lineLimit: Int) {
    self.file = file
    self.size = size
    self.lineLimit = lineLimit
  }

  /// Bytes up to the end of the last chunk.
  var offset: Int { read - carry.count }

  /// Passes over so many bytes, which must end with a line.
  mutating func skip(_ count: Int) throws {
    while read - carry.count < count, !isAtEnd {
      carry = try filled([])
      let rest = count - (read - carry.count)
      if rest > 0 { carry.removeFirst(min(rest, carry.count)) }
    }
  }

  /// The next chunk, or nil at the end. The last line need not end in a newline.
  mutating func next() throws -> [UInt8]? {
    var chunk = carry
    carry = []
    var start = 0
    while true {
      if isSkipping { dropToNewline(&chunk, from: start) }
      if let last = chunk[start...].lastIndex(of: UInt8(ascii: "\n")) {
        carry = Array(chunk[(last + 1)...])
        chunk.removeSubrange((last + 1)...)
        return chunk
      }
      if chunk.count > lineLimit, !isSkipping {
        isSkipping = true
        chunk.removeSubrange((lineLimit + 1)...)
      }
      if isAtEnd { return chunk.isEmpty ? nil : chunk }
      start = chunk.count
      chunk = try filled(chunk)
    }
  }

  /// A chunk with what is read next behind it.
  private mutating func filled(_ chunk: [UInt8]) throws -> [UInt8] {
    let longer = try [UInt8](unsafeUninitializedCapacity: chunk.count + size) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      raw.copyBytes(from: chunk)
      count = try chunk.count + file.read(into: .init(rebasing: raw[chunk.count...]))
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
