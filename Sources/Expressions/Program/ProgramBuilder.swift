internal import Regex

/// Compiles any number of expressions into one ``Program``.
///
/// ```swift
/// var builder = ProgramBuilder(ExpressionEnvironment())
/// builder.add("device.country == 'DE'")  // []
/// builder.add("device.country == 'DE' && user.age >= 18")  // []
/// let program = builder.build()
/// var frame = Frame(for: program)
/// try frame.fill(["device": ["country": "DE"], "user": ["age": 17]])
/// try program.entries.map { try program.evaluate($0, in: &frame) }  // [true, false]
/// ```
public struct ProgramBuilder: ~Copyable {
  package var environment: ExpressionEnvironment { checker.environment }
  /// Whether operations on constants are computed at compile time. The option is off only in tests, which compare both
  /// ways.
  package var folds: Bool {
    get { checker.folds }
    set { checker.folds = newValue }
  }
  /// Owns the graph that all the expressions share.
  package private(set) var checker: Checker
  var folding = ConstantFolding()
  package private(set) var roots: [ConditionGraph.ID] = []
  private var sources: [String] = []
  private var choices: [[Int?]] = []
  /// The lists of filters, by their numbers among the expressions.
  private var filters: [Int: [Filter]] = [:]
  /// The constants of lists in filters, by their nodes.
  private var filterLists: [ConditionGraph.ID: Int] = [:]
  private var patterns: [CheckedPattern] = []
  private var patternOf: [ConditionGraph.ID: UInt32] = [:]
  /// Whether a constant that is an invalid pattern is reported. If false, only evaluations that reach the pattern fail.
  var reportsPatterns = true
  /// The errors of constants that are used as patterns, by node.
  private var patternProblems: [ConditionGraph.ID: PatternProblem] = [:]

  public init(_ environment: ExpressionEnvironment) { checker = Checker(environment) }

  /// Adds an expression as the next entry of the program. An expression with errors also becomes an entry, which
  /// evaluates to null, so that the indices of other entries do not change.
  @discardableResult
  public mutating func add(_ source: String) -> [Diagnostic] {
    let (tree, problems) = environment.dialect.parse(source, limits: environment.limits)
    guard problems.isEmpty else {
      roots.append(addFailure(UInt32(sources.count)))
      sources.append(source)
      return problems
    }
    return add(tree, of: source)
  }

  /// Adds an expression that was parsed without errors.
  package mutating func add(_ tree: SyntaxTree, of source: String) -> [Diagnostic] {
    let number = UInt32(sources.count)
    sources.append(source)
    if !environment.hostFunctionsOf.isEmpty {
      checker.hostFunctions = environment.hostFunctionsOf[source] ?? environment.hostFunctions
    }
    var root = checker.check(tree, source: number)
    var diagnostics = checker.diagnostics
    if !diagnostics.contains(where: { $0.severity == .error }) {
      if folds { root = folding.fold(root, in: &checker.graph) }
      if checker.hasPatterns {
        let found = checkPatterns(of: root, source: Int(number))
        if reportsPatterns { diagnostics += found }
      }
    }
    let hasErrors = diagnostics.contains { $0.severity == .error }
    roots.append(hasErrors ? addFailure(number) : root)
    return diagnostics
  }

  /// Adds a list of filters, as the next entry of the program. The source of the entry is the string form of the
  /// filters. Filters that can never be true are not errors: they are false.
  package mutating func add(_ filters: [Filter]) { add(filters, marksClauses: false) }

  /// - Parameter marksClauses: whether every filter becomes a clause of an explanation.
  package mutating func add(_ filters: [Filter], marksClauses: Bool) {
    let text = FilterText(filters)
    var filterChecker = FilterChecker(
      source: UInt32(sources.count), marksClauses: marksClauses)
    self.filters[sources.count] = filters
    sources.append(text.text)
    swap(&filterChecker.graph, &checker.graph)
    swap(&filterChecker.constantOf, &filterLists)
    // Nothing is folded: a filter that is never true is explained like the others.
    let root = filterChecker.check(filters, ranges: text.ranges)
    swap(&filterChecker.graph, &checker.graph)
    swap(&filterChecker.constantOf, &filterLists)
    roots.append(root)
  }

  /// Adds a part of an expression, as the next entry of the program.
  package mutating func add(part node: ConditionGraph.ID) {
    roots.append(node)
    sources.append("")
  }

  /// Reserves a place in frames for an attribute, whether or not an expression reads it.
  package mutating func keep(_ path: AttributePath) {
    _ = checker.graph.slots.slot(path.names, isPresenceOnly: false)
  }

