internal import Pricing

/// The interface of Google Play's billing library, so that a bridge to the library is thin. ``PlayStore`` turns an
/// implementation into a ``PurchaseStore``.
package protocol PlayBilling: Sendable {
  /// Details of products, both subscriptions and one-time products. Unknown products are omitted.
  func queryProductDetails(_ productIDs: [String]) async throws(StoreError) -> [PlayProductDetails]
  /// Shows Google Play's dialog and returns its result.
  ///
  /// - Parameter offerToken: the offer of a subscription; nil for a one-time product.
  func launchBillingFlow(productID: String, offerToken: String?) async -> PlayBillingResult
  /// The user's purchases.
  func queryPurchases() async throws(StoreError) -> [PlayPurchase]
  /// Acknowledges a purchase. Google Play refunds purchases that are not acknowledged within three days.
  func acknowledge(purchaseToken: String) async throws(StoreError)
  func consume(purchaseToken: String) async throws(StoreError)
  /// Yields an element for every purchase that is reported outside a dialog.
  func purchaseUpdates() -> AsyncStream<Void>
}

/// A product of Google Play.
package struct PlayProductDetails: Hashable, Sendable {
  /// A step of an offer's price.
  package struct PricingPhase: Hashable, Sendable {
    package var priceMicros: Int64
    package var currencyCode: String
    package var formattedPrice: String
    /// The period in ISO 8601, such as `P1M`.
    package var billingPeriod: String
    package var cycles: Int

    package init(
      priceMicros: Int64, currencyCode: String, formattedPrice: String, billingPeriod: String,
      cycles: Int
    ) {
      self.priceMicros = priceMicros
      self.currencyCode = currencyCode
      self.formattedPrice = formattedPrice
      self.billingPeriod = billingPeriod
      self.cycles = cycles
    }
  }

  /// A base plan, or an offer on top of a base plan. Google Play lists only offers that the user is eligible for.
  package struct Offer: Hashable, Sendable {
    package var basePlanID: String
    /// The ID of the offer, or nil for the base plan itself.
    package var offerID: String?
    package var offerToken: String
    /// The steps of the price, in order. The last step repeats indefinitely.
    package var phases: [PricingPhase]
    package var tags: [String]

    package init(
      basePlanID: String, offerID: String?, offerToken: String, phases: [PricingPhase],
      tags: [String] = []
    ) {
      self.basePlanID = basePlanID
      self.offerID = offerID
      self.offerToken = offerToken
      self.phases = phases
      self.tags = tags
    }
  }

  package var productID: String
  /// The offers of a subscription. Empty for a one-time product.
  package var offers: [Offer]
  /// The price of a one-time product.
  package var oneTimePrice: PricingPhase?

  package init(productID: String, offers: [Offer] = [], oneTimePrice: PricingPhase? = nil) {
    self.productID = productID
    self.offers = offers
    self.oneTimePrice = oneTimePrice
  }

  /// The offer that an identifier selects; nil if the base plan does not exist.
  func offer(for id: PlayProductID) -> Offer? {
    guard case .specific = id.basePlan else { return bestOffer }
    let selected = PlayOffer.select(id, from: offers.map(\.selectable))
    return selected.flatMap { selected in offers.first { $0.selectable == selected } }
  }

  /// The offer that is used if no base plan is named: the offer with the longest free trial, else with the lowest first
  /// price, else the base plan.
  private var bestOffer: Offer? {
    offers.max { a, b in
      (a.freeDays, -a.firstPrice, a.phases.count) < (b.freeDays, -b.firstPrice, b.phases.count)
    }
  }
}

extension PlayProductDetails.Offer {
  /// The offer in the form that Android's selection rules expect.
  fileprivate var selectable: PlayOffer {
    PlayOffer(
      basePlanID: basePlanID, offerID: offerID ?? "", tags: tags,
      phases: phases.map {
        PlayOffer.Phase(
          micros: $0.priceMicros, ISOPeriod($0.billingPeriod) ?? ISOPeriod(Period(known: .day, 0)),
          cycles: $0.cycles)
      })
  }

  fileprivate var freeDays: Int {
    guard let first = phases.first, first.priceMicros == 0, phases.count > 1 else { return 0 }
    return ISOPeriod(first.billingPeriod)?.androidPeriod?.length(in: .day) ?? 0
  }

  fileprivate var firstPrice: Int64 { phases.first?.priceMicros ?? .max }
}

/// A purchase as Google Play stores it.
package struct PlayPurchase: Hashable, Sendable {
  package var productIDs: [String]
  package var purchaseToken: String
  package var orderID: String?
  /// Whether the payment is complete. False while the payment is pending.
  package var isPurchased: Bool
  package var isAcknowledged: Bool

  package init(
    productIDs: [String], purchaseToken: String, orderID: String? = nil, isPurchased: Bool = true,
    isAcknowledged: Bool = false
  ) {
    self.productIDs = productIDs
    self.purchaseToken = purchaseToken
    self.orderID = orderID
    self.isPurchased = isPurchased
    self.isAcknowledged = isAcknowledged
  }
}

