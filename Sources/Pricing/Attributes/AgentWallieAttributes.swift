internal import Expressions

/// AgentWallie's variables (ProductResolver.swift): prices per month, labels, trials, savings, and Tollgate's additions.
extension AttributeProducer {
  /// The monthly price that the savings of a paywall's products are compared with.
  static func savingsBaseline(of products: [PricedProduct]) -> Money? {
    let offers = products.map {
      Savings.Offer(price: $0.price, period: AgentWallieTerms($0).period)
    }
    return Savings.baseline(offers).flatMap { offers[$0].price }
  }

  mutating func agentWallieAttributes(of product: PricedProduct, baseline: Money?)
    throws(PricingError)
    -> ProductAttributes
  {
    let terms = AgentWallieTerms(product)
    // The default for prices is the US locale.
    let locale = self.locale(context.locale ?? product.locale ?? context.deviceLocale)
    var writer = AttributeWriter(profile.schema)
    writePrice(product, locale, to: &writer)
    try writePerMonth(product, terms, locale, .halfEven, to: &writer)
    writePeriod(terms, to: &writer)
    writeTrial(product, locale, to: &writer)
    let offer = Savings.Offer(price: product.price, period: terms.period)
    func percentage(_ rounding: Rounding) throws(PricingError) -> Int? {
      guard let baseline else { return nil }
      return try Savings.percentage(of: offer, against: baseline, .agentWallie, rounding)
    }
    writer.add(int: try percentage(.halfUp))
    let slot = product.slot ?? ""
    writer.add(product.label ?? slot)
    writer.add(slot)
    let id = product.configID ?? product.identifier
    writer.add(unlessEmpty: id)
    if let price = product.price { writer.add(plain: price.micros) } else { writer.absent() }
    writer.add(unlessEmpty: product.identifier)
    try writePerMonth(product, terms, locale, .down, to: &writer)
    writer.add(int: try percentage(.down))
    writer.add(product.intro.map { $0.isFree } ?? false)
    if let mayHave = context.mayHaveOffer(of: product) {
      writer.add(mayHave)
    } else {
      writer.absent()
    }
    let currency = product.price?.currency ?? product.currency ?? .usd
    writeTimeline(of: product, format(currency, locale), to: &writer)
    return writer.finish(profile)
  }

  private mutating func writePrice(
    _ product: PricedProduct, _ locale: PriceLocale, to writer: inout AttributeWriter
  ) {
    if let text = product.displayPrice {
      if let price = product.price, product.period != nil,
        !format(price.currency, locale).writes(price.micros, as: text)
      {
        writer.mark(.storeText, writer.place)
      }
      writer.add(text)
    } else if let price = product.price {
      writer.add(price.micros, format(price.currency, locale))
    } else {
      writer.add("")
    }
  }

  /// Writes the price per month. The price is rounded down, so that the shown price is never too high.
  private mutating func writePerMonth(
    _ product: PricedProduct, _ terms: AgentWallieTerms, _ locale: PriceLocale,
    _ rounding: Rounding, to writer: inout AttributeWriter
  ) throws(PricingError) {
    guard let price = product.price, let period = terms.period else {
      writer.absent()
      return
    }
    let format = format(price.currency, locale)
    let prices = UnitPrices(micros: price.micros, period: period, factors: .agentWallie)
    let derived = try prices.per(.month, digits: format.fractionDigits, rounding)
    if ExactPrice.exceeds(
      derived.micros, price.micros, derived.numerator, derived.denominator)
    {
      writer.markAboveExact(writer.place)
    }
    writer.add(derived.micros, format)
  }

  private func writePeriod(_ terms: AgentWallieTerms, to writer: inout AttributeWriter) {
    guard let word = terms.word else {
      writer.absent()
      writer.absent()
      return
    }
    let first = writer.place
    writer.add(word)
    writer.add(AgentWallieTerms.label(ofWord: word))
    if let period = terms.period, period.count != 1 { writer.mark(.withoutCount, from: first) }
  }

  private mutating func writeTrial(
    _ product: PricedProduct, _ locale: PriceLocale, to writer: inout AttributeWriter
  ) {
    guard let intro = product.intro else {
      writer.absent()
      writer.absent()
      writer.add(false)
      return
    }
    writer.add { PeriodNames.writeCounted(AgentWallieTerms.total(intro), to: &$0) }
    if intro.mode == .freeTrial {
      writer.add("Free")
    } else if let text = intro.displayPrice {
      writer.add(text)
    } else if intro.micros != 0, let price = product.price {
      writer.add(intro.micros, format(price.currency, locale))
    } else {
      writer.add("")
    }
    writer.add(true)
  }
}

/// A product's period as AgentWallie describes it.
package struct AgentWallieTerms: Hashable, Sendable {
  /// The period for computations, or nil if there is no further charge or the period is unknown.
  package let period: Period?
  /// The word that is shown, or nil if nothing is known.
  package let word: String?

  package init(_ product: PricedProduct) {
    let shown = product.displayPeriod.flatMap { Period.Unit($0) }
    guard product.price != nil, let stored = product.period, stored.count > 0 else {
      period = nil
      // Without a store's product, only the dashboard's word is known, and it is used unchanged.
      word =
        product.price == nil ? product.displayPeriod : shown?.name
      return
    }
    guard let shown else {
      period = stored
      word = stored.unit.name
      return
    }
    // The sandbox of the App Store reports a week as 7 days, which is one week.
    let normal = stored.normalized
    period = normal.unit == shown ? normal : Period(known: shown, stored.count)
    word = shown.name
  }

  /// The label of a word: `/day`, `/wk`, `/mo`, `/yr`, or any other word after a slash.
  package static func label(ofWord word: String) -> String {
    switch Period.Unit(word) {
    case .day: "/day"
    case .week: "/wk"
    case .month: "/mo"
    case .year: "/yr"
    case nil: "/" + word
    }
  }

  /// The length of an introductory offer, over all its periods.
  package static func total(_ intro: IntroductoryOffer) -> Period {
    intro.period.repeated(intro.cycles) ?? intro.period
  }
}
