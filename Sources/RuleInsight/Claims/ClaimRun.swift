internal import Expressions
internal import Pricing
internal import RuleEngine

/// Checks texts for all products, eligibilities and locales. Each distinct rendering is judged
/// once.
struct ClaimRun: ~Copyable {
  /// The state while texts are rendered.
  struct State {
    var products: [ClaimProduct]
    var isEligible: Bool
    /// Whether only one product is tried as the selected product.
    var isForOneSelection: Bool
    /// Whether the check covers both kinds of users.
    var isForBoth: Bool
    var locale: String
    var profile: PricingProfile?
    /// Whether the products' attributes differ for ineligible users.
    var attributesDiffer: Bool
    /// Whether prices are judged by the locale's style.
    var followsLocale: Bool
  }

  /// The state of one text.
  private struct Text {
    var template: ClaimTemplate
    var markup: ClaimMarkup
    var isUsable: Bool
    var firstChoice: Int
    var combinations: [[Value]]
    /// Whether the text contains dates or words of the device's locale.
    var hasLocalWords: Bool
    /// The outcome of each claim.
    var outcomes: [ClaimKey: Outcome] = [:]
    var order: [ClaimKey] = []
    var languages: [ClaimWords.Language]?
    var hasWords = false
    /// The characters of the longest rendering that was too long to check.
    var uncheckedLength: Int?
    var renderings: [ClaimCheck.Rendering] = []
    var characters = 0
  }

  private struct Key: Hashable {
    var signature: [UInt8]
    var selected: Int
    var isEligible: Bool
    var locale: String
  }

  private struct ClaimKey: Hashable {
    var kind: Claim.Kind
    var product: String
    var slot: String
    var range: SourceRange
  }

  private struct Outcome {
    var holding: Claim?
    var failing: Claim?
    var failingForIneligible: Claim?
    var unknown: Claim?
  }

  private var texts: [Text] = []
  /// The renderings of each text that were judged.
  private var judged: [Set<Key>] = []
  private let set: TemplateSet
  private var frame: Frame
  private var rendered = RenderedText()
  private let words: ClaimWords
  private let keepsRenderings: Bool
  private let longestText: Int
  /// The maximum number of combinations of answers.
  private(set) var rounds = 1

  init(
    _ sources: [String], _ environment: TemplateEnvironment, _ words: ClaimWords,
    keepsRenderings: Bool, longestText: Int
  ) {
    var environment = environment
    let isHTML = environment.isHTML
    environment.isHTML = false
    self.words = words
    self.keepsRenderings = keepsRenderings
    self.longestText = longestText
    var builder = TemplateSetBuilder(environment)
    var choices = 0
    for original in sources {
      let markup = ClaimMarkup(original, isHTML: isHTML)
      let source = markup.source
      let analysis = environment.analyze(source)
      let template = ClaimTemplate(source, analysis, environment, firstChoice: choices)
      let problems = builder.add(template.source)
      let isUsable =
        !template.isUnreadable && !analysis.diagnostics.contains { $0.severity == .error }
        && !problems.contains { $0.severity == .error }
      let combinations = template.combinations
      texts.append(
        Text(
          template: template, markup: markup, isUsable: isUsable, firstChoice: choices,
          combinations: combinations,
          hasLocalWords: template.tags.contains { tag in
            tag.reads.contains {
              [.offerEnd, .date, .localizedPeriod].contains(
                ClaimAttribute.named[$0.names.last.flatMap { $0 } ?? ""] ?? .other)
            }
          }))
      choices += template.choices.count
      rounds = max(rounds, combinations.count)
    }
    judged = Array(repeating: [], count: texts.count)
    set = builder.build()
    frame = Frame(for: set.program)
  }

  var readsSelected: Bool { texts.contains { $0.template.readsSelected } }

  /// The answers of a round and the theme, as roots of the template's values.
  func roots(_ round: Int, _ theme: Value?) -> [(name: String, value: Value)] {
    var answers: [Value.Entry] = []
    for text in texts {
      let combination = text.combinations[min(round, text.combinations.count - 1)]
      for (place, value) in combination.enumerated() {
        answers.append(Value.Entry(key: .string("c\(text.firstChoice + place)"), value: value))
      }
    }
    return [(ClaimTemplate.choiceRoot, .map(answers))] + (theme.map { [("theme", $0)] } ?? [])
  }

  // MARK: Rendering

