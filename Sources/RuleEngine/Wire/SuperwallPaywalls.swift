internal import Expressions
internal import Pricing

/// Reads paywalls, their products and surveys.
extension SuperwallConfigDecoder {
  package static let paywallKeys = [
    ConfigKey("id", requiredBy: native), ConfigKey("identifier", requiredBy: native),
    ConfigKey("name", requiredBy: native), ConfigKey("cache_key", requiredBy: native),
    ConfigKey("build_id", requiredBy: native), ConfigKey("url", requiredBy: native),
    ConfigKey("url_config", requiredBy: native), ConfigKey("paywalljs_event", requiredBy: native),
    ConfigKey("presentation_style_v3", requiredBy: native),
    ConfigKey("presentation_delay", requiredBy: native),
    ConfigKey("background_color_hex", requiredBy: native),
    ConfigKey("presentation_condition", requiredBy: [.android]),
    ConfigKey("presentation_style_v2", requiredBy: [.android]),
  ]
  package static let optionalPaywallKeys = [
    "dark_background_color_hex", "products", "products_v2", "products_v3", "feature_gating",
    "on_device_cache", "computed_properties", "surveys", "local_notifications", "manifest",
    "is_scroll_enabled", "introductory_offer_eligibility", "intro_offer_eligibility",
    "reroute_back_button", "presentation_style",
  ].map { ConfigKey($0) }
  package static let loadingKeys = [
    ConfigKey("endpoints", requiredBy: native), ConfigKey("max_attempts", requiredBy: native),
  ]
  package static let productKeys = [
    "reference_name", "sw_composite_product_id", "store_product", "entitlements",
  ].map { ConfigKey($0) }

  mutating func paywall(_ element: ConfigElement) -> Paywall? {
    guard let identifier = log.text("identifier", of: element) else { return nil }
    log.checkKeys(of: element, Self.paywallKeys + Self.optionalPaywallKeys, reported: ["name"])
    let name = element.member("name")?.text
    if name == nil {
      log.missing(
        "name", "a string", element,
        meaning: element.has("name") ? "the identifier is used instead" : nil)
    }
    var paywall = Paywall(
      identifier: identifier, name: name ?? identifier,
      databaseID: log.optionalText("id", of: element),
      cacheKey: log.optionalText("cache_key", of: element),
      buildID: log.optionalText("build_id", of: element),
      url: log.optionalText("url", of: element),
      pageEvent: log.optionalText("paywalljs_event", of: element),
      presentationStyle: presentationStyle(element),
      presentationDelay: log.optionalWholeNumber("presentation_delay", of: element) ?? 0,
      presentationCondition: log.optionalText("presentation_condition", of: element),
      backgroundColor: log.optionalText("background_color_hex", of: element),
      darkBackgroundColor: log.optionalText("dark_background_color_hex", of: element),
      products: paywallProducts(element), computedProperties: computedProperties(element),
      surveys: log.list("surveys", of: element, severity: .warning).compactMap { survey($0) },
      localNotifications: log.list("local_notifications", of: element, severity: .warning)
        .compactMap { localNotification($0) },
      manifest: element.member("manifest")?.value)
    readLoading(element, &paywall)
    readBehaviour(element, &paywall)
    return paywall
  }

  private mutating func readLoading(_ element: ConfigElement, _ paywall: inout Paywall) {
    guard let config = log.optionalObject("url_config", of: element) else { return }
    log.checkKeys(of: config, Self.loadingKeys)
    paywall.maxAttempts = log.optionalWholeNumber("max_attempts", of: config) ?? 0
    paywall.endpoints = log.list("endpoints", of: config, severity: .warning).compactMap {
      guard let url = log.text("url", of: $0) else { return nil }
      return Paywall.Endpoint(
        url: url, timeout: log.optionalNumber("timeout_ms", of: $0) ?? 0,
        weight: log.optionalNumber("percentage", of: $0) ?? 0)
    }
  }

