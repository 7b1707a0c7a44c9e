/// Templates compiled into one ``Program``. Templates that are shown together share slots and constants, and one
/// filled ``Frame`` renders them all.
///
/// ```swift
/// var builder = TemplateSetBuilder(TemplateEnvironment())
/// builder.add("Only {{ products.primary.price }}")
/// let texts = builder.build()
/// var frame = Frame(for: texts.program)
/// try frame.fill(json: #"{"products":{"primary":{"price":"$9.99"}}}"#.utf8)
/// var text = RenderedText()
/// texts.render(0, in: &frame, into: &text)
/// text.string  // "Only $9.99"
/// ```
package struct TemplateSet: Sendable {
  package let program: Program
  package let environment: TemplateEnvironment
  /// The names of the templates that other templates render, by source number.
  let partialNames: [Int: String]

  /// The number of templates.
  package var count: Int { program.entries.count }

  /// Whether a template computes names, so that a frame stores all of its context.
  package var readsAllData: Bool { program.storage.allDataSlot != nil }

  /// Renders a template on a filled frame. The previous output is discarded.
  package func render(_ number: Int, in frame: inout Frame, into text: inout RenderedText) {
    run(number, in: &frame, into: &text)
    if text.hasFaults { text.errors = errors(of: text, number) }
  }
}

/// One compiled template.
///
/// ```swift
/// let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
/// try template.render(["user": ["name": "Ann"]]).text  // "Hello Ann"
/// ```
public struct Template: Sendable {
  package let templates: TemplateSet
  public var program: Program { templates.program }

  /// Renders the template on a filled frame. The previous output is discarded.
  package func render(in frame: inout Frame, into text: inout RenderedText) {
    templates.render(0, in: &frame, into: &text)
  }

  /// Renders the template for one context.
  public func render(_ context: Value, _ options: RenderOptions = RenderOptions())
    throws(EvaluationError)
    -> (text: String, errors: [RenderError])
  {
    var frame = Frame(for: program)
    try frame.fill(context)
    frame.setOptions(options)
    var text = RenderedText()
    render(in: &frame, into: &text)
    return (text.string, text.errors)
  }
}

extension TemplateEnvironment {
  /// Compiles one template.
  public func compile(_ source: String) -> Compilation<Template> {
    var builder = TemplateSetBuilder(self)
    let diagnostics = builder.add(source)
    let hasErrors = diagnostics.contains { $0.severity == .error }
    return Compilation(
      output: hasErrors ? nil : Template(templates: builder.build()), diagnostics: diagnostics,
      source: source)
  }
}

/// Compiles any number of templates into one ``TemplateSet``.
///
/// ```swift
/// var builder = TemplateSetBuilder(TemplateEnvironment())
/// for source in ["Only {{ price }}", "{% if %}"] {
///   for diagnostic in builder.add(source) { print(diagnostic.message) }
/// }
/// let texts = builder.build()
/// texts.count  // 2
/// ```
package struct TemplateSetBuilder: ~Copyable {
  package var environment: TemplateEnvironment { compiler.environment }
  private let scratch: TemplateScratch
  /// Contains the graph that all the templates share.
  private var compiler: TemplateCompiler
  private var roots: [ConditionGraph.ID] = []
  private var sources: [String] = []
  private var partialNames: [Int: String] = [:]

  package init(_ environment: TemplateEnvironment) {
    scratch = TemplateScratch.take()
    compiler = TemplateCompiler(environment, scratch)
  }

  /// Adds a template at the end of the set. A template with errors renders nothing.
  @discardableResult
  package mutating func add(_ source: String) -> [Diagnostic] {
    // SAFETY: The view of the source stays in the closure. The program stores the string itself.
    // Tests: RenderingTests.
    var text = environment.isHTML ? MarkupEntities.resolved(source, environment.delimiters) : source
    let number = sources.count
    sources.append(text)
    return text.withUTF8 { bytes in add(bytes, number) }
  }

  private mutating func add(_ source: ByteView, _ number: Int) -> [Diagnostic] {
    let problems = TemplateParser.parse(source, compiler.environment, scratch)
    compiler.begin(source, number: UInt32(number))
    compiler.swapMemory(scratch)
    defer { compiler.swapMemory(scratch) }
    compiler.graph.reserve(compiler.unit.tree.nodes.count + 12)
    compiler.graph.reserveLists(compiler.unit.tree.lists.count + 16)
    var diagnostics = problems
    if problems.contains(where: { $0.severity == .error }) {
      let origin = ConditionGraph.Origin(source: UInt32(number), from: 0, to: 0)
      let nothing = compiler.graph.add(.statements, list: [], at: origin)
      roots.append(compiler.graph.add(.template, nothing, 0, number, at: origin))
    } else {
      roots.append(compiler.compile())
      if !compiler.diagnostics.isEmpty { diagnostics += compiler.diagnostics }
      if compiler.hasPartials {
        for partial in compiler.partialSources {
          partialNames[sources.count] = partial.name
          sources.append(partial.text)
        }
      }
    }
    return diagnostics
  }

  /// Builds the set of all added templates.
  package consuming func build() -> TemplateSet {
    let (environment, roots, sources, names) = (environment, roots, sources, partialNames)
    scratch.tables = compiler.graph.takeTables()
    TemplateScratch.give(scratch)
    let limits = environment.limits
    let facts = Program.TemplateFacts(
      style: environment.dialect.style, outputBytes: limits.outputBytes)
    let evaluating = ExpressionEnvironment(
      roots: [],
      limits: Limits(
        sourceBytes: limits.sourceBytes, steps: limits.steps, memoryBytes: limits.memoryBytes))
    let program = Program(
      GraphCopy(graph: compiler.finish(), roots: roots), patterns: [],
      patternOf: [:], environment: evaluating, sources: sources, template: facts)
    return TemplateSet(program: program, environment: environment, partialNames: names)
  }
}
