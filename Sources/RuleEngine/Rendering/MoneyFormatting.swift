public import Expressions
internal import Synchronization

extension MoneyFormatter {
  /// Amounts as ``CurrencyFormat`` writes them, for the filter `money`: rounded half to even to the
  /// minor digits of the currency, in the locale's order with its symbols. A locale that the tables
  /// lack gets what ``PriceLocale`` puts in its place; a code that is no currency gets nothing.
  public static let prices = MoneyFormatter { amount, code, locale in
    guard let currency = Currency(code), let micros = try? PriceText.micros(amount) else { return nil }
    return PriceFormatCache.shared.format(currency, locale).text(micros: micros)
  }
}

/// The formats that were used last: making one means reading the tables.
private final class PriceFormatCache: Sendable {
  private struct Entry {
    var currency: Currency
    var locale: String
    var format: CurrencyFormat
  }

  static let shared = PriceFormatCache()
  private static let kept = 64
  private let entries = Mutex<[Entry]>([])

  func format(_ currency: Currency, _ locale: String) -> CurrencyFormat {
    entries.withLock { entries in
      for entry in entries where entry.currency == currency && entry.locale == locale {
        return entry.format
      }
      let format = PriceLocale(locale).format(for: currency)
      if entries.count == PriceFormatCache.kept { entries = [] }
      entries.append(Entry(currency: currency, locale: locale, format: format))
      return format
    }
  }
}
