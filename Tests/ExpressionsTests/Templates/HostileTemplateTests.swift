import Testing

@testable import Expressions

/// Templates that want to take too long or too much end with a typed error that knows its place.
@Suite struct HostileTemplateTests {
  private func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test(arguments: [
    "{% for i in (1..100000000) %}{% endfor %}",
    "{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}",
    "{% for i in (1..300000) %}{% assign x = i %}{% endfor %}",
    "{% for i in (1..100000) %}{% capture x %}{{ x }}{{ i }}{% endcapture %}{% endfor %}",
    "{% tablerow i in (1..100000000) %}{% endtablerow %}",
    "{% for i in (1..1000000) reversed %}{% cycle 'a', 'b' %}{% endfor %}",
    "{% for i in (1..400000) %}{% increment n %}{% endfor %}",
    "{% for i in (1..400000) %}{% ifchanged %}{{ i }}{% endifchanged %}{% endfor %}",
    "{% assign s = 'abcdefgh' %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s | size }}",
    "{% assign s = 'a' %}{% for i in (1..60) %}{% assign s = s | replace: 'a', 'aa' %}{% endfor %}",
    "{% assign a = 'a,b' | split: ',' %}{% for i in (1..60) %}{% assign a = a | concat: a %}{% endfor %}",
    "{{ (1..100000000) | join: ',' }}", "{{ (1..99999999999) | reverse | first }}",
    "{{ 'now' | date: '%5000000d' }}{{ '2026-01-01' | date: '%5000000d' }}",
    "{% for i in (1..100000) %}{{ '2026-01-01' | date: '%1000Y' }}{% endfor %}",
    "{{ 5 | round: 5000000 }}{% for i in (1..1000000) %}{{ 1.5 | round: 2 }}{% endfor %}",
    "{% capture s %}{% for i in (1..100000) %}0123456789012345678901234567890{% endfor %}{% endcapture %}",
    "{% for i in (1..100000) %}{% for j in (1..100000) %}{% break %}{% endfor %}{% endfor %}",
    "{% for i in (1..100000) %}{% continue %}{% endfor %}{% for i in (1..100000) %}{% endfor %}",
    "{% for i in (1..1000) %}{% tablerow j in (1..1000) cols: -1 %}{% endtablerow %}{% endfor %}",
    "{% assign s = 'é' %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..1000) %}{% assign t = s | upcase | truncate: 99999 %}{% endfor %}",
    "{% assign s = '<' %}{% for i in (1..17) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..1000) %}{% assign t = s | strip_html %}{% endfor %}",
    "{% for i in (1..50000) %}{{ '2026-01-01' | countdown_from: '2030-01-01', 'long' }}{% endfor %}",
    "{% for i in (1..50000) %}{% assign d = '2026-01-01' | date_add: '1d 2h' %}{% endfor %}",
    "{% for i in (1..50000) %}{{ i | plural: one: 'a', other: 'b' }}{% endfor %}",
    "{% assign a = 'a' | split: ',' %}{% for i in (1..100000) %}{% assign b = a | concat: a | join: 'xxxxxxxxxx' | split: '' %}{% assign a = b %}{% endfor %}",
    "{% assign s = 'a' %}{% for i in (1..100000) %}{% assign s = s | prepend: 'bbbbbbbbbbbbbbbbbbbbbbbbbb' %}{% endfor %}",
    "{% assign a = (1..5000) | reverse %}{% for i in (1..100000) %}{% assign b = a | sort | uniq | sum %}{% endfor %}",
  ]) func endsAtALimit(_ source: String) throws {
    for var environment in [TemplateEnvironment(), Rendered.shopify] {
      // Fewer steps than usual: unoptimised builds are slow, and what counts is that they are counted.
      environment.limits.steps = 20_000
      let rendered = try Rendered(source, "{}", environment)
      let refuses = source.contains("ifchanged") && environment.dialect == .liquidjs
      #expect(refuses || rendered.limitWasReached, "\(source) in \(environment.dialect)")
      let places = rendered.errors.filter { $0.kind == .limitExceeded }
      #expect(places.allSatisfy { $0.range != nil })
    }
  }

  @Test func refusesLongAndDeepSources() throws {
    let sources = [
      "{{ a" + repeated(".b", 100_001) + " }}", "{{ a" + repeated("[0]", 20_000) + " }}",
      "{{ a" + repeated(" | upcase", 5_000) + " }}",
      repeated("{% if a %}", 500) + "x" + repeated("{% endif %}", 500),
      repeated("{% for i in a %}", 500), "{{ " + repeated("[", 30_000) + " }}",
      "{{ " + repeated("a[", 30_000) + "0" + repeated("]", 30_000) + " }}",
      "{{ " + repeated("(", 30_000) + " }}",
      "{% if " + repeated("a and ", 10_000) + "a %}x{% endif %}",
      "{% if " + repeated("not ", 10_000) + "a %}x{% endif %}", repeated("x", 100_001),
      repeated("{% case a %}{% when 1, 2 %}", 200) + repeated("{% endcase %}", 200),
      (0..<2_000).map { "{% assign v\($0) = 1 %}" }.joined(),
      (0..<2_000).map { "{% increment v\($0) %}" }.joined(),
      (0..<200).map { "{% assign v\($0) = 1 %}" }.joined() + repeated("{{ [x] }}", 5_000),
      repeated("{% raw %}", 5_000), repeated("{% nosuchtag %}", 6_000),
    ]
    for source in sources {
      for environment in [TemplateEnvironment(), Rendered.shopify] {
        let compiled = environment.compile(source)
        #expect(compiled.output == nil || !compiled.diagnostics.isEmpty, "\(source.prefix(40))")
      }
    }
  }

