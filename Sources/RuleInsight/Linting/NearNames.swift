internal import Expressions
internal import RuleEngine

/// Whether one name is likely a misspelling of another.
///
/// A false alarm costs more than an unreported typo. Apps have pairs such as `weight` and `height`,
/// `goal` and `goals`, `step1` and `step2` at the same time.
enum NearNames {
  /// A name, prepared for comparisons. Lists of thousands are compared with thousands of names.
  struct Known {
    let name: String
    fileprivate let plain: String
    fileprivate let bytes: [UInt8]
    /// The name without numbers. Names that differ only in numbers are different.
    fileprivate let words: String
    /// The set of the name's letters, one bit each. One edit changes at most two bits.
    fileprivate let letters: UInt64

    init(_ name: String) {
      self.name = name
      plain = name.lowercased().filter { $0 != "_" && $0 != "-" }
      bytes = Array(plain.utf8)
      words = plain.filter { !$0.isNumber }
      letters = bytes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }
  }

  /// Names that other names are compared with.
  struct List {
    private var names: [Known] = []
    private var places: [String: [Int]] = [:]

    mutating func append(_ name: String) {
      let known = Known(name)
      places[known.plain, default: []].append(names.count)
      names.append(known)
    }

    /// The name that was likely intended, if one is close.
    func nearest(to name: String) -> String? {
      let own = Known(name)
      if let place = places[own.plain]?.first(where: { names[$0].name != name }) {
        return names[place].name
      }
      return names.first {
        (own.letters ^ $0.letters).nonzeroBitCount <= 4 && $0.name != name && isNear(own, $0)
      }?.name
    }
  }

  /// Whether two names are equal except for case and underscores.
  static func isSameWord(_ a: String, _ b: String) -> Bool { Known(a).plain == Known(b).plain }

  private static func isNear(_ a: Known, _ b: Known) -> Bool {
    if a.plain == b.plain { return true }
    let least = min(a.bytes.count, b.bytes.count)
    guard least >= 5, abs(a.bytes.count - b.bytes.count) <= 2, a.bytes[0] == b.bytes[0],
      a.words != b.words, a.plain.first == b.plain.first
    else { return false }
    if a.plain + "s" == b.plain || b.plain + "s" == a.plain { return false }
    let distance = Suggestion.shortDistance(a.bytes, b.bytes)
    return distance == 1 || distance == 2 && least >= 9
  }

  /// Whether a name is another name with a typo that real names rarely differ by: two letters
  /// swapped, or in a longer name, one letter omitted, doubled or replaced.
  static func isSlip(_ name: String, of other: String) -> Bool {
    guard abs(name.utf8.count - other.utf8.count) <= 3 else { return false }
    return isSlip(Known(name), of: Known(other))
  }

  static func isSlip(_ a: Known, of b: Known) -> Bool {
    guard abs(a.name.utf8.count - b.name.utf8.count) <= 3,
      (a.letters ^ b.letters).nonzeroBitCount <= 4
    else { return false }
    guard a.plain != b.plain, min(a.bytes.count, b.bytes.count) >= 4 else {
      return a.plain == b.plain
    }
    // Names that differ only in numbers are different, and so are names that differ in a last letter, such as `quiz_a`
    // and `quiz_b`.
    if hasLetter(a.name) && hasLetter(b.name) && a.plain.dropLast() == b.plain.dropLast() {
      return false
    }
    if a.words == b.words { return false }
    if isSwapped(a.bytes, b.bytes) || isDoubled(a.bytes, of: b.bytes) { return true }
    return isNear(a, b) && !isForm(a.plain, of: b.plain) && !isForm(b.plain, of: a.plain)
  }

  /// Whether one name has one letter more than the other, including plurals.
  static func isVariant(_ a: Known, of b: Known) -> Bool {
    abs(a.bytes.count - b.bytes.count) == 1 && min(a.bytes.count, b.bytes.count) >= 3
      && a.plain.first == b.plain.first && a.words != b.words
      && Suggestion.editDistance(a.bytes, b.bytes) == 1
  }

  /// Whether the last word of a name is a single letter.
  private static func hasLetter(_ name: String) -> Bool {
    name.dropLast().last.map { "_-".contains($0) } ?? false
  }

  /// Whether a name is the other name with a letter doubled, such as `plann` for `plan`.
  private static func isDoubled(_ a: [UInt8], of b: [UInt8]) -> Bool {
    guard a.count == b.count + 1, a.count > 4 else { return false }
    return b.indices.contains {
      a[..<$0] == b[..<$0] && a[$0] == b[$0] && a[($0 + 1)...] == b[$0...]
    }
  }

  /// Whether two names differ by two swapped letters.
  static func isSwap(_ a: Known, of b: Known) -> Bool {
    a.letters == b.letters && a.bytes.count >= 4 && a.words != b.words
      && isSwapped(a.bytes, b.bytes)
  }

  /// Whether two adjacent letters are swapped and everything else is equal.
  private static func isSwapped(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count, let first = a.indices.first(where: { a[$0] != b[$0] }),
      first + 1 < a.count
    else { return false }
    return a[first] == b[first + 1] && a[first + 1] == b[first]
      && a[(first + 2)...] == b[(first + 2)...]
  }

  /// Whether a word is another word with an ending, such as `started` for `start`.
  private static func isForm(_ word: String, of other: String) -> Bool {
    word.hasPrefix(other)
      && ["d", "r", "s", "y", "ed", "er", "es", "ly", "id", "at", "on"]
        .contains(String(word.dropFirst(other.count)))
  }
}
