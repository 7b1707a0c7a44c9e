internal import Expressions

/// A rendered text, character by character, with the origin of each character. Words are looked up
/// in lower case.
struct ClaimText: Sendable {
  /// The characters in lower case, with white space as spaces and without markup.
  private(set) var scalars: [Unicode.Scalar] = []
  /// The characters as the user reads them.
  private(set) var shown: [Unicode.Scalar] = []
  /// The position of each character in the template.
  private(set) var offsets: [Int] = []
  /// The number of the tag that wrote each character; -1 for the template's own text.
  private(set) var outputs: [Int] = []
  /// Whether each character is the template's own text, or contained in a tag: `{{ price | append: " a year" }}`.
  private(set) var isOwn: [Bool] = []
  /// Whether each character is struck through.
  private(set) var struck: [Bool] = []
  /// For each character, the number of the template's own text around it, which identifies its
  /// conditions; -1 for none.
  private(set) var pieces: [Int] = []
  /// Sentences, in order, without surrounding white space.
  private(set) var sentences: [Range<Int>] = []
  /// The clause of each character. Commas separate the clauses of a sentence.
  private(set) var clauses: [Int] = []
  /// The characters of each clause.
  private(set) var clauseRanges: [Range<Int>] = []
  /// The range of each tag's output, if it wrote any.
  private(set) var written: [(output: Int, range: Range<Int>)] = []

  private var isStruck = false
  private let withText: Set<Int>

  /// Marks in rendered texts. Paywalls do not contain characters of the private use area.
  enum Mark {
    static let output: Unicode.Scalar = "\u{E000}"
    static let number: Unicode.Scalar = "\u{E001}"
    static let end: Unicode.Scalar = "\u{E002}"
    static let text: Unicode.Scalar = "\u{E003}"
    static let all: ClosedRange<UInt32> = 0xE000...0xE003
  }

  /// Parses a text with marks.
  ///
  /// - Parameters:
  ///   - starts: the start of each of the template's own texts, by its number.
  ///   - tags: the start of each tag, by its number.
  ///   - written: the numbers of the tags that contain text of their own.
  init(marked: String, texts starts: [Int], tags: [Int], withText written: Set<Int> = []) {
    withText = written
    // A variable may contain text of the template, which is parsed where the variable is written.
    var open: [(output: Int, start: Int, isText: Bool)] = []
    var offset = 0
    var piece = -1
    var markup: [Unicode.Scalar]?
    var iterator = marked.unicodeScalars.makeIterator()
    // A product's value may contain characters that look like marks.
    func number(below count: Int) -> Int? {
      var value = 0
      while let digit = iterator.next(), digit != Mark.number {
        guard Self.isDigit(digit), value < count else { return nil }
        value = value * 10 + Int(digit.value) - 0x30
      }
      return value < count ? value : nil
    }
    while var scalar = iterator.next() {
      let width = UTF8.width(scalar)
      var skipped = 0
      if scalar == "&", let (character, count) = Self.entity(iterator) {
        scalar = character
        skipped = count
        for _ in 0..<count { _ = iterator.next() }
      }
      switch scalar {
      case Mark.output:
        if let number = number(below: tags.count) { open.append((number, scalars.count, false)) }
      case Mark.text:
        if let number = number(below: starts.count) {
          piece = number
          offset = starts[number]
          if !open.isEmpty { open[open.count - 1].isText = true }
        }
      case Mark.end:
        guard let last = open.popLast() else { break }
        // Attributes of HTML are invisible.
        if markup == nil { self.written.append((last.output, last.start..<scalars.count)) }
      default:
        let output = open.last.map { $0.isText ? -1 : $0.output } ?? -1
        let place = output >= 0 && piece < 0 ? tags[output] : offset
        if output < 0 { offset += width + skipped }
        if var tag = markup {
          if scalar == ">" {
            close(tag, at: place)
            markup = nil
          } else if tag.isEmpty, !scalar.properties.isAlphabetic, scalar != "/", scalar != "!" {
            // A literal character, not a tag.
            add("<", place - 1, -1, piece)
            add(scalar, place, -1, piece)
            markup = nil
          } else {
            tag.append(scalar)
            markup = tag
          }
        } else if scalar == "<", output < 0, skipped == 0 {
          markup = []
        } else {
          add(scalar, output >= 0 ? tags[output] : place, output, output >= 0 ? -1 : piece)
        }
      }
    }
    if let markup {
      for scalar in ["<"] + markup { add(scalar, offset, -1, piece) }
    }
    self.written.sort { $0.range.lowerBound < $1.range.lowerBound }
    strikeMarkdown()
    findSentences()
  }

