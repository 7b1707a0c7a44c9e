internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// The facts about a product: the store's charges, and their times.
struct ClaimProduct: Sendable {
  /// A span with one price, before the regular price.
  struct Phase: Sendable {
    /// The price of one period.
    var micros: Int64
    var period: Period
    var cycles: Int

    var isFree: Bool { micros == 0 }
    /// The length of all periods together.
    var total: Period { period.repeated(cycles) ?? period }
  }

  var slot: String
  var identifier: String
  var product: PricedProduct
  var currency: Currency
  /// The price of one period, or of the product if it is bought once.
  var micros: Int64?
  /// The billing period; nil if the product does not renew.
  var period: Period?
  /// The phases before the regular price, for an eligible user.
  var phases: [Phase] = []
  /// The phases that every user has, such as the discount of a coupon.
  var phasesForAll: [Phase] = []
  /// Whether the product is charged again; false for a prepaid plan.
  private var isRecurring = true
  /// The regular price without a coupon.
  var fullMicros: Int64?
  /// Whether the store itself hides offers from ineligible users.
  var hidesOffers: Bool
  /// The commitment, if it is longer than the billing period.
  var commitment: Period?
  /// The format of prices in messages.
  private var format: CurrencyFormat

  init(_ product: PricedProduct, slot: String, locale: String?) {
    self.slot = slot
    self.product = product
    identifier = product.fullIdentifier ?? product.identifier
    currency = product.price?.currency ?? product.currency ?? .usd
    micros = product.price?.micros
    period = product.period.flatMap { $0.count > 0 ? $0.normalized : nil }
    hidesOffers = product.store == .playStore
    if !product.offers.isEmpty,
      let offer = PlayOffer.select(PlayProductID(identifier), from: product.offers),
      let base = offer.phases.last
    {
      micros = base.micros
      isRecurring = base.cycles != 1
      period = base.period.androidPeriod?.normalized
      phases = offer.phases.dropLast().compactMap { phase in
        phase.period.androidPeriod.map {
          Phase(micros: phase.micros, period: $0, cycles: max(phase.cycles, 1))
        }
      }
    } else if let intro = product.intro, intro.period.count > 0 {
      phases = [
        Phase(
          micros: intro.mode == .freeTrial ? 0 : intro.micros, period: intro.period,
          cycles: intro.mode == .payAsYouGo || intro.mode == .freeTrial ? intro.cycles : 1)
      ]
      if intro.mode == .payUpFront, intro.cycles > 1, let all = intro.period.repeated(intro.cycles)
      {
        phases[0].period = all
      }
    } else if let days = product.trialDays, days > 0, let period = Period(.day, days) {
      phases = [Phase(micros: 0, period: period, cycles: 1)]
    }
    if let plan = product.billingPlan, plan.kind == .monthly, let whole = period {
      commitment = whole
    }
    fullMicros = micros
    format = PriceLocale(locale ?? product.locale ?? "en_US").format(for: currency)
    if product.coupon != nil || !product.purchaseOptions.isEmpty { take(product) }
  }

  /// Takes the charges of a coupon, or of a purchase option, from the timeline.
  private mutating func take(_ product: PricedProduct) {
    // Amounts and lengths do not depend on the day.
    let day = CivilDate(daysSince1970: 0)
    guard let timeline = try? PaymentTimeline(product, from: day) else { return }
    func spans(_ timeline: PaymentTimeline) -> [Phase] {
      timeline.offer.compactMap { phase in
        phase.period.map { Phase(micros: phase.micros, period: $0, cycles: phase.cycles ?? 1) }
      }
    }
    phases = spans(timeline)
    micros = timeline.regular.micros
    if let others = try? PaymentTimeline(product, isEligible: false, from: day) {
      phasesForAll = spans(others)
    }
  }

  /// All charges before the same day of the next year.
  func totalInFirstYear(isEligible: Bool) -> Int64? {
    let day = CivilDate(daysSince1970: 0)
    return try? PaymentTimeline(product, isEligible: isEligible, from: day).totalInFirstYear()
  }

  /// Whether the offer begins with a free phase, for eligible users.
  var isFreeAtFirst: Bool { phases.first?.isFree ?? false }
  /// The total length of all free phases at the beginning.
  var freeTime: Period? { isFreeAtFirst ? phases[0].total : nil }
  var renews: Bool {
    period != nil && isRecurring
      && (product.kind == nil || product.kind == .autoRenewableSubscription)
  }
  /// Whether a product that is bought once expires.
  var ends: Bool { product.kind == .nonRenewingSubscription || product.accessPeriod != nil }

  func price(_ micros: Int64) -> String {
    format.text(micros: micros).split { $0 == "\u{A0}" || $0 == "\u{202F}" }.joined(separator: " ")
  }

  /// The charges in words, such as `charges $4.99 for 3 months now, then $59.99 every year`.
  func charges(isEligible: Bool) -> String {
    var parts: [String] = []
    for phase in isEligible ? phases : phasesForAll {
      parts.append(
        phase.isFree
          ? "nothing for \(phase.total.words)"
          : phase.cycles > 1
            ? "\(price(phase.micros)) every \(Self.unit(phase.period)) for \(phase.total.words)"
            : "\(price(phase.micros)) for \(phase.period.words)")
    }
    if let commitment, let plan = product.billingPlan, let micros = plan.micros,
      let period = plan.period
    {
      parts.append("\(price(micros)) every \(Self.unit(period)) for at least \(commitment.words)")
    } else if let micros {
      parts.append(price(micros) + (period.map { " every \(Self.unit($0))" } ?? " once"))
    }
    guard let first = parts.first else { return "has no price here" }
    let isFree = (isEligible ? phases : phasesForAll).first?.isFree ?? false
    return "charges "
      + ([isFree ? first : first + " now"] + parts.dropFirst()).joined(separator: ", then ")
  }

  private static func unit(_ period: Period) -> String {
    period.count == 1 ? period.unit.name : period.words
  }

  // MARK: Comparing periods

  /// The days of a period times 12. A year has 365 days, so a month is a whole number: 365.
  static func twelfths(_ period: Period) -> Int64 {
    switch period.unit {
    case .day: Int64(period.count) * 12
    case .week: Int64(period.count) * 84
    case .month: Int64(period.count) * 365
    case .year: Int64(period.count) * 365 * 12
    }
  }

  /// Whether readers consider two spans equal: 7 days and a week, 30 days and a month, 12 months
  /// and a year.
  static func isSame(_ one: Period, _ two: Period) -> Bool {
    if one.normalized == two.normalized { return true }
    let (a, b) = (twelfths(one), twelfths(two))
    if a == b { return true }
    let isMonths =
      one.unit == .month || two.unit == .month || one.unit == .year || two.unit == .year
    // A month has 28 to 31 days.
    guard isMonths else { return false }
    let months = max(1, max(a, b) / 365)
    return abs(a - b) <= 30 * months && (one.unit != two.unit)
  }

  /// The price per year for a price per period, in fractional micros.
  static func perYear(_ micros: Int64, _ period: Period) -> Double {
    Double(micros) / Double(twelfths(period)) * Double(365 * 12)
  }

  /// The regular price for a unit, unrounded; nil if the product does not renew.
  func price(per unit: Period.Unit) -> Double? {
    guard let micros, let period else { return nil }
    return Self.perYear(micros, period) / Self.perYear(1, Period(unit, 1) ?? period)
  }
}
