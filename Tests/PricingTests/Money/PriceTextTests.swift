import Pricing
import Testing

@Suite("Prices from text and numbers")
struct PriceTextTests {
  @Test(
    arguments: [
      ("9.99", 9_990_000), ("0", 0), ("-0.5", -500_000), ("+1", 1_000_000), ("1e3", 1_000_000_000),
      ("1.5E-3", 1_500), (".5", 500_000), ("5.", 5_000_000), ("007", 7_000_000),
      ("9223372036854.775807", .max), ("0e999999999", 0),
      // Below a micro: half to even, and anything behind the half counts.
      ("0.0000005", 0), ("0.0000015", 2), ("0.00000050000000000000000001", 1), ("1e-7", 0),
      ("6e-7", 1), ("19.98999999999999488", 19_990_000), ("1e-400", 0),
    ] as [(String, Int64)])
  func areMicros(text: String, micros: Int64) throws {
    #expect(try PriceText.micros(text) == micros)
  }

  @Test(arguments: [
    "", "-", ".", "e5", "1e", "1e+", "9,99", "$9.99", " 9.99", "9.99 ", "1.2.3", "0x10", "NaN",
    "١٢", "1_000", "1:", "1:5", "1e:", "1e1:", "1/2", "1e1/",
  ])
  func areRefused(text: String) {
    #expect(throws: PricingError.notAPrice) { try PriceText.micros(text) }
  }

  @Test(arguments: ["9223372036854.7758075", "9223372036855", "1e13", "99999999999999999999999"])
  func areTooLarge(text: String) {
    #expect(throws: PricingError.overflow) { try PriceText.micros(text) }
  }

  @Test(
    arguments: [
      (9_990_000, nil, "9.99"), (10_000_000, nil, "10"), (10_000_000, 2, "10.00"),
      (1, nil, "0.000001"),
      (-500_000, nil, "-0.5"), (12_999_999, 2, "12.99"), (.max, nil, "9223372036854.775807"),
      (-1, 2, "0.00"), (0, 0, "0"), (.min, nil, "-9223372036854.775808"),
    ] as [(Int64, Int?, String)])
  func areWrittenPlainly(micros: Int64, digits: Int?, text: String) {
    #expect(PriceText.plain(micros, digits: digits) == text)
  }

  /// Every price in cents that a Double can hold comes back from it.
  @Test func snapWhatADoubleDid() throws {
    for cents in Int64(0)...100_000 {
      let price = Double(cents) / 100
      #expect(try Money(snapping: price, .usd).micros == cents * 10_000)
    }
    #expect(throws: PricingError.notAPrice) { try Money(snapping: .nan, .usd) }
    #expect(throws: PricingError.overflow) { try Money(snapping: 1e300, .usd) }
  }

  @Test func countMinorUnits() throws {
    let yen = try #require(Currency("JPY"))
    let dinar = try #require(Currency("kwd"))
    #expect(try Money(minorUnits: 999, .usd).micros == 9_990_000)
    #expect(try Money(minorUnits: 999, yen).micros == 999_000_000)
    #expect(try Money(minorUnits: 999, dinar).micros == 999_000)
    #expect(throws: PricingError.overflow) { try Money(minorUnits: .max, yen) }
    #expect(dinar.code == "KWD")
    #expect(Currency("US") == nil)
    #expect(Currency("US1") == nil)
    #expect(Currency("USDT") == nil)
  }
}
