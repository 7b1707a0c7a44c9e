internal import Expressions

/// A made-up static config: placements of ten ordered audiences, the last for everybody.
///
/// All placements have the same conditions, each in an order of its own, as campaigns of one app
/// mostly do.
enum GeneratedConfig {
  /// The conditions before everybody. `peers/peer_duckdb.py` has the same questions in SQL.
  static let conditions = [
    #"device.subscriptionStatus == "UNKNOWN""#,
    #"user.is_tester == true"#,
    #"device.country in ["US", "CA"] && device.appVersionPadded >= "002.003.000" && "#
      + #"device.totalSessions >= 5"#,
    #"device.platform == "Android" && device.daysSinceInstall >= 7 && user.seed < 30"#,
    #"user.goal == "lose_weight" && device.totalPaywallViews < 3 && "#
      + #"device.subscriptionStatus != "ACTIVE""#,
    #"device.language in ["de", "fr", "es"] && device.totalSessions >= 3 && "#
      + #"device.totalSessions <= 40 && user.has_trial == false"#,
    #"has(user.email_domain) ? (user.email_domain.endsWith(".edu") || "#
      + #"user.email_domain.contains("acme")) : false"#,
    #"has(device.daysSinceLastPaywallView) ? device.daysSinceLastPaywallView > 30 : true"#,
    #"device.minutesSinceLast > 1440 && device.totalPaywallViews < 10 && device.osMajor >= 16"#,
  ]

  /// The config in the form of Superwall's static config.
  static func make(placements: Int) -> Value {
    .object([
      "build_id": "bench", "log_level": 10, "app_session_timeout_ms": 3_600_000, "toggles": [],
      "postback": ["products": []],
      "disable_preload": ["all": false, "triggers": []],
      "localization": ["locales": []], "products": [], "paywall_responses": [],
      "trigger_options": .list((0..<placements).map(placement)),
    ])
  }

  private static func placement(_ number: Int) -> Value {
    let first = number % conditions.count
    let order: [String?] = Array(conditions[first...] + conditions[..<first]) + [nil]
    return .object([
      "event_name": .string("placement_\(number)"),
      "rules": .list(order.enumerated().map { rule("\(number)_\($0)", number, $0, $1) }),
    ])
  }

  private static func rule(_ name: String, _ campaign: Int, _ index: Int, _ condition: String?)
    -> Value
  {
    .object([
      "experiment_id": .string("exp_\(name)"), "experiment_group_id": .string("camp_\(campaign)"),
      "expression_cel": condition.map { .string($0) } ?? .null, "occurrence": .null,
      "computed_properties": [], "preload": ["behavior": "ALWAYS"],
      "variants": [
        variant("v_\(name)_0", "TREATMENT", 45, .string("pw_\(index)_a")),
        variant("v_\(name)_1", "TREATMENT", 45, .string("pw_\(index)_b")),
        variant("v_\(name)_2", "HOLDOUT", 10, .null),
      ],
    ])
  }

  private static func variant(_ id: String, _ type: String, _ weight: Int64, _ paywall: Value)
    -> Value
  {
    .object([
      "variant_id": .string(id), "variant_type": .string(type), "percentage": .int(weight),
      "paywall_identifier": paywall,
    ])
  }
}
