internal import Expressions
internal import Pricing

extension ClaimWords.Language {
  /// The phrases of some kinds that begin at a place; the longest of each kind.
  func kinds(at place: Int, in text: ClaimText, among kinds: Set<ClaimWords.Kind>)
    -> [(kind: ClaimWords.Kind, count: Int)]
  {
    guard let list = phrases[text.scalars[place]] else { return [] }
    var found: [(kind: ClaimWords.Kind, count: Int)] = []
    for phrase in list where kinds.contains(phrase.kind) {
      if found.contains(where: { $0.kind == phrase.kind }) || !text.has(phrase, at: place) {
        continue
      }
      found.append((phrase.kind, phrase.scalars.count))
    }
    return found
  }
}

/// Time units after numbers and prices: `7 days`, `$9.99 a month`, `月額 ¥980`.
extension ClaimReading {
  static let unitKinds: Set<ClaimWords.Kind> = [.day, .week, .month, .year, .quarter, .halfyear]
  static let rateKinds: Set<ClaimWords.Kind> = [
    .day, .week, .month, .year, .quarter, .halfyear, .rateday, .rateweek, .ratemonth, .rateyear,
    .ratequarter,
  ]
  static let adverbKinds: Set<ClaimWords.Kind> = [
    .daily, .weekly, .monthly, .yearly, .quarterly, .halfyearly,
  ]

  static func unit(_ kind: ClaimWords.Kind) -> (unit: Period.Unit, count: Int)? {
    switch kind {
    case .day, .rateday, .daily: (.day, 1)
    case .week, .rateweek, .weekly: (.week, 1)
    case .month, .ratemonth, .monthly: (.month, 1)
    case .quarter, .ratequarter, .quarterly: (.month, 3)
    case .halfyear, .halfyearly: (.month, 6)
    case .year, .rateyear, .yearly: (.year, 1)
    default: nil
    }
  }

  /// The longest phrase of some kinds at a place, in any of the languages.
  func match(_ kinds: Set<ClaimWords.Kind>, at place: Int) -> (kind: ClaimWords.Kind, count: Int)? {
    var best: (kind: ClaimWords.Kind, count: Int)?
    for language in languages {
      if let found = language.match(kinds, at: place, in: text), found.count > best?.count ?? 0 {
        best = found
      }
    }
    return best
  }

  func skip(_ place: Int, _ scalars: Set<Unicode.Scalar> = [" ", "\n"]) -> Int {
    var place = place
    while place < text.scalars.count, scalars.contains(text.scalars[place]) { place += 1 }
    return place
  }

  /// The unit after a number: `7 days`, `7-day`, `7 Tage`, `7日間`.
  func unitWord(after place: Int) -> (unit: Period.Unit, count: Int, end: Int)? {
    var at = place
    if at < text.scalars.count, text.scalars[at] == "-" || text.scalars[at] == " " { at += 1 }
    if at < text.scalars.count, text.scalars[at] == "-" { at += 1 }
    at = skip(at)
    // The unit may be an attribute, which is in English.
    if let word = periodAttribute(at: at), let period = ClaimAttribute.period(inWords: word.text) {
      return (period.unit, period.count, word.range.upperBound)
    }
    guard let found = match(Self.unitKinds, at: at), let (unit, count) = Self.unit(found.kind)
    else {
      return nil
    }
    return (unit, count, at + found.count)
  }

  private func periodAttribute(at place: Int) -> Attribute? {
    attributes.first {
      $0.range.lowerBound == place && !$0.range.isEmpty && $0.meaning == .period
    }
  }

  /// Reads a number word or digits.
  func count(at place: Int) -> (count: Int, end: Int)? {
    var end = place
    var digits = ""
    while end < text.scalars.count, ClaimText.isDigit(text.scalars[end]), digits.count < 4 {
      digits.unicodeScalars.append(text.scalars[end])
      end += 1
    }
    if let value = Int(digits), value > 0 { return (value, end) }
    while end < text.scalars.count, text.scalars[end].properties.isAlphabetic { end += 1 }
    // Languages without spaces write the unit directly after the number.
    let isBound = place < text.scalars.count && ClaimText.isIdeograph(text.scalars[place])
    for end in isBound ? Array((place + 1...place + 3).reversed()) : [end]
    where end <= text.scalars.count && end > place {
      let word = String(String.UnicodeScalarView(text.scalars[place..<end]))
      for language in languages {
        if let number = language.numbers[word] { return (number, end) }
      }
    }
    return nil
  }

