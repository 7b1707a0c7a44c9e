/// Texts of which atoms tell apart whatever they tell apart at all.
///
/// Equality, order, beginnings, endings, parts and sizes are regular: a walk over all texts at once,
/// letter by letter, remembers of each constant how far it has been matched, and of the others whether
/// they come before or behind. Every combination that the walk can end in gives one text, the
/// shortest.
struct TextCandidates {
  private(set) var values: [Value] = []
  /// Whether there is a text for every combination.
  private(set) var isComplete = true

  private static let mostStates = 4_096
  private static let mostWork = 400_000

  /// - Parameter dropsDollarSigns: whether texts come without `$`.
  init(_ demands: AttributeDemands, dropsDollarSigns: Bool) {
    for text in demands.texts + demands.parts + demands.endings { add(text) }
    let isPlain =
      !demands.asksOrder && demands.parts.isEmpty && demands.endings.isEmpty
      && demands.sizes.isEmpty
    add([])
    if isPlain {
      add(TextCandidates.other(than: demands.texts))
      return
    }
    var walk = TextWalk(demands, dropsDollarSigns: dropsDollarSigns)
    for text in walk.texts(mostStates: Self.mostStates, mostWork: Self.mostWork) {
      values.append(.string(text))
    }
    isComplete = walk.isComplete
    if !isComplete { addSamples(demands) }
  }

  private mutating func add(_ text: [UInt8]) {
    values.append(.string(String(decoding: text, as: UTF8.self)))
  }

  /// A text that is none of these.
  static func other(than texts: [[UInt8]]) -> [UInt8] {
    var text = Array("other".utf8)
    while texts.contains(text) { text.append(UInt8(ascii: "s")) }
    return text
  }

  /// Combinations that are likely to matter.
  private mutating func addSamples(_ demands: AttributeDemands) {
    for first in demands.texts.prefix(4) + [[]] {
      for middle in demands.parts.prefix(4) + [[]] {
        for last in demands.endings.prefix(4) + [[], [UInt8(ascii: "a")]] {
          add(first + middle + last)
        }
      }
    }
  }
}

/// All texts at once, as a product of small automata over code points.
private struct TextWalk {
  private typealias Letters = [UInt32]

  /// Texts that are compared as a whole, or with their beginning.
  private let compared: [Letters]
  /// Parts and endings, each with where to go on when a letter does not match.
  private let parts: [(letters: Letters, fallback: [Int])]
  private let endings: [(letters: Letters, fallback: [Int])]
  private let asksOrder: Bool
  /// Sizes are counted up to here; all above are the same.
  private let mostSize: Int
  private let countsBytes: Bool
  private var alphabet: Letters = []
  private(set) var isComplete = true

  init(_ demands: AttributeDemands, dropsDollarSigns: Bool) {
    compared = demands.texts.map(TextWalk.letters)
    parts = demands.parts.map(TextWalk.letters).map { ($0, TextWalk.fallback($0)) }
    endings = demands.endings.map(TextWalk.letters).map { ($0, TextWalk.fallback($0)) }
    asksOrder = demands.asksOrder
    countsBytes = demands.countsBytes
    let sizes = demands.sizes.map { $0.nearestDouble.rounded(.up) }
    let most = sizes.max() ?? 0
    mostSize = most > 64 ? 1 : max(Int(most), 0) + 1
    if most > 64 { isComplete = false }
    makeAlphabet(hasSizes: !sizes.isEmpty, dropsDollarSigns: dropsDollarSigns)
  }

  private static func letters(_ bytes: [UInt8]) -> Letters {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
  }

  /// The letters of the constants, and one or more for all others between two of them.
  private mutating func makeAlphabet(hasSizes: Bool, dropsDollarSigns: Bool) {
    var own: Set<UInt32> = []
    for text in compared { own.formUnion(text) }
    for part in parts { own.formUnion(part.letters) }
    for ending in endings { own.formUnion(ending.letters) }
    let dollar = UInt32(UInt8(ascii: "$"))
    if dropsDollarSigns { own.insert(dollar) }
    var letters: Letters = []
    let ordinary = Array(
      "abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars
    )
    .map(\.value)
    // Texts of one size in bytes may have letters of one, two, three or four bytes.
    let borders: [UInt32] = hasSizes ? [0x80, 0x800, 0x1_0000] : []
    if asksOrder || hasSizes {
      var low: UInt32 = 0
      for letter in own.sorted() + [0x11_0000] {
        var start = low
        for border in borders + [0x11_0000] where start < letter {
          let end = min(border, letter)
          guard start < end else { continue }
          if let found = TextWalk.letter(in: start..<end, ordinary) { letters.append(found) }
          start = end
        }
        low = letter + 1
      }
    } else if let other = ordinary.first(where: { !own.contains($0) }) {
      letters.append(other)
    } else {
      letters.append((UInt32(0x100)...).first { !own.contains($0) } ?? 0x100)
    }
    let isOrdinary = Set(ordinary)
    letters += own.sorted()
    if dropsDollarSigns { letters.removeAll { $0 == dollar } }
    alphabet =
      letters.filter { isOrdinary.contains($0) } + letters.filter { !isOrdinary.contains($0) }
  }

