public import Expressions
internal import Pricing

extension MoneyFormatter {
  /// Amounts as ``CurrencyFormat`` writes them, for the filter `money`: rounded half to even to the
  /// minor digits of the currency, in the locale's order with its symbols. A locale that the tables
  /// lack gets what ``PriceLocale`` puts in its place; a code that is not a currency gets nothing.
  public static let prices = MoneyFormatter { amount, code, locale in
    guard let currency = Currency(code), let micros = try? PriceText.micros(amount) else {
      return nil
    }
    return PriceFormatCache.shared.format(currency, locale).text(micros: micros)
  }
}

/// The formats that were used: making one means reading the tables.
private final class PriceFormatCache: Sendable {
  private struct Key: Hashable {
    var currency: Currency
    var locale: String
  }

  static let shared = PriceFormatCache()
  /// More than there are currencies, so that no list of them makes every look-up miss.
  private static let kept = 512
  private let formats = Locked<[Key: CurrencyFormat]>([:])

  func format(_ currency: Currency, _ locale: String) -> CurrencyFormat {
    let key = Key(currency: currency, locale: locale)
    return formats.withLock { formats in
      if let known = formats[key] { return known }
      let format = PriceLocale(locale).format(for: currency)
      if formats.count == PriceFormatCache.kept { formats = [:] }
      formats[key] = format
      return format
    }
  }
}
