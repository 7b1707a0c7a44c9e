internal import Expressions
internal import Pricing

/// Claims that compare: savings, struck-through prices, `instead of`.
extension ClaimJudge {
  // MARK: Savings

  mutating func judgeSavings(_ sentence: Range<Int>) {
    let compared = compared(in: sentence)
    for percent in reading.percents where sentence.contains(percent.range.lowerBound) {
      let clause = clause(percent.range.lowerBound, in: sentence)
      let isSigned =
        percent.range.lowerBound > 0 && text.scalars[percent.range.lowerBound - 1] == "-"
        && text.outputs[percent.range.lowerBound - 1] < 0
      guard reading.has(.off, in: clause) || isSigned || percent.attribute != nil else { continue }
      if percent.value == 100, reading.has(.free, in: sentence) { continue }
      judge(percent, sentence, compared, isUpTo: reading.has(.upTo, in: clause))
    }
  }

  private mutating func judge(
    _ percent: ClaimReading.Percent, _ sentence: Range<Int>, _ compared: [[Int]], isUpTo: Bool
  ) {
    var about =
      percent.attribute.map { [$0.product] }
      ?? savingProducts(percent, sentence)
    if attributes(in: sentence).isEmpty, let first = compared.first,
      about.allSatisfy(first.contains)
    {
      // `Save 50% compared to monthly` names the product that others are compared with, not the
      // product that saves.
      let others = productsOfAdverbs(in: sentence).filter { !first.contains($0) }
      about = others.isEmpty ? products.indices.filter { !first.contains($0) } : others
    }
    let named = baselines(percent, sentence, about, compared)
    if isUpTo, percent.attribute == nil { about = Array(products.indices) }
    let isOfOffer =
      percent.attribute == nil && compared.isEmpty && isOfFirst(percent.range, sentence)
    let isPermanent = reading.has(.always, in: clause(percent.range.lowerBound, in: sentence))
    var best: [(product: Int, saving: Double)] = []
    for product in about {
      if isPermanent, let reason = endOfDiscount(product, percent.value / 100) {
        add(.savings, product, percent.range, in: sentence, .fails(reason))
        return
      }
      let savings =
        isOfOffer
        ? [offerSaving(product, for: discountTime(percent.range, sentence)) ?? 0]
        : savings(of: product, against: named)
      if let most = savings.max() { best.append((product, most)) }
    }
    guard !best.isEmpty else {
      return add(
        .savings, about.first, percent.range, in: sentence,
        .unknown("no other price can be compared with it"))
    }
    let isSaid = percent.value > 0
    func holds(_ saving: Double) -> Bool {
      isSaid && percent.value <= (saving * 100).rounded(.up) + 0.001
        && (percent.value <= saving * 100 + 0.75)
    }
    // A claim about several products at once only has to be true for one of them.
    let isOfAny = isUpTo || percent.attribute == nil && about.count > 1
    let failing = best.filter { !holds($0.saving) }
    if isOfAny, failing.count < best.count {
      for entry in best where holds(entry.saving) {
        add(.savings, entry.product, percent.range, in: sentence, .holds)
      }
      return
    }
    let reported = isOfAny ? [best.max { $0.saving < $1.saving } ?? best[0]] : best
    for entry in reported {
      if isOfOffer {
        add(.savings, entry.product, percent.range, in: sentence, holds: holds(entry.saving))
        continue
      }
      let real = entry.saving > 0 ? Int((entry.saving * 100).rounded(.down)) : 0
      let identifier = products[entry.product].identifier
      add(
        .savings, entry.product, percent.range, in: sentence,
        holds(entry.saving)
          ? .holds
          : .fails(
            real > 0
              ? "'\(identifier)' saves \(real)%\(against(named))"
              : "'\(identifier)' saves nothing\(against(named))"))
    }
  }

  private func against(_ named: [Int]?) -> String {
    guard let named, named.count == 1 else { return " against any other product" }
    return " against '\(products[named[0]].identifier)'"
  }

  /// The reason why a discount ends before the subscription does: `20% off forever` of a coupon for one year; nil if
  /// the discount does not end.
  private func endOfDiscount(_ product: Int, _ share: Double) -> String? {
    let known = products[product]
    guard known.fullMicros ?? 0 <= known.micros ?? 0,
      let phase = phases(product).first(where: { !$0.isFree }), let year = known.price(per: .year),
      year > 0, 1 - ClaimProduct.perYear(phase.micros, phase.period) / year >= share - 0.01
    else { return nil }
    return
      "the discount ends after \(phase.total.words): '\(known.identifier)' \(known.charges(isEligible: isEligible))"
  }

