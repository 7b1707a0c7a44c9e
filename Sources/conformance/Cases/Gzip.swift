internal import CZlib

/// Decompresses whole gzip files.
enum Gzip {
  // SAFETY: zlib keeps a pointer to the stream, which does not move. Input and output are views of
  // arrays that outlive each call, set with their sizes before it. Tests: CaseWordsTests.

  /// The maximum size of decompressed content. Larger files count as damaged.
  private static let mostBytes = 1 << 30

  /// The content of a file with one or more members, or nil if the file is damaged or truncated.
  static func content(of bytes: [UInt8]) -> [UInt8]? {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    // A window of 15 bits, plus 16 for the gzip format.
    guard
      inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(stream) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = uInt(input.count)
      while true {
        let size = chunk.count
        let code = chunk.withUnsafeMutableBufferPointer { chunk in
          stream.pointee.next_out = chunk.baseAddress
          stream.pointee.avail_out = uInt(size)
          return inflate(stream, Z_NO_FLUSH)
        }
        content += chunk[..<(size - Int(stream.pointee.avail_out))]
        guard content.count <= mostBytes else { return nil }
        if code == Z_STREAM_END {
          if stream.pointee.avail_in == 0 { return content }
          inflateReset(stream)
        } else if code != Z_OK || stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 {
          return nil
        }
      }
    }
  }
}
