internal import CZstd

/// Reads frames of zstd.
final class ZstdDecoder: Compression.Decoder {
  // SAFETY: zstd gets input and output with their sizes, and keeps no pointer to them. A window is
  // at most 128 MiB. `deinit` frees the context. Tests: InputFormsTests, EncodingTests, asan.

  private let context: OpaquePointer

  /// A frame may require memory for this many earlier bytes: 128 MiB, the default limit of zstd
  /// itself.
  private static let windowLog: Int32 = 27

  init() throws {
    guard let context = ZSTD_createDCtx() else {
      throw CommandError("zstd cannot decompress: there is no memory", exitCode: Ending.ourFault)
    }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdDecoder.windowLog)
  }

  deinit { ZSTD_freeDCtx(context) }

  func decode(_ input: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer)
    throws(Compression.Damage) -> Compression.Step
  {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: memory.baseAddress, size: memory.count, pos: 0)
    let code = ZSTD_decompressStream(context, &target, &source)
    guard ZSTD_isError(code) == 0 else { throw ZstdDecoder.damage(code) }
    return Compression.Step(read: source.pos, written: target.pos, isAtEnd: code == 0)
  }

  private static func damage(_ code: Int) -> Compression.Damage {
    switch ZSTD_getErrorCode(code) {
    case ZSTD_error_frameParameter_windowTooLarge:
      Compression.Damage(
        message: "is compressed by zstd with a window of more than \(1 << (windowLog - 20)) MiB, "
          + "which is the limit; decompress it: zstd -d --long=31")
    case ZSTD_error_dictionary_wrong:
      Compression.Damage(
        message: "is compressed by zstd with a dictionary; decompress it: zstd -d -D DICTIONARY")
    default:
      Compression.Damage(
        message: "is damaged: zstd says '\(String(cString: ZSTD_getErrorName(code)))'")
    }
  }
}

/// Writes frames of zstd, whose bytes depend only on the content.
final class ZstdEncoder: Compression.Encoder {
  // SAFETY: zstd gets input and output with their sizes, and keeps no pointer to them. `deinit`
  // frees the context. Tests: CompressedOutputTests, InputFormsTests, asan.

  private let context: OpaquePointer

  private static let level: Int32 = 3

  init() throws {
    guard let context = ZSTD_createCCtx() else {
      throw CommandError("zstd cannot compress: there is no memory", exitCode: Ending.ourFault)
    }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZstdEncoder.level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  func encode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) throws
    -> Int
  {
    let count = ZSTD_compress2(
      context, memory.baseAddress, memory.count, text.baseAddress, text.count)
    guard ZSTD_isError(count) == 0 else {
      throw CommandError(
        "zstd cannot compress: \(String(cString: ZSTD_getErrorName(count)))",
        exitCode: Ending.ourFault)
    }
    return count
  }
}
