import Testing

@testable import Expressions
@testable import Regex

@Suite("Regular expressions: texts that they match")
struct RegexExampleTests {
  private func example(_ pattern: String, limit: Int = 256) throws -> String? {
    try CheckedPattern(Array(pattern.utf8), unicodeClasses: false).example(limit: limit)
  }

  @Test(arguments: [
    "^[a-z0-9.]+@(school|campus)[.]example$", "^(?:(a)|b)*c{2,5}$", "(?i)^straße$", "^\\p{Greek}+$",
    "^[^a-zA-Z0-9 _-]$", "^(a{3}){4}\\d?\\.$", "^$", "(?s)^.{7}$", "[\\n]", "^(x{999}|y)$",
  ])
  func matches(pattern: String) throws {
    let example = try #require(try example(pattern))
    let regex = try RegexPattern(pattern: Array(pattern.utf8), unicodeClasses: false)
    var scratch = RegexScratch()
    let verdict = Array(example.utf8).withUnsafeBufferPointer {
      regex.matches($0, scratch: &scratch)
    }
    #expect(verdict == .matched, "\(pattern): \(example)")
  }

  @Test func isShortAndOrdinary() throws {
    #expect(try example("^[a-z0-9.]+@(school|campus)[.]example$") == "a@school.example")
    #expect(try example("(){900}") == "")
    #expect(try example("a{10}", limit: 10) == "aaaaaaaaaa")
    #expect(try example("a{11}", limit: 10) == nil)
    #expect(try example("^[^\\x00-\\x{10FFFF}]") == nil)
  }
}
