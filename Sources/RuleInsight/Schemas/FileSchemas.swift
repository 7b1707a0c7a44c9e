internal import Expressions
internal import Pricing
internal import RuleEngine

/// The schemas of Tollgate's own files.
extension JSONSchema {
  /// One user: a line of a users file, or the argument of `decide --user`.
  package static let userRecord = document(
    "User record",
    """
    One user: a line of a users file, or the argument of `decide --user`. A null member counts as \
    missing. A record with a member of the wrong type is rejected. Other keys are read if rules use \
    them as roots, and otherwise ignored with a note. If a key is repeated, its last value counts, but \
    assignments, occurrences and events are merged.
    """,
    .object(
      of: UserMember.allCases.map { ConfigKey($0.key) }, required: [UserMember.userID.key],
      members: UserMember.allCases.map { ($0.key, UserSchema.member($0)) }),
    parts: [
      "assignment": UserSchema.assignment, "times": list(part("time")),
      "time": UserSchema.time.described("An ISO 8601 time with a time zone."),
    ])

  /// Products, as `products` and `--products` read them.
  package static let productsFile = document(
    "Products",
    """
    Products for `tollgate products` and `--products`: a list, alone or under `products`. Unknown keys \
    are ignored with a note.
    """,
    any(of: [
      object(required: ["products"], ["products": list(part("product"))]), list(part("product")),
    ]),
    parts: [
      "product": ProductSchema.product, "price": ProductSchema.price,
      "period": ProductSchema.period, "intro": ProductSchema.intro, "offer": ProductSchema.offer,
      "storeOffer": ProductSchema.storeOffer, "billingPlan": ProductSchema.billingPlan,
    ])

  /// Texts of paywalls, as `precompute --render` reads them.
  package static let paywallTexts = document(
    "Paywall texts", "Templates by paywall and name, for `precompute --render`.",
    object(
      required: ["paywalls"],
      ["paywalls": map(map(text)).described("Maps paywall identifiers to texts by name.")]))

  /// A list of attributes, as `check --schema` reads it.
  package static let attributeSchema = document(
    "Attributes",
    """
    The attributes of users, devices and parameters, for `check --schema`. `tollgate schema USERS` \
    learns a schema from users.
    """,
    object(
      of: ContextSchema.rootNames.map { ConfigKey($0) },
      members: ContextSchema.rootNames.map { ($0, map(part("type").orNull)) }
        + [("learned", anything.described("The users that the schema was learned from."))]),
    parts: ["type": AttributeTypeSchema.type])
}

private enum UserSchema {
  static let time = JSONSchema.text(
    pattern:
      "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"
  )

  static let assignment = JSONSchema.object(
    required: ["experimentId", "variantId"],
    [
      "experimentId": .text, "variantId": .text,
      "isSentToServer": JSONSchema.bool.orNull.described(
        "False if the server has not confirmed the assignment yet. The default is true."),
    ])

  static func member(_ member: UserMember) -> JSONSchema {
    switch member {
    case .userID:
      JSONSchema.text.with("minLength", 1).described(
        "Identifies the user in outcomes. Variants are assigned by this ID.")
    case .user: .object.described("Attributes of the user: the root `user` of expressions.")
    case .device: .object.described("Attributes of the device: the root `device` of expressions.")
    case .params:
      .object.described("Parameters of the placement: the root `params` of expressions.")
    case .status:
      JSONSchema.text.with("examples", .texts(RecordNotes.statuses)).described(
        "Values other than the examples are accepted with a note.")
    case .entitlements:
      .list(.text).described("Identifiers of the entitlements that are active.")
    case .assignments:
      .list(.part("assignment")).described(
        """
        Variants stored by earlier decisions. A stored variant is used as long as it exists.
        """)
    case .occurrences:
      .map(.part("times")).described(
        """
        Maps the key of an occurrence limit to the times of its occurrences. Times after the decision do \
        not count.
        """)
    case .events:
      .map(.part("times")).described(
        """
        Maps the name of an event to its times. Times after the decision do not count.
        """)
    case .sessionStart:
      time.described(
        "The start of the current session, for limits per session (default: now).")
    }
  }
}

