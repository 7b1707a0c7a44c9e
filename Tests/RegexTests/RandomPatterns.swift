import TestSupport

/// Random patterns and subjects over a small alphabet, so that they often match. The same seed
/// gives the same sequence everywhere.
struct RandomPatterns {
  private var state: UInt64
  /// Characters of patterns and subjects; few of them make matches, and near misses, likely.
  var alphabet: [String]
  /// Sets that patterns may have.
  var sets: [String]

  static let unicodeAlphabet = [
    "a", "a", "b", "b", "c", "K", "k", "s", "1", " ", "_", "-", "\n", "é", "É", "ſ", "\u{212A}",
    "\u{301}", "٣", "😀",
  ]
  static let unicodeSets = [
    ".", #"\d"#, #"\D"#, #"\s"#, #"\S"#, #"\w"#, #"\W"#, #"\pL"#, #"\PL"#, #"\p{Lu}"#, #"\pM"#,
    "[a-c]", "[^a]", #"[\w-]"#, #"[^\s\d]"#, #"[\W_]"#, "[[:alpha:]é]", "[^[:^upper:]]", #"[\PLa]"#,
    #"\p{Greek}"#,
  ]

  init(seed: UInt64, alphabet: [String] = unicodeAlphabet, sets: [String] = unicodeSets) {
    state = seed
    self.alphabet = alphabet
    self.sets = sets
  }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, but not including, `bound`.
  mutating func number(below bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices[number(below: choices.count)]
  }

  /// A pattern that the parser accepts.
  mutating func pattern(depth: Int = 3) -> String {
    let flags = number(below: 6) == 0 ? "(?\(pick(["i", "s", "m", "im", "U"])))" : ""
    return flags + alternation(depth)
  }

  /// A text of up to about a dozen characters.
  mutating func subject() -> String {
    let length = [0, 1, 2, 3, 4, 6, 9, 14][number(below: 8)]
    return (0..<length).map { _ in pick(alphabet) }.joined()
  }

  private mutating func alternation(_ depth: Int) -> String {
    let count = [1, 1, 1, 2, 3][number(below: 5)]
    return (0..<count).map { _ in concatenation(depth) }.joined(separator: "|")
  }

  private mutating func concatenation(_ depth: Int) -> String {
    let count = [0, 1, 1, 2, 2, 3, 4][number(below: 7)]
    return (0..<count).map { _ in repetition(depth) }.joined()
  }

  private mutating func repetition(_ depth: Int) -> String {
    let operand = atom(depth)
    guard number(below: 5) < 2 else { return operand }
    let quantifier = pick([
      "*", "+", "?", "*", "+", "{2}", "{1,2}", "{0,1}", "{2,}", "{0}", "{0,3}",
    ])
    return operand + quantifier + (number(below: 4) == 0 ? "?" : "")
  }

  private mutating func atom(_ depth: Int) -> String {
    switch number(below: depth > 0 ? 20 : 15) {
    case 0..<9:
      let character = pick(alphabet)
      return character == "\n" ? #"\n"# : character
    case 9..<13: return pick(sets)
    case 13: return pick(["^", "$", #"\A"#, #"\z"#])
    case 14: return pick([#"\b"#, #"\B"#])
    case 15, 16: return "(\(alternation(depth - 1)))"
    case 17, 18: return "(?:\(alternation(depth - 1)))"
    default:
      return "(?\(pick(["i", "s", "m", "is", "U", "-i"])):\(alternation(depth - 1)))"
    }
  }
}
