/// Turns a syntax tree into graph nodes: resolves names to attributes and functions, expands
/// macros, and reports what does not resolve. Recursion is bounded by the tree's height, which the
/// parser limits.
package struct Checker: ~Copyable {
  private(set) var tree = SyntaxTree()
  let environment: ExpressionEnvironment
  /// The functions that the host answers in the expression.
  var hostFunctions: HostFunctions
  /// The number of the source that is being checked: an expression of the program, or a clause of an explanation.
  private var source: UInt32 = 0
  package var graph = ConditionGraph()
  var diagnostics: [Diagnostic] = []
  /// Variables of macros around the current place, the innermost last.
  var scopes: [(name: String, level: Int)] = []
  /// The number of variables that macros need and that no expression can name.
  var hiddenLevels = 0
  /// The paths at which an expression keeps strings in the behavior `skip`.
  var keptPaths: [[UInt8]] = []
  /// Whether the expression calls `matches`, so that its patterns must be checked.
  var hasPatterns = false
  /// Whether lists of literals become constants immediately.
  var folds = true
  /// Operands of the nodes around the current place, until they become lists of the graph.
  var open: [UInt32] = []
  /// The names of the path that was read last, the root first.
  private var path: [SlotTable.NameRange] = []
  /// The number of names from the root that are joined by dots. Only names joined by dots can form one name.
  private var dotted = 0

  init(_ environment: ExpressionEnvironment) {
    self.environment = environment
    hostFunctions = environment.hostFunctions
  }

  /// Adds an expression to the graph, and its errors and warnings to ``diagnostics``.
  mutating func check(_ tree: SyntaxTree, source: UInt32) -> ConditionGraph.ID {
    self.tree = tree
    self.source = source
    diagnostics = []
    hasPatterns = false
    graph.reserve(tree.nodes.count + 4)
    return environment.dialect == .cel ? check(tree.root) : checkSuperscript(tree.root)
  }

  func origin(_ node: SyntaxTree.Node) -> ConditionGraph.Origin {
    ConditionGraph.Origin(source: source, from: node.from, to: node.to)
  }

  mutating func check(_ id: SyntaxTree.ID) -> ConditionGraph.ID {
    let node = tree[id]
    let origin = origin(node)
    switch node.kind {
    case .invalid, .null, .bool, .int, .uint, .double, .string, .bytes:
      let place = tree.withText { graph.constants.intern(Checker.literal(node, $0)) }
      return graph.add(.constant, place, at: origin)
    case .identifier, .select, .index, .optionalSelect, .optionalIndex:
      return selection(id, node)
    case .call: return call(node)
    case .list, .map: return collection(node)
    case .optionalElement:
      return graph.add(.optionalElement, check(Int(node.a)), at: origin)
    case .not: return graph.add(.not, check(Int(node.a)), at: origin)
    case .negate: return graph.add(.negate, check(Int(node.a)), at: origin)
    case .and: return list(.and, tree.list(node.c), 0, origin)
    case .or: return list(.or, tree.list(node.c), 0, origin)
    case .conditional:
      let (a, b, c) = (check(Int(node.a)), check(Int(node.b)), check(Int(node.c)))
      return graph.add(.conditional, a, b, c, at: origin)
    case .equal: return binary(.equal, node.a, node.b, origin)
    case .notEqual: return graph.add(.not, binary(.equal, node.a, node.b, origin), at: origin)
    case .less: return binary(.less, node.a, node.b, origin)
    case .lessOrEqual: return binary(.lessOrEqual, node.a, node.b, origin)
    case .greater: return binary(.less, node.b, node.a, origin)
    case .greaterOrEqual: return binary(.lessOrEqual, node.b, node.a, origin)
    case .in: return binary(.in, node.a, node.b, origin)
    case .add: return binary(.add, node.a, node.b, origin)
    case .subtract: return binary(.subtract, node.a, node.b, origin)
    case .multiply: return binary(.multiply, node.a, node.b, origin)
    case .divide: return binary(.divide, node.a, node.b, origin)
    case .modulo: return binary(.modulo, node.a, node.b, origin)
    case .message:
      return report(
        .notSupported, "this language has no message types", node, "use a map: {\"field\": value}")
    case .clause: return clause(node) { $0.check(Int(node.a)) }
    }
  }

  /// A clause of an explanation. Each clause is a source, because a node has only one place in a source, and several
  /// clauses may contain the same node.
  mutating func clause(
    _ node: SyntaxTree.Node, _ body: (inout Checker) -> ConditionGraph.ID
  ) -> ConditionGraph.ID {
    let whole = source
    source = node.b + 1
    defer { source = whole }
    let test = body(&self)
    return graph.add(.clause, test, Int(node.b), at: origin(node))
  }

  private mutating func binary(
    _ kind: ConditionGraph.Kind, _ a: UInt32, _ b: UInt32, _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    let left = check(Int(a))
    return graph.add(kind, left, check(Int(b)), at: origin)
  }

  /// A node with a list of operands.
  mutating func list(
    _ kind: ConditionGraph.Kind, _ ids: ArraySlice<UInt32>, _ b: Int,
    _ origin: ConditionGraph.Origin, target: SyntaxTree.ID? = nil, first: ConditionGraph.ID? = nil
  ) -> ConditionGraph.ID {
    let mark = open.count
    if open.capacity == 0 { open.reserveCapacity(16) }
    if let first { open.append(UInt32(first)) }
    if let target {
      let operand = check(target)
      open.append(UInt32(operand))
    }
    for id in ids {
      let operand = check(Int(id))
      open.append(UInt32(operand))
    }
    defer { open.removeLast(open.count - mark) }
    return graph.add(kind, list: open[mark...], b, at: origin)
  }

  private mutating func collection(_ node: SyntaxTree.Node) -> ConditionGraph.ID {
    if node.kind == .list, folds, let literal = literalList(node) { return literal }
    let kind: ConditionGraph.Kind = node.kind == .list ? .list : .map
    return list(kind, tree.list(node.c), 0, origin(node))
  }

  /// Adds a list of literals as one constant. Lists of hundreds of countries or versions are common, and their elements
  /// need no nodes.
  private mutating func literalList(_ node: SyntaxTree.Node) -> ConditionGraph.ID? {
    let tree = tree
    let elements = tree.list(node.c)
    for id in elements where !tree[Int(id)].kind.isLiteral { return nil }
    let first = elements.startIndex
    let place = tree.withText { text in
      graph.constants.intern(Tag.list, count: elements.count, cells: elements.count) {
        Checker.literal(tree[Int(elements[first + $0])], text)
      }
    }
    return graph.add(.constant, place, at: origin(node))
  }

  /// The value of a literal. Long strings stay in the memory of the tree.
  private static func literal(_ node: SyntaxTree.Node, _ text: ByteView) -> Cell {
    // SAFETY: The cell may point into the tree's text. The pool copies it before the closure around
    // this call ends. Tests: FilterTests, SharingTests, asan.
    switch node.kind {
    case .bool: return Cell(node.a == 1)
    case .int: return Cell(Int64(bitPattern: node.bits))
    case .uint: return Cell(node.bits)
    case .double: return Cell(Double(bitPattern: node.bits))
    case .string, .bytes:
      let bytes = ByteView(rebasing: text[Int(node.a)..<Int(node.a + node.b)])
      return node.kind == .string
        ? Cell(textAt: bytes)
        : Cell(tag: Tag.bytes, count: bytes.count, at: UnsafeRawPointer(bytes.baseAddress))
    default: return .null
    }
  }

  // MARK: Reports

  mutating func report(
    _ code: Diagnostic.Code, _ message: String, _ node: SyntaxTree.Node,
    _ suggestion: String? = nil
  ) -> ConditionGraph.ID {
    let isName = code == .unknownAttribute || code == .unknownFunction
    let isAllowed = isName && environment.allowsUnknownNames
    diagnostics.append(
      Diagnostic(
        code, message, severity: isAllowed ? .warning : .error, range: node.range,
        suggestion: suggestion))
    return graph.addConstant(
      code == .unknownFunction ? .notAMap : .missing, at: origin(node))
  }

  /// The node with its range narrowed to the name that begins at an offset of the source.
  func named(_ node: SyntaxTree.Node, _ from: UInt32, _ count: UInt32) -> SyntaxTree.Node {
    var narrowed = node
    narrowed.from = from
    narrowed.to = from + count
    return narrowed
  }

  /// The last 200 bytes of the source before a node, for messages.
  func textBefore(_ node: SyntaxTree.Node) -> String {
    String(decoding: tree.text[..<Int(node.from)].suffix(200), as: UTF8.self)
  }

  // MARK: Attributes

  /// The names of a path that only has dots: `user.a`, `user.a.b`.
  func staticPath(_ id: SyntaxTree.ID) -> [String]? {
    let node = tree[id]
    switch node.kind {
    case .identifier:
      return [tree.name(node.a, node.b)]
    case .select:
      return staticPath(Int(node.a)).map { $0 + [tree.name(node.b, node.c)] }
    default:
      return nil
    }
  }

  /// The identifier that a static path begins with.
  func root(of id: SyntaxTree.ID) -> SyntaxTree.Node {
    let node = tree[id]
    return node.kind == .identifier ? node : root(of: Int(node.a))
  }

  /// The level of a macro's variable, or nil if the name has another meaning here.
  func local(_ root: SyntaxTree.Node) -> Int? {
    guard root.c == 0, !scopes.isEmpty else { return nil }
    let name = tree.name(root.a, root.b)
    return scopes.last { $0.name == name }?.level
  }

  /// Reads the names of a static path (`user.a`, `user["a"]`, `user.a.b`) into ``path``, and returns
  /// its root.
  private mutating func readPath(_ id: SyntaxTree.ID) -> SyntaxTree.Node? {
    if path.capacity == 0 { path.reserveCapacity(8) } else { path.removeAll(keepingCapacity: true) }
    var behindDots = 0
    var node = tree[id]
    while true {
      switch node.kind {
      case .identifier:
        path.append(SlotTable.NameRange(from: node.a, count: node.b))
        path.reverse()
        dotted = path.count - behindDots
        return node
      case .select:
        path.append(SlotTable.NameRange(from: node.b, count: node.c))
      case .index where tree[Int(node.b)].kind == .string:
        let key = tree[Int(node.b)]
        path.append(SlotTable.NameRange(from: key.a, count: key.b))
        behindDots = path.count
      default: return nil
      }
      node = tree[Int(node.a)]
    }
  }

  /// Whether ``path`` begins with a root.
  func pathBeginsWithRoot() -> Bool {
    guard let first = path.first else { return false }
    return tree.withText(first.from, first.count) { name in
      for root in environment.roots where SlotTable.isSame(root, name) { return true }
      return false
    }
  }

  /// The slot of a static path with at least this number of names. The result is nil if the path begins with a macro's
  /// variable, a type, or an unknown name.
  private mutating func slot(
    _ id: SyntaxTree.ID, isPresenceOnly: Bool = false, names least: Int = 1
  )
    -> Int?
  {
    guard let root = readPath(id), local(root) == nil else { return nil }
    if environment.hasOnlyRoots {
      guard pathBeginsWithRoot(), path.count >= least else { return nil }
      return tree.withText {
        graph.slots.slot(path, of: $0, isPresenceOnly: isPresenceOnly)
      }
    }
    let names = path.map { tree.name($0.from, $0.count) }
    let known = Array(names.prefix(dotted))
    guard let (variable, used) = environment.resolve(known, isAbsolute: root.c == 1) else {
      return nil
    }
    let resolved = [variable] + names.dropFirst(used)
    guard resolved.count >= least else { return nil }
    return graph.slots.slot(resolved, isPresenceOnly: isPresenceOnly)
  }

  /// The name spaces that the target of a call can name, innermost first. A variable with the same name makes no
  /// difference: `math.abs(x)` calls the function `math.abs` even if `math` is a variable.
  mutating func nameSpaces(_ target: SyntaxTree.ID) -> [String] {
    guard let root = readPath(target), dotted == path.count else { return [] }
    let isAbsolute = root.c == 1
    if environment.functions.isEmpty, environment.container.isEmpty || isAbsolute {
      guard tree.withText(path[0].from, path[0].count, { CallNames.all.beginsName($0) }) else {
        return []
      }
    }
    let name = path.map { tree.name($0.from, $0.count) }.joined(separator: ".")
    return environment.spaces(isAbsolute: isAbsolute).map { $0 + name }
  }

  private mutating func selection(_ id: SyntaxTree.ID, _ node: SyntaxTree.Node)
    -> ConditionGraph.ID
  {
    if let slot = slot(id) { return graph.add(.slot, slot, at: origin(node)) }
    if let path = staticPath(id), local(root(of: id)) == nil {
      let name = path.joined(separator: ".")
      for space in environment.spaces(isAbsolute: root(of: id).c == 1) {
        guard let type = TypeName(named: space + name) else { continue }
        return graph.addConstant(Cell(type), at: origin(node))
      }
    }
    switch node.kind {
    case .identifier:
      if let level = local(node) { return graph.add(.local, level, at: origin(node)) }
      return undeclared(tree.name(node.a, node.b), named(node, node.a, node.b))
    case .select:
      let operand = check(Int(node.a))
      return graph.add(.select, operand, nameConstant(node), at: origin(node))
    case .optionalSelect:
      let operand = check(Int(node.a))
      let name = graph.add(.constant, nameConstant(node), at: origin(node))
      return addCall(.optionalSelect, [operand, name], origin(node))
    case .optionalIndex:
      let operand = check(Int(node.a))
      return addCall(.optionalIndex, [operand, check(Int(node.b))], origin(node))
    default:
      let operand = check(Int(node.a))
      return graph.add(.index, operand, check(Int(node.b)), at: origin(node))
    }
  }

  mutating func addCall(
    _ function: Function, _ operands: [ConditionGraph.ID], _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    graph.add(.call, list: operands, Int(function.rawValue), at: origin)
  }

  private mutating func nameConstant(_ node: SyntaxTree.Node) -> Int {
    tree.withText(node.b, node.c) { graph.constants.intern(text: $0) }
  }

  private mutating func undeclared(_ name: String, _ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let known = environment.roots + environment.variables + scopes.map { $0.name }
    return report(
      .unknownAttribute, "'\(name)' is not declared", node,
      SyntaxHint.name(name, behind: textBefore(node), known: known))
  }

  /// `has(e.f)`: whether the last name exists, without reading its value.
  mutating func has(_ arguments: ArraySlice<UInt32>, _ node: SyntaxTree.Node)
    -> ConditionGraph.ID
  {
    guard arguments.count == 1, let argument = arguments.first,
      tree[Int(argument)].kind == .select
    else {
      let isOptional = arguments.contains { tree[Int($0)].kind == .optionalSelect }
      return report(
        .syntaxError, "has() takes one attribute with a '.'", node,
        isOptional ? "write has(user.plan), or user.?plan.hasValue()" : "write has(user.plan)")
    }
    let selected = tree[Int(argument)]
    if let slot = slot(Int(argument), isPresenceOnly: true, names: 2) {
      return graph.add(.present, slot, at: origin(node))
    }
    let operand = check(Int(selected.a))
    return graph.add(.hasField, operand, nameConstant(selected), at: origin(node))
  }
}
