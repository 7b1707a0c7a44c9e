import Expressions
import Foundation
import Pricing
import SDK
import SDKLive
import SDKTesting
import Testing

// What docs/migrating.md shows.

extension Tollgate {
  /// Where `Superwall.shared` was.
  static let shared = Tollgate(ports: .live(folder: folder, store: store, presenter: presenter))
}

private let folder = NSTemporaryDirectory()
private let store = TestStore(products: [])
private let presenter = HostPresenter(show: { _ in }, hide: { _ in })

final class MyPurchaseController: PurchaseController {
  func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
    .purchased  // .cancelled, .pending, .restored, .failed(error)
  }

  func restorePurchases() async -> RestorationResult {
    true  // false, .failed(error)
  }
}

/// AgentWallie's form.
final class WallieController: ThrowingPurchaseController {
  func purchase(productID: String) async throws -> PurchaseResult { .purchased }
  func restorePurchases() async throws -> RestorationResult { .noProductsToRestore }
}

private func exportPDF() {}

@MainActor
final class Delegate: TollgateDelegate {
  private(set) var redeemed = false

  func didRedeemLink(result: RedemptionResult) {
    redeemed = true
    Task { try await syncSubscriptionStatus(Tollgate.shared, owned: []) }
  }
}

func syncSubscriptionStatus(_ tollgate: Tollgate, owned: Set<String>) async throws {
  let products = try await tollgate.products(for: owned)
  let device = Set(products.flatMap(\.entitlements))
  let web = await tollgate.entitlements.web
  try await tollgate.setSubscriptionStatus(.active(device.union(web)))
}

@Suite struct MigrationExamples {
  private func app(status: SubscriptionStatus? = nil) async throws -> TestTollgate {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sdk = root.appendingPathComponent("corpus/sdk/fixtures")
    return try await TestTollgate(
      config: Data(contentsOf: sdk.appendingPathComponent("config.std.json")),
      products: TestStore.products(
        storeKitConfiguration: Data(contentsOf: sdk.appendingPathComponent("Products.storekit"))),
      status: status)
  }

  /// The start of an app, which asks a server.
  func start() async throws {
    let tollgate = Tollgate.shared
    await tollgate.setDelegate(Delegate())
    try await tollgate.configure(apiKey: "pk_...", purchaseController: MyPurchaseController())
  }

  @Test func usersAndPlacements() async throws {
    let app = try await app()
    try await app.configure()
    try await app.run { tollgate in
      let plan = "free"
      let pages = 12
      try await tollgate.identify(userID: "user-1")
      try await tollgate.setUserAttributes(["plan": plan, "pages": pages, "team": nil])

      let handler = PaywallPresentationHandler()
      handler.onDismiss { info, result in print("\(info.name): \(result)") }
      await tollgate.register(placement: "nomatch", params: ["pages": pages], handler: handler) {
        exportPDF()
      }
    }
    #expect(try await app.tollgate.getUserAttributes()["plan"] == "free")
  }

  @Test func assignmentsOfTheServerComeFirst() async throws {
    let app = try await app()
    try await app.configure()
    let assignment: Value = ["experiment_id": "exp_gated", "variant_id": "v_gated"]
    app.answer("/api/v1/assignments", with: ["assignments": [assignment]])
    try await app.run { tollgate in
      try await tollgate.identify(
        userID: "user-1", options: IdentityOptions(restorePaywallAssignments: true))
    }
    let assignments = try await app.tollgate.getAssignments()
    let gated = assignments.first { $0.experimentID == "exp_gated" }
    #expect(gated?.variantID == "v_gated")
    #expect(gated?.isSentToServer == true)
  }

  @Test func aBackendWithoutAssignmentsIsEnough() async throws {
    let app = try await app()
    app.answer("/api/v1/assignments", with: nil, status: 404)
    app.answer("/api/v1/confirm_assignments", with: nil, status: 404)
    try await app.configure()
    try await app.run { tollgate in
      try await tollgate.identify(
        userID: "user-1", options: IdentityOptions(restorePaywallAssignments: true))
    }
    _ = await app.register("gated")
    #expect(await app.paywall?.info.identifier == "pw_gated")
    let assignments = try await app.run { try await $0.confirmAllAssignments() }
    #expect(assignments.contains { $0.experimentID == "exp_gated" && $0.isSentToServer == false })
  }

  @Test func controllersKeepTheStatus() async throws {
    let app = try await app(status: .inactive)
    try await app.configure(purchaseController: MyPurchaseController())
    try await syncSubscriptionStatus(app.tollgate, owned: ["com.tollgate.pro.year"])
    #expect(await app.tollgate.subscriptionStatus.isActive)
  }

  @Test func wallieControllersAreAdapted() async throws {
    let app = try await app(status: .inactive)
    var options = TollgateOptions()
    options.purchaseMode = .agentWallie
    let controller = AdaptedPurchaseController(WallieController())
    try await app.configure(purchaseController: controller, options: options)
    let export = await app.register("gated")
    try await app.buy("com.tollgate.pro.year")
    #expect(await export.value.featureGranted)
    #expect(await app.tollgate.entitlements.active == [Entitlement(id: "pro")])
  }
}
