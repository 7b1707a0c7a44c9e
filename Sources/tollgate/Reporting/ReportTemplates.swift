internal import Expressions

/// The Liquid templates of report pages, from the files in `Page/`. The page is also XHTML, so that every XML reader
/// can check it. The rendering escapes values.
enum ReportTemplates {
  static let page = String(decoding: PackageResources.page_html, as: UTF8.self)

  /// The parts of the page, by name.
  static let parts = [
    "block": PackageResources.block_html, "table": PackageResources.table_html,
    "cell": PackageResources.cell_html, "chart": PackageResources.chart_html,
    "legend": PackageResources.legend_html, "bars": PackageResources.bars_html,
    "style": PackageResources.style_css, "script": PackageResources.script_js,
  ].mapValues(text)

  /// The text of a file without its last newline.
  private static func text(_ file: [UInt8]) -> String {
    String(decoding: file.dropLast(), as: UTF8.self)
  }
}

extension RenderedText {
  /// Renders one of our own Liquid templates.
  ///
  /// - Parameter parts: the templates that the template includes, by name.
  init(
    _ template: String, parts: [String: String] = [:], _ values: Value,
    escaping: RenderOptions.Escaping
  ) throws {
    let environment = TemplateEnvironment(
      delimiters: .braces, templates: parts,
      limits: TemplateLimits(
        steps: 100_000_000, outputBytes: 64 << 20, memoryBytes: 256 << 20))
    var builder = TemplateSetBuilder(environment)
    let problems = builder.add(template)
    precondition(problems.isEmpty, "\(problems)")
    let templates = builder.build()
    var frame = Frame(for: templates.program)
    try frame.fill(values)
    frame.setOptions(RenderOptions(escaping: escaping))
    self.init()
    templates.render(0, in: &frame, into: &self)
  }
}
