// Prints what Foundation and the ICU inside it know about writing prices, dates and periods, a fact a
// line, for Tools/make_locales.py. Fields are separated by tabs:
//
//   icu       VERSION
//   locale    ID  LANGUAGE_SCRIPT_REGION  CURRENCY-OF-ITS-REGION
//   number    ID  1234 and 12345 and 123456789 as prices in XXX
//   price     ID  CODE  SYMBOL  1234567.891  -1234567.891
//   date      ID  PATTERN  12 months as the pattern writes them (MMM)  SAMPLE
//   names     ID  12 months, 12 short ones, 7 days of the week from Sunday, 7 short ones, as they
//             stand alone
//   period    ID  UNIT  WIDTH  N  TEXT
//   plural    ID  categories of 0 to 199  exceptions above
//   parent    ID  PARENT, where that is not the ID without its last part
//   region    ALPHA2  ALPHA3  MAIN-LOCALE  CURRENCY
//   alias     SHORT  ID, which differ by the script
//   composed  ID  CODE  the price 1234567.891, for a language and a region that make no locale
//
// Build it with `swiftc -O Tools/dump_locales.swift -l_FoundationICU`.
import Foundation
import _FoundationICU

func line(_ fields: String...) { print(fields.joined(separator: "\t")) }

func wide(_ text: String) -> [UInt16] { Array(text.utf16) + [0] }

/// What a function of ICU writes into a buffer.
func text(_ write: (UnsafeMutablePointer<UInt16>, Int32) -> Int32) -> String {
  var buffer = [UInt16](repeating: 0, count: 256)
  let count = buffer.withUnsafeMutableBufferPointer { write($0.baseAddress!, 256) }
  return String(decoding: buffer[..<Int(max(count, 0))], as: UTF16.self)
}

// MARK: Prices

func price(_ amount: String, _ code: String, _ locale: Locale) -> String {
  Decimal(string: amount)!.formatted(Decimal.FormatStyle.Currency(code: code, locale: locale))
}

func symbol(_ code: String, _ locale: String) -> String {
  // Without a symbol the answer points to the code that was passed.
  wide(code).withUnsafeBufferPointer { code in
    var status = U_ZERO_ERROR
    var length: Int32 = 0
    var isChoice: UBool = 0
    let name = swift_ucurr_getName(
      code.baseAddress!, locale, UCURR_SYMBOL_NAME, &isChoice, &length, &status)
    return String(
      decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF16.self)
  }
}

func dumpPrices(_ id: String, _ codes: [String]) {
  let locale = Locale(identifier: id)
  line(
    "number", id, price("1234", "XXX", locale), price("12345", "XXX", locale),
    price("123456789", "XXX", locale))
  for code in codes {
    line(
      "price", id, code, symbol(code, id), price("1234567.891", code, locale),
      price("-1234567.891", code, locale))
  }
}

// MARK: Dates

/// The date of the sample: one digit for the day and for the month.
let sampleDate = 1_772_755_200_000.0

func dumpDate(_ id: String) {
  var status = U_ZERO_ERROR
  let zone = wide("UTC")
  // Gregorian everywhere: other calendars would give years such as 2569.
  let format = swift_udat_open(
    UDAT_NONE, UDAT_MEDIUM, id + "@calendar=gregorian", zone, -1, nil, 0, &status)
  let pattern = text { swift_udat_toPattern(format, 0, $0, $1, &status) }
  let months = (0..<12).map { month in
    text { swift_udat_getSymbols(format, UDAT_SHORT_MONTHS, Int32(month), $0, $1, &status) }
  }
  let sample = text { swift_udat_format(format, sampleDate, $0, $1, nil, &status) }
  func names(_ kind: UDateFormatSymbolType, _ numbers: Range<Int32>) -> [String] {
    numbers.map { number in
      text { swift_udat_getSymbols(format, kind, number, $0, $1, &status) }
    }
  }
  let alone =
    names(UDAT_STANDALONE_MONTHS, 0..<12) + names(UDAT_STANDALONE_SHORT_MONTHS, 0..<12)
    + names(UDAT_STANDALONE_WEEKDAYS, 1..<8) + names(UDAT_STANDALONE_SHORT_WEEKDAYS, 1..<8)
  swift_udat_close(format)
  line((["names", id] + alone).joined(separator: "\t"))
  line(["date", id, pattern].joined(separator: "\t"), months.joined(separator: "\t"), sample)
}

// MARK: Periods

