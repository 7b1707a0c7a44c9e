internal import Expressions
internal import Regex

/// The demands of atoms on an attribute's value: the constants that the value is compared with, and
/// the kinds of comparison. Values that agree in all demands are equivalent for the atoms.
struct AttributeDemands {
  /// Numbers that values are compared with.
  var numbers: [Cell] = []
  /// Strings that values are compared with, or that they may begin with.
  var texts: [[UInt8]] = []
  /// Whether ``texts`` are compared by order, and not only for equality.
  var asksOrder = false
  var parts: [[UInt8]] = []
  var endings: [[UInt8]] = []
  /// Constants that lists and maps may contain.
  var members: [Cell] = []
  /// Numbers that sizes are compared with.
  var sizes: [Cell] = []
  /// Whether the size of a string is its number of bytes.
  var countsBytes = false
  /// Whether the contents of a list or map matter.
  var looksInside = false
  /// Whether the attribute is compared with true or false, or is used as a condition.
  var asksBool = false
  /// Whether the attribute is compared with null.
  var asksNull = false
  /// Fixed values that count as constants, by slot.
  var known: [Int: Cell] = [:]
  var patterns: [RegexAutomaton] = []

  /// The kinds of demands.
  struct Aspects: OptionSet {
    let rawValue: UInt8
    /// Equality of strings.
    static let texts = Self(rawValue: 1)
    /// Order of strings, and their prefixes.
    static let order = Self(rawValue: 2)
    /// Substrings and suffixes.
    static let parts = Self(rawValue: 4)
    static let sizes = Self(rawValue: 8)
    static let patterns = Self(rawValue: 16)
    /// Contents of lists and maps.
    static let members = Self(rawValue: 32)
    /// All demands of any kind.
    static let all = Self(rawValue: 255)
  }

  var aspects: Aspects {
    var aspects: Aspects = []
    if !texts.isEmpty { aspects.formUnion(.texts) }
    if asksOrder { aspects.formUnion(.order) }
    if !parts.isEmpty || !endings.isEmpty { aspects.formUnion(.parts) }
    if !sizes.isEmpty { aspects.formUnion(.sizes) }
    if !patterns.isEmpty { aspects.formUnion(.patterns) }
    if !members.isEmpty { aspects.formUnion(.members) }
    return aspects
  }

  /// Removes the demands of these kinds on strings.
  mutating func leaveOut(_ kinds: Aspects) {
    if kinds.contains(.patterns) { patterns = [] }
    if kinds.contains(.parts) { (parts, endings) = ([], []) }
    if kinds.contains(.sizes) { sizes = [] }
    if kinds.contains(.order) { asksOrder = false }
  }

  /// Adds the demands of many atoms, in time linear in their number.
  mutating func add(_ others: [AttributeDemands]) {
    func merge<Element: Hashable>(_ lists: [[Element]]) -> [Element] {
      var known: Set<Element> = []
      return lists.joined().filter { known.insert($0).inserted }
    }
    let all = [self] + others
    numbers = merge(all.map { $0.numbers })
    texts = merge(all.map { $0.texts })
    parts = merge(all.map { $0.parts })
    endings = merge(all.map { $0.endings })
    members = merge(all.map { $0.members })
    sizes = merge(all.map { $0.sizes })
    var known: Set<[UInt8]> = []
    patterns = all.flatMap { $0.patterns }.filter { known.insert($0.text).inserted }
    for other in others {
      asksOrder = asksOrder || other.asksOrder
      countsBytes = countsBytes || other.countsBytes
      looksInside = looksInside || other.looksInside
      asksBool = asksBool || other.asksBool
      asksNull = asksNull || other.asksNull
    }
  }

  // MARK: Atoms

  /// Adds the demands of an atom.
  ///
  /// - Parameter automaton: returns a pattern's automaton; nil if there is none.
  /// - Returns: false for an atom of an unknown kind, which is opaque.
  mutating func take(
    _ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph,
    _ automaton: ([UInt8]) -> RegexAutomaton?
  ) -> Bool {
    let node = graph[id]
    let (a, b) = (Int(node.a), Int(node.b))
    if graph.carried(id) != nil {
      // A string that is used as a condition is true unless it is empty.
      texts.append([])
      asksBool = true
      return true
    }
    switch node.kind {
    case .present: return true
    case .isThere: return graph.carried(a) != nil
    case .whenThere:
      let relation = graph[a].kind == .not ? Int(graph[a].a) : a
      return take(relation, graph, automaton)
    case .equal, .less, .lessOrEqual, .compare:
      return takeComparison(a, b, isOrder: node.kind != .equal, graph)
    case .equalEither:
      guard graph.carried(a) != nil else { return false }
      return [node.b, node.c].allSatisfy { takeEqual(graph.constants.cells[Int($0)]) }
    case .in: return takeMembership(a, b, graph)
    case .testCall:
      let operands = graph.operands(of: id)
      return graph.function(id) == .isWithin
        ? takeMembership(operands[0], operands[1], graph)
        : takeContains(operands[0], operands[1], graph)
    case .call:
      let operands = graph.operands(of: id)
      if graph.function(id) == .matches {
        guard operands.count == 2, graph.carried(operands[0]) != nil,
          let pattern = graph.constant(operands[1]), pattern.isText,
          let found = automaton(Array(pattern.text.utf8))
        else { return false }
        patterns.append(found)
        return true
      }
      return takeCall(graph.function(id), operands, graph)
    default: return false
    }
  }

