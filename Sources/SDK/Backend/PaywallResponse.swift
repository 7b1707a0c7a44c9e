internal import Expressions
internal import Pricing
internal import RuleEngine

/// A paywall from the backend. Missing and invalid members have the native SDKs' defaults.
package struct PaywallResponse: Hashable, Sendable {
  var paywall: Paywall
  var products: [PaywallProduct]
  /// The complete paywall object, for the host.
  var value: Value

  /// Reads a paywall. Fails if the object has no identifier.
  init?(decoding value: Value) {
    guard let paywall = Paywall.decode(superwall: value) else { return nil }
    self.paywall = paywall
    products = paywall.products.map { PaywallProduct($0, in: value) }
    self.value = value
  }

  var identifier: String { paywall.identifier }
  /// Which users are offered a trial, regardless of the store.
  var trialEligibility: Paywall.OfferEligibility { paywall.offerEligibility }
  /// Whether the app may handle Android's back button before the paywall does.
  var reroutesBackButton: Bool { paywall.reroutesBackButton }

  var gating: Paywall.FeatureGating { paywall.featureGating }
}

extension PaywallProduct {
  /// A product of the static config.
  ///
  /// - Parameter paywall: the paywall's object, which may contain prices for products that the store lacks.
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
