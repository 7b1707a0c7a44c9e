/// The savings of a product per month, compared with the monthly product.
package enum Savings {
  /// The input for savings: a price and its period.
  package struct Offer: Hashable, Sendable {
    package var price: Money?
    package var period: Period?

    package init(price: Money?, period: Period?) {
      self.price = price
      self.period = period
    }

    /// Whether the offer is charged every month. A period of days or weeks is never monthly.
    var isMonthly: Bool { period?.normalized == Period(known: .month, 1) }
  }

  /// The index of the product for comparison: the first that is charged every month and is not free. The result is nil
  /// if there is no such product. Quarters and one-time purchases are not a baseline.
  package static func baseline(_ offers: [Offer]) -> Int? {
    offers.firstIndex { $0.isMonthly && $0.price?.micros ?? 0 > 0 }
  }

  /// The savings of an offer compared with the monthly price, in whole percent. The result is nil if the offer saves
  /// nothing, is itself monthly, or is in another currency. The monthly prices are exact, and only the percentage is
  /// rounded.
  ///
  /// - Parameter rounding: `halfUp` is AgentWallie's rounding. `down` never overstates the savings.
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
    // With a price below zero, the savings exceed 100 percent.
    guard let whole = Int(exactly: percent) else { throw .overflow }
    return whole
  }
}
