internal import Expressions
internal import RuleEngine

/// The uses of attributes by rules, by slot. The uses suggest the types that rules are written for.
struct AttributeUses {
  /// A use of an attribute. The use that reveals most about the attribute's type is the first.
  enum Use: Int, CaseIterable, Comparable {
    case loop, textFunction, concatenation, textOrder, arithmetic, numberOrder, textEquality
    case numberEquality, boolean, membership, size, truth, time
    /// `double()`, which takes strings too, and `string()`, which takes almost anything.
    case toDouble, toText

    static func < (a: Use, b: Use) -> Bool { a.rawValue < b.rawValue }
  }

  private(set) var uses: [Int: Set<Use>] = [:]
  /// The uses of the elements of attributes that are lists.
  private(set) var elements: [Int: Set<Use>] = [:]
  /// Attributes that rules compare with doubles, or that they combine with doubles in calculations.
  private(set) var doubles: Set<Int> = []
  /// Attributes that must be whole numbers, because CEL combines them with an integer in a calculation.
  private(set) var integers: Set<Int> = []
  /// For each attribute, the attributes that rules compare it with.
  private(set) var partners: [Int: [Int]] = [:]
  /// The loop variable that is read as an element, and the list.
  private var element: (level: Int, slot: Int)?

  /// An attribute, or an element of an attribute, that a part of a rule reads.
  private enum Subject {
    case slot(Int)
    case element(Int)

    var slot: Int? { if case .slot(let slot) = self { slot } else { nil } }
  }

  init(_ ruleSet: RuleSet) {
    let storage = ruleSet.program.storage
    var seen: Set<Int> = []
    for root in storage.rootNodes {
      if let slot = Self.slot(root, storage.graph) { add(.truth, .slot(slot)) }
      for id in storage.graph.nodes(below: root) where seen.insert(id).inserted {
        read(id, storage.graph)
      }
    }
  }

  private mutating func add(_ use: Use, _ subject: Subject?) {
    switch subject {
    case .slot(let slot)?: uses[slot, default: []].insert(use)
    case .element(let slot)?: elements[slot, default: []].insert(use)
    case nil: break
    }
  }

  private func subject(_ id: Int, _ graph: borrowing ConditionGraph) -> Subject? {
    if let element, graph[id].kind == .local, Int(graph[id].a) == element.level {
      return .element(element.slot)
    }
    // Other attributes in a loop are read with the rest of the rule.
    return element == nil ? Self.slot(id, graph).map { .slot($0) } : nil
  }

  /// The attribute that a part of a rule reads. Some versions of SDKs convert strings to numbers where rules read them.
  private static func slot(_ id: Int, _ graph: borrowing ConditionGraph) -> Int? {
    switch graph[id].kind {
    case .call where graph.function(id) == .readNumbers: graph.carried(graph.operands(of: id)[0])
    case .orElse, .rescue: graph.carried(id) ?? slot(Int(graph[id].a), graph)
    default: graph.carried(id)
    }
  }

  private mutating func read(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) {
    let operands = graph.operands(of: id)
    switch graph[id].kind {
    case .equal: compare(operands[0], operands[1], isOrder: false, graph)
    case .compare, .less, .lessOrEqual: compare(operands[0], operands[1], isOrder: true, graph)
    case .equalEither:
      for place in [graph[id].b, graph[id].c] {
        add(equalityWith: graph.constants.cells[Int(place)], subject(operands[0], graph))
      }
    case .in: member(operands[0], of: operands[1], graph)
    case .testCall:
      if graph.function(id) == .isWithin {
        member(operands[0], of: operands[1], graph)
      } else {
        add(.textFunction, subject(operands[0], graph))
      }
    case .call: call(graph.function(id), operands, graph)
    case .arithmetic, .add, .subtract, .multiply, .divide, .modulo:
      arithmetic(operands[0], operands[1], in: graph[id].kind, graph)
      arithmetic(operands[1], operands[0], in: graph[id].kind, graph)
    case .negate: add(.arithmetic, subject(operands[0], graph))
    case .index:
      if graph.constant(operands[1])?.isText != true {
        add(.membership, subject(operands[0], graph))
      }
    case .loop: loop(id, operands, graph)
    case .truthy, .not, .and, .or, .both, .firstTruthy, .conditional:
      for operand in graph[id].kind == .conditional ? Array(operands.prefix(1)) : operands {
        add(.truth, subject(operand, graph))
      }
    default: break
    }
  }

