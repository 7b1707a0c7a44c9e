package import Expressions
internal import Regex

/// Conditions in a form for analysis: connectives, and atoms, which the machine evaluates. One
/// model contains all conditions of a rule set, which share common parts.
package final class ConditionModel {
  /// A condition as written in a config.
  package enum Source {
    case expression(String)
    case filters([Filter])
  }

  /// A clause of a condition.
  package struct ClausePlace {
    package var range: SourceRange
    package var text: String
    /// The formula node; nil if folding removed the clause.
    package var node: Int?
    /// Whether the clause has no node because the machine evaluates it together with its surroundings.
    package var isWithinAtom = false
  }

  package struct Condition {
    /// The formula node of the whole condition.
    package var root: Int
    package var clauses: [ClausePlace]
  }

  /// A node of the formula: an atom, or a connective of earlier nodes.
  struct Node {
    enum Kind: UInt8 {
      case constant, atom, same, unary, fold, conditional, rescue, sequence
    }

    var kind: Kind
    /// The number of the atom or of the table, or the outcome of a constant.
    var value = 0
    var operands: [Int] = []
  }

  /// A part of a condition that the machine evaluates as a whole.
  struct Atom {
    /// The atom's node in the graph.
    var node: ConditionGraph.ID
    /// The atom's entry in the program.
    var entry = 0
    /// The attributes that the atom reads, as slots of the program.
    var slots: [Int]
    /// The group of all attributes that the atom reads; nil if there are several groups.
    var group: Int?
    /// The atom's demands on the values of its group; nil if the atom is opaque.
    var demands: AttributeDemands?
    /// The atom's possible outcomes, whatever the attributes are.
    var possible: OutcomeSet
  }

  package let program: Program
  /// The frame for running atoms.
  var frame: Frame
  /// The number of times that the frame was filled.
  var fills = 0
  /// The work of the machine: conditions and atoms that were run, and the lengths of contexts.
  package var work = 0
  package private(set) var conditions: [Condition] = []
  private(set) var nodes: [Node] = []
  /// Outcomes for the context in the frame. The property is not lazy, because each write to a lazy property copies the
  /// array.
  var memory = OutcomeMemory(count: 0)
  private(set) var atoms: [Atom] = []
  private(set) var groups: [AttributeGroup] = []
  /// The group of each slot; nil for a slot without a group.
  private(set) var groupOf: [Int?] = []
  /// The number of each question in the program, and the question's number for each slot.
  let questionNumbers: [HostQuestion: Int]
  let questionsOfSlots: [Int: Int]
  /// The possible answers of a host, by the slot of the question.
  private let answers: (HostQuestion) -> HostAnswers
  private var classesOf: [[Int]: AttributeClasses] = [:]
  /// For each slot, the atoms that read it together with attributes of other groups.
  private(set) var jointAtoms: [Int: [Int]] = [:]

  /// - Parameters:
  ///   - environment: the language of the conditions. Every condition must compile in this environment.
  ///   - answers: the possible answers of a host to a question.
  package init(
    _ environment: ExpressionEnvironment, _ sources: [Source],
    answers: @escaping (HostQuestion) -> HostAnswers = { _ in HostAnswers() }
  ) {
    self.answers = answers
    var builder = ProgramBuilder(environment)
    var places: [[ClausePlace]] = []
    for source in sources { places.append(ConditionModel.add(source, to: &builder)) }
    var reader = FormulaReader(environment)
    let roots = builder.roots
    var read: [Int] = []
    var clauseNodes: [[(clause: Int, node: Int?)]] = []
    for root in roots {
      read.append(reader.node(root, builder.checker.graph, isWhole: true))
      clauseNodes.append(reader.clauses(below: root, builder.checker.graph))
    }
    var atoms = reader.atoms
    for i in atoms.indices {
      atoms[i].entry = roots.count + i
      builder.add(part: atoms[i].node)
    }
    let program = builder.build()
    self.program = program
    questionNumbers = Dictionary(
      combining: program.questions.enumerated().map { ($1, $0) }
    ) { first, _ in first }
    questionsOfSlots = Dictionary(
      combining: program.questionSlots.enumerated().map { ($1, $0) }
    ) { first, _ in first }
    frame = Frame(for: program)
    nodes = reader.nodes
    memory.makeRoom(for: nodes.count)
    (groups, groupOf) = AttributeGroup.all(of: program, environment)
    for i in atoms.indices {
      let groups = Set(atoms[i].slots.map { groupOf[$0] })
      atoms[i].group = groups.count == 1 ? groups.first ?? nil : nil
    }
    ConditionModel.settle(&atoms, program)
    self.atoms = atoms
    for (number, atom) in atoms.enumerated() where atom.group == nil {
      for slot in atom.slots { jointAtoms[slot, default: []].append(number) }
    }
    for (number, root) in read.enumerated() {
      var clauses = places[number]
      for (clause, node) in clauseNodes[number] where clauses.indices.contains(clause) {
        clauses[clause].node = node
        clauses[clause].isWithinAtom = node == nil
      }
      conditions.append(Condition(root: root, clauses: clauses))
    }
  }

  /// Evaluates atoms that read nothing, which have a single outcome.
  private static func settle(_ atoms: inout [Atom], _ program: Program) {
    guard atoms.contains(where: { $0.slots.isEmpty }) else { return }
    var frame = Frame(for: program)
    for i in atoms.indices where atoms[i].slots.isEmpty {
      let entry = program.entries[atoms[i].entry]
      atoms[i].possible = OutcomeSet(program.condition(entry, in: &frame))
    }
  }

  private static func add(_ source: Source, to builder: inout ProgramBuilder) -> [ClausePlace] {
    switch source {
    case .filters(let filters):
      builder.add(filters, marksClauses: true)
      let text = FilterText(filters)
      let excerpts = ClauseProgram.Excerpts(text.text, nil)
      return text.ranges.map { ClausePlace(range: $0, text: excerpts.text($0)) }
    case .expression(let source):
      let environment = builder.environment
      var (tree, problems) = environment.dialect.parse(source, limits: environment.limits)
      guard problems.isEmpty else {
        builder.add(source)
        return []
      }
      let list = TokenList(source, environment.dialect)
      let excerpts = ClauseProgram.Excerpts(source, list)
      let places = tree.markClauses().map { id in
        let range = list.withoutParentheses(tree[id].range)
        return ClausePlace(range: range, text: excerpts.text(range))
      }
      _ = builder.add(tree, of: source)
      return places
    }
  }

  /// Adds a node to the formula, after its operands.
  func add(_ node: Node) -> Int {
    nodes.append(node)
    memory.makeRoom(for: nodes.count)
    return nodes.count - 1
  }

  /// The classes of a group's values that some of its atoms distinguish. The classes are computed
  /// once for equal atoms.
  func classes(of group: Int, for atoms: [Int]) -> AttributeClasses {
    if let known = classesOf[[group] + atoms] { return known }
    let made = AttributeClasses(groups[group], atoms, in: self, answers)
    classesOf[[group] + atoms] = made
    return made
  }

  /// The classes of a group's values that some of its atoms or the labels distinguish.
  func classes(of group: Int, for atoms: [Int], labels: ValueLabels) -> AttributeClasses {
    AttributeClasses(groups[group], atoms, in: self, answers, labels: labels)
  }
}

