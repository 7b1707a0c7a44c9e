import Pricing
import TestSupport
import Testing

@Suite("Random prices")
struct RandomPriceTests {
  /// Ten million of them are compared by `bench products --random 10000000`.
  @Test func agreeWithLongDivision() {
    var random = SplitMix(seed: 7)
    var overflows = 0
    for _ in 0..<3_000 {
      let sample = ReferencePrice { random.next() }
      let (perUnit, perTrial) = (sample.perUnit, sample.perTrialUnit)
      #expect(sample.engine(trial: false) == perUnit, "\(sample)")
      #expect(sample.engine(trial: true) == perTrial, "\(sample)")
      overflows += perUnit == nil ? 1 : 0
    }
    // Both what fits and what does not were met.
    #expect(2..<1_500 ~= overflows)
  }
}
