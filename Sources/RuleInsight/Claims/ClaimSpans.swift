internal import Expressions
internal import Pricing

/// Time spans with words for numbers, and the words beside a span: `one month free`, `after 7 days`.
extension ClaimReading {
  /// A count and a unit, such as `3 months`, `one year`.
  func span(at place: Int) -> Unit? {
    guard place < text.scalars.count, let number = count(at: place) else { return nil }
    var at = skip(number.end, [" ", "-"])
    // `a whole year`
    if let word = match([.whole], at: at) {
      at += word.count
      while at < text.scalars.count, ClaimText.isWord(text.scalars[at]) { at += 1 }
      at = skip(at, [" "])
    }
    guard let unit = match(Self.unitKinds, at: at), let (size, count) = Self.unit(unit.kind),
      let period = Period(size, number.count * count)
    else { return nil }
    return Unit(period: period, range: place..<at + unit.count)
  }

  /// Finds spans whose count is a word, or that have no count: `one month free`, `한 달 무료`, `Неделя
  /// бесплатно`.
  mutating func findCountedSpans() {
    for place in text.scalars.indices
    where text.isOwn[place] && text.scalars[place].properties.isAlphabetic {
      if place > 0, ClaimText.isWord(text.scalars[place - 1]) { continue }
      if place > 0, ClaimText.isDigit(text.scalars[place - 1]) { continue }
      let span: Unit
      if let counted = self.span(at: place) {
        span = counted
        // `a week` is a span only beside a word for free: `$9.99 a week`.
        if match([.per], at: place) != nil, !isFree(after: span.range.upperBound),
          !isFree(before: place), !(precedes([.lasts], place) && isTrialInClause(place))
        {
          continue
        }
      } else if isClauseStart(place), let unit = match(Self.unitKinds, at: place),
        let (size, count) = Self.unit(unit.kind), let period = Period(size, count),
        isFree(after: place + unit.count)
      {
        span = Unit(period: period, range: place..<place + unit.count)
      } else {
        continue
      }
      if quantities.contains(where: { $0.range.overlaps(span.range) }) { continue }
      quantities.append(Quantity(range: span.range, period: span.period))
    }
    quantities.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Finds dates that the template counts from today, such as
  /// `Free until {{ "now" | date_add: 7, "days" | date: "%B %-d" }}`.
  mutating func findDates() {
    for (output, range) in text.written where !range.isEmpty {
      guard let period = tags[output].added else { continue }
      quantities.removeAll { $0.range.overlaps(range) }
      quantities.append(Quantity(range: range, period: period, isDate: true))
    }
    quantities.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Finds compound words that begin with "free" or "trial" and end with a unit: `Probemonat`,
  /// `proefweek`.
  mutating func findCompounds() {
    for word in words where word.kind == .trial || word.kind == .free {
      guard ClaimText.isWord(text.scalars[word.range.lowerBound]) else { continue }
      var end = word.range.upperBound
      while end < text.scalars.count, ClaimText.isWord(text.scalars[end]) { end += 1 }
      for start in word.range.dropFirst(3) where text.scalars[start] != " " {
        guard let found = unitIgnoringStart(at: start, end), let (unit, count) = Self.unit(found),
          let number = self.count(before: word.range.lowerBound)?.count ?? Optional(1),
          let period = Period(unit, number * count),
          !quantities.contains(where: { $0.range.overlaps(word.range) })
        else { continue }
        quantities.append(Quantity(range: word.range.lowerBound..<end, period: period))
        break
      }
    }
    quantities.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The unit that the end of a word spells, from a place on.
  private func unitIgnoringStart(at start: Int, _ end: Int) -> ClaimWords.Kind? {
    for language in languages {
      if let kind = language.unit(Array(text.scalars[start..<end]), Self.unitKinds) { return kind }
    }
    return nil
  }

  func isFree(after place: Int) -> Bool {
    var end = place
    // `einen Monat lang gratis`
    if let word = match([.forWord], at: skip(place, [" "])) {
      end = skip(place, [" "]) + word.count
    }
    return words.contains {
      ($0.kind == .free || $0.kind == .trial)
        && (0...4 ~= $0.range.lowerBound - place || 0...1 ~= $0.range.lowerBound - end)
    }
  }

  func isFree(before place: Int) -> Bool {
    words.contains {
      ($0.kind == .free || $0.kind == .trial) && 0...1 ~= place - $0.range.upperBound
    }
  }

  private func isTrialInClause(_ place: Int) -> Bool {
    words.contains {
      ($0.kind == .free || $0.kind == .trial) && $0.range.upperBound <= place
        && text.clauses[$0.range.lowerBound] == text.clauses[place]
    }
  }

  private func isClauseStart(_ place: Int) -> Bool {
    let clause = text.clauseRanges[text.clauses[place]]
    return text.scalars[clause.lowerBound..<place].allSatisfy { !$0.properties.isAlphabetic }
  }

  /// Whether a span is the time before something: `2 days before it ends`.
  func isAhead(_ span: Range<Int>) -> Bool {
    match([.ahead], at: skip(span.upperBound, [" "])) != nil
      && !precedes([.forWord], span.lowerBound)
  }

  /// Whether a word for the time before something begins at a place.
  func isAhead(at place: Int) -> Bool { match([.ahead], at: place) != nil }

  /// Whether a span is the time until something: `after 7 days`, `7日後`.
  func isElapsed(_ span: Range<Int>) -> Bool {
    if quantities.contains(where: { $0.isDate && $0.range == span }) { return true }
    if let word = match([.elapsed], at: skip(span.upperBound, [" "])), word.count > 0,
      text.clauses[span.lowerBound] == text.clauses[min(span.upperBound, text.clauses.count - 1)]
    {
      // Languages with prepositions put the word before the span.
      return languages.contains { ["tr", "ja", "ko", "zh"].contains($0.code) }
    }
    return precedes([.elapsed], span.lowerBound)
  }

  /// Whether a sentence begins with the time until something: `In 7 days: $59.99`.
  func isWithin(_ span: Range<Int>, _ sentence: Range<Int>) -> Bool {
    guard let word = match([.within], at: sentence.lowerBound),
      skip(sentence.lowerBound + word.count, [" "]) == span.lowerBound
    else { return false }
    return span.upperBound < sentence.upperBound
  }

  /// Whether a word for "within" precedes a span: `Your card will be charged in 7 days`.
  func isWithinClause(_ span: Range<Int>) -> Bool { precedes([.within], span.lowerBound) }

  /// Whether a word of some kinds ends directly before a place.
  func precedes(_ kinds: Set<ClaimWords.Kind>, _ place: Int) -> Bool {
    for start in stride(from: place - 1, through: max(0, place - 16), by: -1) {
      if let word = match(kinds, at: start), start + word.count <= place,
        text.scalars[start + word.count..<place].allSatisfy({ $0 == " " })
      {
        return true
      }
    }
    return false
  }
}

/// Days of a schedule, and currencies without an amount.
extension ClaimReading {
  /// The day of a schedule at the beginning of a sentence: `Day 7`, `Tag 7`, `7日目`, `第7天`.
  func day(in sentence: Range<Int>) -> (day: Int, range: Range<Int>)? {
    var at = sentence.lowerBound
    let isOrdinal = text.scalars[at] == "\u{7B2C}"
    if isOrdinal { at += 1 }
    if let word = match([.day], at: at), word.count > 1 {
      let start = skip(at + word.count, [" "])
      guard let (day, end) = digits(at: start), end <= sentence.upperBound else { return nil }
      return (day, at..<end)
    }
    guard let (day, end) = digits(at: at) else { return nil }
    let rest = skip(end, [" ", "."])
    guard let word = match([.day], at: rest), rest + word.count <= sentence.upperBound else {
      return nil
    }
    let after = rest + word.count
    let isCounted =
      isOrdinal || text.scalars[end] == "."
      || after < text.scalars.count && ["\u{76EE}", "\u{CC28}"].contains(text.scalars[after])
    return isCounted ? (day, at..<after) : nil
  }

  private func digits(at place: Int) -> (Int, Int)? {
    guard place < text.scalars.count, ClaimText.isDigit(text.scalars[place]) else { return nil }
    return count(at: place).map { ($0.count, $0.end) }
  }

  /// Currency codes in the text's own words, without an amount.
  var currencyCodes: [(currencies: [String], range: Range<Int>)] {
    text.wordStarts.compactMap { place in
      guard let (currencies, count) = ClaimCurrencies.code(at: place, in: text),
        !moneys.contains(where: { $0.range.overlaps(place..<place + count) })
      else { return nil }
      return (currencies, place..<place + count)
    }
  }
}
