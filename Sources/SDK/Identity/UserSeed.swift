/// Derives a user's seed from the user ID, so that every device uses the same seed.
enum UserSeed {
  /// The seed, from 0 to 99, by the iOS SDK's rule. The SHA-256 of the ID is read as 64-bit integers of the machine,
  /// which are added with wrapping, modulo 100.
  static func seed(of userID: String) -> Int {
    let digest = SHA256.digest(Array(userID.utf8))
    var sum: UInt64 = 0
    for start in stride(from: 0, to: 32, by: 8) {
      sum &+= digest[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return Int(sum % 100)
  }
}

/// SHA-256 (FIPS 180-4) of short strings. The hash identifies users and protects no secrets. A cryptography library
/// would take longer to build than the rest of the package.
package enum SHA256 {
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (message.count * 8) >> ($0 * 8)) }
    var state = initial
    for start in stride(from: 0, to: padded.count, by: 64) {
      compress(padded[start..<start + 64], &state)
    }
    return state.flatMap { word in
      (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
  }

  private static func compress(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    var w = [UInt32](repeating: 0, count: 64)
    for i in 0..<16 {
      w[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(block[block.startIndex + i * 4 + $1]) }
    }
    for i in 16..<64 {
      let a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3
      let b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10
      w[i] = w[i - 16] &+ a &+ w[i - 7] &+ b
    }
    var s = state
    for i in 0..<64 {
      let e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let first = s[7] &+ e &+ choice &+ rounds[i] &+ w[i]
      let a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      s = [first &+ a &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    for i in 0..<8 { state[i] &+= s[i] }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 64 primes. The constants of the hash are fractions of the roots of these primes.
  private static let primes: [UInt64] = {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes
  }()

  private static let initial = primes.prefix(8).map { fraction(of: $0, isCubeRoot: false) }
  private static let rounds = primes.map { fraction(of: $0, isCubeRoot: true) }

  /// The first 32 bits of the fraction of a root: the largest x with x^k <= prime * 2^(32k).
  private static func fraction(of prime: UInt64, isCubeRoot: Bool) -> UInt32 {
    var (low, high) = (UInt64(0), UInt64(1) << 38)
    while high - low > 1 {
      let middle = (low + high) / 2
      if isAtMost(middle, prime, isCubeRoot: isCubeRoot) { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  private static func isAtMost(_ x: UInt64, _ prime: UInt64, isCubeRoot: Bool) -> Bool {
    // In 128 bits: x < 2^38, so x^3 < 2^114 and prime * 2^96 < 2^105.
    let square = UInt128(x) * UInt128(x)
    return isCubeRoot
      ? square * UInt128(x) <= UInt128(prime) << 96 : square <= UInt128(prime) << 64
  }
}
