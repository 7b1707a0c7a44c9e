internal import Expressions
internal import Pricing

/// A StoreKit configuration file of Xcode (`.storekit`). Prices are decimal strings, and the settings contain the
/// storefront and the locale.
extension ProductDecoder {
  mutating func storeKitProducts(_ root: ConfigElement) -> [PricedProduct] {
    let settings = root.member("settings")
    let storefront = settings?.member("_storefront")?.text ?? "USA"
    let locale = settings?.member("_locale")?.text ?? "en_US"
    guard let currency = Currency(storefront: storefront) else {
      log.report(
        "the storefront '\(storefront)' does not exist, so the currency is unknown",
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
    for element in list("products", of: root) { finish(storeKitProduct(element, currency)) }
    for element in list("nonRenewingSubscriptions", of: root) {
      var product = storeKitProduct(element, currency)
      product?.kind = .nonRenewingSubscription
      finish(product)
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
    product.kind = kind(element.member("type"))
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
    product.kind = .autoRenewableSubscription
    var introductions = list("introductoryOffers", of: element).compactMap {
      storeOffer(.introductory, $0)
    }
    if let offer = element.member("introductoryOffer") {
      product.intro = storeKitOffer(offer)
    } else if !introductions.isEmpty {
      product.intro = introductions.removeFirst().terms
    }
    product.storeOffers = introductions
    for (key, kind) in Self.storeKitOffers {
      product.storeOffers += list(key, of: element).compactMap { storeOffer(kind, $0) }
    }
    product.billingPlans = list("billingPlans", of: element).compactMap {
      storeKitPlan($0, product.period)
    }
    return product
  }

  /// The lists of offers other than the introductory offer.
  private static let storeKitOffers: [(key: String, kind: StoreOffer.Kind)] = [
    ("adHocOffers", .promotional), ("winbackOffers", .winBack), ("codeOffers", .code),
  ]

  private mutating func storeOffer(_ kind: StoreOffer.Kind, _ element: ConfigElement)
    -> StoreOffer?
  {
    guard let terms = storeKitOffer(element, "an offer") else { return nil }
    let name = element.member("referenceName")?.text
    return StoreOffer(
      kind, id: element.member("offerID")?.text, name: name?.isEmpty == true ? nil : name, terms)
  }

  /// Reads a billing plan that is for sale: `BILLED_UPFRONT`, or monthly billing.
  private mutating func storeKitPlan(_ element: ConfigElement, _ commitment: Period?)
    -> BillingPlan?
  {
    guard element.member("isEnabled")?.value != false,
      let word = element.member("billingPlanType")?.text?.uppercased()
    else { return nil }
    let isMonthly = word.contains("MONTH")
    return BillingPlan(
      isMonthly ? .monthly : .upFront, micros: micros(element.member("displayPrice")),
      period: isMonthly ? Period(known: .month, 1) : commitment)
  }

  private mutating func storeKitOffer(
    _ element: ConfigElement, _ what: String = "an introductory offer"
  ) -> IntroductoryOffer? {
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
        "\(what) needs a 'paymentMode' and a 'subscriptionPeriod'", at: element.path)
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