  @Test func readsManyDelimitersInLinearTime() {
    // What nothing closes is text, or one error.
    for part in ["<<", "<%", "{{", "{%", "{{ '", "<< \"", "{{{", "{", "<", "}}", "%}", "&lt;&lt;"] {
      for environment in [TemplateEnvironment(), Rendered.shopify, Rendered.paths] {
        _ = environment.compile(repeated(part, 100_000 / part.utf8.count))
      }
      var html = TemplateEnvironment()
      html.isHTML = true
      _ = html.compile(repeated(part, 100_000 / part.utf8.count))
    }
  }

  @Test func endsTemplatesThatRenderThemselves() throws {
    var environment = TemplateEnvironment()
    environment.templates = [
      "a": "x{% render 'a' %}", "b": "{% include 'b' %}{% include 'b' %}",
      "c": "{% render 'd' %}{% render 'd' %}", "d": "{% render 'c' %}{% render 'c' %}",
      "e": "{% if n > 0 %}{% assign n = n | minus: 1 %}y{% include 'e' %}{% endif %}",
    ]
    for tag in ["render 'a'", "include 'b'", "render 'c'"] {
      let rendered = try Rendered("{% \(tag) %}", "{}", environment)
      #expect(rendered.limitWasReached, "\(tag)")
    }
    let rendered = try Rendered("{% assign n = 3 %}{% include 'e' %}!", "{}", environment)
    #expect(rendered.text == "yyy!")
    #expect(rendered.errors.isEmpty)
  }

  @Test func keepsNestedCasesSmall() throws {
    // Several values of one branch must not double what is inside them.
    let depth = 40
    let source =
      repeated("{% case 1 %}{% when 2, 1 %}", depth) + "x" + repeated("{% endcase %}", depth)
    let rendered = try Rendered(source, "{}", Rendered.shopify)
    #expect(rendered.text == "x")
  }

  /// What is long and not deep is fine, also where the stack is small.
  @Test func readsLongChains() throws {
    let values = "{% case 1 %}{% when " + repeated("2 or ", 19_000) + "1 %}x{% endcase %}"
    let branches = "{% if a %}" + repeated("{% elsif a %}", 7_000) + "{% else %}x{% endif %}"
    let whens = "{% case 1 %}" + repeated("{% when 2 %}", 8_000) + "{% when 1 %}x{% endcase %}"
    let cycle = "{% cycle 'x'" + repeated(", 'a'", 19_000) + " %}"
    for source in [values, branches, whens, cycle] {
      for environment in [TemplateEnvironment(), Rendered.shopify] {
        let rendered = try Rendered(source, "{}", environment)
        #expect(rendered.text == "x", "\(source.prefix(30)) in \(environment.dialect)")
        #expect(rendered.errors.isEmpty)
      }
    }
  }

  @Test func keepsDiagnosticsFew() {
    for source in [
      repeated("{% raw %}", 5_000), repeated("{% x %}", 9_000), repeated("{% endif %}", 9_000),
    ] {
      for environment in [TemplateEnvironment(), Rendered.shopify] {
        let count = environment.compile(source).diagnostics.count
        #expect(count >= 1 && count <= 100)
      }
    }
  }

  @Test func readsManyEntitiesInLinearTime() throws {
    var html = TemplateEnvironment()
    html.isHTML = true
    let rendered = try Rendered(repeated("&lt;&lt; 'a' &gt;&gt;&amp;", 4_000), "{}", html)
    #expect(rendered.text == repeated("a&amp;", 4_000))
  }

  @Test func keepsReportsFew() throws {
    let rendered = try Rendered(
      "{% for i in (1..5000) %}{{ 1 | divided_by: 0 }}{% endfor %}", "{}", Rendered.shopify)
    #expect(rendered.text == "")
    #expect(rendered.errors.count == 100)
  }

  @Test func honoursItsOwnLimits() throws {
    var environment = TemplateEnvironment()
    environment.limits = TemplateLimits(sourceBytes: 64, steps: 10, outputBytes: 8)
    #expect(try Rendered("{% for i in (1..20) %}{% endfor %}", "{}", environment).limitWasReached)
    #expect(try Rendered("123456789", "{}", environment).limitWasReached)
    #expect(try Rendered("12345678", "{}", environment).text == "12345678")
    #expect(environment.compile(repeated("x", 65)).output == nil)
  }
}
