/// A product as one of Superwall's SDKs interprets it.
struct SuperwallTerms {
  /// An introductory offer as the SDK counts it.
  struct Trial {
    /// One period, in the form that attributes show.
    var period: Period
    /// The number of periods, 1 to ``Period/maximumCount``.
    var cycles: Int64
    /// The price of one period.
    var micros: Int64
    var displayPrice: String?

    static func cycles(_ count: Int) -> Int64 {
      Int64(min(max(count, 1), Period.maximumCount))
    }

    /// The length of the trial in the SDK's strings: one period. Only Stripe products in the Android SDK count all
    /// periods.
    func told(_ profile: PricingProfile) -> Period {
      profile == .androidStripe ? period.repeated(Int(cycles)) ?? period : period
    }
  }

  /// The price of one period.
  var micros: Int64
  var currency: Currency
  /// The billing period. Nil for a one-time purchase.
  var period: Period?
  var trial: Trial?
  var hasFreeTrial: Bool
  /// Whether the offer costs nothing.
  var isTrialFree: Bool

  init(_ product: PricedProduct, _ profile: PricingProfile) throws(PricingError) {
    let currency = product.price?.currency ?? product.currency ?? .usd
    if profile == .androidPlay, !product.offers.isEmpty {
      self.init(offer: product.selectedOffer, currency)
    } else {
      try self.init(plain: product, currency, profile)
    }
    // The Android SDK rounds prices to two digits, whatever the currency.
    if profile.isAndroid {
      micros = ExactPrice.quotient(micros, 10_000, .down) * 10_000
      if let paid = trial?.micros {
        trial?.micros = ExactPrice.quotient(paid, 10_000, .down) * 10_000
      }
    }
  }

  private init(
    plain product: PricedProduct, _ currency: Currency, _ profile: PricingProfile
  ) throws(PricingError) {
    guard let micros = try product.micros(profile) else { throw .missingPrice }
    self.micros = micros
    self.currency = currency
    period = profile.reads(product.period, product.isoPeriod)
    trial = product.trial(profile)
    let isFree = trial?.micros == 0
    isTrialFree = trial != nil && (product.intro?.mode == .freeTrial || isFree)
    hasFreeTrial =
      profile == .androidStripe
      ? trial != nil && (product.intro.map { $0.mode == .freeTrial } ?? true) : trial != nil
  }

  /// The terms of an offer of Google Play. If no offer fits, no offer is selected and all terms are empty.
  private init(offer: PlayOffer?, _ currency: Currency) {
    let base = offer?.basePhase
    micros = base?.micros ?? 0
    self.currency = currency
    period = base?.period.androidPeriod.flatMap { $0.count > 0 ? $0 : nil }
    if let phase = offer?.trialPhase, let period = phase.period.androidPeriod, period.count > 0 {
      trial = Trial(
        period: period, cycles: Trial.cycles(phase.cycles), micros: phase.micros)
    }
    hasFreeTrial = offer?.hasTrial ?? false
    isTrialFree = hasFreeTrial && trial?.micros == 0
  }
}

extension PricedProduct {
  /// The price of one period, or the total of a billing plan that the store offers.
  fileprivate func micros(_ profile: PricingProfile) throws(PricingError) -> Int64? {
    if profile == .androidPlay, !purchaseOptions.isEmpty {
      let id = PlayProductID(fullIdentifier ?? identifier)
      return PlayPurchaseOption.select(id, from: purchaseOptions)?.micros ?? 0
    }
    if profile == .iosStoreKit2, let billingPlan, let period,
      let total = try billingPlan.total(of: period)
    {
      return total
    }
    return price?.micros
  }

  fileprivate func trial(_ profile: PricingProfile) -> SuperwallTerms.Trial? {
    let countsDays = profile == .iosAPI || profile == .androidTest
    if let intro, !countsDays || trialDays == nil,
      let period = profile.reads(intro.period, intro.isoPeriod)
    {
      return SuperwallTerms.Trial(
        period: period, cycles: SuperwallTerms.Trial.cycles(intro.cycles),
        micros: intro.mode == .freeTrial ? 0 : intro.micros, displayPrice: intro.displayPrice)
    }
    guard let trialDays, trialDays > 0, let period = Period(.day, trialDays) else { return nil }
    return SuperwallTerms.Trial(
      period: period, cycles: 1, micros: intro.map { $0.mode == .freeTrial ? 0 : $0.micros } ?? 0,
      displayPrice: intro?.displayPrice)
  }
}

extension PricingProfile {
  /// The period as the system interprets it, or nil if the period is missing or its length is 0.
  fileprivate func reads(_ period: Period?, _ iso: ISOPeriod?) -> Period? {
    let read =
      self == .androidPlay ? (iso ?? period.map { ISOPeriod($0) })?.androidPeriod : period
    return read.flatMap { $0.count > 0 ? $0 : nil }
  }
}