  private mutating func loop(
    _ id: ConditionGraph.ID, _ operands: [Int], _ graph: borrowing ConditionGraph
  ) {
    guard element == nil, let slot = Self.slot(operands[0], graph) else { return }
    add(.loop, .slot(slot))
    guard graph[id].b & ConditionGraph.LoopKind.twoVariables == 0 else { return }
    element = (Int(graph[id].c), slot)
    for body in operands.dropFirst() {
      if let subject = subject(body, graph) { add(.truth, subject) }
      for part in graph.nodes(below: body) { read(part, graph) }
    }
    element = nil
  }

  private mutating func compare(
    _ a: Int, _ b: Int, isOrder: Bool, _ graph: borrowing ConditionGraph
  ) {
    let (left, right) = (subject(a, graph), subject(b, graph))
    if let left = left?.slot, let right = right?.slot {
      partners[left, default: []].append(right)
      if left != right { partners[right, default: []].append(left) }
      return
    }
    guard let subject = left ?? right else { return }
    guard let constant = graph.constant(left == nil ? a : b) else {
      if isNumeric(left == nil ? a : b, graph) { add(.numberOrder, subject) }
      return
    }
    if constant.isText {
      add(isOrder ? .textOrder : .textEquality, subject)
    } else if Tag.int...Tag.double ~= constant.tag {
      if constant.tag == Tag.double { note(double: subject) }
      add(isOrder ? .numberOrder : .numberEquality, subject)
    } else if constant.tag == Tag.bool {
      add(.boolean, subject)
    } else if constant.tag == Tag.list {
      add(.membership, subject)
    }
  }

  private mutating func note(double subject: Subject) {
    if let slot = subject.slot { doubles.insert(slot) }
  }

  /// Whether a part of a rule can only be a string.
  private func isText(_ id: Int, _ graph: borrowing ConditionGraph) -> Bool {
    if let constant = graph.constant(id) { return constant.isText }
    guard graph[id].kind == .arithmetic || graph[id].kind == .add else { return false }
    return graph.operands(of: id).contains { isText($0, graph) }
  }

  /// Whether a part of a rule can only be a number.
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
    if let subject = subject(a, graph), let collection = graph.constant(b) {
      let elements =
        collection.tag == Tag.list
        ? Array(collection.elements)
        : collection.tag == Tag.map
          ? stride(from: 0, to: collection.entries.count, by: 2).map { collection.entries[$0] }
          : [collection]
      for element in elements { add(equalityWith: element, subject) }
    } else if let list = subject(b, graph) {
      add(.membership, list)
      if case .slot(let slot) = list, let constant = graph.constant(a) {
        add(equalityWith: constant, .element(slot))
      }
    }
  }

  private mutating func add(equalityWith constant: Cell, _ subject: Subject?) {
    if constant.isText { add(.textEquality, subject) }
    if Tag.int...Tag.double ~= constant.tag { add(.numberEquality, subject) }
    if constant.tag == Tag.bool { add(.boolean, subject) }
  }

  private mutating func call(
    _ function: Function?, _ operands: [Int], _ graph: borrowing ConditionGraph
  ) {
    guard let function, let first = operands.first, let subject = subject(first, graph) else {
      return
    }
    switch function {
    case .toInt, .toIntTruncating:
      add(.textFunction, subject)
      add(.numberEquality, subject)
    case .toDouble, .toDoubleParsing: add(.toDouble, subject)
    case .toText, .toPlainText, .intToText: add(.toText, subject)
    case .boolToText: add(.boolean, subject)
    case .contains, .startsWith, .endsWith, .matches, .lowerAscii, .upperAscii, .trim, .substring,
      .charAt, .indexOf, .lastIndexOf,
      .replace, .split, .requireText, .version, .regexReplace, .regexExtract, .regexExtractAll:
      add(.textFunction, subject)
    case .textToTimestamp, .toTimestamp, .date: add(.time, subject)
    case .size, .byteSize: add(.size, subject)
    case .indexOrNull, .join, .slice, .sort, .distinct, .requireList, .setContains, .setIntersects,
      .setEquivalent:
      add(.membership, subject)
    case .negateWrapping, .sameNumber, .abs, .sign: add(.arithmetic, subject)
    case .ceil, .floor, .round, .trunc:
      note(double: subject)
      add(.arithmetic, subject)
    default: break
    }
  }

  private mutating func arithmetic(
    _ a: Int, _ b: Int, in operation: ConditionGraph.Kind, _ graph: borrowing ConditionGraph
  ) {
    guard let subject = subject(a, graph) else { return }
    if isText(b, graph) { return add(.concatenation, subject) }
    let constant = graph.constant(b)
    if constant?.tag == Tag.double {
      note(double: subject)
      return add(.numberOrder, subject)
    }
    add(.arithmetic, subject)
    let isOfCEL = operation != .arithmetic
    if isOfCEL, constant?.tag == Tag.int || operation == .modulo, let slot = subject.slot {
      integers.insert(slot)
    }
  }
}
