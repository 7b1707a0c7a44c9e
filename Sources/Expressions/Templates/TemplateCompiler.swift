/// Turns parsed templates into graph nodes. Names become attribute slots, loop variables or variables of the template,
/// and filters become calls. A template contains the nodes of the templates that it renders.
struct TemplateCompiler: ~Copyable {
  // SAFETY: `unit.source` is the caller's view while one template is compiled, or a copy that
  // `keeper` owns. Names and strings become constants, which copy them. Tests: RenderingTests,
  // corpus, asan.

  /// The meaning of a name at some place.
  enum Binding {
    case local(level: Int)
    /// The object `forloop` or `tablerowloop`.
    case loop(LoopObject)
    /// A declared name without a value.
    case nothing
  }

  /// A loop whose properties can be read.
  struct LoopObject {
    /// The level of the loop's variable. The iterator precedes the variable, and the items follow the variable.
    var level: Int
    var name: [UInt8]
    var isTable: Bool
    var columns: ConditionGraph.ID?
    /// The index of the enclosing loop.
    var parent: Int?
  }

  /// A variable that tags write.
  struct Variable {
    var name: [UInt8]
    var level: Int
    private let hash: UInt64

    init(_ name: [UInt8], level: Int) {
      self.name = name
      self.level = level
      hash = name.withUnsafeBufferPointer { Variable.hash($0) }
    }

    static func hash(_ name: ByteView) -> UInt64 {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return hash
    }

    /// The level of the first variable with a name among some variables.
    static func level(of name: ByteView, among variables: [Variable], from start: Int) -> Int? {
      if start >= variables.count { return nil }
      let hash = hash(name)
      for i in start..<variables.count
      where variables[i].hash == hash && variables[i].name.elementsEqual(name) {
        return variables[i].level
      }
      return nil
    }
  }

  /// The template itself, or a template that it renders, with its source.
  struct Unit {
    var tree: TemplateTree
    var source: ByteView
    /// The number of the source in the program.
    var number: UInt32
    var name: String
  }

  let environment: TemplateEnvironment
  var graph: ConditionGraph
  private(set) var diagnostics: [Diagnostic] = []
  /// The source that is being compiled.
  var unit: Unit
  private(set) var partials: [String: Unit] = [:]
  /// Keeps the sources of partials at their addresses, because ranges point into them.
  private var keeper: SourceKeeper?
  /// The number of comparisons of computed names with variables.
  var nameTests = 0
  /// Names that are visible at the current place, the innermost last.
  var scopes: [(name: [UInt8], binding: Binding)] = []
  /// Where the scope of an isolated template begins.
  var isolation = 0
  /// Variables that tags write, by name, with their levels.
  var variables: [Variable] = []
  var variableBase = 0
  /// Counters of `increment` and `decrement`. Variables of the same name hide them.
  private var counters: [Variable] = []
  var counterBase = 0
  var loops: [LoopObject] = []
  var nextLevel = 0
  /// Where the loops of an isolated template begin.
  var loopBase = 0
  /// Whether some loop continues where another loop ended, so that loops store their end.
  var keepsPlaces = false
  /// The first statements, which set variables that the data may contain too.
  var prologue: [ConditionGraph.ID] = []
  var partialDepth = 0
  var partialStatements = 0
  private var firstSource: UInt32 = 0
  /// Nodes of the lists around the current place, until each is complete.
  var open: [UInt32] = []
  /// The names of the path that is being compiled.
  var pathNames: [SlotTable.NameRange] = []

  /// Creates a compiler with an empty graph.
  init(_ environment: TemplateEnvironment, _ scratch: TemplateScratch) {
    graph = ConditionGraph(&scratch.tables)
    self.environment = environment
    unit = Unit(tree: TemplateTree(), source: ByteView(start: nil, count: 0), number: 0, name: "")
  }

