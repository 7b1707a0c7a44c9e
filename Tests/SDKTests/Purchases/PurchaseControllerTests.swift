import Expressions
import RuleEngine
import Testing

@testable import SDK

/// Controllers as the documents of the different SDKs write them.
@Suite("Purchase controllers")
struct PurchaseControllerTests {
  private struct Failure: Error, CustomStringConvertible { var description = "card declined" }

  /// Superwall's: an enum, and yes or no.
  private struct Superwall: BooleanPurchaseController {
    func purchase(product: PurchaseRequest) async -> PurchaseResult {
      switch product.productID {
      case "a": .purchased
      case "b": .restored
      default: .failed(Failure())
      }
    }
    func restorePurchases() async -> Bool { return false }
  }

  /// AgentWallie's: it may throw, and there may be nothing to restore.
  private struct AgentWallie: ThrowingPurchaseController {
    func purchase(productID: String) async throws -> PurchaseResult {
      if productID == "a" { throw Failure() }
      return .pending
    }
    func restorePurchases() async throws -> RestorationResult { .noProductsToRestore }
  }

  @Test func everyFormIsAController() async {
    let boolean = AdaptedPurchaseController(Superwall())
    #expect(await boolean.purchase(PurchaseRequest(productID: "a")) == .purchased)
    #expect(await boolean.purchase(PurchaseRequest(productID: "b")) == .restored)
    #expect(await boolean.purchase(PurchaseRequest(productID: "c")) == .failed("card declined"))
    #expect(await boolean.restorePurchases() == .failed(nil))
    let throwing = AdaptedPurchaseController(AgentWallie())
    #expect(await throwing.purchase(PurchaseRequest(productID: "a")) == .failed("card declined"))
    #expect(await throwing.purchase(PurchaseRequest(productID: "b")) == .pending)
    #expect(await throwing.restorePurchases() == .noProductsToRestore)
    let yes: RestorationResult = true
    #expect(yes == .restored)
  }

