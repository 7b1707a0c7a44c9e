internal import Expressions
internal import Pricing

/// The products of a paywall, and the product values that its texts can read before the user is known.
struct PaywallProducts: Sendable {
  /// The products, with prices.
  let products: [PricedProduct]
  /// The theme of a native paywall, whose values texts can also read.
  let theme: Value?
  let profile: PricingProfile?
  /// The slot of the selected product.
  let select: String?

  /// The context of texts. Fails for a time zone that does not exist.
  func context(_ pricing: PricingContext) throws(PricingError) -> (
    value: Value, diagnostics: [Diagnostic]
  ) {
    var pricing = pricing
    pricing.eligibility = pricing.eligibility ?? .all
    let made = try TextProducts(products, profile: profile, context: pricing)
    let context = TextContext(
      products: made.slotted, selected: select.flatMap { made.index(ofSlot: $0) } ?? 0,
      roots: theme.map { [("theme", $0)] } ?? [])
    return (context.value, made.diagnostics)
  }

  /// For each product, whether it has an offer that users with this eligibility may get.
  func offers(for eligibility: OfferEligibility) -> [Bool] {
    products.map { $0.offersTrial && eligibility.includes($0) }
  }

  /// Whether texts differ for users that are not eligible for the offers.
  func isToldOf(_ program: Program, _ pricing: PricingContext, readsAll: Bool) -> Bool {
    guard pricing.eligibility == nil, products.contains(where: { $0.offersTrial }) else {
      return false
    }
    var other = pricing
    other.eligibility = OfferEligibility.none
    guard let with = try? context(pricing).value, let without = try? context(other).value else {
      return false
    }
    func value(_ path: AttributePath, in context: Value) -> Value? {
      var value: Value? = context
      for name in path.names {
        guard case .map? = value else { break }
        value = value?[name]
      }
      return value
    }
    return readsAll
      || program.requirements.contains { value($0, in: with) != value($0, in: without) }
  }
}
