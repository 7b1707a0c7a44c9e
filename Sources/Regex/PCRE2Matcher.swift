#if canImport(CPCRE2) && !TOLLGATE_NO_PCRE2
  internal import CPCRE2

  /// A pattern compiled by PCRE2 to machine code. PCRE2's interpreter is never used, because it counts steps
  /// differently and the same limit would have other results.
  ///
  /// The code does not change after it is created, and matching takes all its memory from the scratch. So any number of threads
  /// can use one pattern.
  final class NativePattern: @unchecked Sendable {
    // SAFETY: `code` is never written to after `init`, and `deinit` frees it. Matching takes its
    // memory from the scratch, so threads can share a pattern. Tests: RegexDifferentialTests, tsan.

    fileprivate let code: OpaquePointer

    /// Whether this build contains PCRE2.
    static let isAvailable = true

    /// Compiles the output of ``PatternTranslation``. Fails if PCRE2 has no memory for the pattern, or no JIT for this
    /// pattern or platform.
    init?(translated text: [UInt8]) {
      guard let context = pcre2_compile_context_create_8(nil) else { return nil }
      defer { pcre2_compile_context_free_8(context) }
      pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
      let options =
        PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY
        | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C
      var errorCode: Int32 = 0
      var errorOffset = 0
      let compiled = text.withUnsafeBufferPointer {
        pcre2_compile_8($0.baseAddress, $0.count, options, &errorCode, &errorOffset, context)
      }
      guard let compiled else { return nil }
      var machineCodeSize = 0
      guard
        pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE) == 0,
        pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_JITSIZE), &machineCodeSize) == 0,
        machineCodeSize > 0
      else {
        pcre2_code_free_8(compiled)
        return nil
      }
      code = compiled
    }

    deinit {
      pcre2_code_free_8(code)
    }
  }

  /// The memory that a thread needs to run native patterns: for groups, limits and a stack.
  struct NativeScratch: ~Copyable, @unchecked Sendable {
    // SAFETY: The scratch owns every PCRE2 object here and frees it in `deinit`. It cannot be
    // copied, so one thread has it at a time. Tests: RegexDifferentialTests, asan.

    private var matchData: OpaquePointer
    private let context: OpaquePointer
    private let emptyText = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private var stack: OpaquePointer?
    private var stackKiB = 0
    private var matchLimit = 0
    private var depthLimit = 0
    private var pairs: Int

    /// Allocates the memory. Fails if there is no memory.
    init?() {
      guard let data = pcre2_match_data_create_8(1, nil) else { return nil }
      guard let context = pcre2_match_context_create_8(nil) else {
        pcre2_match_data_free_8(data)
        return nil
      }
      matchData = data
      pairs = 1
      self.context = context
      emptyText.initialize(to: 0)
    }

    deinit {
      pcre2_match_data_free_8(matchData)
      pcre2_match_context_free_8(context)
      if let stack { pcre2_jit_stack_free_8(stack) }
      emptyText.deallocate()
    }

    /// Sets the limits and reserves memory for the ranges of `groups` groups, including the whole match. The result is false if
    /// there is no memory.
    mutating func prepare(matchLimit: Int, limits: RegexLimits, groups: Int) -> Bool {
      if self.matchLimit != matchLimit {
        pcre2_set_match_limit_8(context, UInt32(clamping: matchLimit))
        self.matchLimit = matchLimit
      }
      if depthLimit != limits.depthLimit {
        pcre2_set_depth_limit_8(context, UInt32(limits.depthLimit))
        depthLimit = limits.depthLimit
      }
      if stackKiB != limits.heapLimitKiB {
        guard makeStack(limits.heapLimitKiB) else { return false }
      }
      return pairs >= groups || makeRoom(groups)
    }

    /// Makes the stack exactly as large as requested, so that the result of a deep match does not depend on earlier
    /// patterns.
    private mutating func makeStack(_ size: Int) -> Bool {
      // SAFETY: The context keeps a pointer to the stack. It gets the new stack before the old one
      // is freed. Tests: RegexDifferentialTests, asan.
      let first = min(size, 32) * 1_024
      guard let new = pcre2_jit_stack_create_8(first, size * 1_024, nil) else { return false }
      pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(new))
      pcre2_set_heap_limit_8(context, UInt32(size))
      if let stack { pcre2_jit_stack_free_8(stack) }
      stack = new
      stackKiB = size
      return true
    }

    private mutating func makeRoom(_ groups: Int) -> Bool {
      guard let data = pcre2_match_data_create_8(UInt32(groups), nil) else { return false }
      pcre2_match_data_free_8(matchData)
      matchData = data
      pairs = groups
      return true
    }

    /// Searches for the first match at or after `offset`, in text that is known to be valid UTF-8. Afterwards the groups that
    /// ``prepare(matchLimit:limits:groups:)`` reserved memory for are available.
    func match(
      _ pattern: NativePattern, _ subject: UnsafeBufferPointer<UInt8>, from offset: Int
    ) -> RegexVerdict {
      // PCRE2 needs an address even for an empty text.
      // SAFETY: The text is valid UTF-8 and `offset` begins a character: PCRE2_NO_UTF_CHECK demands
      // both. `RegexPattern` checks them. Tests: RegexDifferentialTests, RegexMatchingTests.
      let base = subject.baseAddress ?? UnsafePointer(emptyText)
      let result = pcre2_jit_match_8(
        pattern.code, base, subject.count, offset, 0, matchData, context)
      if result >= 0 { return .matched }
      // Any other error (match limit, JIT stack, memory) must never count as no match.
      return result == PCRE2_ERROR_NOMATCH ? .notMatched : .limitExceeded
    }

    /// The range of a group after a match, or nil if the group took no part.
    func range(ofGroup group: Int) -> Range<Int>? {
      guard group < pairs, let vector = pcre2_get_ovector_pointer_8(matchData) else { return nil }
      // SAFETY: PCRE2 writes two offsets for each of the `pairs` groups. Tests: RegexMatchingTests.
      let from = vector[2 * group]
      let to = vector[2 * group + 1]
      // For groups that took no part, all bits are set.
      return from >= 0 && from <= to ? from..<to : nil
    }
  }

#else

  /// A replacement for builds without PCRE2: no pattern ever compiles.
  final class NativePattern: Sendable {
    /// Whether this build contains PCRE2.
    static let isAvailable = false

    /// Always fails.
    init?(translated text: [UInt8]) { nil }

  }

  /// A replacement for builds without PCRE2.
  struct NativeScratch: ~Copyable, Sendable {
    /// Always fails.
    init?() { nil }

    /// Never called, as there are no instances.
    mutating func prepare(matchLimit: Int, limits: RegexLimits, groups: Int) -> Bool { false }

    /// Never called, as there are no instances.
    func match(
      _ pattern: NativePattern, _ subject: UnsafeBufferPointer<UInt8>, from offset: Int
    ) -> RegexVerdict { .limitExceeded }

    /// Never called, as there are no instances.
    func range(ofGroup group: Int) -> Range<Int>? { nil }
  }
#endif
