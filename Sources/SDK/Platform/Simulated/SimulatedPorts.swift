public import Expressions

extension Ports {
  /// Ports without a network, files or a store, for tests of an app. The presenter reports what the user does on a
  /// paywall.
  ///
  /// - Parameters:
  ///   - config: the static config that the backend returns.
  ///   - presenter: shows paywalls.
  ///   - products: the products of the store.
  ///   - purchases: the results of purchases, in order. The last result repeats.
  ///   - restores: the results of restores, in order. The last result repeats.
  ///   - storage: the storage, which may already contain data.
  ///   - device: facts about the device, which do not change.
  public static func simulated(
    config: Value, presenter: any PaywallPresenter, products: [StoreProduct] = [],
    purchases: [PurchaseResult] = [.purchased], restores: [RestorationResult] = [.restored],
    storage: any StateStorage = InMemoryStorage(), device: DeviceFacts = DeviceFacts()
  ) -> Ports {
    let time = SystemTime()
    var script = SimulatedStore.Script()
    script.purchases = purchases.map { .result($0) }
    script.restores = restores.map { .result($0) }
    return Ports(
      time: time,
      transport: ScriptedTransport(rules: ScriptedTransport.Rule.backend(of: config), time: time),
      storage: storage,
      store: SimulatedStore(products: products, script: script), presenter: presenter,
      device: FixedDevice(device))
  }
}

extension ScriptedTransport.Rule {
  /// A backend that has a config, and no data about any user.
  package static func backend(of config: Value) -> [ScriptedTransport.Rule] {
    let customer = Value.object([
      "subscriptions": .list([]), "nonSubscriptions": .list([]), "entitlements": .list([]),
    ])
    let nothing = Value.object(["entitlements": .list([]), "customerInfo": customer])
    let redeemed = Value.object([
      "codes": .list([]), "entitlements": .list([]), "customerInfo": customer,
    ])
    let subscriptions = "/subscriptions-api/public/v1"
    return [
      .init(.get, "/api/v1/static_config", [.json(config)]),
      .init(.get, "/api/v1/assignments", [.json(.object(["assignments": .list([])]))]),
      .init(.post, "/api/v1/confirm_assignments", [.echoAssignments()]),
      .init(.post, "\(subscriptions)/redeem", [.json(redeemed)]),
      .init(.get, "\(subscriptions)/users/*/entitlements", [.json(nothing)]),
    ]
  }
}