/// The result of Google Play's dialog.
package enum PlayBillingResult: Hashable, Sendable {
  case purchased(PlayPurchase)
  case userCancelled
  case itemAlreadyOwned
  /// The dialog failed, with the response code and message of Google's billing library.
  case error(code: Int, message: String)
}

/// Google Play as a ``PurchaseStore``.
package struct PlayStore: PurchaseStore {
  private let billing: any PlayBilling
  private let locale: String

  /// - Parameter locale: the locale for writing prices, such as `en_US`.
  package init(_ billing: any PlayBilling, locale: String = "en_US") {
    self.billing = billing
    self.locale = locale
  }

  package func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
    let wanted = identifiers.map { PlayProductID($0) }
    let details = try await billing.queryProductDetails(
      Array(Set(wanted.map(\.productID))).sorted())
    return wanted.compactMap { id in
      details.first { $0.productID == id.productID }.flatMap { product($0, as: id) }
    }
  }

  private func product(_ details: PlayProductDetails, as id: PlayProductID) -> StoreProduct? {
    let offer = details.offer(for: id)
    guard let price = details.oneTimePrice ?? offer?.phases.last else { return nil }
    var product = PricedProduct(
      identifier: details.productID, store: .playStore,
      price: Money(micros: price.priceMicros, Currency(price.currencyCode) ?? .none),
      locale: locale)
    product.displayPrice = price.formattedPrice
    guard details.oneTimePrice == nil, let offer else { return StoreProduct(product, id: id.text) }
    product.fullIdentifier =
      "\(details.productID):\(offer.basePlanID):\(offer.offerID ?? "sw-none")"
    product.isoPeriod = ISOPeriod(price.billingPeriod)
    product.period = product.isoPeriod.flatMap { $0.period ?? $0.androidPeriod }
    let first = offer.phases[0]
    if offer.phases.count > 1, let iso = ISOPeriod(first.billingPeriod),
      let period = iso.period ?? iso.androidPeriod
    {
      let mode: IntroductoryOffer.Mode =
        first.priceMicros == 0 ? .freeTrial : first.cycles > 1 ? .payAsYouGo : .payUpFront
      product.intro = IntroductoryOffer(
        mode, period, cycles: first.cycles, micros: first.priceMicros)
      product.intro?.isoPeriod = iso
    }
    return StoreProduct(product, id: id.text)
  }

  package func purchase(_ request: PurchaseRequest) async -> StorePurchase {
    do throws(StoreError) {
      guard let details = try await billing.queryProductDetails([request.productID]).first else {
        return StorePurchase(.failed("Google Play does not have '\(request.productID)'"))
      }
      let plan = request.basePlanID ?? ""
      let id = PlayProductID("\(request.productID):\(plan):\(request.offerID ?? "sw-none")")
      let offer = details.offer(for: id)
      guard offer != nil || details.offers.isEmpty else {
        return StorePurchase(
          .failed("Google Play does not have the base plan '\(plan)' of '\(request.productID)'"))
      }
      let result = await billing.launchBillingFlow(
        productID: request.productID, offerToken: offer?.offerToken)
      return try await finish(result)
    } catch {
      return StorePurchase(.failed(error.message))
    }
  }

  private func finish(_ result: PlayBillingResult) async throws(StoreError) -> StorePurchase {
    switch result {
    case .userCancelled: return StorePurchase(.cancelled)
    case .itemAlreadyOwned: return StorePurchase(.restored)
    case .error(_, let message): return StorePurchase(.failed(message))
    case .purchased(let purchase):
      guard purchase.isPurchased else { return StorePurchase(.pending) }
      if !purchase.isAcknowledged {
        try await billing.acknowledge(purchaseToken: purchase.purchaseToken)
      }
      return StorePurchase(
        .purchased,
        transaction: StoreTransaction(
          storeTransactionID: purchase.orderID, purchaseToken: purchase.purchaseToken))
    }
  }

  /// Google Play needs no restore: the user's purchases are always available.
  package func restorePurchases() async -> RestorationResult {
    do throws(StoreError) {
      _ = try await billing.queryPurchases()
      return .restored
    } catch {
      return .failed(error.message)
    }
  }

  package func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
    try await billing.queryPurchases().filter(\.isPurchased).flatMap(\.productIDs)
      .map { OwnedProduct($0) }
  }

  package func consume(_ purchaseToken: String) async throws(StoreError) -> String {
    try await billing.consume(purchaseToken: purchaseToken)
    return purchaseToken
  }

  package func changes() -> AsyncStream<Void> { billing.purchaseUpdates() }
}