  /// The character of an entity after `&`, and the number of its characters up to `;`. All of them
  /// are ASCII.
  private static func entity(_ rest: String.UnicodeScalarView.Iterator) -> (
    Unicode.Scalar, Int
  )? {
    var rest = rest
    var name = ""
    while name.count < 10, let scalar = rest.next() {
      if scalar == ";" { return ClaimMarkup.entity(name).map { ($0, name.count + 1) } }
      guard scalar.isASCII, scalar == "#" || scalar.properties.isAlphabetic || isDigit(scalar)
      else { return nil }
      name.unicodeScalars.append(scalar)
    }
    return nil
  }

  private mutating func add(_ scalar: Unicode.Scalar, _ offset: Int, _ output: Int, _ piece: Int) {
    var plain = scalar
    switch scalar.value {
    case 0x200B...0x200F, 0xFEFF, 0x2060, 0xAD, 0x202A...0x202E, 0xFE0F: return
    // An asterisk marks emphasis in Markdown, or a note below the text.
    case 0x2A where output < 0: return
    case 0xA0, 0x202F, 0x2000...0x200A, 0x3000, 0x09, 0x0D: plain = " "
    case 0x2019, 0x2018, 0x60, 0xB4: plain = "'"
    case 0x2010...0x2012, 0x2212: plain = "-"
    case 0xFF01...0xFF5E: plain = Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    case 0xFFE5: plain = "\u{A5}"
    case 0x130: plain = "i"
    default:
      if scalar.value >= 0x41 {
        plain = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
      }
    }
    if plain == " ", scalars.last == " " || scalars.last == "\n", output < 0 { return }
    scalars.append(plain)
    shown.append(plain == " " ? " " : scalar)
    offsets.append(offset)
    outputs.append(output)
    isOwn.append(output < 0 || withText.contains(output))
    pieces.append(piece)
    struck.append(isStruck)
  }

  // MARK: Markup

  private static let blocks: Set<String> = [
    "br", "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "td", "section",
    "button", "header", "footer", "article",
  ]

  /// The effect of an HTML tag on the text.
  private mutating func close(_ tag: [Unicode.Scalar], at offset: Int) {
    var text = String(String.UnicodeScalarView(tag)).lowercased()
    let isEnd = text.hasPrefix("/")
    if isEnd { text.removeFirst() }
    let name = String(text.prefix { $0.isLetter || $0.isNumber })
    if ["s", "del", "strike"].contains(name) || text.contains("line-through") {
      isStruck = !isEnd
    } else if isEnd, ["span", "em", "font"].contains(name) {
      isStruck = false
    }
    if Self.blocks.contains(name) { add("\n", offset, -1, -1) }
  }

  /// Marks struck text in Markdown: `~~$9.99~~`.
  private mutating func strikeMarkdown() {
    var at = 0
    var start: Int?
    while at + 1 < scalars.count {
      if scalars[at] == "~", scalars[at + 1] == "~" {
        if let from = start {
          for place in from..<at { struck[place] = true }
          start = nil
        } else {
          start = at + 2
        }
        at += 2
      } else {
        at += 1
      }
    }
  }

  // MARK: Sentences

  private static let enders: Set<Unicode.Scalar> = [".", "!", "?", "\u{3002}", "\u{2026}"]
  private static let breaks: Set<Unicode.Scalar> = ["\n", "|", "\u{2022}"]
  private static let commas: Set<Unicode.Scalar> = [
    ",", ";", "\u{2014}", "\u{2013}", "(", ")", "\u{3001}", "\u{FF0C}", "\u{B7}", "\u{2192}",
  ]

  private mutating func findSentences() {
    clauses = Array(repeating: 0, count: scalars.count)
    var start = 0
    var clause = 0
    func end(_ place: Int) {
      var range = start..<place
      while let first = range.first, scalars[first] == " " || scalars[first] == "\n" {
        range = first + 1..<range.upperBound
      }
      while let last = range.last, scalars[last] == " " || scalars[last] == "\n" {
        range = range.lowerBound..<last
      }
      if !range.isEmpty { sentences.append(range) }
      start = place
    }
    for place in scalars.indices {
      clauses[place] = clause
      guard outputs[place] < 0 else { continue }
      let scalar = scalars[place]
      if Self.breaks.contains(scalar) {
        end(place)
        start = place + 1
        clause += 1
      } else if Self.enders.contains(scalar), endsSentence(place) {
        end(place + 1)
        clause += 1
      } else if Self.commas.contains(scalar) || isDash(place), !isInNumber(place) {
        clause += 1
        clauses[place] = clause
      }
    }
    end(scalars.count)
    clauseRanges = Array(repeating: 0..<0, count: clause + 1)
    for (place, clause) in clauses.enumerated() {
      let from = clauseRanges[clause].isEmpty ? place : clauseRanges[clause].lowerBound
      clauseRanges[clause] = from..<place + 1
    }
  }

