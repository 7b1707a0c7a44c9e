internal import Pricing

extension SDKState {
  func transactionProduct(_ product: StoreProduct) -> TransactionProduct {
    TransactionProduct(product, on: platform, in: pricingContext)
  }

  var pricingContext: PricingContext {
    PricingContext(now: now, timeZone: device.timeZone, locale: locale)
  }

  /// The attributes that a paywall can show about its products, by identifier. If the store lacks a product, the
  /// attributes are taken from the config.
  mutating func attributes(of products: [StoreProduct], in info: PaywallInfo)
    -> [String: ProductAttributes]
  {
    var all: [String: ProductAttributes] = [:]
    for product in info.products { all[product.id] = writtenAttributes(of: product) }
    for product in products {
      guard let attributes = transactionProduct(product).attributes else {
        log(
          .warn, .productsManager,
          "'\(product.id)' has no attributes: its price is missing or too large")
        continue
      }
      all[product.id] = attributes
    }
    return all
  }

  private func writtenAttributes(of product: PaywallProduct) -> ProductAttributes? {
    guard let price = product.displayPrice else { return nil }
    var priced = PricedProduct(identifier: product.id, store: product.store)
    (priced.displayPrice, priced.displayPeriod) = (price, product.displayPeriod)
    var producer = try? AttributeProducer(.agentWallie, pricingContext)
    return try? producer?.attributes(of: priced)
  }
}
