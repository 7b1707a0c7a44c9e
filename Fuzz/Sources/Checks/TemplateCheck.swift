internal import RuleEngine

@testable import Expressions

/// A template, a zero byte, its data in JSON, and a partial called `p` after another zero byte. In every dialect and mode it
/// compiles, or has an error with a place. The output is the same twice and within the limit. Escaped data contains no tags.
public enum TemplateCheck {
  private static let outputBytes = 1 << 16
  private static let limits: TemplateLimits = {
    var limits = TemplateLimits()
    limits.sourceBytes = 4_000
    limits.steps = 50_000
    limits.outputBytes = outputBytes
    limits.memoryBytes = 1 << 20
    return limits
  }()

  private static let dialects = ["superwall", "shopify", "agentwallie"].compactMap {
    TemplateDialect(named: $0)
  }

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let input = FuzzInput(bytes, parts: 3)
    let data = Context(input[1]).value ?? .map([])
    for dialect in dialects {
      for mode in TemplateMode.allCases {
        var environment = TemplateEnvironment(
          dialect: dialect, mode: mode, isHTML: mode == .strict, limits: limits)
        environment.templates = ["p": input[2]]
        check(input[0], data, environment)
      }
    }
  }

  private static func check(_ source: String, _ data: Value, _ environment: TemplateEnvironment) {
    let compiled = environment.compile(source)
    for diagnostic in compiled.diagnostics {
      // A path is the name of an included template, and the range counts there.
      let text = environment.templates[diagnostic.path] ?? source
      if let range = diagnostic.range {
        let isInside = range.from >= 0 && range.to <= text.utf8.count
        require(isInside, "'\(diagnostic.message)' lies at \(range) of \(text.utf8.count) bytes")
      }
      _ = DiagnosticText.render(diagnostic, source: text)
    }
    let isRefused = compiled.diagnostics.contains { $0.severity == .error }
    require(isRefused == (compiled.output == nil), "a result and errors, or neither")
    guard let template = compiled.output else { return }
    for escaping in RenderOptions.Escaping.allCases {
      let first = rendered(template, data, escaping)
      require(first == rendered(template, data, escaping), "another text the second time")
      require(first.utf8.count <= outputBytes + 100_000, "\(first.utf8.count) bytes of errors")
    }
  }

  /// The output and its diagnostics.
  private static func rendered(
    _ template: Template, _ data: Value, _ escaping: RenderOptions.Escaping
  ) -> String {
    let options = RenderOptions(
      escaping: escaping, now: 1_772_789_400_000, zone: TemplateZone(named: "Europe/Berlin"),
      locale: "de_DE")
    do throws(EvaluationError) {
      let (text, errors) = try template.render(data, options)
      require(text.utf8.count <= outputBytes, "a text of \(text.utf8.count) bytes")
      return text + errors.map { "\n\($0.kind.slug)" }.joined()
    } catch {
      return error.kind.slug
    }
  }
}
