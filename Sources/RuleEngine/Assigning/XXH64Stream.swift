extension XXH64 {
  /// The hash of bytes that arrive in pieces. The division into pieces does not affect the hash.
  package struct Stream: Hashable, Sendable {
    // SAFETY: Blocks have a multiple of 32 bytes. `init(state:count:)` checks that there are as
    // many stored bytes as the count says. Tests: XXH64Tests, FixedLengthHashTests.streams.

    private var lanes: [UInt64] = [
      XXH64.prime1 &+ XXH64.prime2, XXH64.prime2, 0, 0 &- XXH64.prime1,
    ]
    /// The last bytes, fewer than 32, that no lane has read.
    private var rest: [UInt8] = []
    /// The number of bytes so far.
    package private(set) var count = 0

    package init() {}

    /// Resumes a stream from its ``state``; nil if the numbers are not a valid state.
    package init?(state: [UInt64], count: Int) {
      guard count >= 0, state.count == 4 + count % 32 else { return nil }
      lanes = Array(state[..<4])
      rest = state[4...].map { UInt8(truncatingIfNeeded: $0) }
      self.count = count
    }

    /// The state that ``init(state:count:)`` needs in addition to the count.
    package var state: [UInt64] { lanes + rest.map(UInt64.init) }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
      count += bytes.count
      var bytes = bytes[...]
      if !rest.isEmpty {
        let missing = min(32 - rest.count, bytes.count)
        rest += bytes.prefix(missing)
        bytes = bytes.dropFirst(missing)
        guard rest.count == 32 else { return }
        rest.withUnsafeBytes { addBlocks($0) }
        rest.removeAll(keepingCapacity: true)
      }
      let blocks = bytes.prefix(bytes.count / 32 * 32)
      addBlocks(UnsafeRawBufferPointer(rebasing: blocks))
      rest += bytes.dropFirst(blocks.count)
    }

    private mutating func addBlocks(_ bytes: UnsafeRawBufferPointer) {
      guard let base = bytes.baseAddress else { return }
      var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
      var at = 0
      while at &+ 32 <= bytes.count {
        a = XXH64.round(a, base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        b = XXH64.round(b, base.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self))
        c = XXH64.round(c, base.loadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self))
        d = XXH64.round(d, base.loadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self))
        at &+= 32
      }
      lanes = [a, b, c, d]
    }

    package func finish() -> UInt64 {
      let begun =
        count >= 32 ? XXH64.merged(lanes[0], lanes[1], lanes[2], lanes[3]) : XXH64.prime5
      return rest.withUnsafeBytes { XXH64.finish(begun &+ UInt64(count), $0) }
    }
  }

  /// Adds the last bytes, fewer than 32.
  private static func finish(_ begun: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // SAFETY: Words of eight and four bytes are read only while that many remain.
    // Tests: XXH64Tests.
    var hash = begun
    var at = 0
    while at + 8 <= bytes.count {
      hash ^= round(0, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      hash = rotate(hash, 27) &* prime1 &+ prime4
      at += 8
    }
    if at + 4 <= bytes.count {
      hash ^= UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) &* prime1
      hash = rotate(hash, 23) &* prime2 &+ prime3
      at += 4
    }
    for byte in bytes[at...] {
      hash ^= UInt64(byte) &* prime5
      hash = rotate(hash, 11) &* prime1
    }
    return avalanche(hash)
  }
}