private enum ProductSchema {
  typealias Decoder = ProductDecoder

  static let price = JSONSchema.any(of: [
    .text(pattern: "^[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"),
    JSONSchema.number.with("minimum", 0),
  ]).with("examples", ["59.99"]).described(
    "An amount in the currency: a number, or a decimal number as a string."
  )

  private static let unit = JSONSchema.words(Period.Unit.allCases.map { $0.name })
  private static let iso = JSONSchema.text(pattern: "^P([0-9]+Y)?([0-9]+M)?([0-9]+W)?([0-9]+D)?$")
  private static let periodCount = JSONSchema.integer.with("minimum", 1).with(
    "maximum", .whole(Period.maximumCount))

  static let period = JSONSchema.any(of: [
    unit, iso,
    .object(required: ["unit"], ["unit": unit, "count": periodCount.orNull]),
    .object(required: ["iso8601"], ["iso8601": iso]),
  ]).described(
    """
    The billing period: an object, an ISO 8601 string such as P1M, or a unit alone, such as month. Omit \
    the period for one-time products.
    """)

  static let intro = JSONSchema.any(of: [
    introduction(["unit"]), introduction(["iso8601"]),
  ]).described("The introductory offer: the price of the first periods.")

  static let storeOffer = JSONSchema.any(of: [
    introduction(
      ["unit"], Decoder.storeOfferKeys, storeOfferMembers),
    introduction(["iso8601"], Decoder.storeOfferKeys, storeOfferMembers),
  ]).described("An App Store offer besides the introductory offer. Prices ignore such offers.")

  private static let storeOfferMembers: [(String, JSONSchema)] = [
    (
      "type",
      .words(of: StoreOffer.Kind.self).described(
        "The kind of offer (default: promotional).")
    ),
    ("offerId", .text), ("name", .text),
  ]

  private static func introduction(
    _ required: [String], _ keys: [String] = [], _ members: [(String, JSONSchema)] = []
  ) -> JSONSchema {
    .object(
      of: (Decoder.introKeys + keys).map { ConfigKey($0) }, required: required,
      members: [
        (
          "mode",
          .words(Decoder.modes.map { $0.word }).described(
            "Free, paid for each period, or paid once.")
        ),
        ("unit", unit), ("count", periodCount.described("The number of units in a period.")),
        ("value", periodCount.described("An alias of 'count'.")), ("iso8601", iso),
        ("cycles", .count.described("The number of periods.")), ("price", .part("price")),
        ("displayPrice", .text.described("The price as the store formats it.")),
      ] + members)
  }

  static let billingPlan = JSONSchema.object(
    of: Decoder.billingPlanKeys.map { ConfigKey($0) }, required: ["type"],
    [
      "type": .words(of: BillingPlan.Kind.self), "price": .part("price"),
      "period": .part("period"),
    ]
  ).described("A term of billing within a longer commitment.")

  private static let coupon = JSONSchema.object(
    of: Decoder.couponKeys.map { ConfigKey($0) },
    [
      "percentOff": .part("price").described("The discount in percent, 0 to 100."),
      "amountOff": .part("price"),
      "duration": .words(Decoder.couponDurations).described(
        "The charges that are reduced (default: once)."),
      "months": .count.described(
        "The number of months that a repeating coupon reduces charges, including a trial."),
    ]
  ).with(
    "anyOf",
    .list(["percentOff", "amountOff"].map { ["required": [.string($0)]] })
  ).described("Stripe: a discount on the price.")

  static let offer = JSONSchema.object(
    of: Decoder.offerKeys.map { ConfigKey($0) }, required: ["basePlanId", "phases"],
    [
      "basePlanId": .text, "offerId": .text, "tags": .list(.text),
      "phases": JSONSchema.list(
        .object(
          of: Decoder.phaseKeys.map { ConfigKey($0) }, required: ["price", "iso8601"],
          [
            "price": .part("price"), "iso8601": iso,
            "cycles": .count.described("The number of periods; 0 means forever."),
          ])
      ).with("minItems", 1),
    ])

