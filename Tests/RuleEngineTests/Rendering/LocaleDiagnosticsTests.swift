import Expressions
import Pricing
import RuleEngine
import Testing

@Suite("What is said of locales")
struct LocaleDiagnosticsTests {
  @Test(
    arguments: [
      ("de_DE", nil), ("en_US@currency=EUR", nil), ("de_DE_1996", .note), ("de_US", .note),
      ("fr_QQ", .warning), ("xx", .warning),
    ] as [(String, Diagnostic.Severity?)])
  func isAsBadAsItIs(identifier: String, severity: Diagnostic.Severity?) {
    #expect(PriceLocale(identifier).diagnostic?.severity == severity)
  }

  @Test func suggestsACloseIdentifier() {
    #expect(PriceLocale("enn_US").diagnostic?.suggestion != nil)
    #expect(PriceLocale("xx_YY").diagnostic?.code == .unknownLocale)
  }

  /// Each locale is told once, that of the device too.
  @Test func isToldOnce() throws {
    var producer = try AttributeProducer(
      .iosStoreKit2, PricingContext(now: 0, deviceLocale: "xx"))
    for locale in ["fr_QQ", "fr_QQ", "de_DE"] {
      _ = try producer.attributes(
        of: PricedProduct(identifier: "p", price: try Money("1", .usd), locale: locale))
    }
    #expect(producer.diagnostics.map(\.severity) == [.warning, .warning])
  }
}
