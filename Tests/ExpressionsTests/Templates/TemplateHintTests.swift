import Expressions
import Testing

/// What is said of templates that are written as in another language.
@Suite struct TemplateHintTests {
  @Test(arguments: [
    ("{% if a && b %}{% endif %}", "write 'and'"), ("{% if a = b %}{% endif %}", "write '=='"),
    ("{% foreach a %}", "write 'for'"), ("{% endif %}", "remove it, or open a block before it"),
    ("{% if a %}{% else if b %}{% endif %}", "write 'elsif'"),
    ("{% for a %}{% endfor %}", "write {% for item in items %}"),
    ("{{ a | default 3 }}", "write filter: value, as in default: 'you'"),
  ])
  func otherLanguages(source: String, help: String) throws {
    let first = try #require(TemplateEnvironment().compile(source).diagnostics.first)
    #expect(first.code == .syntaxError)
    #expect(first.suggestion == help)
  }

  /// The end of a tag is no operator.
  @Test(arguments: [
    "{% if %}{% endif %}", "{% for x in %}{% endfor %}", "{% case %}{% when %}{% endcase %}",
    "{% include %}", "{{ a | }}",
  ])
  func tagsThatEnd(source: String) throws {
    let environment = TemplateEnvironment(dialect: .shopify, mode: .strict)
    let found = environment.compile(source).diagnostics
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.suggestion == nil }, "\(found)")
  }

  /// What is wrong in a template that is taken in is told of that one, with a place in its text.
  @Test func templatesThatAreTakenIn() throws {
    let environment = TemplateEnvironment(
      dialect: .shopify,
      templates: [
        "p": "a longer text before {% render 'q' %}{{ a | nofilter }}{% break2 %}",
        "q": "and another one: {% render 'nothing' %}",
      ])
    let short = environment.compile("{% render 'q' %}").diagnostics
    #expect(short.map(\.path) == ["q"])
    let range = try #require(short.first?.range)
    #expect(range.from == 17)
    let found = environment.compile("{% render 'p' %}").diagnostics
    #expect(!found.isEmpty && found.allSatisfy { $0.path == "p" || $0.path == "q" }, "\(found)")
    #expect(environment.compile("{% render 'r' %}").diagnostics.map(\.path) == [""])
  }
}
