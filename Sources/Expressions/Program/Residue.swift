extension Program {
  /// The source of an entry after constant folding and specialization.
  ///
  /// The source can be compiled again, unless it contains `error("...")`, which marks parts that always fail. The
  /// variables of macros are named `x`, `y` and so on. For superscript, the source is only for display, because
  /// superscript treats literals differently from other values.
  public func residue(of entry: Entry) -> String {
    var writer = GraphWriter(storage)
    return writer.text(storage.rootNodes[entry.source], tighterThan: 0)
  }
}

/// Writes nodes of a graph as an expression.
struct GraphWriter {
  let storage: Program.Storage

  init(_ storage: Program.Storage) { self.storage = storage }

  /// The operator that a node is written with, or nil.
  private static func `operator`(_ node: ConditionGraph.Node) -> SyntaxTree.Kind? {
    switch node.kind {
    case .conditional: .conditional
    case .or, .firstTruthy: .or
    case .and, .both: .and
    case .not: .not
    case .negate: .negate
    case .equal, .equalEither: .equal
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .in: .in
    case .compare: [.less, .lessOrEqual, .greater, .greaterOrEqual][Int(node.c) % 4]
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .modulo: .modulo
    case .arithmetic: [.add, .subtract, .multiply, .divide, .modulo][Int(node.c) % 5]
    case .constant, .slot, .present, .holds, .clause, .select, .hasField, .index, .list, .map,
      .optionalElement, .call, .local, .bind, .loop, .raise, .rescue, .orElse, .slotOrNull,
      .sequence, .isThere, .truthy, .testCall, .whenThere, .member, .mapKeepingLast, .filter,
      .relation, .affirms, .text, .output, .statements, .choose, .assign, .capture, .items, .cell,
      .template, .leave:
      nil
    }
  }

  mutating func text(_ id: Int, tighterThan outer: Int) -> String {
    let (content, precedence) = content(id)
    return precedence <= outer ? "(\(content))" : content
  }

  private mutating func content(_ id: Int) -> (String, precedence: Int) {
    let node = storage.graph[id]
    let (symbol, own) = GraphWriter.operator(node).map(Printer.notation) ?? ("", 8)
    let (a, b) = (Int(node.a), Int(node.b))
    switch node.kind {
    case .constant: return constant(storage.graph.constants.cells[a])
    case .slot: return (path(a), own)
    case .slotOrNull: return (indexed(a), own)
    case .present: return ("has(\(path(a)))", own)
    case .isThere: return ("has(\(text(a, tighterThan: 0)))", own)
    case .local: return (GraphWriter.variable(node.a), own)
    case .not: return negation(a)
    // An error inside a filter counts as false, for which expressions have no syntax.
    case .holds, .clause: return (text(a, tighterThan: 0), own)
    case .orElse, .whenThere: return (text(a, tighterThan: 0), superscriptPrecedence(a))
    case .rescue: return rescue(node)
    case .raise:
      let kind = EvaluationError.Kind(rawValue: UInt8(truncatingIfNeeded: node.a))
      return ("error(\"\(kind?.slug ?? "error")\")", own)
    case .truthy: return ("!!" + text(a, tighterThan: 7), 7)
    case .negate: return ("-(\(text(a, tighterThan: 0)))", own)
    case .and, .or, .both, .firstTruthy:
      let operands = storage.graph.list(node.a).map { text(Int($0), tighterThan: own) }
      return (operands.joined(separator: " \(symbol) "), own)
    case .conditional:
      let choice = "\(condition(a, own)) ? \(text(b, tighterThan: own))"
      return (choice + " : \(text(Int(node.c), tighterThan: own - 1))", own)
    case .less where storage.graph.constant(a) != nil: return (binary(">", b, a, own), own)
    case .lessOrEqual where storage.graph.constant(a) != nil: return (binary(">=", b, a, own), own)
    case .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .compare,
      .arithmetic:
      return (binary(symbol, a, b, own), own)
    case .equalEither:
      let value = GraphWriter.text(of: storage.graph.constants.cells[b])
      return ("\(text(a, tighterThan: own)) == \(value)", own)
    case .testCall: return testCall(id, node)
    case .select, .member: return (text(a, tighterThan: 7) + selection(b), own)
    case .hasField: return ("has(\(text(a, tighterThan: 7))\(selection(b)))", own)
    case .index:
      return ("\(text(a, tighterThan: 7))[\(text(b, tighterThan: 0))]", own)
    case .list: return ("[\(list(node.a).joined(separator: ", "))]", own)
    case .sequence:
      let parts = list(node.a)
      return ("[\(parts.joined(separator: ", "))][\(parts.count - 1)]", own)
    case .map, .mapKeepingLast: return (map(list(node.a)), own)
    case .optionalElement: return ("?\(text(a, tighterThan: 0))", own)
    case .bind: return (bindings(id), own)
    case .call: return (call(id, node), own)
    case .loop: return (loop(node), own)
    case .filter, .relation, .affirms, .text, .output, .statements, .choose, .assign, .capture,
      .items, .leave, .template, .cell:
      // Templates have their own language.
      return ("null", own)
    }
  }

