internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Suites of templates: `liquid`, `liquidjs`, `paywall-strings`, `superwall-filters` and
/// `agentwallie-templates`.
enum TemplateCases {
  /// The result of rendering a template: its text, and all errors and diagnostics.
  struct Outcome {
    var text: String
    var problems: [String]
    var requirements: [String]

    /// The outcome in the form of results: the text, or the errors.
    var value: Value {
      problems.isEmpty
        ? ["text": .string(text)]
        : ["text": .string(text), "errors": .list(problems.map { .string($0) })]
    }
  }

  static func string(_ testCase: Case, _ key: String) throws(CaseFileError) -> String {
    guard let text = testCase.content[key]?.text else {
      throw CaseFileError(message: "case \(testCase.id) has no '\(key)'")
    }
    return text
  }

  static func render(
    _ template: String, _ data: Value, _ environment: TemplateEnvironment, zone: String? = nil
  ) -> Outcome {
    let compiled = environment.compile(template)
    let diagnostics = compiled.diagnostics.filter { $0.severity == .error }.map(\.message)
    guard let program = compiled.output else {
      return Outcome(text: "", problems: diagnostics, requirements: [])
    }
    let options = RenderOptions(
      now: 1_772_789_400_000, zone: zone.flatMap { TemplateZone(named: $0) })
    do throws(EvaluationError) {
      let (text, errors) = try program.render(data, options)
      return Outcome(text: text, problems: errors.map(\.message), requirements: [])
    } catch {
      return Outcome(text: "", problems: [error.kind.slug], requirements: [])
    }
  }

  static func templates(_ value: Value?) -> [String: String] {
    guard case .map(let entries)? = value else { return [:] }
    var templates: [String: String] = [:]
    for entry in entries {
      if case (.string(let name), .string(let text)) = (entry.key, entry.value) {
        templates[name] = text
      }
    }
    return templates
  }

  private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

  // MARK: Suites

  /// Runs a case of Shopify's Liquid, which expects a text, one of several texts, or an error.
  static func liquid(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let template = try string(testCase, "template")
    var environment = TemplateEnvironment(dialect: .shopify)
    if let mode = testCase.content["mode"]?.text {
      environment.mode = TemplateMode(rawValue: mode) ?? .lax
    }
    environment.templates = templates(testCase.content["templates"])
    let got = render(template, testCase.content["data"] ?? .map([]), environment)
    if testCase.content["invalid"] == .bool(true) {
      return got.problems.isEmpty
        ? .failed(expected: ["error": true], got: got.value) : .passed(got: got.value)
    }
    var wanted: [Value] = [testCase.content["expect"] ?? .null]
    if let any = testCase.content["expect_any"]?.elements { wanted = any }
    let passes = wanted.contains {
      if let text = $0.text { isSame(text, got.text) } else { false }
    }
    return passes
      ? .passed(got: .string(got.text))
      : .failed(expected: wanted.count == 1 ? wanted[0] : .list(wanted), got: got.value)
  }

  /// Runs a case that liquidjs renders differently. The case with the same ID in the file of Shopify's cases contains
  /// the templates.
  static func liquidJS(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let template = try string(testCase, "template")
    var environment = TemplateEnvironment(dialect: .superwall)
    environment.templates = templates(
      testCase.content["templates"] ?? LiquidCompanion.shared.templates(of: testCase))
    let got = render(template, testCase.content["data"] ?? .map([]), environment)
    if let error = testCase.content["liquidjs_error"], error != .null {
      return got.problems.isEmpty
        ? .failed(expected: ["error": error], got: got.value) : .passed(got: got.value)
    }
    guard let wanted = testCase.content["liquidjs"]?.text else {
      throw CaseFileError(message: "case \(testCase.id) expects nothing")
    }
    return isSame(wanted, got.text)
      ? .passed(got: .string(got.text)) : .failed(expected: .string(wanted), got: got.value)
  }

  static func superwallFilters(_ testCase: Case) throws(CaseFileError) -> Verdict {
    var zone = "UTC"
    if let name = testCase.content["zone"]?.text { zone = name }
    let got = render(
      try string(testCase, "template"), testCase.content["data"] ?? .map([]),
      TemplateEnvironment(), zone: zone)
    let wanted = try string(testCase, "expect")
    return isSame(wanted, got.text) && got.problems.isEmpty
      ? .passed(got: .string(got.text)) : .failed(expected: .string(wanted), got: got.value)
  }
}
