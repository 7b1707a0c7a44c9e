import CivilTime
import Testing

@testable import Pricing

/// What stores charge, and when.
@Suite struct PaymentTimelineTests {
  private static let start = CivilDate(year: 2026, month: 1, day: 31)!
  private static let dollars = PriceLocale("en_US").format(for: .usd)

  private func product(
    _ price: String = "9.99", _ period: Period? = Period(.month, 1),
    _ intro: IntroductoryOffer? = nil
  ) throws -> PricedProduct {
    PricedProduct(
      identifier: "p", price: try Money(price, .usd), period: period, intro: intro)
  }

  private func words(_ product: PricedProduct, isEligible: Bool = true) throws -> String {
    try PaymentTimeline(product, isEligible: isEligible, from: Self.start).words(Self.dollars)
  }

  @Test func followTheMode() throws {
    let week = try #require(Period(.week, 1))
    let month = try #require(Period(.month, 1))
    let offers: [(IntroductoryOffer?, String)] = [
      (nil, "$9.99 every month"),
      (IntroductoryOffer(.freeTrial, week), "free for 1 week, then $9.99 every month"),
      (
        IntroductoryOffer(.payUpFront, Period(.month, 3)!, micros: 4_990_000),
        "$4.99 for 3 months, then $9.99 every month"
      ),
      (
        IntroductoryOffer(.payAsYouGo, month, cycles: 3, micros: 990_000),
        "$0.99 every month for 3 months, then $9.99 every month"
      ),
      // A price of nothing is free, whatever the mode.
      (IntroductoryOffer(.payUpFront, week), "free for 1 week, then $9.99 every month"),
    ]
    for (intro, expected) in offers {
      #expect(try words(product("9.99", month, intro)) == expected)
      #expect(try words(product("9.99", month, intro), isEligible: false) == "$9.99 every month")
    }
  }

  @Test func countDaysByTheCalendar() throws {
    let intro = IntroductoryOffer(.payAsYouGo, Period(.month, 1)!, cycles: 3, micros: 990_000)
    let timeline = try PaymentTimeline(
      product("9.99", Period(.month, 1), intro), from: Self.start)
    #expect(timeline.chargedToday == 990_000)
    #expect(timeline.firstPaid?.start == Self.start)
    #expect(timeline.offerEnd == CivilDate(year: 2026, month: 4, day: 30))
    #expect(timeline.regular.start == CivilDate(year: 2026, month: 4, day: 30))
    #expect(try timeline.offer.first?.total() == 2_970_000)
    #expect(try timeline.regular.total() == nil)
    #expect(timeline.renews)
    // 3 of the offer, and 10 from 30 April to 30 January, before 31 January.
    #expect(try timeline.totalInFirstYear() == 3 * 990_000 + 10 * 9_990_000)
  }

  /// Charges on the days before the same day of the next year.
  @Test(arguments: [
    (Period.Unit.day, 1, 365), (.day, 2, 183), (.week, 1, 53), (.week, 2, 27), (.month, 1, 12),
    (.month, 5, 3), (.month, 12, 1), (.month, 13, 1), (.year, 1, 1), (.year, 2, 1),
  ])
  func countTheFirstYear(unit: Period.Unit, count: Int, charges: Int64) throws {
    let timeline = try PaymentTimeline(product("1", Period(unit, count)), from: Self.start)
    #expect(try timeline.totalInFirstYear() == charges * 1_000_000)
  }

  @Test func knowWhatIsBoughtOnce() throws {
    var pass = try product("19.99", nil)
    #expect(try words(pass) == "$19.99 once")
    pass.kind = .nonRenewingSubscription
    pass.accessPeriod = Period(.month, 6)
    pass.intro = IntroductoryOffer(.freeTrial, Period(.week, 1)!)
    let timeline = try PaymentTimeline(pass, from: Self.start)
    #expect(timeline.words(Self.dollars) == "$19.99 once, access for 6 months")
    #expect(!timeline.renews)
    #expect(timeline.regular.end == CivilDate(year: 2026, month: 7, day: 31))
    #expect(try timeline.totalInFirstYear() == 19_990_000)
    // A kind that is bought once has no period, even where one is written.
    var lifetime = try product()
    lifetime.kind = .nonConsumable
    #expect(try words(lifetime) == "$9.99 once")
    var nothing = try product()
    nothing.price = nil
    #expect(throws: PricingError.missingPrice) { try words(nothing) }
  }

