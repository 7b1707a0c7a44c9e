/// The formats of prices, dates and periods in a locale. A locale never changes, so it can be shared between threads.
///
/// Identifiers that are missing from the tables are resolved as in Foundation. If only the combination of language and
/// region is missing, the patterns are those of the language, and the separators and currency symbols are those of the
/// region. If the region is missing, the language's default formats apply. An unknown language uses world English
/// (`en_001`).
public final class PriceLocale: Sendable {
  /// The requested identifier, unchanged.
  public let identifier: String
  /// The source of the data, such as `de_DE`, or `de+US` for a language combined with a region.
  public let dataIdentifier: String
  /// The language code: `en`, `zh`.
  public let language: String
  /// The region code, or nil.
  public let region: String?
  /// The currency of the region, or nil if the locale has no region.
  public let regionCurrency: Currency?

  /// How well the identifier matches the tables.
  package let match: Match
  /// The line whose patterns, dates and words are used.
  let line: Int
  /// The line of the region's main locale, if the separators and symbols are from it.
  let regionLine: Int?
  let shape: NumberShape
  package let dates: ShortDate
  package let periods: PeriodWords

  /// The ICU version of the tables.
  public static var dataVersion: String { "\(LocaleTable.release)" }

  /// All identifiers in the tables, sorted.
  public static var identifiers: [String] {
    let lines = LocaleIndex.shared.locales
    return (0..<lines.count).map { String(lines.fields($0)[0]) }
  }

  /// The locale of an identifier such as `de_DE`, `de-DE` or `en_US@currency=USD`. Keywords are ignored. Every string
  /// results in a locale.
  public init(_ identifier: String) {
    let index = LocaleIndex.shared
    let wanted = LocaleIdentifier(identifier)
    let found = Self.find(wanted, index)
    let locale = index.locale(found.line)
    let main = found.region.flatMap { index.locales.line(withKey: $0.mainLocale) }
    self.identifier = identifier
    line = found.line
    regionLine = main
    var shape = NumberShape(index.shapes.fields(locale.shape))
    // Arabic digits have separators of their own.
    if let region = found.region, let number = region.shape, !shape.hasArabicDigits {
      shape.takeSeparators(of: NumberShape(index.shapes.fields(number)))
    }
    self.shape = shape
    dates = ShortDate(
      pattern: index.datePatterns.text(locale.datePattern),
      months: index.monthNames.fields(locale.monthNames), zero: shape.zero)
    periods = PeriodWords(
      index.periodWords.fields(locale.periodWords),
      categories: index.plurals.text(locale.plurals), zero: shape.zero)
    language = wanted.language.isEmpty || found.kind == .unknown ? "en" : wanted.language
    region = wanted.region.isEmpty ? nil : wanted.region
    regionCurrency =
      region.flatMap { index.region($0)?.currency } ?? locale.regionCurrency
    dataIdentifier = found.region.map { "\(locale.id)+\($0.code)" } ?? locale.id
    match = found.kind == .exact && !Self.isWhole(wanted, locale.id) ? .partial : found.kind
  }

  // MARK: Matching

  package enum Match {
    case exact
    /// The match is exact except for keywords, variants, or a script that the language does not use.
    case partial
    /// The match combines a language with the separators and symbols of a region.
    case composed
    /// The region is unknown.
    case languageOnly
    case unknown
  }

  private static func find(_ wanted: LocaleIdentifier, _ index: LocaleIndex)
    -> (line: Int, region: LocaleIndex.Region?, kind: Match)
  {
    let id = wanted.id
    if let line = exact(wanted, index) { return (line, nil, .exact) }
    var base: Int?
    if let line = index.parents.line(withKey: id) {
      base = index.locales.line(withKey: String(index.parents.fields(line)[1]))
    }
    let language = LocaleIdentifier.join(wanted.language, wanted.script)
    base =
      base ?? index.locales.line(withKey: language)
      ?? index.locales.line(withKey: wanted.language)
    guard let base else {
      // en_001 always exists, as a test checks.
      return (index.locales.line(withKey: "en_001") ?? 0, nil, .unknown)
    }
    if let region = index.region(wanted.region) { return (base, region, .composed) }
    guard wanted.region.isEmpty else { return (base, nil, .languageOnly) }
    return (base, nil, index.locale(base).id == language ? .exact : .partial)
  }

