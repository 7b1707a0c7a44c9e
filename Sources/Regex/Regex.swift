/// The result of a test. Reaching a limit is a separate result, which does not show whether the pattern matches.
package enum RegexVerdict: Hashable, Sendable {
  case matched
  case notMatched
  /// A limit in ``RegexLimits`` was reached.
  case limitExceeded
  /// The subject is not UTF-8.
  case invalidUTF8
}

/// The place of a match.
package struct RegexMatch: Hashable, Sendable {
  /// The byte offsets of each group in the subject. Group 0 is the whole match. A group that took no part in the match
  /// is nil.
  package var groups: [Range<Int>?]

  /// Byte offsets of the whole match.
  package var range: Range<Int> { groups[0] ?? 0..<0 }
}

/// The result of a search.
package enum RegexFindResult: Hashable, Sendable {
  case found(RegexMatch)
  case notFound
  /// A limit in ``RegexLimits`` was reached.
  case limitExceeded
  /// The subject is not UTF-8.
  case invalidUTF8
}

/// The matcher that runs a pattern.
package enum RegexBackend: Hashable, Sendable, CaseIterable {
  /// PCRE2 for patterns and subjects that it certainly finishes soon, otherwise the Pike matcher. If PCRE2 reaches a
  /// limit, the Pike matcher, whose time is linear, decides within its own limit.
  case automatic
  /// PCRE2 without a fallback, so that its limits are results. If PCRE2 has no JIT for the pattern, the Pike matcher is
  /// used. See ``RegexPattern/isNative``.
  case pcre2
  /// Only the Pike matcher.
  case pike
}

/// Memory for matching any number of patterns, one thread at a time.
package struct RegexScratch: ~Copyable, Sendable {
  fileprivate var native: NativeScratch?
  fileprivate var pike = PikeScratch()
  /// The work of matching since this property was set to 0, in steps of the Pike matcher. PCRE2's work is unknown, so
  /// its upper bound is added.
  package var work = 0
  /// The maximum of ``work``. Above this value, a search fails as at any other limit.
  package var workLimit = Int.max

  package init() {
    native = nil
  }
}

/// A pattern that was parsed and is within the limits, but not compiled yet.
package struct CheckedPattern: Sendable {
  let regex: ParsedRegex
  fileprivate let analysis: RegexAnalysis
  fileprivate let limits: RegexLimits
  /// The approximate number of instructions of the compiled program.
  package var size: Int { analysis.size }

  /// Checks a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern in UTF-8.
  ///   - unicodeClasses: Whether `\d \w \s \b` have Unicode's definitions instead of ASCII's.
  ///   - flavor: The language whose syntax applies.
  package init(
    _ pattern: [UInt8], unicodeClasses: Bool, flavor: RegexFlavor = .re2,
    limits: RegexLimits = RegexLimits()
  ) throws(RegexSyntaxError) {
    regex = try RegexParser.parse(
      pattern, flavor: flavor, unicodeClasses: unicodeClasses, limits: limits)
    analysis = RegexAnalysis(regex.root)
    self.limits = limits
    guard analysis.size <= limits.programSize else {
      throw RegexSyntaxError(
        .programTooLarge, at: 0..<pattern.count,
        "the pattern compiles to more than the limit of \(limits.programSize) instructions",
        suggestion: "use smaller counts in braces")
    }
  }
}

