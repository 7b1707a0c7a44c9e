/// Walks a parsed template in the order in which it runs.
struct TemplateWalk {
  // SAFETY: `source` is a view that outlives the walk; results have copies of its names.
  // Tests: TemplateAnalysisTests.

  let tree: TemplateTree
  let source: ByteView
  let environment: TemplateEnvironment
  var reads: [TemplateAnalysis.Read] = []
  /// Names that hide the context's values.
  private var locals: [[UInt8]] = []
  /// Variables that the template has written so far.
  private var written: Set<String> = []
  /// Paths that conditions around the current place test.
  private var guards: [String] = []
  var conditions = TemplateConditions()
  var parts = TemplateParts()
  /// Reads of the template's own variables so far.
  private var variables: [TemplateParts.VariableRead] = []
  /// The condition for reaching the current place.
  private var reach = TemplateConditions.always
  /// Whether the current condition depends on more than the schema: variables of the template, times and locales.
  private var isOpaque = false
  /// Templates around the current place, which must not be visited again.
  private var partials: [String] = []

  init(tree: TemplateTree, source: ByteView, environment: TemplateEnvironment) {
    self.tree = tree
    self.source = source
    self.environment = environment
  }

  private struct Use {
    var wanted: [TemplateType] = []
    var name = ""
    var isGuarded = false
  }

  // MARK: Statements

  mutating func visit(_ id: UInt32) {
    guard id != TemplateTree.none else { return }
    let node = tree[Int(id)]
    switch node.kind {
    case .sequence: for child in tree.list(node.a) { visit(child) }
    case .output:
      let source = noting(node.a) { walk in
        walk.value(node.a, Use(wanted: [.string, .number, .bool, .list], name: "output"))
      }
      parts.outputs.append(TemplateParts.Output(range: node.range, source: source))
    case .verbatim:
      let source = noting(node.a) { walk in
        walk.value(node.a, Use(wanted: [.string, .number, .bool], name: "output"))
      }
      parts.outputs.append(TemplateParts.Output(range: node.range, source: source))
    case .assign:
      let source = noting(node.c) { walk in walk.value(node.c) }
      let name = text(node.a, node.b)
      parts.assigned[name, default: []].append(source)
      written.insert(name)
    case .capture:
      let name = text(node.a, node.b)
      let known = reads.count
      visit(node.c)
      parts.assigned[name, default: []].append(
        TemplateParts.Source(reads: Array(reads[known...]), filters: ["capture"]))
      written.insert(name)
    case .increment, .decrement: written.insert(text(node.a, node.b))
    case .ifs: conditional(Array(tree.list(node.a)))
    case .cases: cases(Array(tree.list(node.a)))
    case .loop, .table: loop(id, node)
    case .cycle:
      let parts = Array(tree.list(node.a))
      if parts[0] != TemplateTree.none { value(parts[0]) }
      for item in parts.dropFirst(3) { value(item) }
    case .ifChanged: visit(node.a)
    case .include, .render: partial(id, node)
    case .text:
      let end = Int(node.a) + Int(node.b)
      if node.b > 0, end <= source.count {
        parts.texts.append(
          TemplateParts.Text(range: SourceRange(from: Int(node.a), to: end), guards: guards))
      }
    case .leave, .null, .empty, .blank, .bool, .int, .double, .string, .path, .name,
      .variable, .range,
      .filter, .keyword, .compare, .and, .or, .not:
      break
    }
  }

  private mutating func conditional(_ parts: [UInt32]) {
    let before = guards.count
    let outer = reach
    var others = outer
    for i in stride(from: 0, to: parts.count - 1, by: 2) {
      let known = reads.count
      reach = others
      let test = condition(parts[i])
      guards += reads[known...].map { $0.path }
      reach = conditions.both(others, test)
      visit(parts[i + 1])
      others = conditions.both(others, conditions.not(test))
    }
    reach = others
    if parts.count % 2 == 1, let last = parts.last { visit(last) }
    guards.removeLast(guards.count - before)
    reach = outer
  }

  private mutating func cases(_ parts: [UInt32]) {
    let before = guards.count
    let outer = reach
    let known = reads.count
    isOpaque = false
    let tested = noting(parts[0]) { walk in
      walk.value(parts[0], Use(name: "a condition", isGuarded: true))
    }
    note(case: parts, tested)
    let subject = isOpaque ? nil : (source: source(parts[0]), reads: Array(reads[known...]))
    guards += reads[known...].map { $0.path }
    var others = outer
    var at = 1
    while at < parts.count {
      let count = Int(parts[at])
      var test = TemplateConditions.never
      for i in 0..<count { test = conditions.either(test, isCase(parts[at + 1 + i], of: subject)) }
      reach = count == 0 ? others : conditions.both(outer, test)
      visit(parts[at + 1 + count])
      if count > 0 { others = conditions.both(others, conditions.not(test)) }
      at += count + 2
    }
    guards.removeLast(guards.count - before)
    reach = outer
  }

