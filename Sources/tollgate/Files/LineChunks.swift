internal import SystemPackage

/// Cuts a file into chunks of whole lines, so that memory does not grow with the file.
///
/// A line that is longer than the limit is cut behind it: what is left is long enough to be
/// refused, and the rest is passed over.
struct LineChunks {
  private let file: FileDescriptor
  private let size: Int
  private let lineLimit: Int
  private var carry: [UInt8] = []
  private var isAtEnd = false
  private var isSkipping = false

  init(_ file: FileDescriptor, size: Int = 512 << 10, lineLimit: Int) {
    self.file = file
    self.size = size
    self.lineLimit = lineLimit
  }

  /// The next chunk, or nil at the end. The last line need not end in a newline.
  mutating func next() throws -> [UInt8]? {
    var chunk = carry
    carry = []
    while !isAtEnd {
      let start = chunk.count
      chunk = try filled(chunk)
      if isSkipping { dropToNewline(&chunk, from: start) }
      guard let last = chunk[start...].lastIndex(of: UInt8(ascii: "\n")) else {
        if chunk.count > lineLimit, !isSkipping {
          isSkipping = true
          chunk.removeSubrange((lineLimit + 1)...)
        }
        continue
      }
      carry = Array(chunk[(last + 1)...])
      chunk.removeSubrange((last + 1)...)
      return chunk
    }
    return chunk.isEmpty ? nil : chunk
  }

  /// A chunk with what is read next behind it.
  private mutating func filled(_ chunk: [UInt8]) throws -> [UInt8] {
    do {
      let longer = try [UInt8](unsafeUninitializedCapacity: chunk.count + size) { buffer, count in
        let raw = UnsafeMutableRawBufferPointer(buffer)
        raw.copyBytes(from: chunk)
        count = try chunk.count + file.read(into: .init(rebasing: raw[chunk.count...]))
      }
      isAtEnd = longer.count == chunk.count
      return longer
    } catch let error as Errno {
      throw CommandError("cannot read the users: \(error)")
    }
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
