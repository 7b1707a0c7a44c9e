import Testing

@testable import RuleEngine

@Suite struct PlacementIndexTests {
  /// Names of all lengths are found by their bytes and nothing else is.
  @Test func manyNames() {
    let names = (0..<2_000).map { "placement_\($0)" + String(repeating: "x", count: $0 % 40) }
    let index = PlacementIndex(names)
    for (number, name) in names.enumerated() { #expect(index.number(of: name) == number) }
    for name in names.prefix(200) {
      #expect(index.number(of: name + " ") == nil)
      #expect(index.number(of: String(name.dropLast())) == nil)
      #expect(index.number(of: name.uppercased()) == nil)
    }
    #expect(index.number(of: "") == nil)
  }

  @Test func oddNames() {
    let names = ["", "caf\u{E9}", "cafe\u{301}", "\u{0}", "a\u{0}", "日本", "a", "\u{1F92A}"]
    let index = PlacementIndex(names)
    for (number, name) in names.enumerated() { #expect(index.number(of: name) == number) }
    #expect(PlacementIndex([]).number(of: "") == nil)
  }

  /// Of two placements with one name the later counts.
  @Test func repeatedNames() {
    let index = PlacementIndex(["a", "b", "a", "c", "b"])
    #expect(index.number(of: "a") == 2)
    #expect(index.number(of: "b") == 4)
    #expect(index.number(of: "c") == 3)
  }
}
