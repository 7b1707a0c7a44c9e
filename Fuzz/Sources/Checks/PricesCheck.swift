internal import Expressions

@testable import Pricing

/// A price, a currency, a locale and a period as strings, separated by zero bytes. A price that parses is written as itself.
/// Its string in a currency and a locale is valid, the same twice, and different for another shown amount. Derived prices are
/// prices or errors.
public enum PricesCheck {
  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let input = FuzzInput(bytes, parts: 4)
    checkPeriod(input[3])
    _ = PlayProductID(input[3])
    _ = CompositeProductID(input[3])
    guard let micros = try? PriceText.micros(input[0]) else { return }
    let plain = PriceText.plain(micros)
    require((try? PriceText.micros(plain)) == micros, "\(micros) micros are written as \(plain)")
    guard let currency = Currency(input[1]) else { return }
    checkText(micros, currency, PriceLocale(input[2]))
    guard let iso = ISOPeriod(input[3]) else { return }
    for period in [iso.period, iso.androidPeriod].compactMap({ $0 }) {
      for factors in [UnitFactors.superwall, .android] {
        let prices = UnitPrices(micros: micros, period: period, factors: factors)
        for unit in [Period.Unit.day, .week, .month, .year] {
          if let price = try? prices.per(unit, digits: 2, .down) {
            require(price.micros.magnitude / 400 <= micros.magnitude, "a unit is dearer than all")
          }
        }
      }
    }
  }

  private static func checkText(_ micros: Int64, _ currency: Currency, _ locale: PriceLocale) {
    let format = locale.format(for: currency)
    let text = format.text(micros: micros)
    require(!text.isEmpty && text == format.text(micros: micros), "another text the second time")
    require(!text.unicodeScalars.contains("\u{FFFD}"), "a text that is not UTF-8")
    require(text.utf8.count <= format.longestText, "a text that is longer than the longest")
    // A negative amount that rounds to zero still has its sign, as in ICU.
    guard let shown = try? format.shown(micros), shown != 0 || micros >= 0 else { return }
    require(format.text(micros: shown) == text, "\(micros) is shown as \(shown), and differently")
    guard let next = try? format.shown(shown &+ 1_000_000), next != shown else { return }
    require(format.text(micros: next) != text, "\(micros) and \(next) have the same text")
  }

  private static func checkPeriod(_ text: String) {
    guard let iso = ISOPeriod(text), let period = iso.period else { return }
    require(ISOPeriod(period).period != nil, "the period of \(text) has none")
    require(period.normalized.normalized == period.normalized, "normalized twice it differs")
    for unit in [Period.Unit.day, .week, .month, .year] { _ = period.length(in: unit) }
    require(Period.billingCycles(of: period, in: period) >= 0, "a negative number of cycles")
    _ = period.words
    _ = period.repeated(3)
  }
}
