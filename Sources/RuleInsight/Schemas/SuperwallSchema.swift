internal import Expressions
internal import RuleEngine

extension JSONSchema {
  /// Superwall's static config, as `Config.decode(superwall:)` reads it.
  package static let superwallConfig = document(
    "Superwall static config",
    """
    Placements with their audiences, paywalls and products. Only keys that Tollgate needs are required. \
    Shipped SDKs require more keys; 'tollgate check' lists them.
    """, SuperwallSchema.config,
    parts: [
      "trigger": SuperwallSchema.trigger, "rule": SuperwallSchema.rule,
      "variant": SuperwallSchema.variant, "occurrence": SuperwallSchema.occurrence,
      "preload": SuperwallSchema.preload, "computedProperty": SuperwallSchema.computedProperty,
      "paywall": SuperwallSchema.paywall, "product": SuperwallSchema.product,
      "survey": SuperwallSchema.survey, "localNotification": SuperwallSchema.localNotification,
      "presentationStyle": SuperwallSchema.presentationStyle,
    ])
}

/// The parts of a static config: rules and settings. Keys and words match those of the decoder.
enum SuperwallSchema {
  typealias Decoder = SuperwallConfigDecoder

  static let config = JSONSchema.object(
    of: Decoder.configKeys, required: ["trigger_options"],
    [
      "build_id": .text.described("Names this version of the config."),
      "trigger_options": .list(.part("trigger")).described("Placements with their rules."),
      "paywall_responses": .list(.part("paywall")).described(
        "The paywalls. If the list is not empty, variants can name only these paywalls."),
      "log_level": .integer.described(
        "The log level of SDKs: 10 debug, 20 info, 30 warn, 40 error."),
      "app_session_timeout_ms": .number.described(
        "Milliseconds in the background after which a new session begins."),
      "toggles": .list(toggle).described("Switches of SDKs, by key."),
      "disable_preload": .object(
        of: Decoder.disabledPreloadKeys,
        [
          "all": .bool.described("Whether nothing is preloaded."),
          "triggers": .list(.text).described("Placements whose paywalls are not preloaded."),
        ]
      ).described("Paywalls that are not preloaded."),
      "localization": .object(
        of: Decoder.localizationKeys,
        [
          "locales": .list(.object(required: ["locale"], ["locale": .text])).described(
            "Locales that paywalls are translated into.")
        ]
      ).described("Translations."),
      "products": .list(.part("product")).described(
        "Products as Android reads them. 'products_v3' takes precedence."),
      "postback": .anything.described("The address to which Android reports purchases."),
      "attribution_options": .object([
        "apple_search_ads": .object(["enabled": .bool.orNull]).orNull
      ]).described("The attribution services that SDKs query."),
      "products_v3": .list(.part("product")).described("Products with their entitlements."),
      "web2app_config": .object(
        of: Decoder.webToAppKeys,
        [
          "entitlements_max_age_ms": .number.described(
            "Milliseconds after which entitlements from the web are refreshed."),
          "restore_access_url": .text(pattern: "^\\S*:\\S*$").described(
            "The page where users restore web purchases."),
          "url_schema": .text.described("The app's URL scheme."),
        ]
      ).described("Settings for purchases on the web."),
      "ios_app_id": .text.described("The app's number in the App Store."),
      "bundle_id_config": .text.described("The app's bundle identifier."),
      "prioritized_campaign_id": .text.described("The campaign whose paywalls are loaded first."),
      "test_mode_user_ids": .list(testUser).described("Users for whom test mode is on."),
      "application": .object(["name": .text.orNull, "icon_url": .text.orNull]).described(
        "The app, as a web checkout shows it."),
      "requestId": .anything.described("The ID of the request for this config."),
    ])

  private static let toggle = JSONSchema.object(
    required: ["key"],
    ["key": .text, "enabled": .bool.described("Toggles without this key are ignored.")])

  private static let testUser = JSONSchema.object(
    required: ["type", "value"],
    ["type": .words(of: ConfigSettings.TestUser.Kind.self), "value": .text])

  // MARK: Rules

  static let trigger = JSONSchema.object(
    of: Decoder.triggerKeys, required: ["event_name", "rules"],
    [
      "event_name": .text.described("The name of the placement."),
      "rules": .list(.part("rule")).described(
        "Audiences, in order. The first audience that matches a user decides."),
    ])

  static let rule = JSONSchema.object(
    of: Decoder.ruleKeys, required: ["experiment_id", "variants"],
    [
      "experiment_id": .text.described("Names the audience and its experiment."),
      "experiment_group_id": .text.described("The campaign."),
      "variants": .list(.part("variant")).described(
        "The outcomes for users of this audience, by weight."),
      "preload": .part("preload"),
      "expression_cel": .text.described(
        "The condition, in superscript or CEL. Without a condition, the audience matches every user."
      ),
      "expression": JSONSchema.anything.described("No longer evaluated: write 'expression_cel'.")
        .with("deprecated", true),
      "expression_js": JSONSchema.anything.described("No longer evaluated: write 'expression_cel'.")
        .with("deprecated", true),
      "occurrence": .part("occurrence"),
      "computed_properties": .list(.part("computedProperty")).described(
        "Properties computed from the event history, which the condition reads as device attributes."
      ),
    ])

  static let variant = JSONSchema.object(
    of: Decoder.variantKeys, required: ["variant_id", "percentage"],
    [
      "variant_id": .text,
      "variant_type": .words(Decoder.variantKinds.map { $0.rawValue }).described(
        "Users with a treatment get a paywall. Users with a holdout get no paywall."),
      "percentage": .count.described(
        "The weight: a whole number. Weights need not sum to 100."),
      "paywall_identifier": .text.described("The paywall that a treatment gets."),
    ]
  ).requiring(
    ["paywall_identifier"], where: "variant_type", is: [Variant.Kind.holdout.rawValue],
    isOther: true, ["paywall_identifier": JSONSchema.text.with("minLength", 1)])

  static let occurrence = JSONSchema.object(
    of: Decoder.occurrenceKeys, required: ["key", "max_count", "interval"],
    [
      "key": .text.described("The key that occurrences are counted by. Audiences can share a key."),
      "max_count": .integer.described(
        "The maximum number of occurrences for a user in the interval."),
      "interval": JSONSchema.object(
        required: ["type"],
        [
          "type": .words(Decoder.intervalTypes),
          "minutes": JSONSchema.integer.orNull.described("The length of the interval in minutes."),
        ]
      ).requiring(
        ["minutes"], where: "type", is: ["MINUTES"], ["minutes": .integer]),
    ]
  ).described("The limit on how often users are taken.")

  static let preload = JSONSchema.object(
    of: Decoder.preloadKeys,
    [
      "behavior": .words(of: Preload.self),
      "requires_re_evaluation": .bool.described("If true, the paywall is always preloaded."),
    ]
  ).described("When the paywall is preloaded.")

  static let computedProperty = JSONSchema.object(
    required: ["type", "event_name"],
    [
      "type": .words(of: ComputedProperty.Kind.self).described(
        "The property to compute. For DAYS_SINCE, the condition reads device.daysSince_NAME."),
      "event_name": .text.described("The event to look up."),
    ])
}
