internal import Expressions
internal import Pricing

/// A StoreKit configuration file of Xcode (`.storekit`). It has prices as decimal text, and the
/// storefront and the locale in its settings.
extension ProductDecoder {
  mutating func storeKitProducts(_ root: ConfigElement) -> [PricedProduct] {
    let settings = root.member("settings")
    let storefront = settings?.member("_storefront")?.text ?? "USA"
    let locale = settings?.member("_locale")?.text ?? "en_US"
    guard let currency = Currency(storefront: storefront) else {
      log.report(
        "there is no storefront '\(storefront)'; its currency is not known",
        at: "settings._storefront")
      return []
    }
    var products: [PricedProduct] = []
    func finish(_ product: PricedProduct?) {
      guard var product else { return }
      product.locale = locale
      product.storefront = storefront
      products.append(product)
    }
    for key in ["products", "nonRenewingSubscriptions"] {
      for element in list(key, of: root) { finish(storeKitProduct(element, currency)) }
    }
    for group in list("subscriptionGroups", of: root) {
      for element in list("subscriptions", of: group) {
        var product = subscription(element, currency)
        product?.subscriptionGroupID = (group.member("id") ?? group.member("name"))?.text
        finish(product)
      }
    }
    return products
  }

  private mutating func storeKitProduct(_ element: ConfigElement, _ currency: Currency)
    -> PricedProduct?
  {
    guard let identifier = element.member("productID")?.text else {
      log.report("a product needs a 'productID'", at: element.path)
      return nil
    }
    guard let price = element.member("displayPrice") else {
      log.report("a product needs a 'displayPrice'", at: element.path)
      return nil
    }
    guard let micros = micros(price) else { return nil }
    var product = PricedProduct(identifier: identifier, price: Money(micros: micros, currency))
    product.path = element.path
    product.isFamilyShareable = element.member("familyShareable")?.value == true
    let names = list("localizations", of: element).compactMap { $0.member("displayName")?.text }
    product.label = names.first { !$0.isEmpty } ?? element.member("referenceName")?.text
    return product
  }

  private mutating func subscription(_ element: ConfigElement, _ currency: Currency)
    -> PricedProduct?
  {
    guard var product = storeKitProduct(element, currency) else { return nil }
    guard let text = element.member("recurringSubscriptionPeriod")?.text else {
      log.report("a subscription needs a 'recurringSubscriptionPeriod'", at: element.path)
      return nil
    }
    guard let period = isoPeriod(text, at: element.path) else { return nil }
    (product.period, product.isoPeriod) = period
    if let offer = element.member("introductoryOffer") {
      product.intro = storeKitOffer(offer)
    }
    return product
  }

  private mutating func storeKitOffer(_ element: ConfigElement) -> IntroductoryOffer? {
    let written = element.member("paymentMode")?.text
    if let written, Self.mode(written) == nil {
      log.report(
        "'\(written)' is not a payment mode", at: element.memberPath("paymentMode"),
        suggestion: "write free, payAsYouGo or payUpFront")
      return nil
    }
    guard let mode = Self.mode(written), let text = element.member("subscriptionPeriod")?.text
    else {
      log.report(
        "an introductory offer needs a 'paymentMode' and a 'subscriptionPeriod'", at: element.path)
      return nil
    }
    guard let period = isoPeriod(text, at: element.path) else { return nil }
    var offer = IntroductoryOffer(
      mode, period.period,
      cycles: count(element.member("numberOfPeriods"), "'numberOfPeriods'") ?? 1,
      micros: mode == .freeTrial ? 0 : micros(element.member("displayPrice")) ?? 0)
    offer.isoPeriod = period.iso
    return offer
  }
}
