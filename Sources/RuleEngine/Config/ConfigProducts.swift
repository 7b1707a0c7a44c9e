public import Pricing

extension PricedProduct {
  /// Creates a product without a price from a config's reference to it.
  public init(_ reference: ProductReference) {
    self.init(identifier: reference.storeID, store: reference.store)
    slot = reference.slot
    configID = reference.id
    fullIdentifier = reference.fullIdentifier
    trialDays = reference.trialDays
    displayPrice = reference.displayPrice
    displayPeriod = reference.displayPeriod
    entitlements = reference.entitlements.map { $0.id }
    billingPlan = reference.billingPlan.map { BillingPlan($0) }
  }

  /// The products in a paywall's slots, for AgentWallie's variables, with the store's prices,
  /// periods and trials.
  ///
  /// - Parameters:
  ///   - slots: the paywall's slots.
  ///   - config: the config that contains the paywall's products.
  ///   - store: the store's products, by the store's identifiers.
  package static func resolve(
    _ slots: [ProductSlot], in config: Config, store: [String: PricedProduct] = [:]
  ) -> [PricedProduct] {
    slots.map { slot in
      let reference = slot.productID.flatMap { config.product($0) }
      var product = reference.map { PricedProduct($0) } ?? PricedProduct(identifier: "")
      product.slot = slot.slot
      product.label = slot.label
      // The paywall knows the product by the slot's ID.
      product.configID = slot.productID
      if let stored = store[product.identifier] { product.takePrices(from: stored) }
      return product
    }
  }

  /// Replaces prices, periods and trials by the store's values.
  private mutating func takePrices(from stored: PricedProduct) {
    price = stored.price
    currency = stored.currency
    locale = stored.locale
    period = stored.period
    isoPeriod = stored.isoPeriod
    intro = stored.intro
    kind = stored.kind
    accessPeriod = stored.accessPeriod
    storeOffers = stored.storeOffers
    coupon = stored.coupon
    offers = stored.offers
    purchaseOptions = stored.purchaseOptions
    billingPlans = stored.billingPlans
    displayPrice = stored.displayPrice
  }
}

extension ProductReference {
  /// The identifier with its base plan and offer; nil if the identifier has neither and equals the store's identifier.
  package var fullIdentifier: String? {
    if let basePlanID { return "\(storeID):\(basePlanID)" }
    // Superwall's composite identifiers begin with the store's identifier, unlike AgentWallie's IDs.
    return id.hasPrefix(storeID) && id != storeID ? id : nil
  }
}

extension Config {
  /// All products that the config names, without duplicates. Products in slots of paywalls come first, in the order of
  /// the slots.
  public var storeProducts: [PricedProduct] {
    var found: [PricedProduct] = []
    var known: Set<[UInt8]> = []
    func add(_ product: PricedProduct) {
      let id = product.fullIdentifier ?? product.identifier
      if known.insert(Array(id.utf8)).inserted { found.append(product) }
    }
    for paywall in paywalls {
      if let schema = paywall.schema {
        for product in PricedProduct.resolve(schema.slots, in: self)
        where !product.identifier.isEmpty { add(product) }
      } else {
        for reference in paywall.products { add(PricedProduct(reference)) }
      }
    }
    for reference in products { add(PricedProduct(reference)) }
    return found
  }
}
