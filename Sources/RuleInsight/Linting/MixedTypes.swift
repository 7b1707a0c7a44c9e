package import Expressions
internal import RuleEngine

/// Users have values of several types for an attribute, and a condition only works for some of
/// them.
///
/// `user.age > 18` if the age of some users is a string
enum MixedTypes: Lint {
  static let page = CodePage(
    .mixedTypes, .warning,
    what: "Users have values of several types for an attribute that a condition reads.",
    why: """
      Numbers and strings are different types: "21" never equals 21, and ordering the two is an error. So the \
      condition works for some users only. The counts are those of a learned schema ('tollgate schema USERS').
      """,
    example: .other(
      "user.age > 18, where the schema has {\"age\": {\"types\": {\"int\": 2, \"string\": 1}}}"),
    advice: "Send one type. Learn the schema again when the data is clean.",
    better: .other("user.age > 18, where the schema has {\"age\": \"int\"}"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var known: Set<[String]> = []
      var found: [Diagnostic] = []
      expression.visit { id, _ in
        guard let (attribute, types) = needs(id, in: expression, subject),
          let path = expression.path(attribute), path.count == 2,
          let counts = subject.given.attribute(path)?.types, counts.count > 1
        else { return }
        let others = counts.filter { !types.contains($0.key) && $0.key != "null" }
        guard !others.isEmpty, counts.count > others.count, known.insert(path).inserted else {
          return
        }
        found += findings(
          message(path, counts, others), in: condition, range: expression[id].range,
          suggestion: "send one type, or test for each", subject: path.joined(separator: "."))
      }
      return found
    }
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

  /// The attribute that a part needs to be of one of some types.
  private static func needs(
    _ id: ParsedExpression.ID, in expression: ParsedExpression, _ subject: LintSubject
  ) -> (ParsedExpression.ID, Set<String>)? {
    if let relation = Relation(id, in: expression) {
      if relation.kind == .in, expression.path(relation.right) != nil {
        return (relation.right, ["list", "map"])
      }
      guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
        let literal = literals.first.flatMap({ expression.literal($0) })
      else { return nil }
      switch literal {
      case .int, .uint, .double: return (attribute, ["int", "double"])
      case .bool, "true", "false": return (attribute, ["bool"])
      case .string(""): return nil
      case .string: return (attribute, ["string"])
      default: return nil
      }
    }
    guard let call = CalledFunction(id, in: expression, subject.language),
      let receiver = call.operands.first
    else { return nil }
    switch call.name {
    case "startsWith", "endsWith", "matches": return (receiver, ["string"])
    case "exists", "all", "filter", "map", "exists_one": return (receiver, ["list", "map"])
    default: return nil
    }
  }
}

extension Diagnostic.Code {
  /// Values of several types for one attribute.
  package static let mixedTypes = Self(rawValue: "mixed-types")
}