  @Test(arguments: [
    (#"{"type":"purchased"}"#, PurchaseResult.purchased), (#"{"type":"cancelled"}"#, .cancelled),
    (#"{"type":"pending"}"#, .pending), (#"{"type":"restored"}"#, .restored),
    (#"{"type":"failed","error":"x"}"#, .failed("x")),
    (#"{"type":"failed"}"#, .failed("the purchase failed")),
    (#"{"type":"maybe"}"#, .failed("'maybe' is not a purchase result")),
    ("{}", .failed("'' is not a purchase result")),
    ("[1]", .failed("'' is not a purchase result")),
  ])
  func resultsAreReadAsDecided(json: String, result: PurchaseResult) throws {
    #expect(PurchaseResult(decoding: try Value.parse(json: json.utf8)) == result)
  }

  private struct Controller: PurchaseController {
    let tollgate: Tollgate
    let asked = Recorder<PurchaseRequest>()

    func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
      asked.add(product)
      return .purchased
    }

    func restorePurchases() async -> RestorationResult {
      // As seed documents ask for: the status first, then the answer.
      try? await tollgate.setSubscriptionStatus(.active([Entitlement(id: "gold")]))
      return .restored
    }
  }

  @Test func aControllerBuysAndTheAppKeepsTheStatus() async throws {
    let app = TestApp()
    let controller = Controller(tollgate: app.tollgate)
    // Before configure, as AgentWallie's documents have it.
    await app.tollgate.setPurchaseController(controller)
    try await app.tollgate.configure(apiKey: "pk")
    let bought = Task { await app.tollgate.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    app.presenter.handle?.purchaseTapped(Samples.month.id)
    #expect(await bought.value.featureGranted)
    #expect(controller.asked.all == [PurchaseRequest(productID: Samples.month.id)])
    #expect(await app.tollgate.subscriptionStatus == .inactive)

    let restored = Task { await app.tollgate.register(placement: "gated") }
    try await wait { app.tollgate.snapshot.isPaywallPresented }
    app.presenter.handle?.restoreTapped()
    #expect(await restored.value.kind == .presented(.restored, .systemLogic))
  }

  /// How the seed documents merge what the device and the web know.
  @Test func controllersCanMergeEntitlements() async throws {
    let app = TestApp()
    try await app.tollgate.configure(
      apiKey: "pk", purchaseController: Controller(tollgate: app.tollgate))
    let storeProducts = try await app.tollgate.products(for: [Samples.month.id, Samples.coins.id])
    let deviceEntitlements = Set(storeProducts.flatMap { $0.entitlements })
    let webEntitlements = await app.tollgate.entitlements.web
    let all = deviceEntitlements.union(webEntitlements)
    try await app.tollgate.setSubscriptionStatus(.active(all))
    #expect(await app.tollgate.subscriptionStatus == .active([Entitlement(id: "pro")]))
    try await app.tollgate.setSubscriptionStatus(.active([]))
    #expect(await app.tollgate.subscriptionStatus == .inactive)
  }
}

/// AgentWallie's rules for a purchase controller.
@Suite("AgentWallie purchases")
struct AgentWalliePurchaseTests {
  private struct Controller: PurchaseController {
    var result: PurchaseResult
    func purchase(_ product: PurchaseRequest) async -> PurchaseResult { result }
    func restorePurchases() async -> RestorationResult { .restored }
  }

  @MainActor
  private final class Delegate: TollgateDelegate {
    let heard: Recorder<String>
    init(_ heard: Recorder<String>) { self.heard = heard }
    func didCompletePurchase(productID: String) { heard.add("purchased \(productID)") }
    func didRestorePurchases() { heard.add("restored") }
    func subscriptionStatusDidChange(from old: SubscriptionStatus, to new: SubscriptionStatus) {
      heard.add(new.name)
    }
    func handleSuperwallEvent(withInfo info: SuperwallEventInfo) {
      let event = info.event
      if event.name == .transactionStart || event.name == .transactionComplete {
        heard.add(event.name.rawValue)
      }
    }
  }

  private var options: TollgateOptions {
    var options = TollgateOptions()
    options.purchaseMode = .agentWallie
    return options
  }

  @Test(arguments: [PurchaseResult.purchased, .restored])
  func theSDKMapsEntitlementsAlthoughTheAppBuys(result: PurchaseResult) async throws {
    let app = TestApp()
    let heard = Recorder<String>()
    let delegate = await Delegate(heard)
    await app.tollgate.setDelegate(delegate)
    try await app.tollgate.configure(
      apiKey: "pk", purchaseController: Controller(result: result), options: options)
    let task = Task { await app.tollgate.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    app.presenter.handle?.purchaseTapped(Samples.year.id)
    #expect(await task.value.featureGranted)
    try await wait { heard.all.contains("purchased \(Samples.year.id)") }
    let complete = result == .purchased ? ["transactionComplete"] : []
    #expect(
      heard.all == ["transactionStart", "ACTIVE"] + complete + ["purchased \(Samples.year.id)"])
    #expect(await app.tollgate.subscriptionStatus == .active([Entitlement(id: "pro")]))
  }

  @Test func aRestoreByTheAppSetsTheStatus() async throws {
    let app = TestApp()
    let heard = Recorder<String>()
    let delegate = await Delegate(heard)
    await app.tollgate.setDelegate(delegate)
    try await app.tollgate.configure(
      apiKey: "pk", purchaseController: Controller(result: .cancelled), options: options)
    let task = Task { await app.tollgate.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    app.presenter.handle?.restoreTapped()
    #expect(await task.value.kind == .presented(.restored, .systemLogic))
    try await wait { heard.all.contains("restored") }
    #expect(heard.all == ["ACTIVE", "restored"])
  }

  /// A transaction with the store's signature is sent to be verified.
  @Test func signedTransactionsAreVerified() async throws {
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    let surroundings = SDKState.Surroundings(now: Samples.start, device: DeviceFacts())
    var options = TollgateOptions()
    options.purchaseMode = .agentWallie
    state.settings.adopt(
      Configuration(apiKey: "pk", options: options, purchases: .controller, wrapper: nil))
    let slot = PurchaseSlot(
      token: Token(number: 1), presentationID: "p", product: Samples.year, info: .none,
      shouldDismiss: true, startsTrial: false)
    state.transactions.begin(slot)
    let transaction = StoreTransaction(signedTransaction: "eyJ")
    let effects = state.handle(
      .purchaseFinished(slot.token, StorePurchase(.purchased, transaction: transaction)),
      in: surroundings)
    let requests = effects.compactMap { effect -> BackendRequest? in
      if case .send(_, let request) = effect { request } else { nil }
    }
    #expect(requests.map(\.path) == ["/v1/receipts/pk"])
    #expect(requests.first?.body?["signed_transaction_info"] == "eyJ")
    #expect(requests.first?.body?["user_id"] == "$SuperwallAlias:alias-1")
  }
}
