public import SDK

// The user's actions on a paywall.

extension TestTollgate {
  /// The visible paywall, or nil. The paywall's `handle` provides more actions. Call ``settle()`` after each action.
  public var paywall: PaywallPresentation? {
    get async { tollgate.snapshot.isPaywallPresented ? presenter.presentation : nil }
  }

  /// The user buys a product of the paywall. The store's next result applies.
  ///
  /// - Throws: a ``Fault`` if no paywall is visible, or the paywall does not offer the product.
  public func buy(_ productID: String) async throws(Fault) {
    let paywall = try await openPaywall()
    let known = paywall.products.map(\.id)
    guard known.contains(productID) else {
      let name = paywall.info.identifier
      if paywall.info.productIDs.contains(productID) {
        throw Fault(
          description: "the store does not sell '\(productID)', which the paywall '\(name)' names:"
            + " give it to the test in 'products'")
      }
      let others = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      throw Fault(description: "the paywall '\(name)' has no product '\(productID)': \(others)")
    }
    paywall.handle.purchaseTapped(productID)
    await settle()
  }

  /// The user restores earlier purchases.
  ///
  /// - Throws: a ``Fault`` if no paywall is visible.
  public func restore() async throws(Fault) {
    try await openPaywall().handle.restoreTapped()
    await settle()
  }

  /// The user closes the paywall.
  ///
  /// - Throws: a ``Fault`` if no paywall is visible.
  public func close() async throws(Fault) {
    try await openPaywall().handle.closeTapped()
    await settle()
  }

  /// The user swipes the paywall away.
  ///
  /// - Throws: a ``Fault`` if no paywall is visible.
  public func swipeAway() async throws(Fault) {
    try await openPaywall().handle.swipedAway()
    await settle()
  }

  private func openPaywall() async throws(Fault) -> PaywallPresentation {
    guard let paywall = await paywall else {
      throw Fault(description: "no paywall is on screen")
    }
    return paywall
  }
}