/// The possible answers of a host to a question. An unknown answer may be a number, null or a bool.
package struct HostAnswers: Sendable {
  package var canBeNull = true
  package var canBeNumber = true
  package var canBeBool = true

  package init(canBeNull: Bool = true, canBeNumber: Bool = true, canBeBool: Bool = true) {
    self.canBeNull = canBeNull
    self.canBeNumber = canBeNumber
    self.canBeBool = canBeBool
  }
}

/// Reads patterns as the machine does.
struct PatternReader {
  private let syntax: PatternSyntax
  private let limits: RegexLimits

  init(_ environment: ExpressionEnvironment) {
    syntax = PatternSyntax(environment.dialect)
    limits = RegexLimits(environment.limits)
  }

  /// A pattern's automaton; nil if the pattern is invalid or cannot be traversed.
  func automaton(_ text: [UInt8]) -> RegexAutomaton? {
    (try? syntax.check(text, limits)).flatMap { RegexAutomaton($0, text: text) }
  }
}

/// Turns nodes of a graph into nodes of the formula.
private struct FormulaReader {
  private(set) var nodes: [ConditionModel.Node] = []
  private(set) var atoms: [ConditionModel.Atom] = []
  private var known: [ConditionGraph.ID: Int] = [:]
  private let patterns: PatternReader