  /// Starts a template, whose nodes are added to the same graph.
  mutating func begin(_ source: ByteView, number: UInt32) {
    unit.source = source
    unit.number = number
    firstSource = number
    // The first template starts in the initial state.
    if number == 0 { return }
    diagnostics = []
    if !partials.isEmpty { partials = [:] }
    keeper = nil
    nameTests = 0
    scopes = []
    isolation = 0
    (variables, variableBase) = ([], 0)
    (counters, counterBase) = ([], 0)
    (loops, loopBase) = ([], 0)
    nextLevel = 0
    keepsPlaces = false
    prologue = []
    partialDepth = 0
    partialStatements = 0
  }

  /// Returns the graph of all templates.
  consuming func finish() -> ConditionGraph { graph }

  /// Removes all elements after a mark. There are few elements, so removing them one by one is fastest.
  mutating func close(_ mark: Int) { while open.count > mark { open.removeLast() } }

  /// Takes the tree and the memory out of a scratch, or puts them back.
  mutating func swapMemory(_ scratch: TemplateScratch) {
    swap(&unit.tree, &scratch.tree)
    swap(&open, &scratch.compiled)
    swap(&pathNames, &scratch.names)
  }

  var style: LiquidStyle { environment.dialect.style }

  var hasPartials: Bool { !partials.isEmpty }

  /// The sources of the included templates, in the order of their numbers.
  var partialSources: [(name: String, text: String)] {
    partials.values.sorted { $0.number < $1.number }.map {
      ($0.name, String(decoding: $0.source, as: UTF8.self))
    }
  }

  /// Compiles the template.
  mutating func compile() -> ConditionGraph.ID {
    collectVariables(unit.tree, unit.source)
    let body = statement(unit.tree.root)
    let origin = origin(unit.tree[unit.tree.root])
    let all =
      prologue.isEmpty ? body : graph.add(.statements, list: prologue + [body], at: origin)
    return graph.add(.template, all, nextLevel, Int(firstSource), at: origin)
  }

  func origin(_ node: TemplateTree.Node) -> ConditionGraph.Origin {
    ConditionGraph.Origin(source: unit.number, from: node.from, to: node.to)
  }

  /// The maximum number of diagnostics.
  private static let reportLimit = 100

  mutating func report(_ diagnostic: Diagnostic) {
    guard diagnostics.count < TemplateCompiler.reportLimit else { return }
    var diagnostic = diagnostic
    // The range refers to the source that is being compiled, which may be an included template.
    if diagnostic.path.isEmpty { diagnostic.path = unit.name }
    diagnostics.append(diagnostic)
  }

  func bytes(_ bytes: TemplateTree.Bytes) -> [UInt8] {
    unit.tree.withBytes(bytes, of: unit.source) { Array($0) }
  }

  // MARK: Constants

  mutating func constant(_ cell: Cell, _ node: TemplateTree.Node) -> ConditionGraph.ID {
    graph.addConstant(cell, at: origin(node))
  }

  mutating func constant(_ bytes: TemplateTree.Bytes) -> Int {
    if let view = unit.tree.view(bytes, of: unit.source) {
      return graph.constants.intern(text: view)
    }
    let (tree, source) = (unit.tree, unit.source)
    return tree.withBytes(bytes, of: source) { graph.constants.intern(text: $0) }
  }

  mutating func text(_ text: [UInt8], _ node: TemplateTree.Node) -> ConditionGraph.ID {
    let place = text.withUnsafeBufferPointer { graph.constants.intern(text: $0) }
    return graph.add(.constant, place, at: origin(node))
  }

  /// Writes a string unchanged.
  mutating func write(_ text: String, _ node: TemplateTree.Node) -> ConditionGraph.ID {
    var text = text
    let place = text.withUTF8 { graph.constants.intern(text: $0) }
    return graph.add(.text, place, at: origin(node))
  }

  /// Adds a call with one operand.
  mutating func call(
    _ function: LiquidFunction, of operand: ConditionGraph.ID, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    open.append(UInt32(operand))
    defer { open.removeLast() }
    return graph.add(
      .filter, list: open.suffix(1), Int(function.rawValue), Int(node.from), at: origin(node))
  }

  mutating func call(
    _ function: LiquidFunction, _ operands: [ConditionGraph.ID], _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    graph.add(
      .filter, list: operands, Int(function.rawValue), Int(node.from), at: origin(node))
  }

