internal import Expressions
internal import RuleEngine

/// How a product is written on paywalls: the text attributes of the iOS SDK.
///
/// Amounts are exact: millionths in integers, and prices of other periods are cut to two digits
/// behind the point, as Superwall's SDKs do.
enum ProductTexts {
  static func texts(of product: StoreProduct) -> [String: String] {
    var texts = periodTexts(product)
    texts.merge(trialTexts(product)) { $1 }
    texts["identifier"] = product.id
    texts["rawPrice"] = plain(product.priceMicros)
    texts["price"] = product.displayPrice ?? money(product.priceMicros, product)
    texts["locale"] = product.locale
    texts["languageCode"] = LocaleParts.language(product.locale)
    texts["currencyCode"] = product.currencyCode
    texts["currencySymbol"] = product.currencySymbol ?? "n/a"
    return texts
  }

  private static func periodTexts(_ product: StoreProduct) -> [String: String] {
    var texts = counts(product.period, prefix: "period")
    let name = product.period.map { self.name($0) } ?? ""
    texts["period"] = name
    texts["periodly"] =
      name.isEmpty ? "" : name.first?.isNumber == true ? "every \(name)" : adverb(name)
    let localized = product.period.map {
      "\($0.count) \($0.unit.rawValue)\($0.count == 1 ? "" : "s")"
    }
    texts["localizedPeriod"] = localized ?? ""
    texts["periodAlt"] = localized ?? ""
    let targets: KeyValuePairs<String, SubscriptionPeriod.Unit> = [
      "dailyPrice": .day, "weeklyPrice": .week, "monthlyPrice": .month, "yearlyPrice": .year,
    ]
    for (key, target) in targets {
      texts[key] =
        product.period.map { money(price(product.priceMicros, each: $0, per: target), product) }
        ?? "n/a"
    }
    return texts
  }

  private static func trialTexts(_ product: StoreProduct) -> [String: String] {
    let offer = product.introductoryOffer
    var texts = counts(offer?.period, prefix: "trialPeriod")
    texts["rawTrialPeriodPrice"] = plain(offer?.priceMicros ?? 0)
    texts["trialPeriodPrice"] = money(offer?.priceMicros ?? 0, product)
    texts["trialPeriodText"] = offer.map { "\($0.period.days)-day" } ?? ""
    return texts
  }

  /// The wire's name of a period: `month`, `quarter`, `6 months`, `week` for seven days, ...
  private static func name(_ period: SubscriptionPeriod) -> String {
    switch (period.unit, period.count) {
    case (.day, 7): "week"
    case (.month, 2): "2 months"
    case (.month, 3): "quarter"
    case (.month, 6): "6 months"
    default: period.unit.rawValue
    }
  }

  private static func adverb(_ name: String) -> String { name == "day" ? "daily" : "\(name)ly" }

  /// How many whole days, weeks, months and years a period has, by the SDKs' table.
  private static func counts(_ period: SubscriptionPeriod?, prefix: String) -> [String: String] {
    let n = period?.count ?? 0
    let counts: [Int] =
      switch period?.unit {
      case .day: [n, n / 7, n / 30, n / 365]
      case .week: [7 * n, n, n / 4, n / 52]
      case .month: [30 * n, 4 * n, n, n / 12]
      case .year: [365 * n, 52 * n, 12 * n, n]
      case nil: [0, 0, 0, 0]
      }
    let names = ["Days", "Weeks", "Months", "Years"].map { prefix + $0 }
    return Dictionary(uniqueKeysWithValues: zip(names, counts.map { String($0) }))
  }

  /// The price of another period, in millionths, cut to hundredths: price / (factor * count).
  private static func price(
    _ micros: Int64, each period: SubscriptionPeriod, per target: SubscriptionPeriod.Unit
  ) -> Int64 {
    let (part, whole) = factor(target, in: period.unit)
    let count = Int64(max(period.count, 1))
    let (product, overflows) = micros.multipliedReportingOverflow(by: whole)
    guard !overflows else { return micros / (part * count) * whole }
    return product / (part * count) / 10_000 * 10_000
  }

  /// How many of a unit another unit has, as a fraction.
  private static func factor(_ target: SubscriptionPeriod.Unit, in unit: SubscriptionPeriod.Unit)
    -> (Int64, Int64)
  {
    switch (target, unit) {
    case (.day, .week): (7, 1)
    case (.day, .month): (365, 12)
    case (.day, .year): (365, 1)
    case (.week, .day): (1, 7)
    case (.week, .month): (52, 12)
    case (.week, .year): (52, 1)
    case (.month, .day): (12, 365)
    case (.month, .week): (12, 52)
    case (.month, .year): (12, 1)
    case (.year, .day): (1, 365)
    case (.year, .week): (1, 52)
    case (.year, .month): (1, 12)
    default: (1, 1)
    }
  }

  /// An amount with the currency's symbol before it and two digits behind the point.
  private static func money(_ micros: Int64, _ product: StoreProduct) -> String {
    let cents = micros / 10_000
    let rest = cents % 100
    let symbol = product.currencySymbol ?? "\(product.currencyCode) "
    return "\(symbol)\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// An amount as a plain decimal without trailing zeros.
  private static func plain(_ micros: Int64) -> String {
    var digits = String(micros % 1_000_000)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(micros / 1_000_000)" + (digits.isEmpty ? "" : ".\(digits)")
  }

  /// When an offer that starts now ends: days and weeks by the clock, months and years by the
  /// calendar in UTC, on the month's last day where it has no such day.
  static func end(of offer: StoreProduct.IntroductoryOffer, from now: Int64) -> Int64 {
    let day: Int64 = 86_400_000
    switch offer.period.unit {
    case .day, .week: return now + Int64(offer.period.days) * day
    case .month, .year:
      let date = CivilDate(daysSince1970: Int((Double(now) / Double(day)).rounded(.down)))
      let months = offer.period.unit == .year ? offer.period.count * 12 : offer.period.count
      let index = date.year * 12 + date.month - 1 + months
      var last = date.day
      while last > 28, CivilDate(year: index / 12, month: index % 12 + 1, day: last) == nil {
        last -= 1
      }
      guard let end = CivilDate(year: index / 12, month: index % 12 + 1, day: last) else {
        return now
      }
      return now + Int64(end.daysSince1970 - date.daysSince1970) * day
    }
  }
}
