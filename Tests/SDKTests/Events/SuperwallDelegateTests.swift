import Foundation
import SDKLive
import Testing

@testable import SDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What RevenueCat's SDK has, as far as the document on redeeming uses it.
@MainActor private enum Purchases {
  struct Shared {
    var appUserID = "rc-1"
  }
  static let shared = Shared()
  static var posted: [String] = []

  static func post(_ request: URLRequest, _ body: [String: String]) {
    posted.append(body["fetch_token"] ?? "")
  }
}

/// Delegates as apps have them for Superwall's SDK, word by word.
@Suite("Superwall's delegate", .serialized) @MainActor
struct SuperwallDelegateTests {
  /// The second delegate of the document on redeeming, shortened in its network calls alone.
  final class Delegate: SuperwallDelegate {
    var heard: [String] = []
    var work: Task<Void, Never>?

    // The user tapped on a deep link to redeem a code
    func willRedeemLink() {
      heard.append("[!] willRedeemLink")
    }

    // Superwall received a redemption result and validated the purchase with Stripe.
    func didRedeemLink(result: RedemptionResult) {
      heard.append("[!] didRedeemLink")
      // Get a list of subscription ids tied to the customer.
      guard let stripeSubscriptionIds = result.stripeSubscriptionIds else { return }
      guard let url = URL(string: "https://api.revenuecat.com/v1/receipts") else { return }

      let appUserId = Purchases.shared.appUserID

      // In the background...
      work = Task.detached {
        await withTaskGroup(of: Void.self) { group in
          // For each subscription id, link it to the user in RevenueCat
          for stripeSubscriptionId in stripeSubscriptionIds {
            group.addTask {
              let request = URLRequest(url: url)
              await Purchases.post(
                request, ["app_user_id": appUserId, "fetch_token": stripeSubscriptionId])
            }
          }
        }
      }
    }
  }

  private func receive(_ events: [ModuleEvent], _ delegate: some TollgateDelegate) {
    // As the SDK calls it: it knows no more than the protocol.
    let existential: any TollgateDelegate = delegate
    for event in events { existential.receive(event) }
  }

  @Test func theDocumentsDelegateIsCalled() async throws {
    let code: Value = [
      "status": "SUCCESS", "code": "c",
      "redemptionInfo": [
        "ownership": ["type": "APP_USER", "appUserId": "u"],
        "purchaserInfo": [
          "appUserId": "u", "email": .null,
          "storeIdentifiers": ["store": "STRIPE", "stripeSubscriptionIds": ["sub_1", "sub_2"]],
        ], "entitlements": [],
      ],
    ]
    let delegate = Delegate()
    receive(
      [.willRedeemLink, .didRedeemLink(try #require(RedemptionResult(decoding: code)))], delegate)
    #expect(delegate.heard == ["[!] willRedeemLink", "[!] didRedeemLink"])
    await delegate.work?.value
    #expect(Purchases.posted.sorted() == ["sub_1", "sub_2"])
  }

  /// The functions that have Foundation's types there.
  private final class Foundational: SuperwallDelegate {
    var heard: [String] = []

    func paywallWillOpenURL(url: URL) { heard.append("url \(url.host() ?? "")") }
    func paywallWillOpenDeepLink(url: URL) { heard.append("link \(url.scheme ?? "")") }

    func handleLog(
      level: String, scope: String, message: String?, info: [String: Any]?, error: (any Error)?
    ) {
      let count = info?["count"] as? Int ?? -1
      let list = info?["list"] as? [Any] ?? []
      heard.append(
        "\(level) \(scope) \(message ?? "") \(count) \(list.count) \(error?.localizedDescription ?? "-")"
      )
    }
  }

  @Test func foundationsTypesReachTheDelegate() {
    let delegate = Foundational()
    var message = LogMessage(.warn, .network, "slow", error: "it is late")
    message.info = ["count": 3, "list": [1, .null, ["a": true]]]
    receive(
      [
        .paywallWillOpenURL("https://example.com/a"), .paywallWillOpenDeepLink("app://x"),
        .paywallWillOpenURL(""), .handleLog(message),
        .handleLog(LogMessage(.info, .network, "fine")),
      ], delegate)
    #expect(
      delegate.heard == [
        "url example.com", "link app", "warn network slow 3 3 it is late",
        "info network fine -1 0 -",
      ])
  }

  // MARK: What is called something else

  /// Whoever is not available may use what is not: this compiles as long as each of them is there.
  @available(*, unavailable)
  private func elsewhere(_ tollgate: Tollgate, _ product: StoreProduct) async throws {
    let options: SuperwallOptions? = nil
    Superwall.configure(apiKey: "pk", purchaseController: nil, options: options, completion: {})
    AgentWallie.configure(apiKey: "pk")
    _ = Superwall.shared
    tollgate.identify(userId: "u")
    _ = (tollgate.userId, tollgate.isLoggedIn, tollgate.userAttributes)
    _ = tollgate.integrationAttributes
    tollgate.setIntegrationAttribute(.adjustID, "a")
    tollgate.register(event: "e")
    _ = await tollgate.getPresentationResult(forEvent: "e")
    _ = try await tollgate.getPaywall(forPlacement: "p")
    tollgate.preloadPaywalls(withPlacementNames: ["p"])
    tollgate.dismiss(completion: nil)
    _ = (tollgate.latestPaywallInfo, tollgate.isPaywallPresented, tollgate.isConfigured)
    tollgate.togglePaywallSpinner(isHidden: true)
    _ = await tollgate.purchase(product)
    _ = await tollgate.getCustomerInfo()
    _ = tollgate.customerInfo
    _ = tollgate.delegate
    tollgate.setInterfaceStyle(to: nil)
    _ = tollgate.logLevel
    await tollgate.refreshConfiguration()
  }
}
