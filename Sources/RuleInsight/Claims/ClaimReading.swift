internal import Expressions
internal import Pricing

/// The parts of a rendered text: attributes, amounts of money, time spans, percentages and claim
/// words, each with its place.
struct ClaimReading: Sendable {
  /// An attribute of a product that a tag wrote.
  struct Attribute: Sendable {
    var range: Range<Int>
    var product: Int
    var meaning: ClaimAttribute
    var name: String
    /// The original spelling of the value.
    var text: String
  }

  /// A word such as `monthly`.
  struct Adverb: Sendable {
    var place: Int
    var period: Period
    var count: Int
  }

  struct Word: Sendable {
    var kind: ClaimWords.Kind
    var range: Range<Int>
  }

  /// An amount of money.
  struct Money: Sendable {
    var range: Range<Int>
    /// The amount; nil for an attribute without a value.
    var amount: Double?
    /// The currencies that the signs around the number may mean; empty without signs.
    var currencies: [String]
    /// The attribute whose value the amount is, unchanged; nil for other amounts.
    var attribute: Attribute?
    /// The products that the amount was computed from.
    var sources: [Int]
    var isStruck: Bool
    /// The unit that the text names for the price: `a month`.
    var unit: Unit?
  }

  /// A billing period in the text.
  struct Unit: Sendable {
    var period: Period
    var range: Range<Int>
    /// Whether the unit is the time that one payment covers: `for 3 months`.
    var isSpan = false
    /// Whether the unit is the name of a plan: `12 months: $59.99`.
    var isName = false
  }

  /// A span of time.
  struct Quantity: Sendable {
    var range: Range<Int>
    var period: Period
    var attribute: Attribute?
    /// Whether the span has no number, as in `first month`.
    var isBare = false
    /// Whether the span ends at a date that the template counts from today: `{{ "now" | date_add: 7, "days" }}`.
    var isDate = false
  }

  struct Percent: Sendable {
    var range: Range<Int>
    var value: Double
    var attribute: Attribute?
    var sources: [Int]
  }

  let text: ClaimText
  /// Whether the text has words, but not in a known language.
  var isInUnknownLanguage: Bool { languages.isEmpty && !text.wordStarts.isEmpty }
  let languages: [ClaimWords.Language]
  let tags: [ClaimTemplate.Tag]
  var attributes: [Attribute] = []
  var words: [Word] = []
  var adverbs: [Adverb] = []
  var moneys: [Money] = []
  var quantities: [Quantity] = []
  var percents: [Percent] = []

  /// - Parameters:
  ///   - products: the index of a slot's product.
  init(
    _ text: ClaimText, _ languages: [ClaimWords.Language], _ tags: [ClaimTemplate.Tag],
    products: (String) -> Int?
  ) {
    self.text = text
    self.languages = languages
    self.tags = tags
    findAttributes(products)
    findWords()
    adverbs = text.scalars.indices.compactMap { place in
      adverb(at: place).map { Adverb(place: place, period: $0.period, count: $0.count) }
    }
    findNumbers(products)
    findBareQuantities()
    findCountedSpans()
    findDates()
    findCompounds()
    moneys.sort { $0.range.lowerBound < $1.range.lowerBound }
    for place in moneys.indices { moneys[place].unit = unit(of: place) }
  }

  // MARK: Attributes

  /// The product and the attribute of a path.
  static func attribute(_ names: [String?], _ products: (String) -> Int?) -> (
    product: Int, name: String
  )? {
    var rest = names[...]
    if rest.first == "products" { rest = rest.dropFirst() }
    guard rest.count == 2, let slot = rest.first.flatMap({ $0 }),
      let name = rest.last.flatMap({ $0 }),
      let product = products(slot)
    else { return nil }
    return (product, name)
  }

  private mutating func findAttributes(_ products: (String) -> Int?) {
    for (output, range) in text.written {
      let tag = tags[output]
      guard tag.isPlain, let read = tag.reads.first,
        let (product, name) = Self.attribute(read.names, products)
      else { continue }
      let meaning = ClaimAttribute.named[name] ?? .other
      let own =
        tag.hasText && meaning != .other ? value(in: range, isPrice: meaning.isPrice) : range
      attributes.append(
        Attribute(
          range: own, product: product, meaning: meaning, name: name, text: text.text(own)))
    }
  }

