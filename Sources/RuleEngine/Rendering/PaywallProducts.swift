internal import Expressions
internal import Pricing

/// The products of a paywall, and the values that its texts can read of them before a user is
/// known.
struct PaywallProducts: Sendable {
  /// With prices.
  let products: [PricedProduct]
  /// The known values beside them: the theme of a native paywall.
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

  /// Which products have an offer that users with this eligibility may get.
  func offers(for eligibility: OfferEligibility) -> [Bool] {
    products.map { $0.offersTrial && eligibility.includes($0) }
  }

  /// Whether texts read differently for users that are not eligible for the offers.
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
