internal import Expressions
internal import RuleEngine

/// Finds out what the columns of a table hold, from what rules do with attributes.
///
/// A column has one type. Where rules treat an attribute in several ways, the one that says most about its
/// type counts, and the others are translated for that type.
struct SQLColumnReading {
  /// The uses of an attribute by a rule. The one that says most about its type is the first.
  private enum Use: Int, Comparable {
    case loop, textFunction, concatenation, textOrder, arithmetic, numberOrder, textEquality
    case numberEquality, boolean, membership, size, truth, time

    static func < (a: Use, b: Use) -> Bool { a.rawValue < b.rawValue }

    var kind: SQLColumnKind {
      switch self {
      case .loop, .membership: .list
      case .textFunction, .concatenation, .textOrder, .textEquality, .size: .text
      case .arithmetic: .integer
      case .numberOrder, .numberEquality: .number
      case .boolean, .truth: .bool
      case .time: .time
      }
    }
  }

  private var uses: [Int: Set<Use>] = [:]
  /// Attributes that rules compare with doubles, or compute with them.
  private var doubles: Set<Int> = []
  /// Attributes that rules compare with each other.
  private var pairs: [(Int, Int)] = []
  private let schema: ContextSchema

  init(_ ruleSet: RuleSet, schema: ContextSchema) {
    self.schema = schema
    let storage = ruleSet.program.storage
    var seen: Set<Int> = []
    for root in storage.rootNodes {
      if let slot = storage.graph.carried(root) { add(.truth, slot) }
      for id in storage.graph.nodes(below: root) where seen.insert(id).inserted {
        read(id, storage.graph)
      }
    }
  }

  /// Attributes from which days are derived.
  private static let minutes = ["minutesSinceInstall", "minutesSinceLastPaywallView"]

  /// The kind of values of a column.
  func kind(of slot: Int, _ path: AttributePath) -> SQLColumnKind {
    if let known = known(path) {
      if known == .text, uses[slot] == [.time] { return .time }
      if Self.minutes.contains(path.names[1]) { return .integer }
      guard known == .number, let own = ownKind(slot) else { return known }
      return own == .integer || own == .double ? own : known
    }
    if let own = ownKind(slot) { return own }
    for (a, b) in pairs where a == slot || b == slot {
      let other = a == slot ? b : a
      if let kind = ownKind(other) { return kind == .integer ? .number : kind }
    }
    return pairs.contains { $0.0 == slot || $0.1 == slot } ? .number : .any
  }

  private func ownKind(_ slot: Int) -> SQLColumnKind? {
    guard let kind = uses[slot]?.min()?.kind else { return nil }
    return kind == .integer && doubles.contains(slot) ? .double : kind
  }

  /// The kind of an attribute that the SDKs send.
  private func known(_ path: AttributePath) -> SQLColumnKind? {
    guard path.names.first == "device", let attribute = schema.attribute(path.names) else {
      return nil
    }
    return switch attribute.kind {
    case .bool: .bool
    case .number: .number
    case .text: .text
    case .list(.text): .list
    case .any, .null, .time, .span, .map, .list: nil
    }
  }

  private mutating func add(_ use: Use, _ slot: Int) { uses[slot, default: []].insert(use) }

  private mutating func read(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) {
    let operands = graph.operands(of: id)
    switch graph[id].kind {
    case .equal: compare(operands[0], operands[1], isOrder: false, graph)
    case .compare, .less, .lessOrEqual: compare(operands[0], operands[1], isOrder: true, graph)
    case .equalEither:
      if let slot = graph.carried(operands[0]) { add(.textEquality, slot) }
    case .in: member(operands[0], of: operands[1], graph)
    case .testCall:
      if graph.function(id) == .isWithin {
        member(operands[0], of: operands[1], graph)
      } else if let slot = graph.carried(operands[0]) {
        add(.textFunction, slot)
      }
    case .call: call(graph.function(id), operands, graph)
    case .arithmetic, .add, .subtract, .multiply, .divide, .modulo:
      arithmetic(operands[0], operands[1], graph)
      arithmetic(operands[1], operands[0], graph)
    case .negate:
      if let slot = graph.carried(operands[0]) { add(.arithmetic, slot) }
    case .loop:
      if let slot = graph.carried(operands[0]) { add(.loop, slot) }
    case .truthy, .not, .and, .or, .both, .firstTruthy, .conditional:
      for operand in graph[id].kind == .conditional ? Array(operands.prefix(1)) : operands {
        if let slot = graph.carried(operand) { add(.truth, slot) }
      }
    default: break
    }
  }

