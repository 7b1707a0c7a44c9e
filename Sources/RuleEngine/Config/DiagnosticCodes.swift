public import Expressions

/// The codes of findings in configs, products, users and paywall texts. The expression language defines the codes for
/// expressions.
extension Diagnostic.Code {
  /// A config or data element has the wrong form.
  public static let decodeFailure = Self(rawValue: "decode-failure")
  /// A value that makes an SDK reject the whole config, such as a percentage that is not whole, an unknown word or a
  /// wrong type. This engine uses the element, unless the message says otherwise.
  public static let wouldReject = Self(rawValue: "would-reject")
  /// Keys that SDKs require are missing, as in a config that was written by hand. This engine does not need these keys.
  public static let notAnExport = Self(rawValue: "not-an-export")
  /// A key that this version does not know and ignores.
  public static let unknownKey = Self(rawValue: "unknown-key")
  /// A `subscriptionStatus` that no SDK sends.
  public static let unknownStatus = Self(rawValue: "unknown-status")
  /// The platform of a user's SDK is unknown, or its version is missing, unreadable or newer than all known versions.
  package static let unknownVersion = Self(rawValue: "unknown-version")
  /// A user ID that begins or ends with white space.
  package static let untrimmedID = Self(rawValue: "untrimmed-id")
  /// A user appears twice, with different records.
  package static let contradictingUsers = Self(rawValue: "contradicting-users")
  /// Two triggers with the same name.
  public static let duplicateTrigger = Self(rawValue: "duplicate-trigger")
  /// A treatment variant names no paywall.
  public static let variantWithoutPaywall = Self(rawValue: "variant-without-paywall")
  /// A variant names a paywall that the config does not contain.
  public static let unknownPaywall = Self(rawValue: "unknown-paywall")
  /// Every variant of an experiment has weight zero.
  public static let weightsZero = Self(rawValue: "weights-zero")
  /// Two elements with the same ID, or a key that an object repeats.
  package static let duplicateID = Self(rawValue: "duplicate-id")
  /// A name that is reserved by the language, an SDK or the format.
  package static let reservedName = Self(rawValue: "reserved-name")
  /// Weights that do not sum to 100. Weights are relative, so this is only a note.
  public static let weightsNot100 = Self(rawValue: "weights-not-100")
  /// Audiences share an occurrence key but have different limits.
  public static let occurrenceKeyConflict = Self(rawValue: "occurrence-key-conflict")
  /// A clause that is always true or always false.
  public static let constantClause = Self(rawValue: "constant-clause")
  /// Clauses of one condition that cannot all be true, so that no user matches.
  public static let contradictoryClauses = Self(rawValue: "contradictory-clauses")
  /// An audience that no user reaches, because earlier audiences match every user that it could match.
  public static let unreachableAudience = Self(rawValue: "unreachable-audience")
  /// An audience that can no longer match, because its dates are in the past.
  public static let expiredAudience = Self(rawValue: "expired-audience")
  /// A part of a condition that the platforms interpret differently.
  public static let platformDifference = Self(rawValue: "platform-difference")
  /// A rule that versions of an SDK decide differently, or a feature that only some versions have.
  package static let versionDifference = Self(rawValue: "version-difference")
  /// A condition in a form that no SDK evaluates any more.
  public static let legacyExpression = Self(rawValue: "legacy-expression")
  /// A product that the config does not contain.
  public static let unknownProduct = Self(rawValue: "unknown-product")
  /// A product of a paywall that the paywall's texts do not mention.
  public static let unusedProduct = Self(rawValue: "unused-product")
  /// Experiments whose djb2 assignments depend on each other.
  public static let djb2Correlated = Self(rawValue: "djb2-correlated")
  /// A locale that is not in the tables. The message names the locale that is used instead.
  public static let unknownLocale = Self(rawValue: "unknown-locale")
  /// A derived price that the system's rounding makes higher than the exact price.
  public static let priceAboveExact = Self(rawValue: "price-above-exact")
  /// Trial attributes that count only one period of an offer with several periods.
  package static let onePeriodOfOffer = Self(rawValue: "one-period-of-offer")
  /// The name of a period without its count, such as "month" for three months.
  package static let periodWithoutCount = Self(rawValue: "period-without-count")
  /// A price with the sign of another currency.
  package static let foreignCurrencySign = Self(rawValue: "foreign-currency-sign")
  /// The store's price string appears next to prices in another format.
  package static let storePriceText = Self(rawValue: "store-price-text")
  /// A text asserts something about a product that is not true.
  package static let falseClaim = Self(rawValue: "false-claim")
  /// A text asserts something that is not true for users that may have lost an offer.
  package static let ineligibleClaim = Self(rawValue: "ineligible-claim")
  /// A text uses a value that its product does not have.
  package static let noValue = Self(rawValue: "no-value")
  /// A text mixes languages, or price formats.
  package static let mixedFormats = Self(rawValue: "mixed-formats")
  /// Claims in a text that cannot be checked.
  package static let uncheckedClaim = Self(rawValue: "unchecked-claim")
  /// Two statements about a product's trial that cannot both be true.
  public static let trialContradiction = Self(rawValue: "trial-contradiction")
}

/// The SDKs that read the same configs.
extension Diagnostic.PeerEffect.Peer {
  package static let ios = Self(id: "ios", name: "iOS")
  package static let android = Self(id: "android", name: "Android")
  package static let web = Self(id: "web", name: "the Web SDK")
  package static let agentWallie = Self(id: "agentwallie", name: "AgentWallie's SDK")

  /// All peers, in the order in which they are reported.
  package static let all = [ios, android, web, agentWallie]
}
