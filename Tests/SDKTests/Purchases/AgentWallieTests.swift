import Expressions
import Pricing
import RuleEngine
import Testing

@testable import SDK

/// AgentWallie's document on purchases: slots, entitlements, status, the cache, receipts.
@Suite("AgentWallie")
struct AgentWallieTests {
  private var options: TollgateOptions {
    var options = TollgateOptions()
    options.purchaseMode = .agentWallie
    return options
  }

  // MARK: Slots

  /// A paywall may name its product by the slot.
  @Test(arguments: ["secondary", Samples.year.id])
  func productsAreResolvedBySlot(name: String) {
    let app = QuietApp()
    app.configure()
    let call = app.register("gated")
    app.ports.handle?.purchaseTapped("tertiary")
    app.pass(0)
    #expect(!app.ports.wasAsked(.purchase))
    app.ports.handle?.purchaseTapped(name)
    app.pass(0)
    #expect(
      call.value?.kind == .presented(.purchased(productID: Samples.year.id), .systemLogic))
    app.end()
  }

  // MARK: The cache

  /// Products are asked for when the config comes; paywalls do not wait for the store after that.
  @Test func productsAreCached() {
    let app = QuietApp(silent: [.products], after: 1)
    app.configure(options: options)
    #expect(app.ports.calls(.products) == 1)
    let call = app.register("gated")
    #expect(app.ports.wasAsked(.present) && app.ports.calls(.products) == 1)
    let loads: [SuperwallEventName] = [.paywallProductsLoadStart, .paywallProductsLoadComplete]
    for name in loads { #expect(app.events.all.count { $0.isTracked(name) } == 1) }
    app.ports.handle?.purchaseTapped("primary")
    app.pass(0)
    #expect(call.value?.featureGranted == true)
    app.end()
    // By Superwall's rules each paywall asks.
    let usual = QuietApp()
    usual.configure()
    #expect(usual.ports.calls(.products) == 0)
    usual.end()
  }

  /// A config with the same products asks for nothing; a store that failed is asked again.
  @Test func theSameProductsAreNotAskedForAgain() {
    let app = QuietApp()
    app.configure(options: options)
    for _ in 0..<3 { again(app) }
    #expect(app.ports.calls(.products) == 1)
    app.end()
    let silent = QuietApp(silent: [.products])
    silent.configure(options: options)
    silent.pass(11)
    #expect(silent.ports.calls(.products) == 1)
    silent.ports.speakFromNowOn()
    again(silent)
    #expect(silent.ports.calls(.products) == 2)
    again(silent)
    #expect(silent.ports.calls(.products) == 2)
    silent.end()
  }

  /// A new session, which asks for the config once more.
  private func again(_ app: QuietApp) {
    app.tollgate.applicationDidEnterBackground()
    app.pass(7_200)
    app.tollgate.applicationDidEnterForeground()
    app.pass(1)
  }

  // MARK: The status

  /// A subscription that ends is expired, also after a restart, until there is one again or somebody
  /// else.
  @Test func subscriptionsExpire() async throws {
    let storage = InMemoryStorage(["status": ["status": "INACTIVE"]])
    func app() -> QuietApp { QuietApp(storage: storage) }
    let first = app()
    first.configure()
    #expect(!first.tollgate.snapshot.hasExpired)
    set(.active([Entitlement(id: "pro")]), first)
    #expect(!first.tollgate.snapshot.hasExpired)
    set(.inactive, first)
    #expect(first.tollgate.snapshot.hasExpired)
    set(.unknown, first)
    #expect(first.tollgate.snapshot.hasExpired)
    first.end()
    let second = app()
    second.configure()
    #expect(second.tollgate.snapshot.hasExpired)
    #expect(second.tollgate.snapshot.subscriptionStatus == .inactive)
    set(.active([Entitlement(id: "pro")]), second)
    #expect(!second.tollgate.snapshot.hasExpired)
    set(.inactive, second)
    second.run { try? await second.tollgate.reset() }
    #expect(!second.tollgate.snapshot.hasExpired)
    second.end()
  }

  private func set(_ status: SubscriptionStatus, _ app: QuietApp) {
    app.run { try? await app.tollgate.setSubscriptionStatus(status) }
  }

  /// The store takes back what the user owned: at the start, and while the app runs.
  @Test func whatTheStoreNoLongerHasIsExpired() {
    let app = QuietApp(status: "INACTIVE")
    app.configure(options: options)
    let call = app.register("gated")
    app.ports.handle?.purchaseTapped(Samples.year.id)
    app.pass(0)
    #expect(call.value?.featureGranted == true)
    #expect(app.tollgate.snapshot.subscriptionStatus.isActive)
    app.ports.revoke(Samples.year.id)
    app.pass(0)
    #expect(app.tollgate.snapshot.subscriptionStatus == .inactive)
    #expect(app.tollgate.snapshot.hasExpired)
    app.end()
  }

  // MARK: Restores

  /// Where the store knows nothing, a restore gives what its paywall sells, and nothing of another that
  /// has taken its place meanwhile.
  @Test(arguments: [false, true])
  func aRestoreGivesWhatItsPaywallSells(isReplaced: Bool) {
    var run = StateRun()
    run.configure(options: options, purchases: .controller)
    run.present("gated")
    run.report(.restore)
    for case .restore(let token, byController: true) in run.take() {
      run.handle(.restoreFinished(token, .restored))
    }
    let loads = run.take().compactMap { effect -> Token? in
      if case .loadOwnedProducts(let token) = effect { token } else { nil }
    }
    #expect(loads.count == 1)
    if isReplaced {
      run.call(.dismiss)
      run.finishDismissing()
      run.present("gated")
    }
    #expect(run.state.presentation != nil)
    for token in loads { run.handle(.ownedProducts(token, .success([]))) }
    #expect(run.state.ownership.status.isActive == !isReplaced)
  }

  // MARK: Receipts

  /// The receipt follows the status and the events, is sent again while the network fails, and delays
  /// nobody.
  @Test(arguments: [PurchaseResult.purchased, .restored])
  func receiptsArePosted(result: PurchaseResult) {
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    let surroundings = SDKState.Surroundings(now: Samples.start, device: DeviceFacts())
    state.settings.adopt(
      Configuration(apiKey: "pk", options: options, purchases: .controller, wrapper: nil))
    let slot = PurchaseSlot(
      token: Token(number: 1), presentationID: "p", product: Samples.year, info: .none,
      shouldDismiss: true, startsTrial: false)
    state.transactions.begin(slot)
    let transaction = StoreTransaction(signedTransaction: "eyJ")
    var sent = 0
    var effects = state.handle(
      .purchaseFinished(slot.token, StorePurchase(result, transaction: transaction)),
      in: surroundings)
    while let token = effects.lazy.compactMap({ effect -> Token? in
      if case .send(let token, _) = effect { token } else { nil }
    }).first {
      sent += 1
      effects = state.handle(.response(token, .failure(.network("offline"))), in: surroundings)
      let retry = effects.lazy.compactMap { effect -> TimerID? in
        if case .startTimer(let id, _) = effect { id } else { nil }
      }.first
      if let retry { effects = state.handle(.timer(retry), in: surroundings) }
    }
    #expect(sent == 7)
    let says = effects.contains { effect in
      if case .emit(.handleLog(let message)) = effect { message.scope == .receipts } else { false }
    }
    #expect(says)
  }
}
