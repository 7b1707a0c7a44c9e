internal import Expressions

/// Converts the wire format of the static config into the engine's model: the config, and the
/// settings.
package struct SuperwallConfigDecoder: LoggingDecoder {
  typealias Peer = Diagnostic.PeerEffect.Peer

  var log = DecodingLog(strictPeers: native, deciding: deciding)

  static let deciding: Set<String> = [
    "percentage", "variant_type", "paywall_identifier", "interval", "minutes",
  ]

  /// The SDKs that decode strictly.
  static let native: [Peer] = [.ios, .android]

  package static let configKeys = [
    ConfigKey("build_id", requiredBy: [.ios, .android, .web]),
    ConfigKey("trigger_options", requiredBy: native),
    ConfigKey("paywall_responses", requiredBy: native),
    ConfigKey("log_level", requiredBy: native),
    ConfigKey("app_session_timeout_ms", requiredBy: native),
    ConfigKey("toggles", requiredBy: native), ConfigKey("disable_preload", requiredBy: native),
    ConfigKey("localization", requiredBy: native),
    ConfigKey("products", requiredBy: [.android]), ConfigKey("postback", requiredBy: [.android]),
    ConfigKey("attribution_options"), ConfigKey("products_v3"), ConfigKey("web2app_config"),
    ConfigKey("ios_app_id"), ConfigKey("bundle_id_config"), ConfigKey("prioritized_campaign_id"),
    ConfigKey("test_mode_user_ids"), ConfigKey("application"), ConfigKey("requestId"),
  ]
  package static let disabledPreloadKeys = [
    ConfigKey("all", requiredBy: native), ConfigKey("triggers", requiredBy: native),
  ]
  package static let localizationKeys = [ConfigKey("locales", requiredBy: native)]
  package static let webToAppKeys = [
    ConfigKey("entitlements_max_age_ms", requiredBy: [.ios]),
    ConfigKey("restore_access_url", requiredBy: [.ios]), ConfigKey("url_schema"),
  ]

  mutating func config(_ root: ConfigElement) -> Config? {
    guard root.isObject else {
      log.report(
        .decodeFailure, "a static config must be a JSON object", at: "", peers: log.rejected)
      return nil
    }
    if root.member("trigger_options") == nil {
      log.report(.decodeFailure, "'trigger_options' is missing", at: "", peers: log.rejected)
    }
    log.checkKeys(of: root, Self.configKeys, reported: ["trigger_options"])
    if let buildID = root.member("build_id"), buildID.text == nil {
      log.missing("build_id", "a string", root, meaning: nil)
    }
    let paywalls = log.list("paywall_responses", of: root).compactMap { paywall($0) }
    var config = Config(
      format: .superwall, buildID: root.member("build_id")?.text ?? "", placements: [],
      paywalls: paywalls, products: products(root), settings: settings(root))
    addPlacements(log.list("trigger_options", of: root), to: &config)
    checkPaywalls(config)
    return config
  }

  /// Reads the products from the list that iOS reads, or else from the list that Android reads.
  private mutating func products(_ root: ConfigElement) -> [ProductReference] {
    let key = root.member("products_v3") == nil ? "products" : "products_v3"
    return log.list(key, of: root, severity: .warning).compactMap { product($0) }
  }

  // MARK: Settings

  private mutating func settings(_ root: ConfigElement) -> ConfigSettings {
    var settings = ConfigSettings(
      logLevel: log.optionalWholeNumber("log_level", of: root),
      toggles: log.list("toggles", of: root, severity: .warning).compactMap { toggle($0) },
      iosAppID: log.optionalText("ios_app_id", of: root),
      bundleID: log.optionalText("bundle_id_config", of: root),
      prioritizedCampaignID: log.optionalText("prioritized_campaign_id", of: root),
      testUsers: log.list("test_mode_user_ids", of: root, severity: .warning)
        .compactMap { testUser($0) })
    if let timeout = log.optionalNumber("app_session_timeout_ms", of: root) {
      settings.sessionTimeout = Int64(max(0, min(timeout, 1e15)))
    }
    if let preload = log.optionalObject("disable_preload", of: root) {
      log.checkKeys(of: preload, Self.disabledPreloadKeys)
      settings.disabledPreloads = ConfigSettings.DisabledPreloads(
        all: log.optionalBool("all", of: preload) ?? false,
        placements: log.texts("triggers", of: preload))
    }
    if let localization = log.optionalObject("localization", of: root) {
      log.checkKeys(of: localization, Self.localizationKeys)
      settings.locales = log.list("locales", of: localization, severity: .warning)
        .compactMap { log.text("locale", of: $0) }
    }
    readAttribution(root, &settings)
    settings.webToApp = webToApp(root)
    if let application = log.optionalObject("application", of: root) {
      settings.applicationName = log.optionalText("name", of: application)
      settings.applicationIconURL = log.optionalText("icon_url", of: application)
    }
    return settings
  }

  private mutating func readAttribution(_ root: ConfigElement, _ settings: inout ConfigSettings) {
    guard let options = log.optionalObject("attribution_options", of: root),
      let searchAds = log.optionalObject("apple_search_ads", of: options)
    else { return }
    settings.usesAppleSearchAds = log.optionalBool("enabled", of: searchAds) ?? false
  }

  private mutating func toggle(_ element: ConfigElement) -> ConfigSettings.Toggle? {
    guard let key = log.text("key", of: element) else { return nil }
    guard let isEnabled = element.member("enabled")?.bool else {
      log.missing("enabled", "true or false", element, meaning: "the toggle is ignored")
      return nil
    }
    return ConfigSettings.Toggle(key: key, isEnabled: isEnabled)
  }

  private mutating func testUser(_ element: ConfigElement) -> ConfigSettings.TestUser? {
    guard let type = log.text("type", of: element), let value = log.text("value", of: element)
    else { return nil }
    if let kind = ConfigSettings.TestUser.Kind(rawValue: type) {
      return ConfigSettings.TestUser(kind: kind, value: value)
    }
    log.report(
      .decodeFailure, "'\(type)' is not a test user type; the entry is ignored",
      severity: .warning, at: element.memberPath("type"),
      suggestion: "write "
        + ConfigSettings.TestUser.Kind.allCases.map { $0.rawValue }.joined(separator: " or "),
      peers: [Diagnostic.PeerEffect([.ios], .rejectsConfig)])
    return nil
  }

  /// The URL that replaces an invalid URL.
  private static let fallbackURL = "https://superwall.com"

  private mutating func webToApp(_ root: ConfigElement) -> ConfigSettings.WebToApp? {
    guard let element = log.optionalObject("web2app_config", of: root) else { return nil }
    log.checkKeys(of: element, Self.webToAppKeys)
    var url = log.optionalText("restore_access_url", of: element)
    if let text = url, !text.contains(":") || text.contains(where: { $0.isWhitespace }) {
      log.report(
        .decodeFailure, "'\(text)' is not a URL; \(Self.fallbackURL) is used instead",
        severity: .warning, at: element.memberPath("restore_access_url"))
      url = nil
    }
    let age = log.optionalNumber("entitlements_max_age_ms", of: element) ?? 0
    return ConfigSettings.WebToApp(
      entitlementsMaxAge: Int64(max(0, min(age, 1e15))), restoreAccessURL: url ?? Self.fallbackURL,
      urlScheme: log.optionalText("url_schema", of: element))
  }

  // MARK: Checks of the whole config

  /// If the config has paywalls, the paywalls that variants name must exist.
  private mutating func checkPaywalls(_ config: Config) {
    guard !config.paywalls.isEmpty else { return }
    let known = Set(config.paywalls.map { Array($0.identifier.utf8) })
    let names = config.paywalls.map { $0.identifier }.sorted()
    // Finding the closest name is slow in a large config with many wrong names.
    var suggestions = 50
    for audience in config.placements.flatMap({ $0.audiences }) {
      for (i, variant) in audience.variants.enumerated() {
        guard let paywall = variant.paywallID, !paywall.isEmpty,
          !known.contains(Array(paywall.utf8))
        else { continue }
        suggestions -= 1
        let close =
          suggestions >= 0 ? Suggestion.closest(to: paywall, among: names.prefix(2_000)) : nil
        log.report(
          .unknownPaywall, "the config has no paywall '\(paywall)'",
          severity: variant.kind == .treatment ? .error : .warning,
          at: "\(audience.path).variants[\(i)].paywall_identifier",
          suggestion: close.map { "did you mean '\($0)'?" })
      }
    }
  }
}
