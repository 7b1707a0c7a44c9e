package import Expressions
package import RuleEngine

/// A complete config and ways to spoil it, one place at a time.
package enum ConfigEdits {
  /// Two placements: `p` with the experiments `first` and `second`, `q` with `third`. Nothing in it
  /// deserves a diagnostic.
  package static let whole: Value = [
    "build_id": "b1", "log_level": 10, "app_session_timeout_ms": 3_600_000, "toggles": [],
    "products": [], "postback": .map([]),
    "disable_preload": ["all": false, "triggers": []], "localization": ["locales": []],
    "paywall_responses": [paywall("x"), paywall("y")],
    "trigger_options": [
      ["event_name": "p", "rules": [rule("first"), rule("second", expression: "user.a == 1")]],
      ["event_name": "q", "rules": [rule("third", expression: "has(user.b)")]],
    ],
  ]

  private static func paywall(_ identifier: String) -> Value {
    [
      "id": .string("db_\(identifier)"), "identifier": .string(identifier),
      "name": .string("Paywall \(identifier)"), "cache_key": "ck", "build_id": "b1",
      "url": "https://paywalls.example/p",
      "url_config": [
        "endpoints": [
          ["url": "https://cdn.example/p", "timeout_ms": 5_000, "percentage": .double(99.5)]
        ], "max_attempts": 2,
      ],
      "paywalljs_event": "W10=", "presentation_style_v2": "MODAL",
      "presentation_style_v3": ["type": "DRAWER", "height": 70, "corner_radius": 16],
      "presentation_condition": "CHECK_USER_SUBSCRIPTION", "presentation_delay": 250,
      "background_color_hex": "#FFFFFF", "dark_background_color_hex": "#000000",
      "feature_gating": "GATED", "on_device_cache": "ENABLED", "is_scroll_enabled": false,
      "introductory_offer_eligibility": "ALWAYS_ELIGIBLE", "reroute_back_button": "ENABLED",
      "products_v2": [product("primary", "pro.year"), product("secondary", "pro.month")],
      "computed_properties": [["type": "DAYS_SINCE", "event_name": "session_start"]],
      "surveys": [
        [
          "id": "s", "assignment_key": "sk", "title": "Why?", "message": "Tell us",
          "presentation_condition": "ON_PURCHASE", "presentation_probability": .double(0.25),
          "include_other_option": true, "include_close_option": false,
          "options": [["id": "o", "title": "Price"]],
        ]
      ],
      "local_notifications": [
        ["id": "n", "type": "TRIAL_STARTED", "title": "T", "body": "B", "delay": 1_000]
      ],
    ]
  }

  package static func product(_ slot: String, _ id: String) -> Value {
    [
      "reference_name": .string(slot), "sw_composite_product_id": .string("\(id):sw"),
      "store_product": [
        "store": "APP_STORE", "product_identifier": .string(id), "trial_days": 7,
        "billing_plan_type": "MONTHLY",
      ], "entitlements": [["identifier": "pro", "type": "SERVICE_LEVEL"]],
    ]
  }

  private static func rule(_ id: String, expression: String = "user.a == 2") -> Value {
    [
      "experiment_id": .string(id), "experiment_group_id": "g",
      "expression_cel": .string(expression), "computed_properties": [],
      "preload": ["behavior": "ALWAYS"],
      "occurrence": [
        "key": .string("key_\(id)"), "max_count": 3,
        "interval": ["type": "MINUTES", "minutes": 60],
      ],
      "variants": [
        [
          "variant_id": "v1", "variant_type": "TREATMENT", "percentage": 60,
          "paywall_identifier": "x",
        ],
        [
          "variant_id": "v2", "variant_type": "HOLDOUT", "percentage": 40,
          "paywall_identifier": .null,
        ],
      ],
    ]
  }

  /// The whole config with the value at a path such as `trigger_options[0].rules[1].variants`
  /// replaced, or taken out when the replacement is nil.
  package static func replacing(_ path: String, by value: Value?) -> Value {
    var steps: [String] = []
    for part in path.split(separator: ".") {
      steps += part.split(separator: "[").map {
        $0.last == "]" ? String($0.dropLast()) : String($0)
      }
    }
    return replace(whole, steps[...], value) ?? .null
  }

  private static func replace(_ value: Value, _ steps: ArraySlice<String>, _ new: Value?) -> Value?
  {
    guard let step = steps.first else { return new }
    let rest = steps.dropFirst()
    switch value {
    case .list(var elements):
      let index = Int(step)!
      if let changed = replace(elements[index], rest, new) {
        elements[index] = changed
      } else {
        elements.remove(at: index)
      }
      return .list(elements)
    case .map(var entries):
      let index = entries.firstIndex { $0.key == .string(step) }!
      if let changed = replace(entries[index].value, rest, new) {
        entries[index].value = changed
      } else {
        entries.remove(at: index)
      }
      return .map(entries)
    default: fatalError("\(step) is in no list and no map")
    }
  }

  /// Decoded and compiled.
  package static func decode(_ config: Value) -> (config: Config?, diagnostics: [Diagnostic]) {
    let decoded = Config.decode(superwall: config.json.utf8)
    let compiled = decoded.output.map { RuleSet.compile($0) }
    return (decoded.output, decoded.diagnostics + (compiled?.diagnostics ?? []))
  }

  /// `p: first second; q: third`
  package static func outline(_ config: Config?) -> String {
    guard let config else { return "nothing" }
    return config.placements.map { placement in
      ([placement.name + ":"] + placement.audiences.map { "\($0.index)=\($0.experimentID)" })
        .joined(separator: " ")
    }.joined(separator: "; ")
  }
}
