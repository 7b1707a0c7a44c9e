/// The resources that one pattern, and one match of it, may use.
package struct RegexLimits: Hashable, Sendable {
  /// The maximum number of steps of one match. The Pike matcher counts the states that it visits, and adds
  /// ``stepsPerSubjectByte`` for every byte of the subject, because reading a long subject once is legitimate. PCRE2
  /// counts its backtracking points for each start position.
  package var matchLimit: Int
  /// PCRE2's limit on nested backtracking. PCRE2's JIT uses ``heapLimitKiB`` instead. The limit is still set, so that
  /// no other mode of matching can run without one.
  package var depthLimit: Int
  /// The maximum memory for the backtracking of one match in KiB: the size of the JIT stack.
  package var heapLimitKiB: Int
  /// The maximum length of the pattern in bytes.
  package var patternBytes: Int
  /// The maximum depth of nested groups and classes, up to ``maximumNesting``.
  package var nesting: Int
  /// The maximum number of instructions of the compiled program, with all counted repetitions written out.
  package var programSize: Int
  /// The maximum length of a subject for PCRE2. Longer subjects use the Pike matcher, whose time is linear. PCRE2
  /// counts the steps of each start position separately, so its limits do not bound the sum.
  package var nativeSubjectBytes: Int

  /// Steps of the Pike matcher for each byte of the subject, in addition to ``matchLimit``.
  package static let stepsPerSubjectByte = 32

  /// The deepest nesting that fits into every ordinary thread's stack.
  package static let maximumNesting = 100

  package init(
    matchLimit: Int = 1_000_000, depthLimit: Int = 10_000, heapLimitKiB: Int = 1_024,
    patternBytes: Int = 10_000, nesting: Int = 50, programSize: Int = 20_000,
    nativeSubjectBytes: Int = 1_024
  ) {
    self.matchLimit = min(max(matchLimit, 1), Int(Int32.max))
    self.depthLimit = min(max(depthLimit, 1), Int(Int32.max))
    self.heapLimitKiB = min(max(heapLimitKiB, 32), 65_536)
    self.patternBytes = max(patternBytes, 0)
    self.nesting = min(max(nesting, 0), Self.maximumNesting)
    self.programSize = min(max(programSize, 1), 1_000_000)
    self.nativeSubjectBytes = max(nativeSubjectBytes, 0)
  }
}
