/// What a match gave. A limit is an answer of its own: it says nothing about the pattern.
package enum RegexVerdict: Hashable, Sendable {
  case matched
  case notMatched
  /// One of ``RegexLimits`` was reached.
  case limitExceeded
  /// The subject is not UTF-8.
  case invalidUTF8
}

/// Where a pattern was found.
package struct RegexMatch: Hashable, Sendable {
  /// Byte offsets in the subject by group number: 0 is the whole match, and a group that took no
  /// part has none.
  package var groups: [Range<Int>?]

  /// Byte offsets of the whole match.
  package var range: Range<Int> { groups[0] ?? 0..<0 }
}

/// What a search gave.
package enum RegexFindResult: Hashable, Sendable {
  case found(RegexMatch)
  case notFound
  /// One of ``RegexLimits`` was reached.
  case limitExceeded
  /// The subject is not UTF-8.
  case invalidUTF8
}

/// Which matcher runs a pattern.
package enum RegexBackend: Hashable, Sendable, CaseIterable {
  /// PCRE2 where it is certain to answer soon, the own matcher elsewhere. Reaching a limit of
  /// PCRE2 is no verdict: the own matcher, whose time is linear, then decides within its limit.
  case automatic
  /// PCRE2 with nothing to fall back on, so that its limits are verdicts. Where it has no JIT for
  /// the pattern, this is the own matcher; see ``RegexPattern/isNative``.
  case pcre2
  /// The own matcher alone.
  case pike
}

/// Memory for matching, to be used by one thread at a time for any number of patterns.
package struct RegexScratch: ~Copyable, Sendable {
  fileprivate var native: NativeScratch?
  fileprivate var pike = PikeScratch()
  /// What matching has taken since this was set to 0, in steps of the own matcher. What PCRE2 takes
  /// is not known; a bound of it is added.
  package var work = 0
  /// Searching fails as at any other limit when ``work`` is beyond this.
  package var workLimit = Int.max

  package init() {
    native = nil
  }
}

/// A pattern that was parsed and found to be within the limits, and is yet to be compiled.
package struct CheckedPattern: Sendable {
  let regex: ParsedRegex
  fileprivate let analysis: RegexAnalysis
  fileprivate let limits: RegexLimits
  /// Instructions of the compiled program, about.
  package var size: Int { analysis.size }

  /// Checks a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern in UTF-8.
  ///   - unicodeClasses: Whether `\d \w \s \b` are those of Unicode instead of ASCII.
  ///   - flavor: Which language's details the syntax follows.
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

/// A compiled regular expression in RE2's syntax. Matching is leftmost-first: of all matches the
/// one that begins first, and of these the one that the alternatives and repetitions prefer.
///
/// `^` and `$` stand for the ends of the text alone unless `(?m)` is on; a final newline is text
/// like any other.
package final class RegexPattern: Sendable {
  /// Names by group number; entry 0 is the whole match and has none.
  package let groupNames: [String?]
  package let limits: RegexLimits
  private let native: NativePattern?
  private let pike: PikeMatcher
  private let mayFallBack: Bool

  /// Larger programs are left to the own matcher: compiling them to machine code takes long.
  private static let maximumNativeProgram = 5_000
  /// Bytes of translated pattern; PCRE2 itself compiles to no more than 64 KiB.
  private static let maximumNativeText = 65_536

  /// Checks and compiles a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern in UTF-8.
  ///   - unicodeClasses: Whether `\d \w \s \b` are those of Unicode instead of ASCII.
  ///   - flavor: Which language's details the syntax follows.
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

  /// PCRE2 gets what it is known to be right and quick about. It goes wrong where a dead group has
  /// an anchor (10.42 then takes the whole pattern to be anchored).
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

  /// The same for a pattern in a string.
  package convenience init(
    _ pattern: String, unicodeClasses: Bool = false, flavor: RegexFlavor = .re2,
    limits: RegexLimits = RegexLimits(), backend: RegexBackend = .automatic
  ) throws(RegexSyntaxError) {
    try self.init(
      pattern: Array(pattern.utf8), unicodeClasses: unicodeClasses, flavor: flavor,
      limits: limits, backend: backend)
  }

  /// Number of groups in parentheses, without the whole match.
  package var groupCount: Int { groupNames.count - 1 }

  /// Whether PCRE2 has compiled the pattern.
  package var isNative: Bool { native != nil }

  /// Whether the pattern matches anywhere in the subject.
  ///
  /// - Parameters:
  ///   - subject: Text in UTF-8.
  ///   - validated: Whether the caller knows that the subject is valid UTF-8. Saying so of other
  ///     bytes breaks memory safety, as the matchers then read without looking.
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

  /// Looks for the first match at or after a byte offset. What stands before the offset still
  /// counts for `^` and `\b`. An offset within a character is one at the next character.
  ///
  /// A match may be empty; to go on behind it, search from the next character.
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

  /// The own matcher's verdict.
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
    // As much as the limit below allows, which few matches come near.
    let length = max(subject.count &- offset, 0)
    scratch.work &+= 16 &+ 16 &* length &+ length &* length >> 5
    guard scratch.work <= scratch.workLimit else { return .limitExceeded }
    let limit = mayFallBack ? nativeMatchLimit(subject.count) : limits.matchLimit
    guard scratch.native?.prepare(matchLimit: limit, limits: limits, groups: groups) == true
    else { return .limitExceeded }
    return scratch.native?.match(native, subject, from: offset) ?? .limitExceeded
  }

  /// PCRE2 counts anew from each start position, and one count takes it some nanoseconds. Its limit
  /// is enough for a plain loop over the subject; what takes more the own matcher does in linear
  /// time. It goes in powers of two so that it seldom changes.
  private func nativeMatchLimit(_ count: Int) -> Int {
    min(limits.matchLimit, 128 &+ 1 << (Int.bitWidth &- max(count &- 1, 0).leadingZeroBitCount))
  }
}
