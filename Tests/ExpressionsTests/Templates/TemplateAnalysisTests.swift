import Testing

@testable import Expressions

@Suite struct TemplateAnalysisTests {
  private let schema = TemplateSchema(
    of: [
      "products": [
        "primary": ["price": "$9.99", "days": "7", "n": 3], "selectedIndex": 0,
      ], "user": ["name": "Sam", "tags": ["a"]],
    ])

  private func problems(_ source: String) -> [Diagnostic] {
    TemplateEnvironment().analyze(source).check(against: schema)
  }

  @Test func listsWhatIsRead() {
    let source = """
      {% assign x = a.b %}{{ x.c }}{% for p in list[0].items %}{{ p.n }}{{ forloop.index }}{% endfor %}\
      {{ m['k'].v }}{{ m[key.name] }}{{ d | default: e }}
      """
    #expect(
      TemplateEnvironment().analyze(source).requirements
        == ["a.b", "d", "e", "key.name", "list[0].items", "m.k.v", "m[key.name]"])
  }

  @Test func suggestsNames() throws {
    let problem = try #require(problems("Hi {{ user.nam }}").first)
    #expect(problem.code == .unknownAttribute)
    #expect(problem.range == SourceRange(from: 6, to: 14))
    #expect(problem.suggestion == "did you mean 'name'?")
    #expect(problems("{{ usr.name }}").first?.suggestion == "did you mean 'user'?")
  }

  @Test func findsSlotsWithoutAProduct() throws {
    let problem = try #require(problems("{{ products.tertiary.price }}").first)
    #expect(problem.message == "no product fills the slot 'tertiary'")
  }

  @Test(arguments: [
    "{{ user.nope | default: 'x' }}", "{% if user.nope %}{{ user.nope }}{% endif %}",
    "{% unless user.nope %}x{% else %}{{ user.nope }}{% endunless %}",
    "{% if user.nope == 'x' %}y{% endif %}", "{% assign nope = 1 %}{{ nope }}",
    "{{ user.tags.first }}{{ user.tags.size }}{{ user.tags[0] }}{{ user[params] | default: '' }}",
  ]) func leavesGuardedPathsAlone(_ source: String) {
    #expect(problems(source).isEmpty, "\(problems(source).map(\.message))")
  }

  @Test func findsWrongTypes() {
    #expect(problems("{{ user.tags | plus: 1 }}").map(\.code) == [.typeError])
    #expect(problems("{% for x in user.name %}{% endfor %}").map(\.code) == [.typeError])
    #expect(problems("{{ products.primary }}").map(\.code) == [.typeError])
    #expect(problems("{{ user.name.first_name }}").map(\.code) == [.typeError])
    #expect(problems("{{ products.primary.days | plus: 1 }}").isEmpty)
  }

  @Test func looksIntoIncludedTemplates() {
    var environment = TemplateEnvironment()
    environment.templates = [
      "part": "{{ user.nope }}{{ x }}", "self": "{% include 'self' %}{{ user.q }}",
    ]
    let analysis = environment.analyze("{% include 'part', x: user.name %}{% include 'self' %}")
    #expect(analysis.requirements == ["user.name", "user.nope", "user.q"])
  }
}
