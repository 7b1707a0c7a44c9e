internal import Expressions
internal import Pricing

/// Compares the assertions of a rendered text with the store's charges.
///
/// A text is judged once for users that are eligible for offers and once for those that are not.
struct ClaimJudge {
  typealias Attribute = ClaimReading.Attribute
  typealias Money = ClaimReading.Money

  let reading: ClaimReading
  let products: [ClaimProduct]
  /// The paths in the conditions around each of the template's own texts.
  let guards: [[String]]
  let selected: Int?
  let isEligible: Bool
  let locale: String
  let profile: PricingProfile?
  var claims: [Claim] = []
  /// For each adverb of the reading, such as `monthly`, the products with this period.
  private let productsOfAdverbs: [[Int]]
  private let tagRanges: [SourceRange]
  /// The text of the last sentence, which is cached because a sentence has many claims.
  private var lastSentence: (range: Range<Int>, text: String)?

  var text: ClaimText { reading.text }

  init(
    _ reading: ClaimReading, _ products: [ClaimProduct], guards: [[String]], selected: Int?,
    isEligible: Bool, locale: String, profile: PricingProfile?
  ) {
    self.reading = reading
    self.products = products
    self.guards = guards
    self.selected = selected
    // `For new subscribers only` says itself that others have no offer.
    self.isEligible = isEligible || reading.words.contains { $0.kind == .newcomer }
    self.locale = locale
    self.profile = profile
    tagRanges = reading.tags.map { $0.range }
    productsOfAdverbs = reading.adverbs.map { adverb in
      products.indices.filter {
        products[$0].period.map { ClaimProduct.isSame($0, adverb.period) } ?? false
      }
    }
  }

  /// All claims of the text.
  mutating func judge() -> [Claim] {
    judgeValues()
    let isUnknown = reading.isInUnknownLanguage
    for sentence in text.sentences {
      if isUnknown {
        judgeAttributesAlone(sentence)
        continue
      }
      judgeOffer(sentence)
      judgeCharges(sentence)
      judgeTerms(sentence)
      judgePrices(sentence)
      judgeSavings(sentence)
      judgeComparisons(sentence)
    }
    judgeStyle()
    judgeCurrencyWords()
    return claims
  }

  // MARK: Available offers

  func phases(_ product: Int) -> [ClaimProduct.Phase] {
    isEligible ? products[product].phases : products[product].phasesForAll
  }

  // MARK: Adding claims

  mutating func add(
    _ kind: Claim.Kind, _ product: Int?, _ range: Range<Int>, in sentence: Range<Int>,
    _ verdict: Claim.Verdict
  ) {
    let known = product.map { products[$0] }
    if lastSentence?.range != sentence { lastSentence = (sentence, text.text(sentence)) }
    claims.append(
      Claim(
        kind: kind, product: known?.identifier ?? "", slot: known?.slot ?? "", verdict: verdict,
        range: text.source(range, tags: tagRanges), sentence: lastSentence?.text ?? "",
        words: text.text(range), locale: locale, part: range))
  }

  /// Adds a claim that is true or false. The reason describes the store's charges, unless another
  /// one is passed.
  mutating func add(
    _ kind: Claim.Kind, _ product: Int, _ range: Range<Int>, in sentence: Range<Int>, holds: Bool,
    _ reason: String? = nil
  ) {
    let charges = products[product].charges(isEligible: isEligible)
    add(
      kind, product, range, in: sentence,
      holds
        ? .holds
        : .fails(
          reason.map { "\($0): '\(products[product].identifier)' \(charges)" }
            ?? "'\(products[product].identifier)' \(charges)"))
  }

  // MARK: Subjects of sentences

  func attributes(in range: Range<Int>) -> [Attribute] {
    reading.attributes.filter {
      range.contains($0.range.lowerBound)
        || $0.range.isEmpty && range.lowerBound <= $0.range.lowerBound
          && $0.range.lowerBound <= range.upperBound
    }
  }

  /// Attributes that a sentence is about, without attributes that it only compares with.
  func subjects(in range: Range<Int>) -> [Attribute] {
    let turns = reading.words(.instead, in: range).map { $0.range }
    return attributes(in: range).filter { attribute in
      guard !attribute.range.isEmpty || attribute.meaning.isPrice else { return true }
      let place = min(attribute.range.lowerBound, text.scalars.count - 1)
      if text.struck[place] { return false }
      // `compared to monthly: $59.99` compares with the part before the colon.
      return !turns.contains { turn in
        turn.upperBound <= place && text.clauses[turn.lowerBound] == text.clauses[place]
          && attribute.meaning.isPrice && !text.scalars[turn.upperBound..<place].contains(":")
      }
    }
  }

  static func unique(_ places: [Int]) -> [Int] {
    var found: [Int] = []
    for place in places where !found.contains(place) { found.append(place) }
    return found
  }

  /// The clause around a place, within a sentence.
  func clause(_ place: Int, in sentence: Range<Int>) -> Range<Int> {
    guard text.clauses.indices.contains(place) else { return place..<place }
    let whole = text.clauseRanges[text.clauses[place]]
    let from = min(place, max(whole.lowerBound, sentence.lowerBound))
    return from..<max(place, min(whole.upperBound, sentence.upperBound))
  }

