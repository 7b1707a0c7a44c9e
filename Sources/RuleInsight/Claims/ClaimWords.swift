package import Expressions
internal import RuleEngine

/// The words for claims in texts, by language: free, trial, per month, save, cancel any time.
///
/// The tables are data (`ClaimWordTable`); ``extended(by:)`` adds words or languages from a file of the
/// same form.
package struct ClaimWords: Sendable {
  /// The meaning of a word. The names are the keys of the tables.
  enum Kind: String, CaseIterable, Sendable {
    case free, notFree, trial, attempt, noPayment, today
    case day, week, month, year, quarter
    case rateday, rateweek, ratemonth, rateyear, ratequarter
    case daily, weekly, monthly, yearly, quarterly
    case per, every, forWord, first, until, then
    case off, upTo, instead, lifetime, notLifetime, cancel, noCommitment, renews, billed
    case subscription, plan, hedge, below, half, negation, past, stop
    case excluded, hour, ahead, elapsed, pay, nothing, from, cancelVerb, anytime, condition, within,
      reduced, costs, once, always, remind, whole, seat, halfyear, halfyearly, lasts, all, newcomer
  }

  /// A word or a phrase in lower case.
  struct Phrase: Sendable {
    var scalars: [Unicode.Scalar]
    var kind: Kind
    /// Whether the phrase also matches longer words that begin with it.
    var isStem: Bool
    /// Whether letters may follow or precede the phrase, as in languages that are written without spaces.
    var isBound: Bool
  }

  /// The words of one language.
  struct Language: Sendable {
    var code: String
    /// The phrases by their first letter; longer phrases first.
    private(set) var phrases: [Unicode.Scalar: [Phrase]] = [:]
    fileprivate(set) var numbers: [String: Int] = [:]

    mutating func add(_ text: String, _ kind: Kind) {
      var text = text.lowercased()
      let isStem = text.hasSuffix("*")
      if isStem { text.removeLast() }
      let scalars = Array(text.unicodeScalars)
      guard let first = scalars.first else { return }
      let phrase = Phrase(
        scalars: scalars, kind: kind, isStem: isStem, isBound: ClaimText.isIdeograph(first))
      var list = phrases[first] ?? []
      guard !list.contains(where: { $0.kind == kind && $0.scalars == scalars }) else { return }
      let place = list.firstIndex { $0.scalars.count < scalars.count } ?? list.count
      list.insert(phrase, at: place)
      phrases[first] = list
    }
  }

  private(set) var languages: [Language] = []

  /// The built-in words.
  package static let known: ClaimWords = {
    let value = (try? Value.parse(json: ClaimWordTable.json.utf8)) ?? .map([])
    return ClaimWords().adding(value).words
  }()

  /// The codes of the languages, in the order of the tables.
  package var codes: [String] { languages.map { $0.code } }

  /// These words, extended with words from a file: `{"languages": {"sv": {"free": ["gratis"]}}}`.
  package func extended(by json: [UInt8]) -> Compilation<ClaimWords> {
    do throws(JSONFault) {
      let value = try Value.parse(json: json)
      guard value["languages"]?.members != nil else {
        return Compilation(
          output: nil,
          diagnostics: [
            Diagnostic(
              .decodeFailure, "this file has no claim words",
              suggestion: "write {\"languages\": {\"sv\": {\"free\": [\"gratis\"]}}}")
          ])
      }
      let (words, diagnostics) = adding(value)
      return Compilation(output: words, diagnostics: diagnostics)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: json)])
    }
  }

  private func adding(_ value: Value) -> (words: ClaimWords, diagnostics: [Diagnostic]) {
    var words = self
    var diagnostics: [Diagnostic] = []
    for member in value["languages"]?.members ?? [] {
      let path = "languages.\(member.key)"
      guard let kinds = member.value.members else {
        diagnostics.append(
          Diagnostic(.decodeFailure, "the words of a language must be an object", path: path))
        continue
      }
      let code = String(member.key.prefix { $0 != "_" && $0 != "-" }).lowercased()
      let place = words.languages.firstIndex { $0.code == code } ?? words.languages.count
      if place == words.languages.count { words.languages.append(Language(code: code)) }
      for kind in kinds {
        diagnostics += words.languages[place].add(kind.key, kind.value, path)
      }
    }
    return (words, diagnostics)
  }
}

