extension SDKFacts {
  /// The range of versions in which a fact makes an SDK reject a config: from the first version up to but not including
  /// the last.
  package struct Requirement: Sendable {
    package var kind: ConfigFact.Kind
    package var sdk: SDKName
    package var since: SDKVersion
    package var until: SDKVersion?
    package var source: String
  }

  package static let requirements: [Requirement] = [
    required(.placementProperty, .android, "1.0.0", "2.5.1", "ComputedPropertyRequest.kt 2.5.1"),
    required(.noStyleV3, .ios, "4.8.0", nil, "Paywall.swift 4.8.0"),
    required(.noStyleSize, .ios, "4.8.0", nil, "PaywallPresentationStyle.swift 4.8.0"),
    required(.noStyleV2, .ios, "1.0.0", "4.8.0", "Paywall.swift 4.7.0"),
    required(.noStyleV2, .android, "1.0.0", nil, "Paywall.kt"),
    required(.unknownTestUser, .ios, "4.14.0", nil, "Config.swift 4.14.0"),
    required(.unknownTestUser, .android, "2.7.4", nil, "Config.kt 2.7.4"),
    required(.noRestoreURL, .ios, "4.2.0", nil, "Web2AppConfig.swift 4.2.0"),
    required(.noProducts, .android, "2.0.0", nil, "Config.kt 2.0.0"),
    required(.noPreload, .ios, "3.4.3", nil, "TriggerRule.swift 3.4.3"),
    required(.textCap, .agentWallie, "0.1.0", "0.4.3", "Campaign.swift 0.4.3"),
  ]

  private static func required(
    _ kind: ConfigFact.Kind, _ sdk: SDKName, _ since: SDKVersion, _ until: SDKVersion?,
    _ source: String
  ) -> Requirement {
    Requirement(kind: kind, sdk: sdk, since: since, until: until, source: source)
  }
}

extension ConfigFact.Kind {
  /// Why a config is rejected.
  package var reason: String {
    switch self {
    case .placementProperty: "a computed property of a type PLACEMENTS_* is unknown"
    case .noStyleV3: "a paywall has no 'presentation_style_v3'"
    case .noStyleSize: "a drawer or popup lacks its height, width or corner radius"
    case .noStyleV2: "a paywall has no 'presentation_style_v2'"
    case .unknownTestUser: "a test user has an unknown type"
    case .noRestoreURL: "'web2app_config' has no 'restore_access_url'"
    case .noProducts: "'products' is missing"
    case .noPreload: "a rule has no 'preload'"
    case .textCap: "a frequency cap is a string"
    }
  }
}

extension SDKProfile {
  /// Why the SDK rejects the whole config, or nil if the SDK accepts it. The result is also nil for the newest SDK,
  /// because checking a config reports these problems.
  package func rejection(of config: Config) -> ConfigFact? {
    guard version != nil else { return nil }
    return config.facts.first { fact in
      SDKFacts.requirements.contains {
        $0.kind == fact.kind && $0.sdk == sdk && known >= $0.since
          && ($0.until.map { known < $0 } ?? true)
      }
    }
  }
}
