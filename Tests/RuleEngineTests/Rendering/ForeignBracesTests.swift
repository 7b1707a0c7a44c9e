import Expressions
import RuleEngine
import Testing

/// Paths in braces of other languages, which nothing fills in.
@Suite struct ForeignBracesTests {
  @Test(
    arguments: [
      ("a {products.primary.price} b", ["2..<26 write {{ products.primary.price }}"]),
      ("${user.name}", ["0..<12 write {{ user.name }}"]),
      ("{ {user.name} }", ["0..<15 write {{ user.name }}"]),
      ("[ params.pages ]", ["0..<16 write {{ params.pages }}"]),
      ("%device.locale%.", ["0..<15 write {{ device.locale }}"]),
      (
        "{user.a}{user.b} [user.c]",
        ["0..<8 write {{ user.a }}", "8..<16 write {{ user.b }}", "17..<25 write {{ user.c }}"]
      ),
      ("{{ user.a }} {user.b}", ["13..<21 write {{ user.b }}"]),
      ("{% if {user.a} %} {user.b}", ["18..<26 write {{ user.b }}"]),
      ("<< {user.a} >> <% {user.a} %>", []), ("{{ {user.a}", []), ("{user}", []),
      ("{other.a}", []), ("{user..a}", []), ("{user.}", []), ("{user.a", []), ("{user.a]", []),
      ("{user-a.b}", []), ("100 % of user.a %", []), ("", []),
    ] as [(String, [String])])
  func findings(text: String, wanted: [String]) {
    let found = ForeignBraces.findings(in: text).map { finding in
      let range = finding.range.map { "\($0.from)..<\($0.to)" } ?? "-"
      return "\(range) \(finding.suggestion ?? "-")"
    }
    #expect(found == wanted)
  }
}
