internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Random numbers that are the same on every machine for the same seed. Generating them uses no
/// function that libraries round differently.
struct TrafficRandom: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Creates a separate sequence for each subject and purpose.
  init(seed: String, _ purpose: String, _ subject: String) {
    // SAFETY: Views of local values stay in their closures. Tests: TrafficTests.
    var bytes: [UInt8] = []
    for part in [seed, purpose, subject] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).littleEndian) { bytes += $0 }
      bytes += part.utf8
    }
    state = bytes.withUnsafeBytes { XXH64.hash($0) }
  }

  /// The next 64 random bits, by SplitMix64.
  mutating func bits() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// A random number in `0..<1`.
  mutating func fraction() -> Double { Double(bits() >> 11) * 0x1p-53 }

  /// A random number from 0 to below a limit.
  mutating func number(below limit: Int) -> Int { Int(fraction() * Double(limit)) }

  /// A number of the exponential distribution with mean 1, by von Neumann's comparisons: a run of
  /// falling fractions is of odd length with probability `exp(-x)` when it begins with `x`.
  mutating func exponential() -> Double {
    var whole = 0.0
    while true {
      let first = fraction()
      var (last, count) = (first, 1)
      while true {
        let next = fraction()
        if next >= last { break }
        last = next
        count += 1
      }
      if count % 2 == 1 { return whole + first }
      whole += 1
    }
  }
}