  mutating func binary(_ symbol: String, _ a: Int, _ b: Int, _ own: Int) -> String {
    // Comparisons of superscript cannot be chained.
    let chains = own != 4 || storage.environment.dialect == .cel
    let left = text(a, tighterThan: chains ? own - 1 : own)
    return "\(left) \(symbol) \(text(b, tighterThan: own))"
  }

  mutating func list(_ at: UInt32) -> [String] {
    storage.graph.list(at).map { text(Int($0), tighterThan: 0) }
  }

  private mutating func negation(_ a: Int) -> (String, precedence: Int) {
    let inner = storage.graph[a]
    if let written = superscriptNegation(a, inner) { return written }
    guard inner.kind == .equal else {
      // The grammar does not allow '-' directly after '!'.
      return ("!" + text(a, tighterThan: inner.kind == .negate ? 7 : 6), 7)
    }
    return (binary("!=", Int(inner.a), Int(inner.b), 4), 4)
  }

  // MARK: Names

  func path(_ slot: Int) -> String {
    let content = storage.graph.slots.content(slot)
    guard case .attribute(let path) = content else { return content.description }
    let names = path.names
    return names[0] + names.dropFirst().map { GraphWriter.selection($0) }.joined()
  }

  func selection(_ constant: Int) -> String {
    GraphWriter.selection(storage.graph.constants.cells[constant].text)
  }

  /// A name after a dot, or in brackets if it is invalid in back quotes.
  static func selection(_ name: String) -> String {
    let canBeQuoted = name.utf8.allSatisfy(Lexer.isQuotedNameByte)
    if canBeQuoted, !name.isEmpty { return "." + Printer.field(name) }
    return "[\(Printer.quoted(Array(name.utf8)[...], isBytes: false))]"
  }

  static func variable(_ level: UInt32) -> String {
    level < 3 ? ["x", "y", "z"][Int(level)] : "x\(level)"
  }

  // MARK: Calls

  private mutating func call(_ id: Int, _ node: ConditionGraph.Node) -> String {
    let operands = storage.graph.list(node.a).map { Int($0) }
    guard let function = storage.graph.function(id) else { return "null" }
    if let text = superscriptCall(function, operands) { return text }
    switch function {
    case .optionalSelect, .optionalIndex:
      return "\(text(operands[0], tighterThan: 7))[?\(text(operands[1], tighterThan: 0))]"
    case .sortByKeys:
      let keys = storage.graph[operands[1]]
      let body = storage.graph.list(keys.a).last.map { text(Int($0), tighterThan: 0) } ?? "null"
      let list = text(operands[0], tighterThan: 7)
      return "\(list).sortBy(\(GraphWriter.variable(keys.c)), \(body))"
    case .custom:
      let number = storage.graph.constant(operands[0]).map { Int($0.intValue) } ?? 0
      let custom = storage.environment.functions[number]
      return custom.call(
        operands.dropFirst().enumerated().map {
          text($1, tighterThan: custom.isMethod && $0 == 0 ? 7 : 0)
        })
    default: break
    }
    guard let (name, isMethod) = function.notation,
      function.entry.counts.contains(operands.count)
    else {
      let name = function.entry.signatures.first?.name ?? ""
      return "\(name)(\(list(node.a).joined(separator: ", ")))"
    }
    guard isMethod, let target = operands.first else {
      return "\(name)(\(list(node.a).joined(separator: ", ")))"
    }
    let arguments = operands.dropFirst().map { text($0, tighterThan: 0) }
    return "\(text(target, tighterThan: 7)).\(name)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func loop(_ node: ConditionGraph.Node) -> String {
    let parts = storage.graph.list(node.a).map { Int($0) }
    let target = text(parts[0], tighterThan: 7)
    let two = Lowering.hasTwoVariables(node)
    var arguments = [GraphWriter.variable(node.c)]
    if two { arguments.append(GraphWriter.variable(node.c + 1)) }
    let name: String
    switch Lowering.loopKind(node) {
    case .all: name = "all"
    case .exists: name = "exists"
    case .existsOne: name = "exists_one"
    case .map: name = two ? "transformList" : "map"
    case .transformMap: name = "transformMap"
    case .transformMapEntry: name = "transformMapEntry"
    }
    for (i, part) in parts.dropFirst().enumerated() {
      // The filter of a loop that builds a list or a map is left out if it is true.
      let isFilter = parts.count == 3 && i == 0
      if isFilter, storage.graph.constant(part) == .true { continue }
      arguments.append(text(part, tighterThan: 0))
    }
    return "\(target).\(name)(\(arguments.joined(separator: ", ")))"
  }