  /// Whether the value of a case equals a value of one of its branches.
  private mutating func isCase(
    _ id: UInt32, of subject: (source: String, reads: [TemplateAnalysis.Read])?
  ) -> TemplateConditions.ID {
    let known = reads.count
    isOpaque = false
    value(id, Use(name: "a condition", isGuarded: true))
    guard let subject, !isOpaque else { return TemplateConditions.unknown }
    return conditions.test(
      "\(subject.source) == \(source(id))", reads: subject.reads + reads[known...])
  }

  /// A condition, with its parts reported separately, because one part may decide alone.
  private mutating func condition(_ id: UInt32) -> TemplateConditions.ID {
    let node = tree[Int(id)]
    switch node.kind {
    case .and:
      let left = condition(node.a)
      return conditions.both(left, condition(node.b))
    case .or:
      let left = condition(node.a)
      return conditions.either(left, condition(node.b))
    case .not: return conditions.not(condition(node.a))
    default:
      let known = reads.count
      isOpaque = false
      let source = noting(id) { walk in
        walk.value(id, Use(name: "a condition", isGuarded: true))
      }
      parts.tests.append(TemplateParts.Test(range: node.range, source: source))
      return isOpaque
        ? TemplateConditions.unknown : conditions.test(self.source(id), reads: reads[known...])
    }
  }

  private mutating func loop(_ id: UInt32, _ node: TemplateTree.Node) {
    let loop = tree.loop(Int(id))
    value(loop.items, Use(wanted: [.list, .object], name: "a loop"))
    for option in [loop.offset, loop.limit, loop.columns]
    where option != TemplateTree.none && option != TemplateTree.continuing { value(option) }
    let isTable = node.kind == .table
    locals.append(Array(text(loop.variable.from, loop.variable.count).utf8))
    locals.append(Array((isTable ? "tablerowloop" : "forloop").utf8))
    visit(loop.body)
    locals.removeLast(2)
    visit(loop.otherwise)
  }

  private mutating func partial(_ id: UInt32, _ node: TemplateTree.Node) {
    let partial = tree.partial(Int(id))
    for argument in partial.arguments { value(argument.value) }
    if partial.value != TemplateTree.none { value(partial.value) }
    let name = tree[Int(partial.name)]
    guard name.kind == .string, node.kind == .include else {
      value(partial.name)
      return
    }
    // The reads of an included template are recorded here, at the place of the tag.
    let key = text(name.a, name.b)
    guard var other = environment.templates[key], !partials.contains(key), partials.count < 25
    else { return }
    let range = node.range
    let known = reads.count
    other.withUTF8 { bytes in
      let (tree, _) = TemplateParser.parse(bytes, environment)
      var walk = TemplateWalk(tree: tree, source: bytes, environment: environment)
      walk.locals =
        locals + partial.arguments.map { Array(text($0.name.from, $0.name.count).utf8) } + [
          Array(key.utf8)
        ]
      walk.written = written
      walk.guards = guards
      walk.conditions = conditions
      walk.reach = reach
      walk.partials = partials + [key]
      walk.visit(UInt32(tree.root))
      written = walk.written
      conditions = walk.conditions
      reads += walk.reads
    }
    for i in known..<reads.count { reads[i].range = range }
  }

  // MARK: Values

  private func text(_ from: UInt32, _ count: UInt32) -> String {
    tree.string(TemplateTree.Bytes(from: from, count: count), of: source)
  }

  private mutating func value(_ id: UInt32, _ use: Use = Use()) {
    guard id != TemplateTree.none else { return }
    let node = tree[Int(id)]
    switch node.kind {
    case .path: path(node, use)
    case .variable: value(node.a)
    case .range:
      value(node.a, Use(wanted: [.number, .string], name: "a range", isGuarded: use.isGuarded))
      value(node.b, Use(wanted: [.number, .string], name: "a range", isGuarded: use.isGuarded))
    case .filter: filter(node, use)
    case .keyword: value(node.c, use)
    case .compare, .and, .or:
      let inner = Use(name: "a condition", isGuarded: use.isGuarded)
      value(node.a, inner)
      value(node.b, inner)
      if node.kind == .compare { note(comparison: node) }
    case .not: value(node.a, Use(name: "a condition", isGuarded: use.isGuarded))
    case .null, .empty, .blank, .bool, .int, .double, .string, .name:
      break
    case .text, .output, .assign, .capture, .ifs, .cases, .loop, .table, .cycle, .increment,
      .decrement, .ifChanged, .include, .render, .leave, .sequence, .verbatim:
      break
    }
  }

