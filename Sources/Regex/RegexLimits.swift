/// How much one pattern, and one match of it, may take.
package struct RegexLimits: Hashable, Sendable {
  /// Steps of one match. The own matcher counts the states it visits and adds
  /// ``stepsPerSubjectByte`` for every byte of the subject, because reading a long subject once is
  /// no sign of a runaway. PCRE2 counts its backtracking points for each start position.
  package var matchLimit: Int
  /// PCRE2's limit on nested backtracking. Its JIT keeps that on ``heapLimitKiB`` instead; the
  /// limit is set all the same so that no other mode of matching could run without one.
  package var depthLimit: Int
  /// Memory for the backtracking of one match in KiB: the size of the JIT stack.
  package var heapLimitKiB: Int
  /// Bytes of pattern text.
  package var patternBytes: Int
  /// Depth of nested groups and classes. At most ``maximumNesting`` is honoured.
  package var nesting: Int
  /// Instructions of the compiled program with all counted repetitions written out.
  package var programSize: Int
  /// Longer subjects are matched by the own matcher, whose time is linear: PCRE2 tries every start
  /// position anew and counts steps for each one alone, so its limits do not bound the sum.
  package var nativeSubjectBytes: Int

  /// Steps that the own matcher may take for each byte of the subject beyond ``matchLimit``.
  package static let stepsPerSubjectByte = 32

  /// The deepest nesting that every ordinary thread's stack has room for.
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
