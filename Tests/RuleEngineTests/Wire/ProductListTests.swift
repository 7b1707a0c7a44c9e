import Expressions
import RuleEngine
import TestSupport
import Testing

@Suite("Lists of products")
struct ProductListTests {
  private func decode(_ json: String) -> Compilation<ProductList> {
    ProductList.decode(json: json.utf8)
  }

  @Test func readTheirOwnFormat() throws {
    let decoded = decode(
      """
      {"products":[{"slot":"primary","label":"Yearly","identifier":"com.x.year",
        "store":"APP_STORE","price":"59.99","currency":"EUR","locale":"de_DE",
        "displayPrice":"59,99 €","period":{"unit":"year","count":1},
        "intro":{"mode":"payAsYouGo","unit":"month","count":1,"cycles":3,"price":0.99},
        "entitlements":["pro",{"identifier":"plus"}]},
       {"identifier":"b","price":4.99,"currency":"USD","period":"P1Y2M","storefront":"USA"}]}
      """)
    // 14 months are 60 weeks in one of the SDKs, which is worth a note.
    #expect(decoded.diagnostics.map(\.severity) == [.note])
    let list = try #require(decoded.output)
    #expect(list.format == .products)
    let first = list.products[0]
    #expect(first.price == Money(micros: 59_990_000, try #require(Currency("EUR"))))
    #expect(first.period == Period(.year, 1))
    #expect(first.intro?.mode == .payAsYouGo)
    #expect(first.intro?.cycles == 3)
    #expect(first.intro?.micros == 990_000)
    #expect(first.entitlements == ["pro", "plus"])
    #expect(first.path == "products[0]")
    #expect(list.products[1].price?.micros == 4_990_000)
    #expect(list.products[1].period == Period(.month, 14))
    #expect(list.products[1].isoPeriod == ISOPeriod("P1Y2M"))
  }

  /// The currency is known without a price, and what is no key is told.
  @Test func readWhatHasNoPrice() throws {
    let decoded = decode(#"[{"identifier":"a","currency":"EUR","pric":"1"}]"#)
    #expect(decoded.output?.products.first?.currency?.code == "EUR")
    #expect(decoded.diagnostics.contains { $0.message.contains("'pric'") })
    #expect(ISOPeriod("P1Y2M") != nil && ISOPeriod("P2M1Y") == nil && ISOPeriod("P1Y1Y") == nil)
  }

  /// Numbers are read from their text: as a Double the price would be another.
  @Test func readPricesFromTheTextOfNumbers() throws {
    let decoded = decode(
      #"{"products":[{"identifier":"a","price":9007199254.740993},{"identifier":"b","price":1e3}]}"#
    )
    #expect(decoded.output?.products[0].price?.micros == 9_007_199_254_740_993)
    #expect(decoded.output?.products[1].price?.micros == 1_000_000_000)
  }

  /// As the document of Superwall's SDKs has them, and as AgentWallie's.
  @Test func readProductsOfOtherDocuments() throws {
    let decoded = decode(
      """
      {"products":[
       {"productId":"live:price_123:no-trial","store":"stripe","rawPrice":"9.99","currency":"USD","period":"month",
        "entitlements":[{"identifier":"pro_example","type":"SERVICE_LEVEL"}],"trialPeriodDays":7},
       {"name":"Pro Yearly","store":"apple","storeProductId":"com.myapp.pro.yearly",
        "entitlements":["pro"],"displayPrice":"$49.99","displayPeriod":"year"},
       {"id":"p","name":"Pro","store":"apple","store_product_id":"com.myapp.pro",
        "entitlements":["pro","premium_content"],"display_price":"$1","display_period":"month"}]}
      """)
    // The identifier of the first says that there is no trial.
    #expect(decoded.diagnostics.map(\.code) == [.trialContradiction])
    let products = try #require(decoded.output).products
    #expect(
      products.map(\.identifier)
        == ["live:price_123:no-trial", "com.myapp.pro.yearly", "com.myapp.pro"])
    #expect(products[0].store == .stripe)
    #expect(products[0].price?.micros == 9_990_000)
    #expect(products[0].period == Period(.month, 1))
    #expect(products[0].trialDays == 7)
    #expect(products[0].entitlements == ["pro_example"])
    #expect(products[1].label == "Pro Yearly")
    #expect(products[1].displayPrice == "$49.99")
    #expect(products[1].displayPeriod == "year")
    #expect(products[2].configID == "p")
    #expect(products[2].displayPrice == "$1")
    #expect(products[2].displayPeriod == "month")
  }

