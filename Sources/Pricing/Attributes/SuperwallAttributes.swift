package import CivilTime
internal import Expressions

/// The formats of a product's prices in a profile.
struct SuperwallFormats {
  /// The format of the price and of the trial's price.
  var price: CurrencyFormat
  /// The format of prices per day, week, month and year.
  var perUnit: CurrencyFormat
  /// The locale of the attributes, and its identifier as a string.
  var locale: PriceLocale
  var symbol: String
  /// Whether prices per unit have the sign of another currency.
  var hasForeignSign = false
}

extension AttributeProducer {
  private static let units: [Period.Unit] = [.day, .week, .month, .year]

  /// The strings of Superwall's SDKs (StoreProduct.swift, StoreProductType.kt and the code that they call), and Tollgate's
  /// additions.
  mutating func superwallAttributes(of product: PricedProduct) throws(PricingError)
    -> ProductAttributes
  {
    let terms = try SuperwallTerms(product, profile)
    let formats = superwallFormats(product, terms.currency)
    var writer = AttributeWriter(profile.schema)
    writer.add(plain: terms.micros, digits: profile.isAndroid ? 2 : nil)
    // The Android SDK formats the price itself. All other SDKs show the store's string.
    if let text = product.displayPrice, !profile.isAndroid {
      if terms.period != nil, !formats.price.writes(terms.micros, as: text) {
        writer.mark(.storeText, writer.place)
      }
      writer.add(text)
    } else {
      writer.add(terms.micros, formats.price)
    }
    writePeriod(terms.period, to: &writer)
    if profile == .androidStripe {
      try writeStripeUnitPrices(terms, formats, to: &writer)
    } else {
      try writeUnitPrices(terms, formats, to: &writer)
    }
    try writeTrial(terms, formats, to: &writer)
    writeNames(product, terms, formats, to: &writer)
    try writeAdditions(product, terms, formats, to: &writer)
    writeTimeline(of: product, formats.price, to: &writer)
    return writer.finish(profile)
  }

  private mutating func superwallFormats(_ product: PricedProduct, _ currency: Currency)
    -> SuperwallFormats
  {
    let locale =
      switch profile {
      case .androidPlay, .androidStripe, .androidTest:
        context.locale.map { self.locale($0) } ?? device
      case .iosAPI: self.locale(context.locale ?? Self.storefrontLocale(product.storefront))
      default: priceLocale(of: product)
      }
    let format = format(currency, locale)
    var perUnit = format
    var hasForeignSign = false
    // The iOS SDK's formatter for Stripe has a locale and no currency.
    if profile == .iosStripe, let own = locale.regionCurrency, own != currency {
      perUnit = self.format(own, locale)
      hasForeignSign = true
    }
    return SuperwallFormats(
      price: format, perUnit: perUnit, locale: locale, symbol: symbol(currency, locale),
      hasForeignSign: hasForeignSign)
  }

  /// English in the region of a storefront.
  private static func storefrontLocale(_ storefront: String?) -> String {
    guard let storefront, let region = LocaleIndex.shared.region(alpha3: storefront) else {
      return "en_US"
    }
    return "en_" + region.code
  }

  // MARK: Period

  private func writePeriod(_ period: Period?, to writer: inout AttributeWriter) {
    guard let period else {
      writer.add("")
      // StoreKit 1 appends "ly" to the empty name.
      writer.add(profile == .iosStoreKit1 ? "ly" : "")
      writer.add("")
      writer.add("")
      for _ in Self.units { writer.add("0") }
      return
    }
    if profile == .androidStripe {
      writeStripePeriod(period, to: &writer)
    } else {
      let first = writer.place
      writer.add(PeriodNames.period(period))
      writer.add(PeriodNames.periodly(period))
      if !PeriodNames.tellCount(of: period) { writer.mark(.withoutCount, from: first) }
      let place = writer.place
      switch profile {
      case .androidPlay: writer.add { device.periods.write(period, .long, to: &$0) }
      case .androidTest: writer.add { PeriodNames.writeCounted(period, to: &$0) }
      default: writer.add { device.periods.write(period, .short, to: &$0) }
      }
      writer.add(sameAs: place)
    }
    for unit in Self.units { writer.add(text: period.length(in: unit)) }
  }

