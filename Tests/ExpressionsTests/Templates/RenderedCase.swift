import Testing

@testable import Expressions

/// A template rendered for a test.
struct Rendered {
  var text = ""
  var errors: [RenderError] = []
  var diagnostics: [Diagnostic] = []
  var isComplete = true

  init(
    _ source: String, _ json: String = "{}",
    _ environment: TemplateEnvironment = TemplateEnvironment(),
    options: RenderOptions = RenderOptions()
  ) throws {
    let compiled = environment.compile(source)
    diagnostics = compiled.diagnostics
    guard let template = compiled.output else { return }
    var frame = Frame(for: template.program)
    try frame.fill(json: json.utf8)
    frame.setOptions(options)
    var rendered = RenderedText()
    template.render(in: &frame, into: &rendered)
    text = rendered.string
    errors = rendered.errors
    isComplete = rendered.isComplete
  }

  /// The kinds of errors of compiling and rendering.
  var limitWasReached: Bool {
    diagnostics.contains { $0.code == .limitExceeded }
      || errors.contains { $0.kind == .limitExceeded }
  }

  static let shopify = TemplateEnvironment(dialect: .shopify)
  static let paths = TemplateEnvironment(
    dialect: .paths([
      TemplateDialect.Root("products", names: 3), TemplateDialect.Root("user", names: 2),
    ]))
}