  private func isDash(_ place: Int) -> Bool {
    scalars[place] == "-" && place > 0 && scalars[place - 1] == " "
      && place + 1 < scalars.count && scalars[place + 1] == " "
  }

  private func isInNumber(_ place: Int) -> Bool {
    place > 0 && place + 1 < scalars.count && Self.isDigit(scalars[place - 1])
      && Self.isDigit(scalars[place + 1])
  }

  private static let abbreviations = [
    "vs", "inkl", "mtl", "ca", "incl", "approx", "z.b", "bzw", "zzgl", "мес", "дн", "нед", "п.р",
    "руб", "p", "aprox", "mo", "yr", "wk",
  ]

  /// Whether a number is ordinal, because it begins a sentence or follows an article: `1. Monat`, `im 1. Jahr`.
  private func isOrdinal(_ place: Int) -> Bool {
    var from = place
    while from > 0, Self.isDigit(scalars[from - 1]) { from -= 1 }
    guard scalars[place] == ".", 1...2 ~= place - from else { return false }
    var before = from
    while before > 0, scalars[before - 1] == " " { before -= 1 }
    if before == 0 || Self.breaks.contains(scalars[before - 1]) { return true }
    var start = before
    while start > 0, scalars[start - 1].properties.isAlphabetic { start -= 1 }
    let word = String(String.UnicodeScalarView(scalars[start..<before]))
    return ["im", "am", "ab", "der", "den", "dem", "das", "die"].contains(word)
  }

  private func endsSentence(_ place: Int) -> Bool {
    if isOrdinal(place) { return false }
    if scalars[place] == "\u{3002}" { return true }
    var next = place + 1
    while next < scalars.count, Self.enders.contains(scalars[next]) { next += 1 }
    guard next < scalars.count else { return true }
    guard scalars[next] == " " || scalars[next] == "\n" else {
      return scalars[place] != "." && !Self.isDigit(scalars[next])
    }
    while next < scalars.count, scalars[next] == " " { next += 1 }
    if scalars[place] != "." || next >= scalars.count { return true }
    var from = place
    while from > 0, scalars[from - 1].properties.isAlphabetic || scalars[from - 1] == "." {
      from -= 1
    }
    let word = String(String.UnicodeScalarView(scalars[from..<place]))
    if Self.abbreviations.contains(word) { return false }
    return !shown[next].properties.isLowercase
  }

  // MARK: Words

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { 0x30...0x39 ~= scalar.value }

  /// Whether a character belongs to a language without spaces between words.
  static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0x1100...0x11FF,
      0x0E00...0x0E7F:
      true
    default: false
    }
  }

  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !isIdeograph(scalar)
  }

  /// The positions where words of the template's own text begin.
  var wordStarts: [Int] {
    scalars.indices.filter { place in
      isOwn[place] && Self.isWord(scalars[place])
        && (place == 0 || !Self.isWord(scalars[place - 1]))
    }
  }

  /// Whether a phrase appears at a place, as whole words.
  func has(_ phrase: ClaimWords.Phrase, at place: Int) -> Bool {
    let count = phrase.scalars.count
    guard place + count <= scalars.count else { return false }
    for i in 0..<count where scalars[place + i] != phrase.scalars[i] {
      // A space in a phrase also matches a line break or a hyphen.
      guard phrase.scalars[i] == " ", scalars[place + i] == "\n" || scalars[place + i] == "-" else {
        return false
      }
    }
    // The end of a number is not a word: `980円` does not contain the phrase `0円`.
    if Self.isDigit(phrase.scalars[0]), place > 0, isPartOfNumber(place - 1) { return false }
    if phrase.isBound { return true }
    if place > 0, Self.isWord(scalars[place - 1]), Self.isWord(phrase.scalars[0]) { return false }
    let end = place + count
    if phrase.isStem || end == scalars.count { return true }
    return !(Self.isWord(scalars[end]) && Self.isWord(phrase.scalars[count - 1]))
  }

  private func isPartOfNumber(_ place: Int) -> Bool {
    if Self.isDigit(scalars[place]) { return true }
    return (scalars[place] == "." || scalars[place] == ",") && isInNumber(place)
  }

  /// A part of the text as the user reads it.
  func text(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    for place in range { view.append(shown[place] == "\n" ? " " : shown[place]) }
    return String(view)
  }

  /// The position of a part in the template.
  func source(_ range: Range<Int>, tags: [SourceRange]) -> SourceRange {
    guard let first = range.first, let last = range.last else { return SourceRange(from: 0, to: 0) }
    let from = outputs[first] >= 0 ? tags[outputs[first]].from : offsets[first]
    let to =
      outputs[last] >= 0 ? tags[outputs[last]].to : offsets[last] + UTF8.width(shown[last])
    return SourceRange(from: from, to: max(to, from))
  }
}