  /// The attributes that have a place in frames so far.
  package var attributes: [AttributePath] {
    checker.graph.slots.contents.compactMap { $0.attribute }
  }

  /// The node of the expression that was added last.
  var lastRoot: ConditionGraph.ID? { roots.last }

  /// Adds a choice among expressions: one run of the program finds the first expression that is exactly true.
  ///
  /// - Parameter expressions: numbers of added expressions, in the order in which they are tried. Nil means true.
  package mutating func addChoice(_ expressions: [Int?]) { choices.append(expressions) }

  private mutating func addFailure(_ number: UInt32) -> ConditionGraph.ID {
    checker.graph.addConstant(
      .null, at: ConditionGraph.Origin(source: number, from: 0, to: 0))
  }

  /// Checks the constant patterns of `matches` in an expression, unless an earlier expression has them too.
  private mutating func checkPatterns(of root: ConditionGraph.ID, source: Int) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for id in checker.graph.nodes(below: root) {
      guard checker.graph[id].kind == .call, checker.graph.function(id) == .matches,
        let operand = checker.graph.list(checker.graph[id].a).last.map(Int.init),
        let cell = checker.graph.constant(operand), cell.isText
      else { continue }
      // SAFETY: The bytes of the constant are copied inside the closure. Tests: RuleErrorsTests,
      // RegexMatchingTests.
      let text = withUnsafePointer(to: cell) { Array($0.textBytes) }
      if patternOf[operand] == nil, patternProblems[operand] == nil { check(text, operand) }
      if let problem = patternProblems[operand] {
        let literal =
          checker.graph.range(of: operand, in: source) ?? checker.graph.origins[operand].range
        diagnostics.append(
          problem.diagnostic { range(of: $0, in: text, literal, of: sources[source]) })
      }
    }
    return diagnostics
  }

  private mutating func check(_ text: [UInt8], _ operand: ConditionGraph.ID) {
    let limits = RegexLimits(environment.limits)
    func problem(_ syntax: PatternSyntax) -> RegexSyntaxError? {
      do throws(RegexSyntaxError) {
        _ = try syntax.check(text, limits)
        return nil
      } catch {
        return error
      }
    }
    do throws(RegexSyntaxError) {
      let pattern = try PatternSyntax(environment.dialect).check(text, limits)
      patternOf[operand] = UInt32(patterns.count)
      patterns.append(pattern)
      // superscript and CEL accept different syntaxes.
      if environment.dialect == .superscript, let inRE2 = problem(.re2) {
        patternProblems[operand] = .onlyInRust(inRE2)
      }
    } catch {
      patternProblems[operand] =
        environment.dialect == .cel
        ? .notInRE2(error) : problem(.re2) == nil ? .onlyInRE2(error) : .inNeither(error)
    }
  }

  /// The place inside the pattern, if the bytes of the literal are those of the string.
  private func range(
    of error: RegexSyntaxError, in pattern: [UInt8], _ literal: SourceRange, of source: String
  ) -> SourceRange {
    let isRaw = source.utf8.dropFirst(literal.from).first.map { $0 | 0x20 } == UInt8(ascii: "r")
    let start = literal.from + (isRaw ? 2 : 1)
    guard start + pattern.count + 1 == literal.to else { return literal }
    return SourceRange(
      from: start + error.range.lowerBound,
      to: start + max(error.range.upperBound, error.range.lowerBound + 1))
  }

  /// Returns the program. Expressions with the same meaning share their instructions.
  public consuming func build() -> Program {
    let environment = checker.environment
    let (patterns, patternOf) = (patterns, patternOf)
    let (roots, sources, choices) = (roots, sources, choices)
    let background = Program.Background(filters: filters)
    return Program(
      GraphCopy(graph: checker.graph, roots: roots), patterns: patterns, patternOf: patternOf,
      environment: environment, sources: sources, choices: choices, background: background)
  }
}

extension ExpressionEnvironment {
  /// Compiles a list of filters.
  package func compile(_ filters: [Filter]) -> Program {
    var builder = ProgramBuilder(self)
    builder.add(filters)
    return builder.build()
  }

  /// Compiles one expression.
  public func compile(_ source: String) -> Compilation<Program> {
    var builder = ProgramBuilder(self)
    let diagnostics = builder.add(source)
    let hasErrors = diagnostics.contains { $0.severity == .error }
    return Compilation(
      output: hasErrors ? nil : builder.build(), diagnostics: diagnostics, source: source)
  }
}
