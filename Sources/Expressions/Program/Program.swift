package import Regex

/// One or more compiled expressions that share constants, attribute slots and conditions.
///
/// A program is immutable and `Sendable`. Any number of threads can run it, each with its own ``Frame``.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.tags.filter(t, t.startsWith(params.prefix))").get()
/// let value = try program.evaluate(
///   ["user": ["tags": ["beta", "staff", "b2b"]], "params": ["prefix": "b"]])
/// value  // ["beta", "b2b"]
/// ```
public struct Program: Sendable {
  /// An expression of a program.
  public struct Entry: Hashable, Sendable {
    package var start: UInt32
    /// Number of the expression, in the order in which expressions were added.
    package var source: Int
  }

  /// All data of a run, behind one reference, so that passing a program around is cheap.
  package final class Storage: Sendable {
    let code: [Instruction]
    let sets: [ConstantSet]
    let patterns: [CheckedPattern]
    /// The pattern of a constant, by its node.
    let patternOf: [ConditionGraph.ID: UInt32]
    /// The node of each entry.
    package let rootNodes: [ConditionGraph.ID]
    let temporaries: Int
    let chains: Int
    package let limits: Limits
    /// The environment that the program was compiled for.
    package let environment: ExpressionEnvironment
    /// The conversions of values that are put into frames.
    package let binding: ValueBinding
    /// Whether classes such as `\\w` in patterns include more than ASCII.
    package let patternSyntax: PatternSyntax
    /// The graph of the program's expressions, for analyses.
    package let graph: ConditionGraph
    let nodeOf: [UInt32]
    /// The facts for rendering, if the entries are templates.
    let template: TemplateFacts?
    /// The slot of all the data of a frame, if a template computes names.
    let allDataSlot: Int?

    let background: Background

    private let running = Locked<Running?>(nil)
    /// The programs that explain expressions, by number. Nil for expressions that cannot be explained.
    private let clausePrograms = Locked<[Int: ClauseProgram?]>([:])

    init(
      lowering: consuming Lowering, rootNodes: [ConditionGraph.ID],
      environment: ExpressionEnvironment,
      patterns: [CheckedPattern], background: Background, template: TemplateFacts? = nil
    ) {
      self.background = background
      self.template = template
      allDataSlot = lowering.graph.slots.everything
      self.rootNodes = rootNodes
      patternOf = lowering.patternOf
      code = lowering.code
      sets = lowering.sets
      self.patterns = patterns
      temporaries = lowering.temporaries
      chains = Int(lowering.mostChains)
      self.environment = environment
      limits = environment.limits
      binding = environment.binding
      patternSyntax = PatternSyntax(environment.dialect)
      nodeOf = lowering.nodeOf
      graph = lowering.graph
    }

    /// The data for frames, created with the first frame. Programs that are only checked or analysed need no such data.
    package func prepared() -> Running {
      running.withLock { known in
        if let known { return known }
        let made = Running(self)
        known = made
        return made
      }
    }

    /// The program that explains an expression. The program is created on first use.
    func clauseProgram(_ number: Int, of source: String) -> ClauseProgram? {
      clausePrograms.withLock { known in
        if let known = known[number] { return known }
        let made = ClauseProgram(number, of: source, in: self)
        known[number] = .some(made)
        return made
      }
    }
  }

  /// The data for explanations, other than the sources.
  package struct Background: Sendable {
    /// Lists of filters, by their numbers among the expressions. The sources of filters are only for display.
    var filters: [Int: [Filter]] = [:]
    /// The attributes that the program was specialised for. The first entry that contains a value counts.
    var known: [KnownAttributes] = []
  }

  /// The data for rendering, other than the instructions.
  package struct TemplateFacts: Sendable {
    var style: LiquidStyle
    var outputBytes: Int
  }

  /// The data that all frames of a program share.
  package final class Running: Sendable {
    let trie: AttributeTrie
    /// The slots of attributes, with their paths.
    package let attributes: [(slot: Int, names: [String])]
    /// For each slot, whether it contains a whole root or variable.
    package let isRoot: [Bool]
    /// The slots of the questions.
    let questionSlots: [Int]
    /// The content of each slot before a frame is filled.
    package let defaults: [Cell]
    let patterns: [RegexPattern]

    convenience init(_ storage: Storage) {
      self.init(storage.graph.slots, storage.environment, storage.patterns)
    }

    init(_ slots: SlotTable, _ environment: ExpressionEnvironment, _ patterns: [CheckedPattern]) {
      trie = AttributeTrie(slots)
      let contents = slots.contents
      attributes = contents.enumerated().compactMap { slot, content in
        content.attribute.map { (slot, $0.names) }
      }
      isRoot = contents.map { $0.attribute.map { $0.names.count == 1 } ?? false }
      questionSlots = contents.indices.filter { contents[$0].question != nil }
      defaults = contents.map { Running.defaultCell($0, environment) }
      self.patterns = patterns.map { RegexPattern($0) }
    }

    /// The default of a slot. Roots are empty maps, and answers are null.
    private static func defaultCell(
      _ content: SlotTable.Content, _ environment: ExpressionEnvironment
    )
      -> Cell
    {
      guard let path = content.attribute else {
        return content.question == nil ? .missing : .null
      }
      let isRoot = environment.roots.contains(path.names[0])
      if !isRoot, environment.dialect == .superscript { return .undeclared }
      switch path.names.count {
      case 1: return isRoot ? Cell(tag: Tag.map, count: 0, at: nil) : .missing
      case 2: return isRoot ? .missing : .unreachable
      default: return .unreachable
      }
    }
  }

