internal import Expressions
internal import Pricing

/// Checks that need no claim words: missing values, and the languages and styles of values.
extension ClaimJudge {
  mutating func judgeValues() {
    for attribute in reading.attributes {
      let sentence = self.sentence(around: attribute.range.lowerBound)
      let text = attribute.text.trimmed
      let isNone: Bool
      switch attribute.meaning {
      case .price, .offerPrice: isNone = text.isEmpty || text.lowercased() == "n/a"
      case .period, .localizedPeriod, .offerEnd, .date, .savings, .offerTotal(nil),
        .offerLength(nil):
        isNone = text.isEmpty || text.lowercased() == "n/a"
      case .offerLength(.some), .offerTotal(.some), .periodLength:
        isNone = text.isEmpty || text == "0"
      case .currency, .other: continue
      }
      if isNone {
        claims.append(
          Claim(
            kind: .value, product: products[attribute.product].identifier,
            slot: products[attribute.product].slot,
            verdict: .fails(
              "'\(products[attribute.product].identifier)' has no \(attribute.name)"
                + (text.isEmpty ? "" : ", which is written '\(text)'")),
            range: source(of: attribute), sentence: self.text.text(sentence),
            words: self.text.text(attribute.range), locale: locale, part: attribute.range))
        continue
      }
      judgeLanguage(attribute, sentence)
    }
    for (output, range) in text.written where reading.tags[output].filters.contains("date") {
      judgeDate(range)
    }
  }

  /// Checks the language of a date that the filter `date` wrote with names of months or days.
  private mutating func judgeDate(_ range: Range<Int>) {
    let letters = range.filter { ClaimText.isWord(text.scalars[$0]) }
    guard letters.count > 2, !reading.languages.isEmpty,
      !reading.attributes.contains(where: { $0.range == range })
    else { return }
    let own = String(locale.prefix { $0 != "_" && $0 != "-" }).lowercased()
    let codes = reading.languages.map { $0.code }
    if codes.contains(own) { return }
    add(
      .language, nil, range, in: sentence(around: range.lowerBound),
      .fails(
        "the text is in \(codes.joined(separator: " or ")), but the date '\(text.text(range))' "
          + "is formatted for the locale \(locale)"
      ))
  }

  private func source(of attribute: Attribute) -> SourceRange {
    for (output, range) in text.written where range == attribute.range {
      guard let read = reading.tags[output].reads.first,
        ClaimReading.attribute(read.names, product(ofSlot:))?.name == attribute.name
      else { continue }
      return reading.tags[output].range
    }
    return text.source(attribute.range, tags: reading.tags.map { $0.range })
  }

  private func sentence(around place: Int) -> Range<Int> {
    text.sentences.first { place <= $0.upperBound } ?? text.sentences.last ?? 0..<0
  }

  // MARK: Languages

  private mutating func judgeLanguage(_ attribute: Attribute, _ sentence: Range<Int>) {
    if attribute.name == "trialPeriodText" || attribute.name == "trial_period",
      let language = reading.languages.first,
      !reading.languages.contains(where: { $0.code == "en" })
    {
      return add(
        .language, attribute.product, attribute.range, in: sentence,
        .fails(
          "the text is in \(language.code), and \(attribute.name) is always English, as in "
            + "'\(attribute.text)': '\(products[attribute.product].identifier)'"
        ))
    }
    guard [.offerEnd, .date, .localizedPeriod].contains(attribute.meaning),
      !reading.languages.isEmpty
    else { return }
    let own = String(locale.prefix { $0 != "_" && $0 != "-" }).lowercased()
    let codes = reading.languages.map { $0.code }
    let holds = codes.contains(own)
    add(
      .language, attribute.product, attribute.range, in: sentence,
      holds
        ? .holds
        : .fails(
          "the text is in \(codes.joined(separator: " or ")), but '\(attribute.text)' is "
            + "formatted for the locale \(locale): '\(products[attribute.product].identifier)'"
        ))
  }

  // MARK: Styles

  /// Reports the store's own price string beside one that the SDK formatted differently.
  mutating func judgeStyle() {
    for (number, known) in products.enumerated() {
      guard let display = known.product.displayPrice, let micros = known.micros,
        !isAndroid(known), Self.plain(display) != Self.plain(known.price(micros))
      else { continue }
      let own = reading.attributes.filter { $0.product == number && !$0.range.isEmpty }
      guard let stored = own.first(where: { $0.name == "price" }),
        let computed = own.first(where: {
          if case .price(per: .some) = $0.meaning { $0.text != "n/a" } else { false }
        }), let sentence = text.sentences.first(where: { $0.contains(stored.range.lowerBound) })
      else { continue }
      add(
        .style, number, computed.range, in: sentence,
        .fails(
          "'\(stored.text)' comes from the store, but '\(computed.text)' is formatted for the "
            + "locale \(locale): '\(known.identifier)'"
        ))
    }
  }

  private func isAndroid(_ known: ClaimProduct) -> Bool {
    switch profile ?? PricingProfile(usualFor: known.product.store) {
    case .androidPlay, .androidStripe, .androidTest: true
    default: false
    }
  }

  private static func plain(_ text: String) -> String {
    String(
      text.filter { !$0.isWhitespace }.unicodeScalars.filter {
        !(0x200B...0x200F).contains($0.value)
      }.map(Character.init))
  }

  // MARK: Attributes without words

  /// Checks only the attributes of a text in an unknown language.
  mutating func judgeAttributesAlone(_ sentence: Range<Int>) {
    for attribute in attributes(in: sentence) where !attribute.range.isEmpty {
      switch attribute.meaning {
      case .offerLength, .offerTotal:
        add(
          .trial, attribute.product, attribute.range, in: sentence,
          holds: !phases(attribute.product).isEmpty)
      case .offerEnd:
        let phase = phases(attribute.product).first
        add(
          .end, attribute.product, attribute.range, in: sentence,
          holds: phase.map { $0.cycles <= 1 || profile == .androidStripe } ?? false)
      case .offerPrice:
        add(
          .offerPrice, attribute.product, attribute.range, in: sentence,
          holds: !phases(attribute.product).isEmpty)
      case .period:
        guard let said = ClaimAttribute.period(inWords: attribute.text),
          let period = products[attribute.product].period
        else { continue }
        add(
          .period, attribute.product, attribute.range, in: sentence,
          holds: ClaimProduct.isSame(said, period))
      default: continue
      }
    }
  }
}
