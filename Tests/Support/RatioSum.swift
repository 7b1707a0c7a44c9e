package import RuleEngine

extension Ratio {
  /// The exact sum.
  package func adding(_ other: Ratio) -> Ratio {
    // Over the least common denominator, which is small where a whole was divided.
    var (a, b) = (denominator, other.denominator)
    while b > 0 { (a, b) = (b, a % b) }
    return Ratio(
      numerator * (other.denominator / a) + other.numerator * (denominator / a),
      denominator / a * other.denominator)
  }
}
