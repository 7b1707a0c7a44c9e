internal import Expressions
internal import Pricing

/// Reads the terms of a product other than its price: its kind, the store's offers, and the billing.
extension ProductDecoder {
  package static let offerKeys = ["basePlanId", "offerId", "tags", "phases"]
  package static let phaseKeys = ["price", "iso8601", "cycles"]
  package static let optionKeys = ["price", "purchaseOptionId", "offerId"]
  package static let billingPlanKeys = ["type", "price", "period"]
  /// The keys of an App Store offer that an introductory offer lacks.
  package static let storeOfferKeys = ["type", "offerId", "name"]
  package static let couponKeys = ["percentOff", "amountOff", "duration", "months"]
  package static let couponDurations = ["once", "repeating", "forever"]

  /// Reads the terms of a product other than its price and its introductory offer.
  mutating func readTerms(of element: ConfigElement, _ product: inout PricedProduct) {
    product.offers = list("offers", of: element).compactMap { offer($0) }
    product.purchaseOptions = list("purchaseOptions", of: element).compactMap { option($0) }
    product.billingPlan = element.member("billingPlan").flatMap { billingPlan($0) }
    product.billingPlans = list("billingPlans", of: element).compactMap { billingPlan($0) }
    product.storeOffers = list("storeOffers", of: element).compactMap { storeOffer($0) }
    product.coupon = element.member("coupon").flatMap { coupon($0) }
    readKind(of: element, &product)
  }

  private mutating func readKind(of element: ConfigElement, _ product: inout PricedProduct) {
    product.kind = kind(element.member("type"))
    if let duration = element.member("duration") {
      product.accessPeriod = period(duration)?.period
      if product.period != nil {
        log.report(
          "a product with a 'period' renews; 'duration' is ignored", severity: .warning,
          at: duration.path,
          suggestion: "for a subscription that does not renew, write only 'duration'")
      }
    }
    guard let kind = product.kind else { return }
    if kind.isBoughtOnce, product.period != nil, let place = element.member("period") {
      log.report(
        "'\(kind.rawValue)' is bought once, but the product has a 'period'", severity: .warning,
        at: place.path,
        suggestion: "write 'duration' for its length, or \"autoRenewableSubscription\" if it renews"
      )
    } else if kind == .autoRenewableSubscription, product.period == nil, product.offers.isEmpty {
      log.report(
        "an autoRenewableSubscription needs a 'period'", severity: .warning, at: element.path)
    }
  }

  /// The names of kinds in Tollgate's products file and in StoreKit.
  package static let kindWords: [(word: String, kind: ProductKind)] =
    ProductKind.allCases.map { ($0.rawValue, $0) } + [
      ("Consumable", .consumable), ("NonConsumable", .nonConsumable),
      ("NonRenewingSubscription", .nonRenewingSubscription),
      ("RecurringSubscription", .autoRenewableSubscription),
    ]

  /// The kind of a product. Reports an unknown word.
  mutating func kind(_ element: ConfigElement?) -> ProductKind? {
    guard let element else { return nil }
    if let known = Self.kindWords.first(where: { $0.word == element.text }) { return known.kind }
    let words = ProductKind.allCases.map { $0.rawValue }
    log.report(
      "a product's 'type' must be one of \(words.joined(separator: ", ")); it is ignored",
      severity: .warning, at: element.path,
      suggestion: element.text.flatMap { Suggestion.question(about: $0, among: words) })
    return nil
  }

  // MARK: App Store

  private mutating func storeOffer(_ element: ConfigElement) -> StoreOffer? {
    guard let terms = introductoryOffer(element, beside: Self.storeOfferKeys) else { return nil }
    var kind = StoreOffer.Kind.promotional
    if let type = element.member("type") {
      guard let known = type.text.flatMap({ StoreOffer.Kind(rawValue: $0) }) else {
        let words = StoreOffer.Kind.allCases.map { $0.rawValue }
        log.report(
          "an offer's 'type' must be one of \(words.joined(separator: ", "))", at: type.path,
          suggestion: type.text.flatMap { Suggestion.question(about: $0, among: words) })
        return nil
      }
      kind = known
    }
    return StoreOffer(
      kind, id: element.member("offerId")?.text, name: element.member("name")?.text, terms)
  }

