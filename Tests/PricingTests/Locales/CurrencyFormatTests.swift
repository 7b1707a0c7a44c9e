import Foundation
import Pricing
import Testing

/// Foundation is the oracle: the tables come from it. Another version of its data may differ in a
/// few texts, so a small share may; here it is none.
@Suite("Prices as text")
struct CurrencyFormatTests {
  private static let amounts = [
    "0", "0.005", "9.99", "-4.99", "1234.5", "12345.675", "9876543.215",
  ]

  /// The price as Foundation writes it.
  private static func foundation(_ amount: String, _ code: String, _ locale: Locale) -> String {
    Decimal(string: amount)!.formatted(Decimal.FormatStyle.Currency(code: code, locale: locale))
  }

  private struct Comparison {
    var total = 0
    var different: [String] = []

    mutating func compare(_ id: String, _ codes: Set<String>) throws {
      let locale = PriceLocale(id)
      let theirs = Locale(identifier: id)
      for code in codes {
        let currency = try #require(Currency(code))
        let format = locale.format(for: currency)
        for amount in CurrencyFormatTests.amounts {
          let got = format.text(micros: try PriceText.micros(amount))
          let expected = CurrencyFormatTests.foundation(amount, code, theirs)
          total += 1
          if !got.utf8.elementsEqual(expected.utf8) {
            different.append(
              "\(id) \(code) \(amount): \(got.debugDescription), "
                + "not \(expected.debugDescription)")
          }
        }
      }
    }
  }

  @Test func areThoseOfFoundationInEveryLocale() throws {
    var comparison = Comparison()
    for id in Locale.availableIdentifiers {
      let own = Locale(identifier: id).currency?.identifier ?? "CHF"
      try comparison.compare(id, ["USD", "EUR", "JPY", "KWD", own.uppercased()])
    }
    #expect(comparison.total > 20_000)
    #expect(
      comparison.different.count * 1_000 <= comparison.total, "\(comparison.different.prefix(20))")
  }

  @Test func areThoseOfFoundationInEveryCurrency() throws {
    let codes = Set(Locale.Currency.isoCurrencies.map { $0.identifier.uppercased() })
    var comparison = Comparison()
    for id in ["en_US", "de_DE", "ar_EG", "he_IL", "hi_IN", "ja_JP", "pt_PT", "fa_IR", "ca_ES"] {
      try comparison.compare(id, codes)
    }
    #expect(comparison.total > 15_000)
    #expect(
      comparison.different.count * 1_000 <= comparison.total, "\(comparison.different.prefix(20))")
  }

  /// Languages in regions for which there is no data of their own.
  @Test func areThoseOfFoundationInOtherRegions() throws {
    var comparison = Comparison()
    for language in ["de", "en", "es", "fr", "ja", "ko", "nb", "pt_PT", "ru", "th", "zh_Hant"] {
      for region in ["AU", "BH", "CA", "DE", "EG", "ES", "FR", "IN", "KW", "MX", "PL", "SE", "US"] {
        try comparison.compare("\(language)_\(region)", ["USD", "EUR", "JPY", "KWD"])
      }
    }
    #expect(comparison.total > 3_000)
    #expect(
      comparison.different.count * 100 <= comparison.total, "\(comparison.different.prefix(20))")
  }
}
