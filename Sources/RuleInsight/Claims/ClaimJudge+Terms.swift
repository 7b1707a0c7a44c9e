internal import Expressions
internal import Pricing

/// Claims about the contract: cancelling, renewing, lifetime access and billing.
extension ClaimJudge {
  mutating func judgeTerms(_ sentence: Range<Int>) {
    for kind in [ClaimWords.Kind.cancel, .noCommitment] {
      for word in reading.words(kind, in: sentence).prefix(1) {
        judgeCancel(word, sentence)
      }
    }
    judgeComposedCancel(sentence)
    for word in reading.words(.renews, in: sentence).prefix(1) {
      let isNegated = isNegatedRenewal(word.range, sentence)
      if isNegated, reading.has(.condition, in: sentence) { continue }
      let about = products(at: word.range.lowerBound, in: sentence)
      for product in renewing(about, in: sentence) {
        add(
          .renewal, product, word.range, in: sentence,
          holds: products[product].renews != isNegated,
          isNegated ? "it renews" : "it does not renew")
      }
    }
    for word in reading.words(.lifetime, in: sentence).prefix(1) {
      judgeLifetime(word, sentence)
    }
    judgeBilling(sentence)
  }

  /// Finds words for cancelling and any time in one clause: `You can cancel whenever you like`.
  private mutating func judgeComposedCancel(_ sentence: Range<Int>) {
    if reading.has(.cancel, in: sentence) || reading.has(.noCommitment, in: sentence) { return }
    for verb in reading.words(.cancelVerb, in: sentence) {
      let clause = clause(verb.range.lowerBound, in: sentence)
      guard
        let time = reading.words(.anytime, in: clause).first
          ?? reading.words(.anytime, in: sentence).first(where: {
            0...24 ~= $0.range.lowerBound - verb.range.upperBound
          })
      else { continue }
      let range =
        min(
          verb.range.lowerBound, time.range.lowerBound)..<max(
          verb.range.upperBound, time.range.upperBound)
      return judgeCancel(ClaimReading.Word(kind: .cancel, range: range), sentence)
    }
  }

  private func isNegatedRenewal(_ range: Range<Int>, _ sentence: Range<Int>) -> Bool {
    reading.words(.negation, in: sentence).contains {
      abs($0.range.lowerBound - range.lowerBound) < 24
    }
  }

  /// The products, among several, that a sentence about subscriptions can mean.
  private func renewing(_ about: [Int], in sentence: Range<Int>) -> [Int] {
    guard attributes(in: sentence).isEmpty, reading.has(.subscription, in: sentence) else {
      return about
    }
    let subscriptions = about.filter { products[$0].renews }
    if !subscriptions.isEmpty { return subscriptions }
    // The sentence is about the subscriptions that the text names, if there are any.
    let mentioned = Self.unique(subjects(in: 0..<text.scalars.count).map { $0.product })
      .filter { products[$0].renews }
    return mentioned.isEmpty ? about : mentioned
  }

  private mutating func judgeCancel(_ word: ClaimReading.Word, _ sentence: Range<Int>) {
    let about = products(at: word.range.lowerBound, in: sentence)
    for product in renewing(about, in: sentence) {
      let known = products[product]
      if let commitment = known.commitment {
        add(
          .cancel, product, word.range, in: sentence, holds: false,
          "the plan is a commitment of \(commitment.words)")
        continue
      }
      if word.kind == .noCommitment, !known.renews { continue }
      add(
        .cancel, product, word.range, in: sentence, holds: known.renews,
        "it does not renew, so there is nothing to cancel")
    }
  }

  private mutating func judgeLifetime(_ word: ClaimReading.Word, _ sentence: Range<Int>) {
    // `your lifetime stats` is not about a purchase.
    if text.text(word.range).lowercased() == "lifetime", isBeforeOtherWord(word.range, sentence) {
      return
    }
    let about =
      productsBelow(word.range, sentence) ?? products(at: word.range.lowerBound, in: sentence)
    let isNamed = !subjects(in: sentence).isEmpty
    // A sentence without a product may be about any product that is bought once.
    let isOnce = reading.words(.once, in: sentence).contains { $0.range == word.range }
    func isForLife(_ product: Int) -> Bool {
      !products[product].renews && (isOnce || !products[product].ends)
    }
    if !isNamed, about.contains(where: isForLife) {
      for product in about where isForLife(product) {
        add(.lifetime, product, word.range, in: sentence, holds: true)
      }
      return
    }
    for product in about {
      let holds = isForLife(product)
      let reason = products[product].renews ? "it renews" : "it ends"
      add(.lifetime, product, word.range, in: sentence, holds: holds, reason)
    }
  }