  private mutating func compare(
    _ a: Int, _ b: Int, isOrder: Bool, _ graph: borrowing ConditionGraph
  ) {
    let (left, right) = (graph.carried(a), graph.carried(b))
    if let left, let right { return pairs.append((left, right)) }
    guard let slot = left ?? right else { return }
    guard let constant = graph.constant(left == nil ? a : b) else {
      if isNumeric(left == nil ? a : b, graph) { add(.numberOrder, slot) }
      return
    }
    if constant.isText {
      add(isOrder ? .textOrder : .textEquality, slot)
    } else if Tag.int...Tag.double ~= constant.tag {
      if constant.tag == Tag.double { doubles.insert(slot) }
      add(isOrder ? .numberOrder : .numberEquality, slot)
    } else if constant.tag == Tag.bool {
      add(.boolean, slot)
    } else if constant.tag == Tag.list {
      add(.membership, slot)
    }
  }

  /// Whether a part can only be a string.
  private func isText(_ id: Int, _ graph: borrowing ConditionGraph) -> Bool {
    if let constant = graph.constant(id) { return constant.isText }
    guard graph[id].kind == .arithmetic || graph[id].kind == .add else { return false }
    return graph.operands(of: id).contains { isText($0, graph) }
  }

  /// Whether a part can only be a number.
  private func isNumeric(_ id: Int, _ graph: borrowing ConditionGraph) -> Bool {
    switch graph[id].kind {
    case .arithmetic: !isText(id, graph)
    case .call:
      switch graph.function(id) {
      case .size, .byteSize, .toInt, .toDouble, .toIntTruncating, .toDoubleParsing: true
      default: false
      }
    default: false
    }
  }

  private mutating func member(_ a: Int, of b: Int, _ graph: borrowing ConditionGraph) {
    if let slot = graph.carried(a), let collection = graph.constant(b) {
      let elements =
        collection.tag == Tag.list
        ? Array(collection.elements)
        : collection.tag == Tag.map
          ? stride(from: 0, to: collection.entries.count, by: 2).map { collection.entries[$0] }
          : [collection]
      for element in elements {
        if element.isText { add(.textEquality, slot) }
        if Tag.int...Tag.double ~= element.tag { add(.numberEquality, slot) }
        if element.tag == Tag.bool { add(.boolean, slot) }
      }
    } else if let slot = graph.carried(b) {
      add(.membership, slot)
    }
  }

  private mutating func call(
    _ function: Function?, _ operands: [Int], _ graph: borrowing ConditionGraph
  ) {
    guard let function, let first = operands.first, let slot = graph.carried(first) else { return }
    switch function {
    case .contains, .startsWith, .endsWith, .matches, .toIntTruncating, .toInt, .toDoubleParsing,
      .toDouble, .lowerAscii, .upperAscii, .trim, .substring:
      add(.textFunction, slot)
    case .textToTimestamp, .toTimestamp: add(.time, slot)
    case .size, .byteSize: add(.size, slot)
    case .indexOrNull: add(.membership, slot)
    case .negateWrapping, .sameNumber: add(.arithmetic, slot)
    default: break
    }
  }

  private mutating func arithmetic(_ a: Int, _ b: Int, _ graph: borrowing ConditionGraph) {
    guard let slot = graph.carried(a) else { return }
    if isText(b, graph) { return add(.concatenation, slot) }
    if let constant = graph.constant(b) {
      if constant.tag == Tag.double { doubles.insert(slot) }
      add(constant.tag == Tag.double ? .numberOrder : .arithmetic, slot)
    } else {
      add(.arithmetic, slot)
    }
  }
}
