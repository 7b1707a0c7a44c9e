internal import Expressions
internal import Pricing

/// Claims about the times of charges: `after 7 days`, `Day 7`, `$0.99 a month for 3 months`.
extension ClaimJudge {
  mutating func judgeCharges(_ sentence: Range<Int>) {
    if reading.has(.past, in: sentence) { return }
    for span in reading.quantities where sentence.contains(span.range.lowerBound) {
      guard span.attribute == nil else { continue }
      judgeFirstCharge(span, sentence)
      judgePaidTime(span, sentence)
    }
    judgeDay(sentence)
  }

  /// Whether a part of the text is about a charge of a product.
  private func isCharge(_ range: Range<Int>, _ sentence: Range<Int>) -> Bool {
    reading.has(.billed, in: range) || reading.has(.pay, in: range)
      || reading.moneys.contains { money in
        guard range.contains(money.range.lowerBound), !money.isStruck else { return false }
        if case .price? = money.attribute?.meaning { return true }
        return products.contains {
          abs(Double($0.micros ?? 0) / 1e6 - (money.amount ?? -1)) < 0.005
        }
      }
  }

  /// Checks the time of the first charge: `billed $59.99 after 3 days`.
  private mutating func judgeFirstCharge(
    _ span: ClaimReading.Quantity, _ sentence: Range<Int>
  ) {
    let clause = clause(span.range.lowerBound, in: sentence)
    guard
      reading.isElapsed(span.range) && isCharge(clause, sentence)
        || reading.isWithin(span.range, sentence) && isCharge(sentence, sentence)
        || reading.isWithinClause(span.range)
          && (reading.has(.billed, in: clause) || reading.has(.pay, in: clause)),
      !isRate(span), !reading.has(.remind, in: clause)
    else { return }
    for product in products(at: span.range.lowerBound, in: sentence, wantsOffer: true) {
      let phases = phases(product)
      if phases.isEmpty {
        // Without an offer the first charge is now.
        guard reading.has(.billed, in: clause) || reading.has(.pay, in: clause), known(product)
        else { continue }
        add(.noPayment, product, span.range, in: sentence, holds: false)
        continue
      }
      var months: [Period] = phases.map { $0.total }
      if phases.count > 1 { months.append(contentsOf: Self.sums(phases)) }
      add(
        .length, product, span.range, in: sentence,
        holds: months.contains { ClaimProduct.isSame($0, span.period) })
    }
  }

  /// Whether a product is a subscription, which is charged at once and then again.
  private func known(_ product: Int) -> Bool { products[product].renews }

  /// The time from the beginning to the end of each phase, if all have the same unit.
  private static func sums(_ phases: [ClaimProduct.Phase]) -> [Period] {
    var days: Int64 = 0
    return phases.compactMap { phase in
      days += ClaimProduct.twelfths(phase.total)
      return Period(.day, Int(days / 12))
    }
  }

  /// Checks how long the price of an offer is charged: `$0.99 a month for 3 months`.
  private mutating func judgePaidTime(_ span: ClaimReading.Quantity, _ sentence: Range<Int>) {
    guard
      let money = reading.moneys.last(where: {
        sentence.contains($0.range.lowerBound) && $0.range.upperBound <= span.range.lowerBound
      }), let unit = money.unit, !unit.isSpan, unit.range.upperBound <= span.range.lowerBound,
      reading.precedes([.forWord, .first], span.range.lowerBound),
      span.range.lowerBound - unit.range.upperBound <= 24, let amount = money.amount, amount > 0
    else { return }
    for product in products(at: money.range.lowerBound, in: sentence) {
      let same = phases(product).filter { abs(Double($0.micros) / 1e6 - amount) < 0.0051 }
      guard !same.isEmpty else { continue }
      add(
        .length, product, span.range, in: sentence,
        holds: same.contains {
          ClaimProduct.isSame($0.total, span.period)
            && ClaimProduct.isSame($0.period, unit.period)
        })
    }
  }

  /// Checks the day of the first charge after a free phase: `Day 7: you are charged`, `Tag 7`, `第7天`.
  private mutating func judgeDay(_ sentence: Range<Int>) {
    for (day, range) in daysOfCharges(sentence) {
      for product in products(at: range.lowerBound, in: sentence, wantsOffer: true) {
        guard let phase = phases(product).first, phase.isFree else { continue }
        let days = Int(ClaimProduct.twelfths(phase.total) / 12)
        // A month has 28 to 31 days, and the charge may be on the day after.
        let slack = phase.total.unit == .day || phase.total.unit == .week ? 0 : 1
        add(
          .length, product, range, in: sentence, holds: days - slack...days + 1 + slack ~= day)
      }
    }
  }

  /// The days of a schedule on which a charge is made. A day may begin a sentence, or follow in a
  /// clause: `you are charged on day 7`.
  private func daysOfCharges(_ sentence: Range<Int>) -> [(day: Int, range: Range<Int>)] {
    if let first = reading.day(in: sentence) {
      let rest = first.range.upperBound..<sentence.upperBound
      let isNews = reading.has(.remind, in: rest) || sentence.contains { reading.isAhead(at: $0) }
      return isCharge(sentence, sentence) && !isNews ? [first] : []
    }
    return sentence.dropFirst().compactMap { place in
      guard text.isOwn[place], reading.match([.day], at: place) != nil,
        let before = text.scalars[..<place].last(where: { $0 != " " }), !ClaimText.isDigit(before),
        before != "-"
      else { return nil }
      let clause = clause(place, in: sentence)
      guard isCharge(clause, sentence), !reading.has(.remind, in: clause) else { return nil }
      return reading.day(in: place..<clause.upperBound)
    }
  }

