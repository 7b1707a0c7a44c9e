internal import Expressions
internal import Pricing
internal import RuleEngine

/// A purchase that another person must approve, such as a parent. The purchase completes when the store reports its
/// product as owned, perhaps after a restart of the app.
struct PendingPurchase: Hashable, Sendable {
  /// The product's identifier in the config.
  var productID: String
  /// The product's identifier in the store.
  var storeID: String
  /// The paywall on which the purchase began.
  var info: PaywallInfo
  var kind: TransactionKind
  /// The presentation and the product of the purchase. Nil after a restart.
  var presentationID: String?
  var product: StoreProduct?
  var shouldDismiss = true

  /// The maximum number of stored purchases.
  static let mostKept = 20

  init(
    _ product: StoreProduct, _ kind: TransactionKind, on info: PaywallInfo, presentationID: String,
    shouldDismiss: Bool
  ) {
    productID = product.id
    storeID = product.priced.identifier
    self.info = info
    self.kind = kind
    self.presentationID = presentationID
    self.product = product
    self.shouldDismiss = shouldDismiss
  }

  init?(decoding value: Value) {
    guard let product = value["productId"]?.text, let store = value["storeId"]?.text,
      let kind = value["type"]?.text.flatMap({ TransactionKind(rawValue: $0) }),
      let info = value["paywallInfo"].flatMap({ PaywallInfo(stored: $0) })
    else { return nil }
    (productID, storeID, self.kind, self.info) = (product, store, kind, info)
  }

  /// The purchase as JSON, for storing.
  var value: Value {
    [
      "productId": .string(productID), "storeId": .string(storeID), "type": .string(kind.rawValue),
      "paywallInfo": info.stored,
    ]
  }
}

// MARK: Paywalls of purchases

extension PaywallInfo {
  /// The data that analytics needs about a closed paywall.
  fileprivate var stored: Value {
    .members([
      "identifier": .string(identifier), "name": .string(name), "url": .string(url),
      "presentationId": presentationID.map { .string($0) }, "experiment": experiment?.value,
      "products": .list(products.map(\.value)),
      "presentedByEventWithName": presentedByPlacement.map { .string($0) },
      "presentedByEventWithId": presentedByEventID.map { .string($0) },
      "presentedByEventAt": presentedAt.map { .int($0.milliseconds) },
      "presentedBy": .string(presentedBy),
      "presentationSourceType": presentationSourceType.map { .string($0) },
      "isFreeTrialAvailable": .bool(isFreeTrialAvailable),
      "featureGatingBehavior": .string(featureGating.word),
    ])
  }

  fileprivate init?(stored value: Value) {
    guard let identifier = value["identifier"]?.text else { return nil }
    self.init(
      identifier: identifier, name: value["name"]?.text ?? "", url: value["url"]?.text ?? "")
    presentationID = value["presentationId"]?.text
    experiment = value["experiment"].flatMap { Decision.Experiment(decoding: $0) }
    products = (value["products"]?.elements ?? []).compactMap { PaywallProduct(decoding: $0) }
    presentedByPlacement = value["presentedByEventWithName"]?.text
    presentedByEventID = value["presentedByEventWithId"]?.text
    presentedAt = value["presentedByEventAt"]?.instant
    presentedBy = value["presentedBy"]?.text ?? "programmatically"
    presentationSourceType = value["presentationSourceType"]?.text
    isFreeTrialAvailable = value["isFreeTrialAvailable"]?.truth ?? false
    featureGating = value["featureGatingBehavior"]?.text == "gated" ? .gated : .nonGated
  }
}

extension Decision.Experiment {
  fileprivate init?(decoding value: Value) {
    guard let id = value["id"]?.text, let variant = value["variant"],
      let variantID = variant["id"]?.text
    else { return nil }
    let paywall = variant["paywallId"]?.text ?? ""
    self.init(
      id: id, campaignID: value["groupId"]?.text ?? "",
      variant: Variant(
        id: variantID,
        kind: variant["type"]?.text.flatMap { Variant.Kind(rawValue: $0) } ?? .treatment,
        weight: 0, paywallID: paywall.isEmpty ? nil : paywall))
  }
}

extension PaywallProduct {
  fileprivate init?(decoding value: Value) {
    guard let id = value["id"]?.text,
      let store = value["store"]?.text.flatMap({ PricedProduct.Store(rawValue: $0) })
    else { return nil }
    self.init(
      id: id, name: value["name"]?.text, store: store,
      entitlements: Entitlement.decode(wire: value["entitlements"]),
      trialDays: value["stripeProduct"]?["trialDays"]?.wholeNumber)
  }
}
