internal import Expressions
internal import Pricing

/// Claims about prices: the period, the amount, the currency.
extension ClaimJudge {
  mutating func judgePrices(_ sentence: Range<Int>) {
    for money in reading.moneys where sentence.contains(money.range.lowerBound) {
      if judgeToday(money, sentence) {
        // The amount is the one of the purchase.
      } else if let attribute = money.attribute {
        judge(attribute, money, sentence)
        judgeOtherPeriod(attribute, sentence)
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

  // MARK: Periods

  private mutating func judge(_ attribute: Attribute, _ money: Money, _ sentence: Range<Int>) {
    guard let unit = money.unit, !attribute.range.isEmpty, money.amount != nil else { return }
    let known = products[attribute.product]
    let range = Self.range(money.range, unit.range, text)
    switch attribute.meaning {
    case .price(per: nil):
      let period =
        known.period ?? (unit.isSpan || unit.isName ? known.product.accessPeriod : nil)
      add(
        .period, attribute.product, range, in: sentence,
        holds: period.map { ClaimProduct.isSame($0, unit.period) } ?? false,
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

  /// Checks a price with the period of another product: `{{ secondary.price }}/{{
  /// primary.localizedPeriod }}`.
  private mutating func judgeOtherPeriod(_ attribute: Attribute, _ sentence: Range<Int>) {
    guard case .price(per: nil) = attribute.meaning, !attribute.range.isEmpty else { return }
    var at = reading.skip(attribute.range.upperBound, [" "])
    if at < text.scalars.count, text.scalars[at] == "/" { at += 1 }
    if let per = reading.match([.per], at: at) { at += per.count }
    at = reading.skip(at, [" "])
    guard
      let other = reading.attributes.first(where: {
        $0.range.lowerBound == at && !$0.range.isEmpty && $0.product != attribute.product
          && ($0.meaning == .localizedPeriod || $0.meaning == .period)
      }), let period = products[attribute.product].period,
      let theirs = products[other.product].period
    else { return }
    add(
      .period, attribute.product, attribute.range.lowerBound..<other.range.upperBound,
      in: sentence, holds: ClaimProduct.isSame(period, theirs),
      "the period belongs to '\(products[other.product].identifier)'")
  }

  /// The range of a price and its period, or of the price alone if the period is on another line.
  private static func range(_ price: Range<Int>, _ unit: Range<Int>, _ text: ClaimText)
    -> Range<Int>
  {
    let whole =
      min(price.lowerBound, unit.lowerBound)..<max(price.upperBound, unit.upperBound)
    return text.scalars[whole].contains("\n") ? price : whole
  }

  static func article(_ period: Period) -> String {
    period.count == 1 ? "a \(period.unit.name)" : period.words
  }

  /// Checks a word for a period against the product's period: `week` is false for 2 weeks.
  private mutating func judgePeriod(_ attribute: Attribute, _ sentence: Range<Int>) {
    guard !attribute.range.isEmpty, let said = ClaimAttribute.period(inWords: attribute.text),
      let period = products[attribute.product].period
    else { return }
    add(
      .period, attribute.product, attribute.range, in: sentence,
      holds: ClaimProduct.isSame(said, period),
      "it is charged every \(period.count == 1 ? period.unit.name : period.words)")
  }

  // MARK: Amounts

  /// Checks a price that is a number in the text or computed by the template.
  private mutating func judgeAmount(_ money: Money, _ sentence: Range<Int>) {
    let clause = clause(money.range.lowerBound, in: sentence)
    guard let amount = money.amount, amount > 0 else { return }
    if isFrom(money, in: clause) { return judgeFrom(amount, money, sentence) }
    if isBound(money, in: clause) { return judgeBound(amount, money, sentence) }
    if isHedged(money, in: clause) || reading.has(.off, in: clause)
      || reading.words(.instead, in: clause).contains(where: {
        $0.range.upperBound <= money.range.lowerBound
      })
    {
      return
    }
    let isComputed = !money.sources.isEmpty
    let about =
      isComputed ? money.sources : productsOfAmount(money, sentence)
    let candidates = about.filter {
      money.currencies.isEmpty || money.currencies.contains(products[$0].currency.code)
    }
    guard !candidates.isEmpty else { return }
    let isMatched = candidates.contains { matches(amount, money.unit?.period, $0, isComputed) }
    let range =
      money.unit.map { Self.range(money.range, $0.range, text) } ?? money.range
    if isMatched {
      for product in candidates where matches(amount, money.unit?.period, product, isComputed) {
        let isOffer = isOfferPrice(amount, product)
        let needsOffer = isOffer && !isRegular(amount, money.unit?.period, product, isComputed)
        add(
          .price, product, range, in: sentence, holds: !needsOffer || !phases(product).isEmpty)
      }
      return
    }
    // `$64.98 in the first year`
    if money.unit == nil || reading.has(.first, in: sentence),
      let product = candidates.first(where: { isFirstYear(amount, money.unit?.period, $0) })
    {
      return add(.price, product, range, in: sentence, holds: true)
    }
    // The amount may be the price of a product that the text does not name.
    let others = products.indices.filter { !about.contains($0) }
    if !isComputed, let unit = money.unit,
      let other = others.first(where: {
        money.currencies.isEmpty || money.currencies.contains(products[$0].currency.code)
          ? isRegular(amount, unit.period, $0, false) : false
      })
    {
      return add(.price, other, range, in: sentence, holds: true)
    }
    // An amount that matches no product may be about something else.
    let isOfOnce =
      candidates.allSatisfy { products[$0].period == nil }
      && reading.precedes([.forWord, .plan], money.range.lowerBound)
    guard money.unit != nil || isOfOnce || isPriced(money, sentence) else {
      return add(
        .price, nil, range, in: sentence,
        .unknown("no product costs '\(text.text(money.range))'; the amount may mean something else")
      )
    }
    for product in candidates.prefix(isComputed ? 3 : 8) {
      add(.price, product, range, in: sentence, holds: false)
    }
  }

  /// Whether an amount is about something else: `worth $50`, `a gym costs $50`. After a colon it is
  /// a price again: `Cheaper than a coffee: $0.99 a week`.
  private func isHedged(_ money: Money, in clause: Range<Int>) -> Bool {
    let place = money.range.lowerBound
    if reading.words(.hedge, in: clause).contains(where: { word in
      word.range.upperBound > place || !text.scalars[word.range.upperBound..<place].contains(":")
    }) {
      return true
    }
    guard
      let verb = reading.words(.costs, in: clause).last(where: { $0.range.upperBound <= place }),
      let subject = text.wordStarts.last(where: {
        $0 < verb.range.lowerBound && clause.contains($0)
      })
    else { return false }
    return !reading.languages.contains { $0.longest(at: subject, in: text) > 0 }
  }

  /// The products that an amount may belong to. The amount's period does not select them: `5 € im
  /// Monat` may be a twelfth of the yearly price.
  private func productsOfAmount(_ money: Money, _ sentence: Range<Int>) -> [Int] {
    guard let unit = money.unit, subjects(in: sentence).isEmpty else {
      return products(at: money.range.lowerBound, in: sentence)
    }
    let clause = clause(money.range.lowerBound, in: sentence)
    let others = reading.adverbs.contains {
      clause.contains($0.place) && !unit.range.contains($0.place)
    }
    if others {
      return products(at: money.range.lowerBound, in: sentence)
    }
    return productsOfText
  }

  /// The products that an amount of a sentence identifies, because no other product costs it: `7
  /// days free, then $59.99 a year`.
  func productsByAmount(in sentence: Range<Int>) -> [Int]? {
    var found: [Int] = []
    for money in reading.moneys
    where sentence.contains(money.range.lowerBound) && money.attribute == nil && !money.isStruck {
      let clause = clause(money.range.lowerBound, in: sentence)
      guard let amount = money.amount, amount > 0, money.sources.isEmpty,
        !reading.has(.off, in: clause), !reading.has(.instead, in: clause)
      else { continue }
      let costing = products.indices.filter { product in
        let known = products[product]
        guard money.currencies.isEmpty || money.currencies.contains(known.currency.code) else {
          return false
        }
        if let unit = money.unit?.period, isRegular(amount, unit, product, false) { return true }
        return abs(Double(known.micros ?? -1_000_000) / 1e6 - amount) < 0.0051
          && money.unit == nil
      }
      if costing.count == 1 { found += costing }
    }
    return found.isEmpty ? nil : Self.unique(found)
  }

  /// The products that the text's attributes belong to, or all products without attributes.
  private var productsOfText: [Int] {
    let everywhere = subjects(in: 0..<text.scalars.count)
    return everywhere.isEmpty
      ? Array(products.indices) : Self.unique(everywhere.map { $0.product })
  }

  /// Whether a price for a period follows `less than` directly.
  private func isBound(_ money: Money, in clause: Range<Int>) -> Bool {
    guard let unit = money.unit else { return false }
    return reading.words(.below, in: clause).contains {
      0...2 ~= money.range.lowerBound - $0.range.upperBound
        || 0...2 ~= $0.range.lowerBound - max(money.range.upperBound, unit.range.upperBound)
    }
  }

  /// Whether `from` precedes a price, or follows it in languages with suffixes.
  private func isFrom(_ money: Money, in clause: Range<Int>) -> Bool {
    guard let unit = money.unit else { return false }
    return reading.words(.from, in: clause).contains {
      0...8 ~= money.range.lowerBound - $0.range.upperBound
        || 0...1 ~= $0.range.lowerBound - money.range.upperBound
        || 0...1 ~= $0.range.lowerBound - unit.range.upperBound
    }
  }

  /// Checks `from $2.99 a month`: false if every product costs more.
  private mutating func judgeFrom(_ amount: Double, _ money: Money, _ sentence: Range<Int>) {
    guard let unit = money.unit else { return }
    let inSentence = Self.unique(subjects(in: sentence).map { $0.product })
    var costs: [(product: Int, price: Double)] = []
    for product in inSentence.isEmpty ? productsOfText : inSentence {
      let known = products[product]
      guard money.currencies.isEmpty || money.currencies.contains(known.currency.code),
        let price = known.price(per: unit.period.unit)
      else { continue }
      costs.append((product, price * Double(unit.period.count) / 1e6))
      for phase in phases(product) where !phase.isFree {
        let year = ClaimProduct.perYear(phase.micros, phase.period)
        costs.append((product, year / ClaimProduct.perYear(1_000_000, unit.period)))
      }
    }
    guard let least = costs.map({ $0.price }).min() else { return }
    let holds = amount >= least || isNear(least, amount, most: 0.501)
    for product in Self.unique(costs.map { $0.product }) {
      if holds, costs.allSatisfy({ $0.product != product || $0.price > least }) { continue }
      let own = costs.filter { $0.product == product }.map { $0.price }.min() ?? least
      add(
        .price, product, Self.range(money.range, unit.range, text), in: sentence, holds: holds,
        "\(Self.article(unit.period)) costs \(products[product].price(Int64(own * 1e6)))")
    }
  }

  /// Checks `less than $1 a week` for the products that cost less, or for all if none does.
  private mutating func judgeBound(_ amount: Double, _ money: Money, _ sentence: Range<Int>) {
    guard let unit = money.unit else { return }
    var costs: [(product: Int, price: Double)] = []
    let inSentence = Self.unique(subjects(in: sentence).map { $0.product })
    let named = reading.adverbs.contains {
      sentence.contains($0.place) && !unit.range.contains($0.place)
    }
    let about =
      !inSentence.isEmpty
      ? inSentence
      : named ? products(at: money.range.lowerBound, in: sentence) : productsOfText
    for product in about.prefix(8) {
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
        Self.range(money.range, unit.range, text), in: sentence, holds: !cheaper.isEmpty,
        "\(Self.article(unit.period)) costs \(products[product].price(Int64(price * 1e6)))")
    }
  }

  private func isPriced(_ money: Money, _ sentence: Range<Int>) -> Bool {
    let clause = clause(money.range.lowerBound, in: sentence)
    return reading.words(.then, in: sentence).contains {
      let gap = money.range.lowerBound - $0.range.upperBound
      return 0...12 ~= gap
    } || [ClaimWords.Kind.lifetime, .billed, .today].contains { reading.has($0, in: clause) }
      || isOffered(money, clause)
      || reading.quantities.contains {
        clause.contains($0.range.lowerBound) && !isRate($0) && reading.has(.first, in: clause)
      }
  }

  /// Whether a price is offered for a purchase: `Subscribe for $39.99`, `Get Pro for just $2.99`.
  private func isOffered(_ money: Money, _ clause: Range<Int>) -> Bool {
    guard reading.precedes([.forWord, .plan], money.range.lowerBound) else { return false }
    return [ClaimWords.Kind.attempt, .subscription].contains {
      reading.words($0, in: clause).contains { $0.range.upperBound <= money.range.lowerBound }
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
    if isPrice, let period = known.period ?? known.product.accessPeriod {
      return ClaimProduct.isSame(period, unit)
    }
    if isPrice { return false }
    guard known.period != nil else { return false }
    let perUnit = known.price(per: unit.unit).map { $0 * Double(unit.count) / 1e6 }
    return perUnit.map { isNear($0, amount, most: 0.501) } ?? false
  }

  private func perUnits(_ known: ClaimProduct) -> [Double] {
    Period.Unit.allCases.compactMap { known.price(per: $0).map { $0 / 1e6 } }
  }

  /// Whether an exact price may be written as another number. The number may be within two cents,
  /// or for whole units, at most `most` above the price or 4 % below it.
  private func isNear(_ exact: Double, _ said: Double, most: Double) -> Bool {
    let isWhole = said == said.rounded()
    // `190 won` for 189.04: large amounts are rounded to tens.
    if isWhole, said >= 100, said.truncatingRemainder(dividingBy: 10) == 0,
      said >= exact, said - exact < 10, said <= exact * 1.03
    {
      return true
    }
    let unit = !isWhole ? 0.021 : min(0.501, said < exact ? exact * 0.04 : most)
    return abs(exact - said) <= max(unit, exact * 0.004)
  }

  /// Whether an amount is all that is charged in the first year, with the offer.
  func isFirstYear(_ amount: Double, _ unit: Period?, _ product: Int) -> Bool {
    guard unit.map({ ClaimProduct.isSame($0, Period(known: .year, 1)) }) ?? true,
      let total = products[product].totalInFirstYear(isEligible: isEligible)
    else { return false }
    return Self.isExact(total, amount)
  }

  private func matches(_ amount: Double, _ unit: Period?, _ product: Int, _ isComputed: Bool)
    -> Bool
  {
    isRegular(amount, unit, product, isComputed)
      || products[product].phases.contains { phase in
        guard phase.micros > 0 else { return false }
        let (price, total) = (phase.micros, phase.micros * Int64(phase.cycles))
        return Self.isExact(price, amount)
          && (unit.map { ClaimProduct.isSame(phase.period, $0) } ?? true)
          || Self.isExact(total, amount)
            && (unit.map { ClaimProduct.isSame(phase.total, $0) } ?? true)
      }
  }

  private static func isExact(_ micros: Int64, _ amount: Double) -> Bool {
    abs(Double(micros) / 1e6 - amount) < 0.0051
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
      "the SDK shows the currency of the locale, but the product is sold in \(known.currency.code)"
    )
  }

  private static func signs(_ text: String) -> String {
    String(text.filter { $0.isLetter || $0.isSymbol || $0.isCurrencySymbol })
  }
}
