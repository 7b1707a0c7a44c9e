internal import CZlib

/// Reads members of gzip.
final class GzipDecoder: Compression.Decoder {
  // SAFETY: zlib keeps a pointer to the stream, so it lies in memory that does not move. Input and
  // output are set with their sizes before each call. `deinit` ends and frees it.
  // Tests: InputFormsTests, EncodingTests, StoppingTests.damagedInput, asan.

  private let stream: UnsafeMutablePointer<z_stream>

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A window of 15 bits; adding 16 selects gzip instead of zlib's own frame.
    let code = inflateInit2_(
      stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      throw CommandError("zlib cannot decompress: \(code)", exitCode: Ending.ourFault)
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func decode(_ input: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer)
    throws(Compression.Damage) -> Compression.Step
  {
    let next = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: next)
    stream.pointee.avail_in = uInt(input.count)
    stream.pointee.next_out = memory.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(memory.count)
    let code = inflate(stream, Z_NO_FLUSH)
    guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END else {
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(code)"
      throw Compression.Damage(message: "is damaged: gzip says '\(reason)'")
    }
    let step = Compression.Step(
      read: input.count - Int(stream.pointee.avail_in),
      written: memory.count - Int(stream.pointee.avail_out), isAtEnd: code == Z_STREAM_END)
    if step.isAtEnd { inflateReset(stream) }
    return step
  }
}

/// Writes members of gzip, whose bytes depend only on the content.
final class GzipEncoder: Compression.Encoder {
  // SAFETY: zlib keeps pointers to the stream and the header, so they lie in memory that does not
  // move. Input and output are set with their sizes before each call. `deinit` ends and frees them.
  // Tests: CompressedOutputTests, InputFormsTests, asan.

  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>

  private static let level: Int32 = 6

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // The header has no time and no name. The system 255 means unknown.
    header = .allocate(capacity: 1)
    header.initialize(to: gz_header())
    header.pointee.os = 255
    // A window of 15 bits; adding 16 selects gzip instead of zlib's own frame.
    let code = deflateInit2_(
      stream, GzipEncoder.level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw GzipEncoder.failure(code) }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    header.deallocate()
  }

  private static func failure(_ code: Int32) -> CommandError {
    CommandError("zlib cannot compress: \(code)", exitCode: Ending.ourFault)
  }

  func bound(_ count: Int) -> Int { Int(deflateBound(stream, uLong(count))) + 64 }

  func encode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) throws
    -> Int
  {
    deflateReset(stream)
    deflateSetHeader(stream, header)
    let input = text.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input)
    stream.pointee.avail_in = uInt(text.count)
    stream.pointee.next_out = memory.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(memory.count)
    let code = deflate(stream, Z_FINISH)
    guard code == Z_STREAM_END else { throw GzipEncoder.failure(code) }
    return memory.count - Int(stream.pointee.avail_out)
  }
}
