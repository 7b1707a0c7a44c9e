internal import Expressions
internal import Pricing
internal import RuleEngine

/// A paywall as the backend describes it. Members that are missing or wrong have the defaults of
/// the native SDKs.
package struct PaywallResponse: Hashable, Sendable {
  var paywall: Paywall
  var products: [PaywallProduct]
  /// The whole of it, for the host.
  var value: Value

  /// Nil when there is no identifier.
  init?(decoding value: Value) {
    guard let paywall = Paywall.decode(superwall: value) else { return nil }
    self.paywall = paywall
    products = paywall.products.map { PaywallProduct($0, in: value) }
    self.value = value
  }

  var identifier: String { paywall.identifier }
  /// Whether a trial is offered, regardless of the store.
  var trialEligibility: Paywall.OfferEligibility { paywall.offerEligibility }
  /// Whether Android's back button is the app's first.
  var reroutesBackButton: Bool { paywall.reroutesBackButton }

  var gating: Paywall.FeatureGating { paywall.featureGating }
}

extension PaywallProduct {
  /// A product of the static config.
  ///
  /// - Parameter paywall: may contain the price if the store does not return one.
  init(_ product: ProductReference, in paywall: Value) {
    self.init(
      id: (product.store == .playStore ? product.fullIdentifier : nil) ?? product.storeID,
      name: product.slot, store: product.store,
      entitlements: product.entitlements, trialDays: product.trialDays)
    let lists = ["products_v3", "products_v2", "products"].compactMap { paywall[$0]?.elements }
    let written = lists.joined().first { element in
      let reference = element["store_product"] ?? element
      return reference["product_identifier"]?.text == product.storeID
    }
    displayPrice = written?["display_price"]?.text
    displayPeriod = written?["display_period"]?.text
  }
}
