public import Expressions

/// What can be found in a config, in products, in users and in the texts of paywalls, beside what the
/// language finds in an expression.
extension Diagnostic.Code {
  /// A config or data element that does not have the form it must have.
  public static let decodeFailure = Self(rawValue: "decode-failure")
  /// A value of which an SDK in the field rejects the whole config: a fraction as a percentage, an
  /// unknown word, another type. Here the element is used, or what its message says.
  public static let wouldReject = Self(rawValue: "would-reject")
  /// Keys that SDKs require are not there, as in a config that was written by hand. Nothing here
  /// needs them.
  public static let notAnExport = Self(rawValue: "not-an-export")
  /// A key that this version does not know and leaves alone.
  public static let unknownKey = Self(rawValue: "unknown-key")
  /// A `subscriptionStatus` of users that no SDK gives.
  public static let unknownStatus = Self(rawValue: "unknown-status")
  /// A version of an SDK that users have and that is missing, unreadable, or newer than those that are known.
  package static let unknownVersion = Self(rawValue: "unknown-version")
  /// One user twice, with different content.
  package static let untrimmedID = Self(rawValue: "untrimmed-id")
  package static let contradictingUsers = Self(rawValue: "contradicting-users")
  /// Two triggers with one name.
  public static let duplicateTrigger = Self(rawValue: "duplicate-trigger")
  /// A treatment variant names no paywall.
  public static let variantWithoutPaywall = Self(rawValue: "variant-without-paywall")
  /// A variant names a paywall that the config does not hold.
  public static let unknownPaywall = Self(rawValue: "unknown-paywall")
  /// Every variant of an experiment has weight zero.
  public static let weightsZero = Self(rawValue: "weights-zero")
  /// Two elements with one ID, or one key twice in an object.
  package static let duplicateID = Self(rawValue: "duplicate-id")
  /// A name that the language, an SDK or the format keeps for itself.
  package static let reservedName = Self(rawValue: "reserved-name")
  /// Weights that do not sum to 100. They are weights, so this is only worth knowing.
  public static let weightsNot100 = Self(rawValue: "weights-not-100")
  /// One occurrence key with different limits.
  public static let occurrenceKeyConflict = Self(rawValue: "occurrence-key-conflict")
  /// A clause that holds always, or never.
  public static let constantClause = Self(rawValue: "constant-clause")
  /// Clauses of one condition that cannot all be true, so that nobody matches.
  public static let contradictoryClauses = Self(rawValue: "contradictory-clauses")
  /// An audience that nobody gets to: earlier ones take everybody who matches it.
  public static let unreachableAudience = Self(rawValue: "unreachable-audience")
  /// An audience whose dates are over.
  public static let expiredAudience = Self(rawValue: "expired-audience")
  /// Something that platforms read differently.
  public static let platformDifference = Self(rawValue: "platform-difference")
  /// Something that versions of an SDK decide differently, or that some of them do not have.
  package static let versionDifference = Self(rawValue: "version-difference")
  /// A condition in a form that nothing evaluates any more.
  public static let legacyExpression = Self(rawValue: "legacy-expression")
  /// A product that the config does not hold.
  public static let unknownProduct = Self(rawValue: "unknown-product")
  /// A product of a paywall that none of its texts speaks of.
  public static let unusedProduct = Self(rawValue: "unused-product")
  /// Experiments that djb2 assigning does not keep apart.
  public static let djb2Correlated = Self(rawValue: "djb2-correlated")
  /// A locale that the tables lack; the message says what stands for it.
  public static let unknownLocale = Self(rawValue: "unknown-locale")
  /// A derived price is shown higher than it is, because of how its system rounds.
  public static let priceAboveExact = Self(rawValue: "price-above-exact")
  /// Trial attributes that count one period of an offer of several.
  package static let onePeriodOfOffer = Self(rawValue: "one-period-of-offer")
  /// The name of a period that leaves its count away.
  package static let periodWithoutCount = Self(rawValue: "period-without-count")
  /// A price with the sign of another currency.
  package static let foreignCurrencySign = Self(rawValue: "foreign-currency-sign")
  /// The store's text of a price beside prices in another style.
  package static let storePriceText = Self(rawValue: "store-price-text")
  /// A text asserts something about a product that is not true.
  package static let falseClaim = Self(rawValue: "false-claim")
  /// A text asserts something that is not true for users who may not have an offer any more.
  package static let ineligibleClaim = Self(rawValue: "ineligible-claim")
  /// A text writes a value of a product that has none.
  package static let noValue = Self(rawValue: "no-value")
  /// A text mixes languages, or ways of writing prices.
  package static let mixedFormats = Self(rawValue: "mixed-formats")
  /// Claims of a text that cannot be checked.
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

  /// All of them, in the order in which they are named.
  package static let all = [ios, android, web, agentWallie]
}