  static let product: JSONSchema = {
    let names = Decoder.identifierKeys.map { JSONSchema.anything.with("required", [.string($0)]) }
    return .object(of: Decoder.keys.map { ConfigKey($0) }, members: members)
      .with("anyOf", .list(names.map { $0.value }))
  }()

  private static let members: [(String, JSONSchema)] =
    [
      ("slot", .text.described("The place on the paywall: primary, secondary ...")),
      ("label", .text.described("The product's name on the paywall.")),
      ("name", .text.described("An alias of 'label'.")),
      ("id", .text.described("The product's ID in configs.")),
      (
        "fullIdentifier",
        .text.described(
          "Google Play: product:basePlan:offer. Stripe, Paddle: environment:price:trial.")
      ),
      (
        "store",
        .any(of: [
          .words(Decoder.storeNames), .words(Decoder.storeWords.map { $0.word.lowercased() }),
        ])
      ),
      (
        "currency",
        .text(pattern: "^[A-Za-z]{3}$").described("An ISO 4217 code (default: USD).")
      ),
      (
        "locale",
        JSONSchema.text.with("examples", ["en_US"]).described("The locale of the store's prices.")
      ),
      ("period", .part("period")), ("intro", .part("intro")),
      ("storefront", .text.described("An ISO 3166 alpha-3 code.")),
      (
        "entitlements",
        .list(
          .any(of: [
            .text, .object(required: ["identifier"], ["identifier": .text]),
            .object(required: ["id"], ["id": .text]),
          ])
        ).described(
          "The entitlements of users that buy the product.")
      ),
      (
        "offers",
        .list(.part("offer")).described("Google Play: the offers of a subscription.")
      ),
      (
        "purchaseOptions",
        .list(
          .object(
            of: Decoder.optionKeys.map { ConfigKey($0) }, required: ["price"],
            ["price": .part("price"), "purchaseOptionId": .text, "offerId": .text])
        ).described("Google Play: the ways to buy a one-time product.")
      ),
      ("billingPlan", .part("billingPlan")),
      (
        "billingPlans",
        .list(.part("billingPlan")).described("All terms of billing that the store offers.")
      ),
      (
        "type",
        .words(Decoder.kindWords.map { $0.word }).described("The type of the product in the store.")
      ),
      (
        "duration",
        .part("period").described("The duration of a subscription that does not renew.")
      ),
      (
        "storeOffers",
        .list(.part("storeOffer")).described(
          "App Store: promotional offers, win-back offers and offer codes.")
      ),
      ("coupon", coupon),
    ] + Decoder.others.flatMap { key, others in ([key] + others).map { ($0, other($0, of: key)) } }

  /// An alternative name of a member, which other documents use.
  private static func other(_ name: String, of key: String) -> JSONSchema {
    switch key {
    case "identifier": .text.described("The store's identifier.")
    case "price": .part("price")
    case "trialDays":
      .count.described("The length of the trial in days, for stores that count only days.")
    case "displayPrice": .text.described("The price as the store formats it.")
    default: .text.described("The dashboard's word for the period.")
    }
  }
}

private enum AttributeTypeSchema {
  static let type = JSONSchema.any(of: [
    .words(ContextSchema.typeWords.flatMap { [$0.0, $0.0 + "?"] }),
    .object([
      "type": JSONSchema.part("type").orNull,
      "list": JSONSchema.part("type").orNull.described("The type of the list's elements."),
      "enum": JSONSchema.list(.text).orNull.described("All strings that the attribute can be."),
      "required": JSONSchema.bool.orNull.described("Whether every user has the attribute."),
    ]),
  ]).described(
    """
    A type: a word, {"list": type}, {"enum": [strings]}, or {"type": type, "required": true}.
    """)
}