  // MARK: Prices per unit

  private func writeUnitPrices(
    _ terms: SuperwallTerms, _ formats: SuperwallFormats, to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let period = terms.period, terms.micros != 0 || profile.dividesZero else {
      writeWithoutUnits(terms, formats, to: &writer)
      return
    }
    var era = profile.isAndroid ? context.androidEra : context.iosEra
    // With StoreKit 1, the SDK has always divided.
    if era == .inverted, profile != .iosStoreKit2 { era = .whole }
    let prices = UnitPrices(
      micros: terms.micros,
      period: profile.dividesNormalized && era == .exact ? period.normalized : period,
      factors: era.factors(isAndroid: profile.isAndroid))
    for unit in Self.units {
      let derived = try prices.per(unit, digits: 2, .down)
      let exact = UnitFactors.superwall.count(of: unit, in: prices.period.unit)
      let isAbove = ExactPrice.exceeds(
        try formats.perUnit.shown(derived.micros), terms.micros, exact.denominator,
        try ExactPrice.product(exact.numerator, Int64(prices.period.count)))
      if isAbove { writer.markAboveExact(writer.place) }
      if formats.hasForeignSign { writer.mark(.foreignSign, writer.place) }
      writer.add(derived.micros, formats.perUnit)
    }
  }

  /// Writes the attributes of a product that has no period, or that costs nothing.
  private func writeWithoutUnits(
    _ terms: SuperwallTerms, _ formats: SuperwallFormats, to writer: inout AttributeWriter
  ) {
    let isZero =
      switch profile {
      case .iosAPI: true
      case .iosStoreKit1, .iosStripe: terms.micros == 0
      default: false
      }
    for _ in Self.units {
      if isZero {
        if profile == .iosStripe { writer.add("$0.00") } else { writer.add(0, formats.perUnit) }
      } else {
        writer.add("n/a")
      }
    }
  }

  // MARK: Trial

  private func writeTrial(
    _ terms: SuperwallTerms, _ formats: SuperwallFormats, to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let trial = terms.trial else {
      writer.add("0")
      let place = writer.place
      if profile == .iosStoreKit1 { writer.add("") } else { writer.add(0, formats.price) }
      for _ in Self.units { writer.add("0") }
      writer.add("")
      writer.add("")
      for _ in Self.units {
        if profile == .iosStoreKit1 {
          writer.add(0, formats.perUnit)
        } else {
          writer.add(sameAs: place)
        }
      }
      return
    }
    // The Android SDK writes two digits if the price is not zero.
    writer.add(
      plain: trial.micros, digits: profile.isAndroid && trial.micros != 0 ? 2 : nil)
    if let text = trial.displayPrice, !profile.isAndroid {
      if !formats.price.writes(trial.micros, as: text) { writer.mark(.storeText, writer.place) }
      writer.add(text)
    } else {
      writer.add(trial.micros, formats.price)
    }
    let told = trial.told(profile)
    let first = writer.place
    for unit in Self.units { writer.add(text: told.length(in: unit)) }
    writeTrialText(trial, to: &writer)
    writer.add { buffer in
      let date = end.date(after: told)
      (profile.isAndroid ? androidDate : device.dates).write(date, to: &buffer)
    }
    if trial.cycles > 1, told == trial.period { writer.mark(.onePeriod, from: first) }
    for unit in Self.units { try writeTrialPrice(trial, per: unit, formats, to: &writer) }
  }

  /// The end of the product's trial if it began now, or nil without a trial.
  package func trialEnd(of product: PricedProduct) -> Instant? {
    guard let terms = try? SuperwallTerms(product, profile), let trial = terms.trial else {
      return nil
    }
    return end.instant(after: trial.told(profile))
  }

  private func writeTrialText(_ trial: SuperwallTerms.Trial, to writer: inout AttributeWriter) {
    writer.add { buffer in
      if profile == .androidStripe {
        // The SDK shows the number of periods with the unit of one period, even if one period has several units.
        if let counted = Period(trial.period.unit, Int(trial.cycles)) {
          PeriodNames.writeCounted(counted, to: &buffer)
        }
        buffer.append(" free trial")
      } else {
        buffer.append(trial.period.length(in: .day))
        buffer.append("-day")
      }
    }
  }

