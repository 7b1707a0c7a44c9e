import Testing

@testable import Expressions

/// Numbers of templates.
@Suite struct LiquidConversionsTests {
  /// A double that is whole is an int as far as doubles are exact.
  @Test(arguments: [
    (9_007_199_254_740_992.0, true), (-9_007_199_254_740_992, true),
    (9_007_199_254_740_994, false), (0.5, false), (.infinity, false), (.nan, false),
  ])
  func wholeNumbers(value: Double, isInt: Bool) {
    #expect((LiquidConversions.number(value).tag == Tag.int) == isInt)
  }
}