  @Test func haveAllPhasesOfGooglePlay() throws {
    func phase(_ micros: Int64, _ iso: String, _ cycles: Int) -> PlayOffer.Phase {
      PlayOffer.Phase(micros: micros, ISOPeriod(iso)!, cycles: cycles)
    }
    var product = PricedProduct(identifier: "p", store: .playStore)
    product.currency = .usd
    product.fullIdentifier = "p:monthly:sw-auto"
    let base = phase(9_990_000, "P1M", 0)
    product.offers = [
      PlayOffer(basePlanID: "monthly", phases: [base]),
      PlayOffer(
        basePlanID: "monthly", offerID: "intro",
        phases: [phase(0, "P1W", 1), phase(990_000, "P1M", 3), base]),
    ]
    #expect(
      try words(product)
        == "free for 1 week, then $0.99 every month for 3 months, then $9.99 every month")
    #expect(try words(product, isEligible: false) == "$9.99 every month")
    product.fullIdentifier = "p:monthly:sw-none"
    #expect(try words(product) == "$9.99 every month")
    product.fullIdentifier = "p:yearly"
    #expect(throws: PricingError.missingPrice) { try words(product) }
    // A last phase that ends is prepaid, or paid by installments.
    product.fullIdentifier = "p:prepaid"
    product.offers = [PlayOffer(basePlanID: "prepaid", phases: [phase(9_990_000, "P1M", 1)])]
    #expect(try words(product) == "$9.99 once, access for 1 month")
    product.offers = [PlayOffer(basePlanID: "prepaid", phases: [phase(9_990_000, "P1M", 12)])]
    let installments = try PaymentTimeline(product, from: Self.start)
    #expect(installments.words(Self.dollars) == "$9.99 every month for 12 months")
    #expect(!installments.renews)
    product.offers = []
    product.purchaseOptions = [
      PlayPurchaseOption(micros: 3_000_000, optionID: "rent"),
      PlayPurchaseOption(micros: 5_000_000, optionID: "buy"),
    ]
    product.fullIdentifier = "p:buy"
    #expect(try words(product) == "$5.00 once")
  }

  @Test func takeCouponsOff() throws {
    var product = try product("9.99")
    product.store = .stripe
    let half = Coupon.Discount.percent(micros: 50_000_000)
    let coupons: [(Coupon, Int?, String)] = [
      // Half of 9.99 is 4.995, of which 5.00 are taken off.
      (Coupon(half, .once), nil, "$4.99 every month for 1 month, then $9.99 every month"),
      (Coupon(half, .months(3)), nil, "$4.99 every month for 3 months, then $9.99 every month"),
      (Coupon(half, .forever), nil, "$4.99 every month"),
      (
        Coupon(.amount(micros: 20_000_000), .once), nil,
        "free for 1 month, then $9.99 every month"
      ),
      (
        Coupon(half, .once), 7,
        "free for 7 days, then $4.99 every month for 1 month, then $9.99 every month"
      ),
      // The months begin with the trial: of 3 months, 2 charges are left after 40 days.
      (
        Coupon(half, .months(3)), 40,
        "free for 40 days, then $4.99 every month for 2 months, then $9.99 every month"
      ),
      (Coupon(half, .months(1)), 40, "free for 40 days, then $9.99 every month"),
    ]
    for (coupon, days, expected) in coupons {
      product.coupon = coupon
      product.trialDays = days
      #expect(try words(product) == expected)
    }
    product.coupon = Coupon(.amount(micros: 1), .months(99_999))
    #expect(try words(product).hasPrefix("free for 40 days"))
  }

  @Test func billCommitmentsByTheMonth() throws {
    var product = try product("99.99", Period(.year, 1))
    product.billingPlan = BillingPlan(.monthly, micros: 8_990_000, period: Period(.month, 1))
    let timeline = try PaymentTimeline(product, from: Self.start)
    #expect(timeline.words(Self.dollars) == "$8.99 every month")
    #expect(timeline.commitment == Period(.year, 1))
    #expect(try timeline.totalInFirstYear() == 12 * 8_990_000)
    product.billingPlan = BillingPlan(.upFront)
    #expect(try words(product) == "$99.99 every year")
  }

  @Test func neverTrap() throws {
    let long = try #require(Period(.year, Period.maximumCount))
    let huge = PricedProduct(
      identifier: "p", price: Money(micros: .max, .usd), period: Period(.day, 1),
      intro: IntroductoryOffer(.payAsYouGo, long, cycles: .max, micros: .max))
    let timeline = try PaymentTimeline(huge, from: Self.start)
    #expect(timeline.offerEnd != nil)
    #expect(try timeline.totalInFirstYear() == .max)
    #expect(throws: PricingError.overflow) { try timeline.offer.first?.total() }
    let daily = PricedProduct(
      identifier: "p", price: Money(micros: .max, .usd), period: Period(.day, 1))
    #expect(throws: PricingError.overflow) {
      try PaymentTimeline(daily, from: Self.start).totalInFirstYear()
    }
    let late = try PaymentTimeline(daily, from: .latest)
    #expect(try late.totalInFirstYear() == 0)
  }
}
