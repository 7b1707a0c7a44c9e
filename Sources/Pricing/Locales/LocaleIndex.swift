/// The locale tables with the places of their lines, which are found once, on first use. Everything else is read from
/// the tables when a ``PriceLocale`` is created.
struct LocaleIndex: Sendable {
  let shapes = TableLines(LocaleTable.shapes)
  let templates = TableLines(LocaleTable.templates)
  let datePatterns = TableLines(LocaleTable.datePatterns)
  let monthNames = TableLines(LocaleTable.monthNames)
  let plurals = TableLines(LocaleTable.plurals)
  let periodWords = TableLines(LocaleTable.periodWords)
  let dateNames = TableLines(LocaleTable.dateNames)
  let timeWords = TableLines(LocaleTable.timeWords)
  let currencies = TableLines(LocaleTable.currencies)
  let locales = TableLines(LocaleTable.locales)
  let aliases = TableLines(LocaleTable.aliases)
  let parents = TableLines(LocaleTable.parents)
  let regions = TableLines(LocaleTable.regions)

  /// The index of the tables that are compiled in.
  static let shared = LocaleIndex()

  /// One line of the locales, split into fields.
  struct Locale {
    var id: String
    /// The line with the symbols that this line leaves out.
    var base: Int?
    var script: String
    var shape: Int
    var signTemplate: Int
    var letterTemplate: Int
    var datePattern: Int
    var monthNames: Int
    var periodWords: Int
    var plurals: Int
    var regionCurrency: Currency?
    var exceptions: Substring
    var dateNames: Int
    var timeWords: Int
  }

  /// The locale of a line.
  func locale(_ line: Int) -> Locale {
    let fields = locales.fields(line)
    func number(_ field: Int) -> Int { Int(fields[field]) ?? 0 }
    return Locale(
      id: String(fields[0]), base: Int(fields[1]), script: String(fields[2]), shape: number(3),
      signTemplate: number(4), letterTemplate: number(5), datePattern: number(6),
      monthNames: number(7), periodWords: number(8), plurals: number(9),
      regionCurrency: Currency(String(fields[10])), exceptions: fields[12],
      dateNames: number(13), timeWords: number(14))
  }

  /// The symbol of a currency in the locale of a line.
  func symbol(_ currency: Currency, inLine line: Int) -> String {
    var line: Int? = line
    while let current = line {
      let fields = locales.fields(current)
      for entry in fields[11].split(separator: ";") where entry.hasPrefix(currency.code) {
        return String(entry.dropFirst(3))
      }
      // A base precedes the lines that name it, so the loop ends.
      line = Int(fields[1]).flatMap { $0 < current ? $0 : nil }
    }
    return common(currency).symbol
  }

  /// The values for a currency in most locales, or the code and two digits for an unknown currency.
  func common(_ currency: Currency) -> (digits: Int, symbol: String) {
    let code = currency.code
    guard let line = currencies.line(withPrefix: code) else { return (2, code) }
    let text = currencies.text(line)
    let digits = text.dropFirst(3).first?.wholeNumberValue ?? 2
    return (digits, text.utf8.count > 4 ? String(text.dropFirst(4)) : code)
  }

  /// The region with an ISO 3166 alpha-2 code: its codes, currency, main locale, and separators for other languages.
  func region(_ code: String) -> Region? {
    regions.line(withKey: code).map { Region(regions.fields($0)) }
  }

  /// The region with an ISO 3166 alpha-3 code, as in storefronts.
  func region(alpha3 code: String) -> Region? {
    guard !code.isEmpty else { return nil }
    for line in 0..<regions.count {
      let fields = regions.fields(line)
      if fields[1] == code { return Region(fields) }
    }
    return nil
  }

  struct Region {
    var code: String
    var currency: Currency?
    /// The locale id of the line, or an empty string if the line has none.
    var mainLocale: String
    var shape: Int?

    init(_ fields: [Substring]) {
      code = String(fields[0])
      currency = Currency(String(fields[2]))
      mainLocale = String(fields[3])
      shape = Int(fields[4])
    }
  }
}

extension Currency {
  /// The currency of a storefront, by the ISO 3166 alpha-3 code of its country: `JPN`. The result is nil if the country
  /// is not in the tables.
  public init?(storefront code: String) {
    guard let currency = LocaleIndex.shared.region(alpha3: code)?.currency else { return nil }
    self = currency
  }
}

/// The lines of a table.
struct TableLines: Sendable {
  // SAFETY: The table is a static string, which lives as long as the process. Lines end where
  // `init` found newlines. Tests: PriceLocaleTests.

  private let table: StaticString
  private let starts: [Int32]

  init(_ table: StaticString) {
    self.table = table
    var starts: [Int32] = [0]
    for i in 0..<table.utf8CodeUnitCount where table.utf8Start[i] == UInt8(ascii: "\n") {
      starts.append(Int32(i + 1))
    }
    starts.append(Int32(table.utf8CodeUnitCount + 1))
    self.starts = starts
  }

  var count: Int { starts.count - 1 }

  private func bytes(_ line: Int) -> UnsafeBufferPointer<UInt8> {
    let start = Int(starts[line])
    return UnsafeBufferPointer<UInt8>(
      start: table.utf8Start + start, count: Int(starts[line + 1]) - start - 1)
  }

  func text(_ line: Int) -> String { String(decoding: bytes(line), as: UTF8.self) }

  /// The fields of a line, separated by "|".
  func fields(_ line: Int) -> [Substring] {
    text(line).split(separator: "|", omittingEmptySubsequences: false)
  }

  /// The line whose first field is a key. The lines are sorted by this key.
  func line(withKey key: String) -> Int? {
    search(key) { line, length in
      line.count == length || line[length] == UInt8(ascii: "|")
    }
  }

  /// The line that begins with a prefix. The lines are sorted.
  func line(withPrefix prefix: String) -> Int? {
    search(prefix) { _, _ in true }
  }

  private func search(_ key: String, isFound: (UnsafeBufferPointer<UInt8>, Int) -> Bool) -> Int? {
    let key = Array(key.utf8)
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let line = bytes(middle)
      if line.starts(with: key), isFound(line, key.count) { return middle }
      // The separator of fields sorts after every letter, but the end of a key must sort before every letter.
      let first = line.prefix { $0 != UInt8(ascii: "|") }
      if first.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
