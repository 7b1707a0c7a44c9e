import Regex
import Testing

/// Patterns as automata against the matchers.
@Suite struct RegexAutomatonTests {
  private static let patterns = [
    "", "a", "^a", "a$", "^$", "^a*$", "(a|ab)(c|bcd)$", "^(ab|ba)*$", "a{2,3}", "^a{2}$", "[^a]",
    "(?i)k", "(?i)ß", "(?m)^b$", "(?m)$\\n^", "(?s)^.$", "^.$", ".", "\\d", "\\w+$", "\\PL",
    "^\\pL$", "(^|b)a", "(a$|b)$", "x*", "(x*)*y", "(|a)+b", "\\z", "\\A\\z", "a|^", "\\n$",
  ]

  private static let texts: [String] = {
    let letters = ["a", "b", "\n", "k", "\u{212A}", "é", "1", "x", "c"]
    var texts = [""]
    for _ in 0..<3 {
      texts += texts.suffix(40).flatMap { text in letters.map { text + $0 } }
    }
    return Array(texts.prefix(500)) + ["abcd", "ababba", "aaa", "yyxxy", "straße", "abcbcd"]
  }()

  private static func automaton(_ pattern: String, _ flavor: RegexFlavor) -> RegexAutomaton? {
    let text = Array(pattern.utf8)
    let checked = try? CheckedPattern(text, unicodeClasses: flavor == .rust, flavor: flavor)
    return checked.flatMap { RegexAutomaton($0, text: text) }
  }

  @Test func automataSayWhatMatchersSay() throws {
    var scratch = RegexScratch()
    for flavor in [RegexFlavor.re2, .rust] {
      for pattern in Self.patterns {
        let automaton = try #require(Self.automaton(pattern, flavor))
        for text in Self.texts where !automaton.agreesWithMatcher(on: text, &scratch) {
          Issue.record("\(flavor) \(pattern) on \(text.debugDescription)")
        }
      }
    }
  }

  /// Letters of one kind lead to one state, and where the kind changes there is a border.
  @Test func lettersOfOneKindAreTheSame() throws {
    for pattern in Self.patterns {
      let automaton = try #require(Self.automaton(pattern, .rust))
      var steps: [[UInt64]: RegexAutomaton.State] = [:]
      for letter in Array(0x0A...0x17F as ClosedRange<UInt32>) + [0x212A, 0x1_F600] {
        let kind = automaton.kind(of: letter)
        let next = automaton.step(automaton.start, letter)
        #expect(steps[kind] == nil || steps[kind] == next, "\(pattern): \(letter)")
        steps[kind] = next
        if 0x0B...0x17F ~= letter, kind != automaton.kind(of: letter - 1) {
          #expect(automaton.borders.contains(letter), "\(pattern): \(letter)")
        }
      }
    }
  }

  @Test func wordBoundariesAreNotWalked() {
    for pattern in ["\\ba", "a\\B", "(?-u:\\b)"] {
      #expect(Self.automaton(pattern, .rust) == nil)
    }
    #expect(Self.automaton("a{600}", .re2) == nil)
  }
}
