internal import Expressions
internal import Pricing
internal import RuleEngine

/// Compares the arithmetic of prices with ``ReferencePrice``, which shares no code with it.
struct RandomPrices {
  var seed: UInt64

  /// Compares `count` random prices, each per unit and as an introductory offer.
  func run(count: Int) -> Report {
    var random = SplitMix(seed: seed)
    var different: [String] = []
    var differences = 0
    var overflows = 0
    for i in 0..<count {
      let sample = ReferencePrice { random.next() }
      let isTrial = i % 2 == 1
      let expected = isTrial ? sample.perTrialUnit : sample.perUnit
      let got = sample.engine(trial: isTrial)
      if expected == nil { overflows += 1 }
      guard got != expected else { continue }
      differences += 1
      if different.count < 20 {
        different.append("\(sample): \(Self.text(got)), not \(Self.text(expected))")
      }
    }
    let value = Value.object([
      "what": "random-prices", "count": .count(count), "overflows": .count(overflows),
      "differences": .count(differences), "examples": .list(different.map { .string($0) }),
    ])
    let summary = """
      \(count.grouped) random prices: \(differences.grouped) differ, \(overflows.grouped) \
      overflow on both sides
      """
    return Report(
      text: ([summary] + different).joined(separator: "\n"), value: value,
      isSound: differences == 0)
  }

  private static func text(_ micros: Int64?) -> String { micros.map { "\($0)" } ?? "overflow" }
}
