package import Expressions
package import RuleEngine

/// A config as lints look at it: decoded, as JSON, and with its conditions read.
package struct LintSubject {
  /// An expression, once for all audiences that have it.
  package struct Condition {
    let expression: ParsedExpression
    let audiences: [Audience]

    /// Where the expression stands.
    var paths: [String] { audiences.map(\.expressionPath) }
  }

  /// A filter of AgentWallie's, with where it stands.
  struct PlacedFilter {
    let filter: Filter
    let path: String
  }

  let config: Config
  let root: ConfigElement
  let language: RuleLanguage
  let conditions: [Condition]
  /// What is known of attributes.
  let schema: ContextSchema
  /// What the given schema alone says of them.
  let given: ContextSchema
  /// By condition, what the types of its parts say.
  let typeProblems: [[TypeProblem]]
  /// Every audience that decides, once, whichever placements it belongs to.
  let audiences: [Audience]

  /// - Parameters:
  ///   - json: what the config was decoded from.
  ///   - language: what its expressions are written in.
  ///   - schema: what is known of attributes beside what SDKs send.
  package init(
    _ config: Config, json: Value, language: RuleLanguage, schema: ContextSchema = ContextSchema()
  ) {
    self.config = config
    root = ConfigElement(value: json, path: "")
    self.language = config.format == .superwall ? language : .cel
    var paths: Set<String> = []
    audiences = config.placements.flatMap(\.audiences).filter { paths.insert($0.path).inserted }
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

  /// Where the variants of an audience stand.
  func variantsPath(of audience: Audience) -> String {
    config.format == .agentWallie
      ? "\(audience.path).experiment.variants" : "\(audience.path).variants"
  }
}

/// A comparison as it is written.
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

  /// An attribute and the literals that it is compared with, whichever side they stand on.
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

extension ParsedExpression {
  var relations: [Relation] {
    var found: [Relation] = []
    visit { id, _ in if let relation = Relation(id, in: self) { found.append(relation) } }
    return found
  }

  /// All attributes, each where it stands, with the call that it is the receiver of. Of `user.a.b`
  /// there is one.
  var attributes: [(id: ID, path: [String])] {
    var found: [(ID, [String])] = []
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
