import Expressions

/// A generator of random numbers that a seed determines.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ one: Int, in all: Int) -> Bool { below(all) < one }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// An attribute that rules read and users have: what kind of values it has, and how often it is there.
struct RandomAttribute {
  enum Kind: CaseIterable { case int, double, bool, shortText, longText, anyText, list, map }

  /// `user.a3`.
  let path: String
  let kind: Kind
  /// In a thousand users, how many do not have it.
  let missing: Int
  /// In a thousand values, how many are of another kind.
  let mistyped: Int
  /// What it may hold, as JSON; rules compare with these.
  let values: [Value]

  init(_ number: Int, _ random: inout SeededNumbers) {
    path = random.pick(["user", "user", "device", "params"]) + ".a\(number)"
    kind = random.pick(Kind.allCases)
    missing = random.pick([0, 10, 500, 990, 1_000])
    mistyped = random.pick([0, 0, 10, 300])
    let kind = kind
    values = (0..<random.pick([1, 2, 5])).map { _ in Self.value(kind, &random) }
  }

  /// What a user has, or nil.
  func value(_ random: inout SeededNumbers) -> Value? {
    if random.below(1_000) < missing { return nil }
    if random.below(1_000) < mistyped {
      return random.chance(1, in: 4) ? .null : Self.value(random.pick(Kind.allCases), &random)
    }
    return random.chance(3, in: 4) ? random.pick(values) : Self.value(kind, &random)
  }

  private static func value(_ kind: Kind, _ random: inout SeededNumbers) -> Value {
    switch kind {
    case .int:
      return .int(random.pick([0, 1, 7, 42, -3, 1_234_567, 123_456_789_012_345, .max]))
    case .double: return .double(random.pick([0.5, -2.25, 1e9, 3.0, 1e-7, 12_345.678]))
    case .bool: return .bool(random.chance(1, in: 2))
    case .shortText: return .string(random.pick(["", "a", "free", "exactly15bytes!", "5", "true"]))
    case .longText: return .string(longText(&random))
    case .anyText:
      return random.chance(1, in: 2) ? value(.shortText, &random) : value(.longText, &random)
    case .list:
      return .list((0..<random.below(4)).map { _ in value(.anyText, &random) })
    case .map: return ["k": value(.anyText, &random), "n": value(.int, &random)]
    }
  }

  /// More than fifteen bytes, some of them in need of escapes, few different ones.
  private static func longText(_ random: inout SeededNumbers) -> String {
    let beginning = random.pick([
      "sixteen bytes ok", "a text that fits into no cell ", "mara@example.com is the address of ",
      "Größe: \"groß\" ", "two\nlines\tand \\ ", "\u{1F3CB} ", "e\u{301} decomposed, \u{E9} not",
    ])
    return beginning
      + String(repeating: random.pick(["x", "yz", "é"]), count: random.pick([8, 9, 60]))
  }
}
