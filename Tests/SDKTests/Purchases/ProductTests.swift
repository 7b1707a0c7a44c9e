import Expressions
import Testing

@testable import SDK

@Suite("Product texts")
struct ProductTextsTests {
  /// The iOS SDK's attributes of 9.99 USD a month with a week's trial.
  @Test func monthWithTrial() {
    let texts = ProductTexts.texts(of: Samples.month)
    let wanted = [
      "price": "$9.99", "rawPrice": "9.99", "period": "month", "periodly": "monthly",
      "periodDays": "30", "periodWeeks": "4", "periodMonths": "1", "periodYears": "0",
      "dailyPrice": "$0.32", "weeklyPrice": "$2.30", "monthlyPrice": "$9.99",
      "yearlyPrice": "$119.88", "trialPeriodDays": "7", "trialPeriodWeeks": "1",
      "trialPeriodMonths": "0", "trialPeriodText": "7-day", "trialPeriodPrice": "$0.00",
      "rawTrialPeriodPrice": "0", "languageCode": "en", "currencyCode": "USD",
    ]
    for (name, text) in wanted { #expect(texts[name] == text, "\(name)") }
  }

  @Test func yearAndOneTime() {
    let year = ProductTexts.texts(of: Samples.year)
    #expect(year["monthlyPrice"] == "$4.99" && year["weeklyPrice"] == "$1.15")
    #expect(year["periodly"] == "yearly" && year["trialPeriodText"] == "")
    let coins = ProductTexts.texts(of: Samples.coins)
    #expect(coins["monthlyPrice"] == "n/a" && coins["period"] == "" && coins["periodDays"] == "0")
  }

  /// Prices in the millions do not overflow.
  @Test func largePrices() {
    var product = Samples.year
    product.priceMicros = .max / 2
    #expect(ProductTexts.texts(of: product)["dailyPrice"]?.hasPrefix("$") == true)
  }

  @Test func trialEnds() {
    func end(_ unit: SubscriptionPeriod.Unit, _ count: Int, _ now: Int64) -> Int64 {
      ProductTexts.end(
        of: .init(mode: .freeTrial, period: .init(unit: unit, count: count)), from: now)
    }
    let day: Int64 = 86_400_000
    #expect(end(.day, 7, Samples.start) == Samples.start + 7 * day)
    #expect(end(.month, 1, Samples.start) == Samples.start + 31 * day)
    // 31 January and a month is the last day of February.
    let january31 = Samples.start + 30 * day
    #expect(end(.month, 1, january31) == Samples.start + (31 + 27) * day)
    #expect(end(.year, 1, Samples.start) == Samples.start + 365 * day)
  }

  @Test func eventsCarryTheProduct() {
    let value = TransactionProduct(Samples.month, now: Samples.start).value
    #expect(
      value["price"] == .double(9.99) && value["trialPeriodEndDate"] == "2026-01-08T00:00:00Z")
    #expect(value["subscriptionPeriod"]?["unit"] == "month" && value["periodDays"] == 30)
    #expect(value["regionCode"] == "US" && value["hasFreeTrial"] == true)
    let coins = TransactionProduct(Samples.coins, now: Samples.start).value
    #expect(coins["subscriptionPeriod"] == .null && coins["trialPeriodEndDate"] == .null)
  }
}

@Suite("StoreKit configuration")
struct StoreKitConfigurationTests {
  @Test func readsProductsAndOffers() throws {
    let configuration = try StoreKitConfiguration(Samples.file("sdk/fixtures/Products.storekit"))
    let byID = Dictionary(uniqueKeysWithValues: configuration.products.map { ($0.id, $0) })
    #expect(byID.count == 5)
    let month = try #require(byID["com.tollgate.pro.month"])
    #expect(month.priceMicros == 9_990_000 && month.period == .init(unit: .month, count: 1))
    #expect(month.introductoryOffer == Samples.month.introductoryOffer)
    #expect(month.subscriptionGroupID == "21482456" && month.locale == "en_US")
    let year = try #require(byID["com.tollgate.pro.year"])
    #expect(year.introductoryOffer?.mode == .payUpFront)
    #expect(year.introductoryOffer?.priceMicros == 29_990_000 && year.isFamilyShareable)
    #expect(byID["com.tollgate.pro.week"]?.introductoryOffer?.periods == 3)
    #expect(byID["com.tollgate.coins"]?.period == nil)
    #expect(byID["com.tollgate.coins"]?.priceMicros == 1_990_000)
  }