  /// The products that a word at a place is about.
  ///
  /// - Parameter wantsOffer: whether attributes of offers take precedence.
  func products(at place: Int, in sentence: Range<Int>, wantsOffer: Bool = false) -> [Int] {
    let inSentence = subjects(in: sentence)
    if reading.has(.all, in: sentence), wantsOffer { return Array(products.indices) }
    if wantsOffer {
      let offers = inSentence.filter { $0.meaning.isOffer }
      if !offers.isEmpty { return Self.unique(offers.map({ $0.product })) }
    }
    let near = subjects(in: clause(place, in: sentence))
    if !near.isEmpty { return Self.unique(near.map({ $0.product })) }
    if !inSentence.isEmpty {
      let before = inSentence.filter { $0.range.lowerBound <= place }
      let all = Self.unique(inSentence.map { $0.product })
      if all.count > 1, let last = before.last, !wantsOffer { return [last.product] }
      return all
    }
    if let named = productsByPeriod(in: clause(place, in: sentence)) { return named }
    if let named = productsByPeriod(in: sentence) { return named }
    if let named = productsByHeading(of: sentence) { return named }
    if let priced = productsByAmount(in: sentence) { return priced }
    if let next = productsOfNext(sentence) { return next }
    if let guarded = guarded(place) { return guarded }
    // Looks at sentences of the same line, then at the rest of the text.
    let line = line(around: sentence)
    let inLine = subjects(in: line)
    if !inLine.isEmpty { return Self.unique(inLine.map({ $0.product })) }
    if let priced = productsByAmount(in: line) { return priced }
    let everywhere = subjects(in: 0..<text.scalars.count)
    if !everywhere.isEmpty { return Self.unique(everywhere.map({ $0.product })) }
    return Array(products.indices)
  }

  private func line(around sentence: Range<Int>) -> Range<Int> {
    var (from, to) = (sentence.lowerBound, sentence.upperBound)
    while from > 0, text.scalars[from - 1] != "\n" { from -= 1 }
    while to < text.scalars.count, text.scalars[to] != "\n" { to += 1 }
    return from..<to
  }

  /// The products of a period that a sentence names: `Free trial with the yearly plan`.
  private func productsByPeriod(in sentence: Range<Int>) -> [Int]? {
    let found = productsOfAdverbs(in: sentence)
    // `$5.83 a month` of a yearly plan names that plan, not the monthly one.
    if !found.isEmpty, let priced = productsByAmount(in: sentence),
      reading.adverbs.allSatisfy({ adverb in
        !sentence.contains(adverb.place)
          || reading.moneys.contains {
            $0.attribute == nil && $0.unit?.range.contains(adverb.place) ?? false
          }
      })
    {
      return priced
    }
    return found.isEmpty || found.count == products.count ? nil : Self.unique(found)
  }

  /// The products of a following sentence that continues this one: `7 days free`, then
  /// `Then $59.99 a year`.
  private func productsOfNext(_ sentence: Range<Int>) -> [Int]? {
    guard let number = text.sentences.firstIndex(of: sentence),
      number + 1 < text.sentences.count
    else { return nil }
    let next = text.sentences[number + 1]
    guard reading.has(.then, in: next), !reading.has(.free, in: next) else { return nil }
    let attributes = subjects(in: next)
    if !attributes.isEmpty { return Self.unique(attributes.map { $0.product }) }
    return productsByPeriod(in: next) ?? productsByAmount(in: next)
  }

  /// The products of the plan that a line above names: `Monthly`, then `7 days free`.
  private func productsByHeading(of sentence: Range<Int>) -> [Int]? {
    guard let number = text.sentences.firstIndex(of: sentence) else { return nil }
    for heading in text.sentences[..<number].suffix(2).reversed() {
      guard let name = reading.planName(in: heading) else { continue }
      let found = products.indices.filter {
        products[$0].period.map { ClaimProduct.isSame($0, name.period) } ?? false
      }
      return found.isEmpty || found.count == products.count ? nil : found
    }
    return nil
  }

  /// The products for each word such as `monthly` in a range, in the order of the words.
  func productsOfAdverbs(in range: Range<Int>) -> [Int] {
    var found: [Int] = []
    for (adverb, products) in zip(reading.adverbs, productsOfAdverbs)
    where range.contains(adverb.place) && !isFreeTime(adverb.place) {
      found += products
    }
    return found
  }

  /// Whether a word such as `한 달` means a free period, and not a billing period.
  private func isFreeTime(_ place: Int) -> Bool {
    ClaimText.isIdeograph(text.scalars[place])
      && reading.quantities.contains {
        $0.attribute == nil && $0.range.contains(place)
          && (reading.isFree(after: $0.range.upperBound)
            || reading.isFree(before: $0.range.lowerBound))
      }
  }

  /// The products in the conditions around a place.
  private func guarded(_ place: Int) -> [Int]? {
    let piece = text.pieces[place]
    guard guards.indices.contains(piece) else { return nil }
    // `{% if products.primary.trialPeriodDays > 0 %}Free trial{% endif %} {{ products.selected.price }}`
    if let selected,
      reading.tags.contains(where: { tag in
        tag.reads.contains { $0.names.contains("selected") && $0.names.last == "price" }
      })
    {
      return [selected]
    }
    let found = guards[piece].compactMap { path -> Int? in
      if path == "products.selectedIndex" { return selected }
      let names = path.split(separator: ".").map { Optional(String($0)) }
      return ClaimReading.attribute(names, product(ofSlot:))?.product
    }
    return found.isEmpty ? nil : Self.unique(found)
  }

  func product(ofSlot slot: String) -> Int? {
    if slot == "selected" { return selected }
    return products.lastIndex { $0.slot == slot }
  }
}

extension String {
  /// The string without white space at both ends.
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
