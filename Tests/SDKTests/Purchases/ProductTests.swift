import Expressions
import Pricing
import Testing

@testable import SDK

@Suite("Texts about products")
struct ProductTextTests {
  private func written(
    _ product: StoreProduct, on platform: Platform = .ios, zone: String = "UTC",
    device: String = "en_US"
  ) -> TransactionProduct {
    TransactionProduct(
      product, on: platform,
      in: PricingContext(now: Samples.start, timeZone: zone, deviceLocale: device))
  }

  /// The iOS SDK's attributes of 9.99 USD a month with a week's trial.
  @Test func monthWithTrial() {
    let texts = written(Samples.month).texts
    let wanted = [
      "price": "$9.99", "rawPrice": "9.99", "period": "month", "periodly": "monthly",
      "localizedPeriod": "1 mth", "periodDays": "30", "periodWeeks": "4", "periodMonths": "1",
      "periodYears": "0", "dailyPrice": "$0.32", "weeklyPrice": "$2.30", "monthlyPrice": "$9.99",
      "yearlyPrice": "$119.88", "trialPeriodDays": "7", "trialPeriodWeeks": "1",
      "trialPeriodMonths": "0", "trialPeriodText": "7-day", "trialPeriodPrice": "$0.00",
      "trialPeriodEndDate": "Jan 8, 2026", "rawTrialPeriodPrice": "0", "languageCode": "en",
      "currencyCode": "USD", "currencySymbol": "$",
    ]
    for (name, text) in wanted { #expect(texts[name] == text, "\(name)") }
  }

  /// The contract's JSON has the texts by their names, and numbers where it wants numbers.
  @Test func theJSONOfAMonthWithTrial() {
    let value = written(Samples.month).value
    let texts = [
      "id": "com.tollgate.pro.month", "productIdentifier": "com.tollgate.pro.month",
      "fullIdentifier": "com.tollgate.pro.month", "localizedPrice": "$9.99",
      "localizedSubscriptionPeriod": "1 mth", "localizedTrialPeriodPrice": "$0.00",
      "trialPeriodEndDateString": "Jan 8, 2026", "trialPeriodEndDate": "2026-01-08T00:00:00Z",
      "locale": "en_US", "languageCode": "en", "currencyCode": "USD", "currencySymbol": "$",
      "regionCode": "US", "period": "month", "periodly": "monthly", "dailyPrice": "$0.32",
      "weeklyPrice": "$2.30", "monthlyPrice": "$9.99", "yearlyPrice": "$119.88",
      "trialPeriodText": "7-day", "periodDaysString": "30", "periodWeeksString": "4",
      "periodMonthsString": "1", "periodYearsString": "0", "trialPeriodDaysString": "7",
      "trialPeriodWeeksString": "1", "trialPeriodMonthsString": "0", "trialPeriodYearsString": "0",
    ]
    for (name, text) in texts { #expect(value[name]?.text == text, "\(name)") }
    let numbers = [
      "periodDays": 30, "periodWeeks": 4, "periodMonths": 1, "periodYears": 0,
      "trialPeriodDays": 7, "trialPeriodWeeks": 1, "trialPeriodMonths": 0, "trialPeriodYears": 0,
    ]
    for (name, number) in numbers { #expect(value[name]?.wholeNumber == number, "\(name)") }
    #expect(value["price"] == .double(9.99) && value["trialPeriodPrice"] == .double(0))
    #expect(value["hasFreeTrial"] == true && value["isFamilyShareable"] == false)
    #expect(value["subscriptionPeriod"] == ["unit": "month", "value": 1])
    #expect(value["subscriptionGroupIdentifier"] == .null)
    #expect(written(Samples.year).value["hasFreeTrial"] == false)
  }

  @Test func yearAndOneTime() {
    let year = written(Samples.year).texts
    #expect(year["monthlyPrice"] == "$4.99" && year["weeklyPrice"] == "$1.15")
    #expect(year["periodly"] == "yearly" && year["trialPeriodText"] == "")
    let coins = written(Samples.coins).texts
    #expect(coins["monthlyPrice"] == "n/a" && coins["period"] == "" && coins["periodDays"] == "0")
  }

  /// Digits, separators and symbols are those of currency and locale.
  @Test(
    arguments: [
      ("980", "JPY", "en_US", "¥980", "¥82"), ("980", "JPY", "ja_JP", "¥980", "¥82"),
      ("1.5", "KWD", "en_US", "KWD\u{A0}1.500", "KWD\u{A0}0.120"),
      ("59.99", "EUR", "de_DE", "59,99\u{A0}€", "4,99\u{A0}€"),
      ("149000", "IDR", "id_ID", "Rp149.000", "Rp12.417"),
      ("120000", "INR", "hi_IN", "₹1,20,000.00", "₹10,000.00"),
      ("59.99", "USD", "de_CH", "$\u{A0}59.99", "$\u{A0}4.99"),
    ])
  func anyCurrency(
    price: String, code: String, locale: String, text: String, monthly: String
  ) throws {
    let product = Samples.product(
      "p", price, try #require(Currency(code)), locale: locale, period: Period(.year, 1))
    let written = written(product)
    #expect(written.texts["price"] == text)
    #expect(written.texts["monthlyPrice"] == monthly)
    #expect(written.value["localizedPrice"]?.text == text)
    #expect(written.value["monthlyPrice"]?.text == monthly)
    #expect(written.value["attributes"]?["price"]?.text == text)
  }

  /// Each platform's SDK has its own words, digits and locale.
  @Test func followThePlatformAndTheStore() {
    var product = Samples.product(
      "p", "10", locale: "de_DE", period: Period(.month, 1), trial: Period(.day, 7))
    let ios = written(product, device: "en_US").texts
    #expect(ios["rawPrice"] == "10" && ios["price"] == "10,00\u{A0}$")
    #expect(ios["trialPeriodEndDate"] == "Jan 8, 2026" && ios["billingPlanType"] == "")
    let android = written(product, on: .android, device: "en_US").texts
    #expect(android["rawPrice"] == "10.00" && android["price"] == "$10.00")
    #expect(android["trialPeriodEndDate"] == "Jan 08, 2026" && android["billingPlanType"] == nil)
    #expect(android["localizedPeriod"] == "1 month")
    product.priced.store = .stripe
    #expect(written(product).texts["period"] == "month")
    #expect(written(product, on: .android).texts["period"] == "P1MONTH")
    product.priced.store = .custom
    #expect(written(product).attributes?.profile == .iosAPI)
    #expect(written(product, on: .android).attributes?.profile == .androidTest)
  }

  /// What cannot be said is empty, and the event is as the contract has it.
  @Test(arguments: [Int64.max, .min])
  func pricesOutOfRange(micros: Int64) {
    var product = Samples.month
    product.priced.price = Money(micros: micros, .usd)
    product.priced.displayPrice = "a lot"
    product.priced.intro = Period(.day, Period.maximumCount).map {
      IntroductoryOffer(.payAsYouGo, $0, cycles: .max, micros: micros)
    }
    let value = written(product).value
    #expect(written(product).attributes == nil)
    #expect(value["localizedPrice"] == "a lot" && value["yearlyPrice"] == "")
    #expect(value["fullIdentifier"]?.text == product.id && value["attributes"] == .map([]))
    product.priced.price = nil
    #expect(written(product).value["price"] == .double(0))
  }

  /// By the calendar of the device's time zone.
  @Test func trialEnds() {
    func end(_ period: Period?, from day: Int64 = 0, zone: String = "UTC") -> Int64? {
      let now = Samples.start + day * 86_400_000
      let product = Samples.product("p", "1", period: Period(.month, 1), trial: period)
      let context = PricingContext(now: now, timeZone: zone)
      return TransactionProduct(product, on: .ios, in: context).trialEnd.map { $0 - now }
    }
    let day: Int64 = 86_400_000
    #expect(end(Period(.day, 7)) == 7 * day)
    #expect(end(Period(.month, 1)) == 31 * day)
    // 31 January and a month is the last day of February.
    #expect(end(Period(.month, 1), from: 30) == 28 * day)
    #expect(end(Period(.year, 1)) == 365 * day)
    // Clocks go forward on 29 March 2026.
    #expect(end(Period(.day, 7), from: 85, zone: "Europe/Berlin") == 7 * day - 3_600_000)
    #expect(end(nil) == nil)
    // A clock that says anything.
    for now in [Instant.distantPast, .distantFuture] {
      let written = TransactionProduct(Samples.month, on: .android, in: PricingContext(now: now))
      #expect(written.trialEnd != nil && written.value["trialPeriodEndDate"] == .null)
    }
  }

  @Test func eventsCarryTheProduct() {
    let value = written(Samples.month).value
    #expect(
      value["price"] == .double(9.99) && value["trialPeriodEndDate"] == "2026-01-08T00:00:00Z")
    #expect(value["subscriptionPeriod"]?["unit"] == "month" && value["periodDays"] == 30)
    #expect(value["regionCode"] == "US" && value["hasFreeTrial"] == true)
    let coins = written(Samples.coins).value
    #expect(coins["subscriptionPeriod"] == .null && coins["trialPeriodEndDate"] == .null)
  }

  /// Hosts and apps get what a paywall can say, in the words of the device.
  @Test func reachTheHost() async throws {
    var facts = DeviceFacts()
    facts.timeZone = "Atlantis/Capital"
    facts.locale = "de_DE"
    let yen = try #require(Currency("JPY"))
    let products = [
      Samples.product(
        Samples.month.id, "980", yen, locale: "ja_JP", period: Period(.month, 1),
        trial: Period(.day, 7)),
      Samples.product(Samples.year.id, "9000000000000", yen, period: Period(.day, 1)),
    ]
    let app = TestApp(products: products, device: facts)
    let logs = Recorder<String>()
    await app.tollgate.observe { event in
      if case .handleLog(let line) = event { logs.add(line.message ?? "") }
    }
    try await app.tollgate.configure(apiKey: "pk")
    let task = Task { await app.tollgate.register(placement: "gated") }
    try await app.waitForPaywall("pw_gated")
    let presentation = try #require(app.presenter.presentation)
    #expect(Array(presentation.attributes.keys) == [Samples.month.id])
    let attributes = presentation.attributes[Samples.month.id]
    #expect(attributes?["price"] == "¥980" && attributes?["localizedPeriod"] == "1 Mon.")
    #expect(attributes?["trialPeriodEndDate"] == "08.01.2026")
    #expect(await app.tollgate.attributes(of: products[0]) == attributes)
    #expect(await app.tollgate.attributes(of: products[1]) == nil)
    let left = logs.all.filter { $0.contains("'\(Samples.year.id)'") }
    #expect(left.count == 1)
    app.presenter.handle?.closeTapped()
    _ = await task.value
  }
}

@Suite("StoreKit configuration")
struct StoreKitConfigurationTests {
  @Test func readsProductsAndOffers() throws {
    let configuration = try StoreKitConfiguration(Samples.file("sdk/fixtures/Products.storekit"))
    let byID = Dictionary(uniqueKeysWithValues: configuration.products.map { ($0.id, $0) })
    #expect(byID.count == 5)
    let month = try #require(byID["com.tollgate.pro.month"])
    #expect(month.price == Samples.month.price && month.period == Period(.month, 1))
    #expect(month.introductoryOffer?.period == Period(.day, 7))
    #expect(month.priced.subscriptionGroupID == "21482456" && month.priced.locale == "en_US")
    let year = try #require(byID["com.tollgate.pro.year"])
    #expect(year.introductoryOffer?.mode == .payUpFront)
    #expect(year.introductoryOffer?.micros == 29_990_000 && year.priced.isFamilyShareable)
    #expect(byID["com.tollgate.pro.week"]?.introductoryOffer?.cycles == 3)
    #expect(byID["com.tollgate.coins"]?.period == nil)
    #expect(byID["com.tollgate.coins"]?.price == Samples.coins.price)
    #expect(configuration.diagnostics.filter { $0.severity != .note } == [])
  }

  @Test(arguments: ["", "[]", "{", "7", #"{"products":[]}"#, #"{"data":[]}"#])
  func refusesWhatIsNone(text: String) {
    #expect(throws: StoreKitConfiguration.Fault.self) { try StoreKitConfiguration(text.utf8) }
  }

  @Test func survivesBrokenProducts() throws {
    let text =
      #"{"subscriptionGroups":[],"products":[1,{"productID":"a"},{"productID":"b","displayPrice":"1,99"},{"productID":"c","displayPrice":"2"}]}"#
    let configuration = try StoreKitConfiguration(text.utf8)
    #expect(configuration.products.map(\.id) == ["c"])
    #expect(
      configuration.diagnostics.map(\.path) == [
        "products[0]", "products[1]", "products[2].displayPrice",
      ])
  }

  /// The currency is that of the storefront, whichever country it is.
  @Test(arguments: [("KWT", "KWD"), ("JPN", "JPY"), ("POL", "PLN"), ("DEU", "EUR")])
  func currencies(storefront: String, code: String) throws {
    let text =
      #"{"subscriptionGroups":[],"settings":{"_storefront":"\#(storefront)"},"products":[{"productID":"c","displayPrice":"2"}]}"#
    #expect(try StoreKitConfiguration(text.utf8).products.first?.price?.currency.code == code)
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
      return [PlayStoreTests.pro, PlayStoreTests.plans, PlayStoreTests.coins].filter {
        productIDs.contains($0.productID)
      }
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
    #expect(products[0].introductoryOffer?.period == Period(.day, 14))
    #expect(products[0].period == Period(.month, 1))
    #expect(products[0].displayPrice == "9,99 €" && products[0].store == .playStore)
    #expect(products[0].priced.fullIdentifier == "pro:monthly:twoweeks")
    #expect(products[1].period == nil && products[1].basePlanID == nil)
  }

  private static let year = Phase(
    priceMicros: 79_990_000, currencyCode: "EUR", formattedPrice: "79,99 €", billingPeriod: "P1Y",
    cycles: 0)
  private static let plans = PlayProductDetails(
    productID: "plans",
    offers: [
      Offer(basePlanID: "monthly", offerID: nil, offerToken: "m", phases: [month]),
      Offer(
        basePlanID: "monthly", offerID: "week", offerToken: "m7", phases: [free("P1W"), month]),
      Offer(
        basePlanID: "monthly", offerID: "hidden", offerToken: "m90",
        phases: [free("P90D"), month], tags: ["sw-ignore-offer"]),
      Offer(basePlanID: "yearly", offerID: nil, offerToken: "y", phases: [year]),
    ])

  /// Two plans of one product of the store are two products, which each have a price of their own.
  @Test func plansAndOffersAreApart() async throws {
    let identifiers = [
      "plans:yearly:sw-auto", "plans:monthly:sw-auto", "plans:monthly:sw-none",
      "plans:monthly:gone", "plans:weekly",
    ]
    let products = try await PlayStore(Billing()).products(identifiers)
    #expect(products.map(\.id) == Array(identifiers.dropLast()))
    #expect(products.allSatisfy { $0.priced.identifier == "plans" })
    #expect(products.map(\.displayPrice) == ["79,99 €", "9,99 €", "9,99 €", "9,99 €"])
    #expect(products.map(\.offerID) == [nil, "week", nil, nil])
    #expect(products[0].period == Period(.year, 1) && products[1].period == Period(.month, 1))
  }

  @Test(
    arguments: [
      ("monthly", "week", "m7"), ("monthly", nil, "m"), ("monthly", "gone", "m"),
      ("yearly", nil, "y"), ("weekly", nil, nil),
    ] as [(String, String?, String?)])
  func buysOfThePlanThatIsNamed(plan: String, offer: String?, token: String?) async {
    let billing = Billing()
    let request = PurchaseRequest(
      productID: "plans", store: .playStore, platform: .android, basePlanID: plan, offerID: offer)
    let purchase = await PlayStore(billing).purchase(request)
    #expect(billing.calls.all == ["query"] + (token.map { ["buy plans \($0)"] } ?? []))
    if token == nil {
      #expect(
        purchase.result == .failed("Google Play does not have the base plan 'weekly' of 'plans'"))
    }
  }

  /// The contract knows purchases on two platforms; the web's are those of the store that sells.
  @Test func requestsFitTheContract() {
    func request(_ store: PricedProduct.Store, _ platform: Platform) -> Value {
      var product = PricedProduct(
        identifier: "p", store: store, price: Money(micros: 1, .usd), locale: "en_US")
      product.fullIdentifier = "p:monthly:week"
      return PurchaseRequest(
        StoreProduct(product, id: "p:monthly"), on: platform, startsTrial: true
      )
      .value
    }
    let play: Value = [
      "productId": "p", "platform": "android", "basePlanId": "monthly", "offerId": "week",
    ]
    let apple: Value = ["productId": "p", "platform": "ios", "store": "APP_STORE"]
    #expect(request(.playStore, .android) == play && request(.playStore, .web) == play)
    #expect(request(.appStore, .ios) == apple && request(.appStore, .web) == apple)
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
