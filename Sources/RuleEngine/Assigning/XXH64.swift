/// The 64-bit xxHash of Yann Collet (XXH64, seed 0): a mixing hash with implementations for every language, so that
/// assignments can be reproduced anywhere. This code was written from the specification.
///
/// Inlinable, because `RuleBatch` draws for every user: otherwise counting takes 2 % longer.
@usableFromInline package enum XXH64 {
  // SAFETY: The caller's memory has `count` bytes. Words of eight and four bytes are read only
  // while that many remain. Tests: XXH64Tests, FixedLengthHashTests, asan.

  @inlinable package static var prime1: UInt64 { 0x9E37_79B1_85EB_CA87 }
  @inlinable package static var prime2: UInt64 { 0xC2B2_AE3D_27D4_EB4F }
  @inlinable package static var prime3: UInt64 { 0x1656_67B1_9E37_79F9 }
  @inlinable package static var prime4: UInt64 { 0x85EB_CA77_C2B2_AE63 }
  @inlinable package static var prime5: UInt64 { 0x27D4_EB2F_1656_67C5 }

  @inlinable @inline(__always)
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard let base = bytes.baseAddress else { return avalanche(prime5) }
    return hash(base, bytes.count)
  }

  @inlinable @inline(__always)
  package static func hash(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var at = 0
    var hash: UInt64
    if count >= 32 {
      hash = lanes(bytes, count, &at)
    } else {
      hash = prime5
    }
    hash &+= UInt64(count)
    while at &+ 8 <= count {
      hash ^= round(0, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      hash = rotate(hash, 27) &* prime1 &+ prime4
      at &+= 8
    }
    if at &+ 4 <= count {
      let word = UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      hash ^= word &* prime1
      hash = rotate(hash, 23) &* prime2 &+ prime3
      at &+= 4
    }
    while at < count {
      hash ^= UInt64(bytes.load(fromByteOffset: at, as: UInt8.self)) &* prime5
      hash = rotate(hash, 11) &* prime1
      at &+= 1
    }
    return avalanche(hash)
  }

  /// Spreads every bit over all others.
  @inlinable @inline(__always)
  package static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  /// The hash of all complete blocks of 32 bytes, computed in four lanes.
  @inlinable @inline(__always)
  package static func lanes(_ bytes: UnsafeRawPointer, _ count: Int, _ at: inout Int) -> UInt64 {
    var a = prime1 &+ prime2
    var b = prime2
    var c: UInt64 = 0
    var d = 0 &- prime1
    while at &+ 32 <= count {
      a = round(a, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      b = round(b, bytes.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self))
      c = round(c, bytes.loadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self))
      d = round(d, bytes.loadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self))
      at &+= 32
    }
    return merged(a, b, c, d)
  }

  @inlinable @inline(__always)
  package static func merged(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> UInt64 {
    var hash = sum(a, b, c, d)
    // The lanes are merged one by one, because an array would be allocated for every hash.
    hash = merge(round(0, a), into: hash)
    hash = merge(round(0, b), into: hash)
    hash = merge(round(0, c), into: hash)
    return merge(round(0, d), into: hash)
  }

  @inlinable @inline(__always)
  package static func sum(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> UInt64 {
    rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
  }

  /// Merges a lane into the hash, after a round that starts from zero.
  @inlinable @inline(__always)
  package static func merge(_ lane: UInt64, into hash: UInt64) -> UInt64 {
    (hash ^ lane) &* prime1 &+ prime4
  }

  @inlinable @inline(__always)
  package static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inlinable @inline(__always)
  package static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 &- bits)
  }
}

extension XXH64 {
  /// The hash of a string that arrives in words: four at a time while 32 bytes remain, then one at
  /// a time, then the rest.
  @usableFromInline package struct Words {
    @usableFromInline let count: Int
    @usableFromInline var a = XXH64.prime1 &+ XXH64.prime2
    @usableFromInline var b = XXH64.prime2
    @usableFromInline var c: UInt64 = 0
    @usableFromInline var d = 0 &- XXH64.prime1
    @usableFromInline var hash = XXH64.prime5

    /// - Parameter count: the number of bytes in the whole string.
    @inlinable @inline(__always)
    package init(count: Int) { self.count = count }

    /// Creates the hash of a string of fewer than 32 bytes, which needs no lanes.
    @inlinable @inline(__always)
    package init(short count: Int) {
      self.count = count
      hash &+= UInt64(count)
    }

    /// The hash of the input so far, for strings that need no lanes.
    package var state: UInt64 { hash }

    /// Resumes from the hash of earlier input.
    @inlinable @inline(__always)
    package init(state: UInt64) {
      count = 0
      hash = state
    }

    @inlinable @inline(__always)
    package mutating func add(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64)
    {
      a = XXH64.round(a, first)
      b = XXH64.round(b, second)
      c = XXH64.round(c, third)
      d = XXH64.round(d, fourth)
    }

    @inlinable @inline(__always)
    package mutating func endLanes() {
      if count >= 32 { hash = XXH64.merged(a, b, c, d) }
      hash &+= UInt64(count)
    }

    @inlinable @inline(__always)
    package mutating func add(_ word: UInt64) { add(round: XXH64.round(0, word)) }

    /// The contribution of a word. The contribution does not depend on the hash so far, so it can be computed in
    /// advance.
    @inlinable package static func round(_ word: UInt64) -> UInt64 { XXH64.round(0, word) }

    @inlinable @inline(__always)
    package mutating func add(round: UInt64) {
      hash = XXH64.rotate(hash ^ round, 27) &* XXH64.prime1 &+ XXH64.prime4
    }

    @inlinable @inline(__always)
    package func finish() -> UInt64 { XXH64.avalanche(hash) }

    /// Adds the last bytes, fewer than eight, which are in the low bytes of a word.
    @inlinable @inline(__always)
    package func finish(_ rest: UInt64, bytes: Int) -> UInt64 {
      var hash = hash
      var rest = rest
      var left = bytes
      if left >= 4 {
        hash =
          XXH64.rotate(hash ^ (rest & 0xFFFF_FFFF) &* XXH64.prime1, 23) &* XXH64.prime2
          &+ XXH64.prime3
        rest &>>= 32
        left &-= 4
      }
      while left > 0 {
        hash = XXH64.rotate(hash ^ (rest & 0xFF) &* XXH64.prime5, 11) &* XXH64.prime1
        rest &>>= 8
        left &-= 1
      }
      return XXH64.avalanche(hash)
    }
  }
}
