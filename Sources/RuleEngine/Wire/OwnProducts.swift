internal import Expressions
internal import Pricing

/// Tollgate's own products file: `{"products": [...]}`, or only the list. The keys of web checkout entitlements
/// (`productId`, `rawPrice`, `"period": "month"`, `trialPeriodDays`) and of AgentWallie's documents (`storeProductId`,
/// `displayPrice`, `name`) are also accepted.
extension ProductDecoder {
  package static let keys =
    [
      "slot", "label", "store", "currency", "locale", "period", "intro", "storefront",
      "entitlements", "fullIdentifier", "offers", "purchaseOptions", "billingPlan", "id", "name",
      "type", "duration", "storeOffers", "coupon", "billingPlans",
    ] + others.flatMap { [$0] + $1 }

  /// The names of the same keys in other formats.
  package static let others: [(key: String, others: [String])] = [
    ("identifier", ["productId", "storeProductId", "store_product_id"]), ("price", ["rawPrice"]),
    ("trialDays", ["trialPeriodDays"]), ("displayPrice", ["display_price"]),
    ("displayPeriod", ["display_period"]),
  ]
  package static let introKeys = [
    "mode", "unit", "count", "value", "iso8601", "cycles", "price", "displayPrice",
  ]

  /// The keys that can name a product.
  package static let identifierKeys = names(of: "identifier") + ["fullIdentifier"]

  private static func names(of key: String) -> [String] {
    [key] + (others.first { $0.key == key }?.others ?? [])
  }

  private func member(_ key: String, of element: ConfigElement) -> ConfigElement? {
    Self.names(of: key).lazy.compactMap { element.member($0) }.first
  }

  mutating func ownProducts(_ root: ConfigElement) -> [PricedProduct] {
    guard let elements = root.elements ?? root.member("products")?.elements else { return [] }
    if root.elements == nil { checkKeys(of: root, ["products"]) }
    defer { checkSlots(elements) }
    return elements.compactMap { element in
      guard element.isObject else {
        log.report("a product must be a JSON object", at: element.path)
        return nil
      }
      checkKeys(of: element, Self.keys)
      guard
        let identifier = member("identifier", of: element)?.text
          ?? element.member("fullIdentifier")?.text
      else {
        log.report("a product needs an 'identifier'", at: element.path)
        return nil
      }
      return product(element, identifier: identifier)
    }
  }

  /// Checks that slots are unique, and that no name hides another name.
  private mutating func checkSlots(_ elements: [ConfigElement]) {
    var known: [String: ConfigElement] = [:]
    for slot in elements.compactMap({ $0.member("slot") }) {
      guard let name = slot.text else { continue }
      if ["selected", "selectedIndex", "hasIntroductoryOffer"].contains(name) {
        log.report(
          .reservedName, "a slot named '\(name)' hides 'products.\(name)'",
          severity: .warning, at: slot.path, suggestion: "give it another name")
      } else if let first = known[name] {
        log.report(
          .duplicateID, "the slot '\(name)' appears twice; the last one is used",
          severity: .warning, at: slot.path,
          related: [Diagnostic.Related(path: first.path, message: "the earlier one")],
          suggestion: "give one of them another slot")
      }
      known[name] = slot
    }
  }

  /// Reads a product. Returns nil with a diagnostic if a price or a currency is unreadable, because the remaining keys
  /// would be misleading.
  package mutating func product(_ element: ConfigElement, identifier: String) -> PricedProduct? {
    let before = log.diagnostics.count { $0.severity == .error }
    if !element.has("currency"), element.has("price") || element.has("rawPrice") {
      log.report(
        "the product has a price but no 'currency'; USD is assumed", severity: .warning,
        at: element.path, suggestion: "write \"currency\": \"USD\"")
    }
    let currency = self.currency("currency", of: element) ?? .usd
    var product = PricedProduct(identifier: identifier)
    product.path = element.path
    product.currency = currency
    product.store = store(element.member("store")) ?? .appStore
    product.price = price(of: element, currency).map { Money(micros: $0, currency) }
    product.configID = element.member("id")?.text
    product.slot = element.member("slot")?.text
    product.label = (element.member("label") ?? element.member("name"))?.text
    product.fullIdentifier = element.member("fullIdentifier")?.text
    product.locale = element.member("locale")?.text
    product.displayPrice = member("displayPrice", of: element)?.text
    product.displayPeriod = member("displayPeriod", of: element)?.text
    product.storefront = element.member("storefront")?.text
    product.entitlements = entitlements(element.member("entitlements"))
    product.trialDays = count(
      member("trialDays", of: element),
      element.has("trialDays") ? "'trialDays'" : "'trialPeriodDays'")
    if let period = period(element.member("period")) {
      (product.period, product.isoPeriod) = period
    }
    if let intro = element.member("intro") { product.intro = introductoryOffer(intro) }
    readTerms(of: element, &product)
    return log.diagnostics.count { $0.severity == .error } == before ? product : nil
  }

  /// The price in micros. A `rawPrice` that is a whole number is in minor units, as in the backend's replies.
  private mutating func price(of element: ConfigElement, _ currency: Currency) -> Int64? {
    if let price = element.member("price") { return micros(price) }
    return amount(element.member("rawPrice"), currency)
  }

  mutating func checkKeys(of element: ConfigElement, _ known: [String]) {
    log.checkKeys(of: element, known.map { ConfigKey($0) })
  }

  mutating func introductoryOffer(_ element: ConfigElement, beside keys: [String] = [])
    -> IntroductoryOffer?
  {
    checkKeys(of: element, Self.introKeys + keys)
    let micros = self.micros(element.member("price"))
    var mode: IntroductoryOffer.Mode = micros ?? 0 == 0 ? .freeTrial : .payUpFront
    if let member = element.member("mode") {
      guard let known = Self.mode(member.text) else {
        log.report(
          "an introductory offer must be freeTrial, payAsYouGo or payUpFront"
            + (member.text.map { ", not '\($0)'" } ?? ", not \(member.kind)"), at: member.path,
          suggestion: Self.meantMode(member.text))
        return nil
      }
      mode = known
    }
    guard let read = period(element) else { return nil }
    var offer = IntroductoryOffer(
      mode, read.period, cycles: count(element.member("cycles"), "'cycles'") ?? 1,
      micros: micros ?? 0, displayPrice: element.member("displayPrice")?.text)
    offer.isoPeriod = read.iso
    return offer
  }

  /// The names of modes in the formats.
  package static let modes: [(word: String, mode: IntroductoryOffer.Mode)] = [
    ("freeTrial", .freeTrial), ("free_trial", .freeTrial), ("free", .freeTrial),
    ("payAsYouGo", .payAsYouGo), ("pay_as_you_go", .payAsYouGo),
    ("payUpFront", .payUpFront), ("pay_up_front", .payUpFront),
  ]

  static func mode(_ text: String?) -> IntroductoryOffer.Mode? {
    modes.first { $0.word == text }?.mode
  }

  /// The likely mode for an unknown word: `free-trial`, `FREE_TRIAL`, `freeTrail`.
  static func meantMode(_ text: String?) -> String? {
    guard let text else { return nil }
    let letters = text.lowercased().filter { $0.isLetter }
    let close =
      modes.first { $0.word.lowercased().filter { $0.isLetter } == letters }?.word
      ?? Suggestion.closest(to: text, among: modes.map { $0.word })
    guard let mode = modes.first(where: { $0.word == close })?.mode,
      let word = modes.first(where: { $0.mode == mode })?.word
    else { return nil }
    return "did you mean '\(word)'?"
  }
}
