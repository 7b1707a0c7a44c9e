/// The compression of a file.
enum Compression: String, CaseIterable {
  case gzip, zstd

  /// The suffix for names of written files, without the dot.
  var ending: String {
    switch self {
    case .gzip: "gz"
    case .zstd: "zst"
    }
  }

  /// The first bytes of a file that a run has compressed.
  var signature: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    }
  }

  /// The compression according to a suffix; nil if the suffix implies no compression.
  init?(ending: String) {
    guard let found = Compression.allCases.first(where: { $0.ending == ending }) else { return nil }
    self = found
  }

  /// The compression according to the first bytes of a file; nil if it is not compressed.
  init?(beginning bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(4))
    if bytes.starts(with: Compression.gzip.signature) {
      self = .gzip
    } else if bytes == Compression.zstd.signature {
      self = .zstd
    } else if bytes.count == 4, bytes[0] & 0xF0 == 0x50, bytes[1...] == [0x2A, 0x4D, 0x18] {
      // A skippable frame, which several tools write first.
      self = .zstd
    } else {
      return nil
    }
  }

  /// Whether the next member of a file may begin with this byte.
  func mayBegin(with byte: UInt8) -> Bool {
    switch self {
    case .gzip: byte == 0x1F
    case .zstd: byte == 0x28 || byte & 0xF0 == 0x50
    }
  }

  /// A path without its compression suffix.
  static func withoutEnding(_ path: String) -> Substring {
    for compression in allCases where path.lowercased().hasSuffix("." + compression.ending) {
      return path.dropLast(compression.ending.count + 1)
    }
    return path[...]
  }

  func decoder() throws -> any Decoder {
    switch self {
    case .gzip: try GzipDecoder()
    case .zstd: try ZstdDecoder()
    }
  }

  func encoder() throws -> any Encoder {
    switch self {
    case .gzip: try GzipEncoder()
    case .zstd: try ZstdEncoder()
    }
  }

  /// Decompresses one member after the other: a member of gzip, or a frame of zstd.
  protocol Decoder: AnyObject {
    // SAFETY: A decoder gets both sizes and reports at most as many bytes. It stores neither
    // pointer after the call. Tests: CompressedOutputTests.contentInPieces, EncodingTests.

    /// Decompresses the next bytes, as far as input and space allow.
    ///
    /// - Throws: ``Damage`` when the input is invalid.
    func decode(_ input: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer)
      throws(Damage) -> Step
  }

  /// Compresses one member after the other.
  protocol Encoder: AnyObject {
    // SAFETY: The memory has `bound(text.count)` bytes. No pointer is stored after the call.
    // Tests: CompressedOutputTests, EncodingTests.

    /// The maximum size of a member with this many bytes of content.
    func bound(_ count: Int) -> Int

    /// Compresses content into a member, and returns its size.
    func encode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) throws
      -> Int
  }

  /// The result of one step of decompressing.
  struct Step {
    /// The number of consumed input bytes.
    var read = 0
    /// The number of bytes written to memory.
    var written = 0
    /// Whether a member ended, and all of its content is written.
    var isAtEnd = false
  }

  /// Why input cannot be decompressed.
  struct Damage: Error {
    /// A description of the damage, such as the end of "users.gz is damaged: gzip says 'incorrect header check'".
    var message: String
  }
}