  mutating func statements(_ list: [ConditionGraph.ID], _ node: TemplateTree.Node)
    -> ConditionGraph.ID
  {
    list.count == 1 ? list[0] : graph.add(.statements, list: list, at: origin(node))
  }

  // MARK: Names

  func binding(_ name: ByteView) -> Binding? {
    for entry in scopes[isolation...].reversed() where entry.name.elementsEqual(name) {
      return entry.binding
    }
    return nil
  }

  func variable(_ name: ByteView) -> Int? {
    Variable.level(of: name, among: variables, from: variableBase)
  }

  func counter(_ name: ByteView) -> Int? {
    Variable.level(of: name, among: counters, from: counterBase)
  }

  mutating func dropCounters(to count: Int) { counters.removeLast(counters.count - count) }

  var counterCount: Int { counters.count }

  /// Whether the data is visible here.
  var readsData: Bool { isolation == 0 }

  mutating func declare(_ name: [UInt8]) {
    let isKnown = name.withUnsafeBufferPointer { variable($0) != nil }
    guard !isKnown, hasRoomForVariables() else { return }
    variables.append(Variable(name, level: nextLevel))
    if name.withUnsafeBufferPointer({ counter($0) }) == nil {
      prologue.append(initialValue(name, nextLevel))
    } else {
      // Until the variable is written, the counter is visible.
      let origin = ConditionGraph.Origin(source: unit.number, from: 0, to: 0)
      let missing = graph.addConstant(.missing, at: origin)
      prologue.append(graph.add(.assign, missing, nextLevel, at: origin))
    }
    nextLevel += 1
  }

  /// Whether there may be another variable. Looking up a name searches all variables, so their number is limited.
  private mutating func hasRoomForVariables() -> Bool {
    if variables.count + counters.count < environment.limits.variables { return true }
    if !diagnostics.contains(where: { $0.code == .limitExceeded }) {
      report(
        Diagnostic(
          .limitExceeded, "the template sets more than \(environment.limits.variables) variables",
          range: SourceRange(from: 0, to: unit.source.count)))
    }
    return false
  }

  private mutating func declareCounter(_ name: [UInt8]) {
    guard name.withUnsafeBufferPointer({ counter($0) }) == nil, hasRoomForVariables() else {
      return
    }
    counters.append(Variable(name, level: nextLevel))
    prologue.append(initialValue(name, nextLevel))
    nextLevel += 1
  }

  /// The value of a variable or a counter, or nil if the template writes no variable of this name.
  mutating func written(_ name: TemplateTree.Bytes, _ node: TemplateTree.Node) -> ConditionGraph.ID?
  {
    if variables.isEmpty, counters.isEmpty { return nil }
    let level = unit.tree.withBytes(name, of: unit.source) { variable($0) }
    let count = unit.tree.withBytes(name, of: unit.source) { counter($0) }
    switch (level, count) {
    case (nil, nil): return nil
    case (let level?, nil): return graph.add(.local, level, at: origin(node))
    case (nil, let count?): return graph.add(.local, count, at: origin(node))
    case (let level?, let count?):
      let value = graph.add(.local, level, at: origin(node))
      return call(.orElse, [value, graph.add(.local, count, at: origin(node))], node)
    }
  }

  /// The initial value of a variable, which is the value of this name in the data.
  private mutating func initialValue(_ name: [UInt8], _ level: Int) -> ConditionGraph.ID {
    let origin = ConditionGraph.Origin(source: unit.number, from: 0, to: 0)
    var value = graph.addConstant(.null, at: origin)
    if readsData {
      let slot = name.withUnsafeBufferPointer {
        graph.slots.slot(
          [SlotTable.NameRange(from: 0, count: UInt32(name.count))], of: $0, isPresenceOnly: false)
      }
      value = graph.add(.slot, slot, at: origin)
    }
    return graph.add(.assign, value, level, at: origin)
  }

  /// The level of a variable that no template can name.
  mutating func hiddenVariable() -> Int {
    nextLevel += 1
    return nextLevel - 1
  }

