internal import Expressions
internal import Pricing
internal import RuleEngine

/// The schemas of paywalls, products and surveys in a static config.
extension SuperwallSchema {
  static let paywall = JSONSchema.object(
    of: Decoder.paywallKeys + Decoder.optionalPaywallKeys, required: ["identifier"],
    [
      "id": .text.described("The paywall in the backend's database."),
      "identifier": .text.described("The identifier that variants use."),
      "name": .text.described("The display name."),
      "cache_key": .text.described("A key that changes whenever the page changes."),
      "build_id": .text,
      "url": .text.described("The address of the page."),
      "url_config": .object(
        of: Decoder.loadingKeys,
        [
          "endpoints": .list(
            .object(
              required: ["url"],
              [
                "url": .text, "timeout_ms": .number.orNull,
                "percentage": JSONSchema.number.orNull.described(
                  "The share of loads that use this address."),
              ])),
          "max_attempts": .integer,
        ]
      ).described("The addresses to load the page from."),
      "paywalljs_event": .text.described("The event that is sent to the page when it has loaded."),
      "presentation_style_v3": .part("presentationStyle"),
      "presentation_delay": .integer.described("Milliseconds before the paywall is shown."),
      "presentation_condition": .text.described(
        "Whether subscribers see the paywall, for Android."),
      "presentation_style_v2": .anything.described("The style, for older versions of Android."),
      "presentation_style": .anything.described("The style, for older SDKs."),
      "background_color_hex": .text, "dark_background_color_hex": .text,
      "products": .list(
        .object(
          required: ["product_id"],
          [
            "product_id": .text,
            "product": JSONSchema.text.orNull.described("The slot: primary, secondary ..."),
          ])
      ).described(
        "Products by slot, in the oldest form. 'products_v2' and 'products_v3' take precedence."),
      "products_v2": .list(.part("product")), "products_v3": .list(.part("product")),
      "feature_gating": .words(of: Paywall.FeatureGating.self).described(
        "Whether the feature behind the placement is for subscribers only."),
      "on_device_cache": .words(of: Decoder.Switch.self),
      "computed_properties": .list(.part("computedProperty")),
      "surveys": .list(.part("survey")),
      "local_notifications": .list(.part("localNotification")),
      "manifest": .anything.described("The files of the page, for storing them on the device."),
      "is_scroll_enabled": .bool,
      "introductory_offer_eligibility": .words(of: Paywall.OfferEligibility.self),
      "intro_offer_eligibility": .words(of: Paywall.OfferEligibility.self),
      "reroute_back_button": .words(of: Decoder.Switch.self),
    ])

  static let presentationStyle = JSONSchema.object(
    required: ["type"],
    [
      "type": .words(Decoder.presentationStyles),
      "height": .anything.described("For drawers and popups: percent of the screen."),
      "width": .anything.described("For popups: percent of the screen."),
      "corner_radius": .anything.described("For drawers and popups: points."),
    ]
  ).requiring(
    ["height", "corner_radius"], where: "type", is: ["DRAWER"],
    ["height": .number, "corner_radius": .number]
  ).requiring(
    ["height", "width", "corner_radius"], where: "type", is: ["POPUP"],
    ["height": .number, "width": .number, "corner_radius": .number]
  ).described("How the paywall is shown.")

  static let product = JSONSchema.object(
    of: Decoder.productKeys, required: ["store_product", "entitlements"],
    [
      "reference_name": .text.described("The slot on the paywall: primary, secondary ..."),
      "sw_composite_product_id": .text.described("Names the product across stores and offers."),
      "store_product": .object(
        required: ["product_identifier", "store"],
        [
          "product_identifier": .text.described("The store's identifier."),
          "store": .words(Decoder.stores.map { $0.rawValue }),
          "trial_days": JSONSchema.integer.orNull,
          "billing_plan_type": JSONSchema.words(of: BillingPlan.Kind.self).orNull,
        ]),
      "entitlements": .list(
        .object(
          required: ["identifier"],
          ["identifier": .text, "type": JSONSchema.words([Decoder.entitlementType]).orNull])
      ).described("The entitlements of users that buy the product."),
    ])

  static let survey = JSONSchema.object(
    required: ["presentation_condition", "id", "assignment_key", "title", "message"],
    [
      "presentation_condition": .words(of: Survey.Condition.self).described(
        "When the survey is shown."),
      "id": .text,
      "assignment_key": .text.described("For each key, a user sees at most one survey."),
      "title": .text, "message": .text,
      "options": JSONSchema.list(
        .object(required: ["id", "title"], ["id": .text, "title": .text])
      ).orNull.described("The answers."),
      "presentation_probability": JSONSchema.number.orNull.described(
        "The probability of showing the survey when the paywall closes, from 0 to 1."),
      "include_other_option": JSONSchema.bool.orNull,
      "include_close_option": JSONSchema.bool.orNull,
    ])

  static let localNotification = JSONSchema.object(
    required: ["type", "title", "body"],
    [
      "id": JSONSchema.text.orNull,
      "type": .words(Decoder.notificationKinds.map { $0.rawValue }),
      "title": .text, "subtitle": JSONSchema.text.orNull, "body": .text,
      "delay": JSONSchema.number.orNull.described("Milliseconds after the purchase."),
    ])
}
