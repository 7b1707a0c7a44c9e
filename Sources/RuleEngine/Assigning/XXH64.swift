/// The 64-bit xxHash of Yann Collet (XXH64, seed 0): a mixing hash with implementations for every
/// language, so that assignments can be reproduced anywhere. Written from its specification.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var at = 0
    var hash: UInt64
    if bytes.count >= 32 {
      hash = lanes(bytes, &at)
    } else {
      hash = prime5
    }
    hash &+= UInt64(bytes.count)
    while at &+ 8 <= bytes.count {
      hash ^= round(0, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      hash = rotate(hash, 27) &* prime1 &+ prime4
      at &+= 8
    }
    if at &+ 4 <= bytes.count {
      let word = UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      hash ^= word &* prime1
      hash = rotate(hash, 23) &* prime2 &+ prime3
      at &+= 4
    }
    while at < bytes.count {
      hash ^= UInt64(bytes[at]) &* prime5
      hash = rotate(hash, 11) &* prime1
      at &+= 1
    }
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  /// The four lanes that take 32 bytes at a time.
  private static func lanes(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt64 {
    var a = prime1 &+ prime2
    var b = prime2
    var c: UInt64 = 0
    var d = 0 &- prime1
    while at &+ 32 <= bytes.count {
      a = round(a, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      b = round(b, bytes.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self))
      c = round(c, bytes.loadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self))
      d = round(d, bytes.loadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self))
      at &+= 32
    }
    var hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
    hash = merge(a, into: hash)
    hash = merge(b, into: hash)
    hash = merge(c, into: hash)
    return merge(d, into: hash)
  }

  @inline(__always)
  private static func merge(_ lane: UInt64, into hash: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 &- bits)
  }
}
