internal import Expressions
internal import RuleEngine

/// Whether one name is likely to be another one, misspelt.
///
/// A false alarm costs more than a typo that is not told: `weight` and `height`, `goal` and `goals`,
/// `step1` and `step2` are all names that apps have at the same time.
enum NearNames {
  /// The name that was meant, if there is one that is near.
  static func nearest(to name: String, among known: some Sequence<String>) -> String? {
    var best: String?
    for candidate in known where candidate != name && isNear(name, candidate) {
      if isSameWord(name, candidate) { return candidate }
      best = best ?? candidate
    }
    return best
  }

  /// Whether two names are one but for capitals and underscores.
  static func isSameWord(_ a: String, _ b: String) -> Bool { plain(a) == plain(b) }

  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  static func isNear(_ name: String, _ other: String) -> Bool {
    let (a, b) = (plain(name), plain(other))
    if a == b { return true }
    guard a.first == b.first, min(a.utf8.count, b.utf8.count) >= 5 else { return false }
    if a + "s" == b || b + "s" == a { return false }
    if a.filter({ !$0.isNumber }) == b.filter({ !$0.isNumber }) { return false }
    guard abs(a.utf8.count - b.utf8.count) <= 2 else { return false }
    let distance = Suggestion.editDistance(Array(a.utf8), Array(b.utf8))
    return distance == 1 || distance == 2 && min(a.utf8.count, b.utf8.count) >= 9
  }
}
