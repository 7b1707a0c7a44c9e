public import Pricing

/// A config's reference to a product. Only the store has the product's price.
public struct ProductReference: Hashable, Sendable {
  /// The product's identifier in the config. Superwall's configs combine several parts (`product:base-plan:offer`,
  /// `live:price:no-trial`), and AgentWallie's configs have their own IDs.
  public var id: String
  public var name: String?
  /// The name of the product in the paywall's texts, such as `primary`.
  public var slot: String?
  public var store: PricedProduct.Store
  /// The identifier in the store.
  public var storeID: String
  /// The length of the free trial in days, if the store does not report it.
  public var trialDays: Int?
  package var billingPlan: BillingPlan.Kind?
  /// Google Play's base plan and offers.
  public var basePlanID: String?
  public var offerIDs: [String]
  /// The price as a string, used when the store is unreachable.
  public var displayPrice: String?
  public var displayPeriod: String?
  public var entitlements: [Entitlement]

  public init(
    id: String, store: PricedProduct.Store, storeID: String, name: String? = nil,
    slot: String? = nil, entitlements: [Entitlement] = []
  ) {
    self.init(
      id: id, store: store, storeID: storeID, name: name, slot: slot, trialDays: nil,
      entitlements: entitlements)
  }

  package init(
    id: String, store: PricedProduct.Store, storeID: String, name: String? = nil,
    slot: String? = nil,
    trialDays: Int? = nil, billingPlan: BillingPlan.Kind? = nil, basePlanID: String? = nil,
    offerIDs: [String] = [], displayPrice: String? = nil, displayPeriod: String? = nil,
    entitlements: [Entitlement] = []
  ) {
    self.id = id
    self.name = name
    self.slot = slot
    self.store = store
    self.storeID = storeID
    self.trialDays = trialDays
    self.billingPlan = billingPlan
    self.basePlanID = basePlanID
    self.offerIDs = offerIDs
    self.displayPrice = displayPrice
    self.displayPeriod = displayPeriod
    self.entitlements = entitlements
  }
}

/// A part of the app that a purchase gives access to.
public struct Entitlement: Hashable, Sendable {
  public var id: String
  /// The type of the entitlement. The only known type is `SERVICE_LEVEL`.
  public var type: String

  public init(id: String, type: String = "SERVICE_LEVEL") {
    self.id = id
    self.type = type
  }
}

/// A place for a product on a paywall.
package struct ProductSlot: Hashable, Sendable {
  package var slot: String
  package var label: String
  /// The product's ID in the config or the store, or nil if the slot has no product.
  package var productID: String?

  package init(slot: String, label: String? = nil, productID: String? = nil) {
    self.slot = slot
    self.label = label ?? slot
    self.productID = productID
  }
}

extension Config {
  /// The product with this identifier in the config, or else with this identifier in the store.
  public func product(_ id: String) -> ProductReference? {
    products.last { $0.id.utf8.elementsEqual(id.utf8) }
      ?? products.last { $0.storeID.utf8.elementsEqual(id.utf8) }
  }

  /// The entitlements that a product grants, by its identifier in the store or in the config.
  ///
  /// In Superwall's configs, the entitlements of a product on several paywalls are combined. In AgentWallie's configs,
  /// the last product with the identifier is used.
  public func entitlements(ofProduct id: String) -> [Entitlement] {
    func isNamed(_ product: ProductReference) -> Bool {
      [product.storeID, product.id, product.fullIdentifier].contains { name in
        name?.utf8.elementsEqual(id.utf8) ?? false
      }
    }
    switch format {
    case .agentWallie: return products.last(where: isNamed)?.entitlements ?? []
    case .superwall:
      var found: [Entitlement] = []
      for product in products + paywalls.flatMap({ $0.products }) where isNamed(product) {
        for entitlement in product.entitlements where !found.contains(entitlement) {
          found.append(entitlement)
        }
      }
      return found
    }
  }

  /// The slots of a paywall, with their products.
  package func slots(ofPaywall identifier: String) -> [(
    slot: ProductSlot, product: ProductReference?
  )] {
    guard let paywall = paywall(identifier) else { return [] }
    if let schema = paywall.schema {
      return schema.slots.map { ($0, $0.productID.flatMap(product)) }
    }
    return paywall.products.map { product in
      let name = product.slot ?? product.id
      return (ProductSlot(slot: name, productID: product.id), product)
    }
  }
}
