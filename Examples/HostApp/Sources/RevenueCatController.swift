import Foundation
import RevenueCat
import SDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Buys and restores with RevenueCat, and keeps Tollgate's subscription status in sync with RevenueCat.
///
/// ```swift
/// Purchases.configure(withAPIKey: "appl_...")
/// let controller = RevenueCatController(tollgate)
/// try await tollgate.configure(apiKey: "pk_...", purchaseController: controller)
/// controller.start()
/// ```
///
/// Entitlements have the same identifiers in RevenueCat and in the config, such as `pro`.
final class RevenueCatController: PurchaseController {
  private let tollgate: Tollgate

  init(_ tollgate: Tollgate) { self.tollgate = tollgate }

  /// Observes RevenueCat for as long as the app runs: purchases here and elsewhere, renewals, expirations.
  func start() {
    Task { [weak tollgate] in
      for await info in Purchases.shared.customerInfoStream {
        guard let tollgate else { return }
        await RevenueCatController.setStatus(of: tollgate, by: info)
      }
    }
  }

  func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
    guard let found = await Purchases.shared.products([product.productID]).first else {
      return .failed("This product is not in the store now.")
    }
    do {
      let result = try await Purchases.shared.purchase(product: found)
      if result.userCancelled { return .cancelled }
      await RevenueCatController.setStatus(of: tollgate, by: result.customerInfo)
      return .purchased
    } catch ErrorCode.purchaseCancelledError {
      return .cancelled
    } catch ErrorCode.paymentPendingError {
      return .pending
    } catch {
      return .failed(error)
    }
  }

  /// Sets the status before it returns: a restore succeeds if there is an active entitlement then.
  func restorePurchases() async -> RestorationResult {
    do {
      let info = try await Purchases.shared.restorePurchases()
      await RevenueCatController.setStatus(of: tollgate, by: info)
      return info.entitlements.active.isEmpty ? .noProductsToRestore : .restored
    } catch {
      return .failed(error)
    }
  }

  /// Sets the entitlements from RevenueCat, and those redeemed on the web. With a controller, only the app combines the two.
  private static func setStatus(of tollgate: Tollgate, by info: RevenueCat.CustomerInfo)
    async
  {
    let bought = info.entitlements.active.keys.map { Entitlement(id: $0) }
    let web = await tollgate.entitlements.web
    try? await tollgate.setSubscriptionStatus(.active(Set(bought).union(web)))
  }

  // MARK: Purchases on the web

  /// Registers subscriptions that were bought with Stripe on a web paywall with RevenueCat. Call it in
  /// `didRedeemLink(result:)`, and with the same result again after a log-in to RevenueCat.
  ///
  /// - Parameter stripeKey: RevenueCat's public key of your Stripe app, `strp_...`.
  func link(_ result: RedemptionResult, stripeKey: String) async {
    for id in result.stripeSubscriptionIds ?? [] {
      do {
        try await link(stripeSubscription: id, stripeKey)
      } catch {
        print("RevenueCat could not be notified of the subscription \(id): \(error)")
      }
    }
    guard let info = try? await Purchases.shared.customerInfo(fetchPolicy: .fetchCurrent) else {
      return
    }
    await RevenueCatController.setStatus(of: tollgate, by: info)
  }

  private func link(stripeSubscription id: String, _ stripeKey: String) async throws {
    guard let url = URL(string: "https://api.revenuecat.com/v1/receipts") else { return }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("stripe", forHTTPHeaderField: "X-Platform")
    request.setValue("Bearer \(stripeKey)", forHTTPHeaderField: "Authorization")
    request.httpBody = try JSONEncoder().encode([
      "app_user_id": Purchases.shared.appUserID, "fetch_token": id,
    ])
    let (_, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else { throw URLError(.badServerResponse) }
  }
}
