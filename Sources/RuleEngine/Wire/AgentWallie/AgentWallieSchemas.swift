package import Expressions
internal import Pricing

/// Reads products and natively drawn paywalls.
extension AgentWallieDecoder {
  package static let productKeys = [
    ConfigKey("id"), ConfigKey("name", requiredBy: native), ConfigKey("store", requiredBy: native),
    ConfigKey("store_product_id", requiredBy: native),
    ConfigKey("entitlements", requiredBy: native), ConfigKey("base_plan_id"),
    ConfigKey("offer_ids"), ConfigKey("display_price"), ConfigKey("display_period"),
    ConfigKey("period"),
  ]
  package static let slotKeys = ["slot", "label", "product_id"].map { ConfigKey($0) }
  package static let paywallKeys = [
    ConfigKey("version", requiredBy: native), ConfigKey("name", requiredBy: native),
    ConfigKey("settings", requiredBy: native), ConfigKey("theme"), ConfigKey("products"),
    ConfigKey("components", requiredBy: native),
  ]
  package static let fontUses = ["display", "heading", "body", "mono"]

  mutating func product(_ element: ConfigElement) -> ProductReference? {
    guard let id = log.text("id", of: element) else { return nil }
    log.checkKeys(of: element, Self.productKeys, reported: ["store_product_id"])
    guard let storeID = log.text("store_product_id", of: element), let store = store(element)
    else { return nil }
    return ProductReference(
      id: id, store: store, storeID: storeID, name: log.optionalText("name", of: element),
      basePlanID: log.optionalText("base_plan_id", of: element),
      offerIDs: log.texts("offer_ids", of: element),
      displayPrice: log.optionalText("display_price", of: element),
      displayPeriod: log.optionalText("display_period", of: element)
        ?? log.optionalText("period", of: element),
      entitlements: log.texts("entitlements", of: element).map { Entitlement(id: $0) })
  }

  package static let stores: [(name: String, store: PricedProduct.Store)] = [
    ("apple", .appStore), ("google", .playStore), ("stripe", .stripe),
  ]

  private mutating func store(_ element: ConfigElement) -> PricedProduct.Store? {
    let text = log.optionalText("store", of: element) ?? "apple"
    if let known = Self.stores.first(where: { $0.name == text }) { return known.store }
    log.report(
      .decodeFailure, "'\(text)' is not a store; the product is ignored",
      at: element.memberPath("store"), suggestion: "write apple, google or stripe",
      peers: log.rejected)
    return nil
  }

  mutating func slot(_ element: ConfigElement) -> ProductSlot? {
    guard let slot = log.text("slot", of: element) else { return nil }
    log.checkKeys(of: element, Self.slotKeys)
    if slot == "selected" {
      log.report(
        .reservedName, "a slot named 'selected' makes the selected product unavailable to texts",
        severity: .warning, at: element.memberPath("slot"), suggestion: "give it another name")
    }
    return ProductSlot(
      slot: slot, label: log.optionalText("label", of: element),
      productID: log.optionalText("product_id", of: element))
  }

  mutating func schema(_ element: ConfigElement) -> PaywallSchema? {
    guard element.isObject else {
      log.report(
        .decodeFailure, "a paywall must be a JSON object", at: element.path, peers: log.rejected)
      return nil
    }
    log.checkKeys(of: element, Self.paywallKeys)
    let none = ConfigElement(value: .map([]), path: element.memberPath("settings"))
    return PaywallSchema(
      version: log.optionalText("version", of: element) ?? "",
      name: log.optionalText("name", of: element) ?? "",
      settings: settings(log.optionalObject("settings", of: element) ?? none),
      theme: log.optionalObject("theme", of: element).map { theme($0) },
      slots: log.list("products", of: element).compactMap { slot($0) },
      components: log.list("components", of: element).map { component($0) },
      json: element.value)
  }

