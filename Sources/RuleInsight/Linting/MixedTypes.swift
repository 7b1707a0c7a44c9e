package import Expressions
internal import RuleEngine

/// Users have values of several types for an attribute, and a condition only works for some of
/// them.
///
/// `user.age > 18`, if the age of some users is a string
enum MixedTypes: Lint {
  static let page = CodePage(
    .mixedTypes, .warning,
    what: "Users have values of several types for an attribute that a condition reads.",
    why: """
      Numbers and strings are different types: "21" never equals 21, and '<' and '>' between the two are errors. \
      So the condition works only for some users. The counts come from a learned schema ('tollgate schema \
      USERS').
      """,
    example: .other(
      "user.age > 18, where the schema has {\"age\": {\"types\": {\"int\": 2, \"string\": 1}}}"),
    advice: "Send values of one type. Learn the schema again when the data is clean.",
    better: .other("user.age > 18, where the schema has {\"age\": \"int\"}"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.given.hasMixedTypes else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var known: Set<[String]> = []
      var found: [Diagnostic] = []
      expression.visit { id, parent in
        for (attribute, types) in needs(id, parent, in: expression, subject) {
          guard let path = expression.path(attribute), path.count > 1,
            let counts = subject.given.attribute(Array(path.prefix(2)))?.types, counts.count > 1
          else { continue }
          // A name after the attribute requires an object.
          let types = path.count > 2 ? ["map"] : types ?? usual(counts)
          let others = counts.filter { !types.contains($0.key) && $0.key != "null" }
          guard !others.isEmpty, counts.count > others.count,
            known.insert(Array(path.prefix(2))).inserted
          else { continue }
          found += findings(
            message(Array(path.prefix(2)), counts, others), in: condition,
            range: expression[id].range, suggestion: "send one type, or test for each",
            subject: path.joined(separator: "."))
        }
      }
      return found
    }
  }

  /// The type of most values.
  private static func usual(_ counts: [String: Int]) -> Set<String> {
    let numbers = (counts["int"] ?? 0) + (counts["double"] ?? 0)
    let others = counts.filter { !["int", "double", "null"].contains($0.key) }
    guard let most = others.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      most.value >= numbers
    else { return ["int", "double"] }
    return [most.key]
  }

  private static func message(_ path: [String], _ counts: [String: Int], _ others: [String: Int])
    -> String
  {
    let users = counts.values.reduce(0, +)
    let list = others.sorted { $0.key < $1.key }.map { type, count in
      "\(name(of: type)) for \(count) of \(users) users"
    }
    return
      "'\(path.joined(separator: "."))' is \(list.joined(separator: " and ")), which does not fit here"
  }

  private static func name(of type: String) -> String {
    switch type {
    case "int", "double": "a number"
    default: "a \(type)"
    }
  }

  private typealias Need = (attribute: ParsedExpression.ID, types: Set<String>?)

  /// The attributes in a part, with the types that they need; nil if the type does not matter as
  /// long as there is only one.
  private static func needs(
    _ id: ParsedExpression.ID, _ parent: ParsedExpression.ID?, in expression: ParsedExpression,
    _ subject: LintSubject
  ) -> [Need] {
    if let relation = Relation(id, in: expression) { return needs(relation, in: expression) }
    let node = expression[id]
    switch node.kind {
    case .identifier, .select, .index:
      return isTest(id, parent, in: expression) ? [(id, Set(["bool"]))] : []
    case .subtract, .multiply, .divide, .modulo:
      return [(Int(node.a), ["int", "double"]), (Int(node.b), ["int", "double"])]
    case .add:
      let isNumber = [node.a, node.b].contains { expression.literal(Int($0))?.number != nil }
      let types: Set<String>? = isNumber ? ["int", "double"] : nil
      return [(Int(node.a), types), (Int(node.b), types)]
    default: break
    }
    guard let call = CalledFunction(id, in: expression, subject.language),
      let receiver = call.operands.first
    else { return [] }
    switch call.name {
    case "startsWith", "endsWith", "matches": return [(receiver, ["string"])]
    case "exists", "all", "filter", "map", "exists_one": return [(receiver, ["list", "map"])]
    case "contains", "size": return [(receiver, nil)]
    default: return []
    }
  }

  private static func needs(_ relation: Relation, in expression: ParsedExpression) -> [Need] {
    if relation.kind == .in, expression.path(relation.right) != nil {
      return [(relation.right, ["list", "map"])]
    }
    guard let (attribute, literals) = relation.attributeWithLiterals(in: expression) else {
      return relation.kind == .in ? [] : [(relation.left, nil), (relation.right, nil)]
    }
    guard let literal = literals.first.flatMap({ expression.literal($0) }) else { return [] }
    switch literal {
    case .int, .uint, .double: return [(attribute, ["int", "double"])]
    case .bool, "true", "false": return [(attribute, ["bool"])]
    case .string(""): return []
    case .string: return [(attribute, ["string"])]
    default: return []
    }
  }

  /// Whether an attribute is used as a condition.
  private static func isTest(
    _ id: ParsedExpression.ID, _ parent: ParsedExpression.ID?, in expression: ParsedExpression
  ) -> Bool {
    guard let parent else { return true }
    let node = expression[parent]
    switch node.kind {
    case .not, .and, .or: return true
    case .conditional: return Int(node.a) == id
    default: return false
    }
  }
}

extension ContextSchema {
  /// Whether users have values of several types for an attribute.
  fileprivate var hasMixedTypes: Bool {
    roots.values.contains { $0.values.contains { $0.types.count > 1 } }
  }
}

extension Diagnostic.Code {
  /// Values of several types for one attribute.
  package static let mixedTypes = Self(rawValue: "mixed-types")
}
