import Expressions
import Foundation
import Pricing
import RuleEngine
import Service
import Testing

@testable import SDK
@testable import SDKLive
@testable import Sandbox

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The SDK against the sandbox, both as they are, over HTTP on loopback.
@Suite struct SDKTests {
  /// A clock whose pauses are short, so that those between attempts do not keep tests waiting. Limits of
  /// time, which are whole seconds, stay what they are: a machine may be busy.
  struct QuickTime: TimeSource {
    var now: Instant { SystemTime().now }
    func sleep(milliseconds: Int64) async throws {
      // Pauses between uploads are whole seconds, too.
      let isLimit = milliseconds % 1_000 == 0 && milliseconds % 20_000 != 0
      try await Task.sleep(for: .milliseconds(isLimit ? milliseconds : milliseconds / 20))
    }
  }

  /// An app with the SDK, on a device of its own.
  struct App: Sendable {
    let tollgate: Tollgate
    let presenter: ScriptedPresenter
    let directives = Seen<Value>()
    let events = Seen<ModuleEvent>()
    private let folder: URL
    let options: TollgateOptions

    init(_ server: SandboxServer, _ adjust: (inout TollgateOptions) -> Void = { _ in }) throws {
      let address = server.address
      let transport = URLSessionTransport(
        session: URLSession(configuration: .ephemeral), agentWallie: address)
      let directives = directives
      presenter = ScriptedPresenter(observe: { command in
        if case .checkout(let directive) = command { directives.add(directive) }
      })
      let products = [
        StoreProduct(
          PricedProduct(identifier: "com.myapp.pro.yearly", store: .appStore)),
        StoreProduct(PricedProduct(identifier: "test:price_month:7", store: .stripe)),
      ]
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var ports = Ports.live(
        folder: folder.path,
        store: TestStore(
          of: server, sold: SimulatedStore(products: products, script: .init())),
        presenter: presenter, transport: transport)
      ports.console = nil
      ports.time = QuickTime()
      tollgate = Tollgate(ports: ports)
      var options = TollgateOptions()
      adjust(&options)
      options.networkEnvironment = .custom(address)
      self.options = options
    }

    func end() async {
      await tollgate.shutDown()
      try? FileManager.default.removeItem(at: folder)
    }

    func configure() async throws {
      let events = events
      _ = await tollgate.observe { events.add($0) }
      try await tollgate.configure(apiKey: "pk_sandbox", options: options)
      try await tollgate.identify(userID: SandboxServer.user)
    }

    var results: [RedemptionResult] {
      events.all.compactMap { if case .didRedeemLink(let result) = $0 { result } else { nil } }
    }
  }

  /// A store that signs what it sells, as the App Store does.
  struct TestStore: PurchaseStore {
    let authority: SandboxAuthority
    let clock: SandboxServer.TestClock
    let sold: SimulatedStore

    init(of server: SandboxServer, sold: SimulatedStore) {
      (authority, clock, self.sold) = (server.authority, server.clock, sold)
    }

    func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
      try await sold.products(identifiers)
    }

    func purchase(_ request: PurchaseRequest) async -> StorePurchase {
      var purchase = await sold.purchase(request)
      let transaction = TestTransaction(product: request.productID, bundle: "com.myapp")
      purchase.transaction?.signedTransaction = try? authority.sign(
        transaction.payload(now: clock.now))
      return purchase
    }

