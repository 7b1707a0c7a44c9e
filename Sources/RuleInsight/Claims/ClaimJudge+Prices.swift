internal import Expressions
internal import Pricing

/// Claims about prices: the period, the amount, the currency.
extension ClaimJudge {
  mutating func judgePrices(_ sentence: Range<Int>) {
    for money in reading.moneys where sentence.contains(money.range.lowerBound) {
      if let attribute = money.attribute {
        judge(attribute, money, sentence)
      } else if !money.isStruck {
        judgeAmount(money, sentence)
      }
      judgeCurrency(money, sentence)
    }
    for attribute in attributes(in: sentence) where attribute.meaning == .period {
      judgePeriod(attribute, sentence)
    }
    for span in reading.quantities where sentence.contains(span.range.lowerBound) {
      guard let attribute = span.attribute, case .periodLength = attribute.meaning else { continue }
      let period = products[attribute.product].period
      add(
        .period, attribute.product, span.range, in: sentence,
        holds: period.map { ClaimProduct.isSame($0, span.period) } ?? false)
    }
  }

  // MARK: Per what

  private mutating func judge(_ attribute: Attribute, _ money: Money, _ sentence: Range<Int>) {
    guard let unit = money.unit, !attribute.range.isEmpty, money.amount != nil else { return }
    let known = products[attribute.product]
    let range =
      money.range.lowerBound < unit.range.lowerBound
      ? money.range.lowerBound..<unit.range.upperBound
      : unit.range.lowerBound..<money.range.upperBound
    switch attribute.meaning {
    case .price(per: nil):
      add(
        .period, attribute.product, range, in: sentence,
        holds: known.period.map { ClaimProduct.isSame($0, unit.period) } ?? false,
        "the price is not for \(Self.article(unit.period))")
    case .price(per: let per?):
      if known.period == nil { return }
      let meant = Period(per, 1) ?? unit.period
      add(
        .period, attribute.product, range, in: sentence,
        holds: ClaimProduct.isSame(meant, unit.period),
        "\(attribute.name) is the price for \(Self.article(meant)), not for \(Self.article(unit.period))"
      )
    case .offerPrice(let per):
      guard let phase = phases(attribute.product).first, !phase.isFree else { return }
      let meant = per.flatMap { Period($0, 1) } ?? phase.period
      add(
        .offerPrice, attribute.product, range, in: sentence,
        holds: ClaimProduct.isSame(meant, unit.period))
    default: return
    }
  }

  static func article(_ period: Period) -> String {
    period.count == 1 ? "a \(period.unit.name)" : period.words
  }

  /// A word for a period that is not the period: `week` for 2 weeks.
  private mutating func judgePeriod(_ attribute: Attribute, _ sentence: Range<Int>) {
    guard !attribute.range.isEmpty, let said = ClaimAttribute.period(inWords: attribute.text),
      let period = products[attribute.product].period
    else { return }
    add(
      .period, attribute.product, attribute.range, in: sentence,
      holds: ClaimProduct.isSame(said, period),
      "it is charged every \(period.count == 1 ? period.unit.name : period.words)")
  }

  // MARK: How much

  /// A price as a number in the text, or one that was worked out.
  private mutating func judgeAmount(_ money: Money, _ sentence: Range<Int>) {
    let clause = clause(money.range.lowerBound, in: sentence)
    guard let amount = money.amount, amount > 0 else { return }
    if isBound(money, in: clause) { return judgeBound(amount, money, sentence) }
    if reading.has(.hedge, in: clause) || reading.has(.off, in: clause)
      || reading.words(.instead, in: clause).contains(where: {
        $0.range.upperBound <= money.range.lowerBound
      })
    {
      return
    }
    let isComputed = !money.sources.isEmpty
    let about =
      isComputed ? money.sources : products(at: money.range.lowerBound, in: sentence)
    let candidates = about.filter {
      money.currencies.isEmpty || money.currencies.contains(products[$0].currency.code)
    }
    guard !candidates.isEmpty else { return }
    let isMatched = candidates.contains { matches(amount, money.unit?.period, $0, isComputed) }
    let range =
      money.unit.map {
        min(
          money.range.lowerBound, $0.range.lowerBound)..<max(
            money.range.upperBound, $0.range.upperBound)
      } ?? money.range
    if isMatched {
      for product in candidates where matches(amount, money.unit?.period, product, isComputed) {
        let isOffer = isOfferPrice(amount, product)
        let needsOffer = isOffer && !isRegular(amount, money.unit?.period, product, isComputed)
        add(
          .price, product, range, in: sentence, holds: !needsOffer || !phases(product).isEmpty)
      }
      return
    }
    // A number that no product has anything to do with may be about something else.
    guard money.unit != nil || isPriced(money, sentence) else {
      return add(
        .price, nil, range, in: sentence,
        .unknown("no product costs '\(text.text(money.range))'; it may be about something else"))
    }
    for product in candidates.prefix(isComputed ? 3 : 8) {
      add(.price, product, range, in: sentence, holds: false)
    }
  }

  /// Whether a price for a period follows `less than` directly.
  private func isBound(_ money: Money, in clause: Range<Int>) -> Bool {
    money.unit != nil
      && reading.words(.below, in: clause).contains {
        0...2 ~= money.range.lowerBound - $0.range.upperBound
      }
  }