  package let storage: Storage
  /// The expressions, in the order in which they were added.
  public let entries: [Entry]
  /// The source of each expression, in the order of ``entries``.
  public let sources: [String]
  /// The starts of each choice. A run from one of these starts tries the conditions from that place on.
  package let choices: [[UInt32]]

  /// Emits the instructions of a graph. Expressions with the same meaning share their instructions.
  ///
  /// - Parameter choices: numbers of expressions among which one run chooses, in the order in which they are tried. Nil
  ///   means true.
  package init(
    _ graph: consuming GraphCopy, patterns: [CheckedPattern],
    patternOf: [ConditionGraph.ID: UInt32], environment: ExpressionEnvironment, sources: [String],
    choices: [[Int?]] = [], background: Background = Background(),
    template: TemplateFacts? = nil
  ) {
    let rootNodes = graph.roots
    var graph = graph.graph
    let places = (0..<(choices.map { $0.count }.max() ?? 0)).map {
      graph.constants.intern(Cell(Int64($0)))
    }
    var lowering = Lowering(graph, patternOf: patternOf)
    var started: [ConditionGraph.ID: UInt32] = [:]
    var entries: [Entry] = []
    entries.reserveCapacity(rootNodes.count)
    for (source, root) in rootNodes.enumerated() {
      let start = started[root] ?? lowering.entry(root)
      if rootNodes.count > 1 { started[root] = start }
      entries.append(Entry(start: start, source: source))
    }
    self.choices = choices.map { choice in
      lowering.choice(choice.map { $0.map { rootNodes[$0] } }, places: places)
    }
    storage = Storage(
      lowering: lowering, rootNodes: rootNodes, environment: environment, patterns: patterns,
      background: background, template: template)
    self.entries = entries
    self.sources = sources
  }

  /// The attributes that the expressions read and that a context should contain.
  public var requirements: [AttributePath] {
    storage.graph.slots.contents.compactMap { $0.attribute }
  }

  /// The attributes that one expression reads.
  package func attributes(of entry: Entry) -> [AttributePath] {
    let slots = storage.graph.slots(below: storage.rootNodes[entry.source])
    return slots.compactMap { storage.graph.slots.contents[$0].attribute }
  }

  /// The questions of the expressions to their host. Pass the replies to ``Frame/answer(_:with:)``.
  package var questions: [HostQuestion] { storage.graph.slots.contents.compactMap { $0.question } }

  /// The slots of the questions, in the order of ``questions``.
  package var questionSlots: [Int] {
    let contents = storage.graph.slots.contents
    return contents.indices.filter { contents[$0].question != nil }
  }

  /// The slot of an attribute, or nil if no expression reads it.
  package func slot(of path: AttributePath) -> Int? {
    storage.graph.slots.contents.firstIndex { $0.attribute == path }
  }

  /// The path of the attribute in a slot, as written.
  package func name(ofSlot slot: Int) -> String {
    storage.graph.slots.contents[slot].attribute?.description ?? ""
  }

  /// The range in the source of an entry where an error occurred.
  public func range(of error: EvaluationError, in entry: Entry) -> SourceRange? {
    range(ofInstruction: error.instruction, in: entry)
  }

  /// A readable description of an error in an entry, with its place in the source.
  ///
  /// ```swift
  /// let program = try ExpressionEnvironment().compile("user.name != '' && 10 / user.n > 3").get()
  /// let entry = program.entries[0]
  /// do throws(EvaluationError) {
  ///   _ = try program.evaluate(["user": ["name": "Ann", "n": 0]])
  /// } catch {
  ///   let lines = program.text(of: error, in: entry).split(separator: "\n")
  ///   lines[0]  // "error[division-by-zero]: division by zero"
  ///   lines[3]  // "   |                    ^^^^^^^^^^^"
  /// }
  /// ```
  public func text(of error: EvaluationError, in entry: Entry) -> String {
    Diagnostic(
      Diagnostic.Code(rawValue: error.kind.slug), error.description,
      range: range(of: error, in: entry)
    ).text(in: sources[entry.source])
  }

  package func range(ofInstruction instruction: UInt32, in entry: Entry) -> SourceRange? {
    guard Int(instruction) < storage.nodeOf.count else { return nil }
    return storage.graph.range(
      of: Int(storage.nodeOf[Int(instruction)]), in: entry.source)
  }

  /// The attribute that an instruction read when it failed, for "no such attribute" messages.
  package func attribute(ofInstruction instruction: UInt32, in frame: borrowing Frame)
    -> AttributePath?
  {
    guard Int(instruction) < storage.code.count else { return nil }
    let first = storage.graph.constants.cells.count
    for operand in storage.code[Int(instruction)].operands {
      let slot = Int(operand) - first
      guard slot >= 0, slot < storage.graph.slots.count else { continue }
      if !frame.cells[Int(operand)].isValue { return storage.graph.slots.attribute(slot) }
    }
    return nil
  }
}

extension Program {
  /// The limits that the program was compiled with.
  public var limits: Limits { storage.limits }
}