/// A compiled regular expression in RE2's syntax. Matching is leftmost-first: it finds the match that begins first.
/// Among matches that begin there, the alternatives and repetitions determine the preferred match.
///
/// Without `(?m)`, `^` and `$` only match at the ends of the text. A final newline is an ordinary character.
package final class RegexPattern: Sendable {
  /// The names of groups, by group number. Entry 0 is the whole match, which has no name.
  package let groupNames: [String?]
  package let limits: RegexLimits
  private let native: NativePattern?
  private let pike: PikeMatcher
  private let mayFallBack: Bool

  /// Larger programs use the Pike matcher, because compiling them to machine code takes long.
  private static let maximumNativeProgram = 5_000
  /// The maximum length of the translated pattern in bytes. PCRE2 itself compiles to at most 64 KiB.
  private static let maximumNativeText = 65_536

  /// Checks and compiles a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern in UTF-8.
  ///   - unicodeClasses: Whether `\d \w \s \b` have Unicode's definitions instead of ASCII's.
  ///   - flavor: The language whose syntax applies.
  package convenience init(
    pattern: [UInt8], unicodeClasses: Bool, flavor: RegexFlavor = .re2,
    limits: RegexLimits = RegexLimits(), backend: RegexBackend = .automatic
  ) throws(RegexSyntaxError) {
    let checked = try CheckedPattern(
      pattern, unicodeClasses: unicodeClasses, flavor: flavor, limits: limits)
    self.init(checked, backend: backend)
  }

  /// Compiles a pattern that was checked before.
  package init(_ checked: CheckedPattern, backend: RegexBackend = .automatic) {
    let (regex, analysis) = (checked.regex, checked.analysis)
    groupNames = regex.groupNames
    limits = checked.limits
    mayFallBack = backend == .automatic
    pike = PikeMatcher(PikeProgram(regex, isAnchored: analysis.isAnchored))
    native = backend == .pike ? nil : Self.compileNative(regex, analysis)
  }

  /// PCRE2 only gets patterns for which it is known to be correct and fast. PCRE2 is wrong if a dead group contains an
  /// anchor (version 10.42 then treats the whole pattern as anchored).
  private static func compileNative(
    _ regex: ParsedRegex, _ analysis: RegexAnalysis
  ) -> NativePattern? {
    guard NativePattern.isAvailable, !analysis.hasNullableLoop, !analysis.hasDeadGroup,
      analysis.size <= maximumNativeProgram
    else { return nil }
    let text = PatternTranslation.translate(
      regex, analysis, maximumLength: maximumNativeText)
    return text.flatMap { NativePattern(translated: $0) }
  }

  /// Checks and compiles a pattern in a string.
  package convenience init(
    _ pattern: String, unicodeClasses: Bool = false, flavor: RegexFlavor = .re2,
    limits: RegexLimits = RegexLimits(), backend: RegexBackend = .automatic
  ) throws(RegexSyntaxError) {
    try self.init(
      pattern: Array(pattern.utf8), unicodeClasses: unicodeClasses, flavor: flavor,
      limits: limits, backend: backend)
  }

  /// The number of groups in parentheses, without the whole match.
  package var groupCount: Int { groupNames.count - 1 }

  /// Whether PCRE2 has compiled the pattern.
  package var isNative: Bool { native != nil }

  /// Whether the pattern matches anywhere in the subject.
  ///
  /// - Parameters:
  ///   - subject: Text in UTF-8.
  ///   - validated: Whether the caller knows that the subject is valid UTF-8. Passing true for other bytes breaks memory safety,
  ///     because the matchers then read without checks.
  package func matches(
    _ subject: UnsafeBufferPointer<UInt8>, validated: Bool = false,
    scratch: inout RegexScratch
  ) -> RegexVerdict {
    // SAFETY: Matchers decode without bounds checks. The text is checked here unless the caller
    // passes `validated`. Tests: RegexMatchingTests, RegexDifferentialTests, fuzz regex.
    if !validated, UTF8Text.firstInvalidOffset(in: subject) != nil { return .invalidUTF8 }
    if let native, !mayFallBack || subject.count <= limits.nativeSubjectBytes {
      let verdict = run(native, subject, from: 0, groups: 1, scratch: &scratch)
      if verdict != .limitExceeded || !mayFallBack { return verdict }
    }
    return search(subject, from: 0, capturing: false, scratch: &scratch)
  }

  /// Searches for the first match at or after a byte offset. The text before the offset still counts for `^` and `\b`. An offset
  /// within a character means the next character.
  ///
  /// A match may be empty. To continue after an empty match, search from the next character.
  package func find(
    in subject: UnsafeBufferPointer<UInt8>, from offset: Int = 0, validated: Bool = false,
    scratch: inout RegexScratch
  ) -> RegexFindResult {
    // SAFETY: Matchers decode without bounds checks. The text is checked here unless the caller
    // passes `validated`, and `start` moves to the beginning of a character.
    // Tests: RegexMatchingTests, fuzz regex.
    if !validated, UTF8Text.firstInvalidOffset(in: subject) != nil { return .invalidUTF8 }
    var start = max(0, offset)
    guard start <= subject.count else { return .notFound }
    while start < subject.count, subject[start] & 0xC0 == 0x80 { start += 1 }
    if let native, !mayFallBack || subject.count <= limits.nativeSubjectBytes {
      let groups = groupNames.count
      let verdict = run(native, subject, from: start, groups: groups, scratch: &scratch)
      if verdict != .limitExceeded || !mayFallBack {
        return result(verdict) { scratch.native?.range(ofGroup: $0) }
      }
    }
    let verdict = search(subject, from: start, capturing: true, scratch: &scratch)
    return result(verdict) { scratch.pike.range(ofGroup: $0) }
  }

  /// Searches with the Pike matcher.
  private func search(
    _ subject: UnsafeBufferPointer<UInt8>, from offset: Int, capturing: Bool,
    scratch: inout RegexScratch
  ) -> RegexVerdict {
    guard scratch.work <= scratch.workLimit else { return .limitExceeded }
    let verdict = pike.match(
      subject, from: offset, capturing: capturing, matchLimit: limits.matchLimit,
      scratch: &scratch.pike)
    scratch.work &+= 16 &+ scratch.pike.steps
    return verdict
  }

  private func result(
    _ verdict: RegexVerdict, _ range: (Int) -> Range<Int>?
  ) -> RegexFindResult {
    switch verdict {
    case .matched: .found(RegexMatch(groups: groupNames.indices.map(range)))
    case .notMatched: .notFound
    case .limitExceeded: .limitExceeded
    case .invalidUTF8: .invalidUTF8
    }
  }

  private func run(
    _ native: NativePattern, _ subject: UnsafeBufferPointer<UInt8>, from offset: Int,
    groups: Int, scratch: inout RegexScratch
  ) -> RegexVerdict {
    if scratch.native == nil { scratch.native = NativeScratch() }
    // The maximum that the limit below allows, which few matches approach.
    let length = max(subject.count &- offset, 0)
    scratch.work &+= 16 &+ 16 &* length &+ length &* length >> 5
    guard scratch.work <= scratch.workLimit else { return .limitExceeded }
    let limit = mayFallBack ? nativeMatchLimit(subject.count) : limits.matchLimit
    guard scratch.native?.prepare(matchLimit: limit, limits: limits, groups: groups) == true
    else { return .limitExceeded }
    return scratch.native?.match(native, subject, from: offset) ?? .limitExceeded
  }

  /// The match limit for PCRE2, which restarts its count at each start position. One count takes some nanoseconds. The
  /// limit is enough for a plain loop over the subject. For anything longer, the Pike matcher takes linear time. The
  /// limit is a power of two, so that it seldom changes.
  private func nativeMatchLimit(_ count: Int) -> Int {
    min(limits.matchLimit, 128 &+ 1 << (Int.bitWidth &- max(count &- 1, 0).leadingZeroBitCount))
  }
}
