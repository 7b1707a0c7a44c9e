/// An expression compiled a second time, for explanations. Every clause has its own node and instructions, even if
/// clauses have common parts, so a trace of the whole expression shows which clauses a run reached. The instructions
/// for decisions do not change.
package struct ClauseProgram: Sendable {
  /// A clause, and its entries.
  struct Part: Sendable {
    var range: SourceRange
    var text: String
    /// Number of the entry that evaluates only the clause.
    var entry: Int
    /// The outermost computed operands, with the numbers of their entries.
    var computed: [(text: String, entry: Int)] = []
    /// The slots that the clause reads, in source order.
    var slots: [Int] = []
    /// The values that the language uses for missing attributes, by slot.
    var standIns: [Int: Value] = [:]
  }

  /// The entries are the whole expression, then every clause and the values that it computes.
  let program: Program
  let parts: [Part]
  /// For each slot, the corresponding slot of the explained program, if any.
  let outerSlots: [Int?]

  /// Creates the program for an explanation. Fails for an expression with errors.
  init?(_ number: Int, of source: String, in outer: Program.Storage) {
    guard let places = ClausePlaces(number, of: source, in: outer) else { return nil }
    var builder = ProgramBuilder(outer.environment)
    switch places.origin {
    case .filters(let filters): builder.add(filters, marksClauses: true)
    case .tree(let tree):
      // `true || user.a.matches("(?=b)")` compiles, because folding leaves out the invalid part. An
      // expression that does not compile is null.
      builder.reportsPatterns = outer.graph.constant(outer.rootNodes[number])?.isNil == true
      let diagnostics = builder.add(tree, of: source)
      if diagnostics.contains(where: { $0.severity == .error }) { return nil }
    }
    parts = ClauseProgram.addParts(places.ranges, places.excerpts, to: &builder)
    program = builder.build()
    outerSlots = (0..<program.storage.graph.slots.count).map { [program] in
      outer.graph.slots.slot(like: $0, of: program.storage.graph.slots)
    }
  }

  /// Adds an entry for every clause and for every value that a clause computes.
  private static func addParts(
    _ ranges: [SourceRange], _ source: Excerpts, to builder: inout ProgramBuilder
  ) -> [Part] {
    guard let root = builder.lastRoot else { return [] }
    var entries = 1
    func add(_ node: ConditionGraph.ID) -> Int {
      builder.add(part: node)
      defer { entries += 1 }
      return entries
    }
    var parts: [Part?] = Array(repeating: nil, count: ranges.count)
    for id in builder.checker.graph.nodes(below: root)
    where builder.checker.graph[id].kind == .clause {
      let node = builder.checker.graph[id]
      let (test, number) = (Int(node.a), Int(node.b))
      let range = ranges[number]
      var finder = ComputedFinder(source: number + 1, clause: range)
      finder.find(test, in: builder.checker.graph)
      var part = Part(range: range, text: source.text(range), entry: add(test))
      for found in finder.found {
        part.computed.append((source.text(found.range), add(found.node)))
      }
      part.slots = builder.checker.graph.slots(below: test)
      part.standIns = builder.checker.graph.standIns(below: test)
      parts[number] = part
    }
    return parts.compactMap { $0 }
  }

  /// The parts of a source as strings.
  package struct Excerpts {
    let source: [UInt8]
    let tokens: TokenList?

    package init(_ source: String, _ tokens: TokenList?) {
      self.source = Array(source.utf8)
      self.tokens = tokens
    }

    /// The string of a range, without parentheses around the whole string.
    package func text(_ range: SourceRange) -> String {
      let range = tokens?.withoutParentheses(range) ?? range
      return String(decoding: source[range.from..<range.to], as: UTF8.self)
    }
  }
}

extension ConditionGraph {
  /// The constants that replace missing attributes, by slot. Null is omitted, because it has the same meaning as a
  /// missing value.
  fileprivate func standIns(below root: ID) -> [Int: Value] {
    var found: [Int: Value] = [:]
    for id in nodes(below: root) where self[id].kind == .orElse {
      let attribute = self[strings(of: Int(self[id].a))]
      guard attribute.kind == .slot, let cell = constant(Int(self[id].b)), cell != .null else {
        continue
      }
      found[Int(attribute.a)] = Value(cell)
    }
    return found
  }
}

/// The places of the clauses of an expression in its source.
struct ClausePlaces {
  /// Where the clauses come from. In a tree, the clauses are marked.
  enum Origin {
    case filters([Filter])
    case tree(SyntaxTree)
  }

  let origin: Origin
  /// The range of each clause, by the clause's number.
  let ranges: [SourceRange]
  let excerpts: ClauseProgram.Excerpts

  /// Marks the clauses of an expression. Fails for an expression with errors.
  init?(_ number: Int, of source: String, in outer: Program.Storage) {
    if let filters = outer.background.filters[number] {
      origin = .filters(filters)
      ranges = FilterText(filters).ranges
      excerpts = ClauseProgram.Excerpts(source, nil)
      return
    }
    var (tree, problems) = outer.environment.dialect.parse(source, limits: outer.limits)
    guard problems.isEmpty else { return nil }
    let list = TokenList(source, outer.environment.dialect)
    ranges = tree.markClauses().map { list.withoutParentheses(tree[$0].range) }
    origin = .tree(tree)
    excerpts = ClauseProgram.Excerpts(source, list)
  }

  /// The smallest clause that contains a part of the source.
  func smallest(around range: SourceRange) -> String? {
    let around = ranges.filter { $0.from <= range.from && range.to <= $0.to }
    return around.min { $0.to - $0.from < $1.to - $1.from }.map { excerpts.text($0) }
  }
}

/// Finds the values that a clause computes before it compares.
private struct ComputedFinder {
  let source: Int
  let clause: SourceRange
  private(set) var found: [(node: ConditionGraph.ID, range: SourceRange)] = []

  init(source: Int, clause: SourceRange) {
    self.source = source
    self.clause = clause
  }

  /// Descends through comparisons to the operands that they compare.
  mutating func find(_ node: ConditionGraph.ID, in graph: borrowing ConditionGraph) {
    let operands: [ConditionGraph.ID]
    switch graph[node].kind {
    case .loop: return
    // The bound value can be evaluated, but the body has no value without the variable.
    case .bind: operands = [Int(graph[node].a)]
    default: operands = graph.operands(of: node)
    }
    for operand in operands {
      switch graph[operand].kind {
      case .constant, .slot, .present, .local, .slotOrNull, .raise: continue
      case .call where graph.function(operand) == .readNumbers: continue
      case .and, .or, .not, .holds, .conditional, .equal, .less, .lessOrEqual, .in, .hasField,
        .both, .firstTruthy, .sequence, .truthy, .rescue, .orElse, .isThere, .whenThere, .compare,
        .equalEither, .optionalElement:
        find(operand, in: graph)
      default:
        guard let range = graph.range(of: operand, in: source), range != clause,
          !found.contains(where: { $0.range == range })
        else {
          find(operand, in: graph)
          continue
        }
        found.append((operand, range))
      }
    }
  }
}