    func restorePurchases() async -> RestorationResult { await sold.restorePurchases() }
    func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
      try await sold.ownedProducts()
    }
    func consume(_ token: String) async throws(StoreError) -> String {
      try await sold.consume(token)
    }
    func changes() -> AsyncStream<Void> { sold.changes() }
  }

  final class Seen<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
  }

  /// Waits until something is there; a test that waits in vain ends with what is missing.
  private func wait<T>(
    for name: String, _ look: () async throws -> T?
  ) async throws -> T {
    for _ in 0..<3_000 {
      if let found = try await look() { return found }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Missing(name: name)
  }

  private struct Missing: Error { var name: String }

  // MARK: Configuring and deciding

  @Test func configuresAndDecides() async throws {
    try await SandboxServer.run(clock: .now) { server in
      let app = try App(server)
      try await app.configure()
      try await app.tollgate.setUserAttributes(["age": .int(12)])
      guard case .holdout = try await app.tollgate.getPresentationResult(forPlacement: "held_out"),
        case .paywall(let experiment) = try await app.tollgate.getPresentationResult(
          forPlacement: "campaign_trigger"),
        case .noAudienceMatch = try await app.tollgate.getPresentationResult(
          forPlacement: "grown_ups")
      else {
        Issue.record("another decision")
        return
      }
      #expect(experiment.id == "123")
      // The server hears of both variants, by themselves.
      let list = try await wait(for: "the assignments") {
        let list = try await server.get("/api/v1/assignments").body["assignments"]?.elements
        return (list?.count ?? 0) >= 2 ? list : nil
      }
      #expect(Set(list.compactMap { $0["experiment_id"]?.text }) == ["123", "126"])
      await app.end()
    }
  }

  // MARK: Checking out

  /// Begins a checkout on the paywall of the web, and gives what the host is to show.
  private func beginCheckout(_ app: App) async throws -> (Task<PlacementOutcome, Never>, Value) {
    try await app.tollgate.setSubscriptionStatus(.inactive)
    let outcome = Task { await app.tollgate.register(placement: "web_checkout") { @MainActor in } }
    let handle = try await wait(for: "the paywall") { app.presenter.handle }
    handle.purchaseTapped("test:price_month:7")
    let directive = try await wait(for: "the checkout") { app.directives.all.first }
    return (outcome, directive)
  }

  private func expectRestored(_ app: App, _ outcome: Task<PlacementOutcome, Never>) async throws {
    let outcome = await outcome.value
    #expect(outcome.featureGranted, "\(outcome)")
    let result = try await wait(for: "the redemption") { app.results.first }
    guard case .success(_, let info) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(info.purchaserInfo.userID == SandboxServer.user)
    #expect(try await app.tollgate.getEntitlements().active.map(\.id) == ["pro"])
    await app.end()
  }

  @Test func checksOutOnAPageOfItsOwn() async throws {
    try await SandboxServer.run(clock: .now) { server in
      let app = try App(server)
      try await app.configure()
      let (outcome, directive) = try await beginCheckout(app)
      #expect(directive["directive"] == "redirect")
      let url = try #require(directive["checkoutUrl"]?.text)
      var request = URLRequest(url: try #require(URL(string: url + "/pay")))
      request.httpMethod = "POST"
      _ = try await URLSession(configuration: .ephemeral).data(for: request)
      app.presenter.handle?.checkout(.returned)
      try await expectRestored(app, outcome)
    }
  }

  @Test(arguments: ["drawer", "embedded"])
  func checksOutInTheApp(kind: String) async throws {
    var fixtures = try Fixtures(file: SandboxServer.fixturesPath)
    fixtures.applications[0].entry = fixtures.applications[0].entry.merging(
      patch: .object(["checkoutDirectives": .list([.string(kind)])]))
    try await SandboxServer.run(clock: .now, fixtures: fixtures) { server in
      let app = try App(server)
      try await app.configure()
      let (outcome, directive) = try await beginCheckout(app)
      #expect(directive["directive"]?.text == kind)
      app.presenter.handle?.checkout(.submit(setupIntentID: "seti_1", email: "me@example.com"))
      try await expectRestored(app, outcome)
    }
  }

  // MARK: Redeeming

  @Test(arguments: [
    ("PROMO-CODE", "SUCCESS"), ("BROKEN-CODE", "ERROR"), ("OLD-CODE", "CODE_EXPIRED"),
    ("no-such-code", "INVALID_CODE"), ("ENDED-SUBSCRIPTION", "EXPIRED_SUBSCRIPTION"),
  ])
  func redeemsALink(code: String, status: String) async throws {
    try await SandboxServer.run(clock: .now) { server in
      let app = try App(server)
      try await app.configure()
      #expect(await app.tollgate.handleDeepLink("tollgate://superwall/redeem?code=\(code)"))
      let result = try await wait(for: "the result") { app.results.first }
      #expect(result.value["status"]?.text == status, "\(result)")
      #expect(result.code == code)
      if case .expiredCode(_, let expired) = result {
        #expect(expired.resent && expired.obfuscatedEmail == "u***@example.com")
      }
      if status == "SUCCESS" {
        #expect(result.stripeSubscriptionIDs == ["sub_PROMO-CODE"])
        let status = try await app.tollgate.getSubscriptionStatus()
        #expect(status.entitlements.map(\.id) == ["pro"])
        #expect(try await server.entitlements(of: SandboxServer.user) == ["pro"])
      }
      await app.end()
    }
  }

  // MARK: Receipts

  @Test func hasWhatItSoldVerified() async throws {
    try await SandboxServer.run(clock: .now) { server in
      let app = try App(server) { $0.purchaseMode = .agentWallie }
      try await app.configure()
      let outcome = Task {
        await app.tollgate.register(placement: "campaign_trigger") { @MainActor in }
      }
      let handle = try await wait(for: "the paywall") { app.presenter.handle }
      handle.purchaseTapped("com.myapp.pro.yearly")
      guard case .presented(.purchased, _) = await outcome.value.kind else {
        Issue.record("another outcome")
        return
      }
      let path = "/v1/subscriptions/pk_sandbox/\(SandboxServer.user)"
      let status = try await wait(for: "the receipt") {
        let body = try await server.get(path, headers: [:]).body
        return body["status"] == "active" ? body : nil
      }
      #expect(status["entitlements"] == ["pro"])
      #expect(
        status["subscriptions"]?.elements?.first?["product_id"] == "com.myapp.pro.yearly")
      await app.end()
    }
  }

  // MARK: The client alone

  private func client(_ server: SandboxServer, retries: Int = 6) throws -> BackendClient {
    var options = BackendClient.Options()
    options.environment = .custom(server.address)
    options.retries = retries
    return BackendClient(
      publicKey: "pk_sandbox",
      transport: URLSessionTransport(
        session: URLSession(configuration: .ephemeral), agentWallie: server.address),
      time: QuickTime(), options: options)
  }

  @Test func everyEndpointDecodes() async throws {
    try await SandboxServer.run(clock: .now) { server in
      let client = try client(server)
      #expect(try await client.staticConfig() == client.staticConfigFromArtifacts())
      #expect(try await client.paywall("test-paywall")["identifier"] == "test-paywall")
      #expect(try await client.products().products.count == 5)
      let application = try await client.application(.application(publicKey: "pk_sandbox"))
      #expect(application.webPaywallDomain == "paywall.example.com")
      #expect(application.storeApplicationIDs == ["stripe": 9, "ios": 3, "android": 4])
      #expect(try await client.entitlements(ofUser: "u").entitlements == [])
      let jws = try server.authority.sign(
        TestTransaction(product: "com.myapp.pro.yearly", bundle: "com.myapp")
          .payload(now: server.clock.now))
      let receipt = try await client.postReceipt(jws, userID: "a/b", deviceID: "d")
      #expect(receipt.isValid && receipt.entitlements == ["pro"] && receipt.status == "active")
      let subscriptions = try await client.subscriptions(ofUser: "a/b")
      #expect(subscriptions.userID == "a/b" && subscriptions.status == "active")
    }
  }

  @Test func everyErrorHasItsType() async throws {
    try await SandboxServer.run(clock: .now) { server in
      let client = try client(server)
      func begin(_ product: String, store: String = "stripe") async -> BackendError? {
        do throws(BackendError) {
          _ = try await client.beginCheckout(
            CheckoutRequest(
              currencyCode: "USD", productIdentifier: product, store: store, context: .map([])))
          return nil
        } catch { return error }
      }
      #expect(await begin("com.example") == .invalidProductFormat)
      #expect(await begin("test:p:7", store: "paddle") == .missingStoreApplicationID)
      await #expect(throws: BackendError.missingCheckoutSession) {
        _ = try await client.checkoutStatus(contextID: "v1:x:y")
      }
      await #expect(throws: BackendError.artifactNotFound) {
        _ = try await client.artifact(.staticConfig(domain: "no.example"))
      }
      await #expect(throws: BackendError.unknownExperiment) {
        try await client.confirm([Assignment(experimentID: "9", variantID: "9")])
      }
      await #expect(throws: BackendError.unknownVariant) {
        try await client.confirm([Assignment(experimentID: "123", variantID: "9")])
      }
      let forged = try SandboxAuthority(named: "Somebody Else").sign(
        TestTransaction(product: "p", bundle: "com.myapp").payload(now: server.clock.now))
      await #expect(throws: BackendError.invalidSignature) {
        _ = try await client.postReceipt(forged, userID: "u", deviceID: "d")
      }
    }
  }

  // MARK: Faults

  private func faults(_ json: String) throws -> FaultScript {
    try FaultScript(json: Array(json.utf8))
  }

  @Test(arguments: [#""status":503"#, #""status":429"#, #""drop":true"#])
  func triesAgainWhereThatMayHelp(fault: String) async throws {
    let script = try faults(
      #"{"faults":[{"path":"*/entitlements",\#(fault),"count":2}]}"#)
    try await SandboxServer.run(clock: .now) {
      $0.faults = script
    } test: { server in
      let client = try client(server)
      #expect(try await client.entitlements(ofUser: "u").entitlements == [])
      #expect(script.value["faults"]?.elements?.first?["happened"] == 2)
    }
  }

  @Test func triesNothingAgainThatWouldHappenTwice() async throws {
    let script = try faults(#"{"faults":[{"path":"*/checkout/session","status":503}]}"#)
    try await SandboxServer.run(clock: .now) {
      $0.faults = script
    } test: { server in
      let client = try client(server)
      await #expect(throws: BackendError.internalError(503)) {
        _ = try await client.beginCheckout(
          CheckoutRequest(currencyCode: "USD", productIdentifier: "test:p:7", context: .map([])))
      }
      #expect(script.value["faults"]?.elements?.first?["happened"] == 1)
    }
  }

  @Test func configuresAlthoughTheServerFailsAtFirst() async throws {
    let script = try faults(
      #"{"faults":[{"path":"/api/v1/static_config","status":500,"count":2},"#
        + #"{"path":"*/redeem","drop":true,"count":1}]}"#)
    try await SandboxServer.run(clock: .now) {
      $0.faults = script
    } test: { server in
      let app = try App(server)
      try await app.configure()
      #expect(await app.tollgate.handleDeepLink("tollgate://superwall/redeem?code=PROMO-CODE"))
      let result = try await wait(for: "the result") { app.results.first }
      #expect(result.value["status"] == "SUCCESS")
      await app.end()
    }
  }

  // MARK: Events

  @Test func uploadsEventsOnceAlthoughTheCollectorFails() async throws {
    let script = try faults(#"{"faults":[{"path":"/api/v1/events","status":500,"count":1}]}"#)
    try await SandboxServer.run(clock: .now) {
      $0.faults = script
    } test: { server in
      let app = try App(server)
      try await app.configure()
      _ = await app.tollgate.register(placement: "held_out")
      let events = try await wait(for: "trigger_fire") {
        let reply = try await server.get(
          "/sandbox/events?source=superwall&limit=1000", headers: SandboxServer.owner)
        let events = reply.body["events"]?.elements ?? []
        return events.contains { $0["name"] == "trigger_fire" } ? events : nil
      }
      let ids = events.compactMap { $0["eventId"]?.text }
      #expect(Set(ids).count == ids.count)
      await app.end()
    }
  }
}
