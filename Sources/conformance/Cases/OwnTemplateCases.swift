internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Suite `tollgate-templates`: features of templates that no other suite covers: escaping, limits, time zones, locales,
/// and the errors that are reported with the text.
///
/// `expect` is the text. `errors` are the slugs of the reported errors, in order. A case without `errors` expects no
/// errors. A template that does not compile has no text, and its `errors` are the codes of its diagnostics.
enum OwnTemplateCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let template = try TemplateCases.string(testCase, "template")
    let expected: Value = [
      "text": testCase.content["expect"] ?? "", "errors": testCase.content["errors"] ?? .list([]),
    ]
    let compiled = try environment(testCase).compile(template)
    guard let program = compiled.output else {
      let codes = compiled.diagnostics.filter { $0.severity == .error }.map(\.code.rawValue)
      return .judge(outcome("", codes), against: expected)
    }
    do throws(EvaluationError) {
      let data = testCase.content["data"] ?? .map([])
      let rendered = try program.render(data, options(testCase))
      return .judge(
        outcome(rendered.text, rendered.errors.map(\.kind.slug)), against: expected)
    } catch {
      return .judge(outcome("", [error.kind.slug]), against: expected)
    }
  }

  private static func outcome(_ text: String, _ errors: [String]) -> Value {
    ["text": .string(text), "errors": .list(errors.map { .string($0) })]
  }

  private static func environment(_ testCase: Case) throws(CaseFileError) -> TemplateEnvironment {
    var environment = TemplateEnvironment()
    if let name = testCase.content["dialect"]?.text {
      guard let dialect = TemplateDialect(named: name) else {
        throw CaseFileError(message: "case \(testCase.id): there is no dialect '\(name)'")
      }
      environment.dialect = dialect
    }
    if let mode = testCase.content["mode"]?.text.flatMap(TemplateMode.init(rawValue:)) {
      environment.mode = mode
    }
    environment.isHTML = testCase.content["source_html"]?.truth ?? false
    environment.templates = TemplateCases.templates(testCase.content["templates"])
    let limits = testCase.content["limits"]
    func limit(_ key: String, _ path: WritableKeyPath<TemplateLimits, Int>) {
      if let number = limits?[key]?.number {
        environment.limits[keyPath: path] = Int(number)
      }
    }
    limit("sourceBytes", \.sourceBytes)
    limit("steps", \.steps)
    limit("outputBytes", \.outputBytes)
    limit("memoryBytes", \.memoryBytes)
    limit("nesting", \.nesting)
    limit("pathNames", \.pathNames)
    limit("filters", \.filters)
    limit("variables", \.variables)
    limit("partialStatements", \.partialStatements)
    return environment
  }

  private static func options(_ testCase: Case) -> RenderOptions {
    var options = RenderOptions(
      escaping: testCase.content["html"]?.truth == true ? .html : .text,
      now: 1_772_789_400_000,
      zone: testCase.content["zone"]?.text.flatMap { TemplateZone(named: $0) },
      locale: testCase.content["locale"]?.text ?? "en_US")
    options.words = .tables
    return options
  }
}
