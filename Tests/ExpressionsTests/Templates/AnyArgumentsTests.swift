import Testing

@testable import Expressions

/// Every filter and tag of every dialect with values of every kind, from users who may send anything:
/// text or an error, never a trap.
@Suite("Filters and tags with any arguments", .timeLimit(.minutes(30)))
struct AnyArgumentsTests {
  /// Values as JSON, the numbers among them at the ends of what there is.
  private static let values = [
    "null", "true", "0", "-1", "3", "9223372036854775807", "-9223372036854775808",
    "9223372036854775806", "4611686018427387904", "18446744073709551615", "1e300", "-1e300", "9e18",
    "-9.3e18", "5e-324", "-0.0", "2.5", #""""#, #""a,b é😀 <b>""#, #""9223372036854775807""#,
    #""-9223372036854775808""#, #""99999999999999999999""#, #""1e99999999999999999999""#,
    #""-1e-99999999999999999999""#, #""2026-03-01""#, #""9999-12-31T23:59:59Z""#, #""%Y %99d""#,
    "[]",
    #"[3,1,"b",null,[2]]"#, #"[{"a":1},{"a":-9223372036854775808}]"#, "{}",
    #"{"a":[1],"b":{"c":2}}"#,
  ]

  private static let ends = [
    "-1", "0", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775806", "1e300",
    "-9e18", #""9223372036854775807""#, "null", #""a""#, "2.5",
  ]

  private static let environments = [TemplateEnvironment(), Rendered.shopify, Rendered.paths]

  /// Renders a template with each of the data, and counts what became text.
  private func render(
    _ source: String, _ data: [String], _ environment: TemplateEnvironment
  ) throws -> Int {
    var environment = environment
    environment.limits.steps = 3_000
    environment.limits.outputBytes = 100_000
    guard let template = environment.compile(source).output else { return 0 }
    var texts = 0
    var frame = Frame(for: template.program)
    for json in data {
      try frame.fill(json: json.utf8)
      frame.setOptions(RenderOptions(now: 1_772_789_400_000))
      var rendered = RenderedText()
      template.render(in: &frame, into: &rendered)
      texts += rendered.errors.isEmpty ? 1 : 0
    }
    return texts
  }

  @Test(arguments: environments.indices)
  func filters(dialect: Int) throws {
    let environment = Self.environments[dialect]
    var texts = 0
    let alone = Self.values.map { "{\"v\":\($0)}" }
    let one = Self.values.flatMap { v in Self.values.map { "{\"v\":\(v),\"a\":\($0)}" } }
    let two = ["5", #""abc""#, "[1,2,3]", #""2026-03-01""#, "9223372036854775807"].flatMap { v in
      Self.ends.flatMap { a in Self.ends.map { "{\"v\":\(v),\"a\":\(a),\"b\":\($0)}" } }
    }
    for name in LiquidFilters.all.names(in: environment.dialect) {
      texts += try render("{{ v | \(name) }}", alone, environment)
      texts += try render("{{ v | \(name): a }}", one, environment)
      texts += try render("{{ v | \(name): a, b }}", two, environment)
    }
    #expect(texts > 100)
  }

  @Test(arguments: environments.indices)
  func tags(dialect: Int) throws {
    let data = ["[1,2,3]", "\"abc\"", "{\"a\":1}", "9223372036854775807"].flatMap { v in
      Self.ends.flatMap { a in Self.ends.map { "{\"v\":\(v),\"a\":\(a),\"b\":\($0)}" } }
    }
    var texts = 0
    for source in [
      "{% for i in v limit: a offset: b %}{{ i }}{% endfor %}",
      "{% for i in v limit: b offset: a reversed %}{{ i }}{{ forloop.rindex }}{% endfor %}",
      "{% for i in (a..b) %}{{ i }}{% break %}{% endfor %}", "{{ (a..b) }}",
      "{% for i in (a..b) reversed %}{{ i }}{% break %}{% endfor %}",
      "{% for i in (a..b) limit: 2 offset: a %}{{ i }}{% endfor %}",
      "{% assign r = (a..b) %}{{ r | first }}{{ r | last }}{{ r | size }}{{ r.first }}{{ r[a] }}",
      "{% assign r = (a..b) %}{% if r contains a %}x{% endif %}{% if r == v %}y{% endif %}",
      "{% tablerow i in v limit: a offset: b cols: a %}{{ i }}{% endtablerow %}",
      "{% tablerow i in v cols: b %}{{ tablerowloop.col }}{% endtablerow %}",
      "{{ v[a] }}{{ v[b] }}", "{% cycle a, b %}{% cycle v: a, b %}{% cycle v: a %}",
      "{% case a %}{% when b %}x{% when v %}y{% endcase %}",
      "{% increment a %}{% decrement a %}{{ a }}",
      "{% if a < b %}x{% elsif a >= v %}y{% endif %}{% if v contains a %}z{% endif %}",
      "<< v >> << a >>{{ user.a }}", "{% render 'x' for v as y %}{% include a %}",
    ] { texts += try render(source, data, Self.environments[dialect]) }
    #expect(texts > 100)
  }
}