  private mutating func filter(_ node: TemplateTree.Node, _ use: Use) {
    isOpaque = true
    let filter = LiquidFilters.all.filters[Int(node.c)]
    var inner = Use(
      wanted: filter.function.row.input.types, name: "the filter '\(filter.name)'",
      isGuarded: use.isGuarded)
    // The result of a filter with a default is never missing.
    if filter.function == .defaultValue { inner.isGuarded = true }
    let known = reads.count
    value(node.a, inner)
    if filter.function.row.input == .number, tree[Int(node.a)].kind == .path,
      let read = reads[known...].first
    {
      parts.calculations.append(TemplateParts.Calculation(filter: filter.name, read: read))
    }
    for argument in tree.list(node.b) {
      value(argument, Use(name: inner.name, isGuarded: use.isGuarded))
    }
  }

  private mutating func path(_ node: TemplateTree.Node, _ use: Use) {
    let segments = Array(tree.list(node.a))
    guard let first = segments.first else { return }
    var names: [String?] = []
    var path = ""
    for (i, segment) in segments.enumerated() {
      let part = tree[Int(segment)]
      switch part.kind {
      case .name, .string:
        if i == 0, part.kind == .string {
          isOpaque = true
          return
        }
        let name = text(part.a, part.b)
        names.append(name)
        path += (i == 0 ? "" : ".") + name
      case .variable where tree[Int(part.a)].kind == .string:
        let name = text(tree[Int(part.a)].a, tree[Int(part.a)].b)
        names.append(name)
        path += name
      case .int:
        let number = Int64(bitPattern: UInt64(part.b) | UInt64(part.c) << 32)
        names.append(String(number))
        path += "[\(number)]"
      default:
        value(part.kind == .variable ? part.a : segment, Use(isGuarded: use.isGuarded))
        names.append(nil)
        path += "[\(source(part.kind == .variable ? part.a : segment))]"
      }
    }
    guard tree[Int(first)].kind == .name || tree[Int(first)].kind == .variable, let root = names[0],
      !written.contains(root), !locals.contains(where: { $0.elementsEqual(root.utf8) })
    else {
      isOpaque = true
      if let root = names[0] {
        variables.append(
          TemplateParts.VariableRead(name: root, members: Array(names.dropFirst())))
      }
      return
    }
    reads.append(
      TemplateAnalysis.Read(
        path: path, names: names, range: node.range,
        isGuarded: use.isGuarded || guards.contains(path), wanted: use.wanted, use: use.name,
        guards: guards, reach: reach))
  }

  /// Visits a value, and returns its origin.
  private mutating func noting(_ id: UInt32, _ body: (inout TemplateWalk) -> Void)
    -> TemplateParts.Source
  {
    let (known, variable) = (reads.count, variables.count)
    body(&self)
    var filters: [String] = []
    var at = id
    while at != TemplateTree.none, tree[Int(at)].kind == .filter {
      filters.insert(LiquidFilters.all.filters[Int(tree[Int(at)].c)].name, at: 0)
      at = tree[Int(at)].a
    }
    return TemplateParts.Source(
      reads: Array(reads[known...]), variables: Array(variables[variable...]), filters: filters,
      isPath: at != TemplateTree.none && tree[Int(at)].kind == .path)
  }

  private mutating func note(comparison node: TemplateTree.Node) {
    guard let relation = LiquidRelation(rawValue: UInt8(truncatingIfNeeded: node.c)) else { return }
    parts.comparisons.append(
      TemplateParts.Comparison(
        left: operand(node.a), right: operand(node.b),
        isOrder: relation != .equal && relation != .notEqual && relation != .contains,
        range: node.range))
  }

  /// Records the values that the subject of a case is compared with.
  private mutating func note(case parts: [UInt32], _ subject: TemplateParts.Source) {
    let left = operand(parts[0])
    var literals: [String] = []
    var at = 1
    while at < parts.count {
      let count = Int(parts[at])
      for value in parts[at + 1..<at + 1 + count] {
        let right = operand(value)
        literals.append(source(value))
        self.parts.comparisons.append(
          TemplateParts.Comparison(
            left: left, right: right, isOrder: false, range: tree[Int(value)].range))
      }
      at += count + 2
    }
    self.parts.tests.append(
      TemplateParts.Test(range: tree[Int(parts[0])].range, source: subject, cases: literals))
  }

  /// One side of a comparison: the last read at its place.
  private func operand(_ id: UInt32) -> TemplateParts.Operand {
    guard id != TemplateTree.none else { return .other }
    let node = tree[Int(id)]
    switch node.kind {
    case .path:
      return reads.last { $0.range == node.range }.map { .read($0) } ?? .other
    case .int, .double: return .number(source(id))
    case .string: return .string
    default: return .other
    }
  }

  /// A value as written.
  private func source(_ id: UInt32) -> String {
    let node = tree[Int(id)]
    return String(decoding: source[Int(node.from)..<min(Int(node.to), source.count)], as: UTF8.self)
  }
}

extension LiquidFunction.Input {
  /// The kinds of value, or empty if all are valid.
  fileprivate var types: [TemplateType] {
    switch self {
    case .anything: []
    case .number: [.number, .string]
    case .scalar: [.string, .number, .bool]
    case .items: [.list, .object]
    case .list: [.list]
    }
  }
}
