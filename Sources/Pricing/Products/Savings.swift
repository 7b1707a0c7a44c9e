/// How much less a product costs per month than the monthly one.
package enum Savings {
  /// What savings are computed from: a price, and per what.
  package struct Offer: Hashable, Sendable {
    package var price: Money?
    package var period: Period?

    package init(price: Money?, period: Period?) {
      self.price = price
      self.period = period
    }

    /// Whether it is charged every month; days and weeks never are.
    var isMonthly: Bool { period?.normalized == Period(known: .month, 1) }
  }

  /// The place of the product that others are compared with: the first that is charged every month
  /// and costs something. Nil where there is none: quarters, and what is bought once, are no
  /// baseline.
  package static func baseline(_ offers: [Offer]) -> Int? {
    offers.firstIndex { $0.isMonthly && $0.price?.micros ?? 0 > 0 }
  }

  /// Whole percent that an offer saves against the monthly price, or nil where it saves nothing, is
  /// monthly itself, or is in another currency. Exact per-month prices, and the percentage
  /// rounded once.
  ///
  /// - Parameter rounding: half up is what AgentWallie shows; `down` never claims too much.
  package static func percentage(
    of offer: Offer, against baseline: Money, _ factors: UnitFactors = .agentWallie,
    _ rounding: Rounding = .halfUp
  ) throws(PricingError) -> Int? {
    guard let price = offer.price, let period = offer.period, period.count > 0,
      !offer.isMonthly, price.currency == baseline.currency, baseline.micros > 0
    else { return nil }
    // saved / base = 1 - price * d / (n * count * base), with n/d months in the unit.
    let months = factors.count(of: .month, in: period.unit)
    let whole = Int128(months.numerator) * Int128(period.count) * Int128(baseline.micros)
    let (part, overflow) = Int128(price.micros)
      .multipliedReportingOverflow(by: Int128(months.denominator))
    let (saved, overflowToo) = (whole - part).multipliedReportingOverflow(by: 100)
    guard !overflow, !overflowToo else { throw .overflow }
    let percent = ExactPrice.quotient(saved, whole, rounding)
    guard percent > 0 else { return nil }
    // A price below zero saves more than all.
    guard let whole = Int(exactly: percent) else { throw .overflow }
    return whole
  }
}