  /// The range of the number or price in the output of a tag that adds text.
  private func value(in range: Range<Int>, isPrice: Bool) -> Range<Int> {
    guard let start = range.first(where: { ClaimText.isDigit(text.scalars[$0]) }) else {
      return range
    }
    let end = number(at: start).end
    if isPrice { return signs(around: start..<end).range }
    // `7-day`
    var last = end
    while last < range.upperBound, text.scalars[last] == "-" || ClaimText.isWord(text.scalars[last])
    {
      last += 1
    }
    return start..<last
  }

  private func attribute(at place: Int) -> Attribute? {
    attributes.first { $0.range.lowerBound == place && !$0.range.isEmpty }
  }

  /// The products of the tags that wrote a range.
  private func sources(_ range: Range<Int>, _ products: (String) -> Int?) -> [Int] {
    var found: [Int] = []
    for output in Set(range.map { text.outputs[$0] }) where output >= 0 {
      for read in tags[output].reads {
        if let product = Self.attribute(read.names, products)?.product, !found.contains(product) {
          found.append(product)
        }
      }
    }
    return found.sorted()
  }

  // MARK: Words

  private static let spoken: Set<ClaimWords.Kind> = [
    .free, .notFree, .trial, .attempt, .noPayment, .today, .first, .until, .then, .off, .upTo,
    .instead, .lifetime, .notLifetime, .cancel, .noCommitment, .renews, .billed, .subscription,
    .hedge, .below, .half, .negation, .past, .excluded, .pay, .nothing, .from, .cancelVerb,
    .anytime, .condition, .costs, .once, .always, .remind, .all, .newcomer,
  ]

  private mutating func findWords() {
    for place in text.scalars.indices {
      for language in languages {
        for kind in language.kinds(at: place, in: text, among: Self.spoken) {
          let range = place..<place + kind.count
          if let known = words.lastIndex(where: {
            $0.kind == kind.kind && $0.range.upperBound > place
          }) {
            if words[known].range.count < range.count, words[known].range.lowerBound == place {
              words[known].range = range
            }
            continue
          }
          words.append(Word(kind: kind.kind, range: range))
        }
      }
    }
    for word in words {
      if word.kind == .below { words.append(Word(kind: .hedge, range: word.range)) }
      guard word.kind == .half else { continue }
      words.append(Word(kind: .off, range: word.range))
      percents.append(Percent(range: word.range, value: 50, sources: []))
    }
    let masks = words.filter { $0.kind == .notFree || $0.kind == .notLifetime }
    words.removeAll { word in
      masks.contains { mask in
        (mask.kind == .notFree ? word.kind == .free || word.kind == .trial : word.kind == .lifetime)
          && mask.range.overlaps(word.range)
      }
    }
    // `no payment today` is not a negation of what follows.
    let whole = words.filter { [.noPayment, .noCommitment, .lifetime].contains($0.kind) }
    words.removeAll { word in
      word.kind == .negation && whole.contains { $0.range.overlaps(word.range) }
    }
    words = words.filter { word in
      word.kind != .free && word.kind != .trial || !isNegated(word)
    }
  }

  func has(_ kind: ClaimWords.Kind, in range: Range<Int>) -> Bool {
    words.contains { $0.kind == kind && range.contains($0.range.lowerBound) }
  }

  func words(_ kind: ClaimWords.Kind, in range: Range<Int>) -> [Word] {
    words.filter { $0.kind == kind && range.contains($0.range.lowerBound) }
  }

