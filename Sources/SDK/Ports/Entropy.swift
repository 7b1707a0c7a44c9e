/// Random numbers and identifiers: the system's, or a repeatable sequence.
package struct Entropy: Sendable {
  private enum Source: Sendable {
    case system
    case sequence(SplitMix64)
  }

  private var source: Source
  private var counts: [String: Int] = [:]

  /// Random numbers from the system's generator, and UUIDs as identifiers.
  package static let system = Entropy(source: .system)

  /// A repeatable sequence of numbers, and `device-1`, `alias-1`, `alias-2`, ... as identifiers.
  package static func sequence(seed: UInt64) -> Entropy {
    Entropy(source: .sequence(SplitMix64(state: seed)))
  }

  /// Returns a random number in `0..<1`.
  mutating func fraction() -> Double { Double(bits() >> 11) * 0x1p-53 }

  /// Returns a random whole number in `0..<100`, for user seeds.
  mutating func percentile() -> Int { Int(bits() % 100) }

  /// Returns the random part of a pause, `0..<1000` milliseconds. The result is 0 for a repeatable sequence.
  mutating func jitter() -> Int64 {
    if case .system = source { Int64(fraction() * 1_000) } else { 0 }
  }

  /// Returns a new identifier of a kind, such as `alias`.
  mutating func identifier(_ kind: String) -> String {
    if case .system = source { return uuid() }
    let count = counts[kind, default: 0] + 1
    counts[kind] = count
    return "\(kind)-\(count)"
  }

  private mutating func bits() -> UInt64 {
    guard case .sequence(var generator) = source else { return UInt64.random(in: .min ... .max) }
    let number = generator.next()
    source = .sequence(generator)
    return number
  }

  /// A random UUID, version 4.
  private mutating func uuid() -> String {
    let high = bits() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = bits() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = [high, low].map { number in
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var parts: [Substring] = []
    var rest = Substring(digits)
    for length in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return parts.joined(separator: "-")
  }
}

/// Sebastiano Vigna's generator of 64-bit numbers (public domain), for repeatable runs.
struct SplitMix64: Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
