import Expressions
import Foundation
import Pricing
import SDK
import SDKTesting
import Testing

/// What tests of apps have, and what docs/testing.md shows of it.
@Suite struct TestTollgateTests {
  private func file(_ path: String) throws -> Data {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appendingPathComponent(path))
  }

  private var config: Data { get throws { try file("corpus/sdk/fixtures/config.std.json") } }

  private var products: [StoreProduct] {
    get throws {
      try TestStore.products(
        storeKitConfiguration: try file("corpus/sdk/fixtures/Products.storekit"))
    }
  }

  // The tests of docs/testing.md.

  @Test func buyingUnlocksTheExport() async throws {
    let app = try await TestTollgate(config: config, products: products)
    try await app.configure()

    let export = await app.register("gated")  // returns when the paywall is on screen
    #expect(await app.paywall?.info.identifier == "pw_gated")
    try await app.buy("com.tollgate.pro.year")

    #expect(await export.value.featureGranted)
    #expect(await app.tollgate.subscriptionStatus.isActive)
    #expect(app.eventNames.contains("freeTrialStart"))
  }

  @Test func closingUnlocksNothing() async throws {
    let app = try await TestTollgate(config: config, products: products)
    try await app.configure()
    let export = await app.register("gated")
    try await app.close()
    #expect(await !export.value.featureGranted)
  }

  @Test func aDeclinedCardLeavesThePaywall() async throws {
    let app = try await TestTollgate(
      config: config, products: products,
      purchases: [.failed("Your card was declined."), .purchased])
    try await app.configure()
    let export = await app.register("gated")
    try await app.buy("com.tollgate.pro.year")
    #expect(app.alerts == [.purchaseFailed(message: "Your card was declined.", code: nil)])
    try await app.buy("com.tollgate.pro.year")
    #expect(await export.value.featureGranted)
  }

  @Test func theSecondStartNeedsNoNetwork() async throws {
    let first = try await TestTollgate(config: config, products: products)
    try await first.configure()

    let second = await first.restart()
    second.network = .hangs
    try await second.configure()  // goes on after a second of the test's clock
    #expect(second.tollgate.configOrigin?.source == .kept)
    _ = await second.register("gated")
    #expect(await second.paywall != nil)
  }

  // What the tests of an app rely on.

  @Test func theClockMovesAsFarAsItIsTold() async throws {
    let app = try await TestTollgate(config: config, status: .unknown)
    let start = app.now
    await app.advance(by: .seconds(90))
    #expect(app.now.milliseconds - start.milliseconds == 90_000)
    // Nothing answers before the SDK is configured, for ten seconds.
    await #expect(throws: SDKError.self) {
      try await app.run { try await $0.identify(userID: "ada") }
    }
    #expect(app.now.milliseconds - start.milliseconds == 100_000)
  }

  @Test func whatWaitsForTheUserIsSaid() async throws {
    let app = try await TestTollgate(config: config, products: products)
    try await app.configure()
    await #expect(throws: TestTollgate.Fault.self) {
      try await app.run { await $0.register(placement: "gated") }
    }
    #expect(await app.paywall != nil)
    await #expect {
      try await app.buy("com.tollgate.coin")
    } throws: {
      "\($0)".contains("'pw_gated' has no product 'com.tollgate.coin': it has com.tollgate.pro")
    }
    try await app.swipeAway()
    #expect(await app.paywall == nil)
    await #expect(throws: TestTollgate.Fault.self) { try await app.close() }
  }

  @Test func whatTheStoreDoesNotSellIsSaid() async throws {
    let app = try await TestTollgate(config: config)
    try await app.configure()
    _ = await app.register("gated")
    await #expect {
      try await app.buy("com.tollgate.pro.year")
    } throws: {
      "\($0)".contains("the store does not sell 'com.tollgate.pro.year'")
    }
  }

  @Test func theStoreHasALifeOfItsOwn() async throws {
    let app = try await TestTollgate(
      config: config, products: products, owned: ["com.tollgate.pro.month"])
    try await app.configure()
    #expect(await app.tollgate.subscriptionStatus.isActive)
    app.store.revoke("com.tollgate.pro.month")
    await app.settle()
    #expect(await app.tollgate.subscriptionStatus == .inactive)
    app.store.buyElsewhere("com.tollgate.pro.year")
    await app.settle()
    #expect(await app.tollgate.subscriptionStatus.isActive)
  }

  @Test func theNetworkDoesAsItIsTold() async throws {
    let app = try await TestTollgate(config: config)
    app.network = .fails
    await #expect(throws: SDKError.self) { try await app.configure() }
    #expect(app.requests.count == 7)
    app.network = .answers
    try await app.configure()
    app.answer("/subscriptions-api/public/v1/redeem", with: ["codes": [], "entitlements": []])
    _ = try await app.run { await $0.handleDeepLink("tollgate://superwall/redeem?code=1") }
    await app.settle()
    #expect(app.eventNames.contains("didRedeemLink"))
    #expect(app.requests.last == "/subscriptions-api/public/v1/redeem")
    app.setCanPresent(false)
    #expect(await !app.register("gated").value.featureGranted)
  }

  @Test func aConfigThatIsNoJSONIsSaid() async throws {
    await #expect {
      _ = try await TestTollgate(config: "{".utf8)
    } throws: {
      "\($0)".contains("the config is not JSON")
    }
    #expect(throws: (any Error).self) {
      try TestStore.products(storeKitConfiguration: "{}".utf8)
    }
  }

  @MainActor final class Listener: TollgateDelegate {
    var seen: [String] = []
    func didPresentPaywall(withInfo info: PaywallInfo) { seen.append("present") }
    func didDismissPaywall(withInfo info: PaywallInfo) { seen.append("dismiss") }
  }

  @Test func delegatesAndHandlersHaveHeard() async throws {
    let app = try await TestTollgate(config: config, products: products)
    let listener = Listener()
    await app.tollgate.setDelegate(listener)
    try await app.configure()
    _ = await app.register("gated")
    #expect(await listener.seen == ["present"])
    try await app.close()
    #expect(await listener.seen == ["present", "dismiss"])
  }
}