  /// Whether a negation applies to a word: `no free trial`, `無料ではありません`.
  private func isNegated(_ word: Word) -> Bool {
    let clause = text.clauses[word.range.lowerBound]
    let isIdeographic = ClaimText.isIdeograph(text.scalars[word.range.lowerBound])
    return words.contains { negation in
      guard negation.kind == .negation, text.clauses[negation.range.lowerBound] == clause else {
        return false
      }
      // In `no free trial` the words between belong to the same offer.
      let between = words.filter {
        ($0.kind == .free || $0.kind == .trial) && $0.range.lowerBound >= negation.range.upperBound
          && $0.range.upperBound <= word.range.lowerBound
      }.reduce(0) { $0 + $1.range.count }
      let before = word.range.lowerBound - negation.range.upperBound
      if before >= 0, before - between <= 10 { return true }
      let after = negation.range.lowerBound - word.range.upperBound
      return isIdeographic && 0...6 ~= after
    }
      || words.contains {
        $0.kind == .excluded && text.clauses[$0.range.lowerBound] == clause
          && 0...16 ~= $0.range.lowerBound - word.range.upperBound
      }
  }

  // MARK: Numbers

  private mutating func findNumbers(_ products: (String) -> Int?) {
    var place = 0
    while place < text.scalars.count {
      if let attribute = attribute(at: place), attribute.meaning != .other {
        take(attribute)
        place = attribute.range.upperBound
        continue
      }
      guard ClaimText.isDigit(text.scalars[place]) else {
        place += 1
        continue
      }
      let (value, end) = number(at: place)
      take(value, place..<end, products)
      place = end
    }
    for attribute in attributes where attribute.range.isEmpty && attribute.meaning.isPrice {
      moneys.append(money(attribute, nil))
    }
  }

  /// A number with its separators, and its end.
  private func number(at start: Int) -> (value: Double, end: Int) {
    var end = start
    var groups: [(separator: Unicode.Scalar?, digits: Int)] = [(nil, 0)]
    var digits = ""
    while end < text.scalars.count {
      let scalar = text.scalars[end]
      if ClaimText.isDigit(scalar) {
        digits.unicodeScalars.append(scalar)
        groups[groups.count - 1].digits += 1
      } else if scalar == "." || scalar == "," || scalar == "'" || scalar == " ",
        end + 1 < text.scalars.count, ClaimText.isDigit(text.scalars[end + 1]), end > start,
        scalar != " " || isGroup(end + 1)
      {
        groups.append((scalar, 0))
      } else {
        break
      }
      end += 1
    }
    var fraction = 0
    if let last = groups.last, let separator = last.separator, separator == "." || separator == ","
    {
      let isRepeated = groups.dropLast().contains { $0.separator == separator }
      if !isRepeated, last.digits != 3 || groups.count > 2 && groups[1].separator != separator {
        fraction = last.digits
      }
    }
    let whole = Double(digits) ?? 0
    var scale = 1.0
    for _ in 0..<fraction { scale *= 10 }
    return (whole / scale, end)
  }

  /// Whether exactly three digits follow, as after a space between thousands.
  private func isGroup(_ place: Int) -> Bool {
    let digits = text.scalars[place...].prefix { ClaimText.isDigit($0) }.count
    return digits == 3
  }

  /// Reads an attribute that is a number, or a string with a number.
  private mutating func take(_ attribute: Attribute) {
    let digits = attribute.range.first { ClaimText.isDigit(text.scalars[$0]) }
    let value = digits.map { number(at: $0).value }
    switch attribute.meaning {
    case .price, .offerPrice: moneys.append(money(attribute, value))
    case .offerLength(let unit?), .offerTotal(let unit?), .periodLength(let unit):
      guard let value, let count = Int(exactly: value) else { return }
      let said = unitWord(after: attribute.range.upperBound)
      if let period = Period(said?.unit ?? unit, count * (said?.count ?? 1)) {
        let end = said?.end ?? attribute.range.upperBound
        quantities.append(
          Quantity(
            range: attribute.range.lowerBound..<end, period: period, attribute: attribute))
      }
    case .offerLength(nil), .offerTotal(nil):
      if let period = ClaimAttribute.period(inWords: attribute.text) {
        quantities.append(Quantity(range: attribute.range, period: period, attribute: attribute))
      }
    case .savings:
      guard let value else { return }
      percents.append(
        Percent(
          range: attribute.range, value: value, attribute: attribute, sources: [attribute.product]))
    case .offerEnd, .date, .period, .localizedPeriod, .currency, .other: break
    }
  }

