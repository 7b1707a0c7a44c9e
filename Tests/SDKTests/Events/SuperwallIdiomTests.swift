// No other module of the package: this is what an app imports.
import Foundation
import SDKLive
import Testing

@testable import SDK

/// What an app written for Superwall's SDK has, with the name of the protocol changed.
@Suite("Superwall's idiom")
struct SuperwallIdiomTests {
  /// The delegate of the document on redeeming, and the other functions of the native protocol. Each is
  /// called.
  @MainActor
  private final class Delegate: TollgateDelegate {
    var heard: [String] = []

    func willRedeemLink() { heard.append("willRedeemLink") }

    func didRedeemLink(result: RedemptionResult) {
      heard.append("didRedeemLink \(result.stripeSubscriptionIds ?? [])")
    }

    func willPresentPaywall(withInfo info: PaywallInfo) { heard.append("willPresentPaywall") }
    func didPresentPaywall(withInfo info: PaywallInfo) { heard.append("didPresentPaywall") }
    func willDismissPaywall(withInfo info: PaywallInfo) { heard.append("willDismissPaywall") }
    func didDismissPaywall(withInfo info: PaywallInfo) { heard.append("didDismissPaywall") }

    func handleSuperwallEvent(withInfo eventInfo: SuperwallEventInfo) {
      heard.append("handleSuperwallEvent \(eventInfo.event)")
    }

    func handleCustomPaywallAction(withName name: String) { heard.append("action \(name)") }
    func paywallWillOpenURL(url: String) { heard.append("url \(url)") }
    func paywallWillOpenDeepLink(url: String) { heard.append("link \(url)") }

    func subscriptionStatusDidChange(
      from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus
    ) {
      heard.append("status")
    }

    func handleLog(
      level: LogLevel, scope: LogScope, message: String?, info: Value?, error: String?
    ) {
      heard.append("log \(message ?? "")")
    }
  }

