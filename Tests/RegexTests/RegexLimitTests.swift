import Foundation
import TestSupport
import Testing

@testable import Expressions
@testable import Regex

@Suite("Regular expressions: limits")
struct RegexLimitTests {
  private func code(_ pattern: String, _ limits: RegexLimits) -> RegexSyntaxError.Code? {
    do {
      _ = try RegexPattern(pattern, limits: limits)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("bytes of a pattern")
  func patternBytes() {
    let limits = RegexLimits(patternBytes: 4)
    #expect(code("abcd", limits) == nil)
    #expect(code("abcde", limits) == .patternTooLong)
    #expect(code("ééé", limits) == .patternTooLong)
  }

  @Test("depth of groups and classes")
  func nesting() throws {
    let limits = RegexLimits(nesting: 3)
    #expect(code("(((a)))", limits) == nil)
    #expect(code("((((a))))", limits) == .nestingTooDeep)
    #expect(code("(?:(?i:((a))))", limits) == .nestingTooDeep)
    #expect(code(String(repeating: "(", count: 9_000), RegexLimits()) == .nestingTooDeep)
    #expect(RegexLimits(nesting: 100_000).nesting == RegexLimits.maximumNesting)
    for pattern in ["[[[[[a]]]]]", "a" + String(repeating: "*?*", count: 20)] {
      let error = #expect(throws: RegexSyntaxError.self) {
        try RegexPattern(pattern, unicodeClasses: true, flavor: .rust, limits: limits)
      }
      #expect(error?.code == .nestingTooDeep)
    }
  }

  @Test("the deepest patterns need no large stack", arguments: RegexBackend.allCases)
  func deepestNesting(backend: RegexBackend) {
    let depth = RegexLimits.maximumNesting
    let patterns = [
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth),
      String(repeating: "(?:a|b", count: depth) + "c" + String(repeating: ")*d", count: depth),
      String(repeating: "(?:a?", count: depth) + "c" + String(repeating: ")*", count: depth),
      String(repeating: "(?:a{0,1}", count: depth) + "c" + String(repeating: ")?", count: depth),
    ]
    let limits = RegexLimits(nesting: depth, programSize: 1_000_000)
    onStack(of: 512 << 10) {
      for pattern in patterns {
        let regex = try? RegexPattern(pattern, limits: limits, backend: backend)
        #expect(regex.map { answer($0, "acd").verdict } == .matched)
      }
    }
  }

  @Test("size of the program")
  func programSize() {
    let limits = RegexLimits(programSize: 100)
    #expect(code("a{100}", limits) == nil)
    #expect(code("a{101}", limits) == .programTooLarge)
    #expect(code("(?:ab){0,40}", limits) == .programTooLarge)
    #expect(code("(a{50}){20}", RegexLimits()) == nil)
    let huge = "((((x{1000}){1000}){1000}){1000}){1000}"
    for backend in RegexBackend.allCases {
      let error = #expect(throws: RegexSyntaxError.self) {
        try RegexPattern(huge, unicodeClasses: true, flavor: .rust, backend: backend)
      }
      #expect(error?.code == .programTooLarge)
    }
  }

  @Test("limits that make no sense are put right")
  func clamping() throws {
    let limits = RegexLimits(
      matchLimit: -1, depthLimit: .max, heapLimitKiB: 0, patternBytes: -5, nesting: -1,
      programSize: 0, nativeSubjectBytes: -1)
    #expect(limits.matchLimit == 1)
    #expect(limits.depthLimit == Int(Int32.max))
    #expect(limits.heapLimitKiB == 32)
    #expect(limits.patternBytes == 0)
    #expect(limits.nesting == 0)
    #expect(limits.programSize == 1)
    #expect(try answer(RegexPattern("", limits: limits), "a").verdict == .matched)
  }

  @Test("running away is no answer, and the own matcher does not run away")
  func matchLimit() throws {
    let pattern = "^(a|aa|a[ab])+$"
    let subject = String(repeating: "a", count: 60) + "!"
    let native = try RegexPattern(pattern, backend: .pcre2)
    let own = try RegexPattern(pattern, backend: .pike)
    let automatic = try RegexPattern(pattern)
    #expect(
      answer(native, subject) == (native.isNative ? (.limitExceeded, "limit") : (.notMatched, "no"))
    )
    #expect(answer(own, subject) == (.notMatched, "no"))
    #expect(answer(automatic, subject) == (.notMatched, "no"))
  }

  @Test("the own matcher's limit is a verdict")
  func ownMatchLimit() throws {
    let limits = RegexLimits(matchLimit: 1)
    let subject = String(repeating: "a", count: 400)
    for backend in [RegexBackend.pike, .automatic] {
      let regex = try RegexPattern("(?:a?){300}(?:a?b?)*c", limits: limits, backend: backend)
      #expect(answer(regex, subject) == (.limitExceeded, "limit"))
    }
    let plain = try RegexPattern("a+b", limits: limits, backend: .pike)
    #expect(answer(plain, subject).verdict == .notMatched)
  }

  @Test("the JIT stack is a limit, and the size asked for is the size that counts")
  func stackLimit() throws {
    let pattern = "^(?:(a)|b)*$"
    let subject = Array(String(repeating: "ab", count: 20_000).utf8)
    let small = try RegexPattern(
      pattern, limits: RegexLimits(heapLimitKiB: 32), backend: .pcre2)
    let large = try RegexPattern(
      pattern, limits: RegexLimits(heapLimitKiB: 65_536), backend: .pcre2)
    let automatic = try RegexPattern(pattern, limits: RegexLimits(heapLimitKiB: 32))
    var scratch = RegexScratch()
    subject.withUnsafeBufferPointer { text in
      for _ in 0..<2 {
        #expect(large.matches(text, scratch: &scratch) == .matched)
        #expect(
          small.matches(text, scratch: &scratch) == (small.isNative ? .limitExceeded : .matched))
        #expect(automatic.matches(text, scratch: &scratch) == .matched)
      }
    }
  }

  @Test("long subjects take linear time")
  func longSubjects() throws {
    // Backtracking takes time by the square here without ever reaching PCRE2's limits.
    let subject = Array(String(repeating: "a", count: 200_000).utf8)
    for pattern in ["[ab]{2,}\\d", "a+a+\\d", "(?:a|b)+c", "\\w+@\\w+", "x*a*x*a*y"] {
      let regex = try RegexPattern(pattern)
      var scratch = RegexScratch()
      subject.withUnsafeBufferPointer { text in
        #expect(regex.matches(text, scratch: &scratch) == .notMatched, "/\(pattern)/")
      }
    }
  }

  @Test("groups that would take too much memory are not recorded")
  func groupMemory() throws {
    let pattern = String(repeating: "(a?)", count: 1_500)
    let regex = try RegexPattern(pattern, backend: .pike)
    #expect(answer(regex, "b") == (.matched, "limit"))
  }

  @Test("large patterns go to the own matcher")
  func largePatterns() throws {
    let words = (0..<1_500).map { "word\($0)" }.joined(separator: "|")
    let regex = try RegexPattern("^(?:\(words))$", limits: RegexLimits(patternBytes: 20_000))
    #expect(!regex.isNative)
    #expect(answer(regex, "word1234").verdict == .matched)
    #expect(answer(regex, "word12345").verdict == .notMatched)
  }
}
