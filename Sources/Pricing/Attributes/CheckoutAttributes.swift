internal import CivilTime
internal import Expressions

/// The product object of the checkout context. Amounts have no symbol, and are rounded half up to the minor digits of ISO
/// 4217. Counts are numbers, and instants are in ISO 8601.
extension AttributeProducer {
  private static let units: [Period.Unit] = [.day, .week, .month, .year]

  mutating func checkoutAttributes(of product: PricedProduct) throws(PricingError)
    -> ProductAttributes
  {
    guard let price = product.price else { throw .missingPrice }
    let locale = priceLocale(of: product)
    let digits = price.currency.minorDigits
    let period = product.period.flatMap { $0.count > 0 ? $0 : nil }
    let intro = product.introOrTrialDays.map { offer in
      var offer = offer
      // A free trial costs nothing, whatever its price field says.
      if offer.isFree { offer.micros = 0 }
      return offer
    }
    var writer = AttributeWriter(profile.schema)
    writer.add(product.identifier)
    writer.add(price.currency.code)
    writer.add(symbol(price.currency, locale))
    for unit in Self.units { try writeUnitPrice(price, period, unit, to: &writer) }
    writer.add(locale.language)
    writer.add(locale.identifier)
    writeNames(period, to: &writer)
    writer.add(plain: try Self.rounded(price.micros, digits), digits: digits)
    writer.add(int: Self.minorUnits(price.micros, digits))
    writer.add(int: Self.minorUnits(intro?.micros ?? 0, digits))
    try writeTrialPrice(intro, .day, digits, to: &writer)
    for unit in [Period.Unit.day, .week, .month] {
      writer.add(int: Int64(intro?.period.length(in: unit) ?? 0))
    }
    writeEnd(intro, to: &writer)
    try writeTrialPrice(intro, .month, digits, to: &writer)
    writer.add(plain: try Self.rounded(intro?.micros ?? 0, digits), digits: digits)
    writeText(intro, to: &writer)
    try writeTrialPrice(intro, .week, digits, to: &writer)
    try writeTrialPrice(intro, .year, digits, to: &writer)
    writer.add(int: Int64(intro?.period.length(in: .year) ?? 0))
    return writer.finish(profile)
  }

  private static func rounded(_ micros: Int64, _ digits: Int) throws(PricingError) -> Int64 {
    try ExactPrice.round(micros, times: 1, over: 1, digits: digits, .halfUp)
  }

  private static func minorUnits(_ micros: Int64, _ digits: Int) -> Int64 {
    ExactPrice.quotient(micros, powerOfTen(6 - digits), .halfUp)
  }

  private func writeUnitPrice(
    _ price: Money, _ period: Period?, _ unit: Period.Unit, to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let period else {
      writer.absent()
      return
    }
    let digits = price.currency.minorDigits
    let prices = UnitPrices(
      micros: price.micros, period: period.normalized, factors: .superwall)
    let derived = try prices.per(unit, digits: digits, .halfUp)
    if ExactPrice.exceeds(derived.micros, price.micros, derived.numerator, derived.denominator) {
      writer.markAboveExact(writer.place)
    }
    writer.add(plain: derived.micros, digits: digits)
  }

  /// Writes `localizedPeriod`, `period`, `periodAlt`, the lengths, and `periodly`.
  private func writeNames(_ period: Period?, to writer: inout AttributeWriter) {
    guard let period else {
      for _ in 0..<3 { writer.add("") }
      for _ in 0..<4 { writer.add(int: 0) }
      writer.add("")
      return
    }
    writer.add { buffer in
      buffer.append("per ")
      if period.count == 1 {
        buffer.append(PeriodNames.unit(period.unit))
      } else {
        PeriodNames.writeCounted(period, to: &buffer)
      }
    }
    writer.add(PeriodNames.period(period))
    writer.add { buffer in
      if period.count != 1 {
        buffer.append(period.count)
        buffer.append(UInt8(ascii: " "))
      }
      switch period.unit {
      case .day: buffer.append("day")
      case .week: buffer.append("wk")
      case .month: buffer.append("mo")
      case .year: buffer.append("yr")
      }
    }
    for unit in [Period.Unit.day, .month, .week] {
      writer.add(int: Int64(period.length(in: unit)))
    }
    writeYears(period, to: &writer)
    writer.add(PeriodNames.periodly(period))
  }

  /// Writes the length in years to four digits: 0.0833 is a month. Whole years have no digits after the point.
  private func writeYears(_ period: Period, to writer: inout AttributeWriter) {
    let years = UnitFactors.superwall.count(of: .year, in: period.unit)
    let tenThousandths = ExactPrice.quotient(
      Int64(period.count) * 10_000 * years.numerator, years.denominator, .halfUp)
    if tenThousandths % 10_000 == 0 {
      writer.add(int: tenThousandths / 10_000)
    } else {
      writer.add(double: Double(tenThousandths) / 10_000)
    }
  }

  private func writeTrialPrice(
    _ intro: IntroductoryOffer?, _ unit: Period.Unit, _ digits: Int,
    to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let intro, intro.micros != 0 else {
      writer.add(plain: 0, digits: digits)
      return
    }
    let prices = UnitPrices(
      micros: intro.micros, period: intro.period.normalized, factors: .superwall)
    let derived = try prices.perTrial(
      unit, cycles: Int64(intro.cycles), digits: digits, .halfUp)
    // If a trial is shorter than the unit, the price per unit is the whole price.
    let shown = try Self.rounded(derived.micros, digits)
    if ExactPrice.exceeds(shown, intro.micros, derived.numerator, derived.denominator) {
      writer.markAboveExact(writer.place)
    }
    writer.add(plain: shown, digits: digits)
  }

  private func writeEnd(_ intro: IntroductoryOffer?, to writer: inout AttributeWriter) {
    guard let intro, let text = Self.text(end.instant(after: intro.period)) else {
      writer.absent()
      return
    }
    writer.add(text)
  }

  /// An instant as `2026-03-13T00:00:00.000Z`.
  private static func text(_ instant: Instant) -> String? {
    guard let time = Timestamp(seconds: instant.seconds) else { return nil }
    let digits = String(1_000 + instant.millisecondOfSecond).dropFirst()
    return time.text.dropLast() + "." + digits + "Z"
  }

  private func writeText(_ intro: IntroductoryOffer?, to writer: inout AttributeWriter) {
    guard let intro else {
      writer.add("")
      return
    }
    writer.add { buffer in
      buffer.append(intro.period.length(in: .day))
      buffer.append(intro.isFree ? "-day free trial" : "-day trial")
    }
  }
}