  @Test @MainActor func everyFunctionIsCalled() throws {
    let delegate = Delegate()
    let code: Value = [
      "status": "SUCCESS", "code": "c",
      "redemptionInfo": [
        "ownership": ["type": "APP_USER", "appUserId": "u"],
        "purchaserInfo": [
          "appUserId": "u", "email": .null,
          "storeIdentifiers": ["store": "STRIPE", "stripeSubscriptionIds": ["sub_1"]],
        ], "entitlements": [],
      ],
    ]
    let redeemed = try #require(RedemptionResult(decoding: code))
    let events: [ModuleEvent] = [
      .willRedeemLink, .didRedeemLink(redeemed), .willPresentPaywall(.none),
      .didPresentPaywall(.none), .willDismissPaywall(.none), .didDismissPaywall(.none),
      .handleSuperwallEvent(.deepLink(url: "app://x")), .handleCustomPaywallAction(name: "help"),
      .paywallWillOpenURL("https://x"), .paywallWillOpenDeepLink("app://y"),
      .subscriptionStatusDidChange(from: .unknown, to: .inactive),
      .handleLog(LogMessage(.warn, .network, "slow")),
    ]
    for event in events { delegate.receive(event) }
    #expect(
      delegate.heard == [
        "willRedeemLink", "didRedeemLink [\"sub_1\"]", "willPresentPaywall", "didPresentPaywall",
        "willDismissPaywall", "didDismissPaywall", "handleSuperwallEvent deepLink(url: app://x)",
        "action help", "url https://x", "link app://y", "status", "log slow",
      ])
  }

  // MARK: Values

  private struct Profile: Encodable {
    var name: String
    var since: Date
    var scores: [Int]
  }

  /// Attributes are what apps have, in variables as well as in literals.
  @Test func attributesAreWhatAppsHave() async throws {
    let tollgate = Tollgate(
      ports: .simulated(config: .null, presenter: Self.presenter).unhurried)
    try await tollgate.configure(config: Samples.configText)
    let (plan, pages, isNew, share) = ("pro", 12, true, 0.5)
    let tags = ["a", "b"]
    let levels: [String: Int] = ["a": 1]
    let missing: String? = nil
    let since = Date(timeIntervalSince1970: 1_700_000_000)
    let profile = Profile(name: "Ann", since: since, scores: [1, 2])
    try await tollgate.setUserAttributes(["gone": 1])
    try await tollgate.setUserAttributes([
      "plan": plan, "pages": pages, "isNew": isNew, "share": share, "tags": tags,
      "levels": levels, "missing": missing, "gone": nil, "since": since,
      "site": URL(string: "https://example.com/a"), "price": Decimal(string: "9.99"),
      "big": UInt64.max, "profile": try Value(encoding: profile),
    ])
    // Values of the rules' language are as good, written as members.
    try await tollgate.setUserAttributes(["text": .string(plan), "list": .list([1, "a"])])
    let attributes = try await tollgate.getUserAttributes()
    let expected: [String: Value] = [
      "plan": "pro", "pages": 12, "isNew": true, "share": 0.5, "tags": ["a", "b"],
      "levels": ["a": 1], "since": "2023-11-14T22:13:20Z", "site": "https://example.com/a",
      "price": 9.99, "big": .uint(.max),
      "profile": ["name": "Ann", "since": "2023-11-14T22:13:20Z", "scores": [1, 2]],
      "text": "pro", "list": [1, "a"],
    ]
    for (name, value) in expected {
      if name == "profile" {
        let isSame =
          attributes[name]?["name"] == value["name"] && attributes[name]?["since"] == value["since"]
          && attributes[name]?["scores"] == value["scores"]
        #expect(isSame, "\(String(describing: attributes[name]))")
      } else {
        #expect(attributes[name] == value, "\(name)")
      }
    }
    #expect(attributes["missing"] == nil && attributes["gone"] == nil)
    // The same in placements.
    let result = try await tollgate.getPresentationResult(
      forPlacement: "gated", params: ["plan": plan, "pages": pages])
    #expect(result.type == "Paywall")
    let outcome = await tollgate.register(placement: "nomatch", params: ["plan": plan])
    #expect(outcome.description == "skipped: NoAudienceMatch, feature granted")
    await tollgate.shutDown()
  }

  private static let presenter = HostPresenter(show: { _ in }, hide: { _ in })

  /// What apps print says what it is.
  @Test func whatAppsPrintIsReadable() async throws {
    let tollgate = Tollgate(
      ports: .simulated(config: .null, presenter: Self.presenter).unhurried)
    #expect("\(tollgate)" == "Tollgate(not configured, status: unknown)")
    try? await tollgate.configure(config: "{}".utf8)
    #expect(
      "\(tollgate.snapshot)"
        == "the config could not be loaded: 'build_id' is missing, status: unknown")
    try await tollgate.configure(config: Samples.configText)
    try await tollgate.identify(userID: "ann")
    try await tollgate.setSubscriptionStatus(.inactive)
    let build = Samples.config["build_id"]?.text ?? ""
    #expect("\(tollgate)" == "Tollgate(configured: \(build), user: ann, status: inactive)")
    await tollgate.shutDown()
    #expect("\(RestorationResult.failed("no"))" == "failed: no")
    #expect("\(RestorationResult.failed(nil)) \(RestorationResult.restored)" == "failed restored")
    #expect("\(PurchaseResult.failed("no")) \(PurchaseResult.pending)" == "failed: no pending")
  }

  @Test func datesAndInstantsAreTheSame() {
    let instant: Instant = 1_700_000_000_123
    #expect(Instant(Date(instant)) == instant)
    #expect(Instant(Date.distantFuture) > instant && Instant(Date.distantPast) < instant)
    #expect(Instant(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
    #expect(Instant(Date(timeIntervalSince1970: -.infinity)) == .distantPast)
  }

  // MARK: Handlers and errors

  /// Handlers are objects: what is set on a constant counts, and later than `register` too.
  @Test func handlersAreObjects() async throws {
    let tollgate = Tollgate(
      ports: .simulated(config: .null, presenter: Self.presenter).unhurried)
    try await tollgate.configure(config: Samples.configText)
    let handler = PaywallPresentationHandler()
    await confirmation { skipped in
      handler.onSkip { _ in skipped() }
      await tollgate.register(placement: "nomatch", handler: handler)
    }
    await tollgate.shutDown()
  }

  private struct Declined: LocalizedError {
    var errorDescription: String? { "Your card was declined." }
  }

  private struct Odd: Error { var secret = 7 }

  /// Users read what an error says of itself, and no dump.
  @Test func errorsSpeakToPeople() {
    #expect(SDKError(.shutDown, "it ended").localizedDescription == "it ended")
    #expect(StoreError("closed").localizedDescription == "closed")
    _ = Ports.live(
      folder: NSTemporaryDirectory(), store: NoStore(), presenter: Self.presenter)
    #expect(PurchaseResult.failed(Declined()) == .failed("Your card was declined."))
    #expect(RestorationResult.failed(Declined()) == .failed("Your card was declined."))
    guard case .failed(let text) = PurchaseResult.failed(Odd()) else { return }
    #expect(!text.contains("secret") && !text.contains("Odd("))
  }

  private struct NoStore: PurchaseStore {
    func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] { [] }
    func purchase(_ request: PurchaseRequest) async -> StorePurchase { StorePurchase(.cancelled) }
    func restorePurchases() async -> RestorationResult { true }
    func ownedProducts() async throws(StoreError) -> [OwnedProduct] { [] }
    func consume(_ purchaseToken: String) async throws(StoreError) -> String { purchaseToken }
    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  }

  /// What is logged is read by developers too, from warnings on.
  @Test func warningsReachTheConsole() async throws {
    let lines = Lines()
    var ports = Ports.simulated(config: .null, presenter: Self.presenter).unhurried
    ports.console = { lines.add("\($0)") }
    let tollgate = Tollgate(ports: ports)
    try await tollgate.configure(config: Samples.configText)
    try await tollgate.configure(config: Samples.configText)
    #expect(
      lines.all == [
        "warn superwallCore: configure() was called again; the SDK is already configured"
      ])
    await tollgate.shutDown()

    var options = TollgateOptions()
    options.logging.consoleLevel = .none
    let silent = Tollgate(ports: ports)
    try await silent.configure(config: Samples.configText, options: options)
    try await silent.configure(config: Samples.configText)
    #expect(lines.all.count == 1)
    await silent.shutDown()
  }

  private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func add(_ line: String) { lock.withLock { lines.append(line) } }
  }

  // MARK: Files

  @Test func configCanBeAFile() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "config.json")
    let tollgate = Tollgate(
      ports: .simulated(config: .null, presenter: Self.presenter).unhurried)
    await #expect(throws: SDKError.self) { try await tollgate.configure(config: file) }
    try Data(Samples.configText).write(to: file)
    try await tollgate.configure(config: file)
    #expect(tollgate.configOrigin?.source == .given)
    #expect(await tollgate.register(placement: "nomatch").featureGranted)
    await tollgate.shutDown()
  }
}
