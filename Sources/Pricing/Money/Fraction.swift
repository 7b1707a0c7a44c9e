/// An exact quotient of whole numbers. A quotient is never rounded to a binary or decimal fraction before the price is
/// computed.
package struct Fraction: Hashable, Sendable {
  package let numerator: Int64
  /// The denominator, which is above 0.
  package let denominator: Int64

  /// - Precondition: the denominator is above 0.
  package init(_ numerator: Int64, _ denominator: Int64 = 1) {
    precondition(denominator > 0, "a fraction has a denominator above 0")
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The fraction, truncated after a number of decimal digits, as in systems that compute with a fixed scale. A whole number
  /// does not change.
  package func truncated(toDigits digits: Int) -> Fraction {
    guard numerator % denominator != 0 else { return self }
    let scale = powerOfTen(digits)
    return Fraction(numerator * scale / denominator, scale)
  }
}

/// The treatment of digits that are not shown.
package enum Rounding: Hashable, Sendable {
  /// Rounds towards minus infinity, so that a price is never shown too high.
  case down
  /// Rounds to the nearest digit, and ties to the even digit.
  case halfEven
  /// Rounds to the nearest digit, and ties away from zero.
  case halfUp
}

/// Exact arithmetic on prices in micros, with 128-bit intermediate results. A result that does not fit is an error.
package enum ExactPrice {
  /// `micros * numerator / denominator`, rounded to a number of decimal digits (0 to 6) of the currency's unit. The
  /// denominator is above 0.
  @inline(__always)
  package static func round(
    _ micros: Int64, times numerator: Int64, over denominator: Int64, digits: Int,
    _ rounding: Rounding
  ) throws(PricingError) -> Int64 {
    let step = powerOfTen(6 - min(max(digits, 0), 6))
    let (product, isWide) = micros.multipliedReportingOverflow(by: numerator)
    let (divisor, isFine) = denominator.multipliedReportingOverflow(by: step)
    if isWide || isFine {
      return try roundWide(micros, numerator, denominator, step, rounding)
    }
    let quotient = Self.quotient(product, divisor, rounding)
    let (result, overflow) = quotient.multipliedReportingOverflow(by: step)
    guard !overflow else { throw .overflow }
    return result
  }

  @inline(never)
  private static func roundWide(
    _ micros: Int64, _ numerator: Int64, _ denominator: Int64, _ step: Int64, _ rounding: Rounding
  ) throws(PricingError) -> Int64 {
    let quotient = Self.quotient(
      Int128(micros) * Int128(numerator), Int128(denominator) * Int128(step), rounding)
    let (result, overflow) = quotient.multipliedReportingOverflow(by: Int128(step))
    guard !overflow, let fitting = Int64(exactly: result) else { throw .overflow }
    return fitting
  }

  /// The rounded quotient. The divisor is above 0.
  @inline(__always)
  package static func quotient<Number: FixedWidthInteger & SignedInteger>(
    _ dividend: Number, _ divisor: Number, _ rounding: Rounding
  ) -> Number {
    let quotient = dividend / divisor
    let rest = dividend &- quotient &* divisor
    guard rest != 0 else { return quotient }
    let away: Number = rest < 0 ? -1 : 1
    switch rounding {
    case .down: return rest < 0 ? quotient &- 1 : quotient
    case .halfEven, .halfUp:
      // Doubling could overflow, but comparing with the rest of the divisor cannot.
      let size = rest.magnitude
      let other = divisor.magnitude &- size
      if size == other {
        return rounding == .halfUp || !quotient.isMultiple(of: 2) ? quotient &+ away : quotient
      }
      return size > other ? quotient &+ away : quotient
    }
  }

  /// Whether a shown price is above `micros * numerator / denominator`.
  @inline(__always)
  package static func exceeds(
    _ shown: Int64, _ micros: Int64, _ numerator: Int64, _ denominator: Int64
  ) -> Bool {
    let (left, isWide) = shown.multipliedReportingOverflow(by: denominator)
    let (right, isWideToo) = micros.multipliedReportingOverflow(by: numerator)
    if isWide || isWideToo {
      return Int128(shown) * Int128(denominator) > Int128(micros) * Int128(numerator)
    }
    return left > right
  }

  /// The product. Throws an error if the product does not fit into 64 bits.
  @inline(__always)
  package static func product(_ a: Int64, _ b: Int64) throws(PricingError) -> Int64 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    guard !overflow else { throw .overflow }
    return product
  }
}

/// 10 to a power from 0 to 18.
@inline(__always)
package func powerOfTen(_ exponent: Int) -> Int64 {
  switch exponent {
  case 0: 1
  case 1: 10
  case 2: 100
  case 3: 1_000
  case 4: 10_000
  case 5: 100_000
  case 6: 1_000_000
  default: (0..<min(max(exponent, 0), 18)).reduce(1) { power, _ in power * 10 }
  }
}
