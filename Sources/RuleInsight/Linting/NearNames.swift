internal import Expressions
internal import RuleEngine

/// Whether one name is likely a misspelling of another.
///
/// A false alarm costs more than an unreported typo. Apps have pairs such as `weight` and `height`,
/// `goal` and `goals`, `step1` and `step2` at the same time.
enum NearNames {
  /// A name with the parts that comparing needs. Lists of thousands are compared with thousands of names.
  struct Known {
    let name: String
    fileprivate let plain: String
    /// The letters that it has, a bit each. One edit changes two of them at most.
    fileprivate let letters: UInt64

    init(_ name: String) {
      self.name = name
      plain = NearNames.plain(name)
      letters = plain.utf8.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }
  }

  /// The name that was likely meant, if one is close.
  static func nearest(to name: String, among known: [Known]) -> String? {
    let own = Known(name)
    var best: String?
    for candidate in known where (own.letters ^ candidate.letters).nonzeroBitCount <= 4 {
      guard candidate.name != name, isNear(own.plain, plain: candidate.plain) else { continue }
      if own.plain == candidate.plain { return candidate.name }
      best = best ?? candidate.name
    }
    return best
  }

  /// Whether two names are equal except for case and underscores.
  static func isSameWord(_ a: String, _ b: String) -> Bool { plain(a) == plain(b) }

  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  private static func isNear(_ a: String, plain b: String) -> Bool {
    if a == b { return true }
    guard a.first == b.first, min(a.utf8.count, b.utf8.count) >= 5 else { return false }
    if a + "s" == b || b + "s" == a { return false }
    if a.filter({ !$0.isNumber }) == b.filter({ !$0.isNumber }) { return false }
    guard abs(a.utf8.count - b.utf8.count) <= 2 else { return false }
    let distance = Suggestion.editDistance(Array(a.utf8), Array(b.utf8))
    return distance == 1 || distance == 2 && min(a.utf8.count, b.utf8.count) >= 9
  }

  /// Whether one name is another one with a typo that does not distinguish real names: two letters
  /// swapped, or in a longer name one letter omitted, doubled or replaced.
  static func isSlip(_ name: String, of other: String) -> Bool {
    guard abs(name.utf8.count - other.utf8.count) <= 3 else { return false }
    let (a, b) = (plain(name), plain(other))
    guard a != b, min(a.utf8.count, b.utf8.count) >= 4 else { return a == b }
    // Names that differ only in numbers are different.
    if a.filter({ !$0.isNumber }) == b.filter({ !$0.isNumber }) { return false }
    if isSwapped(Array(a.utf8), Array(b.utf8)) { return true }
    return min(a.utf8.count, b.utf8.count) >= 5 && a.first == b.first && isNear(a, plain: b)
      && !isForm(a, of: b) && !isForm(b, of: a)
  }

  /// Whether two names differ by two swapped letters.
  static func isSwap(_ name: String, of other: String) -> Bool {
    let (a, b) = (plain(name), plain(other))
    return a.utf8.count >= 4 && a.filter { !$0.isNumber } != b.filter { !$0.isNumber }
      && isSwapped(Array(a.utf8), Array(b.utf8))
  }

  /// Whether two adjacent letters are swapped and everything else is equal.
  private static func isSwapped(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count, let first = a.indices.first(where: { a[$0] != b[$0] }),
      first + 1 < a.count
    else { return false }
    return a[first] == b[first + 1] && a[first + 1] == b[first]
      && a[(first + 2)...] == b[(first + 2)...]
  }

  /// Whether a word is another one with an ending, as `started` for `start`.
  private static func isForm(_ word: String, of other: String) -> Bool {
    word.hasPrefix(other)
      && ["d", "r", "s", "y", "ed", "er", "es", "ly", "id", "at", "on"]
        .contains(String(word.dropFirst(other.count)))
  }
}
