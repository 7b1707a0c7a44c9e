internal import CZlib

/// Compresses text into members of gzip that hold the same amount each, so that the bytes follow from
/// the text alone: not from how it was cut, nor from where a run was stopped.
final class GzipOutput {
  /// Bytes of text in a member, but for the last one.
  static let memberSize = 256 << 10

  /// Text of a member that is not full.
  private(set) var pending: [UInt8]
  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>
  private let compressed: UnsafeMutableRawBufferPointer

  /// - Parameter pending: what an earlier start of the run has left.
  init(pending: [UInt8] = []) throws {
    self.pending = pending
    self.pending.reserveCapacity(GzipOutput.memberSize)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // No time, no name, and no system: 255 says that it is not known.
    header = .allocate(capacity: 1)
    header.initialize(to: gz_header())
    header.pointee.os = 255
    // 15 bits of window; 16 more say gzip, and not zlib's own frame.
    let code = deflateInit2_(
      stream, GzipOutput.level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    compressed = .allocate(
      byteCount: Int(deflateBound(stream, uLong(GzipOutput.memberSize))) + 64, alignment: 16)
    guard code == Z_OK else {
      throw CommandError("zlib cannot compress: \(code)", exitCode: Ending.ourFault)
    }
  }

  private static let level: Int32 = 6

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    header.deallocate()
    compressed.deallocate()
  }

  /// Adds text, and gives the members that are full.
  func add(_ text: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    var rest = text[...]
    while pending.count + rest.count >= GzipOutput.memberSize {
      let part = rest.prefix(GzipOutput.memberSize - pending.count)
      rest = rest.dropFirst(part.count)
      if pending.isEmpty {
        try compress(UnsafeRawBufferPointer(rebasing: part), put)
      } else {
        pending += part
        try compressPending(put)
      }
    }
    pending += rest
  }

  /// Gives the last member: an empty one, too, where an empty file would be none of gzip.
  func finish(isEmpty: Bool, _ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    if isEmpty || !pending.isEmpty { try compressPending(put) }
  }

  private func compressPending(_ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    try pending.withUnsafeBytes { try compress($0, put) }
    pending.removeAll(keepingCapacity: true)
  }

  private func compress(
    _ text: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    deflateReset(stream)
    deflateSetHeader(stream, header)
    let input = text.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input)
    stream.pointee.avail_in = uInt(text.count)
    stream.pointee.next_out = compressed.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(compressed.count)
    let code = deflate(stream, Z_FINISH)
    guard code == Z_STREAM_END else {
      throw CommandError("zlib cannot compress: \(code)", exitCode: Ending.ourFault)
    }
    let count = compressed.count - Int(stream.pointee.avail_out)
    try put(UnsafeRawBufferPointer(rebasing: compressed[..<count]))
  }
}
