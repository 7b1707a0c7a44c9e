internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Runs the suite `paywall-strings`: a text in up to three notations, and Shopify's rendering of the first notation.
enum PaywallStringCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let data = testCase.content["data"] ?? .map([])
    var got: [Value.Entry] = []
    var wanted: [Value.Entry] = []
    func add(_ key: String, _ value: Value, expected: Value) {
      got.append(Value.Entry(key: .string(key), value: value))
      wanted.append(Value.Entry(key: .string(key), value: expected))
    }
    let expect = try TemplateCases.string(testCase, "expect")
    for key in ["template", "template_angle"] {
      let text = try TemplateCases.string(testCase, key)
      let outcome = TemplateCases.render(text, data, TemplateEnvironment())
      add(
        key, .string(outcome.text), expected: testCase.content["expect_liquidjs"] ?? .string(expect)
      )
    }
    let template = try TemplateCases.string(testCase, "template")
    let shopify = TemplateCases.render(template, data, TemplateEnvironment(dialect: .shopify))
    if let text = testCase.content["expect_shopify"]?.text, text.hasPrefix("Liquid error") {
      // The text itself never contains errors.
      add(
        "shopify", ["text": .string(shopify.text), "errors": .int(Int64(shopify.problems.count))],
        expected: ["text": "", "errors": 1])
    } else {
      add(
        "shopify", .string(shopify.text),
        expected: testCase.content["expect_shopify"] ?? .string(expect))
    }
    if let text = testCase.content["template_wallie"]?.text {
      let outcome = TemplateCases.render(text, data, TemplateEnvironment(dialect: .agentwallie))
      add(
        "agentwallie", .string(outcome.text), expected: testCase.content["expect_wallie"] ?? .null)
    }
    let analysis = TemplateEnvironment().analyze(template)
    add(
      "vars", .list(analysis.requirements.map { .string($0) }),
      expected: sorted(testCase.content["vars"]))
    // Missing values are reported, unless the text handles them.
    let problems = analysis.check(against: TemplateSchema(of: data))
    let isGuarded = testCase.content["guarded"] == .bool(true)
    let missing = isGuarded ? nil : testCase.content["missing"]
    let reported = analysis.reads.filter { read in problems.contains { $0.range == read.range } }
    add("missing", sorted(.list(reported.map { .string($0.path) })), expected: sorted(missing))
    return CaseComparison.matches(.map(got), .map(wanted), partial: false)
      ? .passed(got: .map(got)) : .failed(expected: .map(wanted), got: .map(got))
  }

  /// The strings without duplicates, sorted.
  private static func sorted(_ value: Value?) -> Value {
    guard let values = value?.elements else { return .list([]) }
    let texts = values.compactMap(\.text)
    return .list(
      Set(texts).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { .string($0) })
  }
}