  // MARK: Constants

  private func constant(_ cell: Cell) -> (String, precedence: Int) {
    let text = GraphWriter.text(of: cell)
    let isSigned = text.hasPrefix("-")
    return (text, isSigned ? 7 : 8)
  }

  func map(_ parts: [String]) -> String {
    let entries = stride(from: 0, to: parts.count - 1, by: 2).map {
      "\(parts[$0]): \(parts[$0 + 1])"
    }
    return "{\(entries.joined(separator: ", "))}"
  }

  static func text(of cell: Cell) -> String {
    switch cell.tag {
    case Tag.null: return "null"
    case Tag.bool: return cell.boolValue ? "true" : "false"
    case Tag.int: return String(cell.intValue)
    case Tag.uint: return "\(cell.uintValue)u"
    case Tag.double: return double(cell.doubleValue)
    case Tag.longText, Tag.shortText...: return quoted(cell, isBytes: false)
    case Tag.bytes: return "b" + quoted(cell, isBytes: true)
    case Tag.list: return "[\(cell.elements.map { text(of: $0) }.joined(separator: ", "))]"
    case Tag.map:
      let parts = cell.entries.map { text(of: $0) }
      let entries = stride(from: 0, to: parts.count, by: 2).map { "\(parts[$0]): \(parts[$0 + 1])" }
      return "{\(entries.joined(separator: ", "))}"
    case Tag.optional:
      return cell.elements.first.map { "optional.of(\(text(of: $0)))" } ?? "optional.none()"
    case Tag.type: return TypeName(rawValue: UInt8(truncatingIfNeeded: cell.high))?.name ?? "dyn"
    case Tag.timestamp: return "timestamp(\(converted(cell)))"
    case Tag.duration: return "duration(\(converted(cell)))"
    case Tag.ip: return "ip(\(converted(cell)))"
    case Tag.cidr: return "cidr(\(converted(cell)))"
    case Tag.version: return "version(\(converted(cell)))"
    case Tag.notAMap: return "error(\"not a map\")"
    default: return "error(\"no such attribute\")"
    }
  }

  private static func quoted(_ cell: Cell, isBytes: Bool) -> String {
    // SAFETY: The bytes of the constant are copied inside the closure. Tests: ReferenceTests,
    // SpecializingTests.
    withUnsafePointer(to: cell) { Printer.quoted(Array($0.textBytes)[...], isBytes: isBytes) }
  }

  private static func converted(_ cell: Cell) -> String {
    // SAFETY: The view of the local cell stays in the closure, and the result is copied before the
    // arena ends. Tests: ReferenceTests, SpecializingTests.
    var arena = Arena(limit: 4_096)
    let text = withUnsafePointer(to: cell) { Conversions.text($0, &arena) }
    return quoted(text, isBytes: false)
  }

  /// A double as an expression. Doubles that have no literal are converted from their names.
  private static func double(_ value: Double) -> String {
    if value.isNaN { return "double(\"NaN\")" }
    if value.isInfinite { return value < 0 ? "double(\"-Infinity\")" : "double(\"Infinity\")" }
    return Printer.double(value)
  }
}
