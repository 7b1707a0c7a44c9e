internal import Pricing

extension SDKState {
  func transactionProduct(_ product: StoreProduct) -> TransactionProduct {
    TransactionProduct(product, on: platform, in: pricingContext)
  }

  var pricingContext: PricingContext {
    PricingContext(now: now, timeZone: device.timeZone, locale: locale)
  }

  /// What a paywall can say about its products, by their identifiers.
  mutating func attributes(of products: [StoreProduct]) -> [String: ProductAttributes] {
    var all: [String: ProductAttributes] = [:]
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
}
