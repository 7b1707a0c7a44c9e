import Testing

@testable import Expressions

/// "Did you mean": the closest of the known names, if one is close.
@Suite struct SuggestionTests {
  private static let names = [
    "user", "device", "params", "startsWith", "endsWith", "contains", "size", "matches", "a",
  ]

  @Test(arguments: [
    ("usr", "user"), ("users", "user"), ("uesr", "user"), ("User", "user"), ("USER", "user"),
    ("devise", "device"), ("devcie", "device"), ("parms", "params"), ("startWith", "startsWith"),
    ("startswith", "startsWith"), ("STARTSWITH", "startsWith"), ("contain", "contains"),
    ("conatins", "contains"), ("sizes", "size"), ("match", "matches"), ("b", "a"),
    ("person", nil), ("", "a"), ("x1", nil), ("startsWithout", nil), ("us", nil),
    ("endsWiht", "endsWith"),
    ("user", nil),
  ])
  func closest(name: String, expected: String?) {
    #expect(Suggestion.closest(to: name, among: Self.names) == expected)
  }

  @Test func nothingToChooseFrom() {
    #expect(Suggestion.closest(to: "user", among: []) == nil)
  }
}
