internal import Expressions
internal import Pricing
internal import RuleEngine

/// The product, system and context of a pricing case, and the operations on them.
struct PricingInput {
  private let product: Value
  private let system: String
  private let context: Value

  init(_ product: Value, _ testCase: Case) {
    self.product = product
    context = testCase.content["context"] ?? .null
    system = testCase.content["system"]?.text ?? ""
  }

  // MARK: Operations

  /// The attributes in the given profile, or in the profile of the system.
  func attributes(_ profile: PricingProfile? = nil) throws(PricingCaseError) -> Value {
    let decoded = try decodedProduct()
    let profile = profile ?? self.profile
    let deviceLocale = text("deviceLocale", of: context) ?? decoded.locale ?? "en_US"
    guard let now = try? WireTime.instant(text("now", of: context) ?? "1970-01-01T00:00:00Z")
    else { throw .malformed("context.now") }
    let context = PricingContext(
      now: now, timeZone: text("timeZone", of: context) ?? "UTC", deviceLocale: deviceLocale)
    return try PricingCaseError.wrap { () throws(PricingError) in
      var producer = try AttributeProducer(profile, context)
      return try producer.attributes(of: decoded).value(withAbsent: true)
    }
  }

  /// Prices per day, week, month and year as plain decimals, before formatting.
  func periodPrices() throws(PricingCaseError) -> Value {
    guard let period = period("period") else { throw .malformed("product.period") }
    let isAndroid = system.hasPrefix("superwall-android")
    let terms = isAndroid ? ISOPeriod(period).androidPeriod ?? period : period.normalized
    let micros = try price("price")
    let prices = UnitPrices(
      micros: micros, period: terms, factors: isAndroid ? .android : .superwall)
    var entries: [Value.Entry] = []
    for (name, unit) in [
      ("pricePerDay", Period.Unit.day), ("pricePerWeek", .week), ("pricePerMonth", .month),
      ("pricePerYear", .year),
    ] {
      let derived = try PricingCaseError.wrap { () throws(PricingError) in
        try prices.per(unit, digits: 2, .down).micros
      }
      // Prices have two decimals, except a price of zero.
      let text = derived == 0 && micros == 0 ? "0" : PriceText.plain(derived, digits: 2)
      entries.append(Value.Entry(key: .string(name), value: .string(text)))
    }
    return .map(entries)
  }

  /// The period of an ISO 8601 string, as the system reads it.
  func parsedPeriod() throws(PricingCaseError) -> Value {
    guard let text = text("iso8601", of: product) else { throw .malformed("product.iso8601") }
    let iso = ISOPeriod(text)
    let period = system.hasPrefix("superwall-android") ? iso?.androidPeriod : iso?.period
    return period.map(Self.value) ?? .null
  }

  func formatted() throws(PricingCaseError) -> Value {
    guard let locale = text("locale", of: product) else { throw .malformed("product.locale") }
    let format = PriceLocale(locale).format(for: currency)
    return ["formatted": .string(format.text(micros: try price("price")))]
  }

  /// The raw price that the system derives from micros or minor units.
  func decodedPrice() throws(PricingCaseError) -> Value {
    ["rawPrice": try attributes()["rawPrice"] ?? .null]
  }

  func productID() throws(PricingCaseError) -> Value {
    guard let text = text("fullIdentifier", of: product) else {
      throw .malformed("product.fullIdentifier")
    }
    if system.hasSuffix("stripe") || system.hasSuffix("paddle") {
      guard let id = CompositeProductID(text) else { return .null }
      return [
        "environment": .string(id.environment), "priceId": .string(id.priceID),
        "trial": id.trial.map { .string($0) } ?? .null,
      ]
    }
    let id = PlayProductID(text)
    func choice(_ choice: PlayProductID.Choice) -> Value {
      switch choice {
      case .automatic: ["type": "auto"]
      case .none: ["type": "none"]
      case .specific(let name): ["type": "specific", "id": .string(name)]
      }
    }
    return [
      "productId": .string(id.productID), "basePlan": choice(id.basePlan),
      "offer": choice(id.offer), "fullIdentifier": .string(id.text),
    ]
  }

