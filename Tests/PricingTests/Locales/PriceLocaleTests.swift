import CivilTime
import Expressions
import Foundation
import Testing

@testable import Pricing

@Suite("Locales of prices")
struct PriceLocaleTests {
  /// Every line of the tables is whole: nothing is missing, and nothing points beside its table.
  @Test func tablesAreComplete() {
    let index = LocaleIndex.shared
    let tables = [
      (index.shapes, 6), (index.templates, 4), (index.monthNames, 12), (index.periodWords, 8),
      (index.locales, 15), (index.aliases, 2), (index.parents, 2), (index.regions, 5),
      (index.dateNames, 38), (index.timeWords, 6),
    ]
    for (table, count) in tables {
      for line in 0..<table.count { #expect(table.fields(line).count == count) }
    }
    for line in 0..<index.plurals.count { #expect(index.plurals.text(line).utf8.count == 200) }
    for line in 0..<index.locales.count {
      let locale = index.locale(line)
      #expect(locale.shape < index.shapes.count)
      #expect(max(locale.signTemplate, locale.letterTemplate) < index.templates.count)
      #expect(locale.datePattern < index.datePatterns.count)
      #expect(locale.monthNames < index.monthNames.count)
      #expect(locale.periodWords < index.periodWords.count)
      #expect(locale.plurals < index.plurals.count)
      #expect(locale.dateNames < index.dateNames.count)
      #expect(locale.timeWords < index.timeWords.count)
      #expect(locale.base.map { $0 < line } ?? true)
      #expect(index.locales.line(withKey: locale.id) == line)
    }
    for line in 0..<index.regions.count {
      let region = index.region(String(index.regions.fields(line)[0]))
      #expect(region?.shape.map { $0 < index.shapes.count } ?? true)
      let main = region?.mainLocale ?? ""
      #expect(main.isEmpty || index.locales.line(withKey: main) != nil)
    }
    #expect(index.locales.count > 1_000)
    #expect(index.regions.count > 240)
    #expect(PriceLocale.dataVersion.split(separator: ".").count == 2)
  }

  /// Names and counted words of every locale; a few are as Intl has them.
  @Test func namesAreWhole() throws {
    for id in PriceLocale.identifiers {
      let names = PriceLocale(id).calendarNames
      for isShort in [false, true] {
        for month in 1...12 { #expect(!names.month(month, isShort: isShort).isEmpty) }
        for day in 0..<7 { #expect(!names.weekday(day, isShort: isShort).isEmpty) }
        for unit in ["second", "minute", "hour", "day", "week", "month", "year"] {
          for count in [0, 1, 2, 5, 99_999] as [Int64] {
            #expect(names.counted(unit, count, isShort: isShort)?.isEmpty == false)
          }
        }
      }
    }
    let german = PriceLocale("de_AT").calendarNames
    #expect(german.month(1, isShort: false) == "Jänner")
    #expect(german.weekday(0, isShort: true) == "So")
    #expect(german.counted("hour", 1, isShort: false) == "1 Stunde")
    #expect(german.counted("day", 3, isShort: false) == "3 Tage")
    #expect(german.counted("fortnight", 3, isShort: false) == nil)
    #expect(german.counted("day", .max, isShort: false) == nil)
    #expect(german.counted("day", -1, isShort: false) == nil)
    #expect(PriceLocale("pl_PL").calendarNames.month(3, isShort: false) == "marzec")
  }

  /// What anybody can ask for gives text, whatever the numbers.
  @Test func everythingCanBeWritten() throws {
    let codes = try ["USD", "JPY", "KWD", "CLF", "XXX", "QQQ"].map { try #require(Currency($0)) }
    for id in PriceLocale.identifiers {
      let locale = PriceLocale(id)
      #expect(locale.match == .exact, "\(id)")
      for code in codes {
        let format = locale.format(for: code)
        for micros in [Int64.min, -1, 0, 1, .max] { #expect(!format.text(micros: micros).isEmpty) }
      }
      for unit in Period.Unit.allCases {
        for count in [0, 1, 2, 3, 5, 11, 21, 100, 199, 200, 1_000, Period.maximumCount] {
          let period = try #require(Period(unit, count))
          #expect(!locale.periods.text(period, .short).isEmpty)
          #expect(!locale.periods.text(period, .long).isEmpty)
        }
      }
    }
  }

  /// Foundation's medium date in the Gregorian calendar, every month, in every locale.
  @Test func datesAreThoseOfFoundation() throws {
    var different: [String] = []
    var total = 0
    let dates = try (1...12).map { try #require(CivilDate(year: 2026, month: $0, day: $0 * 2)) }
    for id in Locale.availableIdentifiers {
      let formatter = DateFormatter()
      var calendar = Calendar(identifier: .gregorian)
      calendar.locale = Locale(identifier: id)
      formatter.locale = Locale(identifier: id)
      formatter.calendar = calendar
      formatter.timeZone = TimeZone(identifier: "UTC")
      formatter.dateStyle = .medium
      formatter.timeStyle = .none
      let locale = PriceLocale(id)
      for date in dates {
        let instant = Date(timeIntervalSince1970: Double(date.daysSince1970) * 86_400)
        let (got, expected) = (locale.dates.text(date), formatter.string(from: instant))
        total += 1
        if !got.utf8.elementsEqual(expected.utf8) {
          different.append("\(id) \(got), not \(expected)")
        }
      }
    }
    #expect(total > 12_000)
    // Tibetan writes months in digits that its patterns do not tell.
    #expect(different.count * 100 <= total, "\(different.prefix(20))")
  }

  @Test(
    arguments: [
      ("de_DE", "de_DE", "de", .exact), ("zh_TW", "zh_Hant_TW", "zh", .exact),
      ("en-US", "en_US", "en", .exact), ("en_US@currency=EUR", "en_US", "en", .exact),
      ("EN_us", "en_US", "en", .exact), ("en_Latn_US", "en_US", "en", .exact),
      ("en_US_POSIX", "en_US_POSIX", "en", .exact),
      ("iw", "he", "he", .exact), ("de_US", "de+US", "de", .composed),
      ("es_BZ", "es_BZ", "es", .exact), ("en_AD", "en_150+AD", "en", .composed),
      ("fr_QQ", "fr", "fr", .languageOnly), ("xx", "en_001", "en", .unknown),
      ("", "en_001", "en", .unknown), ("ar_SA@numbers=latn", "ar_SA", "ar", .partial),
      ("ar_SA@currency=USD;numbers=latn", "ar_SA", "ar", .partial),
      ("de_DE_1996", "de_DE", "de", .partial), ("en_Cyrl", "en", "en", .partial),
      ("___", "en_001", "en", .unknown),
      ("\u{1F600}|\n", "en_001", "en", .unknown),
    ] as [(String, String, String, PriceLocale.Match)])
  func areFound(identifier: String, data: String, language: String, match: PriceLocale.Match) {
    let locale = PriceLocale(identifier)
    #expect(locale.dataIdentifier == data)
    #expect(locale.language == language)
    #expect(locale.match == match)
    #expect(locale.identifier == identifier)
  }

  @Test func knowsSymbolsAndCurrencies() throws {
    let dollar = Currency.usd
    #expect(PriceLocale("en_US").symbol(of: dollar) == "$")
    #expect(PriceLocale("zh_TW").symbol(of: dollar) == "US$")
    #expect(PriceLocale("ro_RO").symbol(of: dollar) == "USD")
    #expect(PriceLocale("de_US").symbol(of: dollar) == "$")
    #expect(PriceLocale("ja_BG").symbol(of: try #require(Currency("BGN"))) == "BGN")
    #expect(PriceLocale("ru_BG").symbol(of: try #require(Currency("BGN"))) == "лв.")
    #expect(PriceLocale("de_CH").regionCurrency?.code == "CHF")
    #expect(PriceLocale("fr_JP").regionCurrency?.code == "JPY")
    #expect(PriceLocale("en").regionCurrency == nil)
    #expect(Currency(storefront: "JPN")?.code == "JPY")
    #expect(Currency(storefront: "DEU")?.code == "EUR")
    #expect(Currency(storefront: "XYZ") == nil && Currency(storefront: "") == nil)
    #expect(PriceLocale("en_US").format(for: .none).text(micros: 9_990_000) == "¤9.99")
  }
}