  private mutating func takeComparison(
    _ a: Int, _ b: Int, isOrder: Bool, _ graph: borrowing ConditionGraph
  ) -> Bool {
    let (value, other) = constant(a, graph) == nil ? (a, b) : (b, a)
    guard let constant = constant(other, graph), self.constant(value, graph) == nil else {
      return false
    }
    if graph.carried(value) != nil {
      if isOrder, constant.isText { asksOrder = true }
      return takeEqual(constant)
    }
    guard graph.measured(value) != nil, constant.isSmallNumber else { return false }
    sizes.append(constant)
    countsBytes = graph.function(value) == .byteSize
    return true
  }

  private func constant(_ id: ConditionGraph.ID, _ graph: borrowing ConditionGraph) -> Cell? {
    graph.constant(id) ?? (known.isEmpty ? nil : graph.carried(id).flatMap { known[$0] })
  }

  /// Adds the demands of equality with a constant. The demands include the order, except for strings.
  private mutating func takeEqual(_ constant: Cell) -> Bool {
    switch constant.tag {
    case Tag.null: asksNull = true
    case Tag.bool: asksBool = true
    case Tag.int, Tag.uint: numbers.append(constant)
    case Tag.double:
      guard constant.doubleValue.isFinite else { return false }
      numbers.append(constant)
    case Tag.longText, Tag.shortText...: texts.append(Array(constant.text.utf8))
    default: return false
    }
    return true
  }

  /// Adds the demands of `a in b`.
  private mutating func takeMembership(_ a: Int, _ b: Int, _ graph: borrowing ConditionGraph)
    -> Bool
  {
    if graph.carried(a) != nil, let collection = graph.constant(b) {
      if collection.tag == Tag.list {
        return collection.elements.allSatisfy { takeEqual($0) }
      }
      return collection.isText && takeParts(of: Array(collection.text.utf8))
    }
    guard let element = graph.constant(a), graph.carried(b) != nil else { return false }
    looksInside = true
    return takeMember(element)
  }

  /// Adds the substrings of a short constant, which are a finite set.
  private mutating func takeParts(of text: [UInt8]) -> Bool {
    guard text.count <= 12 else { return false }
    for from in text.indices {
      for to in from + 1...text.count {
        let part = Array(text[from..<to])
        if String(validating: part, as: UTF8.self) != nil { texts.append(part) }
      }
    }
    texts.append([])
    return true
  }

  /// Adds the demands of superscript's `a.contains(b)`.
  private mutating func takeContains(_ a: Int, _ b: Int, _ graph: borrowing ConditionGraph)
    -> Bool
  {
    if graph.carried(a) != nil, let element = graph.constant(b) { return takeMember(element) }
    return takeMembership(b, a, graph)
  }

  private mutating func takeMember(_ element: Cell) -> Bool {
    switch element.tag {
    case Tag.bool: break
    case Tag.longText, Tag.shortText...: parts.append(Array(element.text.utf8))
    default: guard element.isSmallNumber else { return false }
    }
    members.append(element)
    return true
  }

  private mutating func takeCall(
    _ function: Function?, _ operands: [Int], _ graph: borrowing ConditionGraph
  ) -> Bool {
    if function == .superscriptTruth {
      texts.append([])
      return graph.carried(operands[0]) != nil
    }
    guard operands.count == 2, graph.carried(operands[0]) != nil,
      let constant = graph.constant(operands[1]), constant.isText
    else { return false }
    let text = Array(constant.text.utf8)
    switch function {
    case .contains: parts.append(text)
    case .startsWith:
      texts.append(text)
      asksOrder = true
    case .endsWith: endings.append(text)
    default: return false
    }
    return true
  }
}

extension Cell {
  /// Whether the cell is a number that every numeric type represents exactly.
  var isSmallNumber: Bool {
    switch tag {
    case Tag.int: (-1 << 52...1 << 52).contains(intValue)
    case Tag.uint: uintValue < 1 << 52
    case Tag.double: doubleValue.magnitude < Double(1 << 52)
    default: false
    }
  }
}

extension ConditionGraph {
  /// The slot whose value a node has, or a replacement constant if it is missing.
  func carried(_ id: ID) -> Int? {
    let node = self[id]
    switch node.kind {
    case .slot, .slotOrNull: return Int(node.a)
    case .orElse, .rescue:
      guard constant(Int(node.b)) != nil || self[Int(node.b)].kind == .raise || node.a == node.b
      else { return nil }
      return carried(Int(node.a))
    default: return nil
    }
  }

  /// The slot of the value whose size a node computes.
  func measured(_ id: ID) -> Int? {
    guard self[id].kind == .call, let function = function(id),
      function == .size || function == .byteSize, let operand = operands(of: id).first
    else { return nil }
    return carried(operand)
  }
}
