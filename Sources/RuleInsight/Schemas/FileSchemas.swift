internal import Expressions
internal import Pricing
internal import RuleEngine

/// Files of Tollgate's own.
extension JSONSchema {
  /// One user: a line of a users file, or the argument of `decide --user`.
  package static let userRecord = document(
    "User record",
    """
    One user: what a decision may know about them. A line of a users file, or what `decide --user` \
    takes. A member that is null is as if it were not there; one of another type refuses the record. \
    Other keys are read when rules have them as roots, and are otherwise ignored, with a note. Of a \
    key that is repeated the last value counts, except that assignments, occurrences and events are \
    all there.
    """,
    .object(
      of: UserMember.allCases.map { ConfigKey($0.key) }, required: [UserMember.userID.key],
      members: UserMember.allCases.map { ($0.key, UserSchema.member($0)) }),
    parts: [
      "assignment": UserSchema.assignment, "times": list(part("time")),
      "time": UserSchema.time.described("ISO 8601 with a zone."),
    ])

  /// Products, as `products` and `--products` read them.
  package static let productsFile = document(
    "Products",
    """
    Products for `tollgate products` and `--products`: under `products`, or the list alone. Unknown \
    keys are ignored with a note.
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
      ["paywalls": map(map(text)).described("By the identifier of the paywall, texts by name.")]))

  /// What attributes there are, as `check --schema` reads it.
  package static let attributeSchema = document(
    "Attributes",
    """
    What users, devices and parameters have, for `check --schema`. `tollgate schema USERS` learns one \
    from users.
    """,
    object(
      of: ContextSchema.rootNames.map { ConfigKey($0) },
      members: ContextSchema.rootNames.map { ($0, map(part("type").orNull)) }
        + [("learned", anything.described("What a learned schema comes from."))]),
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
        "False when the server has not confirmed it yet. The default is true."),
    ])

  static func member(_ member: UserMember) -> JSONSchema {
    switch member {
    case .userID:
      JSONSchema.text.with("minLength", 1).described(
        "Names the user in the outcomes, and is what variants are assigned by.")
    case .user: .object.described("Attributes of the user: the root `user` of expressions.")
    case .device: .object.described("Attributes of the device: the root `device` of expressions.")
    case .params:
      .object.described("Parameters of the placement: the root `params` of expressions.")
    case .status:
      JSONSchema.text.with("examples", .texts(RecordNotes.statuses)).described(
        "Another text than the examples is read as it stands, with a note.")
    case .entitlements:
      .list(.text).described("Identifiers of the entitlements that are active.")
    case .assignments:
      .list(.part("assignment")).described(
        """
        Variants stored by earlier decisions. One wins over chance as long as the variant exists.
        """)
    case .occurrences:
      .map(.part("times")).described(
        """
        Key of an occurrence limit to the times at which it was used. Later ones than the decision do \
        not count.
        """)
    case .events:
      .map(.part("times")).described(
        """
        Name of an event to the times at which it happened. Later ones than the decision do not count.
        """)
    case .sessionStart:
      time.described(
        "When the current session began, for limits per session. Absent: it begins now.")
    }
  }
}

private enum ProductSchema {
  typealias Decoder = ProductDecoder

  static let price = JSONSchema.any(of: [
    .text(pattern: "^[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"),
    JSONSchema.number.with("minimum", 0),
  ]).with("examples", ["59.99"]).described(
    "Units of the currency: a decimal number as text, or a number, which is read from its text.")

  private static let unit = JSONSchema.words(Period.Unit.allCases.map(\.name))
  private static let iso = JSONSchema.text(pattern: "^P([0-9]+Y)?([0-9]+M)?([0-9]+W)?([0-9]+D)?$")
  private static let periodCount = JSONSchema.integer.with("minimum", 1).with(
    "maximum", .whole(Period.maximumCount))

  static let period = JSONSchema.any(of: [
    unit, iso,
    .object(required: ["unit"], ["unit": unit, "count": periodCount.orNull]),
    .object(required: ["iso8601"], ["iso8601": iso]),
  ]).described(
    """
    How often the price is charged; absent for what is bought once. An ISO 8601 text such as P1M will \
    do, and so will the unit of which it is one.
    """)

  static let intro = JSONSchema.any(of: [
    introduction(["unit"]), introduction(["iso8601"]),
  ]).described("What the first periods cost.")

  static let storeOffer = JSONSchema.any(of: [
    introduction(
      ["unit"], Decoder.storeOfferKeys, storeOfferMembers),
    introduction(["iso8601"], Decoder.storeOfferKeys, storeOfferMembers),
  ]).described("An offer of the App Store beside the introductory one. Prices never count it.")

  private static let storeOfferMembers: [(String, JSONSchema)] = [
    (
      "type",
      .words(of: StoreOffer.Kind.self).described(
        "Whom the offer is for; promotional where it is absent.")
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
          .words(Decoder.modes.map(\.word)).described(
            "Free, or paid for each period, or paid at once.")
        ),
        ("unit", unit), ("count", periodCount.described("How many units a period has.")),
        ("value", periodCount.described("The same as 'count'.")), ("iso8601", iso),
        ("cycles", .count.described("How many periods.")), ("price", .part("price")),
        ("displayPrice", .text.described("The store's own text of the price.")),
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
      "percentOff": .part("price").described("Percent that are taken off, 0 to 100."),
      "amountOff": .part("price"),
      "duration": .words(Decoder.couponDurations).described(
        "Which charges are reduced; once where it is absent."),
      "months": .count.described("How long a repeating coupon reduces charges, a trial included."),
    ]
  ).with(
    "anyOf",
    .list(["percentOff", "amountOff"].map { ["required": [.string($0)]] })
  ).described("Stripe: a discount on what the product costs.")

  static let offer = JSONSchema.object(
    of: Decoder.offerKeys.map { ConfigKey($0) }, required: ["basePlanId", "phases"],
    [
      "basePlanId": .text, "offerId": .text, "tags": .list(.text),
      "phases": JSONSchema.list(
        .object(
          of: Decoder.phaseKeys.map { ConfigKey($0) }, required: ["price", "iso8601"],
          [
            "price": .part("price"), "iso8601": iso,
            "cycles": .count.described("How many periods; 0 for ever."),
          ])
      ).with("minItems", 1),
    ])

  static let product: JSONSchema = {
    let names = Decoder.identifierKeys.map { JSONSchema.anything.with("required", [.string($0)]) }
    return .object(of: Decoder.keys.map { ConfigKey($0) }, members: members)
      .with("anyOf", .list(names.map(\.value)))
  }()

  private static let members: [(String, JSONSchema)] =
    [
      ("slot", .text.described("The place on the paywall: primary, secondary ...")),
      ("label", .text.described("What the paywall calls the product.")),
      ("name", .text.described("The same as 'label'.")),
      ("id", .text.described("What configs call the product.")),
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
        .text(pattern: "^[A-Za-z]{3}$").described("An ISO 4217 code; USD where it is absent.")
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
          "What whoever buys the product is entitled to.")
      ),
      (
        "offers",
        .list(.part("offer")).described("Google Play: what the store offers for a subscription.")
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
        .words(Decoder.kindWords.map(\.word)).described("What the store sells the product as.")
      ),
      (
        "duration",
        .part("period").described("How long a subscription lasts that does not renew.")
      ),
      (
        "storeOffers",
        .list(.part("storeOffer")).described(
          "App Store: promotional offers, win-back offers and offer codes.")
      ),
      ("coupon", coupon),
    ] + Decoder.others.flatMap { key, others in ([key] + others).map { ($0, other($0, of: key)) } }

  /// A member that other documents call otherwise.
  private static func other(_ name: String, of key: String) -> JSONSchema {
    switch key {
    case "identifier": .text.described("The store's identifier.")
    case "price": .part("price")
    case "trialDays":
      .count.described("Days of the trial where the store counts nothing else.")
    case "displayPrice": .text.described("The store's own text of the price.")
    default: .text.described("The dashboard's word for the period.")
    }
  }
}

private enum AttributeTypeSchema {
  static let type = JSONSchema.any(of: [
    .words(ContextSchema.typeWords.flatMap { [$0.0, $0.0 + "?"] }),
    .object([
      "type": JSONSchema.part("type").orNull,
      "list": JSONSchema.part("type").orNull.described("What its elements are."),
      "enum": JSONSchema.list(.text).orNull.described("All texts that it can be."),
      "required": JSONSchema.bool.orNull.described("Whether every user has the attribute."),
    ]),
  ]).described(
    """
    A type: a word, {"list": type}, {"enum": [texts]}, or {"type": type, "required": true}.
    """)
}
