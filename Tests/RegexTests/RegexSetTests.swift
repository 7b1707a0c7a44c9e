import Testing

@testable import Expressions
@testable import Regex

@Suite("Regular expressions: sets of characters")
struct RegexSetTests {
  private func range(_ low: UInt32, _ high: UInt32) -> ScalarRange {
    ScalarRange(low: low, high: high)
  }

  @Test("ranges are joined, and surrogates left out")
  func normalization() {
    let ranges = [range(5, 9), range(1, 2), range(3, 3), range(0xD800, 0xDBFF), range(8, 12)]
    #expect(ranges.normalized() == [range(1, 3), range(5, 12)])
    #expect([range(0xD000, 0xD900)].normalized() == [range(0xD000, 0xD7FF)])
    #expect([range(0xE000, 0xE001), range(0, 0xD7FF)].normalized() == [range(0, 0xE001)])
    #expect([ScalarRange]().complemented() == [.all])
    #expect([ScalarRange.all].complemented() == [])
    #expect([range(0, 0xD7FF)].complemented() == [range(0xE000, 0x10_FFFF)])
    #expect([range(0xE000, 0x10_FFFF)].complemented() == [range(0, 0xD7FF)])
  }

  @Test("complements and mixtures are exact")
  func complements() {
    let mixed = RegexSet([range(0x61, 0x63)], categories: .uppercaseLetter)
    let others = mixed.complement
    #expect(others.isNegated)
    #expect(others.complement == mixed)
    let joined = (mixed.explicitRanges + others.explicitRanges).normalized()
    #expect(joined == [.all])
    #expect(mixed.explicitRanges.intersected(with: others.explicitRanges).isEmpty)
    #expect(RegexSet([], categories: .all) == .everything)
    #expect(RegexSet([], categories: .letter, isNegated: true).categories.isDisjoint(with: .letter))
  }

  @Test("word characters are those of the standard's annex on regular expressions")
  func words() {
    var wrong = 0
    for value: UInt32 in 0...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let category = RegexCategories(of: scalar)
      let properties = scalar.properties
      let isWord =
        properties.isAlphabetic || properties.isJoinControl
        || RegexCategories.mark.contains(category) || category == .decimalNumber
        || category == .connectorPunctuation
      if RegexCategories.word.contains(category) != isWord { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test("case partners")
  func caseFolding() {
    func others(_ character: Unicode.Scalar) -> Set<UInt32> {
      Set(CaseFolding.others(of: character.value))
    }
    #expect(others("a") == [0x41])
    #expect(others("K") == [0x6B, 0x212A])
    #expect(others("\u{17F}") == [0x53, 0x73])
    #expect(others("ǅ") == [0x1C4, 0x1C6])
    #expect(others("θ") == [0x398, 0x3D1, 0x3F4])
    #expect(others("ß") == [0x1E9E])
    #expect(others("İ") == [])
    #expect(others("ı") == [])
    #expect(others("1") == [])
    #expect(others("日") == [])
    let closed = CaseFolding.closure(of: [range(0x6A, 0x6B), range(0xE0, 0xE0)])
    #expect(
      closed == [
        range(0x4A, 0x4B), range(0x6A, 0x6B), range(0xC0, 0xC0), range(0xE0, 0xE0),
        range(0x212A, 0x212A),
      ])
  }

  private func translation(_ pattern: String, unicode: Bool = false) throws -> String {
    let regex = try RegexParser.parse(
      Array(pattern.utf8), flavor: unicode ? .rust : .re2, unicodeClasses: unicode,
      limits: RegexLimits())
    let text = PatternTranslation.translate(
      regex, RegexAnalysis(regex.root), maximumLength: 4_096)
    return text.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
  }

  @Test("PCRE2 gets text that means one thing only")
  func translations() throws {
    #expect(try translation("^a.b$") == #"\Aa\Nb\z"#)
    #expect(try translation("(?ms)^.$") == "(?m:^).(?m:$)")
    #expect(try translation(#"\Q(*UTF)\E"#) == #"\(\*UTF\)"#)
    #expect(try translation("é#") == ##"\x{e9}\#"##)
    #expect(try translation("(?P<n>a)|b*?") == "(?<=)(?:(a)|b*?)")
    #expect(try translation("^(?P<n>a|)|^b") == #"(?:\A(a|(?:))|\Ab)"#)
    #expect(try translation("(?i)ak") == #"[Aa][Kk\x{212a}]"#)
    #expect(try translation(#"[^"\n]\d"#) == #"[^\x{a}\"][0-9]"#)
    #expect(try translation("[a-b]") == "[ab]")
    #expect(try translation(#"\p{Lu}"#) == #"[A-Z\p{Lu}]"#)
    #expect(try translation(#"[^\p{L}1]"#) == #"[^1A-Za-z\p{L}]"#)
    #expect(try translation(#"\w"#, unicode: true).hasPrefix(#"[0-9A-Z_a-z\p{L}\p{M}\p{Nd}\p{Nl}"#))
    #expect(try translation("(?:ab){2,}c{3}") == "(?<=)(?:ab){2,}c{3}")
    #expect(try translation(#"[^\x00-\x{10FFFF}]"#) == "(?:(?!))")
    #expect(try translation(String(repeating: "é", count: 1_000)) == "nil")
  }
}
