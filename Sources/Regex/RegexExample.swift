extension CheckedPattern {
  /// A string that the pattern probably matches: the first alternative of every choice, an ordinary member of every set, the
  /// minimum of rounds of every repetition. Assertions are ignored, so callers that need a match must test it.
  ///
  /// - Parameter limit: the maximum number of code points.
  /// - Returns: nil if no string within the limit was found.
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

  /// Appends a match of a part of the pattern. The result is false if no match is short enough.
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
        // Further empty rounds change nothing.
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

  /// A letter or a digit of the set, or the set's first member.
  private func member(of set: RegexSet) -> UInt32? {
    for ordinary in "aA0 -_".unicodeScalars where set.contains(ordinary.value) {
      return ordinary.value
    }
    let ranges = set.explicitRanges
    return (ranges.first { $0.low > 0x20 } ?? ranges.first)?.low
  }
}