  func eligibility() throws(PricingCaseError) -> Value {
    var decoded = try decodedProduct()
    decoded.store = store
    if product["hasFreeTrial"] == .bool(true), !decoded.offersTrial {
      decoded.intro = Period(.day, 7).map { IntroductoryOffer(.freeTrial, $0) }
    }
    var rules = TrialRules(platform: system.hasPrefix("superwall-android") ? .android : .ios)
    if let mode = text("introOfferEligibility", of: context) {
      guard let known = TrialRules.Mode(rawValue: mode) else {
        throw .malformed("context.introOfferEligibility")
      }
      rules.mode = known
    }
    if let override = context["isFreeTrialOverride"]?.truth { rules.override = override }
    var history = TrialHistory()
    if let values = context["customerEntitlements"]?.elements {
      history.entitlements = values.map(entitlement)
    }
    func fact(_ key: String) -> Bool? {
      context[key]?.truth
    }
    history.storeEligibility = fact("storeEligible") ?? fact("isEligible")
    history.hasActiveSubscriptionInGroup = fact("hasActiveSubscriptionInGroup") ?? false
    history.hasActiveTrialInGroup = fact("hasActiveTrialInGroup") ?? false
    return ["isFreeTrialAvailable": .bool(rules.isTrialAvailable([decoded], history))]
  }

  private func entitlement(_ value: Value) -> TrialHistory.Entitlement {
    let store = text("store", of: value).flatMap { PricedProduct.Store(rawValue: $0.uppercased()) }
    return TrialHistory.Entitlement(
      id: text("id", of: value) ?? "", isActive: value["isActive"] == .bool(true),
      latestProductID: text("latestProductId", of: value), store: store)
  }

  /// AgentWallie's variables by slot.
  func resolvedProducts() throws(PricingCaseError) -> Value {
    guard let slots = product["slots"]?.elements else { throw .malformed("product.slots") }
    var products: [PricedProduct] = []
    for slot in slots {
      var resolved =
        if let store = slot["store"] { try decodedProduct(store) } else {
          PricedProduct(identifier: "")
        }
      resolved.slot = text("slot", of: slot)
      resolved.label = text("label", of: slot)
      if resolved.price == nil { resolved.displayPrice = text("displayPrice", of: slot) }
      resolved.displayPeriod = text("displayPeriod", of: slot) ?? resolved.displayPeriod
      products.append(resolved)
    }
    let locale = text("deviceLocale", of: context) ?? "en_US"
    let attributes = try PricingCaseError.wrap { () throws(PricingError) in
      var producer = try AttributeProducer(
        .agentWallie, PricingContext(now: 0, deviceLocale: locale))
      return producer.attributes(of: products)
    }
    var entries: [Value.Entry] = []
    for (product, result) in zip(products, attributes) {
      let value = try PricingCaseError.wrap { () throws(PricingError) in
        try result.get().value(withAbsent: true)
      }
      entries.append(Value.Entry(key: .string(product.slot ?? ""), value: value))
    }
    return .map(entries)
  }

  // MARK: Reading

  /// The product, read by the decoder of product files, which supports most of the keys.
  private func decodedProduct(_ value: Value? = nil) throws(PricingCaseError) -> PricedProduct {
    let value = value ?? product
    var decoder = PricingCaseDecoder(system: system)
    guard let decoded = decoder.product(value) else {
      throw .malformed("product: \(decoder.problems)")
    }
    return decoded
  }

  private var profile: PricingProfile {
    switch system {
    case "seed-000": .iosAPI
    default:
      PricingProfile(
        rawValue: system.hasPrefix("superwall-") ? String(system.dropFirst(10)) : system)
        ?? .iosStoreKit2
    }
  }

  private var store: PricedProduct.Store {
    switch text("store", of: product) ?? String(system.split(separator: "-").last ?? "") {
    case "stripe": .stripe
    case "paddle": .paddle
    case "play": .playStore
    case "custom", "superwall", "api": .custom
    default: .appStore
    }
  }

  private var currency: Currency { text("currency", of: product).flatMap { Currency($0) } ?? .usd }

  private func price(_ key: String) throws(PricingCaseError) -> Int64 {
    guard let text = text(key, of: product) else { throw .malformed("product.\(key)") }
    return try PricingCaseError.wrap { () throws(PricingError) in try PriceText.micros(text) }
  }

  func period(_ key: String) -> Period? {
    guard let value = product[key], let unit = text("unit", of: value).flatMap({ Period.Unit($0) }),
      case .int(let count)? = value["count"]
    else { return nil }
    return Period(unit, Int(clamping: count))
  }

  static func value(_ period: Period) -> Value {
    ["unit": .string(period.unit.name), "count": .int(Int64(period.count))]
  }

  private func text(_ key: String, of value: Value) -> String? { value[key]?.text }
}
