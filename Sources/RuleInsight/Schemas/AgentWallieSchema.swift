internal import Expressions
internal import RuleEngine

extension JSONSchema {
  /// AgentWallie's config, as `Config.decode(agentWallie:)` reads it.
  package static let agentWallieConfig = document(
    "AgentWallie config",
    """
    Campaigns with their placements and audiences, paywalls and products. Only keys that Tollgate needs \
    are required. AgentWallie's SDK requires more keys; 'tollgate check' lists them.
    """, AgentWallieSchema.config,
    parts: [
      "campaign": AgentWallieSchema.campaign, "placement": AgentWallieSchema.placement,
      "audience": AgentWallieSchema.audience, "filter": AgentWallieSchema.filter,
      "frequencyCap": AgentWallieSchema.frequencyCap, "experiment": AgentWallieSchema.experiment,
      "variant": AgentWallieSchema.variant, "product": AgentWallieSchema.product,
      "paywall": AgentWallieSchema.paywall, "component": AgentWallieSchema.component,
    ])
}

/// The parts of AgentWallie's config. Keys and words match those of the decoder.
enum AgentWallieSchema {
  typealias Decoder = AgentWallieDecoder
  typealias Model = AgentWallieModel

  static let config = JSONSchema.object(
    of: Decoder.configKeys, required: ["campaigns"],
    [
      "campaigns": .list(.part("campaign")),
      "paywalls": .map(JSONSchema.part("paywall").orNull).described("Paywalls by their ID."),
      "products": .list(.part("product")),
    ])

  static let campaign = JSONSchema.object(
    of: Decoder.campaignKeys, required: ["id"],
    [
      "id": .text, "name": .text,
      "status": .words(of: Model.Campaign.Status.self).described(
        "Only active campaigns decide."),
      "placements": .list(.part("placement")).described(
        "The places in the app where the campaign decides."),
      "audiences": .list(.part("audience")).described(
        "The audiences, in the order of 'priority_order'. The first audience that matches takes the user."
      ),
      "description": .anything, "notes": .anything,
    ])

  static let placement = JSONSchema.object(
    of: Decoder.placementKeys, required: ["name"],
    [
      "id": .text, "name": .text.described("The name that the app uses."),
      "type": .words(of: Model.CampaignPlacement.Kind.self),
      "status": .words(of: Model.CampaignPlacement.Status.self),
    ])

  static let audience = JSONSchema.object(
    of: Decoder.audienceKeys, required: ["id"],
    [
      "id": .text, "name": .text,
      "priority_order": .integer.described(
        "Smaller numbers come first. Audiences without a number come last."),
      "filters": .list(.part("filter")).described(
        "The condition. Without filters, every user matches."),
      "entitlement_check": .text.described("An entitlement that users must not have."),
      "frequency_cap": .part("frequencyCap"), "experiment": .part("experiment"),
    ], nonNull: ["priority_order"])

  static let filter = JSONSchema.object(
    of: Decoder.filterKeys, required: ["field", "operator"],
    [
      "field": .text.described("The attribute, such as user.plan or device.appVersion."),
      "operator": .words(of: Filter.Operator.self),
      "value": .any(of: [.bool, .number, .text, .list(.text)]).described(
        "The value to compare with."),
      "conjunction": .words(of: Filter.Conjunction.self).described(
        "How to join this filter with the filter before it."),
    ], nonNull: ["value"]
  ).requiring(
    ["value"], where: "operator",
    is: [Filter.Operator.exists.rawValue, Filter.Operator.notExists.rawValue], isOther: true)

  static let frequencyCap = JSONSchema.any(of: [
    .words(Model.FrequencyCap.Kind.allCases.filter { $0 != .nTimesTotal }.map { $0.rawValue }),
    JSONSchema.object(
      required: ["type"],
      [
        "type": .words(of: Model.FrequencyCap.Kind.self),
        "limit": JSONSchema.integer.orNull.described("The maximum for n_times_total."),
      ]
    ).requiring(
      ["limit"], where: "type", is: [Model.FrequencyCap.Kind.nTimesTotal.rawValue],
      ["limit": .integer]),
  ]).described("How often the audience can take a user.")