  private func money(_ attribute: Attribute, _ value: Double?) -> Money {
    var range = attribute.range
    var currencies: [String] = []
    if ClaimAttribute.raw.contains(attribute.name) || value == nil {
      (currencies, range) = signs(around: range)
    } else if let (signs, count) = ClaimCurrencies.sign(before: range.lowerBound, in: text),
      text.isOwn[range.lowerBound - count]
    {
      // In `${{ products.primary.price }}` a sign precedes the store's own sign.
      (currencies, range) = (signs, range.lowerBound - count..<range.upperBound)
    }
    return Money(
      range: range, amount: value, currencies: currencies, attribute: attribute,
      sources: [attribute.product],
      isStruck: !attribute.range.isEmpty && text.struck[attribute.range.lowerBound])
  }

  /// Reads a number that is not an unchanged attribute.
  private mutating func take(_ value: Double, _ range: Range<Int>, _ products: (String) -> Int?) {
    let from = range.lowerBound
    if from > 0, ClaimText.isWord(text.scalars[from - 1]), text.isOwn[from - 1] {
      // Excludes `v2` and `H264`, but not `R$9` and `A$9`, whose number follows a currency sign.
      let isSign = signs(around: range).currencies.isEmpty == false
      guard isSign else { return }
    }
    var end = range.upperBound
    while end < text.scalars.count, text.scalars[end] == " ", end < range.upperBound + 1 {
      end += 1
    }
    if end < text.scalars.count, text.scalars[end] == "%" {
      percents.append(
        Percent(
          range: from..<end + 1, value: isNegative(from) ? -value : value,
          sources: sources(range, products)))
      return
    }
    if from > 0, text.scalars[from - 1] == "%" {
      percents.append(
        Percent(range: from - 1..<range.upperBound, value: value, sources: sources(range, products))
      )
      return
    }
    if let end = tenths(after: range.upperBound) {
      // The price is 8 tenths or 85 hundredths of the original.
      let share = value < 10 ? value * 10 : value
      percents.append(Percent(range: from..<end, value: 100 - share, sources: []))
      return
    }
    if let (currencies, count) = ClaimCurrencies.minorSign(after: range.upperBound, in: text) {
      moneys.append(
        Money(
          range: from..<range.upperBound + count, amount: value / 100, currencies: currencies,
          sources: sources(range, products), isStruck: text.struck[from]))
      return
    }
    let (currencies, whole) = signs(around: range)
    if !currencies.isEmpty {
      moneys.append(
        Money(
          range: whole, amount: value, currencies: currencies, sources: sources(range, products),
          isStruck: text.struck[from]))
      return
    }
    if let count = Int(exactly: value), count > 0, count < 1_000, count % 24 == 0,
      let period = Period(.day, count / 24),
      let hours = match([.hour], at: skip(range.upperBound, [" ", "-"]))
    {
      let end = skip(range.upperBound, [" ", "-"]) + hours.count
      if rate(after: end) == nil { quantities.append(Quantity(range: from..<end, period: period)) }
      return
    }
    if let count = Int(exactly: value), count > 0, count < 1_000,
      let said = unitWord(after: range.upperBound),
      let period = Period(said.unit, count * said.count)
    {
      quantities.append(Quantity(range: from..<said.end, period: period))
    }
  }

  /// Reads `8折`, which means 80 % of the price.
  private func tenths(after place: Int) -> Int? {
    let at = skip(place, [" "])
    guard at < text.scalars.count, text.scalars[at] == "\u{6298}",
      languages.contains(where: { $0.code == "zh" })
    else { return nil }
    return at + 1
  }

  private func isNegative(_ place: Int) -> Bool {
    place > 0 && text.scalars[place - 1] == "-" && text.outputs[place - 1] >= 0
  }

  /// The currency signs beside a number, and the range of the number including the signs.
  private func signs(around range: Range<Int>) -> (currencies: [String], range: Range<Int>) {
    if let (currencies, count) = ClaimCurrencies.sign(before: range.lowerBound, in: text) {
      return (currencies, range.lowerBound - count..<range.upperBound)
    }
    if let (currencies, count) = ClaimCurrencies.sign(after: range.upperBound, in: text) {
      return (currencies, range.lowerBound..<range.upperBound + count)
    }
    return ([], range)
  }
}