  /// The line of the identifier itself, of its long form, or of the identifier without a script that the language always uses.
  private static func exact(_ wanted: LocaleIdentifier, _ index: LocaleIndex) -> Int? {
    for id in [wanted.whole, wanted.id] {
      if let line = index.locales.line(withKey: id) { return line }
    }
    if let alias = index.aliases.line(withKey: wanted.id) {
      return index.locales.line(withKey: String(index.aliases.fields(alias)[1]))
    }
    guard !wanted.script.isEmpty else { return nil }
    let short = LocaleIdentifier.join(wanted.language, wanted.region)
    guard let line = index.locales.line(withKey: short),
      index.locale(line).script == wanted.script
    else { return nil }
    return line
  }

  /// Whether no part of an identifier was left out.
  private static func isWhole(_ wanted: LocaleIdentifier, _ base: String) -> Bool {
    !wanted.hasKeywords && (!wanted.hasVariants || base == wanted.whole)
  }

  // MARK: Currencies

  /// The usual symbol of a currency in this locale: `$`, `US$`, `CHF`.
  public func symbol(of currency: Currency) -> String {
    let index = LocaleIndex.shared
    let own = index.symbol(currency, inLine: line)
    guard let regionLine else { return own }
    let theirs = index.symbol(currency, inLine: regionLine)
    let plain = Self.withoutMarks(theirs)
    if plain == currency.code { return own }
    if plain.unicodeScalars.allSatisfy(Self.isPlain) { return plain }
    return index.locale(line).script == index.locale(regionLine).script ? theirs : own
  }

  /// The format of prices in a currency in this locale. Create the format once and use it for all prices.
  public func format(for currency: Currency) -> CurrencyFormat {
    let index = LocaleIndex.shared
    let locale = index.locale(line)
    let symbol = symbol(of: currency)
    var shape = shape
    var template = index.templates.fields(locale.letterTemplate)
    let signs = index.templates.fields(locale.signTemplate)
    let isBefore = signs[0].unicodeScalars.contains("¤")
    let edge = isBefore ? symbol.unicodeScalars.last : symbol.unicodeScalars.first
    if edge.map(Self.isSign) ?? false { template = signs }
    if regionLine == nil,
      let exception = locale.exceptions.split(separator: " ").first(where: {
        $0.hasPrefix(currency.code)
      })
    {
      let numbers = exception.split(separator: ":")
      template = index.templates.fields(Int(numbers[1]) ?? 0)
      shape = NumberShape(index.shapes.fields(Int(numbers[2]) ?? 0))
    }
    return CurrencyFormat(
      template.map { Self.replaceSign($0, symbol) }, shape,
      digits: index.common(currency).digits)
  }

  /// The template with the symbol in place of "¤". The function replaces scalars, because characters may combine.
  private static func replaceSign(_ template: Substring, _ symbol: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in template.unicodeScalars {
      if scalar == "¤" {
        text.append(contentsOf: symbol.unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  private static func withoutMarks(_ text: String) -> String {
    let marks: [Unicode.Scalar] = ["\u{200E}", "\u{200F}", "\u{61C}", "\u{A0}", "\u{202F}", " "]
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !marks.contains($0) }))
  }

  /// Letters of the Latin script, and characters that are not letters. Every language uses these characters unchanged.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      // Basic Latin to Latin Extended-B, and Latin Extended Additional.
      scalar.value < 0x250 || 0x1E00...0x1EFF ~= scalar.value
    default: true
    }
  }

  /// Signs and spaces, which need no further space between them and a number.
  private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator,
      .lineSeparator, .paragraphSeparator:
      true
    default: false
    }
  }
}
