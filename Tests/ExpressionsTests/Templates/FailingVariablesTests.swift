import Testing

@testable import Expressions

/// Variables that tags keep for themselves, where their values err: they hold nothing, and never what
/// another round or another user left in them.
@Suite struct FailingVariablesTests {
  @Test(arguments: [
    ("{% for i in user.list limit: user.n %}{{ i }},{% endfor %}", "a,"),
    ("{% for i in user.list offset: user.n %}{{ i }},{% endfor %}", ""),
    ("{% for i in user.list limit: user.n %}{{ i }},{% else %}none{% endfor %}", "a,"),
    ("{% for i in user.list limit: user.n %}{{ forloop.length }}{{ i }}{% endfor %}", "1a"),
  ])
  func nothingOfTheUserBefore(source: String, first: String) throws {
    let template = try #require(TemplateEnvironment(dialect: .shopify).compile(source).output)
    var frame = Frame(for: template.program)
    var text = RenderedText()
    let list = String(repeating: "a", count: 40)
    try frame.fill(json: #"{"user":{"n":1,"list":["\#(list)"]}}"#.utf8)
    template.render(in: &frame, into: &text)
    #expect(text.errors.isEmpty)
    #expect(text.string.replacing(list, with: "a") == first)
    // The same frame, and a user for whom the value errs.
    try frame.fill(json: #"{"user":{"n":[1,2,3],"list":["x","y"]}}"#.utf8)
    template.render(in: &frame, into: &text)
    #expect(!text.errors.isEmpty)
    #expect(!text.string.contains("a"))
    var fresh = Frame(for: template.program)
    var again = RenderedText()
    try fresh.fill(json: #"{"user":{"n":[1,2,3],"list":["x","y"]}}"#.utf8)
    template.render(in: &fresh, into: &again)
    #expect(text.string == again.string)
  }

  @Test func nothingOfTheRoundBefore() throws {
    let source =
      "{% for u in users %}[{% for i in u.list limit: u.n %}{{ i }}{% endfor %}]{% endfor %}"
    let template = try #require(TemplateEnvironment(dialect: .shopify).compile(source).output)
    let users: Value = [
      "users": [
        ["n": 1, "list": ["a", "b"]], ["n": ["x"], "list": ["c"]], ["n": 2, "list": ["d", "e"]],
      ]
    ]
    let rendered = try template.render(users)
    #expect(rendered.text == "[a][][de]")
    #expect(rendered.errors.count == 1)
  }
}
