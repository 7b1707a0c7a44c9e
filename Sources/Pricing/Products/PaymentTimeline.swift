package import CivilTime

/// A span of time with one price: a trial, a discount, the regular price.
package struct PaymentPhase: Hashable, Sendable {
  /// How the phase is paid.
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Nothing is charged.
    case free
    /// The price is charged for each of ``PaymentPhase/cycles`` periods.
    case payAsYouGo
    /// The price is charged once, at the beginning.
    case payUpFront
    /// The regular price is charged for each period, until the subscription is cancelled or ends.
    case regular
    /// The price is charged once, for a purchase that never renews.
    case once
  }

  package var mode: Mode
  /// The price of one charge, in micros.
  package var micros: Int64
  /// The time between charges, or the duration of a one-time purchase. Nil means forever.
  package var period: Period?
  /// The number of periods. Nil if the phase continues until it is cancelled, or has no period.
  package var cycles: Int?
  /// The store's own string for the price.
  package var displayPrice: String?
  /// The day of the first charge, or the first day if there is no charge.
  package var start: CivilDate

  /// The total length of all periods, or nil if there is no end.
  package var length: Period? {
    guard let period, let cycles else { return nil }
    return period.repeated(cycles) ?? Period(known: period.unit, Period.maximumCount)
  }

  /// The day on which the next phase begins or access ends, or nil if there is no end.
  package var end: CivilDate? { length.map { start.adding($0) } }

  /// The number of charges, or nil if there is no end.
  package var charges: Int? {
    switch mode {
    case .free: 0
    case .payUpFront, .once: 1
    case .payAsYouGo, .regular: period == nil ? 1 : cycles
    }
  }

  /// The sum of all charges, or nil if there is no end.
  package func total() throws(PricingError) -> Int64? {
    guard let charges else { return nil }
    return try ExactPrice.product(micros, Int64(charges))
  }

  /// The number of charges before a day.
  fileprivate func charges(before day: CivilDate) -> Int {
    guard start < day, charges != 0 else { return 0 }
    guard charges != 1, let period, period.count > 0 else { return 1 }
    let most = charges ?? .max
    switch period.unit {
    case .day, .week:
      let days = period.count * (period.unit == .week ? 7 : 1)
      return min(most, (day.daysSince1970 - start.daysSince1970 + days - 1) / days)
    case .month, .year:
      let months = period.count * (period.unit == .year ? 12 : 1)
      var count = 1
      while count < most, start.adding(months: count * months) < day { count += 1 }
      return count
    }
  }
}

