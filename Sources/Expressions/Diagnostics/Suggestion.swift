/// "Did you mean": the known name that is closest to a misspelt name.
package enum Suggestion {
  /// The candidate within two edits (one for names of up to four characters), or nil.
  package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
    let allowed = name.utf8.count <= 4 ? 1 : 2
    let (own, letters, lowercased) = (Array(name.utf8), letters(name), name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let lengths = abs(candidate.utf8.count - own.count)
      // One edit changes at most two letters.
      guard lengths <= allowed,
        (letters ^ self.letters(candidate)).nonzeroBitCount <= 2 * allowed
      else { continue }
      let least = best?.distance ?? .max
      if least == 0 { break }
      let distance =
        candidate.lowercased() == lowercased ? 0 : shortDistance(own, Array(candidate.utf8))
      if distance <= allowed, distance < least { best = (candidate, distance) }
    }
    return best?.name
  }

  /// The letters of a name without their case, one bit each.
  private static func letters(_ name: String) -> UInt32 {
    name.utf8.reduce(0) { $0 | 1 << UInt32($1 & 31) }
  }

  /// The number of edits between two names. Their common beginning and end need no edits.
  package static func shortDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var (start, end) = (0, 0)
    let least = min(a.count, b.count)
    while start < least, a[start] == b[start] { start += 1 }
    while end < least - start, a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
    if a.count - end == start || b.count - end == start { return max(a.count, b.count) - least }
    return editDistance(Array(a[start..<a.count - end]), Array(b[start..<b.count - end]))
  }

  /// "did you mean 'NAME'?" with the closest candidate, or nil.
  package static func question(about name: String, among candidates: some Sequence<String>)
    -> String?
  {
    closest(to: name, among: candidates).map { "did you mean '\($0)'?" }
  }

  /// Counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
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
