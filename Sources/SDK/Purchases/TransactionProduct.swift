public import CivilTime
public import Expressions
public import Pricing
internal import RuleEngine

/// The product of a transaction event: the store's data and its formatted attributes.
public struct TransactionProduct: Hashable, Sendable {
  public var product: StoreProduct
  /// The attributes that paywalls show (`price`, `periodly`, `trialPeriodText`, ...), exactly as the platform's SDK
  /// writes them. Nil if a price is missing or too large.
  public var attributes: ProductAttributes?
  /// When a trial that starts now would end.
  public var trialEnd: Instant?

  /// - Parameters:
  ///   - product: the store's product.
  ///   - platform: the platform whose SDK formats the attributes.
  ///   - context: the current time, the time zone and the locale.
  public init(_ product: StoreProduct, on platform: Platform, in context: PricingContext) {
    self.product = product
    let profile = PricingProfile(usualFor: product.store, isAndroid: platform == .android)
    guard var producer = try? AttributeProducer(profile, context) else { return }
    attributes = try? producer.attributes(of: product.priced)
    trialEnd = producer.trialEnd(of: product.priced)
  }

  /// The attributes that are strings, by name.
  public var texts: [String: String] { attributes?.texts ?? [:] }

  /// The JSON form in the SDK contract.
  public var value: Value {
    let texts = texts
    func text(_ name: String) -> Value { .string(texts[name] ?? "") }
    func units(_ micros: Int64?) -> Value { .double(Double(micros ?? 0) / 1_000_000) }
    let identifier = texts["identifier"] ?? product.id
    let locale = texts["locale"] ?? product.priced.locale ?? ""
    var all: [String: Value] = [
      "id": .string(product.id), "productIdentifier": .string(product.priced.identifier),
      "fullIdentifier": .string(identifier), "price": units(product.price?.micros),
      "localizedPrice": .string(texts["price"] ?? product.displayPrice ?? ""),
      "localizedSubscriptionPeriod": text("localizedPeriod"),
      "hasFreeTrial": attributes?["hasFreeTrial"] ?? .bool(product.introductoryOffer != nil),
      "localizedTrialPeriodPrice": text("trialPeriodPrice"),
      "trialPeriodPrice": units(product.introductoryOffer?.micros),
      "trialPeriodEndDate": trialEnd?.text.map { .string($0) } ?? .null,
      "trialPeriodEndDateString": text("trialPeriodEndDate"),
      "locale": .string(locale),
      "languageCode": text("languageCode"), "currencyCode": text("currencyCode"),
      "currencySymbol": text("currencySymbol"),
      "regionCode": LocaleParts.region(locale).map { .string($0) } ?? .null,
      "subscriptionPeriod": product.period.map { period in
        .object(["unit": .string(period.unit.name), "value": .whole(period.count)])
      } ?? .null,
      "subscriptionGroupIdentifier": product.priced.subscriptionGroupID.map { .string($0) }
        ?? .null,
      "isFamilyShareable": .bool(product.priced.isFamilyShareable),
      "attributes": attributes.map { $0.value(0..<$0.schema.ownCount, withAbsent: false) }
        ?? .map([]),
    ]
    for name in [
      "period", "periodly", "dailyPrice", "weeklyPrice", "monthlyPrice", "yearlyPrice",
      "trialPeriodText",
    ] {
      all[name] = text(name)
    }
    for prefix in ["period", "trialPeriod"] {
      for unit in ["Days", "Weeks", "Months", "Years"] {
        let count = texts[prefix + unit] ?? "0"
        all[prefix + unit] = .int(Int64(count) ?? 0)
        all[prefix + unit + "String"] = .string(count)
      }
    }
    return .members(all)
  }
}

extension PricingContext {
  /// The context for rendering texts on a device now. The time zone tables may lack the device's zone.
  init(now: Instant, timeZone: String, locale: String) {
    let zone = TimeZones.zone(named: timeZone) == nil ? "UTC" : timeZone
    self.init(now: now, timeZone: zone, deviceLocale: locale)
  }
}
