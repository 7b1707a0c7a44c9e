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

  /// A product was bought. A product without entitlements changes nothing, not even the status.
  package mutating func purchase(_ productID: String, config: Config) {
    let given = config.entitlements(ofProduct: productID)
    guard !given.isEmpty else { return }
    active.formUnion(given.map { $0.id })
    status = .active
  }

  /// Products were restored.
  package mutating func restore(_ productIDs: [String], config: Config) {
    for id in productIDs { active.formUnion(config.entitlements(ofProduct: id).map({ $0.id })) }
    if !active.isEmpty { status = .active }
  }

  /// The store reports everything that is owned now.
  package mutating func refresh(owned productIDs: [String], config: Config) {
    active = []
    for id in productIDs { active.formUnion(config.entitlements(ofProduct: id).map({ $0.id })) }
    status = productIDs.isEmpty ? .inactive : .active
  }

  /// Switches to another subject. The entitlements of products stay known.
  package mutating func reset() { self = EntitlementState() }
}