  private static func letter(in range: Range<UInt32>, _ ordinary: Letters) -> UInt32? {
    if let found = ordinary.first(where: { range.contains($0) }) { return found }
    let start = max(range.lowerBound, 1)
    // Half of a pair is no letter.
    let surrogates: Range<UInt32> = 0xD800..<0xE000
    let letter = surrogates.contains(start) ? surrogates.upperBound : start
    if letter < range.upperBound { return letter }
    return range.contains(0) ? 0 : nil
  }

  /// For each number of letters that match, the number that still do when the next does not.
  private static func fallback(_ letters: Letters) -> [Int] {
    var fallback = Array(repeating: 0, count: letters.count + 1)
    var matched = 0
    for i in letters.indices.dropFirst() {
      while matched > 0, letters[i] != letters[matched] { matched = fallback[matched] }
      if letters[i] == letters[matched] { matched += 1 }
      fallback[i + 1] = matched
    }
    return fallback
  }

  // MARK: Walking

  /// A text for every combination that can be reached, the shortest first.
  mutating func texts(mostStates: Int, mostWork: Int) -> [String] {
    var work = 0
    var found: [String] = []
    var accepted: Set<[Int32]> = []
    let count = compared.count + parts.count + endings.count + 1
    let start = [Int32](repeating: 0, count: count)
    var states = [(state: start, text: Letters())]
    var known: Set<[Int32]> = [start]
    var next = 0
    while next < states.count {
      let (state, text) = states[next]
      next += 1
      if accepted.insert(ending(state)).inserted { found.append(TextWalk.string(text)) }
      for letter in alphabet {
        work += count
        let following = step(state, letter)
        guard known.insert(following).inserted else { continue }
        states.append((following, text + [letter]))
      }
      if states.count > mostStates || work > mostWork {
        isComplete = false
        break
      }
    }
    return found
  }

  private static func string(_ letters: Letters) -> String {
    var text = String.UnicodeScalarView()
    for letter in letters { if let scalar = Unicode.Scalar(letter) { text.append(scalar) } }
    return String(text)
  }

  // How a compared text stands: the number of letters that match, or one of these above it.
  private static let beyond: Int32 = 1
  private static let less: Int32 = 2
  private static let greater: Int32 = 3

  private func step(_ state: [Int32], _ letter: UInt32) -> [Int32] {
    var state = state
    var at = 0
    for text in compared {
      let count = Int32(text.count)
      let matched = state[at]
      if matched == count {
        state[at] = count + Self.beyond
      } else if matched < count {
        let own = text[Int(matched)]
        state[at] =
          own == letter
          ? matched + 1 : count + (letter < own && asksOrder ? Self.less : Self.greater)
      }
      at += 1
    }
    for part in parts {
      if state[at] < part.letters.count { state[at] = TextWalk.matched(part, state[at], letter) }
      at += 1
    }
    for ending in endings {
      state[at] = TextWalk.matched(ending, state[at], letter)
      at += 1
    }
    let size = countsBytes ? Int32(TextWalk.bytes(letter)) : 1
    state[at] = min(state[at] + size, Int32(mostSize) + 1)
    return state
  }

  private static func bytes(_ letter: UInt32) -> Int {
    letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x1_0000 ? 3 : 4
  }

  private static func matched(
    _ automaton: (letters: Letters, fallback: [Int]), _ state: Int32, _ letter: UInt32
  ) -> Int32 {
    var matched = Int(state)
    if matched == automaton.letters.count { matched = automaton.fallback[matched] }
    while matched > 0, automaton.letters[matched] != letter {
      matched = automaton.fallback[matched]
    }
    if matched < automaton.letters.count, automaton.letters[matched] == letter { matched += 1 }
    return Int32(matched)
  }

  /// What atoms can see of a text that ends here.
  private func ending(_ state: [Int32]) -> [Int32] {
    var seen: [Int32] = []
    var at = 0
    for text in compared {
      let count = Int32(text.count)
      // A beginning of the text comes before it.
      let unequal = asksOrder ? Self.less : Self.greater
      seen.append(state[at] < count ? unequal : state[at] == count ? 0 : state[at] - count)
      at += 1
    }
    for part in parts {
      seen.append(state[at] == Int32(part.letters.count) ? 1 : 0)
      at += 1
    }
    for ending in endings {
      seen.append(state[at] == Int32(ending.letters.count) ? 1 : 0)
      at += 1
    }
    seen.append(state[at])
    return seen
  }
}
