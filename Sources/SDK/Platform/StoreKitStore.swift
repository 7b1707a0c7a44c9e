// This file excludes visionOS, where every purchase requires a scene of the app.
internal import Expressions

#if canImport(StoreKit) && !os(visionOS)
  internal import Foundation
  internal import Pricing
  internal import RuleEngine
  internal import StoreKit

  private typealias Product = StoreKit.Product
  private typealias Transaction = StoreKit.Transaction

  /// The App Store, through StoreKit 2.
  package final class StoreKitStore: PurchaseStore {
    /// Products by identifier, so that a purchase does not have to request them again.
    private let cache = Locked<[String: Product]>([:])

    package init() {}

    package func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
      do {
        let products = try await Product.products(for: identifiers)
        cache.withLock { cache in
          for product in products { cache[product.id] = product }
        }
        var known: [StoreProduct] = []
        for product in products { known.append(await StoreProduct(product)) }
        return known
      } catch {
        throw StoreError(error.localizedDescription)
      }
    }

    package func purchase(_ request: PurchaseRequest) async -> StorePurchase {
      do {
        guard let product = try await product(request.productID) else {
          return StorePurchase(.failed("the App Store does not have '\(request.productID)'"))
        }
        switch try await product.purchase(options: request.options) {
        case .userCancelled: return StorePurchase(.cancelled)
        case .pending: return StorePurchase(.pending)
        case .success(let verification): return await finish(verification)
        @unknown default:
          return StorePurchase(
            .failed("the App Store returned a result that this version does not know"))
        }
      } catch {
        return StorePurchase(.failed(error))
      }
    }

    private func product(_ identifier: String) async throws -> Product? {
      if let known = cache.withLock({ $0[identifier] }) { return known }
      let product = try await Product.products(for: [identifier]).first
      cache.withLock { $0[identifier] = product }
      return product
    }

    /// Finishes a transaction that Apple signed. Unverified transactions have no effect.
    private func finish(_ verification: VerificationResult<Transaction>) async -> StorePurchase {
      if case .unverified(_, let error) = verification { return StorePurchase(.failed(error)) }
      guard case .verified(let transaction) = verification else {
        return StorePurchase(
          .failed("the App Store returned a result that this version does not know"))
      }
      await transaction.finish()
      return StorePurchase(
        .purchased, transaction: StoreTransaction(transaction, verification.jwsRepresentation))
    }

    package func restorePurchases() async -> RestorationResult {
      do {
        try await AppStore.sync()
        return .restored
      } catch {
        return .failed(error)
      }
    }

    package func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
      var owned: [OwnedProduct] = []
      for await verification in Transaction.currentEntitlements {
        if case .verified(let transaction) = verification {
          owned.append(OwnedProduct(transaction, verification.jwsRepresentation))
        }
      }
      return owned.isEmpty ? await endedProducts() : owned
    }

    /// Products whose last transaction has ended. These products distinguish a user whose subscription has ended from a
    /// store that has not loaded its transactions yet.
    private func endedProducts() async -> [OwnedProduct] {
      var last: [String: Transaction] = [:]
      for await verification in Transaction.all {
        guard case .verified(let transaction) = verification else { continue }
        let known = last[transaction.productID]
        if known.map({ $0.purchaseDate < transaction.purchaseDate }) ?? true {
          last[transaction.productID] = transaction
        }
      }
      let now = Date()
      return last.values.compactMap { transaction in
        let isExpired = transaction.expirationDate.map { $0 <= now } ?? false
        guard isExpired || transaction.revocationDate != nil else { return nil }
        return OwnedProduct(transaction.productID, hasEnded: true)
      }
    }

    /// The App Store has no consume step: a finished consumable can be bought again.
    package func consume(_ purchaseToken: String) async throws(StoreError) -> String {
      purchaseToken
    }

    package func changes() -> AsyncStream<Void> {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let task = Task {
        for await verification in Transaction.updates {
          if case .verified(let transaction) = verification { await transaction.finish() }
          continuation.yield()
        }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }

  extension PurchaseRequest {
    fileprivate var options: Set<Product.PurchaseOption> {
      guard let offer = promotionalOffer, let nonce = UUID(uuidString: offer.nonce) else {
        return []
      }
      return [
        .promotionalOffer(
          offerID: offer.id, keyID: offer.keyID, nonce: nonce, signature: Data(offer.signature),
          timestamp: offer.timestamp)
      ]
    }
  }

  extension OwnedProduct {
    /// A product with a current entitlement. If its expiration date has passed, the subscription is in a grace period.
    fileprivate init(_ transaction: Transaction, _ signed: String) {
      let expiry = transaction.expirationDate
      self.init(
        transaction.productID,
        expiresAt: expiry.map { Instant(milliseconds: Int64($0.timeIntervalSince1970 * 1_000)) },
        hasEnded: transaction.revocationDate != nil, signedTransaction: signed)
    }
  }

  extension StoreProduct {
    fileprivate init(_ product: Product) async {
      let subscription = product.subscription
      let style = product.priceFormatStyle
      // The description of a decimal is exact. Rounding errors from doubles are corrected.
      var priced = PricedProduct(
        identifier: product.id,
        price: try? Money("\(product.price)", Currency(style.currencyCode) ?? .none),
        locale: style.locale.identifier,
        period: subscription.flatMap { Period($0.subscriptionPeriod) },
        intro: subscription?.introductoryOffer.flatMap { IntroductoryOffer($0) })
      priced.displayPrice = product.displayPrice
      priced.subscriptionGroupID = subscription?.subscriptionGroupID
      priced.isFamilyShareable = product.isFamilyShareable
      let isEligible = await subscription?.isEligibleForIntroOffer ?? false
      self.init(priced, isEligibleForOffer: isEligible)
    }
  }

  extension Period {
    fileprivate init?(_ period: Product.SubscriptionPeriod) {
      let unit: Unit =
        switch period.unit {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        @unknown default: .month
        }
      self.init(unit, period.value)
    }
  }

  extension IntroductoryOffer {
    fileprivate init?(_ offer: Product.SubscriptionOffer) {
      guard let period = Period(offer.period) else { return nil }
      let mode: Mode =
        switch offer.paymentMode {
        case .payAsYouGo: .payAsYouGo
        case .payUpFront: .payUpFront
        default: .freeTrial
        }
      self.init(
        mode, period, cycles: offer.periodCount,
        micros: (try? PriceText.micros("\(offer.price)")) ?? 0, displayPrice: offer.displayPrice)
    }
  }

  extension StoreTransaction {
    fileprivate init(_ transaction: Transaction, _ signed: String) {
      func text(_ date: Date?) -> String? {
        date.flatMap { Instant(milliseconds: Int64($0.timeIntervalSince1970 * 1_000)).text }
      }
      self.init(
        storeTransactionID: String(transaction.id),
        originalTransactionID: String(transaction.originalID),
        transactionDate: text(transaction.purchaseDate), signedTransaction: signed)
      originalTransactionDate = text(transaction.originalPurchaseDate)
      expirationDate = text(transaction.expirationDate)
      revocationDate = text(transaction.revocationDate)
      subscriptionGroupID = transaction.subscriptionGroupID
      offerID = transaction.offer?.id
      offerType = transaction.offer.flatMap { OfferType($0.type) }
      appAccountToken = transaction.appAccountToken?.uuidString
    }
  }

  extension StoreTransaction.OfferType {
    fileprivate init?(_ type: Transaction.OfferType) {
      switch type {
      case .introductory: self = .introductory
      case .promotional: self = .promotional
      case .code: self = .code
      case .winBack: self = .winBack
      default: return nil
      }
    }
  }
#endif
