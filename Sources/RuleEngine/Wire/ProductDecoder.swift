internal import Expressions
internal import Pricing

/// Reads products. This file contains the code that the formats share, and each format has its own file.
package struct ProductDecoder {
  var log = DecodingLog(strictPeers: [])
  let numbers: NumberTexts

  init(numbers: NumberTexts) { self.numbers = numbers }

  // MARK: Prices

  /// Reads a price in micros from a number or a decimal string. Other values are reported.
  mutating func micros(_ element: ConfigElement?) -> Int64? {
    guard let element else { return nil }
    do throws(PricingError) {
      let micros =
        if let text = element.text {
          try PriceText.micros(text)
        } else {
          try numbers.micros(element)
        }
      guard let micros else { throw .notAPrice }
      guard micros >= 0 else {
        log.report("a price must not be negative", at: element.path)
        return nil
      }
      return micros
    } catch {
      log.report(error.message, at: element.path)
      return nil
    }
  }

  /// The currency under a key, or US dollars. Reports an unknown currency.
  mutating func currency(_ key: String, of element: ConfigElement) -> Currency? {
    guard let member = element.member(key) else { return nil }
    if let text = member.text, let currency = Currency(text) {
      if !currency.isListed {
        let close = Suggestion.closest(to: currency.code, among: Currency.listedCodes)
        log.report(
          "'\(text)' is not an ISO 4217 code; it is printed as is", severity: .warning,
          at: member.path, suggestion: close.map { "did you mean '\($0)'?" })
      }
      return currency
    }
    log.report("a currency must be a three-letter code such as \"USD\"", at: member.path)
    return nil
  }

  // MARK: Periods

  /// Reads a period: `{"unit":"month","count":1}`, `{"iso8601":"P1M"}`, the ISO string itself, or a single unit such as
  /// `"month"`.
  mutating func period(_ element: ConfigElement?) -> (period: Period, iso: ISOPeriod?)? {
    guard let element else { return nil }
    if let unit = element.text.flatMap({ Period.Unit($0) }) { return (Period(known: unit, 1), nil) }
    if let text = element.text ?? element.member("iso8601")?.text {
      return isoPeriod(text, at: element.path)
    }
    guard let name = element.member("unit")?.text, let unit = Period.Unit(name) else {
      log.report(
        "a period needs a 'unit' (day, week, month or year) and a 'count'", at: element.path)
      return nil
    }
    let count = element.member("count") ?? element.member("value")
    guard let count else { return (Period(known: unit, 1), nil) }
    guard let number = count.wholeNumber, let period = Period(unit, number), number > 0 else {
      log.report("a period's count must be from 1 to \(Period.maximumCount)", at: count.path)
      return nil
    }
    return (period, nil)
  }

  mutating func isoPeriod(_ text: String, at path: String) -> (period: Period, iso: ISOPeriod?)? {
    guard let iso = ISOPeriod(text) else {
      log.report(
        "'\(text)' is not an ISO 8601 period such as P1M or P1Y", at: path,
        suggestion: "write P1W, P1M, P3M or P1Y")
      return nil
    }
    guard let period = iso.period, period.count > 0 else {
      log.report(
        "'\(text)' is not a whole number of days, weeks, months or years above 0", at: path)
      return nil
    }
    return (period, iso)
  }

  /// Reads a whole number that is not negative.
  mutating func count(_ element: ConfigElement?, _ what: String) -> Int? {
    guard let element else { return nil }
    guard let number = element.wholeNumber, 0...Period.maximumCount ~= number else {
      log.report(
        "\(what) must be a whole number from 0 to \(Period.maximumCount)", at: element.path)
      return nil
    }
    return number
  }

  // MARK: Names

  /// The names of stores, including the names in configs and replies, such as `ios`, `apple` and `google`. Case does
  /// not matter.
  package static let storeWords: [(word: String, store: PricedProduct.Store)] = [
    ("APP_STORE", .appStore), ("IOS", .appStore), ("APPLE", .appStore), ("PLAY_STORE", .playStore),
    ("ANDROID", .playStore), ("GOOGLE", .playStore), ("PLAY", .playStore), ("STRIPE", .stripe),
    ("PADDLE", .paddle), ("SUPERWALL", .superwall), ("CUSTOM", .custom),
  ]
  /// The stores by their own names.
  package static let storeNames = storeWords.filter { $0.word == $0.store.rawValue }.map { $0.word }

  /// Reads a store by any of its names.
  mutating func store(_ element: ConfigElement?) -> PricedProduct.Store? {
    guard let element else { return nil }
    let word = element.text?.uppercased()
    if let known = Self.storeWords.first(where: { $0.word == word }) { return known.store }
    log.report(
      "\(element.text.map { "the store '\($0)'" } ?? "this store") is unknown; treated as custom",
      severity: .warning, at: element.path,
      suggestion: "write APP_STORE, PLAY_STORE, STRIPE, PADDLE or CUSTOM")
    return .custom
  }

  /// Reads identifiers of entitlements: strings, or objects with an `identifier`.
  mutating func entitlements(_ element: ConfigElement?) -> [String] {
    guard let element else { return [] }
    guard let elements = element.elements else {
      log.report("'entitlements' must be a list", severity: .warning, at: element.path)
      return []
    }
    return elements.compactMap { entry in
      if let text = entry.text ?? entry.member("identifier")?.text ?? entry.member("id")?.text {
        return text
      }
      log.report("an entitlement needs an identifier", severity: .warning, at: entry.path)
      return nil
    }
  }

  /// The elements of a list under a key. Reports a value that is not a list.
  mutating func list(_ key: String, of element: ConfigElement) -> [ConfigElement] {
    log.list(key, of: element)
  }

  // MARK: Checks

  /// The checks that apply to every product.
  mutating func check(_ product: PricedProduct) {
    checkTrial(product)
    guard let period = product.period else { return }
    let android = (product.isoPeriod ?? ISOPeriod(period)).androidPeriod
    guard let android, android != period.normalized else { return }
    log.report(
      .platformDifference,
      "the period is \(period.words) on iOS, and \(android.words) in Superwall's Android SDK",
      severity: .note, at: product.path.isEmpty ? "" : product.path)
  }

  private mutating func checkTrial(_ product: PricedProduct) {
    let full = product.fullIdentifier ?? product.identifier
    guard let days = product.trialDays else { return }
    if [.stripe, .paddle].contains(product.store), days > 0,
      let id = CompositeProductID(full), id.saysNoTrial
    {
      log.report(
        .trialContradiction,
        "the identifier '\(full)' says 'no trial', but the product has \(days) trial days; the days are used",
        severity: .warning, at: product.path)
    }
    if let intro = product.intro, intro.period.unit == .day,
      intro.period.count * intro.cycles != days
    {
      log.report(
        .trialContradiction,
        "the introductory offer has \(intro.period.count * intro.cycles) days, "
          + "the trial \(days) days", severity: .warning, at: product.path)
    }
  }
}

extension DecodingLog {
  /// Reports a problem with an element.
  mutating func report(
    _ message: String, severity: Diagnostic.Severity = .error, at path: String,
    suggestion: String? = nil
  ) {
    report(.decodeFailure, message, severity: severity, at: path, suggestion: suggestion)
  }
}