  static let experiment = JSONSchema.object(
    of: Decoder.experimentKeys, required: ["id"],
    [
      "id": .text, "name": .anything,
      "variants": .list(.part("variant")),
      "holdout_percentage": .integer.described("The share of users who get no paywall."),
      "status": .words(Decoder.experimentStatuses.map { $0.rawValue }),
    ])

  static let variant = JSONSchema.object(
    of: Decoder.variantKeys, required: ["id"],
    [
      "id": .text, "name": .anything,
      "paywall_id": .text.described("The paywall, by its key in 'paywalls'."),
      "traffic_percentage": .count.described("The share of users, in percent."),
    ])

  static let product = JSONSchema.object(
    of: Decoder.productKeys, required: ["id", "store_product_id"],
    [
      "id": .text, "name": .text, "store": .words(Decoder.stores.map { $0.name }),
      "store_product_id": .text.described("The store's identifier."),
      "entitlements": .list(.text).described("The entitlements of users that buy the product."),
      "base_plan_id": .text.described("The base plan in Google Play."),
      "offer_ids": .list(.text).described("Offers in Google Play."),
      "display_price": .text.described("The displayed price."),
      "display_period": .text.described("The displayed period."),
      "period": .text.described("An alias of 'display_period', which takes precedence."),
    ])

  // MARK: Native paywalls

  static let paywall = JSONSchema.object(
    of: Decoder.paywallKeys,
    [
      "version": .text, "name": .text, "settings": settings, "theme": theme,
      "products": .list(
        .object(
          of: Decoder.slotKeys, required: ["slot"],
          [
            "slot": .text.described("The name that components use."), "label": .text,
            "product_id": .text.described("The product, by its ID."),
          ])),
      "components": .list(.part("component")).described("The components, from top to bottom."),
    ])

  static let settings = JSONSchema.object([
    "presentation": JSONSchema.words(of: PaywallSchema.Settings.Presentation.self).orNull,
    "close_button": JSONSchema.bool.orNull,
    "close_button_delay_ms": JSONSchema.integer.orNull.described(
      "Milliseconds until the close button appears."),
    "background_color": JSONSchema.text.orNull, "scroll_enabled": JSONSchema.bool.orNull,
    "safe_area_insets": JSONSchema.bool.orNull, "close_button_style": JSONSchema.text.orNull,
    "background_gradient": JSONSchema.object.orNull,
  ]).described("How the paywall is shown and closed. Everything has a default.")

  static let theme = JSONSchema.object(
    of: Decoder.themeTexts.map { ConfigKey($0.0) }
      + ["corner_radius", "font_families"].map { ConfigKey($0) },
    members: Decoder.themeTexts.map { ($0.0, .text) } + [
      ("corner_radius", .number),
      (
        "font_families",
        .object(
          of: Decoder.fontUses.map { ConfigKey($0) }, members: Decoder.fontUses.map { ($0, .text) })
      ),
    ]
  ).described("Colours, corners and fonts. Everything has a default.")

  private static let action = JSONSchema.any(of: [
    .words(PaywallSchema.actions),
    .anything.with("type", ["object", "array", "number", "boolean", "null"]),
  ]).described("The action of a tap.")

  static let component = JSONSchema.object(
    required: ["type"],
    [
      // Unknown types are preserved, because a later version may know them.
      "type": .any(of: [.words(PaywallSchema.componentTypes), .text]),
      "props": .anything.with(
        "properties",
        .object([
          "action": action.value,
          "links": .object(["items": .object(["properties": .object(["action": action.value])])]),
        ])
      ).described("Content and behaviour, depending on the type."),
      "children": JSONSchema.list(.part("component")).orNull.described(
        "The components in this container."),
    ])
}
