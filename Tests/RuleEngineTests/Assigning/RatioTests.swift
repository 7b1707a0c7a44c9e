import RuleEngine
import Testing

@Suite struct RatioTests {
  @Test(
    arguments: [
      (6, 8, "3/4", "75 %"), (0, 5, "0", "0 %"), (5, 5, "1", "100 %"), (1, 3, "1/3", "33.33 %"),
      (2, 3, "2/3", "66.67 %"), (1, 1_000, "1/1000", "0.1 %"), (9, 0, "0", "0 %"),
      (10, 4, "5/2", "250 %"), (1, 20_000, "1/20000", "0.01 %"), (205, 1_000, "41/200", "20.5 %"),
    ] as [(UInt128, UInt128, String, String)])
  func lowestTerms(a: UInt128, b: UInt128, text: String, percentage: String) {
    #expect(Ratio(a, b).description == text)
    #expect(Ratio(a, b).percentage == percentage)
    #expect(b == 0 || Ratio(a, b).double == Double(a) / Double(b))
  }

  /// What is equal as a fraction is equal.
  @Test func equality() {
    #expect(Ratio(2, 4) == Ratio(1, 2))
    #expect(Ratio(0, 3) == .zero)
    #expect(Ratio(7, 7) == .one)
    #expect(Ratio(1, 2) != Ratio(1, 3))
  }
}
