internal import CZlib

/// What a file holds that gzip has compressed, one member after the other.
final class GzipInput {
  private let path: String
  private let source: Lookahead.Source
  private let stream: UnsafeMutablePointer<z_stream>
  private let compressed: UnsafeMutableRawBufferPointer
  /// Whether the input is between members, where it may end.
  private var isBetweenMembers = true
  private var hasMember = false
  private var isAtEnd = false

  /// - Parameters:
  ///   - source: puts the next compressed bytes into memory and tells how many there are.
  init(_ path: String, _ source: @escaping Lookahead.Source) throws {
    self.path = path
    self.source = source
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    compressed = .allocate(byteCount: 1 << 17, alignment: 16)
    // 15 bits of window; 16 more say gzip, and not zlib's own frame.
    let code = inflateInit2_(
      stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw CommandError("cannot read \(path): zlib says \(code)") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    compressed.deallocate()
  }

  /// Puts the next bytes of the content into memory: at least one, or none at the end.
  func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let start = memory.baseAddress, !isAtEnd else { return 0 }
    stream.pointee.next_out = start.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(memory.count)
    while stream.pointee.avail_out == uInt(memory.count) {
      if stream.pointee.avail_in == 0, try !refill() { break }
      if isBetweenMembers, hasMember, try !beginMember() { continue }
      let code = inflate(stream, Z_NO_FLUSH)
      switch code {
      case Z_OK, Z_BUF_ERROR: isBetweenMembers = false
      case Z_STREAM_END:
        isBetweenMembers = true
        hasMember = true
        inflateReset(stream)
      default:
        let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(code)"
        throw CommandError("\(path) is damaged: gzip says '\(reason)'")
      }
    }
    return memory.count - Int(stream.pointee.avail_out)
  }

  /// Passes over zeros behind a member, with which tapes and some tools fill blocks up.
  ///
  /// - Returns: whether another member begins here.
  private func beginMember() throws -> Bool {
    while stream.pointee.avail_in > 0, let next = stream.pointee.next_in {
      if next.pointee == 0x1F { return true }
      guard next.pointee == 0 else {
        throw CommandError("\(path) is damaged: its gzip data is followed by something else")
      }
      stream.pointee.next_in = next + 1
      stream.pointee.avail_in -= 1
    }
    return false
  }

  /// Reads compressed bytes; false at the end.
  private func refill() throws -> Bool {
    let count = try source(compressed)
    guard count > 0 else {
      guard isBetweenMembers else {
        throw CommandError("\(path) is damaged: it ends in the middle of its gzip data")
      }
      isAtEnd = true
      return false
    }
    stream.pointee.next_in = compressed.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = uInt(count)
    return true
  }

  /// Whether bytes begin like something that gzip has compressed.
  static func begins(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }
}
