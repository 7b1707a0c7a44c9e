/// Compiles any number of expressions into one ``Program``.
///
/// ```swift
/// var builder = ProgramBuilder(Environment())
/// let problems = builder.add("device.country == \"DE\"")
/// let program = builder.build()
/// ```
public struct ProgramBuilder {
  public let environment: Environment
  /// Whether operations on constants are worked out beforehand. Off only in tests, which hold
  /// the two ways against each other.
  package var folds = true
  private var graph = ConditionGraph()
  private var folding = ConstantFolding()
  private var roots: [ConditionGraph.ID] = []
  private var sources: [String] = []
  private var patterns: [RegexPattern] = []
  private var patternOf: [ConditionGraph.ID: UInt32] = [:]
  /// What is wrong with constants that are no patterns, by node.
  private var badPatterns: [ConditionGraph.ID: RegexSyntaxError] = [:]

  public init(_ environment: Environment) { self.environment = environment }

  /// Adds an expression; it becomes the next entry of the program. One that has errors becomes an
  /// entry too, which evaluates to null, so that numbers stay what they are.
  @discardableResult
  public mutating func add(_ source: String) -> [Diagnostic] {
    let number = UInt32(sources.count)
    var text = source
    let (tree, problems) = text.withUTF8 { Parser.parse($0, limits: environment.limits) }
    sources.append(source)
    guard problems.isEmpty else {
      roots.append(addFailure(number))
      return problems
    }
    var (root, diagnostics, hasPatterns) = check(tree, number)
    if !diagnostics.contains(where: { $0.severity == .error }) {
      if folds { root = folding.fold(root, in: &graph) }
      if hasPatterns { diagnostics += compilePatterns(of: root, source: Int(number)) }
    }
    let hasErrors = diagnostics.contains { $0.severity == .error }
    roots.append(hasErrors ? addFailure(number) : root)
    return diagnostics
  }

  private mutating func check(_ tree: SyntaxTree, _ number: UInt32)
    -> (root: ConditionGraph.ID, diagnostics: [Diagnostic], hasPatterns: Bool)
  {
    graph.reserve(tree.nodes.count + 4)
    var checker = Checker(tree: tree, environment: environment, source: number, graph: graph)
    graph = .placeholder
    let root = checker.check(tree.root)
    graph = checker.graph
    return (root, checker.diagnostics, checker.hasPatterns)
  }

  private mutating func addFailure(_ number: UInt32) -> ConditionGraph.ID {
    graph.addConstant(.null, at: ConditionGraph.Origin(source: number, from: 0, to: 0))
  }

  /// Compiles the constant patterns of `matches` in an expression, unless another has them too.
  private mutating func compilePatterns(of root: ConditionGraph.ID, source: Int) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for id in graph.nodes(below: root) {
      guard graph[id].kind == .call, graph.function(id) == .matches,
        let operand = graph.list(graph[id].a).last.map(Int.init),
        let cell = graph.constant(operand), cell.isText
      else { continue }
      let text = withUnsafePointer(to: cell) { Array($0.textBytes) }
      if patternOf[operand] == nil, badPatterns[operand] == nil { compile(text, operand) }
      if let error = badPatterns[operand] {
        let range = graph.range(of: operand, in: source) ?? graph.origins[operand].range
        diagnostics.append(badRegex(error, text, range))
      }
    }
    return diagnostics
  }

  private mutating func compile(_ text: [UInt8], _ operand: ConditionGraph.ID) {
    do throws(RegexSyntaxError) {
      let pattern = try RegexPattern(
        pattern: text, unicodeClasses: false, limits: RegexLimits(environment.limits))
      patternOf[operand] = UInt32(patterns.count)
      patterns.append(pattern)
    } catch {
      badPatterns[operand] = error
    }
  }

  /// Points into the pattern when the literal stands for its bytes one to one.
  private func badRegex(_ error: RegexSyntaxError, _ pattern: [UInt8], _ literal: SourceRange)
    -> Diagnostic
  {
    var range = literal
    if literal.to - literal.from == pattern.count + 2 {
      let start = literal.from + 1
      range = SourceRange(
        from: start + error.range.lowerBound,
        to: start + max(error.range.upperBound, error.range.lowerBound + 1))
    }
    return Diagnostic(
      .badRegex, error.message, range: range, notes: ["patterns are in RE2's syntax"],
      suggestion: error.suggestion)
  }

  /// Emits the program. Expressions with the same meaning share one piece of code.
  public func build() -> Program {
    var lowering = Lowering(graph, patternOf: patternOf)
    var started: [ConditionGraph.ID: UInt32] = [:]
    var entries: [Program.Entry] = []
    entries.reserveCapacity(roots.count)
    for (source, root) in roots.enumerated() {
      let start = started[root] ?? lowering.entry(root)
      if roots.count > 1 { started[root] = start }
      entries.append(Program.Entry(start: start, source: source))
    }
    let storage = Program.Storage(
      lowering: lowering, roots: environment.roots, patterns: patterns,
      limits: environment.limits)
    return Program(storage: storage, entries: entries, sources: sources)
  }
}

extension Environment {
  /// Compiles one expression.
  public func compile(_ source: String) -> Compilation<Program> {
    var builder = ProgramBuilder(self)
    let diagnostics = builder.add(source)
    let hasErrors = diagnostics.contains { $0.severity == .error }
    return Compilation(output: hasErrors ? nil : builder.build(), diagnostics: diagnostics)
  }
}
