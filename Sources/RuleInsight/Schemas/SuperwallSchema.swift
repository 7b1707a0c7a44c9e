internal import Expressions
internal import RuleEngine

extension JSONSchema {
  /// Superwall's static config, as `Config.decode(superwall:)` reads it.
  package static let superwallConfig = document(
    "Superwall static config",
    """
    Placements with their audiences, paywalls and products. Required is what no rule can do without; \
    SDKs in the field require more, which 'tollgate check' says.
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

/// The parts of a static config: rules and settings. Keys and words are those of the decoder.
enum SuperwallSchema {
  typealias Decoder = SuperwallConfigDecoder

  static let config = JSONSchema.object(
    of: Decoder.configKeys, required: ["trigger_options"],
    [
      "build_id": .text.described("Names this version of the config."),
      "trigger_options": .list(.part("trigger")).described("Placements with their rules."),
      "paywall_responses": .list(.part("paywall")).described(
        "The paywalls. Where there are any, variants may name no others."),
      "log_level": .integer.described("What SDKs log: 10 debug, 20 info, 30 warn, 40 error."),
      "app_session_timeout_ms": .number.described(
        "Milliseconds in the background after which a new session begins."),
      "toggles": .list(toggle).described("Switches of SDKs, by key."),
      "disable_preload": .object(
        of: Decoder.disabledPreloadKeys,
        [
          "all": .bool.described("Whether nothing is preloaded."),
          "triggers": .list(.text).described("Placements whose paywalls are not preloaded."),
        ]
      ).described("What is not loaded before anybody asks for it."),
      "localization": .object(
        of: Decoder.localizationKeys,
        [
          "locales": .list(.object(required: ["locale"], ["locale": .text])).described(
            "Locales that paywalls are translated into.")
        ]
      ).described("Translations."),
      "products": .list(.part("product")).described(
        "Products as Android reads them; 'products_v3' wins."),
      "postback": .anything.described("Where Android reports purchases to."),
      "attribution_options": .object([
        "apple_search_ads": .object(["enabled": .bool.orNull]).orNull
      ]).described("Which attribution services SDKs ask."),
      "products_v3": .list(.part("product")).described("Products with their entitlements."),
      "web2app_config": .object(
        of: Decoder.webToAppKeys,
        [
          "entitlements_max_age_ms": .number.described(
            "Milliseconds after which entitlements from the web are asked for again."),
          "restore_access_url": .text(pattern: "^\\S*:\\S*$").described(
            "Where users restore what they bought on the web."),
          "url_schema": .text.described("The app's URL scheme."),
        ]
      ).described("What SDKs need to know of purchases on the web."),
      "ios_app_id": .text.described("The app's number in the App Store."),
      "bundle_id_config": .text.described("The app's bundle identifier."),
      "prioritized_campaign_id": .text.described("The campaign whose paywalls are loaded first."),
      "test_mode_user_ids": .list(testUser).described("Users for whom test mode is on."),
      "application": .object(["name": .text.orNull, "icon_url": .text.orNull]).described(
        "The app, as a web checkout shows it."),
      "requestId": .anything.described("The request that this config answered."),
    ])

  private static let toggle = JSONSchema.object(
    required: ["key"],
    ["key": .text, "enabled": .bool.described("Without it the toggle is ignored.")])

  private static let testUser = JSONSchema.object(
    required: ["type", "value"],
    ["type": .words(of: ConfigSettings.TestUser.Kind.self), "value": .text])

  // MARK: Rules

  static let trigger = JSONSchema.object(
    of: Decoder.triggerKeys, required: ["event_name", "rules"],
    [
      "event_name": .text.described("The name of the placement."),
      "rules": .list(.part("rule")).described(
        "Audiences, in order: the first that matches a user takes them."),
    ])

  static let rule = JSONSchema.object(
    of: Decoder.ruleKeys, required: ["experiment_id", "variants"],
    [
      "experiment_id": .text.described("Names the audience and its experiment."),
      "experiment_group_id": .text.described("The campaign."),
      "variants": .list(.part("variant")).described("What users of this audience get, by weight."),
      "preload": .part("preload"),
      "expression_cel": .text.described(
        "The condition, in superscript or CEL; without one the audience matches every user."),
      "expression": JSONSchema.anything.described("No longer evaluated: write 'expression_cel'.")
        .with("deprecated", true),
      "expression_js": JSONSchema.anything.described("No longer evaluated: write 'expression_cel'.")
        .with("deprecated", true),
      "occurrence": .part("occurrence"),
      "computed_properties": .list(.part("computedProperty")).described(
        "Questions about the history of events that the condition asks as attributes of the device."
      ),
    ])

  static let variant = JSONSchema.object(
    of: Decoder.variantKeys, required: ["variant_id", "percentage"],
    [
      "variant_id": .text,
      "variant_type": .words(Decoder.variantKinds.map(\.rawValue)).described(
        "A treatment gets a paywall, a holdout none."),
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
      "key": .text.described("What is counted under; audiences may share a key."),
      "max_count": .integer.described("How often a user is taken in the interval, at most."),
      "interval": JSONSchema.object(
        required: ["type"],
        [
          "type": .words(Decoder.intervalTypes),
          "minutes": JSONSchema.integer.orNull.described("How many minutes count."),
        ]
      ).requiring(
        ["minutes"], where: "type", is: ["MINUTES"], ["minutes": .integer]),
    ]
  ).described("How often users are taken.")

  static let preload = JSONSchema.object(
    of: Decoder.preloadKeys,
    [
      "behavior": .words(of: Preload.self),
      "requires_re_evaluation": .bool.described("Where it is true, the paywall is always loaded."),
    ]
  ).described("When the paywall is loaded before anybody asks for it.")

  static let computedProperty = JSONSchema.object(
    required: ["type", "event_name"],
    [
      "type": .words(of: ComputedProperty.Kind.self).described(
        "What is asked; the condition reads device.daysSince_NAME for DAYS_SINCE."),
      "event_name": .text.described("The event that is asked about."),
    ])
}