  /// The products that a saving is claimed for.
  private func savingProducts(_ percent: ClaimReading.Percent, _ sentence: Range<Int>) -> [Int] {
    if percent.sources.count == 1 { return percent.sources }
    if percent.sources.count > 1 {
      // For a value computed from several prices, the product that is cheapest over time saves.
      let cheapest = percent.sources.min {
        (products[$0].price(per: .year) ?? .infinity)
          < (products[$1].price(per: .year) ?? .infinity)
      }
      return cheapest.map { [$0] } ?? percent.sources
    }
    return products(at: percent.range.lowerBound, in: sentence)
  }

  /// Whether a discount applies to the first period of an offer: `50% off your first year`.
  private func isOfFirst(_ range: Range<Int>, _ sentence: Range<Int>) -> Bool {
    let clause = clause(range.lowerBound, in: sentence)
    guard !reading.has(.free, in: clause) else { return false }
    let spans = reading.quantities.filter { clause.contains($0.range.lowerBound) && !isRate($0) }
    return reading.has(.first, in: clause) && !spans.isEmpty
      || discountTime(range, sentence) != nil
  }

  /// The duration of a discount, if the text states it: `50% off for 3 months`.
  private func discountTime(_ range: Range<Int>, _ sentence: Range<Int>) -> Period? {
    let clause = clause(range.lowerBound, in: sentence)
    for place in clause where text.isOwn[place] {
      if let word = reading.match([.forWord], at: place),
        let span = reading.span(at: reading.skip(place + word.count, [" "]))
      {
        return span.period
      }
    }
    // `50% off your first 3 months`
    return reading.quantities.first {
      clause.contains($0.range.lowerBound) && $0.attribute == nil && !$0.isBare
        && reading.precedes([.first], $0.range.lowerBound)
    }?.period
  }

  /// The fraction of the price that the first paid phase of an offer saves; nil without such a phase.
  private func offerSaving(_ product: Int, for time: Period? = nil) -> Double? {
    let known = products[product]
    if let full = known.fullMicros, let micros = known.micros, full > micros, full > 0 {
      return 1 - Double(micros) / Double(full)
    }
    guard let phase = phases(product).first(where: { !$0.isFree }),
      let year = known.price(per: .year), year > 0
    else { return nil }
    if let time, !ClaimProduct.isSame(time, phase.total) { return 0 }
    return 1 - ClaimProduct.perYear(phase.micros, phase.period) / year
  }

  /// The products named after each "compared to" or "instead of" of a sentence, by their periods or
  /// attributes.
  private func compared(in sentence: Range<Int>) -> [[Int]] {
    reading.words(.instead, in: sentence).compactMap { turn in
      let from = min(turn.range.upperBound, sentence.upperBound)
      let rest = from..<min(sentence.upperBound, from + 40)
      let found = attributes(in: rest).map { $0.product } + productsOfAdverbs(in: rest)
      return found.isEmpty ? nil : Self.unique(found)
    } + comparedByDiscount(in: sentence)
  }

  /// The products with the period that follows a discount, if another product has a longer period: `80% off monthly`.
  private func comparedByDiscount(in sentence: Range<Int>) -> [[Int]] {
    reading.words(.off, in: sentence).compactMap { word in
      let at = reading.skip(word.range.upperBound, [" "])
      guard let adverb = reading.adverb(at: at),
        reading.percents.contains(where: { $0.range.upperBound + 1 == word.range.lowerBound }),
        !reading.moneys.contains(where: {
          reading.isFiller(at + adverb.count..<max(at + adverb.count, $0.range.lowerBound))
            && $0.range.lowerBound >= at + adverb.count
        }),
        products.contains(where: { product in
          product.period.map {
            ClaimProduct.twelfths($0) > ClaimProduct.twelfths(adverb.period)
          } ?? false
        })
      else { return nil }
      let found = productsOfAdverbs(in: at..<at + adverb.count)
      return found.isEmpty ? nil : found
    }
  }

  /// The baselines that a sentence names for its comparison, if any.
  private func baselines(
    _ percent: ClaimReading.Percent, _ sentence: Range<Int>, _ about: [Int], _ compared: [[Int]]
  ) -> [Int]? {
    for group in compared {
      let others = group.filter { !about.contains($0) }
      if !others.isEmpty { return others }
    }
    if case .savings? = percent.attribute?.meaning {
      let monthly = products.indices.first {
        products[$0].period == Period(.month, 1) && !about.contains($0)
      }
      return monthly.map { [$0] }
    }
    if percent.sources.count > 1 { return percent.sources.filter { !about.contains($0) } }
    let others = Self.unique(
      attributes(in: sentence).filter { $0.meaning.isPrice }.map { $0.product }
    )
    .filter { !about.contains($0) }
    return others.isEmpty ? nil : others
  }