  /// Reads a word such as `monthly`, unless it is the end of a longer unit: `개월` does not contain
  /// the word `월`.
  func adverb(at place: Int) -> (period: Period, count: Int)? {
    guard let found = match(Self.adverbKinds, at: place), let (unit, count) = Self.unit(found.kind),
      let period = Period(unit, count)
    else { return nil }
    // The word may be the end of `half-yearly`.
    for start in max(0, place - 9)..<place {
      if let longer = match([.halfyearly, .halfyear], at: start), start + longer.count > place {
        return nil
      }
    }
    // `12 aylık` is a count of months, not the adverb `aylık`.
    if let unit = match(Self.unitKinds, at: place), unit.count == found.count,
      let before = text.scalars[..<place].last(where: { $0 != " " }), ClaimText.isDigit(before)
    {
      return nil
    }
    if place > 0, ClaimText.isIdeograph(text.scalars[place]),
      let longer = match(Self.unitKinds, at: place - 1), longer.count > 1
    {
      return nil
    }
    return (period, found.count)
  }

  /// The rate after a price: `a month`, `/mo`, `every 3 months`, `monthly`.
  func rate(after place: Int) -> Unit? {
    var at = skip(place, [" "])
    if at < text.scalars.count, text.scalars[at] == "\n" { return rate(onLineAfter: at) }
    if at - place > 2 { return nil }
    if at < text.scalars.count, text.scalars[at] == "(" || text.scalars[at] == "," { return nil }
    let start = at
    func unit(at place: Int, _ kinds: Set<ClaimWords.Kind>) -> Unit? {
      var at = skip(place)
      if let word = periodAttribute(at: at), let period = ClaimAttribute.period(inWords: word.text)
      {
        return Unit(period: period, range: start..<word.range.upperBound)
      }
      var times = 1
      if let number = count(at: at), match(kinds, at: skip(number.end, [" ", "-"])) != nil {
        times = number.count
        at = skip(number.end, [" ", "-"])
      } else if let attribute = attributes.first(where: { $0.range.lowerBound == at }),
        case .periodLength(let unit) = attribute.meaning, let number = Int(attribute.text)
      {
        let said = unitWord(after: attribute.range.upperBound)
        return Period(said?.unit ?? unit, number).map {
          Unit(period: $0, range: start..<(said?.end ?? attribute.range.upperBound))
        }
      }
      guard let found = match(kinds, at: at), let (unit, count) = Self.unit(found.kind) else {
        return nil
      }
      return Period(unit, times * count).map { Unit(period: $0, range: start..<at + found.count) }
    }
    if let word = periodAttribute(at: at), let period = ClaimAttribute.period(inWords: word.text) {
      return Unit(period: period, range: word.range)
    }
    if at < text.scalars.count, text.scalars[at] == "/" {
      let next = skip(at + 1, [" "])
      if let seat = match([.seat], at: next) { return rate(after: next + seat.count) }
      let unit = unit(at: at + 1, Self.rateKinds)
      guard let adverb = adverb(at: next), next + adverb.count > unit?.range.upperBound ?? 0 else {
        return unit
      }
      // In `$69.99 / Monthly $9.99` the word belongs to the next price.
      let isOfNext = moneys.contains {
        $0.range.lowerBound >= next + adverb.count
          && isFiller(next + adverb.count..<$0.range.lowerBound)
      }
      return isOfNext
        ? nil : Unit(period: adverb.period, range: start..<next + adverb.count)
    }
    if let adverb = adverb(at: at) {
      return Unit(period: adverb.period, range: at..<at + adverb.count)
    }
    // `$19.99 today for 6 months` has a word between the price and its span.
    if let word = match([.today], at: at),
      match([.forWord], at: skip(at + word.count, [" "])) != nil
    {
      at = skip(at + word.count, [" "])
    }
    if let preposition = match([.forWord], at: at),
      let span = span(at: firstSkipped(skip(at + preposition.count, [" "])))
    {
      return Unit(period: span.period, range: start..<span.range.upperBound, isSpan: true)
    }
    if let per = match([.per, .every], at: at) {
      at += per.count
      if let seat = match([.seat], at: skip(at, [" "])) {
        return rate(after: skip(at, [" "]) + seat.count)
      }
      if let found = unit(at: at, Self.rateKinds) { return found }
      if let adverb = match(Self.adverbKinds, at: skip(at)),
        let (unit, count) = Self.unit(adverb.kind)
      {
        return Period(unit, count).map { Unit(period: $0, range: start..<skip(at) + adverb.count) }
      }
    }
    return nil
  }

  /// The place after words such as `the first` or `your first`; the place itself without such words.
  private func firstSkipped(_ place: Int) -> Int {
    var at = place
    for _ in 0..<2 where at < text.scalars.count && span(at: at) == nil {
      if let word = match([.first], at: at) { return skip(at + word.count, [" "]) }
      while at < text.scalars.count, ClaimText.isWord(text.scalars[at]) { at += 1 }
      at = skip(at, [" "])
    }
    return place
  }

