import Testing

@testable import Expressions
@testable import Regex

/// A pattern that is refused, with the code and the offending range.
struct RejectedPattern: Sendable, CustomTestStringConvertible {
  var pattern: String
  var code: RegexSyntaxError.Code
  var range: Range<Int>

  init(_ pattern: String, _ code: RegexSyntaxError.Code, _ range: Range<Int>) {
    self.pattern = pattern
    self.code = code
    self.range = range
  }

  var testDescription: String { "/\(pattern)/" }

  static let re2 = [
    RejectedPattern("a(?=b)", .lookAround, 1..<4),
    RejectedPattern("(?!a)b", .lookAround, 0..<3),
    RejectedPattern("(?<=a)b", .lookAround, 0..<4),
    RejectedPattern("x(?<!a)b", .lookAround, 1..<5),
    RejectedPattern(#"(a)\1"#, .backReference, 3..<5),
    RejectedPattern(#"\8"#, .backReference, 0..<2),
    RejectedPattern(#"(?P<n>a)(?P=n)"#, .backReference, 8..<12),
    RejectedPattern(#"(?<n>a)\k<n>"#, .backReference, 7..<9),
    RejectedPattern(#"(a)\g1"#, .backReference, 3..<5),
    RejectedPattern("a++", .possessiveQuantifier, 1..<3),
    RejectedPattern("a*+", .possessiveQuantifier, 1..<3),
    RejectedPattern("a?+", .possessiveQuantifier, 1..<3),
    RejectedPattern("a{2}+", .possessiveQuantifier, 1..<5),
    RejectedPattern("(?>a)", .atomicGroup, 0..<3),
    RejectedPattern("(?R)", .recursion, 0..<3),
    RejectedPattern("(?1)", .recursion, 0..<3),
    RejectedPattern("(?+1)", .recursion, 0..<3),
    RejectedPattern("(?-1)", .recursion, 0..<3),
    RejectedPattern("(?&n)", .recursion, 0..<3),
    RejectedPattern("(?P>n)", .recursion, 0..<4),
    RejectedPattern("(?(1)a|b)", .conditional, 0..<3),
    RejectedPattern("(?C1)", .callout, 0..<3),
    RejectedPattern("(*ACCEPT)", .verb, 0..<2),
    RejectedPattern("(*UTF8)a", .verb, 0..<2),
    RejectedPattern("(?|a|b)", .branchReset, 0..<3),
    RejectedPattern("(?#comment)", .comment, 0..<3),
    RejectedPattern("(?'n'a)", .badGroupName, 0..<3),
    RejectedPattern(#"\C"#, .anyByte, 0..<2),
    RejectedPattern("(a", .missingParenthesis, 0..<1),
    RejectedPattern("a(b(c)", .missingParenthesis, 1..<2),
    RejectedPattern("(?i", .missingParenthesis, 0..<3),
    RejectedPattern("(?", .missingParenthesis, 0..<2),
    RejectedPattern("(", .missingParenthesis, 0..<1),
    RejectedPattern("a)", .unexpectedParenthesis, 1..<2),
    RejectedPattern("[a", .missingBracket, 0..<1),
    RejectedPattern("[]", .missingBracket, 0..<1),
    RejectedPattern("[^]", .missingBracket, 0..<1),
    RejectedPattern("x[[:alpha:]", .missingBracket, 1..<2),
    RejectedPattern("*", .missingRepeatArgument, 0..<1),
    RejectedPattern("a|*", .missingRepeatArgument, 2..<3),
    RejectedPattern("(+)", .missingRepeatArgument, 1..<2),
    RejectedPattern("(*)", .missingRepeatArgument, 1..<2),
    RejectedPattern("?a", .missingRepeatArgument, 0..<1),
    RejectedPattern("{2}", .missingRepeatArgument, 0..<3),
    RejectedPattern("(?i)*", .missingRepeatArgument, 4..<5),
    RejectedPattern("a**", .repeatOfRepeat, 1..<3),
    RejectedPattern("a{2}{3}", .repeatOfRepeat, 1..<7),
    RejectedPattern("a???", .repeatOfRepeat, 1..<4),
    RejectedPattern("a+*", .repeatOfRepeat, 1..<3),
    RejectedPattern("a{3,2}", .badRepeat, 1..<6),
    RejectedPattern("a{1001}", .repeatTooLarge, 1..<7),
    RejectedPattern("a{0,1001}", .repeatTooLarge, 1..<9),
    RejectedPattern("a{1001,}", .repeatTooLarge, 1..<8),
    RejectedPattern("a{99999999999999999999999}", .repeatTooLarge, 1..<26),
    RejectedPattern("(a{100}){11}", .repeatTooLarge, 8..<12),
    RejectedPattern("((a{10}){10}b){11}", .repeatTooLarge, 14..<18),
    RejectedPattern("a\\", .trailingBackslash, 1..<2),
    RejectedPattern("[\\", .trailingBackslash, 1..<2),
    RejectedPattern(#"\y"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\é"#, .unknownEscape, 0..<3),
    RejectedPattern(#"a\Z"#, .unknownEscape, 1..<3),
    RejectedPattern(#"\é1é"#, .unknownEscape, 0..<3),
    RejectedPattern(#"\yab"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\G"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\K"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\R"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\X"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\h"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\N"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\e"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\cA"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\u0041"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\E"#, .unknownEscape, 0..<2),
    RejectedPattern(#"[\b]"#, .unknownEscape, 1..<3),
    RejectedPattern(#"[\A]"#, .unknownEscape, 1..<3),
    RejectedPattern(#"[\Qa\E]"#, .unknownEscape, 1..<3),
    RejectedPattern(#"\x4"#, .badCodePoint, 0..<3),
    RejectedPattern(#"\xg"#, .badCodePoint, 0..<2),
    RejectedPattern(#"\x{}"#, .badCodePoint, 0..<3),
    RejectedPattern(#"\x{41"#, .badCodePoint, 0..<5),
    RejectedPattern(#"\x{110000}"#, .badCodePoint, 0..<10),
    RejectedPattern(#"\x{FFFFFFFFFFFFFFFFFF}"#, .badCodePoint, 0..<22),
    RejectedPattern("[z-a]", .badClassRange, 1..<4),
    RejectedPattern(#"[a-\d]"#, .badClassRange, 3..<5),
    RejectedPattern("[a--]", .badClassRange, 1..<4),
    RejectedPattern("[[:foo:]]", .badClassName, 1..<8),
    RejectedPattern(#"\p{Foo}"#, .unsupportedProperty, 0..<7),
    RejectedPattern(#"\p{Cuneiform}"#, .unsupportedProperty, 0..<13),
    RejectedPattern(#"\p{greek}"#, .unsupportedProperty, 0..<9),
    RejectedPattern(#"\pX"#, .unknownProperty, 0..<3),
    RejectedPattern(#"\p"#, .unknownProperty, 0..<2),
    RejectedPattern(#"\p{L"#, .unknownProperty, 0..<4),
    RejectedPattern(#"\p{}"#, .unknownProperty, 0..<4),
    RejectedPattern("(?P<>a)", .badGroupName, 0..<5),
    RejectedPattern("(?P<a-b>c)", .badGroupName, 0..<8),
    RejectedPattern("(?P<n", .badGroupName, 0..<5),
    RejectedPattern("(?P<é>a)", .badGroupName, 0..<7),
    RejectedPattern("(?P<n>a)(?P<n>b)", .duplicateGroupName, 12..<13),
    RejectedPattern("(?x)a", .unknownFlag, 0..<3),
    RejectedPattern("(?Pa)", .unknownFlag, 0..<3),
    RejectedPattern("(?i-)a", .unknownFlag, 0..<5),
    RejectedPattern("(?é)", .unknownFlag, 0..<4),
    RejectedPattern("(?i-s-m)", .unknownFlag, 0..<6),
  ]

  static let rust = [
    RejectedPattern("(?=a)", .lookAround, 0..<3),
    RejectedPattern(#"(a)\1"#, .backReference, 3..<5),
    RejectedPattern(#"\0"#, .backReference, 0..<2),
    RejectedPattern("a{", .badRepeat, 1..<2),
    RejectedPattern("a{,5}", .badRepeat, 1..<2),
    RejectedPattern(#"\Qa\E"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\<a"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\_"#, .unknownEscape, 0..<2),
    RejectedPattern(#"\x{D800}"#, .badCodePoint, 0..<8),
    RejectedPattern("[[a]", .missingBracket, 0..<1),
    RejectedPattern(#"[\d-z]"#, .badClassRange, 3..<4),
    RejectedPattern("(?P<1>a)", .badGroupName, 0..<6),
    RejectedPattern("(?)", .unknownFlag, 0..<3),
    RejectedPattern("a(?i)*", .missingRepeatArgument, 5..<6),
    RejectedPattern("(?-u).", .anyByte, 5..<6),
    RejectedPattern("(?-u)[^a]", .anyByte, 7..<8),
    RejectedPattern(#"\p{Alphabetic}"#, .unsupportedProperty, 0..<14),
  ]
}

@Suite("Regular expressions: refused patterns")
struct RegexRejectionTests {
  private func check(_ test: RejectedPattern, unicode: Bool, _ flavor: RegexFlavor) {
    for backend in RegexBackend.allCases {
      do {
        _ = try RegexPattern(
          test.pattern, unicodeClasses: unicode, flavor: flavor, backend: backend)
        Issue.record("\(backend) takes it")
      } catch {
        #expect(error.code == test.code)
        #expect(error.range == test.range)
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test("RE2's flavor", arguments: RejectedPattern.re2)
  func re2(_ test: RejectedPattern) {
    check(test, unicode: false, .re2)
  }

  @Test("Rust's flavor", arguments: RejectedPattern.rust)
  func rust(_ test: RejectedPattern) {
    check(test, unicode: true, .rust)
  }

  @Test("a pattern that is no UTF-8")
  func invalidUTF8() {
    let error = #expect(throws: RegexSyntaxError.self) {
      try RegexPattern(pattern: [0x61, 0xFF], unicodeClasses: false)
    }
    #expect(error?.code == .invalidUTF8)
    #expect(error?.range == 1..<2)
  }

  @Test("messages say what to write instead")
  func messages() {
    func text(_ pattern: String) -> String {
      do {
        _ = try RegexPattern(pattern)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(text("(?=a)").hasPrefix("RE2 has no look-ahead (look-around at 0..<3); test both"))
    let error = #expect(throws: RegexSyntaxError.self) {
      try RegexPattern("(?=a)", unicodeClasses: true, flavor: .rust)
    }
    #expect(error?.message == "Rust's regex has no look-ahead")
    #expect(text(#"a\Z"#).hasSuffix(#"write \z for the end of the text"#))
    #expect(text("a{3,2}").hasSuffix("write {2,3}"))
    #expect(text("*").contains(#"write \* for the character itself"#))
  }

  /// Whatever a pattern holds, reading it ends with a pattern or an error.
  @Test("random bytes never trap")
  func randomBytes() {
    let pieces = [
      "(", ")", "[", "]", "{", "}", "?", "*", "+", "|", "\\", "^", "$", ".", "-", ":", "&&", "--",
      "~~", "<", ">", "=", "!", "P", "p", "x", "Q", "E", "d", "W", "b", "i", "m", "s", "U", "u",
      "1",
      "9", ",", "a", "é", "😀", " ", "#", "\n", "[:alpha:]", "(?", "(?P<", "\\p{", "\\x{", "{2,3}",
    ]
    var random = RandomPatterns(seed: 11)
    for round in 0..<4_000 {
      let count = random.number(below: 14)
      var bytes = (0..<count).flatMap { _ in Array(pieces[random.number(below: pieces.count)].utf8)
      }
      if round % 8 == 0, !bytes.isEmpty {
        bytes[random.number(below: bytes.count)] = UInt8(random.number(below: 256))
      }
      let flavor: RegexFlavor = round % 2 == 0 ? .re2 : .rust
      do {
        let regex = try RegexPattern(
          pattern: bytes, unicodeClasses: flavor == .rust, flavor: flavor)
        #expect(answer(regex, "aé1 ").verdict != .invalidUTF8)
      } catch {
        #expect(error.range.lowerBound >= 0 && error.range.upperBound <= bytes.count)
      }
    }
  }
}
