public import Expressions
public import Pricing

extension PriceLocale {
  /// A note if the identifier is not in the tables, or nil if it is.
  public var diagnostic: Diagnostic? {
    let base = dataIdentifier.prefix { $0 != "+" }
    switch match {
    case .exact: return nil
    case .partial:
      return Diagnostic(
        .unknownLocale,
        "parts of the locale '\(identifier)' are ignored; '\(base)' is used instead",
        severity: .note)
    case .composed:
      return Diagnostic(
        .unknownLocale,
        "the locale '\(identifier)' does not exist: '\(base)' with separators and symbols of "
          + (region ?? ""), severity: .note)
    case .languageOnly:
      return Diagnostic(
        .unknownLocale,
        "the region '\(region ?? "")' does not exist: '\(base)' is used instead of '\(identifier)'",
        severity: .warning)
    case .unknown:
      return Diagnostic(
        .unknownLocale, "the locale '\(identifier)' does not exist; en_001 is used instead",
        severity: .warning,
        suggestion: Suggestion.question(about: identifier, among: PriceLocale.identifiers))
    }
  }
}

extension AttributeProducer {
  /// Diagnostics about the locales that were used last.
  public var diagnostics: [Diagnostic] {
    var found: [Diagnostic] = []
    for diagnostic in knownLocales.compactMap({ $0.diagnostic }) where !found.contains(diagnostic) {
      found.append(diagnostic)
    }
    return found
  }
}
