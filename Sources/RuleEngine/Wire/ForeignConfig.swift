internal import Expressions

/// Recognizes configs of other services, which this engine cannot decide.
enum ForeignConfig {
  /// The diagnostic for a file with neither placements nor campaigns, or nil if the file may be a config.
  static func diagnostic(_ root: ConfigElement) -> Diagnostic? {
    guard !root.has("trigger_options"), !root.has("campaigns"), let name = name(root) else {
      return nil
    }
    return Diagnostic(
      .decodeFailure,
      "this looks like \(name); Tollgate reads configs of Superwall and AgentWallie",
      severity: .error, path: "",
      suggestion:
        "get the config of your app with 'tollgate fetch', or write one with 'tollgate init'")
  }

  private static func name(_ root: ConfigElement) -> String? {
    if let elements = root.elements {
      guard let first = elements.first, first.isObject else { return nil }
      return first.has("trigger_options") ? nil : name(first)
    }
    guard root.isObject else { return nil }
    return data(root) ?? known(root)
  }

  /// Recognizes files of services that wrap their content in `data`.
  private static func data(_ root: ConfigElement) -> String? {
    guard let data = root.member("data") else { return nil }
    for element in [data] + (data.elements ?? []).prefix(1) where element.isObject {
      if element.member("type")?.text?.hasPrefix("adapty") == true { return "a file of Adapty" }
      if let attributes = element.member("attributes"), attributes.isObject {
        if attributes.has("developer_id") || attributes.has("paywall_name") {
          return "a file of Adapty"
        }
      }
      if element.isObject, let name = known(element) { return name }
    }
    return nil
  }

  private static func known(_ root: ConfigElement) -> String? {
    func isObject(_ key: String) -> Bool { root.member(key)?.isObject == true }
    func first(_ key: String) -> ConfigElement? {
      let member = root.member(key)
      if let element = member?.elements?.first { return element }
      return member?.keys.first.flatMap { member?.member($0) }
    }
    if root.has("current_offering_id")
      || first("offerings").map({ $0.has("packages") || $0.has("availablePackages") }) == true
      || root.has("offerings") && (root.has("current") || root.has("placements") || root.has("all"))
      || root.has("subscriber") && root.has("request_date")
    {
      return "a file of RevenueCat"
    }
    if isObject("flags"), let flag = first("flags") {
      let keys = ["variations", "fallthrough", "offVariation", "targets"]
      if keys.contains(where: flag.has) || root.has("segments") && flag.has("on") {
        return "a file of LaunchDarkly"
      }
      if flag.has("defaultVariant") || flag.has("variants") { return "a file of flagd" }
    }
    if root.has("flagValues") || root.has("flagsState") || root.has("fallthrough") {
      return "a file of LaunchDarkly"
    }
    if isObject("features"),
      first("features").map({ $0.has("defaultValue") || $0.has("rules") }) == true
    {
      return "a file of GrowthBook"
    }
    if root.has("defaultValue"), root.has("rules") { return "a file of GrowthBook" }
    if let feature = first("features"), feature.has("strategies") { return "a file of Unleash" }
    if root.has("placement_audience_version_id")
      || root.has("developer_id")
        && (root.has("paywalls") || root.has("audiences") || root.has("paywall_id"))
      || first("paywalls")?.has("developer_id") == true
      || root.member("placement")?.has("developer_id") == true
      || root.has("variation_id") && root.has("paywall_name")
      || root.has("paywall_id") && root.has("products")
    {
      return "a file of Adapty"
    }
    if root.has("parameters"), root.has("conditions") || root.has("parameterGroups") {
      return "a template of Firebase Remote Config"
    }
    if root.has("feature_gates") || root.has("dynamic_configs") { return "a file of Statsig" }
    if root.has("experimentationKey") || root.has("featureFlags") && root.has("experiments") {
      return "a datafile of Optimizely"
    }
    return nil
  }
}
