public import Expressions
internal import RuleEngine

/// A product in an event about a transaction: what the store sells, and how it is written.
public struct TransactionProduct: Hashable, Sendable {
  public var product: StoreProduct
  /// The product's attributes as paywalls print them (`price`, `periodly`, `trialPeriodText`, ...).
  public var texts: [String: String]
  /// When a trial that starts now would end, in milliseconds since 1970.
  public var trialEnd: Int64?

  /// - Parameter now: milliseconds since 1970.
  public init(_ product: StoreProduct, now: Int64) {
    self.product = product
    texts = ProductTexts.texts(of: product)
    trialEnd = product.introductoryOffer.map { ProductTexts.end(of: $0, from: now) }
  }

  private func text(_ name: String) -> Value { .string(texts[name] ?? "") }

  private func units(_ micros: Int64) -> Value { .double(Double(micros) / 1_000_000) }

  /// The contract's JSON.
  public var value: Value {
    var all: [String: Value] = [
      "id": .string(product.id), "productIdentifier": .string(product.id),
      "fullIdentifier": .string(fullIdentifier), "price": units(product.priceMicros),
      "localizedPrice": text("price"), "localizedSubscriptionPeriod": text("localizedPeriod"),
      "hasFreeTrial": .bool(product.introductoryOffer != nil),
      "localizedTrialPeriodPrice": text("trialPeriodPrice"),
      "trialPeriodPrice": units(product.introductoryOffer?.priceMicros ?? 0),
      "trialPeriodEndDate": trialEnd.flatMap { WireTime.text(milliseconds: $0) }
        .map { .string($0) } ?? .null,
      "trialPeriodEndDateString": text("trialPeriodEndDate"),
      "locale": .string(product.locale),
      "languageCode": .string(LocaleParts.language(product.locale)),
      "currencyCode": .string(product.currencyCode),
      "currencySymbol": product.currencySymbol.map { .string($0) } ?? .null,
      "regionCode": LocaleParts.region(product.locale).map { .string($0) } ?? .null,
      "subscriptionPeriod": product.period.map { period in
        .object(["unit": .string(period.unit.rawValue), "value": .whole(period.count)])
      } ?? .null,
      "subscriptionGroupIdentifier": product.subscriptionGroupID.map { .string($0) } ?? .null,
      "isFamilyShareable": .bool(product.isFamilyShareable),
      "attributes": .members(texts.mapValues { .string($0) }),
    ]
    for name in ["period", "periodly", "dailyPrice", "weeklyPrice", "monthlyPrice", "yearlyPrice"] {
      all[name] = text(name)
    }
    all["trialPeriodText"] = text("trialPeriodText")
    for prefix in ["period", "trialPeriod"] {
      for unit in ["Days", "Weeks", "Months", "Years"] {
        let count = texts[prefix + unit] ?? "0"
        all[prefix + unit] = .int(Int64(count) ?? 0)
        all[prefix + unit + "String"] = .string(count)
      }
    }
    return .members(all)
  }

  /// Google Play's name of product, base plan and offer; elsewhere the product's.
  private var fullIdentifier: String {
    guard let plan = product.basePlanID, product.store == .playStore else { return product.id }
    return "\(product.id):\(plan):\(product.offerID ?? "sw-none")"
  }
}

extension SDKState {
  func transactionProduct(_ product: StoreProduct) -> TransactionProduct {
    TransactionProduct(product, now: now)
  }
}
