/// The meaning of the expressions of one program: a graph in which every distinct subexpression, over
/// all the expressions, is one node.
///
/// Nodes are hash-consed and only refer to nodes before them. Instructions, the list of attributes and
/// the requirements are derived from the graph. Analyses walk the graph, never the instructions.
package struct ConditionGraph: ~Copyable {
  package typealias ID = Int

  package enum Kind: UInt8 {
    case constant  // a: place in the pool
    case slot  // a: slot; its value
    case present  // a: slot; whether it has a value
    case not, negate  // a
    case holds  // a: a condition; whether it is true (an error counts as false)
    case clause  // a; b: number of a clause, which makes the node distinct (explanations)
    case and, or  // a: list of operands
    case conditional  // a ? b : c
    case equal, less, lessOrEqual, `in`  // a, b
    case add, subtract, multiply, divide, modulo  // a, b
    case select, hasField  // a: operand; b: place of the name's constant
    case index  // a, b
    case list, map  // a: list of elements, or of keys and values
    case optionalElement  // a; an element or key of a literal that is left out when absent
    case call  // a: list of arguments; b: Function
    case local  // a: level of the variable
    case bind  // a: value, b: body, c: level of the variable
    case loop  // a: list of range and bodies; b: LoopKind; c: level of the first variable

    // Only superscript's expressions use these nodes.
    case raise  // a: EvaluationError.Kind
    case rescue  // a, or b if a fails with an error of the kinds c (FaultSet)
    case orElse  // a, or b if an attribute that a reads is missing
    case slotOrNull  // a: slot; null if a map does not contain it
    case sequence  // a: list; evaluates all, and has the value of the last one
    case isThere  // a; whether all attributes that it reads exist
    case truthy  // a; whether its value counts as true
    case both  // a: list; whether all are truthy; evaluates every one
    case firstTruthy  // a: list; the first that is truthy, or the last
    case compare  // a, b; c: Superscript.Comparison
    case equalEither  // a; b, c: places of two constants; whether a equals one of them
    case testCall  // a: list of two; b: Function
    case whenThere  // a: a relation; false if an attribute of its left side is missing
    case member  // a; b: place of the name's constant; c: 1 when a function has the name
    case arithmetic  // a, b; c: Superscript.Operator
    case mapKeepingLast  // a: list of keys and values
    // For templates: values, tests and statements; c: the place in the source, which keeps equal nodes
    // distinct
    case filter  // a: list of operands; b: LiquidFunction; c: place
    case relation  // a, b; c: LiquidRelation
    case affirms  // a; whether its value is neither nil nor false
    case text  // a: place of a constant; written unchanged
    case output  // a: value; b: OutputForm; c: place
    case statements  // a: list
    case choose  // a: test, b: then, c: else
    case assign  // a: value, b: level of the variable
    case capture  // a: statements, b: level of the variable, c: level of where it begins
    case items  // a: list of items, body, else; b: 1 if breaks do not leave it; c: its variable
    case cell  // a: statements, which no break leaves; b: level that stores a break; c: mode
    case template  // a: statements; b: number of variables, whose levels are below it
    case leave  // a: 0 for a break, 1 for the next item
  }

  /// The result of a loop over a list or a map.
  package enum LoopKind: UInt32 {
    /// Whether the body is true for all elements, for exactly one, or for at least one.
    case all, existsOne, exists
    /// A list of the second body's values where the first body is true.
    case map
    /// A map of the loop's keys with the second body's values where the first body is true.
    case transformMap
    /// A map of all entries of the second body's maps, where the first body is true.
    case transformMapEntry

    /// Added to the raw value if the loop has two variables: index or key, and value.
    package static let twoVariables: UInt32 = 16
    /// Added to the raw value if an error in the body ends the loop, whatever the other elements evaluate to.
    package static let failsAtOnce: UInt32 = 32
  }

  package struct Node: Equatable {
    package var kind: Kind
    package var a: UInt32
    package var b: UInt32
    package var c: UInt32
  }

  /// The place of a node in the source of one expression.
  package struct Origin {
    package var source: UInt32
    package var from: UInt32
    package var to: UInt32

    package init(source: UInt32, from: UInt32, to: UInt32) {
      self.source = source
      self.from = from
      self.to = to
    }

    package var range: SourceRange { SourceRange(from: Int(from), to: Int(to)) }
  }

  private(set) var nodes: [Node] = []
  /// The first origin of each node.
  private(set) var origins: [Origin] = []
  /// Further origins of nodes that occur more than once.
  private(set) var moreOrigins: [(node: ID, origin: Origin)] = []
  /// Nodes that passes built to replace others, with the nodes that they replaced.
  private(set) var replacements: [(new: ID, old: ID)] = []
  /// Operand lists, each preceded by its count.
  private(set) var lists: [UInt32] = []
  private var table: InternTable
  package var constants: ConstantPool
  package var slots: SlotTable
  /// Variables that may have no value. Roots always have a value.
  var variables: [String] = []

  package init() {
    table = InternTable()
    constants = ConstantPool()
    slots = SlotTable()
  }

  /// The tables that find nodes, lists and constants that a graph already contains.
  struct Tables {
    var nodes = InternTable()
    var constants = InternTable()
    var slots = InternTable()
  }

  /// - Parameter tables: empty tables, whose memory is used until ``takeTables()``.
  init(_ tables: inout Tables) {
    table = exchange(&tables.nodes, with: InternTable())
    constants = ConstantPool(table: exchange(&tables.constants, with: InternTable()))
    slots = SlotTable(table: exchange(&tables.slots, with: InternTable()))
  }

  /// Empties the tables and returns them. Nothing can be added to the graph afterwards.
  mutating func takeTables() -> Tables {
    var tables = Tables()
    tables.nodes = exchange(&table, with: InternTable())
    tables.constants = constants.takeTable()
    tables.slots = slots.takeTable()
    tables.nodes.removeAll()
    tables.constants.removeAll()
    tables.slots.removeAll()
    return tables
  }

  /// Reserves memory for an expression with this number of syntax nodes.
  mutating func reserve(_ count: Int) {
    guard nodes.isEmpty else { return }
    nodes.reserveCapacity(count)
    origins.reserveCapacity(count)
    table.reserve(count)
    slots.reserve()
  }

  /// Reserves memory for this number of further words of operand lists.
  mutating func reserveLists(_ count: Int) { lists.reserveCapacity(lists.count + count) }

  package subscript(id: ID) -> Node { nodes[id] }

  /// The function of a call.
  package func function(_ id: ID) -> Function? { Function(rawValue: UInt16(nodes[id].b)) }

  package func list(_ at: UInt32) -> ArraySlice<UInt32> {
    let start = Int(at)
    return lists[start + 1..<start + 1 + Int(lists[start])]
  }

  /// The value of a constant node, or nil. A constant that is not a value, such as an undeclared name, is an error
  /// wherever it is read.
  package func constant(_ id: ID) -> Cell? {
    guard nodes[id].kind == .constant else { return nil }
    let cell = constants.cells[Int(nodes[id].a)]
    return cell.isValue ? cell : nil
  }

  package mutating func add(_ kind: Kind, _ a: Int, _ b: Int = 0, _ c: Int = 0, at origin: Origin)
    -> ID
  {
    let node = Node(kind: kind, a: UInt32(a), b: UInt32(b), c: UInt32(c))
    let low = UInt64(kind.rawValue) | UInt64(node.c) << 8
    let hash = InternTable.combine(low, UInt64(node.a) | UInt64(node.b) << 32)
    if let known = table.find(hash, isSame: { nodes[$0] == node }) {
      return seen(known, at: origin)
    }
    return insert(node, hash, origin)
  }

  package mutating func add(
    _ kind: Kind, list operands: [ID], _ b: Int = 0, _ c: Int = 0, at origin: Origin
  ) -> ID {
    add(kind, list: operands.map { UInt32($0) }[...], b, c, at: origin)
  }

  mutating func add(
    _ kind: Kind, list operands: ArraySlice<UInt32>, _ b: Int = 0, _ c: Int = 0, at origin: Origin
  ) -> ID {
    var hash = InternTable.combine(UInt64(kind.rawValue), UInt64(b) | UInt64(c) << 32)
    for operand in operands { hash = InternTable.combine(hash, UInt64(operand)) }
    let known = table.find(hash) {
      let known = nodes[$0]
      guard known.kind == kind, Int(known.b) == b, Int(known.c) == c else { return false }
      let list = list(known.a)
      return list == operands
    }
    if let known { return seen(known, at: origin) }
    let node = Node(kind: kind, a: UInt32(lists.count), b: UInt32(b), c: UInt32(c))
    if lists.capacity == 0 { lists.reserveCapacity(32) }
    lists.append(UInt32(operands.count))
    lists += operands
    return insert(node, hash, origin)
  }

  private mutating func insert(_ node: Node, _ hash: UInt64, _ origin: Origin) -> ID {
    nodes.append(node)
    origins.append(origin)
    return table.insert(hash)
  }

  private mutating func seen(_ id: ID, at origin: Origin) -> ID {
    add(origin: origin, to: id)
    return id
  }

  /// Gives a node a further place in the sources.
  mutating func add(origin: Origin, to node: ID) {
    if origins[node].source != origin.source { moreOrigins.append((node, origin)) }
  }

  mutating func addConstant(_ cell: Cell, at origin: Origin) -> ID {
    add(.constant, constants.intern(cell), at: origin)
  }

  /// The nodes that a node is made of, in order.
  package func operands(of id: ID) -> [ID] {
    let node = nodes[id]
    let fields = node.kind.fields
    if fields.a == .nodes { return list(node.a).map(Int.init) }
    var operands: [ID] = []
    if fields.a == .node { operands.append(Int(node.a)) }
    if fields.b == .node { operands.append(Int(node.b)) }
    if fields.c == .node { operands.append(Int(node.c)) }
    return operands
  }

  /// The node with other operands, or the node itself if no operand changes.
  mutating func rebuilt(_ id: ID, with operand: (UInt32) -> ID) -> ID {
    let node = nodes[id]
    let fields = node.kind.fields
    if fields.a == .nodes {
      let list = list(node.a)
      if list.allSatisfy({ operand($0) == Int($0) }) { return id }
      return add(
        node.kind, list: list.map(operand), Int(node.b), Int(node.c), at: origins[id])
    }
    let a = fields.a == .node ? operand(node.a) : Int(node.a)
    let b = fields.b == .node ? operand(node.b) : Int(node.b)
    let c = fields.c == .node ? operand(node.c) : Int(node.c)
    if a == Int(node.a), b == Int(node.b), c == Int(node.c) { return id }
    return add(node.kind, a, b, c, at: origins[id])
  }

  /// A node and all nodes below it, each once, the first operands first.
  package func nodes(below root: ID) -> [ID] {
    var found: [ID] = []
    var seen: Set<ID> = []
    var open = [root]
    while let id = open.popLast() {
      guard seen.insert(id).inserted else { continue }
      found.append(id)
      open += operands(of: id).reversed()
    }
    return found
  }

  /// The slots that a node and the nodes below it read, each once.
  package func slots(below root: ID) -> [Int] {
    var slots: [Int] = []
    for id in nodes(below: root) where self[id].kind.fields.a == .slot {
      let slot = Int(self[id].a)
      if !slots.contains(slot) { slots.append(slot) }
    }
    return slots
  }

  /// The place of a node in one source.
  func range(of node: ID, in source: Int) -> SourceRange? {
    guard node < origins.count else { return nil }
    if Int(origins[node].source) == source { return origins[node].range }
    if let more = moreOrigins.first(where: { $0.node == node && Int($0.origin.source) == source }) {
      return more.origin.range
    }
    for replacement in replacements where replacement.new == node && replacement.old != node {
      if let range = range(of: replacement.old, in: source) { return range }
    }
    return nil
  }

  /// Records that a node now replaces another, which was built before it.
  mutating func replaced(_ old: ID, by new: ID) {
    if new > old { replacements.append((new, old)) }
  }
}