  /// The savings of a product compared with other products, as fractions. If a product is compared
  /// with itself, this is the saving of its offer.
  private func savings(of product: Int, against named: [Int]?) -> [Double] {
    let own = products[product]
    guard let year = own.price(per: .year) else { return [] }
    var shares: [Double] = []
    for other in named ?? Array(products.indices) where other != product {
      guard products[other].currency == own.currency,
        let price = products[other].price(per: .year), price > 0
      else { continue }
      shares.append(1 - year / price)
    }
    if named == nil, let share = offerSaving(product) { shares.append(share) }
    return shares
  }

  // MARK: Struck-through prices and "instead of"

  mutating func judgeComparisons(_ sentence: Range<Int>) {
    let moneys = reading.moneys.filter { sentence.contains($0.range.lowerBound) }
    for money in moneys where money.isStruck {
      let actual =
        moneys.first { !$0.isStruck && $0.range.lowerBound > money.range.lowerBound }
        ?? moneys.last { !$0.isStruck && $0.range.lowerBound < money.range.lowerBound }
        ?? reading.moneys.first { !$0.isStruck && $0.range.lowerBound > money.range.lowerBound }
      guard let actual else { continue }
      compare(money, with: actual, money.range, sentence, isStruck: true)
    }
    for turn in reading.words(.instead, in: sentence) {
      guard
        let other = moneys.first(where: {
          let gap = $0.range.lowerBound - turn.range.upperBound
          return 0...24 ~= gap
        }), !other.isStruck,
        // In `was $99.99, now $59.99` the current price follows.
        let actual = moneys.last(where: {
          $0.range.upperBound <= turn.range.lowerBound && !$0.isStruck
        })
          ?? moneys.first(where: {
            $0.range.lowerBound >= other.range.upperBound && !$0.isStruck
          })
          ?? reading.moneys.first(where: {
            0...60 ~= $0.range.lowerBound - other.range.upperBound && !$0.isStruck
          })
      else { continue }
      let from = min(actual.range.lowerBound, turn.range.lowerBound)
      let isHedged =
        reading.words(.hedge, in: from..<other.range.upperBound).isEmpty == false
        || reading.words.contains { $0.kind == .hedge && $0.range.overlaps(turn.range) }
      if isHedged { continue }
      compare(
        other, with: actual, turn.range.lowerBound..<other.range.upperBound, sentence,
        isStruck: false)
    }
    // `De R$ 399,90 por R$ 199,90` has the former price first.
    for (other, actual) in zip(moneys, moneys.dropFirst())
    where reading.precedes([.reduced], other.range.lowerBound)
      && actual.range.lowerBound - other.range.upperBound <= 8
      && other.amount ?? 0 > actual.amount ?? 0 && !other.isStruck
    {
      compare(
        other, with: actual, other.range.lowerBound..<actual.range.upperBound, sentence,
        isStruck: false)
    }
    for money in moneys where money.attribute == nil && money.sources.isEmpty && !money.isStruck {
      judgeSavedAmount(money, sentence)
    }
  }

  /// Checks a saved amount: `Save $60 a year`.
  private mutating func judgeSavedAmount(_ money: Money, _ sentence: Range<Int>) {
    let clause = clause(money.range.lowerBound, in: sentence)
    guard let amount = money.amount, amount > 0, reading.has(.off, in: clause),
      !reading.has(.hedge, in: clause),
      !reading.words(.instead, in: clause).contains(where: {
        $0.range.upperBound <= money.range.lowerBound
      })
    else { return }
    // `50% off the regular $79.99` names a product's own price, not a saved amount.
    if products.contains(where: { abs(Double($0.micros ?? 0) / 1e6 - amount) < 0.0051 }) { return }
    var about = products(at: money.range.lowerBound, in: sentence)
    let named = compared(in: sentence).first
    if let named, attributes(in: sentence).isEmpty, about.allSatisfy(named.contains) {
      about = products.indices.filter { !named.contains($0) }
    }
    // The saving in a year is the largest plausible meaning.
    let scale =
      money.unit.map { ClaimProduct.perYear(1_000_000, $0.period) / 1e6 } ?? 1
    var known: [(product: Int, most: Double)] = []
    if isOfFirst(money.range, sentence) {
      for product in about {
        let phase = phases(product).first { !$0.isFree }
        let saved = phase.flatMap { phase in
          products[product].price(per: .year).map {
            $0 * ClaimProduct.perYear(1, Period(known: .year, 1))
              / ClaimProduct.perYear(1, phase.period) - Double(phase.micros)
          }
        }
        add(
          .savings, product, money.range, in: sentence,
          holds: amount <= (saved ?? 0) / 1e6 + 0.01)
      }
      return
    }
    for product in about {
      guard let own = products[product].price(per: .year) else { continue }
      if let saved = saving(ofOffer: product) {
        if reading.has(.always, in: clause), amount <= saved + 0.01,
          let reason = endOfDiscount(product, 0)
        {
          return add(.savings, product, money.range, in: sentence, .fails(reason))
        }
        known.append((product, saved / scale))
      }
      let others = (named ?? Array(products.indices)).compactMap { other -> Double? in
        guard other != product, products[other].currency == products[product].currency else {
          return nil
        }
        return products[other].price(per: .year)
      }
      if let most = others.max() { known.append((product, (most - own) / 1e6)) }
    }
    guard let best = known.max(by: { $0.most < $1.most }) else { return }
    let isTrue = amount * scale <= best.most * 1.01 + 1
    add(
      .savings, best.product, money.range, in: sentence, holds: isTrue,
      best.most > 0
        ? "the most that it saves in a year is \(products[best.product].price(Int64(best.most * 1e6)))"
        : "it saves nothing compared to the other products")
  }

