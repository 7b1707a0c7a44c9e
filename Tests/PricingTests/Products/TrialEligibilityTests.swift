import Pricing
import Testing

/// Who may have a trial, against a plain reference over all combinations; and what is saved.
@Suite struct TrialEligibilityTests {
  private typealias Entitlement = TrialHistory.Entitlement

  private static let histories: [[Entitlement]?] = [
    nil, [], [Entitlement(id: "pro")], [Entitlement(id: "pro", isActive: true)],
    [Entitlement(id: "pro", latestProductID: "p")], [Entitlement(id: "pro", store: .superwall)],
    [Entitlement(id: "pro", store: .stripe)], [Entitlement(id: "other", isActive: true)],
  ]
  private static let held: [Bool] = [true, false, false, true, true, true, false, false]

  @Test(arguments: PricedProduct.Store.allCases, TrialRules.Mode.allCases)
  func allCombinations(store: PricedProduct.Store, mode: TrialRules.Mode) {
    let flags = [false, true]
    for (number, entitlements) in Self.histories.enumerated() {
      for days in [nil, 0, 7] {
        for (hasIntro, isNamed) in flags.flatMap({ a in flags.map { (a, $0) } }) {
          for (isSubscribed, isTrying) in flags.flatMap({ a in flags.map { (a, $0) } }) {
            for eligibility in [nil, false, true] {
              for platform in [Platform.ios, .android, .web] {
                var product = PricedProduct(identifier: "p", store: store)
                product.trialDays = days
                product.entitlements = isNamed ? ["pro"] : []
                if hasIntro {
                  product.intro = IntroductoryOffer(.freeTrial, Period(.week, 1)!)
                }
                let history = TrialHistory(
                  entitlements: entitlements, storeEligibility: eligibility,
                  hasActiveSubscriptionInGroup: isSubscribed, hasActiveTrialInGroup: isTrying)
                let wanted: Bool
                if store == .playStore {
                  wanted = hasIntro || days == 7
                } else if store == .appStore, hasIntro || days == nil {
                  wanted =
                    switch mode {
                    case .ineligible: false
                    case .eligible: hasIntro && !isTrying
                    case .automatic: hasIntro && eligibility == true && !isSubscribed
                    }
                } else if days != 7 || mode == .ineligible {
                  wanted = false
                } else {
                  wanted =
                    mode == .eligible && platform == .android || isNamed && !Self.held[number]
                }
                let rules = TrialRules(mode: mode, platform: platform)
                let found = [
                  rules.isAvailable(product, history),
                  rules.isTrialAvailable([product], history),
                ]
                if found != [wanted, wanted] {
                  Issue.record("\(rules) \(product) \(history): \(found), not \(wanted)")
                }
              }
            }
          }
        }
      }
    }
  }

  @Test func overrides() {
    let product = PricedProduct(identifier: "p", store: .stripe)
    for override in [true, false] {
      let rules = TrialRules(override: override)
      #expect(rules.isTrialAvailable([product], TrialHistory()) == override)
      #expect(rules.isTrialAvailable([], TrialHistory()) == override)
    }
    #expect(!TrialRules().isTrialAvailable([], TrialHistory()))
  }

  @Test func theOfferOfPlayTells() {
    var product = PricedProduct(identifier: "p", store: .playStore)
    product.trialDays = 7
    let plan = PlayOffer.Phase(micros: 5, ISOPeriod("P1M")!, cycles: 1)
    let free = PlayOffer.Phase(micros: 0, ISOPeriod("P1W")!, cycles: 1)
    product.offers = [
      PlayOffer(basePlanID: "m", phases: [plan]),
      PlayOffer(basePlanID: "m", offerID: "w", phases: [free, plan]),
    ]
    func offersTrial(_ id: String?) -> Bool {
      product.fullIdentifier = id
      return product.offersTrial
    }
    #expect(!offersTrial(nil) && !offersTrial("p:m:sw-none") && !offersTrial("p:none"))
    #expect(offersTrial("p:m") && offersTrial("p:m:w"))
    product.store = .appStore
    #expect(offersTrial(nil))
    product.trialDays = 0
    #expect(!offersTrial(nil))
    product.intro = IntroductoryOffer(.payAsYouGo, Period(.month, 1)!, micros: 5)
    #expect(offersTrial(nil))
  }