extension ClaimWords.Language {
  /// Adds the words of one kind, and returns diagnostics about them.
  fileprivate mutating func add(_ key: String, _ value: Value, _ path: String) -> [Diagnostic] {
    if key == "numbers" {
      for number in value.members ?? [] {
        if case .int(let count) = number.value, 1...999 ~= count {
          numbers[number.key.lowercased()] = Int(count)
        }
      }
      return []
    }
    guard let kind = ClaimWords.Kind(rawValue: key) else {
      return [
        Diagnostic(
          .unknownKey, "'\(key)' is not a kind of claim word", severity: .warning,
          path: path + "." + key,
          suggestion: Suggestion.question(
            about: key, among: ClaimWords.Kind.allCases.map { $0.rawValue }))
      ]
    }
    guard case .list(let texts) = value, texts.allSatisfy({ $0.text != nil }) else {
      return [
        Diagnostic(.decodeFailure, "claim words must be a list of strings", path: path + "." + key)
      ]
    }
    for text in texts { add(text.text ?? "", kind) }
    return []
  }
}

extension ClaimWords {
  /// The likely languages of a text, judged by its words; empty if no language is likely.
  func languages(of text: ClaimText) -> [Language] {
    var (hangul, kana, han, cyrillic, latin, other) = (0, 0, 0, 0, 0, 0)
    for place in text.scalars.indices where text.isOwn[place] {
      let scalar = text.scalars[place]
      guard scalar.properties.isAlphabetic else { continue }
      switch scalar.value {
      case 0xAC00...0xD7A3, 0x1100...0x11FF: hangul += 1
      case 0x3040...0x30FF: kana += 1
      case 0x3005...0x3007, 0x4E00...0x9FFF, 0x3400...0x4DBF: han += 1
      case 0x400...0x52F: cyrillic += 1
      case 0x41...0x24F, 0x1E00...0x1EFF: latin += 1
      default: other += 1
      }
    }
    let most = max(hangul, kana + han, cyrillic, latin, other)
    if most == 0 { return [] }
    if most == other { return ranked(text).filter { !Self.scripts.contains($0.code) } }
    if most == hangul { return languages.filter { $0.code == "ko" } }
    if most == kana + han {
      // A text without kana may be in either language.
      return languages.filter { $0.code == "ja" || kana == 0 && $0.code == "zh" }
    }
    return ranked(text).filter { !["ko", "ja", "zh"].contains($0.code) }
  }

  private static let scripts = [
    "ko", "ja", "zh", "ru", "en", "es", "fr", "de", "it", "pt", "nl", "tr",
  ]

  /// The languages that contain most of a text's words; empty if no language contains more than a few.
  private func ranked(_ text: ClaimText) -> [Language] {
    let words = text.wordStarts
    guard !words.isEmpty else { return [] }
    let scores = languages.map { language in
      words.reduce(0) { sum, place in
        sum + (language.longest(at: place, in: text) > 0 ? 1 : 0)
      }
    }
    guard let best = scores.max(), best > 0, best * 4 >= words.count else { return [] }
    return zip(languages, scores).filter { $0.1 == best }.map { $0.0 }
  }
}

extension ClaimWords.Language {
  /// The length of the longest phrase at a place; 0 for none.
  func longest(at place: Int, in text: ClaimText) -> Int {
    guard let list = phrases[text.scalars[place]] else { return 0 }
    return list.first { text.has($0, at: place) }?.scalars.count ?? 0
  }

  /// The kind of the phrase that equals a string.
  func unit(_ scalars: [Unicode.Scalar], _ kinds: Set<ClaimWords.Kind>) -> ClaimWords.Kind? {
    guard scalars.count > 1, let list = phrases[scalars[0]] else { return nil }
    return list.first { kinds.contains($0.kind) && $0.scalars == scalars }?.kind
  }

  /// The kind and the length of the longest phrase of some kinds at a place.
  func match(_ kinds: Set<ClaimWords.Kind>, at place: Int, in text: ClaimText)
    -> (kind: ClaimWords.Kind, count: Int)?
  {
    guard place < text.scalars.count, let list = phrases[text.scalars[place]] else { return nil }
    for phrase in list where kinds.contains(phrase.kind) && text.has(phrase, at: place) {
      return (phrase.kind, phrase.scalars.count)
    }
    return nil
  }
}
