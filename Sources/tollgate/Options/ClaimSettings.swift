internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

/// How the claims of texts are checked.
struct ClaimSettings {
  var profile: PricingProfile?
  /// Whether users are eligible for offers; nil checks both cases.
  var isEligible: Bool?
  /// The locales of prices and dates; nil for the locale of the products.
  var locales: [String?]
  var now: Instant
  var words = ClaimWords.known
  /// Whether to store the texts as users read them, for a report.
  var keepsRenderings = false

  func check(_ products: [PricedProduct], _ environment: TemplateEnvironment, theme: Value?)
    -> ClaimCheck
  {
    ClaimCheck(
      products: products, profile: profile, locales: locales, now: now, words: words,
      environment: environment, theme: theme, isEligible: isEligible)
  }
}