  mutating func settings(_ element: ConfigElement) -> PaywallSchema.Settings {
    var settings = PaywallSchema.Settings()
    settings.presentation = log.word(
      "presentation", of: element, default: settings.presentation, peers: log.rejected)
    if let value = log.optionalBool("close_button", of: element) { settings.hasCloseButton = value }
    if let value = log.optionalWholeNumber("close_button_delay_ms", of: element) {
      settings.closeButtonDelay = value
    }
    if let value = log.optionalText("background_color", of: element) {
      settings.backgroundColor = value
    }
    if let value = log.optionalBool("scroll_enabled", of: element) {
      settings.isScrollEnabled = value
    }
    if let value = log.optionalBool("safe_area_insets", of: element) {
      settings.respectsSafeArea = value
    }
    settings.closeButtonStyle = log.optionalText("close_button_style", of: element)
    settings.backgroundGradient = log.optionalObject("background_gradient", of: element)?.value
    return settings
  }

  mutating func theme(_ element: ConfigElement) -> PaywallSchema.Theme {
    var theme = PaywallSchema.Theme()
    for (key, set) in Self.themeTexts {
      if let text = log.optionalText(key, of: element) { set(&theme, text) }
    }
    if let radius = log.optionalNumber("corner_radius", of: element) { theme.cornerRadius = radius }
    if let families = log.optionalObject("font_families", of: element) {
      theme.fontFamilies = fontFamilies(families)
    }
    return theme
  }

  package static var themeTexts: [(String, (inout PaywallSchema.Theme, String) -> Void)] {
    [
      ("background", { $0.background = $1 }), ("primary", { $0.primary = $1 }),
      ("secondary", { $0.secondary = $1 }), ("text_primary", { $0.textPrimary = $1 }),
      ("text_secondary", { $0.textSecondary = $1 }), ("accent", { $0.accent = $1 }),
      ("surface", { $0.surface = $1 }), ("font_family", { $0.fontFamily = $1 }),
    ]
  }

  mutating func fontFamilies(_ element: ConfigElement) -> [String: String] {
    var families: [String: String] = [:]
    for key in Self.fontUses {
      families[key] = log.optionalText(key, of: element)
    }
    return families
  }

  /// A component with the defaults of its type. A component of an unknown type is preserved, because a later version
  /// may support it.
  mutating func component(_ element: ConfigElement) -> Value {
    guard let type = log.text("type", of: element) else { return element.value }
    if !PaywallSchema.componentTypes.contains(type) {
      log.report(
        .decodeFailure, "'\(type)' is not a known component; it is preserved unchanged",
        severity: .note, at: element.memberPath("type"),
        suggestion: Suggestion.closest(to: type, among: PaywallSchema.componentTypes)
          .map { "did you mean \($0)?" })
    }
    checkActions(element)
    for child in log.list("children", of: element) { _ = component(child) }
    return PaywallSchema.withDefaults(element.value)
  }
}

extension AgentWallieDecoder {
  /// Checks that the actions of a component and of its links are known.
  private mutating func checkActions(_ component: ConfigElement) {
    guard let props = component.member("props") else { return }
    for place in [props] + (props.member("links")?.elements ?? []) {
      guard let action = place.member("action"), let text = action.text,
        !PaywallSchema.actions.contains(text)
      else { continue }
      log.report(
        .wouldReject, "'\(text)' is not an action", at: action.path,
        suggestion: Suggestion.closest(to: text, among: PaywallSchema.actions)
          .map { "did you mean \($0)?" }
          ?? "write \(PaywallSchema.actions.joined(separator: ", "))",
        peers: log.rejected)
    }
  }
}

extension PaywallSchema {
  /// Reads the schema of a native paywall from JSON. Unreadable elements are reported, and either
  /// dropped or preserved unchanged.
  package static func decode(json: some Sequence<UInt8>) -> Compilation<PaywallSchema> {
    let bytes = Array(json)
    do throws(JSONFault) {
      let value = try Value.parse(json: bytes)
      var decoder = AgentWallieDecoder()
      let schema = decoder.schema(ConfigElement(value: value, path: ""))
      return Compilation(output: schema, diagnostics: decoder.log.diagnostics)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: bytes)])
    }
  }
}
