internal import Expressions

/// Compiles and renders every text of a file.
struct TemplatesRun {
  /// The cost of one text.
  struct Result {
    var id: String
    var hasOnlyPaths: Bool
    var paths: Int
    var rendering: Measurement
    var compilation: Measurement
  }

  /// A text with unexpected output.
  struct Wrong {
    var id: String
    var expected: String
    var got: String
  }

  private(set) var results: [Result] = []
  private(set) var wrong: [Wrong] = []
  /// All texts of one context in one program: rendering them, and filling the frame and rendering.
  private(set) var pageTexts = 0
  private(set) var page: Measurement?
  private(set) var filledPage: Measurement?

  private let environment = TemplateEnvironment()
  private let stopwatch: Stopwatch

  init(_ strings: [PaywallString], stopwatch: Stopwatch) throws {
    self.stopwatch = stopwatch
    for string in strings { try run(string) }
    try runPage(strings)
  }

  private mutating func run(_ string: PaywallString) throws {
    let compiled = environment.compile(string.template)
    guard let template = compiled.output else {
      let messages = compiled.diagnostics.map(\.message).joined(separator: "; ")
      wrong.append(Wrong(id: string.id, expected: string.expected, got: messages))
      return
    }
    var frame = Frame(for: template.program)
    try frame.fill(json: string.data)
    frame.setOptions(RenderOptions(now: 1_772_789_400_000))
    var text = RenderedText()
    template.render(in: &frame, into: &text)
    guard text.string == string.expected else {
      wrong.append(Wrong(id: string.id, expected: string.expected, got: text.string))
      return
    }
    let rendering = stopwatch.measure { rounds in
      var bytes = 0
      for _ in 0..<rounds {
        template.render(in: &frame, into: &text)
        bytes &+= text.count
      }
      BlackHole.take(bytes)
    }
    results.append(
      Result(
        id: string.id, hasOnlyPaths: string.hasOnlyPaths, paths: string.paths.count,
        rendering: rendering, compilation: compile(string.template)))
  }

  /// From source to program, including the release of the program's memory.
  private func compile(_ template: String) -> Measurement {
    stopwatch.measure { rounds in
      var diagnostics = 0
      for _ in 0..<rounds { diagnostics &+= environment.compile(template).diagnostics.count }
      BlackHole.take(diagnostics)
    }
  }

  /// The texts of the most frequent context, as one paywall.
  private mutating func runPage(_ strings: [PaywallString]) throws {
    let contexts = Dictionary(grouping: strings, by: \.context)
    guard
      let most = contexts.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.value
    else { return }
    var builder = TemplateSetBuilder(environment)
    for string in most { builder.add(string.template) }
    let texts = builder.build()
    var frame = Frame(for: texts.program)
    let data = most[0].data
    try frame.fill(json: data)
    var text = RenderedText()
    pageTexts = most.count
    page = stopwatch.measure(operations: most.count) { rounds in
      var bytes = 0
      for _ in 0..<rounds {
        for number in 0..<texts.count {
          texts.render(number, in: &frame, into: &text)
          bytes &+= text.count
        }
      }
      BlackHole.take(bytes)
    }
    filledPage = stopwatch.measure(operations: most.count) { rounds in
      var bytes = 0
      for _ in 0..<rounds {
        try? frame.fill(json: data)
        for number in 0..<texts.count {
          texts.render(number, in: &frame, into: &text)
          bytes &+= text.count
        }
      }
      BlackHole.take(bytes)
    }
  }
}