/// The charges of a store for a product from the day of the purchase: the phases of its offer, then the regular price.
///
/// Claims in texts are checked against the timeline. The timeline is the same for every profile: prices are neither
/// rounded nor converted as in an SDK.
package struct PaymentTimeline: Hashable, Sendable {
  package let currency: Currency
  /// The phases in order, at least one. The last phase is the regular price, or the price of a one-time purchase.
  package private(set) var phases: [PaymentPhase]
  /// The length of a commitment with monthly payments, or nil without one.
  package private(set) var commitment: Period?

  /// The day of the purchase.
  package var start: CivilDate { phases[0].start }
  /// The phases of the offer, before the regular price.
  package var offer: ArraySlice<PaymentPhase> { phases.dropLast() }
  package var regular: PaymentPhase { phases[phases.count - 1] }
  /// Whether the store continues to charge until the user cancels.
  package var renews: Bool { regular.mode == .regular && regular.cycles == nil }
  /// The charge at the purchase, in micros.
  package var chargedToday: Int64 { phases[0].mode == .free ? 0 : phases[0].micros }
  /// The first phase with a charge, or nil if there are no charges.
  package var firstPaid: PaymentPhase? { phases.first { $0.mode != .free && $0.micros != 0 } }
  /// The day on which the offer ends after all its periods, or nil without an offer.
  package var offerEnd: CivilDate? { offer.last?.end }

  /// The sum of all charges before the same day of the next year: 12 months, or 53 weeks (the last week begins in that
  /// year).
  package func totalInFirstYear() throws(PricingError) -> Int64 {
    let end = start.adding(years: 1)
    var total: Int64 = 0
    for phase in phases {
      let paid = try ExactPrice.product(phase.micros, Int64(phase.charges(before: end)))
      let (sum, overflow) = total.addingReportingOverflow(paid)
      guard !overflow else { throw .overflow }
      total = sum
    }
    return total
  }

  /// The charges of the store for a product.
  ///
  /// - Parameters:
  ///   - isEligible: whether the introductory offer or the trial is available to the user.
  ///   - start: the day of the purchase.
  /// - Throws: ``PricingError/missingPrice`` if the product has no price, or its identifier selects no offer.
  package init(
    _ product: PricedProduct, isEligible: Bool = true, from start: CivilDate
  ) throws(PricingError) {
    currency = product.price?.currency ?? product.currency ?? .usd
    phases = []
    if !product.offers.isEmpty {
      guard let selected = product.selectedOffer, let last = selected.phases.last else {
        throw .missingPrice
      }
      // Google Play shows the base plan to users that are not eligible for the offer.
      let basePlan = PlayOffer(basePlanID: selected.basePlanID, phases: [last])
      add(isEligible ? selected : basePlan, from: start)
    } else {
      try add(product, isEligible ? product.introOrTrialDays : nil, from: start)
    }
  }

  /// The charges of the store for a product with one of its other offers, such as a promotional offer.
  package init(
    _ product: PricedProduct, with offer: StoreOffer, from start: CivilDate
  ) throws(PricingError) {
    currency = product.price?.currency ?? product.currency ?? .usd
    phases = []
    try add(product, offer.terms, from: start)
  }

  /// The charges of Google Play with an offer, which need not be the selected offer. Fails for an offer without phases.
  package init?(_ product: PricedProduct, with offer: PlayOffer, from start: CivilDate) {
    currency = product.price?.currency ?? product.currency ?? .usd
    phases = []
    add(offer, from: start)
    if phases.isEmpty { return nil }
  }

  /// The charge for a one-time product of Google Play with one of its purchase options.
  package init(_ product: PricedProduct, with option: PlayPurchaseOption, from start: CivilDate) {
    currency = product.price?.currency ?? product.currency ?? .usd
    phases = [PaymentPhase(mode: .once, micros: option.micros, start: start)]
  }

  // MARK: Phases

  private var next: CivilDate? { phases.last?.end }

  private mutating func add(_ offer: PlayOffer, from start: CivilDate) {
    for (place, phase) in offer.phases.enumerated() {
      let isLast = place == offer.phases.count - 1
      let period = phase.period.period ?? phase.period.androidPeriod
      let cycles = isLast && phase.cycles == 0 ? nil : max(phase.cycles, 1)
      // A base plan with one period is prepaid, and never renews.
      let mode: PaymentPhase.Mode =
        isLast
        ? cycles == 1 ? .once : .regular
        : phase.micros == 0 ? .free : cycles == 1 ? .payUpFront : .payAsYouGo
      phases.append(
        PaymentPhase(
          mode: mode, micros: phase.micros, period: period, cycles: cycles, start: next ?? start))
    }
  }

  private mutating func add(
    _ product: PricedProduct, _ intro: IntroductoryOffer?, from start: CivilDate
  ) throws(PricingError) {
    guard var regular = try Self.regular(product, from: start) else { throw .missingPrice }
    if product.billingPlan?.kind == .monthly, product.billingPlan?.isAvailable == true {
      commitment = product.period
    }
    // A one-time purchase has no trial, even if the product names one.
    if let intro, regular.mode == .regular { phases.append(Self.phase(intro, from: start)) }
    regular.start = next ?? start
    guard let coupon = product.coupon else { return phases.append(regular) }
    let price = Money(micros: regular.micros, currency)
    var reduced = regular
    reduced.micros = try coupon.reduced(price)
    reduced.displayPrice = nil
    guard let cycles = Self.cycles(of: coupon, regular, from: start) else {
      return phases.append(reduced)
    }
    if cycles > 0 {
      reduced.cycles = cycles
      reduced.mode = reduced.micros == 0 ? .free : .payAsYouGo
      phases.append(reduced)
      regular.start = reduced.end ?? regular.start
    }
    phases.append(regular)
  }

  /// The number of charges that a coupon reduces, or nil for all charges.
  private static func cycles(of coupon: Coupon, _ regular: PaymentPhase, from start: CivilDate)
    -> Int?
  {
    guard regular.mode == .regular else { return nil }
    switch coupon.duration {
    case .forever: return nil
    case .once: return 1
    case .months(let count): return regular.charges(before: start.adding(months: count))
    }
  }

  private static func phase(_ intro: IntroductoryOffer, from start: CivilDate) -> PaymentPhase {
    let isFree = intro.isFree
    return PaymentPhase(
      mode: isFree ? .free : intro.mode == .payUpFront ? .payUpFront : .payAsYouGo,
      micros: isFree ? 0 : intro.micros, period: intro.period, cycles: intro.cycles,
      displayPrice: intro.displayPrice, start: start)
  }

  /// The regular price, or nil if it is unknown.
  private static func regular(_ product: PricedProduct, from start: CivilDate)
    throws(PricingError) -> PaymentPhase?
  {
    if !product.purchaseOptions.isEmpty {
      let id = PlayProductID(product.fullIdentifier ?? product.identifier)
      return PlayPurchaseOption.select(id, from: product.purchaseOptions).map {
        PaymentPhase(mode: .once, micros: $0.micros, start: start)
      }
    }
    if let plan = product.billingPlan, let micros = plan.micros, let period = product.period {
      return PaymentPhase(
        mode: .regular, micros: micros, period: plan.period ?? period, start: start)
    }
    guard let price = product.price else { return nil }
    guard let period = product.period, period.count > 0, product.kind?.isBoughtOnce != true else {
      let access = product.accessPeriod
      return PaymentPhase(
        mode: .once, micros: price.micros, period: access, cycles: access == nil ? nil : 1,
        displayPrice: product.displayPrice, start: start)
    }
    return PaymentPhase(
      mode: .regular, micros: price.micros, period: period, displayPrice: product.displayPrice,
      start: start)
  }
}

extension ProductKind {
  /// Whether the store charges only once.
  package var isBoughtOnce: Bool { self != .autoRenewableSubscription }
}

extension CivilDate {
  /// The day after a period. Months and years preserve the day of the month if it exists.
  package func adding(_ period: Period) -> CivilDate {
    switch period.unit {
    case .day: adding(days: period.count)
    case .week: adding(days: period.count * 7)
    case .month: adding(months: period.count)
    case .year: adding(years: period.count)
    }
  }
}
