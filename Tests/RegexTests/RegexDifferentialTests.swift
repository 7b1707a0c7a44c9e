import Testing

@testable import Expressions
@testable import Regex

/// Each matcher is the other's oracle. Without PCRE2 these compare the own matcher with itself,
/// which still checks that it ends and keeps to the text.
@Suite("Regular expressions: both matchers agree")
struct RegexDifferentialTests {
  private func compare(_ random: inout RandomPatterns, _ round: Int, _ unicode: Bool) throws {
    let pattern = random.pattern()
    let flavor: RegexFlavor = unicode ? .rust : .re2
    let native = try RegexPattern(
      pattern, unicodeClasses: unicode, flavor: flavor, backend: .pcre2)
    let own = try RegexPattern(pattern, unicodeClasses: unicode, flavor: flavor, backend: .pike)
    var scratch = RegexScratch()
    for _ in 0..<6 {
      let subject = Array(random.subject().utf8)
      let offset = random.number(below: 3) == 0 ? random.number(below: subject.count + 1) : 0
      subject.withUnsafeBufferPointer { text in
        let wanted = own.find(in: text, from: offset, scratch: &scratch)
        let found = native.find(in: text, from: offset, scratch: &scratch)
        let verdicts = [native, own].map { $0.matches(text, scratch: &scratch) }
        // Backtracking may run away even on a short subject; then it gives no answer to compare.
        let ranAway = found == .limitExceeded || verdicts[0] == .limitExceeded
        if !ranAway, found != wanted || verdicts[0] != verdicts[1] {
          Issue.record(
            "round \(round): /\(pattern)/ on \(String(decoding: text, as: UTF8.self))")
        }
        check(wanted, within: text, groups: own.groupCount)
      }
    }
  }

  private func check(_ found: RegexFindResult, within text: UnsafeBufferPointer<UInt8>, groups: Int)
  {
    guard case .found(let match) = found else { return }
    #expect(match.groups.count == groups + 1)
    for group in match.groups.compactMap({ $0 }) {
      let atBoundaries = [group.lowerBound, group.upperBound].allSatisfy {
        $0 == text.count || ($0 < text.count && text[$0] & 0xC0 != 0x80)
      }
      #expect(atBoundaries)
    }
  }

  @Test("random patterns with all kinds of characters", arguments: [1, 2] as [UInt64])
  func allCharacters(seed: UInt64) throws {
    var random = RandomPatterns(seed: seed)
    for round in 0..<250 { try compare(&random, round, round % 2 == 1) }
  }

  @Test("random patterns with few characters, which match in more ways")
  func fewCharacters() throws {
    var random = RandomPatterns(
      seed: 3, alphabet: ["a", "b", "x"], sets: [".", "[ab]", "[^a]", "x"])
    for round in 0..<800 { try compare(&random, round, false) }
  }

  @Test("the automatic choice answers as the own matcher")
  func automatic() throws {
    var random = RandomPatterns(
      seed: 4, alphabet: ["a", "b", "x"], sets: [".", "[ab]", "[^a]", "x"])
    for _ in 0..<300 {
      let pattern = random.pattern()
      let automatic = try RegexPattern(pattern)
      let own = try RegexPattern(pattern, backend: .pike)
      for _ in 0..<4 {
        let subject = random.subject()
        #expect(answer(automatic, subject) == answer(own, subject), "/\(pattern)/ \(subject)")
      }
    }
  }
}