  /// Reads a rate that is alone on the line below a price: `per month`.
  private func rate(onLineAfter place: Int) -> Unit? {
    let next = skip(place)
    guard next < text.scalars.count, text.scalars[next] == "/" || match([.per], at: next) != nil,
      let unit = rate(after: next), !unit.isSpan
    else { return nil }
    let end = skip(unit.range.upperBound, [" "])
    return end == text.scalars.count || text.scalars[end] == "\n" ? unit : nil
  }

  /// Reads a rate at the beginning of a line: `Pro Monat nur`, `Per month:`.
  private func per(at place: Int) -> Unit? {
    guard place == 0 || text.scalars[place - 1] == "\n", let word = match([.per], at: place),
      count(at: place) == nil,
      let unit = match(Self.rateKinds, at: skip(place + word.count, [" "])),
      let (size, count) = Self.unit(unit.kind), let period = Period(size, count)
    else { return nil }
    return Unit(period: period, range: place..<skip(place + word.count, [" "]) + unit.count)
  }

  /// The rate before a price: `Yearly plan: $59.99`, `月額 ¥980`.
  func rate(before place: Int) -> Unit? {
    var start = place - 1
    let clause = place < text.clauses.count ? text.clauses[place] : -1
    while start >= 0, place - start < 32 {
      if text.scalars[start] == "\n" || text.clauses[start] < clause - 1 { return nil }
      if let adverb = adverb(at: start), start + adverb.count <= place,
        isFiller(start + adverb.count..<place)
      {
        return Unit(period: adverb.period, range: start..<start + adverb.count)
      }
      if let every = every(at: start) ?? per(at: start), every.range.upperBound <= place,
        isFiller(every.range.upperBound..<place)
      {
        return every
      }
      start -= 1
    }
    return nil
  }

  /// Reads a rate with a count: `every 3 months`, `3か月ごと`.
  private func every(at place: Int) -> Unit? {
    if let word = match([.every], at: place),
      let span = span(at: skip(place + word.count, [" "]))
    {
      return Unit(period: span.period, range: place..<span.range.upperBound)
    }
    guard let span = span(at: place), let word = match([.every], at: span.range.upperBound),
      ClaimText.isIdeograph(text.scalars[span.range.upperBound])
    else { return nil }
    return Unit(period: span.period, range: place..<span.range.upperBound + word.count)
  }

  /// The period of a plan whose name begins a line, or is alone on the line before: `12 months:
  /// $59.99`.
  private func planName(before place: Int) -> Unit? {
    func line(endingAt end: Int) -> Range<Int> {
      var from = end
      while from > 0, text.scalars[from - 1] != "\n", text.scalars[from - 1] != "|" { from -= 1 }
      return from..<end
    }
    let own = line(endingAt: place)
    if let name = planName(in: own) { return name }
    guard isFiller(own), own.lowerBound > 0, text.scalars[own.lowerBound - 1] == "\n" else {
      return nil
    }
    // `12 months | 1 month` above `$59.99 | $9.99`
    let cell = text.scalars[..<(own.lowerBound - 1)]
    let start = (cell.lastIndex(of: "\n") ?? -1) + 1
    let cells = text.scalars[start..<own.lowerBound - 1].split(
      separator: "|", omittingEmptySubsequences: false)
    return planName(in: cells[0].indices)
  }

  /// Reads an installment, such as `12 x $4.99` for a twelfth of a year.
  private func installment(before place: Int) -> Unit? {
    let start = max(0, place - 32)
    let written = String(String.UnicodeScalarView(text.scalars[start..<place]))
    for sign in ["12 x ", "12x ", "12x de ", "12 x de ", "12 \u{D7} ", "12\u{D7} "] + Self.payments
    where written.hasSuffix(sign) {
      return Period(.month, 1).map { Unit(period: $0, range: place - sign.count..<place) }
    }
    return nil
  }

  private static let payments = [
    "12 payments of ", "12 monthly payments of ", "12 installments of ", "12 instalments of ",
    "12 easy payments of ", "12 pagos de ", "12 cuotas de ", "12 paiements de ",
    "12 mensualit\u{E9}s de ", "12 raten zu ", "12 raten \u{E0} ", "12 monatsraten zu ",
    "12 zahlungen von ", "12 rate da ", "12 parcelas de ", "12 betalingen van ",
    "12 termijnen van ",
    "12 \u{43F}\u{43B}\u{430}\u{442}\u{435}\u{436}\u{435}\u{439} \u{43F}\u{43E} ",
  ]

  /// The period of a range that only contains the name of a plan: `1 Year -`, `Annual plan`.
  func planName(in range: Range<Int>) -> Unit? {
    for start in range where text.isOwn[start] {
      if start - range.lowerBound > 16 { return nil }
      let found =
        adverb(at: start).map { Unit(period: $0.period, range: start..<start + $0.count) }
        ?? (start == range.lowerBound || !ClaimText.isDigit(text.scalars[start - 1])
          ? span(at: start) : nil)
      if var found, found.range.upperBound <= range.upperBound,
        isFiller(range.lowerBound..<start), isFiller(found.range.upperBound..<range.upperBound)
      {
        found.isName = true
        return found
      }
    }
    return nil
  }

