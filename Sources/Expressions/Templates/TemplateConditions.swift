/// The conditions of a template, evaluated as far as the known values allow. Each condition refers only to earlier
/// conditions.
struct TemplateConditions: Sendable {
  typealias ID = Int

  /// The result of a condition for the known values.
  enum Outcome: Sendable {
    case yes, no, unknown
  }

  private enum Condition: Sendable {
    case constant(Outcome)
    /// A test as written, with the paths that it reads.
    case test(String, [[String?]])
    case not(ID)
    case both(ID, ID)
    case either(ID, ID)
  }

  static let unknown: ID = 0
  static let always: ID = 1
  static let never: ID = 2
  private var conditions: [Condition] = [.constant(.unknown), .constant(.yes), .constant(.no)]

  private mutating func add(_ condition: Condition) -> ID {
    conditions.append(condition)
    return conditions.count - 1
  }

  mutating func test(_ source: String, reads: some Sequence<TemplateAnalysis.Read>) -> ID {
    add(.test(source, reads.map { $0.names }))
  }

  mutating func not(_ id: ID) -> ID { add(.not(id)) }

  mutating func both(_ a: ID, _ b: ID) -> ID {
    a == TemplateConditions.always ? b : add(.both(a, b))
  }

  mutating func either(_ a: ID, _ b: ID) -> ID {
    a == TemplateConditions.never ? b : add(.either(a, b))
  }

  /// The result of every condition, by its number.
  func outcomes(with schema: TemplateSchema, _ environment: TemplateEnvironment) -> [Outcome] {
    var tester = ConditionTester(schema: schema, environment)
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(conditions.count)
    for condition in conditions {
      switch condition {
      case .constant(let outcome): outcomes.append(outcome)
      case .test(let source, let paths): outcomes.append(tester.outcome(of: source, paths))
      case .not(let id): outcomes.append(outcomes[id].negated)
      case .both(let a, let b): outcomes.append(outcomes[a].and(outcomes[b]))
      case .either(let a, let b):
        outcomes.append(outcomes[a].negated.and(outcomes[b].negated).negated)
      }
    }
    return outcomes
  }
}

extension TemplateConditions.Outcome {
  fileprivate var negated: Self {
    switch self {
    case .yes: .no
    case .no: .yes
    case .unknown: .unknown
    }
  }

  fileprivate func and(_ other: Self) -> Self {
    if self == .no || other == .no { return .no }
    return self == .yes && other == .yes ? .yes : .unknown
  }
}

/// Runs tests whose values are all known, as separate templates.
private struct ConditionTester {
  private let schema: TemplateSchema
  private let environment: TemplateEnvironment
  private var known: [String: TemplateConditions.Outcome] = [:]

  init(schema: TemplateSchema, _ environment: TemplateEnvironment) {
    self.schema = schema
    var environment = environment
    // The entities are resolved already, and a test includes no templates.
    environment.isHTML = false
    environment.delimiters = .braces
    environment.templates = [:]
    self.environment = environment
  }

  mutating func outcome(of source: String, _ paths: [[String?]]) -> TemplateConditions.Outcome {
    if let outcome = known[source] { return outcome }
    let outcome = run(source, paths)
    known[source] = outcome
    return outcome
  }

  private func run(_ source: String, _ paths: [[String?]]) -> TemplateConditions.Outcome {
    var context = Value.map([])
    for path in paths {
      switch schema.known(path) {
      case .unknown: return .unknown
      case .absent: continue
      case .value(let value, let count):
        context.set(path.prefix(count).compactMap { $0 }[...], to: value)
      }
    }
    guard let template = environment.compile("{% if \(source) %}1{% endif %}").output,
      let rendered = try? template.render(context)
    else { return .unknown }
    return rendered.text == "1" ? .yes : rendered.errors.isEmpty ? .no : .unknown
  }
}

extension Value {
  /// Sets the value at a path of names, in nested maps.
  fileprivate mutating func set(_ names: ArraySlice<String>, to value: Value) {
    guard let first = names.first else {
      self = value
      return
    }
    guard case .map(var entries) = self else { return }
    let place = entries.firstIndex { $0.key == .string(first) } ?? entries.count
    if place == entries.count { entries.append(Value.Entry(key: .string(first), value: .map([]))) }
    entries[place].value.set(names.dropFirst(), to: value)
    self = .map(entries)
  }
}
