internal import Expressions
internal import Pricing
internal import RuleEngine

/// Kind `product` of suite `agentwallie`: the products that slots resolve to, or one function of the resolver.
enum AgentWallieProductCases {
  static func run(_ testCase: Case) -> Value? {
    do throws(PricingError) {
      if let call = testCase.input("call")?.text {
        return try result(of: call, testCase.input("args") ?? .null, locale: locale(testCase))
      }
      return try resolved(testCase)
    } catch {
      return ["error": .string(error.message)]
    }
  }

  private static func locale(_ testCase: Case) -> String {
    testCase.input("locale")?.text ?? "en_US"
  }

  // MARK: Functions

  private static func result(of call: String, _ args: Value, locale: String) throws(PricingError)
    -> Value?
  {
    func word(_ key: String) -> String? { args[key]?.text }
    switch call {
    case "period_label_unit", "period_label_text":
      guard let word = word(call == "period_label_unit" ? "unit" : "text") else { return nil }
      return ["result": .string(AgentWallieTerms.label(ofWord: word))]
    case "period_unit":
      let unit = word("text").flatMap { Period.Unit($0) }
      return ["result": unit.map { .string($0.name) } ?? .null]
    case "trial_period":
      guard let period = period(args, "unit", "value") else { return nil }
      return ["result": .string(period.words)]
    case "monthly":
      var product = PricedProduct(identifier: "p")
      product.price = try price(args)
      product.period = period(args, "unit", "value")
      var producer = try AttributeProducer(
        .agentWallie, PricingContext(now: 0, deviceLocale: locale))
      return ["result": try producer.attributes(of: product)["price_per_month"] ?? .null]
    default: return nil
    }
  }

  // MARK: Slots

  private static func resolved(_ testCase: Case) throws(PricingError) -> Value? {
    guard let slots = testCase.input("slots")?.elements else { return nil }
    var store: [String: PricedProduct] = [:]
    if case .map(let entries)? = testCase.input("store") {
      for case .string(let id) in entries.map(\.key) {
        store[id] = try storeProduct(id, testCase.input("store")?[id] ?? .null)
      }
    }
    var config = Config(format: .agentWallie)
    if let values = testCase.input("products")?.elements {
      config.products = values.map(configuredProduct)
    }
    let products = PricedProduct.resolve(
      slots.map {
        ProductSlot(
          slot: $0["slot"]?.text ?? "", label: $0["label"]?.text,
          productID: $0["product"]?.text)
      }, in: config, store: store)
    var producer = try AttributeProducer(
      .agentWallie, PricingContext(now: 0, deviceLocale: locale(testCase)))
    var list: [Value] = []
    for result in producer.attributes(of: products) { list.append(shown(try result.get())) }
    return ["resolved": .list(list)]
  }

  /// The attributes with the suite's short keys.
  private static func shown(_ attributes: ProductAttributes) -> Value {
    let keys = [
      ("slot", "slot"), ("label", "label"), ("product", "product_id"),
      ("store_product", "store_product_id"), ("price", "price"), ("raw_price", "raw_price"),
      ("price_per_month", "price_per_month"), ("period", "period"),
      ("period_label", "period_label"), ("trial_period", "trial_period"),
      ("trial_price", "trial_price"), ("has_trial", "has_trial"),
      ("savings", "savings_percentage"),
    ]
    return .map(
      keys.map { Value.Entry(key: .string($0.0), value: attributes[$0.1] ?? .null) })
  }

  private static func configuredProduct(_ value: Value) -> ProductReference {
    ProductReference(
      id: value["id"]?.text ?? "", store: .appStore,
      storeID: value["store_product"]?.text ?? "",
      displayPrice: value["display_price"]?.text,
      displayPeriod: value["display_period"]?.text)
  }

  private static func storeProduct(_ id: String, _ value: Value) throws(PricingError)
    -> PricedProduct
  {
    var product = PricedProduct(identifier: id)
    product.price = try price(value)
    product.displayPrice = value["display_price"]?.text
    product.locale = value["locale"]?.text
    product.period = period(value, "period_unit", "period_value")
    if let intro = value["intro"], let period = period(intro, "unit", "value") {
      let mode: IntroductoryOffer.Mode =
        switch intro["mode"]?.text {
        case "pay_as_you_go": .payAsYouGo
        case "pay_up_front": .payUpFront
        default: .freeTrial
        }
      var cycles = 1
      if case .int(let count)? = intro["count"] ?? intro["cycles"] ?? intro["period_count"] {
        cycles = Int(clamping: count)
      }
      product.intro = IntroductoryOffer(
        mode, period, cycles: cycles, displayPrice: intro["display_price"]?.text)
    }
    return product
  }

  // MARK: Reading

  private static func price(_ value: Value) throws(PricingError) -> Money? {
    guard let price = value["price"]?.text else { return nil }
    let currency = value["currency"]?.text.flatMap { Currency($0) } ?? .usd
    return try Money(price, currency)
  }

  /// Reads a period. The default count is 1.
  private static func period(_ value: Value, _ unit: String, _ count: String) -> Period? {
    guard let unit = value[unit]?.text.flatMap({ Period.Unit($0) }) else { return nil }
    guard let number = value[count], number != .null else {
      return count == "period_value" ? Period(unit, 1) : nil
    }
    guard case .int(let number) = number else { return nil }
    return Period(unit, Int(clamping: number))
  }

}