  /// Where both stand, our own key counts; a raw price in whole numbers is in minor units.
  @Test func preferTheirOwnKeys() throws {
    let decoded = decode(
      """
      {"products":[{"identifier":"a","productId":"b","price":"1","rawPrice":"2","currency":"USD"},
       {"identifier":"c","rawPrice":999,"currency":"USD","period":"YEAR"},
       {"identifier":"d","rawPrice":980,"currency":"JPY"},
       {"identifier":"e","rawPrice":"x","currency":"USD"},{"identifier":"f","period":"fortnight"},
       {"identifier":"g","trialPeriodDays":-1}]}
      """)
    let products = try #require(decoded.output).products
    #expect(products.map(\.identifier) == ["a", "c", "d"])
    #expect(products.map { $0.price?.micros } == [1_000_000, 9_990_000, 980_000_000])
    #expect(products[1].period == Period(.year, 1))
    #expect(decoded.diagnostics.map(\.path).contains("products[5].trialPeriodDays"))
    #expect(decoded.diagnostics.count == 3)
  }

  @Test func readAStoreKitConfigurationFile() throws {
    let decoded = decode(
      """
      {"identifier":"1","nonRenewingSubscriptions":[],"version":{"major":4,"minor":0},
       "settings":{"_storefront":"DEU","_locale":"de_DE"},
       "products":[{"displayPrice":"0.99","productID":"coins","type":"Consumable",
         "localizations":[{"displayName":"Münzen","locale":"de"}]}],
       "subscriptionGroups":[{"id":"g","name":"G","subscriptions":[
         {"displayPrice":"4.99","productID":"pro.month","recurringSubscriptionPeriod":"P1M",
          "referenceName":"Monthly","localizations":[{"displayName":"","locale":"en_US"}],
          "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W","numberOfPeriods":1}},
         {"displayPrice":"49.99","productID":"pro.year","recurringSubscriptionPeriod":"P1Y",
          "introductoryOffer":{"paymentMode":"payUpFront","subscriptionPeriod":"P3M",
            "displayPrice":"9.99"}}]}]}
      """)
    #expect(decoded.diagnostics.filter { $0.severity != .note } == [])
    let list = try #require(decoded.output)
    #expect(list.format == .storeKit)
    #expect(list.products.map(\.identifier) == ["coins", "pro.month", "pro.year"])
    #expect(list.products.map(\.label) == ["Münzen", "Monthly", nil])
    #expect(list.products[0].price == Money(micros: 990_000, try #require(Currency("EUR"))))
    #expect(list.products[0].period == nil)
    #expect(list.products[1].intro == expectedFree())
    #expect(list.products[2].intro?.micros == 9_990_000)
    #expect(list.products[2].intro?.mode == .payUpFront)
    #expect(list.products[2].locale == "de_DE")
    #expect(list.products[2].path == "subscriptionGroups[0].subscriptions[1]")
  }

  private func expectedFree() -> IntroductoryOffer? {
    guard let week = Period(.week, 1) else { return nil }
    var offer = IntroductoryOffer(.freeTrial, week)
    offer.isoPeriod = ISOPeriod("P1W")
    return offer
  }

  /// A whole number is minor units, one with a fraction or an exponent is units.
  @Test(
    arguments: [
      ("9.99", "USD", 9_990_000), ("999", "USD", 9_990_000), ("999", "JPY", 999_000_000),
      ("9.0", "USD", 9_000_000), ("1e1", "USD", 10_000_000), ("1234", "KWD", 1_234_000),
      ("\"9.99\"", "USD", 9_990_000),
    ] as [(String, String, Int64)])
  func readAmountsOfTheBackend(amount: String, currency: String, micros: Int64) throws {
    let decoded = decode(
      """
      {"object":"list","data":[{"object":"product","identifier":"p","platform":"ios",
        "price":{"amount":\(amount),"currency":"\(currency)"},"storefront":"USA",
        "subscription":{"period":"month","period_count":3,"trial_period_days":7},
        "entitlements":[{"identifier":"pro","type":"SERVICE_LEVEL"}]}]}
      """)
    #expect(decoded.diagnostics == [])
    let product = try #require(decoded.output?.products.first)
    #expect(product.price?.micros == micros)
    #expect(product.period == Period(.month, 3))
    #expect(product.trialDays == 7)
    #expect(product.intro?.period == Period(.day, 7))
    #expect(product.storefront == "USA")
  }

