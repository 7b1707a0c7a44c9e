package import Expressions
package import RuleEngine

/// A config in the form that lints read: decoded, as JSON, and with its conditions parsed.
package struct LintSubject {
  /// An expression, shared by all audiences that have the same one.
  package struct Condition {
    let expression: ParsedExpression
    let audiences: [Audience]

    /// The paths of the expression.
    var paths: [String] { audiences.map { $0.expressionPath } }
  }

  /// An AgentWallie filter with its position in the config.
  struct PlacedFilter {
    let filter: Filter
    let path: String

    /// The values that the field is compared with, and their paths.
    var values: [(value: Value, path: String)] {
      guard let value = filter.value else { return [] }
      guard let elements = value.elements else { return [(value, "\(path).value")] }
      return elements.enumerated().map { ($1, "\(path).value[\($0)]") }
    }
  }

  let config: Config
  let root: ConfigElement
  let language: RuleLanguage
  let conditions: [Condition]
  /// The known attributes.
  let schema: ContextSchema
  /// The attributes of the given schema, without those that SDKs send.
  let given: ContextSchema
  /// The type problems of each condition.
  let typeProblems: [[TypeProblem]]
  /// The audiences that decide. An audience of several placements is listed once.
  let audiences: [Audience]

  /// - Parameters:
  ///   - json: the JSON that the config was decoded from.
  ///   - language: the language of the config's expressions.
  ///   - schema: known attributes in addition to those that SDKs send.
  package init(
    _ config: Config, json: Value, language: RuleLanguage, schema: ContextSchema = ContextSchema()
  ) {
    self.config = config
    root = ConfigElement(value: json, path: "")
    self.language = config.format == .superwall ? language : .cel
    var paths: Set<String> = []
    audiences = config.placements.flatMap { $0.audiences }.filter { paths.insert($0.path).inserted }
    conditions = LintSubject.conditions(of: audiences, in: self.language)
    let builtIn: ContextSchema =
      config.format == .agentWallie ? .agentWallie : .superwall(self.language)
    let known = builtIn.overridden(by: schema)
    self.schema = known
    given = schema
    let own = self.language
    typeProblems = conditions.map { TypeReading($0.expression, known, own).problems }
  }

  private static func conditions(of audiences: [Audience], in language: RuleLanguage)
    -> [Condition]
  {
    var order: [[UInt8]] = []
    var having: [[UInt8]: [Audience]] = [:]
    for audience in audiences {
      guard let text = audience.expression else { continue }
      let key = Array(text.utf8)
      if having[key] == nil { order.append(key) }
      having[key, default: []].append(audience)
    }
    let dialect: Dialect = language == .cel ? .cel : .superscript
    return order.compactMap { key in
      guard let audiences = having[key], let text = audiences.first?.expression,
        let expression = ParsedExpression(text, in: dialect)
      else { return nil }
      return Condition(expression: expression, audiences: audiences)
    }
  }

  var isSuperscript: Bool { language != .cel }

  var filters: [PlacedFilter] {
    audiences.flatMap { audience in
      audience.filters.enumerated().map {
        PlacedFilter(filter: $1, path: "\(audience.path).filters[\($0)]")
      }
    }
  }

  /// The path of an audience's variants.
  func variantsPath(of audience: Audience) -> String {
    config.format == .agentWallie
      ? "\(audience.path).experiment.variants" : "\(audience.path).variants"
  }
}

/// A comparison as written.
struct Relation {
  let id: ParsedExpression.ID
  let kind: SyntaxTree.Kind
  let left: ParsedExpression.ID
  let right: ParsedExpression.ID

  init?(_ id: ParsedExpression.ID, in expression: ParsedExpression) {
    let node = expression[id]
    switch node.kind {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in: break
    default: return nil
    }
    self.id = id
    kind = node.kind
    left = Int(node.a)
    right = Int(node.b)
  }

  var isOrder: Bool {
    switch kind {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// An attribute and the literals that it is compared with. The attribute may be on either side.
  func attributeWithLiterals(in expression: ParsedExpression)
    -> (attribute: ParsedExpression.ID, literals: [ParsedExpression.ID])?
  {
    if expression.path(left) != nil {
      if expression.literal(right) != nil { return (left, [right]) }
      guard kind == .in, expression[right].kind == .list else { return nil }
      let elements = expression.tree.list(expression[right].c).map(Int.init)
      return (left, elements.filter { expression.literal($0) != nil })
    }
    if kind != .in, expression.path(right) != nil, expression.literal(left) != nil {
      return (right, [left])
    }
    return nil
  }
}

extension SyntaxTree.Kind {
  /// The comparison with its operands swapped.
  var turned: Self {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }

  /// The comparison of two numbers that is true if and only if this one is false.
  var negated: Self {
    switch self {
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    case .equal: .notEqual
    case .notEqual: .equal
    default: self
    }
  }
}

extension ParsedExpression {
  /// The attribute inside conversions such as `double(user.share)`.
  func unconverted(_ id: ID) -> ID {
    guard let call = call(id), call.target == nil, call.arguments.count == 1,
      ["int", "uint", "double"].contains(call.name)
    else { return id }
    return unconverted(call.arguments[0])
  }

  var relations: [Relation] {
    var found: [Relation] = []
    visit { id, _ in if let relation = Relation(id, in: self) { found.append(relation) } }
    return found
  }

  /// All attributes with their positions, and the call whose receiver each attribute is. `user.a.b`
  /// counts once.
  var attributes: [(id: ID, path: [String])] {
    var found: [(id: ID, path: [String])] = []
    visit { id, parent in
      guard let path = path(id), path.count > 1 else { return }
      if let parent, [.select, .index].contains(self[parent].kind), Int(self[parent].a) == id {
        if self.path(parent) != nil { return }
      }
      found.append((id, path))
    }
    return found
  }
}