  @Test(arguments: ["", "[]", "{", "7"])
  func refusesWhatIsNone(text: String) {
    #expect(throws: StoreKitConfiguration.Fault.self) { try StoreKitConfiguration(text.utf8) }
  }

  @Test func survivesBrokenProducts() throws {
    let text =
      #"{"products":[1,{"productID":"a"},{"productID":"b","displayPrice":"1,99"},{"productID":"c","displayPrice":"2"}]}"#
    #expect(try StoreKitConfiguration(text.utf8).products.map(\.id) == ["c"])
  }

  @Test(
    arguments: [
      ("P1M", SubscriptionPeriod(unit: .month, count: 1)), ("P7D", .init(unit: .day, count: 7)),
      ("P2W", .init(unit: .week, count: 2)), ("P1Y", .init(unit: .year, count: 1)), ("P0M", nil),
      ("1M", nil), ("P1H", nil), ("PM", nil), ("P-1M", nil), ("", nil),
    ] as [(String, SubscriptionPeriod?)])
  func periods(text: String, period: SubscriptionPeriod?) {
    #expect(SubscriptionPeriod(iso8601: text) == period)
  }

  /// A flow with the products of an app's own file, on any platform.
  @Test func itsProductsCanBeBought() async throws {
    let file = try StoreKitConfiguration(Samples.file("sdk/fixtures/Products.storekit"))
    let app = TestApp(products: file.products)
    let trials = Recorder<TransactionProduct>()
    await app.tollgate.observe { event in
      if case .handleSuperwallEvent(.freeTrialStart(let product, _)) = event { trials.add(product) }
    }
    try await app.tollgate.configure(apiKey: "pk")
    let task = Task { await app.tollgate.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    app.presenter.handle?.purchaseTapped("com.tollgate.pro.month")
    #expect(await task.value.featureGranted)
    #expect(trials.all.map(\.product.id) == ["com.tollgate.pro.month"])
    #expect(try await app.store.ownedProducts() == ["com.tollgate.pro.month"])
    #expect(await app.tollgate.subscriptionStatus.isActive)
  }
}

@Suite("Google Play")
struct PlayStoreTests {
  private typealias Phase = PlayProductDetails.PricingPhase
  private typealias Offer = PlayProductDetails.Offer

  private static let month = Phase(
    priceMicros: 9_990_000, currencyCode: "EUR", formattedPrice: "9,99 €", billingPeriod: "P1M",
    cycles: 0)
  private static func free(_ period: String) -> Phase {
    Phase(
      priceMicros: 0, currencyCode: "EUR", formattedPrice: "0", billingPeriod: period, cycles: 1)
  }

  private static let pro = PlayProductDetails(
    productID: "pro",
    offers: [
      Offer(basePlanID: "monthly", offerID: nil, offerToken: "base", phases: [month]),
      Offer(
        basePlanID: "monthly", offerID: "week", offerToken: "t7", phases: [free("P1W"), month]),
      Offer(
        basePlanID: "monthly", offerID: "twoweeks", offerToken: "t14",
        phases: [free("P14D"), month]),
    ])
  private static let coins = PlayProductDetails(
    productID: "coins",
    oneTimePrice: Phase(
      priceMicros: 1_990_000, currencyCode: "EUR", formattedPrice: "1,99 €", billingPeriod: "",
      cycles: 0))

