import Expressions
import Pricing
import RuleEngine
import Testing

@testable import SDK

/// What a paywall may promise follows the rules that `Pricing` has for trials.
@Suite("Trials")
struct TrialTests {
  private static let web = "live:price_123:no-trial"

  /// - Parameter eligibility: what the paywall says of introductory offers.
  private func startsTrial(
    _ product: StoreProduct, _ eligibility: String = "AUTOMATIC", on platform: Platform = .ios,
    status: SubscriptionStatus = .inactive, owned: [StoreProduct] = []
  ) throws -> Bool {
    var state = SDKState(platform: platform, entropy: .sequence(seed: 1))
    state.catalog.adopt(
      try ApplicationConfig.decode(Samples.configText, platform: platform),
      HistoryNeeds(logs: []), from: ConfigOrigin(source: .network, buildID: "b"))
    state.catalog.keep(owned)
    _ = state.ownership.set(status)
    state.ownership.own(owned.map { OwnedProduct($0.id) }, at: Samples.start) { _ in [] }
    let gated = try #require(state.config?.paywalls["pw_gated"])
    let paywall = PaywallResponse(
      decoding: gated.value.merging(
        patch: ["introductory_offer_eligibility": .string(eligibility)]))
    return state.startsTrial(product, on: paywall)
  }

  /// While the store says nothing, a paywall shows the prices that the config writes.
  @Test func writtenPrices() throws {
    let paywalls = (Samples.config["paywall_responses"]?.elements ?? []).map { paywall -> Value in
      guard paywall["identifier"] == "pw_gated" else { return paywall }
      let product: Value = [
        "reference_name": "primary",
        "store_product": [
          "product_identifier": .string(Samples.year.id), "store": "APP_STORE",
        ], "entitlements": [], "display_price": "$49.99", "display_period": "year",
      ]
      return paywall.merging(patch: ["products_v2": [product], "products_v3": .null])
    }
    var run = StateRun()
    run.configure(Samples.config.merging(patch: ["paywall_responses": .list(paywalls)]))
    run.call(
      .registerPlacement(
        PlacementRequest(
          placement: "gated", params: .map([]), handlerID: "h", isFeatureGatable: true)))
    for case .loadProducts(let token, _) in run.take() {
      run.handle(.products(token, .success([])))
    }
    for case .askPresenter(let token) in run.take() { run.handle(.canPresent(token, true)) }
    var shown: [String: ProductAttributes] = [:]
    for case .present(let content) in run.take() { shown = content.attributes }
    #expect(shown[Samples.year.id]?["price"] == "$49.99")
    #expect(shown[Samples.year.id]?["period"] == "year")
  }

  /// A promotional offer goes with the purchase, which then starts no trial.
  @Test func promotionalOffers() throws {
    let offer = PromotionalOffer(
      id: "half", keyID: "key", nonce: "n", signature: [1, 2], timestamp: 3)
    var run = StateRun()
    run.configure(purchases: .store)
    run.present("gated", store: [Samples.month])
    run.report(.purchase(productID: Samples.month.id, shouldDismiss: true, offer: offer))
    var requests: [PurchaseRequest] = []
    for case .purchase(let token, let request, _) in run.take() {
      requests.append(request)
      run.handle(.purchaseFinished(token, StorePurchase(.purchased)))
    }
    for case .loadOwnedProducts(let token) in run.effects {
      run.handle(.ownedProducts(token, .success([OwnedProduct(Samples.month.id)])))
    }
    #expect(requests.map(\.promotionalOffer) == [offer])
    #expect(run.take().tracked.contains(.subscriptionStart))
  }

  @Test(
    arguments: [
      ("AUTOMATIC", true, true), ("AUTOMATIC", false, false), ("ALWAYS_ELIGIBLE", false, true),
      ("ALWAYS_INELIGIBLE", true, false),
    ])
  func inTheAppStore(eligibility: String, isEligible: Bool, expected: Bool) throws {
    var product = Samples.month
    product.isEligibleForOffer = isEligible
    #expect(try startsTrial(product, eligibility) == expected)
    #expect(try startsTrial(Samples.year, eligibility) == false)
  }

  /// Apple grants no offer to those who change within a group.
  @Test func notWithinAGroup() throws {
    var (month, year) = (Samples.month, Samples.year)
    month.priced.subscriptionGroupID = "pro"
    #expect(try startsTrial(month, owned: [year]))
    year.priced.subscriptionGroupID = "pro"
    #expect(try startsTrial(month, owned: [year]) == false)
    #expect(try startsTrial(month, "ALWAYS_ELIGIBLE", owned: [year]))
  }

  /// Google Play shows no offer to those who may not have it.
  @Test func inGooglePlay() throws {
    var product = Samples.month
    product.priced.store = .playStore
    #expect(try startsTrial(product, "ALWAYS_INELIGIBLE", on: .android))
    product.priced.intro = nil
    #expect(try startsTrial(product, "ALWAYS_ELIGIBLE", on: .android) == false)
  }

  /// Nobody who had what the product gives gets a trial on the web; on Android the paywall decides.
  @Test func onTheWeb() throws {
    var product = Samples.product(Self.web, "9.99", period: Period(.month, 1))
    product.priced.store = .stripe
    #expect(try startsTrial(product) == false)
    product.priced.trialDays = 7
    #expect(try startsTrial(product))
    #expect(product.introductoryOffer?.period == Period(.day, 7))
    let active = SubscriptionStatus.active([Entitlement(id: "pro")])
    #expect(try startsTrial(product, status: active) == false)
    #expect(try startsTrial(product, status: .unknown) == false)
    #expect(try startsTrial(product, "ALWAYS_ELIGIBLE", status: active) == false)
    #expect(try startsTrial(product, "ALWAYS_ELIGIBLE", on: .android, status: active))
  }
}
