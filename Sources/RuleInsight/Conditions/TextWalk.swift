internal import Expressions
internal import Regex

/// A walk over all strings at once, as a product of small automata over code points.
struct TextWalk {
  private typealias Letters = [UInt32]

  /// The order of strings that are compared as a whole, or as prefixes.
  private var order: ConstantOrder
  /// Substrings and suffixes, each with the state to continue from after a mismatch.
  private let parts: [(letters: Letters, fallback: [Int])]
  private let endings: [(letters: Letters, fallback: [Int])]
  private var patterns: [PatternTable]
  /// The largest size that is counted. All larger sizes are equivalent.
  private let mostSize: Int
  private let countsBytes: Bool
  /// Whether numeric strings are excluded.
  private let leavesOutNumbers: Bool
  private let alphabet: Letters
  /// Whether the result is complete.
  private(set) var isComplete = true

  private static let mostStates = 4_096
  private static let mostWork = 400_000
  private static let mostCountedSize = 64.0

  init(_ demands: AttributeDemands, _ binding: ValueBinding) {
    let texts = demands.texts.map(TextWalk.letters)
    let parts = demands.parts.map(TextWalk.letters)
    let endings = demands.endings.map(TextWalk.letters)
    order = ConstantOrder(texts, asksOrder: demands.asksOrder)
    self.parts = parts.map { ($0, TextWalk.fallback($0)) }
    self.endings = endings.map { ($0, TextWalk.fallback($0)) }
    countsBytes = demands.countsBytes
    leavesOutNumbers = binding.readsNumberTexts
    let sizes = demands.sizes.map { $0.nearestDouble.rounded(.up) }
    let most = sizes.max() ?? 0
    if most > Self.mostCountedSize { isComplete = false }
    // Sizes are only counted if a demand needs them.
    mostSize =
      sizes.isEmpty ? -1 : most > Self.mostCountedSize ? 1 : max(Int(most), 0) + 1
    alphabet =
      TextAlphabet(
        of: texts + parts + endings, patterns: demands.patterns, asksOrder: demands.asksOrder,
        hasSizes: !sizes.isEmpty, binding
      ).letters
    let count = alphabet.count
    patterns = demands.patterns.map { PatternTable($0, letters: count) }
  }

  private static func letters(_ bytes: [UInt8]) -> Letters {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0.value }
  }

  /// For each number of matching letters, the number that still match if the next letter does not.
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

  /// A string for every reachable combination, the shortest first.
  mutating func texts() -> [String] {
    var work = 0
    var found: [String] = []
    var accepted: Set<[Int32]> = []
    let count = parts.count + endings.count + patterns.count + (leavesOutNumbers ? 3 : 2)
    let start = [Int32](repeating: 0, count: count)
    // For each state, the previous state and the letter between them.
    var origins: [(state: Int, letter: UInt32)] = [(-1, 0)]
    var states = [start]
    var known: Set<[Int32]> = [start]
    var scratch = RegexScratch()
    var next = 0
    while next < states.count {
      let state = states[next]
      let isLeftOut = leavesOutNumbers && NumberText.isNumber(state[count - 1])
      if !isLeftOut, accepted.insert(ending(state)).inserted {
        let text = TextWalk.text(next, origins)
        found.append(text)
        // The matcher is authoritative. A pattern whose automaton disagrees on a string cannot be
        // used in proofs.
        for pattern in patterns where !pattern.automaton.agreesWithMatcher(on: text, &scratch) {
          isComplete = false
        }
      }
      for (i, letter) in alphabet.enumerated() {
        work += count
        let following = step(state, i, letter)
        guard known.insert(following).inserted else { continue }
        states.append(following)
        origins.append((next, letter))
      }
      let taken = patterns.reduce(0) { $0 + $1.work }
      if states.count > Self.mostStates || work + taken > Self.mostWork {
        isComplete = false
        break
      }
      next += 1
    }
    return found
  }

  private static func text(_ state: Int, _ origins: [(state: Int, letter: UInt32)]) -> String {
    var letters: Letters = []
    var at = state
    while at > 0 {
      letters.append(origins[at].letter)
      at = origins[at].state
    }
    var text = String.UnicodeScalarView()
    for letter in letters.reversed() {
      if let scalar = Unicode.Scalar(letter) { text.append(scalar) }
    }
    return String(text)
  }

  private mutating func step(_ state: [Int32], _ number: Int, _ letter: UInt32) -> [Int32] {
    var state = state
    state[0] = order.step(state[0], letter)
    var at = 1
    for part in parts {
      if state[at] < part.letters.count { state[at] = TextWalk.matched(part, state[at], letter) }
      at += 1
    }
    for ending in endings {
      state[at] = TextWalk.matched(ending, state[at], letter)
      at += 1
    }
    for i in patterns.indices {
      state[at] = patterns[i].step(state[at], number, letter)
      at += 1
    }
    let size = countsBytes ? Int32(TextAlphabet.bytes(letter)) : 1
    state[at] = min(state[at] + size, Int32(mostSize) + 1)
    if leavesOutNumbers { state[at + 1] = NumberText.step(state[at + 1], letter) }
    return state
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

  /// The properties of a string that ends in a state, as far as atoms distinguish them.
  private func ending(_ state: [Int32]) -> [Int32] {
    var seen = order.ending(state[0])
    var at = 1
    for part in parts {
      seen.append(state[at] == Int32(part.letters.count) ? 1 : 0)
      at += 1
    }
    for ending in endings {
      seen.append(state[at] == Int32(ending.letters.count) ? 1 : 0)
      at += 1
    }
    for pattern in patterns {
      seen.append(pattern.accepts(state[at]) ? 1 : 0)
      at += 1
    }
    seen.append(state[at])
    return seen
  }
}

/// The numbered states of a pattern, with the transitions that are already computed.
private struct PatternTable {
  let automaton: RegexAutomaton
  private var states: [RegexAutomaton.State]
  private var numbers: [RegexAutomaton.State: Int32]
  /// The next state by state and letter; -1 for a transition that is not computed yet.
  private var steps: [Int32]
  private let letters: Int
  /// The amount of work for computing transitions.
  private(set) var work = 0

  init(_ automaton: RegexAutomaton, letters: Int) {
    self.automaton = automaton
    self.letters = letters
    states = [automaton.start]
    numbers = [automaton.start: 0]
    steps = Array(repeating: -1, count: letters)
  }

  func accepts(_ state: Int32) -> Bool { automaton.accepts(states[Int(state)]) }

  mutating func step(_ state: Int32, _ number: Int, _ letter: UInt32) -> Int32 {
    let place = Int(state) * letters + number
    if steps[place] >= 0 { return steps[place] }
    let next = automaton.step(states[Int(state)], letter)
    work += 3 * (next.size + 8)
    let known = numbers[next] ?? Int32(states.count)
    if Int(known) == states.count {
      states.append(next)
      numbers[next] = known
      steps += Array(repeating: -1, count: letters)
    }
    steps[place] = known
    return known
  }
}