  @Test func offersThatAreFree() {
    let week = Period(.week, 1)!
    #expect(IntroductoryOffer(.freeTrial, week, micros: 5).isFree)
    #expect(IntroductoryOffer(.payAsYouGo, week).isFree)
    #expect(!IntroductoryOffer(.payUpFront, week, micros: 5).isFree)
    #expect(IntroductoryOffer(.freeTrial, week, cycles: 0).cycles == 1)
    #expect(IntroductoryOffer(.freeTrial, week, cycles: 2).cycles == 2)
  }

  @Test func totalsOfPlans() throws {
    let year = try #require(Period(.year, 1))
    let month = try #require(Period(.month, 1))
    #expect(try BillingPlan(.monthly, micros: 5, period: month).total(of: year) == 60)
    #expect(try BillingPlan(.monthly, micros: nil, period: month).total(of: year) == nil)
    #expect(try BillingPlan(.monthly, micros: 5).total(of: year) == nil)
    #expect(BillingPlan(.monthly, micros: 0).isAvailable)
    #expect(!BillingPlan(.monthly).isAvailable)
    #expect(throws: PricingError.overflow) {
      try BillingPlan(.monthly, micros: .max, period: month).total(of: year)
    }
  }
}

/// What is saved against the monthly price.
@Suite struct SavingsTests {
  private func offer(_ micros: Int64?, _ unit: Period.Unit, _ count: Int) -> Savings.Offer {
    Savings.Offer(price: micros.map { Money(micros: $0, .usd) }, period: Period(unit, count))
  }

  @Test func baselines() {
    let month = offer(10, .month, 1)
    #expect(Savings.baseline([]) == nil)
    #expect(Savings.baseline([offer(9, .year, 1), month, offer(5, .month, 1)]) == 1)
    #expect(Savings.baseline([offer(0, .month, 1), offer(nil, .month, 1), month]) == 2)
    #expect(Savings.baseline([offer(-1, .month, 1), offer(1, .month, 1)]) == 1)
    #expect(
      Savings.baseline([
        offer(9, .week, 4), offer(9, .month, 3), offer(9, .day, 30), offer(9, .month, 2),
        Savings.Offer(price: Money(micros: 9, .usd), period: nil),
      ]) == nil)
  }

  @Test(
    arguments: [
      (60, Period.Unit.year, 1, 50, 50), (120, .year, 1, nil, nil), (119, .year, 1, 1, nil),
      (118, .year, 1, 2, 1), (59, .year, 1, 51, 50), (121, .year, 1, nil, nil),
      (27, .month, 3, 10, 10), (10, .month, 1, nil, nil), (5, .month, 1, nil, nil),
      (0, .year, 1, 100, 100), (60, .month, 12, 50, 50), (1, .week, 1, 57, 56),
      (3, .week, 1, nil, nil), (1, .day, 5, 40, 40), (5, .year, 0, nil, nil),
    ] as [(Int64, Period.Unit, Int, Int?, Int?)])
  func percentages(
    micros: Int64, unit: Period.Unit, count: Int, halfUp: Int?, down: Int?
  ) throws {
    let (baseline, offer) = (Money(micros: 10, .usd), offer(micros, unit, count))
    #expect(try Savings.percentage(of: offer, against: baseline) == halfUp)
    #expect(try Savings.percentage(of: offer, against: baseline, .agentWallie, .down) == down)
  }

  @Test func whatCannotBeCompared() throws {
    let year = offer(60, .year, 1)
    #expect(try Savings.percentage(of: year, against: Money(micros: 0, .usd)) == nil)
    #expect(try Savings.percentage(of: year, against: Money(micros: -5, .usd)) == nil)
    #expect(try Savings.percentage(of: year, against: Money(micros: 10, .none)) == nil)
    #expect(
      try Savings.percentage(of: offer(nil, .year, 1), against: Money(micros: 10, .usd)) == nil)
  }

  /// A price below zero saves more percent than a number holds.
  @Test func percentagesWithoutEnd() throws {
    #expect(throws: PricingError.overflow) {
      try Savings.percentage(
        of: offer(-9_000_000_000_000_000_000, .year, 1), against: Money(micros: 1, .usd))
    }
    #expect(
      try Savings.percentage(of: offer(-120, .year, 1), against: Money(micros: 10, .usd)) == 200)
  }
}
