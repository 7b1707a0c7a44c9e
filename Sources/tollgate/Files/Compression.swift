/// How a file is compressed.
enum Compression: String, CaseIterable {
  case gzip, zstd

  /// What the name of a file that is written ends in, without the point.
  var ending: String {
    switch self {
    case .gzip: "gz"
    case .zstd: "zst"
    }
  }

  /// What a file begins with that a run has compressed.
  var signature: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    }
  }

  /// How the ending of a name says that a file is compressed; nil when it says nothing of it.
  init?(ending: String) {
    guard let found = Compression.allCases.first(where: { $0.ending == ending }) else { return nil }
    self = found
  }

  /// How a file is compressed that begins with these bytes; nil when it is not.
  init?(beginning bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(4))
    if bytes.starts(with: Compression.gzip.signature) {
      self = .gzip
    } else if bytes == Compression.zstd.signature {
      self = .zstd
    } else if bytes.count == 4, bytes[0] & 0xF0 == 0x50, bytes[1...] == [0x2A, 0x4D, 0x18] {
      // A frame that is passed over, as several tools put in front.
      self = .zstd
    } else {
      return nil
    }
  }

  /// Whether the next member of a file may begin with a byte.
  func mayBegin(with byte: UInt8) -> Bool {
    switch self {
    case .gzip: byte == 0x1F
    case .zstd: byte == 0x28 || byte & 0xF0 == 0x50
    }
  }

  /// A path without the ending that says how the file is compressed.
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

  /// Decompresses one member after the other: what gzip calls a member, and zstd a frame.
  protocol Decoder: AnyObject {
    // SAFETY: A decoder gets both sizes and reports at most as many bytes. It stores neither
    // pointer after the call. Tests: CompressedOutputTests.contentInPieces, EncodingTests.

    /// Decompresses what comes next, as far as there is input and room for it.
    ///
    /// - Throws: ``Damage`` when the input is not what it should be.
    func decode(_ input: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer)
      throws(Damage) -> Step
  }

  /// Compresses one member after the other.
  protocol Encoder: AnyObject {
    // SAFETY: The memory has `bound(text.count)` bytes. No pointer is stored after the call.
    // Tests: CompressedOutputTests, EncodingTests.

    /// Bytes that a member may take which holds so many bytes of text.
    func bound(_ count: Int) -> Int

    /// Makes a member of a text, and tells how many bytes it takes.
    func encode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) throws
      -> Int
  }

  /// What one step of decompressing came to.
  struct Step {
    /// Bytes of the input that are done with.
    var read = 0
    /// Bytes that are in memory now.
    var written = 0
    /// Whether a member ended, and all of it is written.
    var isAtEnd = false
  }

  /// Why something cannot be decompressed.
  struct Damage: Error {
    /// As in "users.gz is damaged: gzip says 'incorrect header check'".
    var message: String
  }
}
