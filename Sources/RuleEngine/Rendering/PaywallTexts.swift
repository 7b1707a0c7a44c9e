package import Expressions

/// The texts and conditions of a native paywall, compiled once. Resolving the paywall for a user fills two frames and
/// renders the texts.
package struct PaywallTexts: Sendable {
  /// A paywall resolved for a user.
  package struct Resolved: Sendable {
    /// The visible components, with their texts resolved.
    package var components: [Value]
    /// IDs (or types) of the components that are hidden by their conditions.
    package var hidden: [String]
    /// The errors of rendering, by the path of the text.
    package var errors: [(path: String, error: RenderError)]
  }

  /// A component with its templates and its condition.
  private struct Node: Sendable {
    /// The number of the component's condition, or nil.
    var condition: Int?
    var name: String
    var content: Content
  }

  /// JSON with template numbers instead of texts.
  private indirect enum Content: Sendable {
    case plain(Value)
    case text(Int)
    case list([Content])
    case map([(key: Value, value: Content)])
    case component(Node)
  }

  package let schema: PaywallSchema
  /// Problems in texts and conditions.
  package let diagnostics: [Diagnostic]
  /// Problems in conditions.
  package let conditionProblems: [Diagnostic]
  private let root: [Content]
  private let texts: TemplateSet
  private let paths: [String]
  private let conditions: Program
  private let filters: [Filter]
  /// For each text, the numbers of the conditions around the text.
  private let conditionsAround: [[Int]]

  /// - Parameter environment: the dialect of the texts; AgentWallie's by default.
  package init(
    _ schema: PaywallSchema,
    environment: TemplateEnvironment = TemplateEnvironment(dialect: .agentwallie)
  ) {
    var compiler = Compiler(environment, ComponentCondition(schema: schema))
    self.schema = schema
    root = schema.components.enumerated().map { index, component in
      compiler.content(component, "components[\(index)]")
    }
    paths = compiler.paths
    sources = compiler.sources
    conditionProblems = compiler.conditionProblems
    diagnostics = compiler.diagnostics + compiler.conditionProblems
    filters = compiler.conditions
    conditionsAround = compiler.conditionsAround
    var builder = ProgramBuilder(ExpressionEnvironment(roots: []))
    for condition in filters { builder.add([condition]) }
    conditions = builder.build()
    texts = compiler.finish()
  }

  /// The path of each text: `components[0].props.text`.
  package var textPaths: [String] { paths }
  /// The texts as written, in the order of ``textPaths``.
  package let sources: [String]

  /// The paywall for one user.
  ///
  /// - Parameters:
  ///   - products: the products of the slots, in the order of the paywall.
  ///   - selected: index of the selected product.
  package func resolve(
    products: [TextContext.SlottedProduct], selected: Int?, user: Value = .map([]),
    device: Value = .map([]), params: Value = .map([]), options: RenderOptions = RenderOptions()
  ) throws(EvaluationError) -> Resolved {
    var roots: [(name: String, value: Value)] = [
      ("user", user), ("device", device), ("params", params),
    ]
    if let theme = schema.theme { roots.append(("theme", theme.value)) }
    var textFrame = Frame(for: texts.program)
    try textFrame.fill(TextContext(products: products, selected: selected, roots: roots).value)
    textFrame.setOptions(options)
    var conditionFrame = Frame(for: conditions)
    try conditionFrame.fill(conditionContext(products, selected: selected, user: user))
    var result = Resolved(components: [], hidden: [], errors: [])
    var text = RenderedText()
    for content in root {
      if let value = value(content, &textFrame, &conditionFrame, &text, &result) {
        result.components.append(value)
      }
    }
    return result
  }

  /// Warnings about missing product values that visible texts read.
  package func missing(in products: TextProducts, _ environment: TemplateEnvironment)
    -> [Diagnostic]
  {
    let hidden = hiddenTexts(products: products.slotted)
    return sources.indices.filter { !hidden.contains($0) }.flatMap { number in
      products.missing(in: environment.analyze(sources[number])).map { diagnostic in
        var diagnostic = diagnostic
        diagnostic.path = paths[number]
        return diagnostic
      }
    }
  }

  private func conditionContext(
    _ products: [TextContext.SlottedProduct], selected: Int?, user: Value = .map([])
  ) -> Value {
    var resolved: [String: Value] = [:]
    for product in products { resolved[product.slot] = product.attributes }
    return ConditionContext(
      slots: products.map { ProductSlot(slot: $0.slot, label: $0.label, productID: $0.productID) },
      selected: selected ?? -1, resolved: resolved, user: user, theme: schema.theme
    ).value
  }

  /// The numbers of the texts, in the order of ``textPaths``, that are hidden whichever product is selected. A
  /// condition around such a text is false for these products and this theme.
  package func hiddenTexts(products: [TextContext.SlottedProduct]) -> Set<Int> {
    let known = filters.indices.filter {
      ["products", "theme"].contains(filters[$0].path.first)
    }
    var hidden = Set(conditionsAround.indices)
    for selected in products.indices {
      var frame = Frame(for: conditions)
      guard (try? frame.fill(conditionContext(products, selected: selected))) != nil else {
        return []
      }
      let failing = known.filter { !conditions.isTrue(conditions.entries[$0], in: &frame) }
      hidden = hidden.filter { conditionsAround[$0].contains(where: failing.contains) }
    }
    return products.isEmpty ? [] : hidden
  }

  private func value(
    _ content: Content, _ texts: inout Frame, _ conditions: inout Frame, _ text: inout RenderedText,
    _ result: inout Resolved
  ) -> Value? {
    switch content {
    case .plain(let value): return value
    case .text(let number):
      self.texts.render(number, in: &texts, into: &text)
      result.errors += text.errors.map { (paths[number], $0) }
      return .string(text.string)
    case .list(let elements):
      return .list(elements.compactMap { value($0, &texts, &conditions, &text, &result) })
    case .map(let members):
      return .map(
        members.compactMap { member in
          value(member.value, &texts, &conditions, &text, &result)
            .map { Value.Entry(key: member.key, value: $0) }
        })
    case .component(let node):
      if let condition = node.condition,
        !self.conditions.isTrue(self.conditions.entries[condition], in: &conditions)
      {
        result.hidden.append(node.name)
        return nil
      }
      return value(node.content, &texts, &conditions, &text, &result)
    }
  }

  // MARK: Compiling

  private struct Compiler: ~Copyable {
    var texts: TemplateSetBuilder
    var paths: [String] = []
    var sources: [String] = []
    var conditions: [Filter] = []
    var conditionsAround: [[Int]] = []
    /// The conditions around the current place.
    private var around: [Int] = []
    var diagnostics: [Diagnostic] = []
    var conditionProblems: [Diagnostic] = []
    private let checking: ComponentCondition

    init(_ environment: TemplateEnvironment, _ checking: ComponentCondition) {
      texts = TemplateSetBuilder(environment)
      self.checking = checking
    }

    mutating func content(_ value: Value, _ path: String) -> Content {
      switch value {
      case .string(let text):
        guard
          text.contains("{{") || text.contains("<<") || text.contains("{%") || text.contains("<%")
        else { return .plain(value) }
        for var problem in texts.add(text) {
          problem.path = path
          diagnostics.append(problem)
        }
        paths.append(path)
        sources.append(text)
        conditionsAround.append(around)
        return .text(paths.count - 1)
      case .list(let elements):
        return .list(elements.enumerated().map { content($0.element, "\(path)[\($0.offset)]") })
      case .map(let entries):
        guard let type = value["type"]?.text else {
          return .map(members(entries, path))
        }
        let condition = condition(value, path)
        if let condition { around.append(condition) }
        defer { if condition != nil { around.removeLast() } }
        var name = type
        if let id = value["id"]?.text { name = id }
        let members = members(entries.filter { $0.key != "condition" }, path)
        return .component(Node(condition: condition, name: name, content: .map(members)))
      default: return .plain(value)
      }
    }

    private mutating func members(_ entries: [Value.Entry], _ path: String) -> [(
      key: Value, value: Content
    )] {
      entries.map { entry in
        var name = "?"
        if let text = entry.key.text { name = text }
        return (entry.key, content(entry.value, "\(path).\(name)"))
      }
    }

    /// The number of a component's condition, or nil if the component has no readable condition.
    private mutating func condition(_ component: Value, _ path: String) -> Int? {
      guard let condition = component["condition"], condition != .null else { return nil }
      let read = Filter.condition(condition)
      conditionProblems += checking.problems(condition, read, at: "\(path).condition")
      guard let filter = read else { return nil }
      conditions.append(filter)
      return conditions.count - 1
    }

    consuming func finish() -> TemplateSet { texts.build() }
  }
}