  mutating func render(
    _ context: Value, _ options: RenderOptions, _ state: State, selected: Int, round: Int
  ) {
    guard (try? frame.fill(context)) != nil else { return }
    frame.setOptions(options)
    for number in texts.indices where texts[number].isUsable {
      let text = texts[number]
      if selected > 0, !text.template.readsSelected, !state.isForOneSelection { continue }
      if round >= text.combinations.count { continue }
      // Eligible and ineligible users read the same text, which is judged for both at once.
      if !state.isEligible, state.isForBoth, !state.attributesDiffer,
        !text.template.readsEligibility
      {
        continue
      }
      set.render(number, in: &frame, into: &rendered)
      let key = rendered.withBytes {
        Key(
          signature: signature($0, text, state),
          selected: text.template.readsSelected ? selected : 0,
          isEligible: state.isEligible, locale: locale(of: text, state))
      }
      // A report marks the false words of each rendering.
      guard judged[number].insert(key).inserted || keepsRenderings else { continue }
      judge(rendered.string, number, state, selected)
    }
  }

  /// The part of the locale that affects a text.
  private func locale(of text: Text, _ state: State) -> String {
    if state.followsLocale { return state.locale }
    guard text.hasLocalWords else { return "" }
    return String(state.locale.prefix { $0 != "_" && $0 != "-" })
  }