  init(_ environment: ExpressionEnvironment) { patterns = PatternReader(environment) }

  /// The formula node of a graph node.
  ///
  /// - Parameter isWhole: whether the node is a whole condition, for which null is equivalent to an
  ///   error.
  mutating func node(
    _ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph, isWhole: Bool = false
  ) -> Int {
    if let number = known[id] { return number }
    let made = read(id, graph, isWhole)
    nodes.append(made)
    known[id] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func read(
    _ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph, _ isWhole: Bool
  ) -> ConditionModel.Node {
    let node = graph[id]
    let a = Int(node.a)
    switch node.kind {
    case .constant:
      return ConditionModel.Node(
        kind: .constant, value: OutcomeSet(graph.constants.cells[a]).number)
    case .clause:
      return ConditionModel.Node(kind: .same, operands: [self.node(a, graph, isWhole: isWhole)])
    case .and: return fold(.and, id, graph)
    case .or: return fold(.or, id, graph)
    case .both: return fold(.both, id, graph)
    case .firstTruthy: return fold(.firstTruthy, id, graph)
    case .not: return unary(.not, a, graph)
    case .holds: return unary(.holds, a, graph)
    case .truthy: return unary(.truthy, a, graph)
    case .call where graph.function(id) == .superscriptTruth:
      // An operand that is an unchanged attribute has more distinct values than outcomes.
      guard let operand = graph.list(node.a).first.map(Int.init), graph.carried(operand) == nil
      else { return atom(id, graph) }
      return unary(.superscriptTruth, operand, graph)
    case .conditional:
      let operands = graph.operands(of: id).map { self.node($0, graph) }
      return ConditionModel.Node(kind: .conditional, operands: operands)
    case .sequence:
      let operands = graph.operands(of: id).map { self.node($0, graph) }
      return ConditionModel.Node(kind: .sequence, operands: operands)
    case .rescue where isWhole:
      let operands = [self.node(a, graph, isWhole: true), self.node(Int(node.b), graph)]
      return ConditionModel.Node(kind: .rescue, operands: operands)
    default: return atom(id, graph)
    }
  }

  private mutating func fold(
    _ kind: OutcomeTables.Fold, _ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph
  ) -> ConditionModel.Node {
    let operands = graph.operands(of: id).map { node($0, graph) }
    return ConditionModel.Node(kind: .fold, value: kind.rawValue, operands: operands)
  }

  private mutating func unary(
    _ kind: OutcomeTables.Unary, _ operand: ConditionGraph.ID,
    _ graph: borrowing ConditionGraph
  ) -> ConditionModel.Node {
    ConditionModel.Node(kind: .unary, value: kind.rawValue, operands: [node(operand, graph)])
  }

  private mutating func atom(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph)
    -> ConditionModel.Node
  {
    var demands: AttributeDemands? = AttributeDemands()
    let isTaken = demands?.take(id, graph) { patterns.automaton($0) }
    if isTaken != true { demands = nil }
    atoms.append(
      ConditionModel.Atom(
        node: id, slots: graph.slots(below: id), demands: demands,
        possible: graph[id].kind.isTest ? [.true, .false, .fault] : .any))
    return ConditionModel.Node(kind: .atom, value: atoms.count - 1)
  }

  /// The clauses of a condition with their formula nodes; nil for parts of an atom.
  func clauses(below root: ConditionGraph.ID, _ graph: borrowing ConditionGraph)
    -> [(clause: Int, node: Int?)]
  {
    graph.nodes(below: root).compactMap { id in
      graph[id].kind == .clause ? (Int(graph[id].b), known[id]) : nil
    }
  }
}
