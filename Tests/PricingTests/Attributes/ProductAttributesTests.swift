import Expressions
import Testing

@testable import Pricing

@Suite("Attributes of products")
struct ProductAttributesTests {
  private func product(_ price: String = "59.99") throws -> PricedProduct {
    var product = PricedProduct(identifier: "com.example.year", locale: "en_US")
    product.price = try Money(price, .usd)
    product.currency = .usd
    product.period = Period(.year, 1)
    product.intro = Period(.day, 7).map { IntroductoryOffer(.freeTrial, $0) }
    return product
  }

  private func producer(_ profile: PricingProfile) throws -> AttributeProducer {
    try AttributeProducer(profile, PricingContext(now: 1_772_755_200_000))
  }

  @Test func offers() throws {
    let week = try #require(Period(.week, 1))
    #expect(IntroductoryOffer(.freeTrial, week, micros: 5).isFree)
    #expect(IntroductoryOffer(.payUpFront, week).isFree)
    #expect(!IntroductoryOffer(.payUpFront, week, micros: 5).isFree)
    #expect(IntroductoryOffer(.payAsYouGo, week, cycles: 0).cycles == 1)
    var product = try product()
    product.intro = nil
    for (days, expected) in [(-1, nil), (0, nil), (1, 1)] as [(Int, Int?)] {
      product.trialDays = days
      #expect(product.introOrTrialDays?.period.count == expected)
      // An offer for no time at all is none.
      var other = product
      other.intro = IntroductoryOffer(.payUpFront, try #require(Period(.week, 0)), micros: 5)
      #expect(other.introOrTrialDays?.period.count == expected)
      other.intro = IntroductoryOffer(.payUpFront, week, micros: 5)
      #expect(other.introOrTrialDays == other.intro)
    }
  }

  /// Parts of the smallest coin are rounded, half of one up.
  @Test(arguments: [(9_994_999, "999"), (9_995_000, "1000")])
  func smallestCoins(micros: Int64, expected: String) throws {
    var product = try product()
    product.price = Money(micros: micros, .usd)
    var producer = try producer(.checkout)
    let attributes = try producer.attributes(of: product)
    #expect(attributes["rawPrice"]?.json == expected)
  }

  /// A sign is of a currency in a locale.
  @Test func signsAreOfTheirCurrency() throws {
    var producer = try producer(.iosStoreKit2)
    let euro = try #require(Currency("EUR"))
    let (american, canadian) = (PriceLocale("en_US"), PriceLocale("en_CA"))
    #expect(american.symbol(of: .usd) != canadian.symbol(of: .usd))
    for _ in 0..<2 {
      for (locale, currency) in [(american, Currency.usd), (american, euro), (canadian, .usd)] {
        #expect(producer.symbol(currency, locale) == locale.symbol(of: currency))
      }
    }
  }

  /// A price that is shown as it is exactly is not above, however large the numbers are.
  @Test func exactPricesAreNotAbove() {
    for factor in [1, 3, Int64.max / 2] {
      #expect(!ExactPrice.exceeds(.max, .max, factor, factor))
      #expect(ExactPrice.exceeds(.max, .max - 1, factor, factor))
    }
  }

  /// Products that need more than 64 bits are compared all the same.
  @Test func pricesThatAreTooLargeAreAbove() {
    #expect(ExactPrice.exceeds(.max, 1, 1, 2))
    #expect(!ExactPrice.exceeds(1, .max, 2, 1))
    #expect(ExactPrice.exceeds(.max / 2, .max / 4, 1, 3))
    #expect(!ExactPrice.exceeds(.min, 1, 1, 2))
    #expect(ExactPrice.exceeds(1, .min, 2, 1))
    #expect(!ExactPrice.exceeds(3, 3, 1, 1) && ExactPrice.exceeds(4, 3, 1, 1))
  }

  /// Trials of StoreKit have another factor between days and weeks, and what that makes too much is
  /// told; those of the backend are divided as everything else is.
  @Test(
    arguments: [(.iosStoreKit2, ["trialPeriodWeeklyPrice"]), (.iosAPI, [])]
      as [(PricingProfile, [String])])
  func trialsAboveTheirExactPrice(profile: PricingProfile, above: [String]) throws {
    var product = try product()
    let days = try #require(Period(.day, 10))
    product.intro = IntroductoryOffer(.payUpFront, days, micros: 10_000_000)
    var producer = try producer(profile)
    let found = try producer.attributes(of: product).pricesAboveExact
    #expect(found.filter { $0.hasPrefix("trial") } == above)
  }

  /// Who shows what a store sells, where nobody says which SDK it is.
  @Test func usualProfiles() {
    let stores: [(PricedProduct.Store, PricingProfile, android: PricingProfile)] = [
      (.appStore, .iosStoreKit2, .androidPlay), (.playStore, .androidPlay, .androidPlay),
      (.other, .iosStoreKit2, .androidPlay), (.stripe, .iosStripe, .androidStripe),
      (.paddle, .iosStripe, .androidStripe), (.superwall, .iosAPI, .androidTest),
      (.custom, .iosAPI, .androidTest),
    ]
    for (store, usual, android) in stores {
      #expect(PricingProfile(usualFor: store) == usual, "\(store)")
      #expect(PricingProfile(usualFor: store, isAndroid: true) == android, "\(store)")
      #expect(store.isWeb == (store == .stripe || store == .paddle))
    }
    #expect(PricingProfile(usualFor: .playStore, isAndroid: false) == .iosStoreKit2)
  }

  /// The names that the documents of the systems list, no more and no less.
  @Test func haveTheNamesOfTheirSystem() {
    #expect(AttributeSchema.ios.ownCount == 33)
    #expect(AttributeSchema.android.ownCount == 32)
    #expect(AttributeSchema.agentWallie.ownCount == 11)
    #expect(AttributeSchema.checkout.names.count == 31)
    for profile in PricingProfile.allCases {
      let schema = profile.schema
      #expect(Set(schema.names).count == schema.names.count)
      // A bit for each place.
      #expect(schema.names.count <= 64)
      for (place, name) in schema.names.enumerated() { #expect(schema.place(of: name) == place) }
      #expect(schema.place(of: "Price") == nil)
      #expect(schema.place(of: "") == nil)
      #expect(schema.place(of: "zzz") == nil)
    }
  }

  @Test(arguments: PricingProfile.allCases)
  func areTheSameByPlaceNameAndText(profile: PricingProfile) throws {
    var producer = try producer(profile)
    let attributes = try producer.attributes(of: try product())
    for (place, name) in attributes.schema.names.enumerated() {
      let value = attributes[place]
      #expect(attributes[name] == value)
      #expect(attributes.value[name] == (value == .null ? nil : value))
      #expect(attributes.value(withAbsent: true)[name] == value)
      let text = attributes.texts[name]
      if case .string = value {
        #expect(text.map { .string($0) } == value)
      } else {
        #expect(text == nil)
      }
    }
    #expect(attributes["nothing"] == nil)
  }

  @Test func sayWhatIsShownTooHigh() throws {
    var producer = try producer(.agentWallie)
    let attributes = try producer.attributes(of: try product("49.99"))
    #expect(attributes.pricesAboveExact == ["price_per_month"])
    #expect(attributes["price_per_month"] == "$4.17")
    #expect(attributes["price_per_month_exact"] == "$4.16")
    var floor = try self.producer(.iosStoreKit2)
    #expect(try floor.attributes(of: try product("49.99")).pricesAboveExact == [])
    var stripe = try self.producer(.androidPlay)
    let daily = try product("2.89")
    var cents = daily
    cents.period = Period(.day, 1)
    // 1/365 is cut off after seven digits: 1054.86 instead of 1054.85.
    #expect(try stripe.attributes(of: cents).pricesAboveExact.contains("yearlyPrice"))
    #expect(try stripe.attributes(of: cents)["yearlyPrice"] == "$1,054.86")
    #expect(try stripe.attributes(of: cents)["yearlyPriceExact"] == "$1,054.85")
  }

  @Test func dependOnTheContextAlone() throws {
    var context = PricingContext(now: 1_772_755_200_000, deviceLocale: "en_US")
    context.locale = "de_DE"
    context.trialRules = TrialRules(mode: .ineligible)
    var producer = try AttributeProducer(.iosStoreKit2, context)
    let first = try producer.attributes(of: try product())
    #expect(first["price"] == "59,99\u{A0}$")
    #expect(first["locale"] == "de_DE")
    #expect(first["trialPeriodEndDate"] == "Mar 13, 2026")
    #expect(first["isFreeTrialAvailable"] == false)
    // What was met before changes nothing.
    _ = try producer.attributes(of: try product("1"))
    #expect(try producer.attributes(of: try product()) == first)
    #expect(throws: PricingError.unknownTimeZone) {
      try AttributeProducer(.iosStoreKit2, PricingContext(now: 0, timeZone: "Mars/Olympus"))
    }
  }

  /// The context's locale counts before the product's, in every profile.
  @Test(arguments: PricingProfile.allCases)
  func localesOfTheContextCount(profile: PricingProfile) throws {
    var context = PricingContext(now: 1_772_755_200_000, deviceLocale: "en_US")
    context.locale = "de_DE"
    var producer = try AttributeProducer(profile, context)
    let price = try producer.attributes(of: product())["price"]
    #expect(price == (profile == .checkout ? "59.99" : "59,99\u{A0}$"), "\(profile)")
  }

  /// One currency in two locales, and two currencies in one, one after the other.
  @Test func keepFormatsApart() throws {
    var producer = try producer(.iosStoreKit2)
    var german = try product()
    german.locale = "de_DE"
    var euros = try product()
    euros.currency = Currency("EUR")
    euros.price = try Money("59.99", #require(Currency("EUR")))
    for _ in 0..<2 {
      #expect(try producer.attributes(of: product())["price"] == "$59.99")
      #expect(try producer.attributes(of: german)["price"] == "59,99\u{A0}$")
      #expect(try producer.attributes(of: german)["currencySymbol"] == "$")
      #expect(try producer.attributes(of: euros)["price"] == "€59.99")
      #expect(try producer.attributes(of: euros)["currencySymbol"] == "€")
    }
  }

  @Test func failWithoutPriceOrRoom() throws {
    for profile in PricingProfile.allCases where profile != .agentWallie {
      var producer = try producer(profile)
      var product = try product()
      product.price = nil
      #expect(throws: PricingError.missingPrice) { try producer.attributes(of: product) }
      product.price = Money(micros: .max, .usd)
      product.period = Period(.day, 1)
      #expect(throws: PricingError.overflow) { try producer.attributes(of: product) }
    }
  }

  /// Long texts, of which a product file may have any.
  @Test func holdLongTexts() throws {
    var product = try product()
    product.identifier = String(repeating: "com.example.", count: 10_000)
    product.displayPrice = String(repeating: "$", count: 5_000)
    var producer = try producer(.iosStoreKit2)
    let attributes = try producer.attributes(of: product)
    #expect(attributes["identifier"] == .string(product.identifier))
    #expect(attributes["price"] == product.displayPrice.map { .string($0) })
    #expect(attributes["monthlyPrice"] == "$4.99")
  }

  @Test func noDivisionByNothing() throws {
    var product = try product()
    product.period = Period(.month, 0)
    product.intro = Period(.day, 0).map { IntroductoryOffer(.payAsYouGo, $0, micros: 1) }
    for profile in PricingProfile.allCases {
      var producer = try producer(profile)
      #expect(throws: Never.self) { try producer.attributes(of: product) }
    }
    let period = try #require(Period(.day, 0))
    let prices = UnitPrices(micros: 1, period: period, factors: .superwall)
    #expect(throws: PricingError.emptyPeriod) { try prices.per(.day, digits: 2, .down) }
  }

  /// Where days are counted, the days of a product go before its introductory offer.
  @Test(arguments: PricingProfile.allCases) func trialsOfOffersAndOfDays(profile: PricingProfile)
    throws
  {
    func trial(_ days: Int?, offer: Bool) throws -> String {
      var product = try product()
      product.trialDays = days
      if !offer { product.intro = nil }
      var producer = try producer(profile)
      let attributes = try producer.attributes(of: product)
      let days = attributes["trialPeriodDays"]
      return days?.text ?? days?.json ?? "-"
    }
    let countsDays = profile == .iosAPI || profile == .androidTest
    guard try trial(nil, offer: true) != "-" else { return }
    #expect(try trial(nil, offer: true) == "7")
    #expect(try trial(30, offer: true) == (countsDays ? "30" : "7"))
    #expect(try trial(30, offer: false) == "30")
  }

  /// Years of a period have four digits, half of the last one up.
  @Test(
    arguments: [
      (Period.Unit.month, 1, "0.0833"), (.month, 5, "0.4167"), (.day, 2, "0.0055"),
      (.week, 1, "0.0192"), (.week, 52, "1"), (.year, 3, "3"), (.month, 18, "1.5"),
    ])
  func yearsOfPeriods(unit: Period.Unit, count: Int, years: String) throws {
    var product = try product()
    product.period = Period(unit, count)
    var producer = try producer(.checkout)
    #expect(try producer.attributes(of: product)["periodYears"]?.json == years)
  }

  /// Seven days are a week for iOS where a trial's price is told for one.
  @Test func pricesOfTrials() throws {
    var product = try product()
    product.intro = Period(.day, 7).map { IntroductoryOffer(.payUpFront, $0, micros: 999_990_000) }
    var producer = try producer(.iosStoreKit2)
    let attributes = try producer.attributes(of: product)
    #expect(attributes["trialPeriodWeeklyPrice"]?.text == "$999.99")
    #expect(attributes["trialPeriodPrice"]?.text == "$999.99")
  }
}

/// Additions of ours: what is charged and when, and what does not say what it seems to.
@Suite struct TimelineAttributesTests {
  private func attributes(
    _ product: PricedProduct, _ profile: PricingProfile = .iosStoreKit2,
    _ change: (inout PricingContext) -> Void = { _ in }
  ) throws -> ProductAttributes {
    var context = PricingContext(now: 1_772_755_200_000)
    change(&context)
    var producer = try AttributeProducer(profile, context)
    return try producer.attributes(of: product)
  }

  private func product(_ intro: IntroductoryOffer? = nil) throws -> PricedProduct {
    PricedProduct(
      identifier: "p", price: try Money("9.99", .usd), locale: "en_US", period: Period(.month, 1),
      intro: intro)
  }

  private let threeMonths = IntroductoryOffer(
    .payAsYouGo, Period(known: .month, 1), cycles: 3, micros: 990_000)

  @Test func sayWhatIsCharged() throws {
    let found = try attributes(product(threeMonths))
    #expect(found["trialPhases"] == 1)
    #expect(found["chargedToday"] == "$0.99")
    #expect(found["firstChargeDate"] == "Mar 6, 2026")
    #expect(found["renewsAt"] == "$9.99")
    #expect(found["endDateOfOffer"] == "Jun 6, 2026")
    #expect(found["totalInFirstYear"] == "$92.88")
    #expect(
      found["phases"] == [
        [
          "mode": "payAsYouGo", "price": "$0.99", "rawPrice": "0.99", "period": "month",
          "cycles": 3, "duration": "3 months", "total": "$2.97", "startDate": "Mar 6, 2026",
          "endDate": "Jun 6, 2026",
        ],
        [
          "mode": "regular", "price": "$9.99", "rawPrice": "9.99", "period": "month", "cycles": 0,
          "duration": "", "total": "", "startDate": "Jun 6, 2026", "endDate": "",
        ],
      ])
    let plain = try attributes(product())
    #expect(plain["trialPhases"] == 0)
    #expect(plain["endDateOfOffer"] == "")
    #expect(plain["phases"]?.elements?.count == 1)
    let wallie = try attributes(product(threeMonths), .agentWallie)
    #expect(wallie["charged_today"] == "$0.99")
    #expect(wallie["is_trial_free"] == false)
  }

  @Test func followTheUser() throws {
    let trial = IntroductoryOffer(.freeTrial, Period(known: .day, 7))
    for (eligibility, phases, today, available) in [
      (nil, 1, "$0.00", nil), (.all, 1, "$0.00", true), (OfferEligibility.none, 0, "$9.99", false),
    ] as [(OfferEligibility?, Int, String, Bool?)] {
      let found = try attributes(product(trial)) { $0.eligibility = eligibility }
      #expect(found["trialPhases"] == .int(Int64(phases)))
      #expect(found["chargedToday"] == .string(today))
      #expect(found["isFreeTrialAvailable"] == available.map { .bool($0) } ?? .null)
      // The SDK's own attributes tell of the offer all the same.
      #expect(found["trialPeriodDays"] == "7")
    }
    let none = try attributes(product()) { $0.eligibility = .all }
    #expect(none["isFreeTrialAvailable"] == false)
    var pro = try product(trial)
    pro.entitlements = ["pro"]
    for (entitlements, isIncluded) in [([], false), (["pro"], false), (["coach"], true)] {
      #expect(OfferEligibility.subscriber(entitlements: entitlements).includes(pro) == isIncluded)
    }
  }

  @Test func starWhatMisleads() throws {
    let cycles = try attributes(product(threeMonths))
    #expect(
      cycles.names(with: .onePeriod) == [
        "trialPeriodDays", "trialPeriodWeeks", "trialPeriodMonths", "trialPeriodYears",
        "trialPeriodText", "trialPeriodEndDate",
      ])
    #expect(cycles.caveats(of: "trialPeriodDays") == [.onePeriod])
    #expect(cycles.caveats(of: "price") == [])
    // The Android SDK counts all periods of Stripe's trials.
    var stripe = try product(threeMonths)
    stripe.store = .stripe
    #expect(try attributes(stripe, .androidStripe).names(with: .onePeriod) == [])
    var weeks = try product()
    for (period, isMarked) in [
      (Period(.week, 2), true), (Period(.week, 1), false), (Period(.day, 7), false),
      (Period(.day, 14), true), (Period(.month, 3), false), (Period(.month, 4), true),
      (Period(.year, 2), true),
    ] {
      weeks.period = period
      #expect(
        try attributes(weeks).names(with: .withoutCount)
          == (isMarked ? ["period", "periodly"] : []))
    }
    weeks.period = Period(.month, 6)
    #expect(
      try attributes(weeks, .agentWallie).names(with: .withoutCount) == ["period", "period_label"])
    var euros = try product()
    euros.price = Money(micros: 9_990_000, Currency("EUR")!)
    #expect(
      try attributes(euros, .iosStripe).names(with: .foreignSign) == [
        "dailyPrice", "weeklyPrice", "monthlyPrice", "yearlyPrice",
      ])
    #expect(try attributes(euros, .iosStoreKit2).names(with: .foreignSign) == [])
    var francs = try product()
    francs.displayPrice = "$9.99"
    #expect(try attributes(francs).names(with: .storeText) == [])
    #expect(
      try attributes(francs) { $0.locale = "de_DE" }.names(with: .storeText) == [
        "price", "chargedToday", "renewsAt",
      ])
    // A space is a space.
    francs.displayPrice = "9,99 $"
    #expect(try attributes(francs) { $0.locale = "de_DE" }.names(with: .storeText) == [])
  }
}