  /// Checks `2 months free` of a yearly plan that costs as much as 10 months.
  mutating func judgeFreeMonths(
    _ word: Range<Int>, _ spans: [ClaimReading.Quantity], _ sentence: Range<Int>
  ) -> Bool {
    guard
      let span = spans.first(where: {
        $0.attribute == nil && $0.period.unit == .month
          && abs($0.range.lowerBound - word.lowerBound) < 24
      }), !reading.has(.trial, in: sentence), !reading.has(.then, in: sentence),
      !productsOfAdverbs(in: sentence).isEmpty || reading.has(.instead, in: sentence)
    else { return false }
    let months = Double(span.period.count)
    let phases = products.indices.map { self.phases($0) }
    var longer: [Int] = []
    for product in products.indices where phases[product].isEmpty {
      let known = products[product]
      guard let period = known.period, let price = known.micros, price > 0,
        ClaimProduct.twelfths(period) > 2 * ClaimProduct.twelfths(Period(known: .month, 1))
      else { continue }
      let whole = (Double(ClaimProduct.twelfths(period)) / 365).rounded()
      longer.append(product)
      let isSaved = products.contains { other in
        guard other.currency == known.currency, let period = other.period,
          ClaimProduct.isSame(period, Period(known: .month, 1)), let monthly = other.micros,
          monthly > 0
        else { return false }
        return -1.0...0.5 ~= months - (whole - Double(price) / Double(monthly))
      }
      if isSaved {
        add(.savings, product, span.range, in: sentence, .holds)
        return true
      }
    }
    let isCompared = reading.has(.instead, in: sentence)
    if isCompared, phases.allSatisfy({ $0.isEmpty }), let product = longer.first {
      add(.savings, product, span.range, in: sentence, holds: false)
      return true
    }
    return false
  }

  /// Whether `free` describes something other than the product: `a free guide`.
  func isOfAnother(_ word: Range<Int>, _ sentence: Range<Int>) -> Bool {
    let written = text.text(word).lowercased()
    let isAdjective =
      written == "free" || written.hasPrefix("kostenlose") || written.hasPrefix("kostenfreie")
      || written.hasPrefix("бесплатн") && written != "бесплатно"
    guard isAdjective, !reading.has(.trial, in: sentence), !reading.has(.then, in: sentence) else {
      return false
    }
    return isBeforeOtherWord(word, sentence)
  }

  /// Whether the next word is one that the tables do not contain.
  func isBeforeOtherWord(_ word: Range<Int>, _ sentence: Range<Int>) -> Bool {
    let next = word.upperBound + 1
    guard next < sentence.upperBound, text.scalars[word.upperBound] == " ",
      text.isOwn[next], ClaimText.isWord(text.scalars[next])
    else { return false }
    return !reading.languages.contains { $0.longest(at: next, in: text) > 0 }
  }

  // MARK: At the purchase

  /// `You pay $59.99 today`: what the purchase itself costs.
  ///
  /// - Returns: whether the amount was judged.
  mutating func judgeToday(_ money: Money, _ sentence: Range<Int>) -> Bool {
    guard let amount = money.amount, amount > 0, money.unit == nil, !money.isStruck,
      isDueToday(clause(money.range.lowerBound, in: sentence))
    else { return false }
    if let attribute = money.attribute, attribute.meaning != .price(per: nil) { return false }
    let about =
      money.attribute.map { [$0.product] } ?? products(at: money.range.lowerBound, in: sentence)
    let charged = about.filter { products[$0].micros != nil }
    guard !charged.isEmpty else { return false }
    let holding = charged.filter { product in
      let known = products[product]
      let regular = known.product.billingPlan?.micros ?? known.micros ?? 0
      return abs(Double(phases(product).first?.micros ?? regular) / 1e6 - amount) < 0.0051
    }
    for product in holding.isEmpty ? charged : holding {
      add(.price, product, money.range, in: sentence, holds: !holding.isEmpty)
    }
    return true
  }

  /// `Pay $4.99 today`, `due today: $4.99`
  private func isDueToday(_ clause: Range<Int>) -> Bool {
    let times = reading.words(.today, in: clause).filter { text.isOwn[$0.range.lowerBound] }
    let isPaid = reading.has(.pay, in: clause) || reading.has(.billed, in: clause)
    guard times.count > 1 || !times.isEmpty && isPaid else { return false }
    return ![ClaimWords.Kind.off, .instead, .hedge, .negation, .nothing, .then, .free].contains {
      reading.has($0, in: clause)
    }
  }

  // MARK: Currencies in words

  /// Checks the currency that words name: `All prices in USD`.
  mutating func judgeCurrencyWords() {
    let codes = reading.currencyCodes
    guard !codes.isEmpty else { return }
    for (product, known) in products.enumerated() where known.micros != nil {
      let place = codes[0].range
      guard let sentence = text.sentences.first(where: { $0.contains(place.lowerBound) }) else {
        continue
      }
      add(
        .currency, product, place, in: sentence,
        holds: codes.contains { $0.currencies.contains(known.currency.code) },
        "the product is sold in \(known.currency.code)")
    }
  }
}