  /// A billing library that answers what it is told.
  private struct Billing: PlayBilling {
    var result = PlayBillingResult.userCancelled
    var owned: [PlayPurchase] = []
    var isDown = false
    let calls = Recorder<String>()

    private func ask(_ call: String) throws(StoreError) {
      calls.add(call)
      if isDown { throw StoreError("down") }
    }

    func queryProductDetails(_ productIDs: [String]) async throws(StoreError)
      -> [PlayProductDetails]
    {
      try ask("query")
      return [PlayStoreTests.pro, PlayStoreTests.coins].filter { productIDs.contains($0.productID) }
    }
    func launchBillingFlow(productID: String, offerToken: String?) async -> PlayBillingResult {
      calls.add("buy \(productID) \(offerToken ?? "-")")
      return result
    }
    func queryPurchases() async throws(StoreError) -> [PlayPurchase] {
      try ask("purchases")
      return owned
    }
    func acknowledge(purchaseToken: String) async throws(StoreError) {
      try ask("acknowledge \(purchaseToken)")
    }
    func consume(purchaseToken: String) async throws(StoreError) {
      try ask("consume \(purchaseToken)")
    }
    func purchaseUpdates() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  }

  @Test func choosesTheLongestTrial() async throws {
    let products = try await PlayStore(Billing()).products(["pro", "coins", "ghost"])
    #expect(products.map(\.id) == ["pro", "coins"])
    #expect(products[0].basePlanID == "monthly" && products[0].offerID == "twoweeks")
    #expect(products[0].introductoryOffer?.period == .init(unit: .day, count: 14))
    #expect(products[0].period == .init(unit: .month, count: 1))
    #expect(products[0].displayPrice == "9,99 €" && products[0].store == .playStore)
    #expect(products[1].period == nil && products[1].basePlanID == "")
  }

  @Test func buysTheOfferThatIsNamed() async {
    var billing = Billing()
    billing.result = .purchased(PlayPurchase(productIDs: ["pro"], purchaseToken: "t", orderID: "o"))
    let request = PurchaseRequest(
      productID: "pro", store: .playStore, platform: .android, basePlanID: "monthly",
      offerID: "week")
    let purchase = await PlayStore(billing).purchase(request)
    #expect(purchase.result == .purchased && purchase.transaction?.purchaseToken == "t")
    #expect(billing.calls.all == ["query", "buy pro t7", "acknowledge t"])
  }

  @Test(arguments: [
    (PlayBillingResult.userCancelled, PurchaseResult.cancelled), (.itemAlreadyOwned, .restored),
    (.error(code: 6, message: "no"), .failed("no")),
    (.purchased(PlayPurchase(productIDs: [], purchaseToken: "t", isPurchased: false)), .pending),
  ])
  func resultsOfTheDialog(result: PlayBillingResult, expected: PurchaseResult) async {
    var billing = Billing()
    billing.result = result
    let purchase = await PlayStore(billing).purchase(PurchaseRequest(productID: "coins"))
    #expect(purchase.result == expected)
  }

  @Test func ownedRestoredConsumed() async throws {
    var billing = Billing()
    billing.owned = [
      PlayPurchase(productIDs: ["pro"], purchaseToken: "a"),
      PlayPurchase(productIDs: ["coins"], purchaseToken: "b", isPurchased: false),
    ]
    let store = PlayStore(billing)
    #expect(try await store.ownedProducts() == ["pro"])
    #expect(await store.restorePurchases() == .restored)
    #expect(try await store.consume("b") == "b")
    billing.isDown = true
    await #expect(throws: StoreError.self) { try await PlayStore(billing).ownedProducts() }
    #expect(await PlayStore(billing).restorePurchases() == .failed("down"))
    #expect(
      await PlayStore(billing).purchase(PurchaseRequest(productID: "pro")).result == .failed("down")
    )
  }
}
