internal import Expressions

/// A generated static config: placements with ten ordered audiences, where the last one matches every user.
///
/// All placements have the same conditions in a different order, as is usual for campaigns of one app.
enum GeneratedConfig {
  /// The conditions before the audience for every user. `peers/peer_duckdb.py` has the same conditions in SQL.
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
  static func make(placements: Int) -> Value { config((0..<placements).map(placement)) }

  /// Audiences with a known number of clauses, by the name of their placement.
  ///
  /// - `three_clauses`: ten audiences of three clauses. Each user reaches some of them, and some of their clauses, depending
  ///   on the attributes.
  /// - `all_clauses`: the same number, but every clause of every audience is evaluated, and only the last audience matches.
  /// - `one_clause`: sixty audiences of one clause that do not match, then one that does.
  static let shapes: [(placement: String, conditions: [String])] = [
    ("three_clauses", threeClauses),
    (
      "all_clauses",
      (0..<9).map {
        "device.osMajor >= 1\($0 % 5) && device.totalSessions > 0 && device.country == \"X\($0)\""
      } + [#"device.osMajor >= 14 && device.totalSessions > 0 && device.country != "X9""#]
    ),
    (
      "one_clause",
      (0..<60).map { "device.country == \"X\($0)\"" } + ["device.totalSessions > 0"]
    ),
  ]

  /// A config with one placement that has all conditions and no audience for every user. A user that matches none of them gets
  /// no paywall.
  static func withoutMatch() -> Value {
    config([
      .object([
        "event_name": "bench",
        "rules": .list(conditions.enumerated().map { rule("\($0)", 0, $0, $1) }),
      ])
    ])
  }

  private static let threeClauses = [
    #"device.country == "JP" && device.platform == "iOS" && device.osMajor >= 17"#,
    #"user.goal == "sleep" && device.totalSessions >= 10 && user.has_trial == false"#,
    #"device.subscriptionStatus == "ACTIVE" && user.seed < 50 && device.osMajor >= 15"#,
    #"device.language in ["de", "fr"] && device.totalPaywallViews < 2 && user.seed >= 40"#,
    #"device.platform == "Android" && device.daysSinceInstall >= 30 && device.country == "BR""#,
    #"user.seed < 20 && device.totalSessions > 60 && device.platform == "iOS""#,
    #"device.appVersionPadded >= "004.000.000" && user.seed > 80 && device.osMajor == 18"#,
    #"device.country in ["GB", "AU"] && user.has_trial == true && device.osMajor == 16"#,
    #"device.minutesSinceLast > 4000 && device.daysSinceInstall < 10 && user.seed < 90"#,
    #"device.osMajor >= 14 && device.totalSessions > 0 && device.platform != "Web""#,
  ]

  static func makeShapes() -> Value {
    config(
      shapes.enumerated().map { number, shape in
        .object([
          "event_name": .string(shape.placement),
          "rules": .list(
            shape.conditions.enumerated().map { rule("\(number)_\($0)", number, $0, $1) }),
        ])
      })
  }

  private static func config(_ placements: [Value]) -> Value {
    .object([
      "build_id": "bench", "log_level": 10, "app_session_timeout_ms": 3_600_000, "toggles": [],
      "postback": ["products": []],
      "disable_preload": ["all": false, "triggers": []],
      "localization": ["locales": []], "products": [], "paywall_responses": [],
      "trigger_options": .list(placements),
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