  /// The products of the price on the next line, if a line is only the name of a plan: `Lifetime`.
  private func productsBelow(_ word: Range<Int>, _ sentence: Range<Int>) -> [Int]? {
    guard let number = text.sentences.firstIndex(of: sentence), number + 1 < text.sentences.count,
      reading.isFiller(sentence.lowerBound..<word.lowerBound),
      reading.isFiller(word.upperBound..<max(word.upperBound, sentence.upperBound))
    else { return nil }
    let next = text.sentences[number + 1]
    let found = Self.unique(subjects(in: next).map { $0.product })
    return found.isEmpty ? productsByAmount(in: next) : found
  }

  /// Checks how often a product is billed: `billed annually`, `jährlich abgerechnet`.
  private mutating func judgeBilling(_ sentence: Range<Int>) {
    let words = reading.words(.billed, in: sentence) + reading.words(.renews, in: sentence)
    var seen: Set<Range<Int>> = []
    for word in words {
      let clause = clause(word.range.lowerBound, in: sentence)
      // `$59.99 a year, not $119.88 paid monthly`
      let isOfOther = reading.words(.instead, in: clause).contains { turn in
        turn.range.upperBound <= word.range.lowerBound
          && reading.moneys.contains {
            turn.range.upperBound..<word.range.lowerBound ~= $0.range.lowerBound
          }
      }
      guard !isOfOther, !reading.has(.excluded, in: clause),
        let said = billing(word.range, sentence), seen.insert(said.range).inserted
      else {
        continue
      }
      for product in products(at: word.range.lowerBound, in: sentence) {
        judge(said, of: product, word.range, sentence)
      }
    }
  }

  private mutating func judge(
    _ said: ClaimReading.Unit, of product: Int, _ word: Range<Int>, _ sentence: Range<Int>
  ) {
    let known = products[product]
    let range =
      min(word.lowerBound, said.range.lowerBound)..<max(word.upperBound, said.range.upperBound)
    guard let period = known.period else {
      return add(.period, product, range, in: sentence, holds: false, "it is bought once")
    }
    var holds = ClaimProduct.isSame(said.period, period)
    if let plan = known.product.billingPlan, plan.kind == .monthly, let billed = plan.period {
      holds = ClaimProduct.isSame(said.period, billed)
    }
    add(
      .period, product, range, in: sentence, holds: holds,
      "it is charged every \(period.count == 1 ? period.unit.name : period.words)")
  }

  /// The billing period that the words around a word for billing name.
  private func billing(_ word: Range<Int>, _ sentence: Range<Int>) -> ClaimReading.Unit? {
    let clause = clause(word.lowerBound, in: sentence)
    var at = reading.skip(word.upperBound)
    var steps = 0
    while at < clause.upperBound, steps < 3 {
      if reading.moneys.contains(where: { $0.range.contains(at) }) { break }
      if let unit = reading.rate(after: at), !unit.isSpan { return unit }
      while at < clause.upperBound, text.scalars[at] != " " { at += 1 }
      at = reading.skip(at)
      steps += 1
    }
    var start = word.lowerBound - 1
    while start >= clause.lowerBound, word.lowerBound - start < 24 {
      if let every = reading.match([.every], at: start), start + every.count < word.lowerBound,
        let unit = reading.rate(after: start), unit.range.upperBound <= word.lowerBound
      {
        return unit
      }
      if let adverb = reading.match(ClaimReading.adverbKinds, at: start),
        start + adverb.count <= word.lowerBound,
        let (unit, count) = ClaimReading.unit(adverb.kind), let period = Period(unit, count),
        !reading.moneys.contains(where: {
          $0.range.lowerBound > start && $0.range.lowerBound < word.lowerBound
        })
      {
        let isOfPrice = reading.moneys.contains { $0.unit?.range.contains(start) ?? false }
        if !isOfPrice {
          return ClaimReading.Unit(period: period, range: start..<start + adverb.count)
        }
      }
      start -= 1
    }
    return nil
  }
}
