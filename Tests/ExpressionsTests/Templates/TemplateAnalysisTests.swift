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

  /// An object can say in its own words that a name is not there.
  @Test func saysWhatAnObjectLacks() throws {
    let code = Diagnostic.Code(rawValue: "unknown-product")
    var schema = schema
    schema.absences = [
      TemplateSchema.Absence(
        path: ["products"], code: code, message: "no product fills the slot",
        unlisted: ["selectedIndex"])
    ]
    func problem(_ source: String) throws -> Diagnostic {
      try #require(TemplateEnvironment().analyze(source).check(against: schema).first)
    }
    let slot = try problem("{{ products.tertiary.price }}")
    #expect(slot.code == code)
    #expect(slot.message == "no product fills the slot 'tertiary'")
    #expect(slot.suggestion == "there is primary")
    #expect(try problem("{{ products.primary.nope }}").code == .unknownAttribute)
    #expect(try problem("{{ user.nope }}").message == "user has no 'nope'")
  }

  @Test(arguments: [
    "{{ user.nope | default: 'x' }}", "{% if user.nope %}{{ user.nope }}{% endif %}",
    "{% unless user.nope %}x{% else %}{{ user.nope }}{% endunless %}",
    "{% if user.nope == 'x' %}y{% endif %}", "{% assign nope = 1 %}{{ nope }}",
    "{{ user.tags.first }}{{ user.tags.size }}{{ user.tags[0] }}{{ user[params] | default: '' }}",
  ]) func leavesGuardedPathsAlone(_ source: String) {
    #expect(problems(source).isEmpty, "\(problems(source).map(\.message))")
  }

  /// What stands behind a condition that says no with these values is not read.
  @Test(arguments: [
    "{% if products.primary.has_trial %}{{ products.primary.trial }}{% endif %}",
    "{% if user.nope %}{{ user.other }}{% endif %}",
    "{% if user.off %}{{ user.nope }}{% endif %}", "{% if user.none %}{{ user.nope }}{% endif %}",
    "{% if user.nope == 'x' %}{{ user.other }}{% endif %}",
    "{% if products.primary.days > 14 %}{{ user.nope }}{% endif %}",
    "{% if user.name == \"Tom\" %}{{ user.nope }}{% endif %}",
    "{% if user.tags contains 'b' %}{{ user.nope }}{% endif %}",
    "{% if user.tags.size == 0 %}{{ user.nope }}{% endif %}",
    "{% if user.tags[0] != 'a' %}{{ user.nope }}{% endif %}",
    "{% if user.off and open %}{{ user.nope }}{% endif %}",
    "{% if params.any and user.off %}{{ user.nope }}{% endif %}",
    "{% if user.off or user.none %}{{ user.nope }}{% endif %}",
    "{% unless user.name %}{{ user.nope }}{% endunless %}",
    "{% if user.name %}x{% else %}{{ user.nope }}{% endif %}",
    "{% if user.name %}x{% elsif params.any %}{{ user.nope }}{% endif %}",
    "{% if user.off %}x{% elsif user.none %}{{ user.nope }}{% endif %}",
    "{% if user.off %}{% if params.any %}{{ user.nope }}{% endif %}{% endif %}",
    "{% case user.name %}{% when 'Tom', 'Ann' %}{{ user.nope }}{% endcase %}",
    "{% case user.name %}{% when 'Sam' %}x{% else %}{{ user.nope }}{% endcase %}",
    "<% if user.off %><< user.nope >><% endif %>",
    "{% if user.off %}{% for x in user.list %}{{ x }}{% endfor %}{% endif %}",
    "{% if products.secondary %}{{ products.secondary.price }}{% endif %}",
    "{% if user.off %}{% include 'part' %}{% endif %}",
  ]) func leavesAloneWhatAConditionKeepsOut(_ source: String) {
    #expect(conditional(source).isEmpty, "\(conditional(source).map(\.message))")
  }

  /// What may be reached is held against the schema as ever.
  @Test(arguments: [
    "{% if params.any %}{{ user.nope }}{% endif %}",
    "{% if user.name %}{{ user.nope }}{% endif %}",
    "{% if user.name == 'Sam' %}{{ user.nope }}{% endif %}",
    "{% if params.any or user.off %}{{ user.nope }}{% endif %}",
    "{% if user.name and params.any %}{{ user.nope }}{% endif %}",
    "{% unless params.any %}{{ user.nope }}{% endunless %}",
    "{% unless user.off %}{{ user.nope }}{% endunless %}",
    "{% if user.off %}x{% else %}{{ user.nope }}{% endif %}",
    "{% if user.off %}x{% endif %}{{ user.nope }}",
    "{% assign off = user.name %}{% if off %}{{ user.nope }}{% endif %}",
    "{% for off in user.tags %}{% if off %}{{ user.nope }}{% endif %}{% endfor %}",
    "{% case user.name %}{% when params.any %}{{ user.nope }}{% endcase %}",
    "{% case user.name %}{% when 'Tom' %}x{% else %}{{ user.nope }}{% endcase %}",
    "{% case params.any %}{% when 'Tom' %}{{ user.nope }}{% endcase %}",
    "{% if user[params.any] %}{{ user.nope }}{% endif %}",
    "{% if user.off %}{{ user.name.first_name }}{% endif %}{{ user.name.first_name }}",
  ]) func reportsWhatAConditionMayLetThrough(_ source: String) {
    #expect(conditional(source).count == 1, "\(conditional(source).map(\.message))")
  }

  private func conditional(_ source: String) -> [Diagnostic] {
    let known = TemplateSchema(
      of: [
        "products": ["primary": ["price": "$9.99", "days": "7", "has_trial": false]],
        "user": ["name": "Sam", "tags": ["a"], "off": false, "none": .null],
      ])
    guard case .object(let roots, _) = known.root else { return [] }
    let schema = TemplateSchema(
      .object(roots + [("params", .object([], isOpen: true)), ("open", .any)], isOpen: false))
    var environment = TemplateEnvironment()
    environment.templates = ["part": "{{ user.nope }}"]
    return environment.analyze(source).check(against: schema)
  }

  /// A condition that asks for a value also asks for what it lies in.
  @Test func takesWhatIsAskedForAsThere() {
    let schema = TemplateSchema(
      .object(
        [("trial", .optional(.object([("days", .scalar(.string))], isOpen: false)))],
        isOpen: false))
    func problems(_ source: String) -> [String] {
      TemplateEnvironment().analyze(source).check(against: schema).map(\.message)
    }
    #expect(problems("{% if trial %}{{ trial.days }}{% endif %}") == [])
    #expect(problems("{% if trial %}{{ trial.day }}{% endif %}") == ["trial has no 'day'"])
    #expect(
      problems("{{ trial.days }}") == [
        "trial.days may be absent, and then prints nothing"
      ])
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
