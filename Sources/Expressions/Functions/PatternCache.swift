/// Patterns that became known only while evaluating, compiled once: a bounded cache per frame.
struct PatternCache {
  private var patterns: [[UInt8]: RegexPattern?] = [:]
  private static let capacity = 64

  /// The compiled pattern, or nil when the text is none.
  mutating func pattern(
    _ text: ByteView, _ limits: RegexLimits, unicodeClasses: Bool = false
  ) -> RegexPattern? {
    let key = Array(text)
    if let known = patterns[key] { return known }
    let compiled = try? RegexPattern(
      pattern: key, unicodeClasses: unicodeClasses, limits: limits)
    // Starting over keeps the cache bounded without bookkeeping on the hot path.
    if patterns.count >= PatternCache.capacity { patterns.removeAll(keepingCapacity: true) }
    patterns[key] = .some(compiled)
    return compiled
  }
}

extension RegexLimits {
  /// The regular expression's share of an expression's limits.
  init(_ limits: Limits) {
    self.init(matchLimit: limits.regexSteps)
  }
}
