/// The price per day, week, month and year: the price times a fraction from the factors, rounded once.
package struct UnitPrices: Hashable, Sendable {
  /// The price of one period.
  package let micros: Int64
  package let period: Period
  package let factors: UnitFactors

  package init(micros: Int64, period: Period, factors: UnitFactors) {
    self.micros = micros
    self.period = period
    self.factors = factors
  }

  /// A derived price, and its exact fraction of the whole price before rounding.
  package struct Derived: Hashable, Sendable {
    package var micros: Int64
    package var numerator: Int64
    package var denominator: Int64
  }

  /// The price per unit.
  ///
  /// - Parameters:
  ///   - digits: decimal digits of the result, 0 to 6.
  ///   - rounding: how the other digits are rounded.
  @inline(__always)
  package func per(
    _ target: Period.Unit, digits: Int, _ rounding: Rounding
  ) throws(PricingError) -> Derived {
    guard period.count > 0 else { throw .emptyPeriod }
    let units = factors.count(of: target, in: period.unit)
    let denominator = try ExactPrice.product(units.numerator, Int64(period.count))
    return Derived(
      micros: try ExactPrice.round(
        micros, times: units.denominator, over: denominator, digits: digits, rounding),
      numerator: units.denominator, denominator: denominator)
  }

  /// The price of an introductory offer per unit. The result is the whole price if the offer is shorter than the unit,
  /// otherwise a part of the price (StoreProductDiscount.swift).
  ///
  /// - Parameter cycles: the number of payments, at least one.
  package func perTrial(
    _ target: Period.Unit, cycles: Int64, digits: Int, _ rounding: Rounding
  ) throws(PricingError) -> Derived {
    let units = factors.count(of: target, in: period.unit)
    let count = try ExactPrice.product(Int64(period.count), cycles)
    let length = try ExactPrice.product(units.numerator, count)
    if length < units.denominator {
      return Derived(
        micros: try ExactPrice.product(micros, cycles), numerator: cycles, denominator: 1)
    }
    return try per(target, digits: digits, rounding)
  }
}
