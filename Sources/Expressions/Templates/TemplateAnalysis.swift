/// The values that a template reads, determined without rendering it.
///
/// ```swift
/// let analysis = TemplateEnvironment().analyze("{{ user.nam }} pays {{ products.primary.price }}")
/// analysis.requirements  // ["products.primary.price", "user.nam"]
/// let schema = TemplateSchema(
///   of: ["user": ["name": "Ann"], "products": ["primary": ["price": "$9.99"]]])
/// analysis.check(against: schema).count  // 1
/// ```
package struct TemplateAnalysis: Sendable {
  /// A place where a template reads a value of its context.
  package struct Read: Sendable {
    /// The path as people write it: `products.primary.price`, `list[0].name`, `a[b.c].d`.
    package var path: String
    /// The names of the path, with nil for computed names.
    package var names: [String?]
    package var range: SourceRange
    /// Whether the template handles a missing value: by a default, or by a condition around it that tests for the
    /// value.
    package var isGuarded: Bool
    /// The kinds of value that are valid here, or empty for all kinds.
    package var wanted: [TemplateType]
    /// The use of the value, for messages.
    package var use: String
    /// Paths that conditions around the place test.
    var guards: [String] = []
    /// The condition for reaching the place.
    var reach = TemplateConditions.always
  }

  package private(set) var reads: [Read] = []
  /// The errors in the template itself.
  package private(set) var diagnostics: [Diagnostic] = []
  /// The strings, tests and computations of the template, by place.
  package private(set) var parts = TemplateParts()
  private let conditions: TemplateConditions
  private let environment: TemplateEnvironment

  /// The paths that are read, each once, in alphabetical order.
  package var requirements: [String] {
    Array(Set(reads.map { $0.path })).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  init(_ source: String, _ environment: TemplateEnvironment) {
    // SAFETY: The walk and its view of the source stay in the closure.
    // Tests: TemplateAnalysisTests.
    var text = environment.isHTML ? MarkupEntities.resolved(source, environment.delimiters) : source
    (reads, conditions, parts, diagnostics) = text.withUTF8 { bytes in
      let (tree, diagnostics) = TemplateParser.parse(bytes, environment)
      var walk = TemplateWalk(tree: tree, source: bytes, environment: environment)
      walk.visit(UInt32(tree.root))
      return (walk.reads, walk.conditions, walk.parts, diagnostics)
    }
    self.environment = environment
  }

  /// Compares the reads with the values that will exist. Parts inside a condition that is known to be false are
  /// not read, so their values are not missing.
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
    // Whether a condition around the place tests the value, or a value that contains it.
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
        .unknownAttribute, "\(read.path) may be absent, and then prints nothing",
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

  /// The replacement for an invalid name.
  private static func help(forPath name: String) -> String? {
    if name.unicodeScalars.contains(where: CharacterHint.curlyQuotes.contains) {
      return "use straight quotes"
    }
    if name.contains("|") { return "remove the filter; this dialect has no filters" }
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
  /// Analyzes a template.
  package func analyze(_ source: String) -> TemplateAnalysis { TemplateAnalysis(source, self) }
}

extension Template {
  /// The paths that the template reads, without duplicates and in alphabetical order.
  public var requirements: [String] {
    templates.environment.analyze(program.sources.first ?? "").requirements
  }
}