  /// The amount that the first paid period of an offer saves.
  private func saving(ofOffer product: Int) -> Double? {
    guard let phase = phases(product).first(where: { !$0.isFree }),
      let year = products[product].price(per: .year)
    else { return nil }
    let regular =
      year * ClaimProduct.perYear(1, Period(known: .year, 1))
      / ClaimProduct.perYear(1, phase.total)
    return (regular - Double(phase.micros) * Double(phase.cycles)) / 1e6
  }

  /// The period of a price, by its words or by its attribute; nil for a one-time payment or an
  /// unknown period.
  private func period(of money: Money) -> Period? {
    if let unit = money.unit { return unit.period }
    switch money.attribute?.meaning {
    case .price(per: nil)?: return products[money.attribute?.product ?? 0].period
    case .price(per: let unit?)?: return Period(unit, 1)
    default: return nil
    }
  }

  private mutating func compare(
    _ other: Money, with actual: Money, _ range: Range<Int>, _ sentence: Range<Int>, isStruck: Bool
  ) {
    guard let high = other.amount, let low = actual.amount,
      let product = actual.attribute?.product ?? actual.sources.first
        ?? products(at: actual.range.lowerBound, in: sentence).first
    else { return }
    let known = products[product]
    if let against = other.attribute?.product, products[against].currency != known.currency {
      return add(
        .comparison, product, range, in: sentence, holds: false,
        "the prices are in two currencies")
    }
    if case .offerPrice? = actual.attribute?.meaning {
      return add(
        .comparison, product, range, in: sentence, holds: high > low && !phases(product).isEmpty)
    }
    let (mine, theirs) = (period(of: actual), period(of: other))
    if let mine, let theirs, !ClaimProduct.isSame(mine, theirs) {
      return add(
        .comparison, product, range, in: sentence, holds: false,
        "it compares a price for \(Self.article(mine)) with a price for \(Self.article(theirs))")
    }
    if high <= low {
      return add(
        .comparison, product, range, in: sentence, holds: false, "the other price is not higher")
    }
    if other.attribute == nil {
      let own = abs(Double(known.micros ?? 0) / 1e6 - low) < 0.0051 ? known.period : nil
      return judgeOrigin(other, high, mine ?? theirs ?? own, product, range, sentence)
    }
    if (mine == nil) != (theirs == nil), actual.attribute != nil {
      return add(
        .comparison, product, range, in: sentence, holds: false,
        "it compares a one-time price with a recurring price")
    }
    add(.comparison, product, range, in: sentence, .holds)
  }

  /// Checks a former price: a product must cost the amount that the text gives as the original
  /// price.
  private mutating func judgeOrigin(
    _ other: Money, _ amount: Double, _ period: Period?, _ product: Int, _ range: Range<Int>,
    _ sentence: Range<Int>
  ) {
    let isReal = products.contains { candidate in
      guard candidate.currency == products[product].currency, let micros = candidate.micros else {
        return false
      }
      if abs(Double(micros) / 1e6 - amount) < 0.0051 {
        return period == nil
          || candidate.period.map { ClaimProduct.isSame($0, period ?? $0) } ?? true
      }
      guard let period, let exact = candidate.price(per: period.unit) else { return false }
      let value = exact * Double(period.count) / 1e6
      return abs(value - amount) <= max(0.5, value * 0.01)
    }
    if isReal { return add(.comparison, product, range, in: sentence, .holds) }
    let span = period.map { " for \(Self.article($0))" } ?? ""
    add(
      .comparison, product, range, in: sentence, holds: false,
      "no product costs '\(text.text(other.range))'\(span)")
  }
}
