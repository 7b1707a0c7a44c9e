package import Expressions
internal import RuleEngine

/// Pages of codes about users, products and texts; and all pages.
extension CodePage {
  static let ofData: [CodePage] = [
    CodePage(
      .unknownStatus, .note,
      what: "Users have a subscription status that no SDK gives.",
      why: "Conditions that ask for ACTIVE or INACTIVE hold for none of them, or for all.",
      example: .other(#"{"userId": "u-1", "subscriptionStatus": "active"}"#),
      advice: "Write ACTIVE, INACTIVE or UNKNOWN.",
      better: .other(#"{"userId": "u-1", "subscriptionStatus": "ACTIVE"}"#)),
    CodePage(
      .contradictingUsers, .note,
      what: "One user appears twice, with different content.",
      why: "Both lines are decided; which of them is meant, nobody knows.",
      example: .other(
        """
        {"userId": "u-1", "user": {"plan": "free"}}
        {"userId": "u-1", "user": {"plan": "pro"}}
        """),
      advice: "Keep the newer one."),
    CodePage(
      .unusedProduct, .note,
      what: "A product of a paywall that none of its texts speaks of.",
      why: "Perhaps a text names another slot than the one that was meant.",
      example: .other(
        "{{ products.primary.price }} on a paywall with the slots primary and secondary"),
      advice: "Nothing, if the page shows the product in another way."),
    CodePage(
      .unknownLocale, .note,
      what: "A locale that the tables lack.",
      why: "Prices and dates are written as in the locale that the message names.",
      example: .other("tollgate products products.json --locale xx_YY"),
      advice: "Write a locale such as en_US or de."),
    CodePage(
      .priceAboveExact, .note,
      what: "A price per month or week is shown higher than it is.",
      why: "The system of the profile rounds it up.",
      example: .other("59.99 a year is 4.999 a month, which Android shows as 5.00"),
      advice: "Nothing, or choose a price that divides evenly."),
    CodePage(
      .trialContradiction, .warning,
      what: "Two statements about a product's trial that cannot both be true.",
      why: "The paywall promises one of them, and the store gives the other.",
      example: .other("an identifier that ends in :no-trial, with \"trialDays\": 7"),
      advice: "Write the trial that the store has."),
  ]

  /// All pages, by code.
  package static let all: [Diagnostic.Code: CodePage] = {
    let pages =
      Lints.all.map { $0.page } + [OccurrenceLimits.otherPage] + ofExpressions + ofConfigs + ofRules
      + ofData
    return Dictionary(pages.map { ($0.code, $0) }) { first, _ in first }
  }()
}