  private func writeTrialPrice(
    _ trial: SuperwallTerms.Trial, per unit: Period.Unit, _ formats: SuperwallFormats,
    to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard trial.micros != 0 else {
      writer.add(0, formats.perUnit)
      return
    }
    var prices = UnitPrices(
      micros: trial.micros, period: profile.isAndroid ? trial.period : trial.period.normalized,
      factors: profile.isAndroid ? .androidTrial : .iosTrial)
    let derived: UnitPrices.Derived
    if profile == .iosAPI {
      // Products of the backend have trials in days, and always divide by days.
      prices = UnitPrices(micros: trial.micros, period: trial.period, factors: .superwall)
      derived = try prices.per(unit, digits: 2, .down)
    } else {
      derived = try prices.perTrial(unit, cycles: trial.cycles, digits: 2, .down)
    }
    let exact = try UnitPrices(
      micros: trial.micros, period: prices.period, factors: .superwall
    ).perTrial(unit, cycles: trial.cycles, digits: 2, .down)
    let shown = try formats.perUnit.shown(derived.micros)
    if profile != .iosAPI,
      ExactPrice.exceeds(shown, trial.micros, exact.numerator, exact.denominator)
    {
      writer.markAboveExact(writer.place)
    }
    if formats.hasForeignSign { writer.mark(.foreignSign, writer.place) }
    writer.add(derived.micros, formats.perUnit)
  }

  // MARK: Names and additions

  private func writeNames(
    _ product: PricedProduct, _ terms: SuperwallTerms, _ formats: SuperwallFormats,
    to writer: inout AttributeWriter
  ) {
    writer.add(formats.locale.identifier)
    writer.add(formats.locale.language)
    writer.add { buffer in
      for place in 0..<3 { buffer.append(terms.currency.byte(place)) }
    }
    writer.add(formats.symbol)
    if profile.isAndroid {
      // First the full identifier, then the identifier of the product alone.
      let full = product.fullIdentifier ?? product.identifier
      writer.add(full)
      if profile == .androidPlay {
        writer.add(full, upTo: UInt8(ascii: ":"))
      } else {
        writer.add(product.identifier)
      }
    } else {
      writer.add(product.identifier)
      let plan = product.billingPlan.flatMap { $0.isAvailable ? $0.kind : nil }
      switch plan {
      case .upFront: writer.add("UP_FRONT")
      case .monthly: writer.add("MONTHLY")
      case nil: writer.add("")
      }
      writer.add(plan != nil ? "true" : "false")
    }
  }

  private func writeAdditions(
    _ product: PricedProduct, _ terms: SuperwallTerms, _ formats: SuperwallFormats,
    to writer: inout AttributeWriter
  ) throws(PricingError) {
    if let period = terms.period {
      writer.add { PeriodNames.writeAdverb(period, to: &$0) }
    } else {
      writer.add("")
    }
    writer.add(text: terms.trial.map { $0.period.length(in: .day) * Int($0.cycles) } ?? 0)
    if let period = terms.period {
      let prices = UnitPrices(
        micros: terms.micros, period: period.normalized, factors: .superwall)
      for unit in Self.units {
        let derived = try prices.per(unit, digits: formats.price.fractionDigits, .down)
        writer.add(derived.micros, formats.price)
      }
    } else {
      for _ in Self.units { writer.add("n/a") }
    }
    writer.add(terms.hasFreeTrial)
    writer.add(terms.isTrialFree)
    writeAvailability(product, to: &writer)
  }

  private func writeAvailability(_ product: PricedProduct, to writer: inout AttributeWriter) {
    if let mayHave = context.mayHaveOffer(of: product) {
      writer.add(mayHave)
    } else {
      writer.absent()
    }
  }
}

extension PricingProfile {
  /// Whether 7 days count as a week and 12 months as a year when prices are divided.
  fileprivate var dividesNormalized: Bool { self == .iosStoreKit2 || self == .iosStoreKit1 }

  /// Whether a price of 0 is divided like any other price.
  fileprivate var dividesZero: Bool {
    switch self {
    case .iosStoreKit1, .iosStripe, .iosAPI: false
    default: true
    }
  }
}