  /// The text without the characters of attributes that are judged by their values.
  private func signature(_ bytes: UnsafeBufferPointer<UInt8>, _ text: Text, _ state: State)
    -> [UInt8]
  {
    // SAFETY: Indices are compared with the count of the view, which the caller's closure keeps.
    // Tests: ClaimCheckTests.
    if state.followsLocale { return Array(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      // U+E000 to U+E003 are EE 80 80 to EE 80 83.
      guard bytes[at] == 0xEE, at + 2 < bytes.count, bytes[at + 1] == 0x80, bytes[at + 2] == 0x80
      else {
        result.append(bytes[at])
        at += 1
        continue
      }
      var number = 0
      var end = at + 3
      while end < bytes.count, bytes[end] != 0xEE {
        number = number &* 10 &+ Int(bytes[end]) &- 0x30
        end += 1
      }
      end = min(end + 3, bytes.count)
      result += bytes[at..<end]
      at = end
      guard text.template.tags.indices.contains(number), text.template.tags[number].isLocalPrice
      else {
        continue
      }
      let start = at
      while at < bytes.count, bytes[at] != 0xEE { at += 1 }
      // Short values such as `n/a` stay in the signature, because a missing value matters.
      if at - start <= 3 { result += bytes[start..<at] } else { result.append(0x23) }
    }
    return result
  }

  private mutating func keep(
    _ text: ClaimText, _ falseParts: [Range<Int>], _ number: Int, _ state: State, _ selected: Int
  ) {
    let template = texts[number].template
    let isFalse = falseParts.reduce(into: Set<Int>()) { $0.formUnion($1) }
    var pieces: [ClaimCheck.Rendering.Piece] = []
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" }
    let first = text.scalars.firstIndex { !isSpace($0) } ?? 0
    let last = text.scalars.lastIndex { !isSpace($0) } ?? -1
    for place in first..<max(first, last + 1) {
      let character = String(Character(text.shown[place]))
      let (isStruck, isFalse) = (text.struck[place], isFalse.contains(place))
      if let last = pieces.last, last.isStruck == isStruck, last.isFalse == isFalse {
        pieces[pieces.count - 1].text += character
      } else {
        pieces.append(.init(text: character, isStruck: isStruck, isFalse: isFalse))
      }
    }
    let isForAll = state.isForBoth && !state.attributesDiffer && !template.readsEligibility
    let rendering = ClaimCheck.Rendering(
      pieces: pieces, selected: template.readsSelected ? state.products[selected].identifier : nil,
      isEligible: isForAll ? nil : state.isEligible, locale: state.locale)
    guard !rendering.text.trimmed.isEmpty, !texts[number].renderings.contains(rendering) else {
      return
    }
    if let same = texts[number].renderings.firstIndex(where: {
      $0.text == rendering.text && $0.selected == rendering.selected
        && $0.locale == rendering.locale
    }) {
      texts[number].renderings[same].isEligible = nil
    } else {
      texts[number].renderings.append(rendering)
    }
  }

  // MARK: Judging

  private mutating func judge(_ marked: String, _ number: Int, _ state: State, _ selected: Int) {
    let template = texts[number].template
    let text = ClaimText(
      marked: marked, texts: template.texts.map { $0.start },
      tags: template.tags.map { $0.range.from },
      withText: Set(template.tags.indices.filter { template.tags[$0].hasText }))
    guard text.scalars.count <= longestText else {
      texts[number].uncheckedLength = max(text.scalars.count, texts[number].uncheckedLength ?? 0)
      return
    }
    let languages = words.languages(of: text)
    if !text.wordStarts.isEmpty || !languages.isEmpty {
      texts[number].hasWords = true
      if texts[number].languages?.isEmpty ?? true { texts[number].languages = languages }
    }
    let products = state.products
    let reading = ClaimReading(text, languages, template.tags) { slot in
      if slot == "selected" { return selected }
      return products.lastIndex { $0.slot == slot }
    }
    // The store's charges for these products are unknown.
    let unpriced = Set(products.filter { $0.micros == nil }.map { $0.identifier })
    // A text that is rendered for both kinds of users is judged for both.
    let sides =
      template.readsEligibility || state.attributesDiffer
        || !state.isForBoth
      ? [state.isEligible] : state.isEligible ? [true, false] : []
    var falseParts: [Range<Int>] = []
    for isEligible in sides {
      texts[number].characters += text.scalars.count
      var judge = ClaimJudge(
        reading, products, guards: template.texts.map { $0.guards }, selected: selected,
        isEligible: isEligible, locale: state.locale, profile: state.profile)
      for claim in judge.judge() where !unpriced.contains(claim.product) {
        if claim.fails, let part = claim.part { falseParts.append(part) }
        record(
          claim, number, isEligible, template.readsSelected ? products[selected].identifier : nil)
      }
    }
    if keepsRenderings { keep(text, falseParts, number, state, selected) }
  }

  private mutating func record(
    _ claim: Claim, _ number: Int, _ isEligible: Bool, _ selected: String?
  ) {
    let key = ClaimKey(
      kind: claim.kind, product: claim.product, slot: claim.slot, range: claim.range)
    if texts[number].outcomes[key] == nil { texts[number].order.append(key) }
    var outcome = texts[number].outcomes[key] ?? Outcome()
    var claim = claim
    if let selected, selected != claim.product { claim.selected = selected }
    switch claim.verdict {
    case .holds: outcome.holding = outcome.holding ?? claim
    case .unknown: outcome.unknown = outcome.unknown ?? claim
    case .fails:
      if isEligible {
        outcome.failing = outcome.failing ?? claim
      } else {
        outcome.failingForIneligible = outcome.failingForIneligible ?? claim
      }
    }
    texts[number].outcomes[key] = outcome
  }

  /// The results of each text.
  var results: [ClaimCheck.Result] {
    texts.map { text in
      var result = ClaimCheck.Result()
      result.renderings = text.renderings
      result.characters = text.characters
      result.unchecked = text.uncheckedLength.map {
        "a rendered text has \($0) characters: claims are checked up to \(longestText)"
      }
      result.isInKnownLanguage = text.hasWords ? !(text.languages?.isEmpty ?? true) : nil
      for key in text.order {
        guard let outcome = text.outcomes[key] else { continue }
        var claim =
          outcome.failing ?? outcome.failingForIneligible ?? outcome.unknown ?? outcome.holding
        claim?.isForIneligibleOnly =
          outcome.failing == nil && outcome.failingForIneligible != nil
        if var claim {
          claim.range = text.markup.original(claim.range)
          result.claims.append(claim)
        }
      }
      result.claims.sort { ($0.range.from, $0.range.to) < ($1.range.from, $1.range.to) }
      return result
    }
  }
}

extension ClaimTemplate.Tag {
  /// Whether the tag contains text of its own: `{{ price | append: " a year" }}`, `{{ " a year" }}`.
  var hasText: Bool {
    reads.isEmpty || filters.contains("append") || filters.contains("prepend")
  }

  /// Whether the tag writes an amount or a date whose characters add no information to the attribute.
  fileprivate var isLocalPrice: Bool {
    guard isPlain, let name = reads.first?.names.last.flatMap({ $0 }),
      let meaning = ClaimAttribute.named[name], !ClaimAttribute.raw.contains(name)
    else { return false }
    switch meaning {
    case .price, .offerPrice, .offerEnd, .date, .localizedPeriod: return true
    default: return false
    }
  }
}
