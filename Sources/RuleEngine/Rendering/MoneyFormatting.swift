public import Expressions
internal import Pricing

extension MoneyFormatter {
  /// Formats amounts for the filter `money`, as ``CurrencyFormat`` does: rounded half to even to the currency's minor
  /// digits, in the locale's order and with its symbols. A locale that is not in the tables is replaced as in
  /// ``PriceLocale``. The result is nil if the code is not a currency.
  public static let prices = MoneyFormatter { amount, code, locale in
    guard let currency = Currency(code), let micros = try? PriceText.micros(amount) else {
      return nil
    }
    return PriceFormatCache.shared.format(currency, locale).text(micros: micros)
  }
}

extension LocaleWords {
  /// The names and words in ``CalendarNames``. English is written by the filters themselves.
  package static let tables = LocaleWords(
    name: { name, number, isShort, locale in
      guard let names = CalendarNamesCache.shared.names(of: locale) else { return nil }
      return switch name {
      case .month: names.month(number, isShort: isShort)
      case .weekday: names.weekday(number, isShort: isShort)
      }
    },
    counted: { unit, count, isShort, locale in
      CalendarNamesCache.shared.names(of: locale)?.counted(unit, count, isShort: isShort)
    })
}

/// A cache of the calendar names of locales.
private final class CalendarNamesCache: Sendable {
  static let shared = CalendarNamesCache()
  private static let kept = 64
  /// The names by locale. Nil for English.
  private let names = Locked<[String: CalendarNames?]>([:])

  func names(of locale: String) -> CalendarNames? {
    self.names.withLock { names in
      if let known = names[locale] { return known }
      let found = PriceLocale(locale)
      let made = found.language == "en" ? nil : found.calendarNames
      if names.count == CalendarNamesCache.kept { names = [:] }
      names[locale] = .some(made)
      return made
    }
  }
}

/// A cache of formats, because creating one reads the tables.
private final class PriceFormatCache: Sendable {
  private struct Key: Hashable {
    var currency: Currency
    var locale: String
  }

  static let shared = PriceFormatCache()
  /// The size of the cache, which is larger than the number of currencies so that a loop over all currencies still hits
  /// the cache.
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
