/// A subject's entitlements and subscription status, as purchases and restores change them.
package struct EntitlementState: Hashable, Sendable {
  package enum Status: String, Hashable, Sendable, CaseIterable {
    case unknown, inactive, active
  }

  package private(set) var status: Status
  package private(set) var active: Set<String>

  package init(status: Status = .unknown, active: Set<String> = []) {
    self.status = status
    self.active = active
  }

  /// Records a purchase. A product without entitlements changes neither the entitlements nor the status.
  package mutating func purchase(_ productID: String, config: Config) {
    let given = config.entitlements(ofProduct: productID)
    guard !given.isEmpty else { return }
    active.formUnion(given.map { $0.id })
    status = .active
  }

  /// Records a restore of products.
  package mutating func restore(_ productIDs: [String], config: Config) {
    for id in productIDs { active.formUnion(config.entitlements(ofProduct: id).map({ $0.id })) }
    if !active.isEmpty { status = .active }
  }

  /// Replaces the owned products by the products that the store now reports.
  package mutating func refresh(owned productIDs: [String], config: Config) {
    active = []
    for id in productIDs { active.formUnion(config.entitlements(ofProduct: id).map({ $0.id })) }
    status = productIDs.isEmpty ? .inactive : .active
  }

  /// Switches to another subject, whose entitlements and status are unknown.
  package mutating func reset() { self = EntitlementState() }
}
