internal import Expressions
package import RuleEngine

/// The static config as the SDK uses it: rules, paywalls, products, settings.
package struct ApplicationConfig: Sendable {
  package var config: Config
  package var rules: RuleSet
  var paywalls: [String: PaywallResponse]
  var products: [PaywallProduct]
  /// Milliseconds in the background after which a new session begins.
  var sessionTimeout: Int64
  /// Locales that have paywalls of their own, which are asked for one by one.
  var locales: Set<String>
  var preloadIsDisabled: Bool
  var placementsWithoutPreload: Set<String>
  /// Whether a user's seed comes from the user ID.
  var seedsByUserID: Bool
  /// How old web entitlements may become, in milliseconds.
  var webEntitlementsMaxAge: Int64?

  /// Reads a static config. Decoding is tolerant: what is broken is left out. Without an object
  /// that has a build ID, triggers and paywalls there is no config.
  static func decode(_ body: [UInt8]) throws(BackendError) -> ApplicationConfig {
    guard let value = try? Value.parse(json: body), value.isObject else {
      throw .decoding("it is no JSON object")
    }
    guard let build = value["build_id"]?.text, !build.isEmpty else {
      throw .decoding("'build_id' is missing")
    }
    for key in ["trigger_options", "paywall_responses"] where value[key]?.elements == nil {
      throw .decoding("'\(key)' is missing")
    }
    guard let config = Config.decode(superwall: body).output,
      let rules = RuleSet.compile(config).output
    else { throw .decoding("it is no static config") }
    return ApplicationConfig(value, config, rules)
  }

  private init(_ value: Value, _ config: Config, _ rules: RuleSet) {
    self.config = config
    self.rules = rules
    paywalls = Dictionary(
      (value["paywall_responses"]?.elements ?? []).compactMap { element in
        PaywallResponse(decoding: element).map { ($0.identifier, $0) }
      }, uniquingKeysWith: { first, _ in first })
    let products = value["products_v3"]?.elements ?? value["products"]?.elements ?? []
    self.products = products.compactMap { PaywallProduct(decoding: $0) }
    sessionTimeout = value["app_session_timeout_ms"]?.number.map { Int64($0) } ?? 3_600_000
    locales = Set(
      (value["localization"]?["locales"]?.elements ?? []).compactMap { $0["locale"]?.text })
    preloadIsDisabled = value["disable_preload"]?["all"]?.truth ?? false
    placementsWithoutPreload = Set(
      (value["disable_preload"]?["triggers"]?.elements ?? []).compactMap(\.text))
    seedsByUserID = ApplicationConfig.toggle("enable_userid_seed", of: value)
    webEntitlementsMaxAge = value["web2app_config"]?["entitlements_max_age_ms"]?.wholeNumber
      .map { Int64($0) }
  }

  /// Of several entries with one key the first counts.
  private static func toggle(_ key: String, of value: Value) -> Bool {
    let entry = (value["toggles"]?.elements ?? []).first { $0["key"]?.text == key }
    return entry?["enabled"]?.truth ?? false
  }

  func hasPlacement(_ name: String) -> Bool { rules.placement(named: name) != nil }

  /// The paywall that needs no request, or nil when it has to be fetched: it is not in the config,
  /// or the user's language has a version of its own.
  func staticPaywall(_ identifier: String, locale: String) -> PaywallResponse? {
    if locales.contains(locale) { return nil }
    let language = locale.prefix { $0 != "_" && $0 != "-" }
    guard language == "en" || !locales.contains(String(language)) else { return nil }
    return paywalls[identifier]
  }

  /// What owning a product gives: the union over all products with its identifier.
  func entitlements(ofProduct id: String) -> [Entitlement] {
    distinct(products.filter { $0.id == id }.flatMap(\.entitlements))
  }

  /// Every entitlement that some product gives.
  var entitlements: [Entitlement] { distinct(products.flatMap(\.entitlements)) }

  private func distinct(_ entitlements: [Entitlement]) -> [Entitlement] {
    var seen: Set<Entitlement> = []
    return entitlements.filter { seen.insert($0).inserted }
  }
}