  /// `less than $1 a week`: it is about the products that cost less, or else about all.
  private mutating func judgeBound(_ amount: Double, _ money: Money, _ sentence: Range<Int>) {
    guard let unit = money.unit else { return }
    var costs: [(product: Int, price: Double)] = []
    for product in products(at: money.range.lowerBound, in: sentence).prefix(8) {
      let known = products[product]
      guard money.currencies.isEmpty || money.currencies.contains(known.currency.code),
        let price = known.price(per: unit.period.unit)
      else { continue }
      costs.append((product, price * Double(unit.period.count) / 1e6))
    }
    let cheaper = costs.filter { $0.price < amount + 0.0051 }
    for (product, price) in cheaper.isEmpty ? costs : cheaper {
      add(
        .price, product,
        min(
          money.range.lowerBound, unit.range.lowerBound)..<max(
            money.range.upperBound, unit.range.upperBound),
        in: sentence, holds: !cheaper.isEmpty,
        "\(Self.article(unit.period)) costs \(products[product].price(Int64(price * 1e6)))")
    }
  }

  private func isPriced(_ money: Money, _ sentence: Range<Int>) -> Bool {
    let clause = clause(money.range.lowerBound, in: sentence)
    return reading.words(.then, in: sentence).contains {
      let gap = money.range.lowerBound - $0.range.upperBound
      return 0...12 ~= gap
    } || [ClaimWords.Kind.lifetime, .billed, .today].contains { reading.has($0, in: clause) }
      || reading.quantities.contains {
        clause.contains($0.range.lowerBound) && !isRate($0) && reading.has(.first, in: clause)
      }
  }

  private func isOfferPrice(_ amount: Double, _ product: Int) -> Bool {
    products[product].phases.contains {
      abs(Double($0.micros) / 1e6 - amount) < 0.0051 && $0.micros > 0
        || abs(Double($0.micros) * Double($0.cycles) / 1e6 - amount) < 0.0051 && $0.micros > 0
    }
  }

  private func isRegular(_ amount: Double, _ unit: Period?, _ product: Int, _ isComputed: Bool)
    -> Bool
  {
    let known = products[product]
    guard let micros = known.micros else { return true }
    let price = Double(micros) / 1e6
    let isPrice = abs(price - amount) < 0.0051
    guard let unit else {
      return isPrice || perUnits(known).contains { isNear($0, amount, most: $0 * 0.1) }
    }
    if isPrice, let period = known.period { return ClaimProduct.isSame(period, unit) }
    if isPrice { return false }
    guard known.period != nil else { return false }
    let perUnit = known.price(per: unit.unit).map { $0 * Double(unit.count) / 1e6 }
    return perUnit.map { isNear($0, amount, most: 0.501) } ?? false
  }

  private func perUnits(_ known: ClaimProduct) -> [Double] {
    Period.Unit.allCases.compactMap { known.price(per: $0).map { $0 / 1e6 } }
  }

  /// Whether an exact price may be written like this: within two cents, or in whole units, at most
  /// `most` above the price or 4 % below it.
  private func isNear(_ exact: Double, _ said: Double, most: Double) -> Bool {
    let isWhole = said == said.rounded()
    let unit = !isWhole ? 0.021 : min(0.501, said < exact ? exact * 0.04 : most)
    return abs(exact - said) <= max(unit, exact * 0.004)
  }

  private func matches(_ amount: Double, _ unit: Period?, _ product: Int, _ isComputed: Bool)
    -> Bool
  {
    isRegular(amount, unit, product, isComputed)
      || isOfferPrice(amount, product)
        && (unit == nil
          || products[product].phases.contains { ClaimProduct.isSame($0.period, unit ?? $0.period) })
  }

  // MARK: Currency

  private mutating func judgeCurrency(_ money: Money, _ sentence: Range<Int>) {
    let clause = clause(money.range.lowerBound, in: sentence)
    if !money.currencies.isEmpty, !reading.has(.hedge, in: clause) {
      let about =
        money.sources.isEmpty ? products(at: money.range.lowerBound, in: sentence) : money.sources
      for product in about.prefix(8) where money.amount != 0 || money.sources.isEmpty == false {
        let code = products[product].currency.code
        add(
          .currency, product, money.range, in: sentence, holds: money.currencies.contains(code),
          "the product is sold in \(code)")
      }
    }
    guard let attribute = money.attribute, !attribute.range.isEmpty else { return }
    let known = products[attribute.product]
    if let own = ClaimStorefronts.currency(known.product.storefront), own != known.currency.code {
      add(
        .currency, attribute.product, money.range, in: sentence, holds: false,
        "the App Store charges \(own) in the storefront \(known.product.storefront ?? "")")
    }
    judgeStripe(attribute, known, money, sentence)
  }

  /// Superwall's iOS SDK writes prices per unit of Stripe's products with the sign of the locale.
  private mutating func judgeStripe(
    _ attribute: Attribute, _ known: ClaimProduct, _ money: Money, _ sentence: Range<Int>
  ) {
    guard (profile ?? PricingProfile(usualFor: known.product.store)) == .iosStripe,
      case .price(per: .some) = attribute.meaning, let amount = money.amount, amount < 1e12
    else { return }
    let expected = Self.signs(known.price(Int64(amount * 1e6)))
    let shown = Self.signs(attribute.text)
    add(
      .currency, attribute.product, money.range, in: sentence, holds: expected == shown,
      "the SDK writes the currency of the locale, and the product is sold in \(known.currency.code)"
    )
  }

  private static func signs(_ text: String) -> String {
    String(text.filter { $0.isLetter || $0.isSymbol || $0.isCurrencySymbol })
  }
}
