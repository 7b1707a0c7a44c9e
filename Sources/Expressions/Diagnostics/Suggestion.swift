/// "Did you mean": the known name that a misspelt one is closest to.
package enum Suggestion {
  /// The candidate within two edits (one for names of up to four characters), or nil.
  package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
    let allowed = name.utf8.count <= 4 ? 1 : 2
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let lengths = abs(candidate.utf8.count - name.utf8.count)
      guard lengths <= allowed else { continue }
      let distance =
        candidate.lowercased() == name.lowercased()
        ? 0 : editDistance(Array(name.utf8), Array(candidate.utf8))
      if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// "did you mean 'NAME'?" with the closest candidate, or nil.
  package static func question(about name: String, among candidates: some Sequence<String>)
    -> String?
  {
    closest(to: name, among: candidates).map { "did you mean '\($0)'?" }
  }

  /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
  package static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforePrevious = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var current = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        current[j] = min(previous[j] + 1, current[j - 1] + 1, substitution)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          current[j] = min(current[j], beforePrevious[j - 2] + 1)
        }
      }
      beforePrevious = previous
      previous = current
    }
    return previous[b.count]
  }
}
