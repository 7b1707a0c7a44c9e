import Expressions
import Foundation
import Pricing
import RuleEngine
import SDK
import Testing

/// The SDK as an app uses it, with public names alone: what docs/sdk.md shows.
@Suite struct SDKExampleTests {
  private func config() throws -> Value {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("corpus/sdk/fixtures/config.std.json")
    return try Value.parse(json: Data(contentsOf: file))
  }

  private func products() throws -> [StoreProduct] {
    let month = PricedProduct(
      identifier: "com.tollgate.pro.month", price: try Money("9.99", .usd), locale: "en_US",
      period: Period(.month, 1))
    var year = month
    year.identifier = "com.tollgate.pro.year"
    year.price = try Money("59.99", .usd)
    year.period = Period(.year, 1)
    return [StoreProduct(month), StoreProduct(year)]
  }

  /// Buys the first product of every paywall, or closes it.
  private func presenter(buys: Bool) -> HostPresenter {
    var presenter = HostPresenter(show: { _ in }, hide: { _ in })
    presenter.tell = { message, presentation in
      guard message == .paywallOpen else { return }
      if buys {
        presentation.handle.purchaseTapped(presentation.products[0].id)
      } else {
        presentation.handle.closeTapped()
      }
    }
    return presenter
  }

  /// A machine that is busy with other tests may take longer than an app would wait.
  private var patient: TollgateOptions {
    var options = TollgateOptions()
    let long = Duration.seconds(600)
    options.timeouts.configure = long
    options.timeouts.subscriptionStatus = long
    options.timeouts.ownedProducts = long
    options.timeouts.products = long
    options.timeouts.canPresent = long
    options.timeouts.present = long
    return options
  }

  @Test func aPurchaseGrantsTheFeature() async throws {
    let tollgate = Tollgate(
      ports: .simulated(
        config: try config(), presenter: presenter(buys: true), products: try products()))
    try await tollgate.configure(apiKey: "pk_test", options: patient)
    let outcome = await tollgate.register(placement: "gated")
    #expect(outcome.featureGranted)
    #expect(await tollgate.subscriptionStatus.isActive)
    await tollgate.shutDown()
  }

  @Test func aPaywallThatIsClosedGrantsNothing() async throws {
    let tollgate = Tollgate(
      ports: .simulated(
        config: try config(), presenter: presenter(buys: false), products: try products()))
    try await tollgate.configure(apiKey: "pk_test", options: patient)
    #expect(await !tollgate.register(placement: "gated").featureGranted)
    #expect(try await tollgate.getPresentationResult(forPlacement: "gated").type == "Paywall")
    await tollgate.shutDown()
  }

  @Test func aPurchaseThatIsCancelledLeavesThePaywall() async throws {
    let tollgate = Tollgate(
      ports: .simulated(
        config: try config(), presenter: presenter(buys: true), products: try products(),
        purchases: [.cancelled]))
    try await tollgate.configure(apiKey: "pk_test", options: patient)
    let events = await tollgate.events()
    async let outcome = tollgate.register(placement: "gated")
    for await event in events {
      if case .handleSuperwallEvent(.transactionAbandon) = event { break }
    }
    await tollgate.dismiss()
    #expect(await !outcome.featureGranted)
    await tollgate.shutDown()
  }
}
