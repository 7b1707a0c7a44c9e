package import Expressions
internal import RuleEngine

/// Pages of diagnostic codes about users, products and texts; and the list of all pages.
extension CodePage {
  static let ofData: [CodePage] = [
    CodePage(
      .unknownStatus, .note,
      what: "Users have a subscription status that no SDK uses.",
      why: "Conditions that test for ACTIVE or INACTIVE treat all these users the same.",
      example: .other(#"{"userId": "u-1", "subscriptionStatus": "active"}"#),
      advice: "Write ACTIVE, INACTIVE or UNKNOWN.",
      better: .other(#"{"userId": "u-1", "subscriptionStatus": "ACTIVE"}"#)),
    CodePage(
      .contradictingUsers, .note,
      what: "A user ID has two different records.",
      why: "Both records are decided, because it is unknown which record is right.",
      example: .other(
        """
        {"userId": "u-1", "user": {"plan": "free"}}
        {"userId": "u-1", "user": {"plan": "pro"}}
        """),
      advice: "Keep the newer record."),
    CodePage(
      .versionDifference, .warning,
      what:
        "Versions of an SDK decide differently, or some versions lack a feature that the config needs.",
      why: """
        'tollgate check --sdk-versions' names the versions that differ, and shows a user whose outcome \
        depends on the version.
        """,
      example: .other(#""expression_cel": "user.age > 18""#),
      advice:
        "Write the condition so that all versions interpret it in the same way, or wait until "
        + "old versions are no longer in use."
    ),
    CodePage(
      .unknownVersion, .note,
      what:
        "The platform in a user record is unknown, or its SDK version is missing, unreadable, or newer than all known versions.",
      why: "With --sdk-version record, the newest known SDK decides for such a user.",
      example: .other(#"{"userId": "u-1", "device": {"platform": "iOS", "sdkVersion": "latest"}}"#),
      advice: "Write the version that the device sends, such as 4.12.5."),
    CodePage(
      .untrimmedID, .warning,
      what: "A user ID has white space at its beginning or end.",
      why:
        "SDKs remove the white space, so the app has a different user ID and may assign other variants.",
      example: .other(#"{"userId": "u-1 ", "user": {"plan": "free"}}"#),
      advice: "Trim the IDs when you create the file, or add --user-ids sdk.",
      better: .other(#"{"userId": "u-1", "user": {"plan": "free"}}"#)),
    CodePage(
      .unusedProduct, .note,
      what: "The texts of a paywall do not mention one of its products.",
      why: "A text may name the wrong slot.",
      example: .other(
        "{{ products.primary.price }} on a paywall with the slots primary and secondary"),
      advice: "Ignore the finding if the page shows the product in another way."),
    CodePage(
      .unknownLocale, .note,
      what: "A locale is unknown.",
      why: "Prices and dates use the locale that the message names.",
      example: .other("tollgate products products.json --locale xx_YY"),
      advice: "Write a locale such as en_US or de."),
    CodePage(
      .priceAboveExact, .note,
      what: "A computed price per month or week is rounded up.",
      why: "The platform rounds prices this way, so users see a price that is too high.",
      example: .other("59.99 a year is 4.999 a month, which Android shows as 5.00"),
      advice: "Ignore the finding, or choose a price that divides evenly."),
    CodePage(
      .onePeriodOfOffer, .warning,
      what: "Trial attributes count only one period of an offer with several periods.",
      why: "SDKs read the length of the offer's period, but not the number of periods.",
      example: .other(
        "$0.99 a month for 3 months: trialPeriodDays is 30, and the end date is in one month"),
      advice: "Show trialTotalDays or endDateOfOffer."),
    CodePage(
      .periodWithoutCount, .warning,
      what: "The name of a product's period omits the count.",
      why: "The SDKs show only the unit, so a price for 2 weeks looks like a price per week.",
      example: .other("\"period\": {\"unit\": \"week\", \"count\": 2} is shown as week"),
      advice: "Show periodAdverb, or write the period in the text."),
    CodePage(
      .foreignCurrencySign, .warning,
      what: "Prices per day, week, month and year have the symbol of another currency.",
      why: "For Stripe products, the iOS SDK formats these prices with the currency of the locale.",
      example: .other("a product in EUR with the locale en_US: €9.99, and $2.30 a week"),
      advice:
        "Give the product a locale with its own currency, or use the attributes whose names end in Exact."
    ),
    CodePage(
      .storePriceText, .note,
      what: "The store's price is formatted differently from the computed prices.",
      why: "The store's price is shown unchanged. Computed prices follow the locale.",
      example: .other("displayPrice \"CHF 119.00\" with --locale de_DE: 9,91 CHF a month"),
      advice: "Use one locale for both, or omit 'displayPrice'."),
    CodePage(
      .trialContradiction, .warning,
      what: "Two statements about a product's trial contradict each other.",
      why: "The paywall may promise a trial that the store does not give.",
      example: .other("an identifier that ends in :no-trial, with \"trialDays\": 7"),
      advice: "Describe the trial as it is in the store."),
  ]

  /// All pages, by code.
  package static let all: [Diagnostic.Code: CodePage] = {
    let pages =
      Lints.all.map { $0.page } + [OccurrenceLimits.otherPage] + ofExpressions + ofConfigs + ofRules
      + ofData + ofClaims
    return Dictionary(combining: pages.map { ($0.code, $0) }) { first, _ in first }
  }()
}
