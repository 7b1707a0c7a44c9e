internal import Expressions
internal import Regex

/// An alphabet of representative letters. Each represents all letters that are equivalent for the
/// constants and patterns.
struct TextAlphabet {
  /// The letters, ordinary letters first.
  private(set) var letters: [UInt32] = []

  /// The properties that distinguish letters outside of constants.
  private struct Kind: Hashable {
    /// The letter's position among the letters of constants, if the order matters.
    var gap: Int
    /// The letter's length in UTF-8, if sizes matter.
    var bytes: Int
    /// The letter's classes in patterns.
    var patterns: [[UInt64]]
    /// The letter's role in a number, if numeric strings are excluded.
    var number: UInt8
  }

  private static let ordinary =
    "abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars.map {
      $0.value
    }
  private static let dollar = UInt32(UInt8(ascii: "$"))

  init(
    of constants: [[UInt32]], patterns: [RegexAutomaton], asksOrder: Bool, hasSizes: Bool,
    _ binding: ValueBinding
  ) {
    let dropsDollarSigns = binding.dropsDollarSigns
    var own: Set<UInt32> = []
    for constant in constants { own.formUnion(constant) }
    if dropsDollarSigns { own.insert(Self.dollar) }
    let sorted = own.sorted()
    var borders: Set<UInt32> = [0x1, 0xE000]
    if asksOrder { for letter in own { borders.insert(letter + 1) } }
    if hasSizes { borders.formUnion([0x80, 0x800, 0x1_0000]) }
    for pattern in patterns { borders.formUnion(pattern.borders) }
    if binding.readsNumberTexts {
      for letter in NumberText.letters { borders.formUnion([letter, letter + 1]) }
    }
    var others: [UInt32] = []
    var seen: Set<Kind> = []
    for letter in Self.ordinary + Self.free(from: borders.sorted(), besides: own) {
      guard !own.contains(letter) else { continue }
      let gap = asksOrder ? sorted.firstIndex { $0 > letter } ?? sorted.count : 0
      let kind = Kind(
        gap: gap, bytes: hasSizes ? Self.bytes(letter) : 0,
        patterns: patterns.map { $0.kind(of: letter) },
        number: binding.readsNumberTexts ? NumberText.kind(of: letter) : 0)
      if seen.insert(kind).inserted { others.append(letter) }
    }
    letters = others + sorted
    if dropsDollarSigns { letters.removeAll { $0 == Self.dollar } }
    let isOrdinary = Set(Self.ordinary)
    letters =
      letters.filter { isOrdinary.contains($0) } + letters.filter { !isOrdinary.contains($0) }
  }

  /// For each range between two borders, the first letter that no constant contains.
  private static func free(from borders: [UInt32], besides own: Set<UInt32>) -> [UInt32] {
    var free: [UInt32] = []
    for (i, border) in borders.enumerated() {
      let end = i + 1 < borders.count ? borders[i + 1] : 0x11_0000
      let letter = (border..<max(end, border)).first {
        Unicode.Scalar($0) != nil && !own.contains($0)
      }
      if let letter { free.append(letter) }
    }
    // A lone surrogate is not a letter, and U+0000 is unlikely.
    return free + (own.contains(0) ? [] : [0])
  }

  static func bytes(_ letter: UInt32) -> Int {
    letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x1_0000 ? 3 : 4
  }
}
