internal import Expressions
internal import Pricing

/// Claims about offers: free, trial, no payment now, the length, the price, the price afterwards.
extension ClaimJudge {
  mutating func judgeOffer(_ sentence: Range<Int>) {
    // `Your trial has ended` is not a promise.
    if reading.has(.past, in: sentence) { return }
    let offers = subjects(in: sentence).filter { $0.meaning.isOffer }
    let hasTrialWord = reading.has(.trial, in: sentence)
    let hasOffer = hasTrialWord || !offers.isEmpty
    judgeFree(sentence, hasOffer: hasOffer)
    judgeNoPayment(sentence)
    judgeLengths(sentence)
    judgeThen(sentence)
    judgeOtherSlot(sentence)
    for offer in offers {
      switch offer.meaning {
      case .offerPrice:
        // The price per period is checked with the prices.
        if offer.range.isEmpty { continue }
        add(
          .offerPrice, offer.product, offer.range, in: sentence,
          holds: !phases(offer.product).isEmpty)
      case .offerEnd:
        guard !offer.range.isEmpty else { continue }
        judgeEnd(offer, sentence)
      default: continue
      }
    }
  }

  // MARK: Free

  private mutating func judgeFree(_ sentence: Range<Int>, hasOffer: Bool) {
    let spans = reading.quantities.filter { sentence.contains($0.range.lowerBound) }
    var isSaid = false
    for word in reading.words(.free, in: sentence) {
      guard text.isOwn[word.range.lowerBound] else { continue }
      let isOffer =
        hasOffer || spans.contains { !isRate($0) } || reading.has(.attempt, in: sentence)
        || reading.has(.until, in: sentence) && !offersEnd(sentence).isEmpty
        || followsThen(word.range, sentence) || isAlone(word.range, sentence)
        || reading.has(.today, in: sentence)
      guard isOffer, !isOfAnother(word.range, sentence) else { continue }
      isSaid = true
      if judgeFreeMonths(word.range, spans, sentence) { continue }
      for product in products(at: word.range.lowerBound, in: sentence, wantsOffer: true) {
        add(
          .free, product, claimRange(word.range, sentence), in: sentence,
          holds: phases(product).first?.isFree ?? false)
      }
    }
    if isSaid { return }
    for word in reading.words(.trial, in: sentence).prefix(1) {
      guard text.isOwn[word.range.lowerBound], isPromise(word.range, sentence) else {
        continue
      }
      for product in products(at: word.range.lowerBound, in: sentence, wantsOffer: true) {
        add(
          .trial, product, claimRange(word.range, sentence), in: sentence,
          holds: isTrial(product))
      }
    }
  }

  /// Whether a product has a free offer, or one whose price the text mentions.
  private func isTrial(_ product: Int) -> Bool {
    guard let phase = phases(product).first else { return false }
    return phase.isFree
      || reading.moneys.contains { money in
        if case .offerPrice? = money.attribute?.meaning {
          return money.attribute?.product == product
        }
        return money.amount.map { abs($0 - Double(phase.micros) / 1e6) < 0.005 } ?? false
      }
  }

  /// Whether a word for a trial is used as a promise and not just as a verb: `testen`, `prueba`,
  /// `体験`.
  private func isPromise(_ word: Range<Int>, _ sentence: Range<Int>) -> Bool {
    let isVerb = reading.words(.attempt, in: sentence).contains { $0.range == word }
    guard isVerb else { return true }
    return reading.quantities.contains {
      sentence.contains($0.range.lowerBound) && !isRate($0)
    }
  }

  /// Whether the word is the whole sentence: `Free!`
  private func isAlone(_ word: Range<Int>, _ sentence: Range<Int>) -> Bool {
    text.wordStarts.filter { sentence.contains($0) && !word.contains($0) }.isEmpty
      && attributes(in: sentence).isEmpty
  }

  private func offersEnd(_ sentence: Range<Int>) -> [Attribute] {
    attributes(in: sentence).filter { $0.meaning == .offerEnd || $0.meaning == .date }
  }

  /// Whether a price follows the word: `free, then $9.99`.
  private func followsThen(_ word: Range<Int>, _ sentence: Range<Int>) -> Bool {
    reading.words(.then, in: sentence).contains { $0.range.lowerBound >= word.upperBound }
      && reading.moneys.contains {
        sentence.contains($0.range.lowerBound) && $0.range.lowerBound >= word.upperBound
      }
  }

  /// Whether a span is a billing period: `every 3 months`.
  func isRate(_ span: ClaimReading.Quantity) -> Bool {
    if case .periodLength? = span.attribute?.meaning { return true }
    return reading.moneys.contains { money in
      money.amount != 0
        && money.unit.map { !$0.isSpan && $0.range.overlaps(span.range) } ?? false
    } || precededByEvery(span.range)
  }

