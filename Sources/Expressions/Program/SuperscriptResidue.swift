/// Writes the nodes that superscript adds to the graph.
extension GraphWriter {
  /// The precedence of a node that is written in the form of another node.
  func superscriptPrecedence(_ id: Int) -> Int {
    let node = storage.graph[id]
    switch node.kind {
    case .orElse, .whenThere: return superscriptPrecedence(Int(node.a))
    case .not: return 4
    case .equal, .compare, .equalEither, .testCall, .in: return 4
    default: return 8
    }
  }

  mutating func rescue(_ node: ConditionGraph.Node) -> (String, precedence: Int) {
    let (a, b) = (Int(node.a), Int(node.b))
    let isMaybe = FaultSet(rawValue: node.c) == .recoverable && storage.graph[b].kind != .raise
    guard isMaybe else { return (text(a, tighterThan: 0), GraphWriter.loosest) }
    return ("true.maybe(\(text(a, tighterThan: 0)), \(text(b, tighterThan: 0)))", 8)
  }

  /// The precedence of a node that needs parentheses as an operand, but not as a whole expression.
  private static var loosest: Int { 1 }

  func indexed(_ slot: Int) -> String {
    guard let names = storage.graph.slots.attribute(slot)?.names else { return path(slot) }
    let owner = names[0] + names.dropFirst().dropLast().map { GraphWriter.selection($0) }.joined()
    return owner + "[\(Printer.quoted(Array(names[names.count - 1].utf8)[...], isBytes: false))]"
  }

  mutating func testCall(_ id: Int, _ node: ConditionGraph.Node)
    -> (String, precedence: Int)
  {
    let operands = storage.graph.list(node.a).map { Int($0) }
    if storage.graph.function(id) == .isWithin {
      return (binary("in", operands[0], operands[1], 4), 4)
    }
    let part = text(operands[1], tighterThan: 0)
    return ("\(text(operands[0], tighterThan: 7)).contains(\(part))", 8)
  }

  /// Writes the condition of a choice, which needs no conversion to a boolean.
  mutating func condition(_ id: Int, _ own: Int) -> String {
    let node = storage.graph[id]
    return text(node.kind == .truthy ? Int(node.a) : id, tighterThan: own)
  }

  /// Writes `!` before a superscript node, or returns nil.
  mutating func superscriptNegation(_ a: Int, _ inner: ConditionGraph.Node)
    -> (String, precedence: Int)?
  {
    switch inner.kind {
    case .truthy: return ("!" + text(Int(inner.a), tighterThan: 7), 7)
    case .equalEither:
      let value = GraphWriter.text(of: storage.graph.constants.cells[Int(inner.b)])
      return ("\(text(Int(inner.a), tighterThan: 4)) != \(value)", 4)
    default:
      guard storage.environment.dialect == .superscript, inner.kind != .equal else { return nil }
      return ("!" + text(a, tighterThan: 7), 7)
    }
  }

  /// Writes a call of a function that only superscript has, or returns nil.
  mutating func superscriptCall(_ function: Function, _ operands: [Int]) -> String? {
    switch function {
    case .requireText, .requireList, .requireKey, .superscriptTruth, .readNumbers:
      return text(operands[0], tighterThan: 7)
    case .indexOrNull:
      return "\(text(operands[0], tighterThan: 7))[\(text(operands[1], tighterThan: 0))]"
    case .negateWrapping: return "(-\(text(operands[0], tighterThan: 7)))"
    case .sameNumber: return "(--\(text(operands[0], tighterThan: 7)))"
    case .overlay: return "device"
    case .answerFor:
      let name = text(operands[0], tighterThan: 0).prefix { $0 != "(" }
      return "\(name)(\(text(operands[1], tighterThan: 0)))"
    default: break
    }
    let entry = function.entry
    guard entry.dialects == .superscript, let name = entry.name else { return nil }
    let arguments = operands.map { text($0, tighterThan: 0) }
    return "\(name)(\(arguments.joined(separator: ", ")))"
  }
}
