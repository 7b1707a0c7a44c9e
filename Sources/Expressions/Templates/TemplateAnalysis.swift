/// What a template reads, found without rendering it.
///
/// ```swift
/// let analysis = TemplateEnvironment().analyze("{{ user.nam }} pays {{ products.primary.price }}")
/// analysis.requirements  // ["products.primary.price", "user.nam"]
/// let schema = TemplateSchema(
///   of: ["user": ["name": "Ann"], "products": ["primary": ["price": "$9.99"]]])
/// analysis.check(against: schema).count  // 1
/// ```
package struct TemplateAnalysis: Sendable {
  /// One place where a template reads a value of its context.
  package struct Read: Sendable {
    /// The path as people write it: `products.primary.price`, `list[0].name`, `a[b.c].d`.
    package var path: String
    /// The names, nil where one is computed.
    package var names: [String?]
    package var range: SourceRange
    /// Whether the template is prepared for the value being absent: it has a default, or a condition
    /// around it asks for it.
    package var isGuarded: Bool
    /// The kinds of value that make sense here; empty when all do.
    package var wanted: [TemplateType]
    /// What the value is used for, for messages.
    package var use: String
    /// Paths that conditions around the place ask for.
    var guards: [String] = []
    /// What has to hold for the place to be reached.
    var reach = TemplateConditions.always
  }

  package private(set) var reads: [Read] = []
  /// What is wrong with the template itself.
  package private(set) var diagnostics: [Diagnostic] = []
  private let conditions: TemplateConditions
  private let environment: TemplateEnvironment

  /// The paths that are read, each once, in order of their texts.
  package var requirements: [String] {
    Array(Set(reads.map(\.path))).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  init(_ source: String, _ environment: TemplateEnvironment) {
    // SAFETY: The walk and its view of the source stay in the closure.
    // Tests: TemplateAnalysisTests.
    var text = environment.isHTML ? MarkupEntities.resolved(source, environment.delimiters) : source
    (reads, conditions, diagnostics) = text.withUTF8 { bytes in
      let (tree, diagnostics) = TemplateParser.parse(bytes, environment)
      var walk = TemplateWalk(tree: tree, source: bytes, environment: environment)
      walk.visit(UInt32(tree.root))
      return (walk.reads, walk.conditions, diagnostics)
    }
    self.environment = environment
  }

  /// Holds what is read against what there will be. What stands where a condition says no with what is
  /// known is not read, and not missing.
  package func check(against schema: TemplateSchema) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    var outcomes: [TemplateConditions.Outcome]?
    for read in reads {
      guard let problem = TemplateAnalysis.problem(read, schema) else { continue }
      if read.reach != TemplateConditions.always {
        let known = outcomes ?? conditions.outcomes(with: schema, environment)
        outcomes = known
        if known[read.reach] == .no { continue }
      }
      problems.append(problem)
    }
    return problems
  }

  private static func problem(_ read: Read, _ schema: TemplateSchema) -> Diagnostic? {
    func names(_ count: Int) -> String {
      read.names.prefix(count).map { $0 ?? "?" }.joined(separator: ".")
    }
    // A condition around asks whether the value is there, or one that it lies in.
    let found = schema.find(read.names) { count in
      let path = read.names.prefix(count).compactMap { $0 }
      return path.count == count && read.guards.contains(path.joined(separator: "."))
    }
    switch found {
    case .found(let shape):
      let type = shape.type
      guard type != .any, !read.wanted.isEmpty, !read.wanted.contains(type) else { return nil }
      return Diagnostic(
        .typeError, "\(read.path) is \(article(type)), which \(read.use) does not accept",
        severity: .warning,
        range: read.range)
    case .absent:
      guard !read.isGuarded else { return nil }
      return Diagnostic(
        .unknownAttribute, "\(read.path) may be absent, and nothing is printed for it then",
        severity: .warning, range: read.range,
        suggestion: "give it a default: {{ \(read.path) | default: '...' }}")
    case .unknown(let place, let known):
      guard !read.isGuarded else { return nil }
      let object = Array(read.names.prefix(place))
      let absence = schema.absences.first { $0.path.map(Optional.some) == object }
      let name = read.names[place] ?? "?"
      let others = known.filter { !(absence?.unlisted.contains($0) ?? false) }
      let close = Suggestion.closest(to: name, among: known)
      return Diagnostic(
        absence?.code ?? .unknownAttribute,
        absence.map { "\($0.message) '\(name)'" }
          ?? (place == 0 ? "'\(name)' is not declared" : "\(names(place)) has no '\(name)'"),
        range: read.range,
        suggestion: TemplateAnalysis.help(forPath: name)
          ?? close.map { "did you mean '\($0)'?" }
          ?? (others.isEmpty || others.count > 12
            ? nil
            : "there \(others.count == 1 ? "is" : "are") \(others.sorted().joined(separator: ", "))")
      )
    case .behindValue(let place, let type):
      guard !read.isGuarded else { return nil }
      return Diagnostic(
        .typeError, "\(names(place)) is \(article(type)) and has no '\(read.names[place] ?? "?")'",
        severity: .warning, range: read.range)
    }
  }

  /// What to write in place of a name that is none.
  private static func help(forPath name: String) -> String? {
    if name.unicodeScalars.contains(where: CharacterHint.curlyQuotes.contains) {
      return "use straight quotes"
    }
    if name.contains("|") { return "leave out the filter; this dialect has none" }
    return nil
  }

  private static func article(_ type: TemplateType) -> String {
    switch type {
    case .any: "a value"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension TemplateEnvironment {
  /// Finds what a template reads.
  package func analyze(_ source: String) -> TemplateAnalysis { TemplateAnalysis(source, self) }
}

extension Template {
  /// The paths that the template reads, each once, in order of their texts.
  public var requirements: [String] {
    templates.environment.analyze(program.sources.first ?? "").requirements
  }
}

/// Walks a parsed template in the order in which it runs.
private struct TemplateWalk {
  // SAFETY: `source` is a view that outlives the walk; results have copies of its names.
  // Tests: TemplateAnalysisTests.

  let tree: TemplateTree
  let source: ByteView
  let environment: TemplateEnvironment
  var reads: [TemplateAnalysis.Read] = []
  /// Names that mean something else than the context's values.
  private var locals: [[UInt8]] = []
  /// Variables that the template has written so far.
  private var written: Set<String> = []
  /// Paths that conditions around the current place ask for.
  private var guards: [String] = []
  var conditions = TemplateConditions()
  /// What has to hold for the current place to be reached.
  private var reach = TemplateConditions.always
  /// Whether something was met that no schema says: variables of the template, times and locales.
  private var isOpaque = false
  /// Templates around the current place, which must not be walked again.
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
      value(node.a, Use(wanted: [.string, .number, .bool, .list], name: "output"))
    case .verbatim: value(node.a, Use(wanted: [.string, .number, .bool], name: "output"))
    case .assign:
      value(node.c)
      written.insert(text(node.a, node.b))
    case .capture:
      visit(node.c)
      written.insert(text(node.a, node.b))
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
    case .text, .leave, .null, .empty, .blank, .bool, .int, .double, .string, .path, .name,
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
      guards += reads[known...].map(\.path)
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
    value(parts[0], Use(name: "a condition", isGuarded: true))
    let subject = isOpaque ? nil : (source: source(parts[0]), reads: Array(reads[known...]))
    guards += reads[known...].map(\.path)
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

  /// Whether the value of a case is that of one of its branches.
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

  /// A condition, of which the parts are told apart: one may decide alone.
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
      value(id, Use(name: "a condition", isGuarded: true))
      return isOpaque
        ? TemplateConditions.unknown : conditions.test(source(id), reads: reads[known...])
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
    // What an included template reads is read here; its places are those of the tag.
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
    // What comes out of a filter with a default is there.
    if filter.function == .defaultValue { inner.isGuarded = true }
    value(node.a, inner)
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
      return
    }
    reads.append(
      TemplateAnalysis.Read(
        path: path, names: names, range: node.range,
        isGuarded: use.isGuarded || guards.contains(path), wanted: use.wanted, use: use.name,
        guards: guards, reach: reach))
  }

  /// A value as it is written.
  private func source(_ id: UInt32) -> String {
    let node = tree[Int(id)]
    return String(decoding: source[Int(node.from)..<min(Int(node.to), source.count)], as: UTF8.self)
  }
}

extension LiquidFunction.Input {
  /// The kinds of value; empty when all make sense.
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
