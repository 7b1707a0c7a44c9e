internal import Expressions

/// Finds the parts that make some SDK versions reject a config. A missing key only counts if the
/// config looks like an export, because handwritten configs lack many keys.
struct ConfigFactFinder {
  private(set) var facts: [ConfigFact] = []

  init(superwall root: ConfigElement) {
    let isExport = SuperwallConfigDecoder.configKeys
      .filter { $0.requiredBy.contains(.ios) }.allSatisfy { root.member($0.name) != nil }
    for element in root.member("paywall_responses")?.elements ?? [] { addPaywall(element) }
    for trigger in root.member("trigger_options")?.elements ?? [] {
      for rule in trigger.member("rules")?.elements ?? [] {
        addProperties(rule)
        if isExport, rule.member("preload") == nil { add(.noPreload, rule.path) }
      }
    }
    for user in root.member("test_mode_user_ids")?.elements ?? [] {
      if let type = user.member("type")?.text, ConfigSettings.TestUser.Kind(rawValue: type) == nil {
        add(.unknownTestUser, user.path)
      }
    }
    if let web = root.member("web2app_config"), web.isObject,
      web.member("restore_access_url") == nil
    {
      add(.noRestoreURL, web.path)
    }
    if isExport, root.member("products") == nil { add(.noProducts, "") }
  }

  init(agentWallie root: ConfigElement) {
    for campaign in root.member("campaigns")?.elements ?? [] {
      let audiences = campaign.member("audiences")?.elements ?? []
      for element in [campaign] + audiences {
        if element.member("frequency_cap")?.text != nil { add(.textCap, element.path) }
      }
    }
  }

  private mutating func addPaywall(_ element: ConfigElement) {
    addProperties(element)
    let (second, third) = (
      element.member("presentation_style_v2"), element.member("presentation_style_v3")
    )
    if second != nil, third == nil { add(.noStyleV3, element.path) }
    if let third, let sizes = Self.sizes[third.member("type")?.text ?? ""],
      !sizes.allSatisfy({ third.member($0)?.number != nil })
    {
      add(.noStyleSize, third.path)
    }
    let isWhole = SuperwallConfigDecoder.paywallKeys
      .filter { $0.requiredBy.contains(.ios) }.allSatisfy { element.member($0.name) != nil }
    if isWhole, second == nil { add(.noStyleV2, element.path) }
  }

  /// The sizes that presentation styles need.
  private static let sizes = [
    "DRAWER": ["height", "corner_radius"], "POPUP": ["height", "width", "corner_radius"],
  ]

  private mutating func addProperties(_ element: ConfigElement) {
    for property in element.member("computed_properties")?.elements ?? []
    where property.member("type")?.text?.hasPrefix("PLACEMENTS_") == true {
      add(.placementProperty, property.path)
    }
  }

  /// Adds a fact, unless a fact of the same kind exists.
  private mutating func add(_ kind: ConfigFact.Kind, _ path: String) {
    if !facts.contains(where: { $0.kind == kind }) {
      facts.append(ConfigFact(kind: kind, path: path))
    }
  }
}
