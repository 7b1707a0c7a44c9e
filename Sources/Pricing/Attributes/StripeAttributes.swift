/// The Android SDK's products of Stripe (models/product/StripeProductType.kt), which differ from all others.
extension AttributeProducer {
  /// Writes `P1MONTH`, an adverb without the count, and "Monthly" or "3 months".
  func writeStripePeriod(_ period: Period, to writer: inout AttributeWriter) {
    writer.add { buffer in
      buffer.append("P")
      buffer.append(period.count)
      switch period.unit {
      case .day: buffer.append("DAY")
      case .week: buffer.append("WEEK")
      case .month: buffer.append("MONTH")
      case .year: buffer.append("YEAR")
      }
    }
    if period.count != 1 { writer.mark(.withoutCount, writer.place) }
    writer.add(PeriodNames.adverb(period.unit))
    let place = writer.place
    if period.count == 1 {
      switch period.unit {
      case .day: writer.add("Daily")
      case .week: writer.add("Weekly")
      case .month: writer.add("Monthly")
      case .year: writer.add("Yearly")
      }
    } else {
      writer.add { PeriodNames.writeCounted(period, to: &$0) }
    }
    writer.add(sameAs: place)
  }

  /// Computes prices from the year: six digits of the price per year, then two digits of its 365th, 52nd or 12th part.
  /// A week thus has 365/52 days.
  func writeStripeUnitPrices(
    _ terms: SuperwallTerms, _ formats: SuperwallFormats, to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let period = terms.period else {
      for _ in 0..<4 { writer.add("") }
      return
    }
    let perYear = Self.perYear(period.unit)
    let year = try ExactPrice.round(
      terms.micros, times: perYear, over: Int64(period.count), digits: 6, .down)
    for unit in Period.Unit.allCases {
      let derived = try ExactPrice.round(
        year, times: 1, over: Self.perYear(unit), digits: 2, .down)
      let exact = UnitFactors.superwall.count(of: unit, in: period.unit)
      let isAbove = ExactPrice.exceeds(
        try formats.perUnit.shown(derived), terms.micros, exact.denominator,
        try ExactPrice.product(exact.numerator, Int64(period.count)))
      if isAbove { writer.markAboveExact(writer.place) }
      writer.add(derived, formats.perUnit)
    }
  }

  private static func perYear(_ unit: Period.Unit) -> Int64 {
    switch unit {
    case .day: 365
    case .week: 52
    case .month: 12
    case .year: 1
    }
  }
}
