import Testing

@testable import Expressions

@Suite struct TextPartsTests {
  @Test(arguments: [
    ("abcabd", "abd", 3), ("aab", "ab", 1), ("abc", "", 0), ("", "", 0), ("a\u{301}bc", "bc", 3),
    ("straße", "aße", 3),
  ])
  func findsTheFirstPlace(text: String, part: String, place: Int) throws {
    let range = try #require(text.firstRange(of: part))
    #expect(text.utf8.distance(from: text.startIndex, to: range.lowerBound) == place)
    #expect(text[range].utf8.elementsEqual(part.utf8))
    #expect(text.contains(part))
    #expect(text[...].contains(part))
  }

  @Test(arguments: [("abc", "abd"), ("", "a"), ("ab", "abc"), ("aaa", "ab")])
  func findsNothingElse(text: String, part: String) {
    #expect(text.firstRange(of: part) == nil)
    #expect(!text.contains(part))
  }

  @Test func replacesEveryPlace() {
    #expect("it's 'a'".replacing("'", with: #"'\''"#) == #"it'\''s '\''a'\''"#)
    #expect("<in> > <in>.csv".replacing("<in>", with: "<in>") == "<in> > <in>.csv")
    #expect("aaa".replacing("aa", with: "b") == "ba")
    #expect("abc".replacing("", with: "x") == "abc")
    #expect("abc".replacing("d", with: "x") == "abc")
  }
}
