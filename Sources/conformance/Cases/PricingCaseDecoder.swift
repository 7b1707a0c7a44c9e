internal import Expressions
internal import Pricing
internal import RuleEngine

/// Reads the product of a pricing case, which has the form of a products file, of the backend, or of the suite.
struct PricingCaseDecoder {
  let system: String
  private(set) var problems = ""

  init(system: String) { self.system = system }

  mutating func product(_ value: Value) -> PricedProduct? {
    // In the backend's form, the price is an object.
    if case .map? = value["price"] { return decode(["data": [withIdentifier(value)]]) }
    var value = value
    var extra: [Value.Entry] = []
    if value["price"] == nil, value["rawPrice"] == nil, let price = price(of: value) {
      extra.append(Value.Entry(key: "price", value: price))
    }
    if value["period"] == nil, let iso = value["iso8601"] {
      extra.append(Value.Entry(key: "period", value: iso))
    }
    if let days = value["trial_period_days"] {
      extra.append(Value.Entry(key: "trialDays", value: days))
      if let minor = value["trial_period_price_minor_units"], case .int(let count) = days, count > 0
      {
        extra.append(
          Value.Entry(
            key: "intro",
            value: ["unit": "day", "count": days, "price": .string(hundredth(minor))]))
      }
    }
    if case .map(let entries) = value { value = .map(entries.filter(isKnown) + extra) }
    return decode(["products": [withIdentifier(value)]])
  }

  private func isKnown(_ entry: Value.Entry) -> Bool {
    ["store", "type", "productId"].allSatisfy { entry.key != .string($0) }
  }

  private func withIdentifier(_ value: Value) -> Value {
    guard case .map(let entries) = value, value["identifier"] == nil else { return value }
    return .map(
      entries + [Value.Entry(key: "identifier", value: value["productId"] ?? "com.example.p")])
  }

  /// A price in micros or hundredths. Some cases are about periods and have no price.
  private func price(of value: Value) -> Value? {
    if case .int(let micros)? = value["price_micros"] { return .string(PriceText.plain(micros)) }
    if let minor = value["price_minor_units"] { return .string(hundredth(minor)) }
    return value["offers"] == nil && value["purchaseOptions"] == nil ? "0" : nil
  }

  private func hundredth(_ value: Value) -> String {
    guard case .int(let number) = value else { return "0" }
    return PriceText.plain(number &* 10_000)
  }

  private mutating func decode(_ value: Value) -> PricedProduct? {
    let decoded = ProductList.decode(json: value.json.utf8)
    problems = decoded.diagnostics.filter { $0.severity == .error }.map(\.message)
      .joined(separator: "; ")
    return decoded.output?.products.first
  }
}