  @Test func takePricesFromAnotherList() throws {
    let config = try #require(
      decode(
        """
        {"trigger_options":[],"products":[],"paywall_responses":[{"identifier":"pw","products_v2":[
          {"reference_name":"primary","sw_composite_product_id":"a","entitlements":
            [{"identifier":"pro","type":"SERVICE_LEVEL"}],
           "store_product":{"store":"APP_STORE","product_identifier":"a"}},
          {"reference_name":"secondary","sw_composite_product_id":"b:m:sw-auto","entitlements":[],
           "store_product":{"store":"PLAY_STORE","product_identifier":"b"}}]},
          {"identifier":"old","products":[{"product":"tertiary","product_id":"c"}]}],
         "products_v3":[{"sw_composite_product_id":"live:p:no-trial","entitlements":[],
           "store_product":{"store":"STRIPE","product_identifier":"live:p:no-trial",
             "trial_days":0}}]}
        """
      ).output)
    #expect(config.format == .superwallConfig)
    #expect(config.products.map(\.slot) == ["primary", "secondary", "tertiary", nil])
    #expect(config.products[1].fullIdentifier == "b:m:sw-auto")
    #expect(config.products.allSatisfy { $0.price == nil })
    let prices = try #require(
      decode(
        #"{"products":[{"identifier":"a","price":"9.99","period":"P1M"},{"identifier":"b","price":"5"}]}"#
      ).output)
    let joined = config.taking(pricesFrom: prices)
    #expect(joined.products[0].price?.micros == 9_990_000)
    #expect(joined.products[0].slot == "primary")
    #expect(joined.products[0].entitlements == ["pro"])
    #expect(joined.products[1].price?.micros == 5_000_000)
    #expect(joined.products[1].fullIdentifier == "b:m:sw-auto")
    #expect(joined.products[2].price == nil)
  }

  @Test func readTheSlotsOfAgentWallie() throws {
    let decoded = decode(
      """
      {"campaigns":[],"paywalls":{"pw":{"version":1,"name":"P","products":[
         {"slot":"primary","label":"Yearly","product_id":"prod_year"},
         {"slot":"secondary","product_id":"com.x.month"},{"slot":"third","product_id":"nope"}]}},
       "products":[{"id":"prod_year","name":"Y","store":"apple","store_product_id":"com.x.year",
         "entitlements":["pro"],"display_price":"$59.99","display_period":"year"},
        {"id":"prod_month","name":"M","store":"google","store_product_id":"com.x.month",
         "entitlements":[]},
        {"id":"prod_free","name":"F","store":"stripe","store_product_id":"s","entitlements":[]}]}
      """)
    let list = try #require(decoded.output)
    #expect(list.format == .agentWallieConfig)
    #expect(list.products.map(\.identifier) == ["com.x.year", "com.x.month", "s"])
    #expect(list.products.map(\.slot) == ["primary", "secondary", nil])
    #expect(list.products.map(\.configID) == ["prod_year", "com.x.month", "prod_free"])
    // What is wrong with the config itself is told by its own check.
    #expect(decoded.diagnostics == [])
    var producer = try AttributeProducer(.agentWallie, PricingContext(now: 0))
    let attributes = try producer.attributes(of: list.products[0])
    #expect(attributes["price"] == "$59.99")
    #expect(attributes["period_label"] == "/yr")
    #expect(attributes["product_id"] == "prod_year")
    #expect(attributes["has_trial"] == false)
  }

  /// A product that cannot be used takes no other with it, and says where it is wrong.
  @Test(arguments: [
    (#"{"price":"1"}"#, "products[1]"),
    (#"{"identifier":"x","price":"1,99"}"#, "products[1].price"),
    (#"{"identifier":"x","price":-1}"#, "products[1].price"),
    (#"{"identifier":"x","price":"1","currency":"Dollar"}"#, "products[1].currency"),
    (#"{"identifier":"x","price":"99999999999999"}"#, "products[1].price"),
    (#"{"identifier":"x","price":true}"#, "products[1].price"),
    (#"{"identifier":"x","period":"1 month"}"#, "products[1].period"),
    (#"{"identifier":"x","period":{"unit":"fortnight","count":1}}"#, "products[1].period"),
    (#"{"identifier":"x","period":{"unit":"day","count":0}}"#, "products[1].period.count"),
    (#"{"identifier":"x","period":{"unit":"day","count":100000}}"#, "products[1].period.count"),
    (
      #"{"identifier":"x","intro":{"mode":"gift","unit":"day","count":1}}"#,
      "products[1].intro.mode"
    ),
    (#"{"identifier":"x","trialDays":-7}"#, "products[1].trialDays"),
    (#"{"identifier":"x","offers":[{"phases":[]}]}"#, "products[1].offers[0]"),
    (#"{"identifier":"x","offers":{}}"#, "products[1].offers"), ("7", "products[1]"),
  ])
  func surviveBadProducts(bad: String, path: String) throws {
    let decoded = decode(
      #"{"products":[{"identifier":"a","price":"1"},\#(bad),{"identifier":"c"}]}"#)
    #expect(decoded.output?.products.map(\.identifier) == ["a", "c"])
    let errors = decoded.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.path) == [path])
  }

  @Test(arguments: ["", "[", "7", "{}", #"{"products":7}"#, "null", #""products""#])
  func refuseWhatHasNoProducts(json: String) {
    let decoded = decode(json)
    #expect(decoded.output == nil)
    #expect(decoded.diagnostics.contains { $0.severity == .error })
  }

  @Test func tellPricesWithoutACurrency() {
    let decoded = decode(
      #"[{"identifier":"a","price":"1"},{"identifier":"b","price":"1","currency":"EUR"}]"#)
    #expect(decoded.diagnostics.map(\.path) == ["[0]"])
    #expect(decoded.diagnostics.first?.message.contains("no 'currency'; USD is assumed") == true)
  }

  @Test func tellContradictionsAndDifferences() {
    let decoded = decode(
      """
      [{"identifier":"live:p:no-trial","store":"STRIPE","price":"1","currency":"USD","trialDays":7},
       {"identifier":"a","price":"1","currency":"USD","period":"P30D"},
       {"identifier":"b","price":"1","currency":"USD","period":"P14M"},
       {"identifier":"c","price":"1","currency":"USD","period":"P7D"},
       {"identifier":"d","price":"1","currency":"USD","trialDays":3,"intro":{"unit":"day","count":7}}]
      """)
    #expect(decoded.output?.products.count == 5)
    #expect(
      decoded.diagnostics.map { "\($0.path) \($0.code.rawValue)" } == [
        "[0] trial-contradiction", "[1] platform-difference", "[2] platform-difference",
        "[4] trial-contradiction",
      ])
  }

  /// Random damage to a list gives diagnostics or products, and never ends the process.
  @Test func surviveRandomDamage() {
    let text = Array(
      #"{"products":[{"identifier":"a","price":9.99,"period":"P1M","intro":{"unit":"day","count":7,"price":"0"},"offers":[{"basePlanId":"b","phases":[{"price":"1","iso8601":"P1W","cycles":1}]}]}]}"#
        .utf8)
    let pieces = ["{", "}", "[", "]", ",", ":", "\"", "null", "-1", "1e999", "\\u0000", "P", "9"]
    var random = SplitMix(seed: 11)
    for _ in 0..<3_000 {
      var damaged = text
      for _ in 0...Int(random.next() % 3) {
        let at = Int(random.next() % UInt64(damaged.count))
        let piece = pieces[Int(random.next() % UInt64(pieces.count))]
        damaged.replaceSubrange(
          at..<min(at + Int(random.next() % 6), damaged.count), with: piece.utf8)
      }
      let decoded = ProductList.decode(json: damaged)
      #expect(decoded.output != nil || !decoded.diagnostics.isEmpty)
      for product in decoded.output?.products ?? [] {
        var producer = try? AttributeProducer(.androidPlay, PricingContext(now: 0))
        _ = try? producer?.attributes(of: product)
      }
    }
  }

  // MARK: Terms

  /// Nothing of a StoreKit file is lost: kinds, promotional, win-back and code offers, terms of billing.
  @Test func readOffersOfStoreKit() throws {
    let decoded = decode(
      """
      {"products": [{"productID": "coins", "displayPrice": "1", "type": "Consumable"},
         {"productID": "ever", "displayPrice": "1", "type": "NonConsumable"},
         {"productID": "odd", "displayPrice": "1", "type": "Consumble"}],
       "nonRenewingSubscriptions": [{"productID": "season", "displayPrice": "9"}],
       "subscriptionGroups": [{"id": "g", "subscriptions": [
         {"productID": "year", "displayPrice": "99", "recurringSubscriptionPeriod": "P1Y",
          "type": "RecurringSubscription", "introductoryOffer": null,
          "introductoryOffers": [{"paymentMode": "free", "subscriptionPeriod": "P1W"},
            {"paymentMode": "payUpFront", "subscriptionPeriod": "P1M", "displayPrice": "2"}],
          "adHocOffers": [{"offerID": "back10", "referenceName": "Ten off",
            "paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M", "numberOfPeriods": 3,
            "displayPrice": "5"}],
          "winbackOffers": [{"offerID": "miss", "paymentMode": "free", "subscriptionPeriod": "P1M"}],
          "codeOffers": [{"referenceName": "", "paymentMode": "free", "subscriptionPeriod": "P1M"}],
          "billingPlans": [
            {"billingPlanType": "BILLED_UPFRONT", "displayPrice": "99", "isEnabled": true},
            {"billingPlanType": "BILLED_MONTHLY", "displayPrice": "9", "isEnabled": true},
            {"billingPlanType": "BILLED_MONTHLY", "displayPrice": "8", "isEnabled": false}]}]}]}
      """)
    let products = try #require(decoded.output?.products)
    #expect(
      products.map(\.kind) == [
        .consumable, .nonConsumable, nil, .nonRenewingSubscription, .autoRenewableSubscription,
      ])
    #expect(decoded.diagnostics.map(\.path) == ["products[2].type"])
    #expect(decoded.diagnostics.first?.suggestion == "did you mean 'consumable'?")
    let year = products[4]
    #expect(year.intro?.mode == .freeTrial)
    #expect(year.storeOffers.map(\.kind) == [.introductory, .promotional, .winBack, .code])
    #expect(year.storeOffers.map(\.id) == [nil, "back10", "miss", nil])
    #expect(year.storeOffers.map(\.name) == [nil, "Ten off", nil, nil])
    #expect(year.storeOffers[1].terms.cycles == 3)
    #expect(year.storeOffers[1].terms.micros == 5_000_000)
    #expect(year.billingPlans.map(\.kind) == [.upFront, .monthly])
    #expect(year.billingPlans.map(\.micros) == [99_000_000, 9_000_000])
    #expect(year.billingPlans.map(\.period) == [Period(.year, 1), Period(.month, 1)])
    // They are for sale, and nobody has asked for one.
    #expect(year.billingPlan == nil)
  }

  @Test func readTermsOfOurOwn() throws {
    let decoded = decode(
      """
      [{"identifier": "a", "type": "nonRenewingSubscription", "duration": "P6M"},
       {"identifier": "b", "period": "P1M", "storeOffers": [
          {"type": "winBack", "offerId": "w", "name": "W", "mode": "payUpFront", "iso8601": "P1M",
           "price": "1"}, {"unit": "week"}]},
       {"identifier": "c", "period": "P1M", "coupon": {"percentOff": 12.5, "months": 3}},
       {"identifier": "d", "period": "P1M", "coupon": {"amountOff": "2", "duration": "forever"}},
       {"identifier": "e", "period": "P1Y", "billingPlans": [{"type": "UP_FRONT", "price": "9"}]}]
      """)
    let products = try #require(decoded.output?.products)
    #expect(decoded.diagnostics.isEmpty)
    #expect(products[0].kind == .nonRenewingSubscription)
    #expect(products[0].accessPeriod == Period(.month, 6))
    #expect(products[1].storeOffers.map(\.kind) == [.winBack, .promotional])
    #expect(products[1].storeOffers[0].id == "w")
    #expect(products[2].coupon == Coupon(.percent(micros: 12_500_000), .months(3)))
    #expect(products[3].coupon == Coupon(.amount(micros: 2_000_000), .forever))
    #expect(products[4].billingPlans == [BillingPlan(.upFront, micros: 9_000_000)])
  }

  @Test(arguments: [
    (#""coupon": {}"#, "[0].coupon", true),
    (#""coupon": {"percentOff": 101}"#, "[0].coupon.percentOff", true),
    (#""coupon": {"percentOff": 5, "duration": "repeating"}"#, "[0].coupon", true),
    (#""coupon": {"percentOff": 5, "duration": "twice"}"#, "[0].coupon", true),
    (#""storeOffers": [{"type": "bonus", "unit": "week"}]"#, "[0].storeOffers[0].type", true),
    (#""type": "lifetime""#, "[0].type", false),
    (#""type": "consumable", "period": "P1M""#, "[0].period", false),
    (#""type": "autoRenewableSubscription""#, "[0]", false),
    (#""period": "P1M", "duration": "P1M""#, "[0].duration", false),
  ])
  func tellBadTerms(member: String, path: String, isError: Bool) {
    let decoded = decode(#"[{"identifier": "a", \#(member)}]"#)
    #expect(decoded.diagnostics.map(\.path) == [path])
    #expect(decoded.diagnostics.first?.severity == (isError ? .error : .warning))
    #expect(decoded.output?.products.isEmpty == isError)
  }
}