  private static let fillers: Set<Unicode.Scalar> = [
    " ", ":", "-", "\u{2013}", "\u{2014}", "=", "(", "\u{FF1A}",
  ]

  /// Whether the text between a word and a price has no meaning of its own.
  func isFiller(_ range: Range<Int>) -> Bool {
    guard range.lowerBound <= range.upperBound else { return false }
    var at = range.lowerBound
    while at < range.upperBound {
      if Self.fillers.contains(text.scalars[at]) {
        at += 1
      } else if let word = match([.plan, .subscription], at: at),
        at + word.count <= range.upperBound
      {
        at += word.count
      } else {
        return false
      }
    }
    return true
  }

  /// The unit of a price, by the price's index.
  func unit(of place: Int) -> Unit? {
    let money = moneys[place]
    let after = rate(after: money.range.upperBound)
    let before = rate(before: money.range.lowerBound) ?? planName(before: money.range.lowerBound)
    guard let before = before ?? installment(before: money.range.lowerBound) else { return after }
    guard let after else {
      // `4 months at $1.99 each` has its unit before the price.
      if match([.every], at: skip(money.range.upperBound, [" "])) != nil { return nil }
      // A rate after the previous price does not apply to this one.
      if place > 0, let earlier = rate(after: moneys[place - 1].range.upperBound),
        earlier.range.overlaps(before.range)
      {
        return moneys[place - 1].unit?.range == before.range ? nil : before
      }
      return before
    }
    // In `Monthly $9.99 Yearly $59.99` the next word belongs to the next price.
    if place + 1 < moneys.count,
      isFiller(
        after.range.upperBound..<max(after.range.upperBound, moneys[place + 1].range.lowerBound)),
      moneys[place + 1].range.lowerBound >= after.range.upperBound,
      rate(after: moneys[place + 1].range.upperBound) == nil
    {
      return before
    }
    return after
  }

  /// A number that ends directly before a place.
  func count(before place: Int) -> (count: Int, start: Int)? {
    for start in stride(from: place - 2, through: max(0, place - 12), by: -1) {
      if start > 0,
        ClaimText.isWord(text.scalars[start - 1]) || ClaimText.isDigit(text.scalars[start - 1])
      {
        continue
      }
      if let number = count(at: start), number.end < place, skip(number.end, [" "]) == place {
        return (number.count, start)
      }
    }
    return nil
  }

  /// Finds a time beside a word for free: `a free week`, `free for a month`.
  private mutating func findFreeTime(_ word: Word) {
    var at = skip(word.range.upperBound, [" "])
    var times = 1
    if let preposition = match([.forWord], at: at) {
      at = skip(at + preposition.count)
      guard let number = count(at: at) else { return }
      times = number.count
      at = skip(number.end, [" ", "-"])
    }
    guard let found = match(Self.unitKinds, at: at), let (unit, count) = Self.unit(found.kind),
      let period = Period(unit, times * count)
    else { return }
    // `two free weeks`
    let start = word.range.lowerBound
    if times == 1, let counted = self.count(before: word.range.lowerBound),
      let whole = Period(unit, counted.count * count)
    {
      let range = counted.start..<at + found.count
      quantities.removeAll { $0.range.overlaps(range) }
      quantities.append(Quantity(range: range, period: whole))
      return
    }
    let range = start..<at + found.count
    if !quantities.contains(where: { $0.range.overlaps(range) }) {
      quantities.append(Quantity(range: range, period: period))
    }
  }

  /// Finds spans without a number: `the first month`, `erster Monat`.
  mutating func findBareQuantities() {
    for word in words where word.kind == .first {
      let at = skip(word.range.upperBound)
      if let found = match(Self.unitKinds, at: at), let (unit, count) = Self.unit(found.kind),
        let period = Period(unit, count)
      {
        quantities.append(
          Quantity(range: word.range.lowerBound..<at + found.count, period: period, isBare: true))
      } else if let number = count(at: at), let found = match(Self.unitKinds, at: skip(number.end)),
        let (unit, count) = Self.unit(found.kind), let period = Period(unit, number.count * count),
        !quantities.contains(where: { $0.range.overlaps(at..<skip(number.end) + found.count) })
      {
        quantities.append(
          Quantity(range: at..<skip(number.end) + found.count, period: period))
      }
    }
    for word in words where word.kind == .free { findFreeTime(word) }
    quantities.sort { $0.range.lowerBound < $1.range.lowerBound }
  }
}
