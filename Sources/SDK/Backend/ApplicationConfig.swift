internal import Expressions
package import RuleEngine

/// The static config as the SDK uses it: rules, paywalls, products, settings.
package struct ApplicationConfig: Sendable {
  package var config: Config
  package var rules: RuleSet
  var paywalls: [String: PaywallResponse]

  var settings: ConfigSettings { config.settings }

  /// Reads a static config. Decoding is tolerant: broken elements are dropped. Fails unless the
  /// input is an object with a build ID, triggers and paywalls.
  ///
  /// - Parameter platform: the SDK whose evaluation the rules follow.
  static func decode(_ body: [UInt8], platform: Platform) throws(BackendError)
    -> ApplicationConfig
  {
    guard let value = try? Value.parse(json: body), value.isObject else {
      throw .decoding("it is not a JSON object")
    }
    if value["campaigns"] != nil, value["trigger_options"] == nil {
      throw .decoding("it is an AgentWallie config, which RuleSet supports but the SDK does not")
    }
    guard let build = value["build_id"]?.text, !build.isEmpty else {
      throw .decoding("'build_id' is missing")
    }
    for key in ["trigger_options", "paywall_responses"] where value[key]?.elements == nil {
      throw .decoding("'\(key)' is missing")
    }
    guard let config = Config.decode(superwall: body).output,
      let rules = RuleSet.compile(config, forAppsOn: platform).output
    else { throw .decoding("it is not a static config") }
    return ApplicationConfig(value, config, rules)
  }

  private init(_ value: Value, _ config: Config, _ rules: RuleSet) {
    self.config = config
    self.rules = rules
    paywalls = Dictionary(
      (value["paywall_responses"]?.elements ?? []).compactMap { element in
        PaywallResponse(decoding: element).map { ($0.identifier, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  func hasPlacement(_ name: String) -> Bool { rules.placement(named: name) != nil }

  /// Whether the config has a paywall, in any language.
  func holdsPaywall(_ identifier: String) -> Bool { paywalls[identifier] != nil }

  /// The paywall from the config. Nil if the paywall must be fetched, because the config lacks the paywall or the
  /// backend has it in the user's language.
  func staticPaywall(_ identifier: String, locale: String) -> PaywallResponse? {
    let locales = settings.locales
    if locales.contains(locale) { return nil }
    let language = locale.prefix { $0 != "_" && $0 != "-" }
    guard language == "en" || !locales.contains(String(language)) else { return nil }
    return paywalls[identifier]
  }

  /// The entitlements that a product grants: the union over all products with the same identifier.
  func entitlements(ofProduct id: String) -> [Entitlement] { config.entitlements(ofProduct: id) }

  /// Every entitlement that any product grants.
  var entitlements: [Entitlement] {
    var seen: Set<Entitlement> = []
    return (config.products + config.paywalls.flatMap(\.products)).flatMap(\.entitlements)
      .filter { seen.insert($0).inserted }
  }
}
