public import Expressions
public import Pricing

/// The product to buy.
public struct PurchaseRequest: Hashable, Sendable {
  public var productID: String
  public var store: PricedProduct.Store
  public var platform: Platform
  /// Google Play's base plan; an empty string for a product without a base plan.
  public var basePlanID: String?
  /// Google Play's offer, when the user is eligible for it.
  public var offerID: String?
  /// The App Store's promotional offer that the paywall requests, or nil.
  public var promotionalOffer: PromotionalOffer?

  public init(
    productID: String, store: PricedProduct.Store = .appStore, platform: Platform = .ios,
    basePlanID: String? = nil, offerID: String? = nil, promotionalOffer: PromotionalOffer? = nil
  ) {
    self.productID = productID
    self.store = store
    self.platform = platform
    self.basePlanID = basePlanID
    self.offerID = offerID
    self.promotionalOffer = promotionalOffer
  }

  /// - Parameters:
  ///   - platform: the platform of the SDK. On the web, the platform of the product's store is used, because the
  ///     contract has no purchases on the web.
  ///   - startsTrial: whether the user is eligible for the product's offer.
  init(
    _ product: StoreProduct, on platform: Platform, startsTrial: Bool,
    offer: PromotionalOffer? = nil
  ) {
    let seller: Platform = product.store == .playStore ? .android : .ios
    let platform = platform == .web ? seller : platform
    self.init(
      productID: product.priced.identifier, store: product.store, platform: platform,
      basePlanID: platform == .android ? product.basePlanID ?? "" : nil,
      offerID: platform == .android && startsTrial ? product.offerID : nil,
      promotionalOffer: offer)
  }

  /// The JSON form of `onPurchase` in the SDK contract.
  public var value: Value {
    switch platform {
    case .ios, .web:
      .object([
        "productId": .string(productID), "platform": "ios", "store": .string(store.rawValue),
      ])
    case .android:
      .members([
        "productId": .string(productID), "platform": "android",
        "basePlanId": .string(basePlanID ?? ""), "offerId": offerID.map { .string($0) },
      ])
    }
  }
}

/// A promotional offer of the App Store, with the signature that Apple requires. The app's server signs the offer for
/// one user, product and offer, and the app passes it to ``PresentationHandle/purchaseTapped(_:shouldDismiss:offer:)``.
public struct PromotionalOffer: Hashable, Sendable {
  /// The offer's identifier in App Store Connect.
  public var id: String
  public var keyID: String
  /// A UUID, in lower case.
  public var nonce: String
  /// The bytes of the signature.
  public var signature: [UInt8]
  /// The time of the signature, in milliseconds since 1970.
  public var timestamp: Int

  public init(id: String, keyID: String, nonce: String, signature: [UInt8], timestamp: Int) {
    self.id = id
    self.keyID = keyID
    self.nonce = nonce
    self.signature = signature
    self.timestamp = timestamp
  }
}

/// How a purchase ended.
public enum PurchaseResult: Hashable, Sendable {
  case purchased
  /// The user already owned the product.
  case restored
  case cancelled
  /// Another person must approve the purchase first. The store reports the approval.
  case pending
  /// The purchase failed, with a message for the user.
  case failed(String)

  /// A failure from an error, for controllers written for other SDKs. The user sees the error's localised description.
  public static func failed(_ error: any Error) -> PurchaseResult {
    .failed(ErrorText.text(of: error))
  }

  /// Decodes `{"type": "purchased|cancelled|pending|restored|failed", "error"?}`. Any other value is a failure, so that
  /// no purchase waits forever.
  public init(decoding value: Value) {
    switch value["type"]?.text {
    case "purchased": self = .purchased
    case "cancelled": self = .cancelled
    case "pending": self = .pending
    case "restored": self = .restored
    case "failed": self = .failed(value["error"]?.text ?? "the purchase failed")
    case let other: self = .failed("'\(other ?? "")' is not a purchase result")
    }
  }
}

/// How restoring purchases ended.
public enum RestorationResult: Hashable, Sendable, ExpressibleByBooleanLiteral {
  case restored
  /// The restore failed, with an optional message for the user.
  case failed(String?)

  /// The result if there are no purchases to restore. This result is a failure, so the paywall stays open.
  public static var noProductsToRestore: RestorationResult {
    .failed("there are no purchases to restore")
  }

  /// A failure from an error, for controllers written for other SDKs. The user sees the error's localised description.
  public static func failed(_ error: any Error) -> RestorationResult {
    .failed(ErrorText.text(of: error))
  }

  public init(_ isRestored: Bool) { self = isRestored ? .restored : .failed(nil) }

  public init(booleanLiteral isRestored: Bool) { self.init(isRestored) }

  /// Decodes `{"result": "restored|noProductsToRestore|failed", "errorMessage"?}`. Any other value is a failure.
  public init(decoding value: Value) {
    switch value["result"]?.text {
    case "restored": self = .restored
    case "noProductsToRestore": self = .noProductsToRestore
    default: self = .failed(value["errorMessage"]?.text)
    }
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    switch self {
    case .restored: .object(["result": "restored"])
    case .failed(let message):
      .object(["result": "failed", "errorMessage": message.map { .string($0) } ?? .null])
    }
  }
}

/// Makes and restores purchases instead of the SDK, in the app or through another company's SDK.
///
/// Pass a controller to ``Tollgate/configure(apiKey:purchaseController:options:)``. The app must then keep the
/// subscription status up to date with ``Tollgate/setSubscriptionStatus(_:)``. Set the status before
/// ``restorePurchases()`` returns, because a restore succeeds only if an entitlement is active.
public protocol PurchaseController: Sendable {
  /// Buys a product. The SDK requests one purchase at a time. There is no time limit.
  func purchase(_ product: PurchaseRequest) async -> PurchaseResult
  /// Restores the user's earlier purchases. `return true` means restored.
  func restorePurchases() async -> RestorationResult
}

/// A controller whose restore returns a boolean.
public protocol BooleanPurchaseController: Sendable {
  func purchase(product: PurchaseRequest) async -> PurchaseResult
  func restorePurchases() async -> Bool
}

/// A controller that throws errors, as AgentWallie's controllers do.
public protocol ThrowingPurchaseController: Sendable {
  func purchase(productID: String) async throws -> PurchaseResult
  func restorePurchases() async throws -> RestorationResult
}

/// Turns a controller of another form into a ``PurchaseController``.
public struct AdaptedPurchaseController: PurchaseController {
  private let buy: @Sendable (PurchaseRequest) async -> PurchaseResult
  private let restore: @Sendable () async -> RestorationResult

  public init(
    purchase: @escaping @Sendable (PurchaseRequest) async -> PurchaseResult,
    restorePurchases: @escaping @Sendable () async -> RestorationResult
  ) {
    buy = purchase
    restore = restorePurchases
  }

  public init(_ controller: some BooleanPurchaseController) {
    self.init(
      purchase: { await controller.purchase(product: $0) },
      restorePurchases: { RestorationResult(await controller.restorePurchases()) })
  }

  /// Errors thrown by the controller become failures.
  public init(_ controller: some ThrowingPurchaseController) {
    self.init(
      purchase: { request in
        do {
          return try await controller.purchase(productID: request.productID)
        } catch {
          return .failed(error)
        }
      },
      restorePurchases: {
        do {
          return try await controller.restorePurchases()
        } catch {
          return .failed(error)
        }
      })
  }

  public func purchase(_ product: PurchaseRequest) async -> PurchaseResult { await buy(product) }

  public func restorePurchases() async -> RestorationResult { await restore() }
}