  /// Sets a hidden variable. If the value fails, the variable is null, and not the value of an earlier round.
  mutating func keep(_ value: ConditionGraph.ID, in level: Int, _ node: TemplateTree.Node)
    -> ConditionGraph.ID
  {
    let origin = origin(node)
    let set = graph.add(.assign, value, level, Int(node.from), at: origin)
    if graph[value].kind.isInPlace { return set }
    let clear = graph.add(.assign, graph.addConstant(.null, at: origin), level, at: origin)
    return graph.add(.statements, list: [clear, set], at: origin)
  }

  /// The level of a loop's variable. The levels of the iterator before it and the items after it are reserved too.
  mutating func loopLevel() -> Int {
    nextLevel += 3
    return nextLevel - 2
  }

  /// The hidden variable for a name. The variable is created on first use.
  mutating func register(_ name: [UInt8]) -> Int {
    let key = [0] + name
    if let known = key.withUnsafeBufferPointer({ variable($0) }) { return known }
    let level = nextLevel
    variables.append(Variable(key, level: level))
    let origin = ConditionGraph.Origin(source: unit.number, from: 0, to: 0)
    let null = graph.addConstant(.null, at: origin)
    prologue.append(graph.add(.assign, null, level, at: origin))
    nextLevel += 1
    return level
  }

  /// Declares the variables that tags of a template and of its included templates write: a loop may read a variable
  /// that a later tag writes.
  mutating func collectVariables(_ tree: TemplateTree, _ source: ByteView) {
    let writes = tree.nodes.contains {
      switch $0.kind {
      case .increment, .decrement, .assign, .capture, .loop: true
      default: false
      }
    }
    guard writes else { return }
    for node in tree.nodes where node.kind == .increment || node.kind == .decrement {
      declareCounter(
        tree.withBytes(TemplateTree.Bytes(from: node.a, count: node.b), of: source) { Array($0) })
    }
    for node in tree.nodes {
      switch node.kind {
      case .assign, .capture:
        declare(
          tree.withBytes(TemplateTree.Bytes(from: node.a, count: node.b), of: source) { Array($0) })
      case .loop where !keepsPlaces:
        keepsPlaces =
          tree.list(node.a).contains(TemplateTree.continuing) || !environment.templates.isEmpty
      default: break
      }
    }
  }

  // MARK: Slots

  /// The slot of a path of names.
  mutating func slot(_ names: [SlotTable.NameRange]) -> Int {
    let source = unit.source
    if names.allSatisfy({ Int($0.from + $0.count) <= source.count }) {
      return graph.slots.slot(names, of: source, isPresenceOnly: false)
    }
    let tree = unit.tree
    return graph.slots.slot(
      names.map {
        tree.string(TemplateTree.Bytes(from: $0.from, count: $0.count), of: source)
      }, isPresenceOnly: false)
  }

  // MARK: Other templates

  /// The parsed template with a name. The template's errors are reported once.
  mutating func partial(_ name: String) -> Unit? {
    if let known = partials[name] { return known }
    guard let text = environment.templates[name] else { return nil }
    let keeper = self.keeper ?? SourceKeeper()
    self.keeper = keeper
    let source = keeper.keep(text)
    let (tree, problems) = TemplateParser.parse(source, environment)
    for problem in problems {
      var problem = problem
      problem.path = problem.path.isEmpty ? name : problem.path
      diagnostics.append(problem)
    }
    let unit = Unit(
      tree: tree, source: source, number: firstSource + 1 + UInt32(partials.count), name: name)
    partials[name] = unit
    return unit
  }
}

/// Keeps sources at their addresses while ranges point into them.
private final class SourceKeeper {
  // SAFETY: It copies each source, frees the copies in `deinit`, and lives as long as the compiler
  // uses their views. Tests: RenderingTests, corpus, asan.

  private var buffers: [UnsafeMutableBufferPointer<UInt8>] = []

  func keep(_ text: String) -> ByteView {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
    _ = buffer.initialize(from: text.utf8)
    buffers.append(buffer)
    return ByteView(rebasing: buffer[0..<text.utf8.count])
  }

  deinit { for buffer in buffers { buffer.deallocate() } }
}
