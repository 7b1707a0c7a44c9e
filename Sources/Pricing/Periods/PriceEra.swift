/// How the SDKs of an era divide prices among days, weeks, months and years. Versions of the same era divide in the
/// same way. `RuleEngine` has the versions.
package enum PriceEra: String, Hashable, Sendable, CaseIterable {
  /// Whole numbers of units: a week has 7 days, a month 30 days or 4 weeks. On iOS a week's price per day is multiplied instead
  /// of divided.
  case inverted
  /// The same as ``inverted``, but prices are always divided.
  case whole
  /// Fractions that add up to a year of 365 days: a week has 365/52 days.
  case fractions
  /// The newest era: fractions, but weeks have 7 days.
  case exact
}

extension PriceEra {
  /// The factors of the SDK for iOS, or of the SDK for Android.
  package func factors(isAndroid: Bool) -> UnitFactors {
    switch self {
    case .inverted: isAndroid ? .androidWhole : .iosInverted
    case .whole: isAndroid ? .androidWhole : .iosWhole
    case .fractions: isAndroid ? .androidFractions : .fractions
    case .exact: isAndroid ? .android : .superwall
    }
  }
}
