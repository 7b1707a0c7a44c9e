extension CheckedPattern {
  /// A text that the pattern probably matches: of every choice the first, of every set an ordinary
  /// member, of every repetition as few rounds as it takes. Assertions are taken for granted, so
  /// whoever needs a match has to try it.
  ///
  /// - Parameter limit: the most code points.
  /// - Returns: nil when nothing as short was found.
  package func example(limit: Int = 256) -> String? {
    var example = RegexExample(sets: regex.sets, limit: limit)
    guard example.add(regex.root) else { return nil }
    return String(String.UnicodeScalarView(example.scalars))
  }
}

private struct RegexExample {
  let sets: [RegexSet]
  let limit: Int
  private(set) var scalars: [Unicode.Scalar] = []

  init(sets: [RegexSet], limit: Int) {
    self.sets = sets
    self.limit = limit
  }

  /// Appends what a part of the pattern matches; false when there is nothing short enough.
  mutating func add(_ node: RegexNode) -> Bool {
    switch node {
    case .empty, .assertion: return true
    case .scalar(let scalar): return append(scalar)
    case .set(let number): return member(of: sets[number]).map { append($0) } ?? false
    case .group(let body, _): return add(body)
    case .concatenation(let parts): return parts.allSatisfy { add($0) }
    case .alternation(let branches):
      return branches.contains { branch in
        let before = scalars.count
        if add(branch) { return true }
        scalars.removeSubrange(before...)
        return false
      }
    case .repetition(let body, let minimum, _, _):
      for _ in 0..<minimum {
        let before = scalars.count
        guard add(body) else { return false }
        // More rounds of nothing are nothing.
        if scalars.count == before { break }
      }
      return true
    }
  }

  private mutating func append(_ scalar: UInt32) -> Bool {
    guard scalars.count < limit, let scalar = Unicode.Scalar(scalar) else { return false }
    scalars.append(scalar)
    return true
  }

  /// A letter, a digit, or the first that there is.
  private func member(of set: RegexSet) -> UInt32? {
    for ordinary in "aA0 -_".unicodeScalars where set.contains(ordinary.value) {
      return ordinary.value
    }
    let ranges = set.explicitRanges
    return (ranges.first { $0.low > 0x20 } ?? ranges.first)?.low
  }
}