  private mutating func readBehaviour(_ element: ConfigElement, _ paywall: inout Paywall) {
    if element.member("feature_gating") == nil, element.has("feature_gating") {
      log.report(
        .platformDifference, "without a value the paywall is not gated", severity: .note,
        at: element.memberPath("feature_gating"),
        peers: [Diagnostic.PeerEffect([.web], .differs, "treats it as gated")])
    }
    paywall.featureGating = log.word("feature_gating", of: element, default: .nonGated)
    paywall.isCachedOnDevice =
      log.word("on_device_cache", of: element, default: Switch.disabled) == .enabled
    paywall.reroutesBackButton =
      log.word("reroute_back_button", of: element, default: Switch.disabled) == .enabled
    paywall.isScrollEnabled = log.optionalBool("is_scroll_enabled", of: element) ?? true
    let key =
      element.member("introductory_offer_eligibility") != nil
      ? "introductory_offer_eligibility" : "intro_offer_eligibility"
    paywall.offerEligibility = log.word(key, of: element, default: .automatic)
  }

  package static let presentationStyles = [
    "MODAL", "FULLSCREEN", "NO_ANIMATION", "PUSH", "DRAWER", "POPUP",
  ]

  package enum Switch: String, CaseIterable {
    case enabled = "ENABLED"
    case disabled = "DISABLED"
  }

  private mutating func presentationStyle(_ paywall: ConfigElement) -> PresentationStyle {
    guard let element = log.optionalObject("presentation_style_v3", of: paywall) else {
      return .fullscreen
    }
    func measure(_ key: String) -> Double? { element.member(key)?.number }
    let type = log.optionalText("type", of: element) ?? ""
    switch type {
    case "MODAL": return .modal
    case "FULLSCREEN": return .fullscreen
    case "NO_ANIMATION": return .noAnimation
    case "PUSH": return .push
    case "DRAWER":
      if let height = measure("height"), let radius = measure("corner_radius") {
        return .drawer(height: height, cornerRadius: radius)
      }
    case "POPUP":
      if let height = measure("height"), let width = measure("width"),
        let radius = measure("corner_radius")
      {
        return .popup(height: height, width: width, cornerRadius: radius)
      }
    default: break
    }
    // A type that is not a string is already reported.
    if let written = element.member("type"), written.text == nil { return .fullscreen }
    let isKnown = type == "DRAWER" || type == "POPUP"
    log.report(
      .decodeFailure,
      isKnown
        ? "a style of type \(type) needs a height and a width; treated as FULLSCREEN"
        : element.member("type") == nil
          ? "'type' is missing; treated as FULLSCREEN"
          : "'\(type)' is not a presentation style; treated as FULLSCREEN",
      severity: .warning, at: element.path, peers: isKnown ? log.rejected : [])
    return .fullscreen
  }

  // MARK: Products

  private mutating func paywallProducts(_ element: ConfigElement) -> [ProductReference] {
    for key in ["products_v2", "products_v3"] where element.member(key) != nil {
      return log.list(key, of: element, severity: .warning).compactMap { product($0) }
    }
    // In the older form, a product has a slot and an identifier.
    return log.list("products", of: element, severity: .warning).compactMap { element in
      guard let id = log.text("product_id", of: element) else { return nil }
      return ProductReference(
        id: id, store: .appStore, storeID: id, slot: log.optionalText("product", of: element))
    }
  }

  mutating func product(_ element: ConfigElement) -> ProductReference? {
    log.checkKeys(of: element, Self.productKeys)
    guard let storeProduct = element.member("store_product"), storeProduct.isObject else {
      log.missing(
        "store_product", "an object", element, severity: .warning, peers: Self.dropped)
      return nil
    }
    guard let storeID = storeProduct.member("product_identifier")?.text else {
      log.missing(
        "product_identifier", "a string", storeProduct, severity: .warning, peers: Self.dropped)
      return nil
    }
    guard let store = store(of: storeProduct) else { return nil }
    return ProductReference(
      id: log.optionalText("sw_composite_product_id", of: element) ?? storeID, store: store,
      storeID: storeID, slot: log.optionalText("reference_name", of: element),
      trialDays: log.optionalWholeNumber("trial_days", of: storeProduct),
      billingPlan: billingPlan(storeProduct), entitlements: entitlements(element))
  }