  private func precededByEvery(_ range: Range<Int>) -> Bool {
    for start in stride(from: range.lowerBound - 1, through: max(0, range.lowerBound - 12), by: -1)
    {
      if let word = reading.match([.every], at: start),
        start + word.count <= range.lowerBound,
        text.text(start + word.count..<range.lowerBound).allSatisfy({ $0.isWhitespace })
      {
        return true
      }
    }
    return false
  }

  /// The words of a claim: from the first to the last word in its clause that belongs to it.
  private func claimRange(_ word: Range<Int>, _ sentence: Range<Int>) -> Range<Int> {
    let clause = clause(word.lowerBound, in: sentence)
    var range = clause
    while let first = range.first, text.scalars[first] == " " || text.scalars[first] == "," {
      range = first + 1..<range.upperBound
    }
    while let last = range.last, text.scalars[last] == " " || text.scalars[last] == "," {
      range = range.lowerBound..<last
    }
    return range.isEmpty ? word : range
  }

  // MARK: No payment now

  private mutating func judgeNoPayment(_ sentence: Range<Int>) {
    var ranges = reading.words(.noPayment, in: sentence).map { $0.range }
    for money in reading.moneys
    where sentence.contains(money.range.lowerBound) && money.amount == 0 && money.attribute == nil {
      let clause = clause(money.range.lowerBound, in: sentence)
      guard
        reading.has(.today, in: clause) || reading.has(.first, in: clause)
          || money.unit?.isSpan ?? false
          || isDueAbove(money, sentence)
      else { continue }
      ranges.append(money.range)
    }
    if ranges.isEmpty, let range = deniedPayment(sentence) { ranges.append(range) }
    for range in ranges {
      for product in products(at: range.lowerBound, in: sentence, wantsOffer: true) {
        add(
          .noPayment, product, claimRange(range, sentence), in: sentence,
          holds: phases(product).first?.isFree ?? false)
      }
    }
  }

  /// Whether an amount is alone on the line below `Due today`.
  private func isDueAbove(_ money: Money, _ sentence: Range<Int>) -> Bool {
    guard let number = text.sentences.firstIndex(of: sentence), number > 0,
      !text.wordStarts.contains(where: { sentence.contains($0) && !money.range.contains($0) })
    else { return false }
    let above = text.sentences[number - 1]
    return reading.has(.today, in: above)
      && !reading.moneys.contains { above.contains($0.range.lowerBound) }
  }

  /// `You won't pay a cent today`, `The first 7 days cost nothing`: words for nothing, payment and
  /// now in one clause.
  private func deniedPayment(_ sentence: Range<Int>) -> Range<Int>? {
    for word in reading.words(.today, in: sentence) + firstTimes(sentence) {
      let clause = clause(word.range.lowerBound, in: sentence)
      guard
        let pay = reading.words(.pay, in: clause).first ?? reading.words(.costs, in: clause).first,
        !reading.moneys.contains(where: { clause.contains($0.range.lowerBound) })
      else { continue }
      let denial = reading.words.first {
        ($0.kind == .nothing || $0.kind == .negation) && clause.contains($0.range.lowerBound)
          && abs($0.range.lowerBound - pay.range.lowerBound) < 30
      }
      if denial != nil { return word.range }
    }
    return nil
  }

  /// The words for "first" in clauses with a time: `the first 7 days`.
  private func firstTimes(_ sentence: Range<Int>) -> [ClaimReading.Word] {
    reading.words(.first, in: sentence).filter { word in
      let clause = clause(word.range.lowerBound, in: sentence)
      return reading.quantities.contains { clause.contains($0.range.lowerBound) && !isRate($0) }
    }
  }

  // MARK: Lengths

  private mutating func judgeLengths(_ sentence: Range<Int>) {
    let hasThen = reading.has(.then, in: sentence) || reading.has(.free, in: sentence)
    for span in reading.quantities where sentence.contains(span.range.lowerBound) {
      if isRate(span) || span.isBare && !hasThen || reading.isAhead(span.range) { continue }
      if isTotal(span, sentence) { continue }
      if case .periodLength? = span.attribute?.meaning { continue }
      guard isAboutOffer(span, sentence) else { continue }
      let about =
        reading.has(.all, in: sentence)
        ? Array(products.indices)
        : span.attribute.map { [$0.product] }
          ?? products(at: span.range.lowerBound, in: sentence, wantsOffer: true)
      for product in about {
        guard let phase = phases(product).first else {
          // Without an offer the claim itself fails, unless only the length is mentioned.
          if span.attribute != nil {
            add(.length, product, span.range, in: sentence, holds: false)
          }
          continue
        }
        let holds = ClaimProduct.isSame(span.period, phase.total) || isPhase(span.period, product)
        add(
          .length, product, span.range, in: sentence, holds: holds,
          phase.cycles > 1
            ? "the offer has \(phase.cycles) periods, \(phase.total.words) in all" : nil)
      }
    }
  }