  // MARK: Stripe

  private mutating func coupon(_ element: ConfigElement) -> Coupon? {
    checkKeys(of: element, Self.couponKeys)
    let discount: Coupon.Discount
    if let percent = element.member("percentOff") {
      guard let micros = micros(percent) else { return nil }
      guard micros <= 100_000_000 else {
        log.report("'percentOff' must be from 0 to 100", at: percent.path)
        return nil
      }
      discount = .percent(micros: micros)
    } else if let micros = micros(element.member("amountOff")) {
      discount = .amount(micros: micros)
    } else {
      log.report("a coupon needs a 'percentOff' or an 'amountOff'", at: element.path)
      return nil
    }
    guard let duration = couponDuration(element) else { return nil }
    return Coupon(discount, duration)
  }

  private mutating func couponDuration(_ element: ConfigElement) -> Coupon.Duration? {
    let months = element.member("months")
    switch element.member("duration")?.text ?? (months == nil ? "once" : "repeating") {
    case "once": return .once
    case "forever": return .forever
    case "repeating":
      guard let count = count(months, "'months'"), count > 0 else {
        log.report("a repeating coupon needs its number of 'months'", at: element.path)
        return nil
      }
      return .months(count)
    default:
      log.report(
        "a coupon's 'duration' must be one of \(Self.couponDurations.joined(separator: ", "))",
        at: element.path)
      return nil
    }
  }

  // MARK: Google Play

  private mutating func offer(_ element: ConfigElement) -> PlayOffer? {
    checkKeys(of: element, Self.offerKeys)
    guard let basePlanID = element.member("basePlanId")?.text else {
      log.report("an offer needs a 'basePlanId'", at: element.path)
      return nil
    }
    let phases = list("phases", of: element)
    let read = phases.compactMap { phase($0) }
    guard !phases.isEmpty, read.count == phases.count else {
      if phases.isEmpty { log.report("an offer needs 'phases'", at: element.path) }
      return nil
    }
    return PlayOffer(
      basePlanID: basePlanID, offerID: element.member("offerId")?.text ?? "",
      tags: list("tags", of: element).compactMap { $0.text }, phases: read)
  }

  private mutating func phase(_ element: ConfigElement) -> PlayOffer.Phase? {
    checkKeys(of: element, Self.phaseKeys)
    guard let micros = micros(element.member("price")), let text = element.member("iso8601")?.text
    else {
      log.report("a phase needs a 'price' and an 'iso8601' period", at: element.path)
      return nil
    }
    guard let read = isoPeriod(text, at: element.path), let iso = read.iso else { return nil }
    return PlayOffer.Phase(
      micros: micros, iso, cycles: count(element.member("cycles"), "'cycles'") ?? 0)
  }

  private mutating func option(_ element: ConfigElement) -> PlayPurchaseOption? {
    checkKeys(of: element, Self.optionKeys)
    guard let micros = micros(element.member("price")) else {
      log.report("a purchase option needs a 'price'", at: element.path)
      return nil
    }
    return PlayPurchaseOption(
      micros: micros, optionID: element.member("purchaseOptionId")?.text,
      offerID: element.member("offerId")?.text)
  }

  private mutating func billingPlan(_ element: ConfigElement) -> BillingPlan? {
    checkKeys(of: element, Self.billingPlanKeys)
    guard let text = element.member("type")?.text, let kind = BillingPlan.Kind(rawValue: text)
    else {
      log.report("a billing plan's 'type' must be UP_FRONT or MONTHLY", at: element.path)
      return nil
    }
    return BillingPlan(
      kind, micros: micros(element.member("price")),
      period: period(element.member("period"))?.period)
  }
}
