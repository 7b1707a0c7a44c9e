/// An exact fraction in lowest terms.
///
/// ```swift
/// let share = Ratio(20, 60)
/// share.description  // "1/3"
/// share.double  // 1.0 / 3
/// ```
public struct Ratio: Hashable, Sendable {
  public let numerator: UInt128
  /// The denominator, which is never zero.
  public let denominator: UInt128

  /// Creates a fraction in lowest terms. If the denominator is zero, the fraction is zero.
  public init(_ numerator: UInt128, _ denominator: UInt128) {
    guard denominator > 0, numerator > 0 else {
      self.numerator = 0
      self.denominator = 1
      return
    }
    var (a, b) = (numerator, denominator)
    while b > 0 { (a, b) = (b, a % b) }
    self.numerator = numerator / a
    self.denominator = denominator / a
  }

  public static let zero = Ratio(0, 1)
  public static let one = Ratio(1, 1)

  /// The exact product of the fraction and a count, or nil if the product takes more than 128 bits.
  package func times(_ count: Int) -> Ratio? {
    let shorter = Ratio(UInt128(max(count, 0)), denominator)
    let product = numerator.multipliedReportingOverflow(by: shorter.numerator)
    return product.overflow ? nil : Ratio(product.partialValue, shorter.denominator)
  }

  /// The fraction as a double, accurate except for the last bits.
  public var double: Double { Double(numerator) / Double(denominator) }
}

extension Ratio: CustomStringConvertible {
  /// The fraction as `9/20`, or as a whole number.
  public var description: String {
    denominator == 1 ? String(numerator) : "\(numerator)/\(denominator)"
  }

  /// The fraction as a percentage with at most two decimals, such as `45 %`.
  public var percentage: String {
    let hundredths = Int((double * 10_000).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole) %" }
    let digits = rest < 10 ? "0\(rest)" : rest % 10 == 0 ? "\(rest / 10)" : "\(rest)"
    return "\(whole).\(digits) %"
  }
}

extension Ratio {
  /// Each weight's share of the sum of the weights. If all weights are zero, the shares are equal.
  ///
  /// Weights are read as the decimal numbers that they print as, so the share of the first of 33.3, 33.3 and 33.4 is
  /// 333/1000. Digits after the 31st of the largest weight are dropped, because draws could not distinguish them.
  package static func shares(of weights: [Double]) -> [Ratio] {
    let decimals = weights.map { Decimal($0) }
    guard let largest = decimals.compactMap({ $0.leadingExponent }).max() else {
      return weights.map { _ in Ratio(1, UInt128(weights.count)) }
    }
    let scaled = decimals.map { $0.scaled(unit: largest - 30) }
    // Only a config with more than a million variants could overflow the sum.
    let sum = scaled.reduce(UInt128(0)) { $0.addingReportingOverflow($1).partialValue }
    return scaled.map { Ratio($0, sum) }
  }

  /// A number as digits and a power of ten.
  private struct Decimal {
    var digits: UInt128 = 0
    var exponent = 0

    init(_ value: Double) {
      guard value.isFinite, value > 0 else { return }
      let parts = value.description.split(separator: "e")
      exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
      var isFraction = false
      for byte in parts[0].utf8 {
        if byte == UInt8(ascii: ".") {
          isFraction = true
        } else {
          digits = digits * 10 + UInt128(byte &- UInt8(ascii: "0"))
          if isFraction { exponent -= 1 }
        }
      }
    }

    /// The power of ten of the first digit; nil for zero.
    var leadingExponent: Int? {
      guard digits > 0 else { return nil }
      return exponent + String(digits).count - 1
    }

    /// The number in units of a power of ten, truncated.
    func scaled(unit: Int) -> UInt128 {
      var scaled = digits
      var power = exponent - unit
      while power > 0 {
        scaled *= 10
        power -= 1
      }
      while power < 0, scaled > 0 {
        scaled /= 10
        power += 1
      }
      return scaled
    }
  }
}