  /// `$64.98 in the first year`: the time of a total, which is not the length of an offer.
  private func isTotal(_ span: ClaimReading.Quantity, _ sentence: Range<Int>) -> Bool {
    guard span.isBare else { return false }
    let clause = clause(span.range.lowerBound, in: sentence)
    return reading.moneys.contains { money in
      clause.contains(money.range.lowerBound)
        && products.indices.contains { isFirstYear(money.amount ?? 0, span.period, $0) }
    }
  }

  /// Whether a later phase of the offer has this length.
  private func isPhase(_ period: Period, _ product: Int) -> Bool {
    phases(product).dropFirst().contains { ClaimProduct.isSame(period, $0.total) }
  }

  /// Whether a span is the length of an offer: `7 days free`, `$0.99 for 3 months`.
  private func isAboutOffer(_ span: ClaimReading.Quantity, _ sentence: Range<Int>) -> Bool {
    if let attribute = span.attribute { return attribute.meaning.isOffer }
    let clause = clause(span.range.lowerBound, in: sentence)
    let hasWord =
      [ClaimWords.Kind.free, .trial, .noPayment].contains { reading.has($0, in: clause) }
      || deniedPayment(clause) != nil
    if hasWord {
      // In `Free for 7 days, then ...` a span after "then" is not about the offer. In `$59.99 after
      // a free week` it is, because "free" follows too.
      return !reading.words(.then, in: clause).contains { then in
        then.range.upperBound <= span.range.lowerBound
          && !(reading.words(.free, in: clause) + reading.words(.trial, in: clause)).contains {
            $0.range.lowerBound >= then.range.upperBound
              && abs($0.range.lowerBound - span.range.lowerBound) <= 16
          }
      }
    }
    if span.isBare { return true }
    let offerPrices = attributes(in: clause).filter {
      if case .offerPrice = $0.meaning { true } else { false }
    }
    return !offerPrices.isEmpty
  }

  private mutating func judgeEnd(_ offer: Attribute, _ sentence: Range<Int>) {
    guard let phase = phases(offer.product).first else {
      return add(.end, offer.product, offer.range, in: sentence, holds: false)
    }
    let countsAll = profile == .androidStripe
    add(
      .end, offer.product, offer.range, in: sentence, holds: phase.cycles <= 1 || countsAll,
      "this is the end of the first of \(phase.cycles) periods")
  }

  // MARK: Prices after offers

  private mutating func judgeThen(_ sentence: Range<Int>) {
    let prices = reading.moneys.compactMap { money -> (range: Range<Int>, product: Int)? in
      guard sentence.contains(money.range.lowerBound), !money.isStruck else { return nil }
      if let attribute = money.attribute {
        if case .price = attribute.meaning { return (money.range, attribute.product) }
        return nil
      }
      let about = products(at: money.range.lowerBound, in: sentence)
      return about.first {
        Double(products[$0].micros ?? -1) / 1e6 == money.amount
      }.map { (money.range, $0) }
    }
    let isOffer =
      [ClaimWords.Kind.free, .trial, .noPayment, .then].contains { reading.has($0, in: sentence) }
      || subjects(in: sentence).contains(where: { $0.meaning.isOffer })
    guard isOffer else { return }
    for (range, product) in prices {
      guard phases(product).count > 1 else { continue }
      let missing = phases(product).dropFirst().first { phase in
        !reading.moneys.contains { money in
          guard let amount = money.amount else { return false }
          return abs(amount - Double(phase.micros) / 1e6) < 0.005
        }
      }
      add(
        .then, product, range, in: sentence, holds: missing == nil,
        missing.map {
          "no paywall text mentions the price \(products[product].price($0.micros)) for the "
            + "\($0.total.words) in between"
        })
    }
  }

  /// Checks a sentence with the trial of one slot and the price of another: `{{ primary trial }} free, then {{
  /// secondary price }}`.
  private mutating func judgeOtherSlot(_ sentence: Range<Int>) {
    let all = subjects(in: sentence)
    let offers = all.filter { $0.meaning.isOffer }
    guard let offer = offers.first(where: { !$0.range.isEmpty }) else { return }
    let prices = all.filter {
      if case .price = $0.meaning {
        $0.range.lowerBound > offer.range.lowerBound && !$0.range.isEmpty
      } else {
        false
      }
    }
    let then = reading.words(.then, in: sentence).first {
      $0.range.lowerBound >= offer.range.upperBound
    }
    let next = prices.first { then == nil || $0.range.lowerBound >= (then?.range.upperBound ?? 0) }
    guard let next, next.product != offer.product,
      !offers.contains(where: { $0.product == next.product })
    else { return }
    if then == nil, prices.contains(where: { $0.product == offer.product }) { return }
    let (mine, other) = (phases(offer.product).first, phases(next.product).first)
    guard let mine else { return }
    let holds =
      other.map { $0.micros == mine.micros && ClaimProduct.isSame($0.total, mine.total) } ?? false
    add(
      .then, next.product, offer.range.lowerBound..<next.range.upperBound, in: sentence,
      holds: holds,
      "the offer belongs to '\(products[offer.product].identifier)', but the price belongs to another product"
    )
  }
}