func dumpPeriods(_ id: String, _ counts: [Int64]) {
  for unit in ["day", "week", "month", "year", "hour", "minute", "second"] {
    for width in ["short", "full-name"] {
      var status = U_ZERO_ERROR
      let skeleton = wide("unit/\(unit) unit-width-\(width) group-off")
      let format = swift_unumf_openForSkeletonAndLocale(skeleton, -1, id, &status)
      let result = swift_unumf_openResult(&status)
      for count in counts {
        swift_unumf_formatInt(format, count, result, &status)
        let text = text { swift_unumf_resultToString(result, $0, $1, &status) }
        line("period", id, unit, width, String(count), text)
      }
      swift_unumf_closeResult(result)
      swift_unumf_close(format)
    }
  }
}

func category(_ rules: OpaquePointer?, _ number: Int) -> String {
  var status = U_ZERO_ERROR
  return text { swift_uplrules_select(rules, Double(number), $0, $1, &status) }
}

/// The plural categories of whole numbers. Rules look at a number as it is or at its last two
/// digits, so 200 numbers tell, but for what is listed behind them.
func dumpPlurals(_ id: String) {
  var status = U_ZERO_ERROR
  let rules = swift_uplrules_open(id, &status)
  let names = (0..<200).map { category(rules, $0) }
  var exceptions: [String] = []
  for number in Array(200..<2_000) + [100_000, 1_000_000, 2_000_000, 1_000_001, 10_000_000] {
    let name = category(rules, number)
    if name != names[100 + number % 100] { exceptions.append("\(number)=\(name)") }
  }
  swift_uplrules_close(rules)
  line("plural", id, names.joined(separator: " "), exceptions.joined(separator: " "))
}

// MARK: Parents

/// The parents that CLDR names: `es_MX` inherits from `es_419`.
func dumpParents() {
  var status = U_ZERO_ERROR
  let data = swift_ures_openDirect(nil, "supplementalData", &status)
  let parents = swift_ures_getByKey(data, "parentLocales", nil, &status)
  func string(_ get: (UnsafeMutablePointer<Int32>) -> UnsafePointer<UInt16>?) -> String? {
    var length: Int32 = 0
    status = U_ZERO_ERROR
    guard let text = get(&length), status.rawValue <= 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF16.self)
  }
  for i in 0..<swift_ures_getSize(parents) {
    let entry = swift_ures_getByIndex(parents, i, nil, &status)
    let parent = String(cString: swift_ures_getKey(entry))
    var children = [string { swift_ures_getString(entry, $0, &status) }].compactMap { $0 }
    for j in 0..<(children.isEmpty ? swift_ures_getSize(entry) : 0) {
      string { swift_ures_getStringByIndex(entry, j, $0, &status) }.map { children.append($0) }
    }
    for child in children { line("parent", child, parent) }
    swift_ures_close(entry)
  }
}

// MARK: What there is

/// The locales that Foundation has data for.
let identifiers = Locale.availableIdentifiers.sorted()
let codes = Locale.Currency.isoCurrencies.map { $0.identifier.uppercased() }.sorted()
let regions = Locale.Region.isoRegions.map(\.identifier).filter { $0.count == 2 }.sorted()

line("icu", U_ICU_VERSION)
dumpParents()
for id in identifiers {
  let locale = Locale(identifier: id)
  let full = locale.language.maximalIdentifier.replacing("-", with: "_")
  line("locale", id, full, locale.currency?.identifier.uppercased() ?? "")
}
// One number at least for each plural category of every language.
let counts: [Int64] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 18, 20, 21, 22, 100, 101, 111, 1_000_000]
for id in identifiers {
  dumpDate(id)
  dumpPlurals(id)
  dumpPeriods(id, counts)
  dumpPrices(id, codes)
}
for region in regions {
  let alpha3 = swift_uloc_getISO3Country("und_" + region).map { String(cString: $0) } ?? ""
  let main = Locale(identifier: "und_" + region).language.maximalIdentifier
  let currency = Locale(identifier: "en_" + region).currency?.identifier.uppercased() ?? ""
  line("region", region, alpha3, main.replacing("-", with: "_"), currency)
}
// Languages with regions that make no locale of the list: Foundation takes separators and symbols
// from the region. The languages are in several scripts, with prices before and behind.
let known = Set(identifiers)
for language in ["de", "fr", "sv", "ja", "hi", "ga", "cs", "th", "en", "es", "ru", "zh_Hant"] {
  for region in regions where !known.contains("\(language)_\(region)") {
    let id = "\(language)_\(region)"
    let locale = Locale(identifier: id)
    for code in ["USD", "EUR", "JPY", "KWD", "CAD", "BRL"] {
      line("composed", id, code, price("1234567.891", code, locale))
    }
  }
}
// Identifiers that leave out the script: zh_TW stands for zh_Hant_TW.
for id in identifiers {
  let parts = id.split(separator: "_")
  guard parts.count == 3 else { continue }
  let short = "\(parts[0])_\(parts[2])"
  let full = Locale(identifier: short).language.maximalIdentifier.replacing("-", with: "_")
  if full == id, !known.contains(short) { line("alias", short, id) }
}