  /// The store of a product. A store that configs cannot name is reported and returns nil.
  private mutating func store(of element: ConfigElement) -> PricedProduct.Store? {
    let written = element.member("store")
    let name = written?.text
    if let known = Self.stores.first(where: { $0.rawValue == name }) { return known }
    let known = Self.stores.map { $0.rawValue }
    let close = name.flatMap { Suggestion.closest(to: $0, among: known) }
    let problem =
      if let name {
        "'\(name)' is not a store"
      } else if let written {
        "'store' must be a string, not \(written.kind)"
      } else {
        element.has("store") ? "'store' must not be null" : "'store' is missing"
      }
    log.report(
      .decodeFailure, "\(problem); the product is ignored", severity: .warning,
      at: element.has("store") ? element.memberPath("store") : element.path,
      suggestion: close.map { "did you mean \($0)?" }
        ?? "write \(known.dropLast().joined(separator: ", ")) or \(known.last ?? "")",
      peers: name == nil && written != nil ? log.rejected : Self.dropped)
    return nil
  }

  package static let entitlementType = "SERVICE_LEVEL"
  package static let notificationKinds: [LocalNotification.Kind] = [.trialStarted]

  /// The stores that a config can name.
  package static let stores: [PricedProduct.Store] = [
    .appStore, .playStore, .stripe, .paddle, .custom,
  ]

  private static let dropped = [Diagnostic.PeerEffect([.ios], .dropsElement)]

  private mutating func billingPlan(_ element: ConfigElement) -> BillingPlan.Kind? {
    guard element.member("billing_plan_type") != nil else { return nil }
    return log.word("billing_plan_type", of: element, default: .upFront)
  }

  private mutating func entitlements(_ product: ConfigElement) -> [Entitlement] {
    if product.member("entitlements") == nil {
      log.missing(
        "entitlements", "a list", product, severity: .warning, peers: Self.dropped)
    }
    return log.list("entitlements", of: product, severity: .warning).compactMap { element in
      guard let id = log.text("identifier", of: element) else { return nil }
      let type = log.optionalText("type", of: element) ?? Self.entitlementType
      if type != Self.entitlementType {
        log.report(
          .platformDifference, "'\(type)' is not a known entitlement type",
          severity: .warning, at: element.memberPath("type"),
          suggestion: "write \(Self.entitlementType)",
          peers: [Diagnostic.PeerEffect([.ios], .dropsElement, "the whole product")])
      }
      return Entitlement(id: id, type: type)
    }
  }

  // MARK: Surveys and notifications

  private mutating func survey(_ element: ConfigElement) -> Survey? {
    let condition = element.member("presentation_condition")?.text ?? ""
    guard let condition = Survey.Condition(rawValue: condition) else {
      log.report(
        .decodeFailure, "'\(condition)' is not a survey condition; the survey is ignored",
        severity: .warning, at: element.memberPath("presentation_condition"),
        suggestion: "write ON_MANUAL_CLOSE or ON_PURCHASE", peers: Self.dropped)
      return nil
    }
    guard let id = log.text("id", of: element), let key = log.text("assignment_key", of: element),
      let title = log.text("title", of: element), let message = log.text("message", of: element)
    else { return nil }
    let options = log.list("options", of: element, severity: .warning).compactMap {
      option -> Survey.Option? in
      guard let id = log.text("id", of: option), let title = log.text("title", of: option) else {
        return nil
      }
      return Survey.Option(id: id, title: title)
    }
    return Survey(
      id: id, assignmentKey: key, title: title, message: message, options: options,
      condition: condition,
      probability: log.optionalNumber("presentation_probability", of: element) ?? 0,
      includesOtherOption: log.optionalBool("include_other_option", of: element) ?? false,
      includesCloseOption: log.optionalBool("include_close_option", of: element) ?? false)
  }

  private mutating func localNotification(_ element: ConfigElement) -> LocalNotification? {
    let type = element.member("type")?.text ?? ""
    guard let kind = LocalNotification.Kind(rawValue: type) else {
      log.report(
        .decodeFailure, "'\(type)' is not a notification type; the notification is ignored",
        severity: .warning, at: element.memberPath("type"), suggestion: "write TRIAL_STARTED",
        peers: Self.dropped)
      return nil
    }
    guard let title = log.text("title", of: element), let body = log.text("body", of: element)
    else { return nil }
    let delay = log.optionalNumber("delay", of: element) ?? 0
    return LocalNotification(
      id: log.optionalText("id", of: element), kind: kind, title: title,
      subtitle: log.optionalText("subtitle", of: element), body: body,
      delay: Int64(max(0, min(delay, 1e15))))
  }
}
