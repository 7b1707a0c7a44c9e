#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Numbers that are the same in every run: SplitMix64 with a given seed.
///
/// The standard library's `random(in:using:)` may change from version to version. These inputs must not change, because
/// results could not be compared.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in `0..<limit`.
  mutating func next(below limit: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// A number within both ends.
  mutating func next(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + next(below: range.count)
  }

  /// A fraction in `0..<1`.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func isTrue(_ probability: Double) -> Bool { fraction() < probability }

  /// A whole number from an exponential distribution, like counts and ages in days.
  mutating func exponential(mean: Double) -> Int { Int(-log(1 - fraction()) * mean) }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[next(below: elements.count)]
  }

  /// An element with a probability in proportion to its weight.
  mutating func pick<Element>(_ weighted: [(element: Element, weight: Int)]) -> Element {
    var place = next(below: weighted.reduce(0) { $0 + $1.weight })
    for (element, weight) in weighted {
      if place < weight { return element }
      place -= weight
    }
    return weighted[0].element
  }
}
