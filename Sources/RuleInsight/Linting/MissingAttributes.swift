package import Expressions
internal import RuleEngine

/// A method is called on an attribute that some users lack. For these users, the call is an error.
///
/// `user.email.endsWith(".edu")`
enum MissingAttributes: Lint {
  static let page = CodePage(
    .mayBeMissing, .warning,
    what: "A function is called on an attribute that some users do not have.",
    why: """
      For these users, evaluating the condition fails, so it does not match. In superscript, a missing \
      attribute has a value only in comparisons, and contains() of a missing attribute is false. Superscript \
      also evaluates both sides of '&&', so has(user.email) && user.email.endsWith(".edu") fails for a user \
      without an email.
      """,
    example: .condition(#"user.email.endsWith(".edu")"#),
    advice: """
      Test whether the attribute exists. In superscript use '? :', because '&&' evaluates both sides. In \
      CEL, has(user.email) && ... is enough.
      """,
    better: .condition(#"has(user.email) ? user.email.endsWith(".edu") : false"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let search = Search(condition.expression, subject)
      return search.calls.flatMap { call in
        findings(
          call.isIdlyGuarded
            ? "the guard of '\(call.path)' does not help here: superscript evaluates both sides of "
              + "'&&', so \(call.name) is an error for users without the attribute"
            : "'\(call.path)' may be missing, and then \(call.name) is an error",
          in: condition, range: call.range, suggestion: "write \(call.guarded)",
          fix: call.clause.map {
            Diagnostic.Fix([Diagnostic.Fix.Edit($0, call.guarded)], isSafe: call.isSafe)
          }, subject: call.path)
      }
    }
  }
}

/// Looks for unguarded calls.
private struct Search {
  struct Call {
    var path: String
    var name: String
    var range: SourceRange
    /// The range to replace with ``guarded``, if that is possible.
    var clause: SourceRange?
    var guarded: String
    /// Whether the replacement changes no result.
    var isSafe: Bool
    /// Whether the call has a guard that does not help, because superscript evaluates both sides.
    var isIdlyGuarded: Bool
  }

  fileprivate let expression: ParsedExpression
  fileprivate let schema: ContextSchema
  private let language: RuleLanguage
  private var isSuperscript: Bool { language != .cel }
  private(set) var calls: [Call] = []

  init(_ expression: ParsedExpression, _ subject: LintSubject) {
    self.expression = expression
    schema = subject.schema
    language = subject.language
    var calls: [Call] = []
    GuardWalk(expression, isSuperscript: subject.isSuperscript).visit { id, place in
      if let call = examine(id, place) { calls.append(call) }
    }
    self.calls = calls.sorted { $0.range.from < $1.range.from }
  }

  // MARK: Calls

  private func examine(_ id: ParsedExpression.ID, _ place: GuardWalk.Place) -> Call? {
    guard let (receiver, name, isTest) = needing(id, place), let path = expression.path(receiver),
      schema.mayBeMissing(path), !place.guards.contains(path)
    else { return nil }
    let attribute = expression.text(receiver)
    let test = expression.text(id)
    // The argument of `has()` is a name after a dot.
    let presence =
      expression[receiver].kind == .select ? "has(\(attribute))" : "\(attribute) != null"
    let guarded =
      isSuperscript ? "(\(presence) ? \(test) : false)" : "(\(presence) && \(test))"
    return Call(
      path: attribute, name: name, range: expression[id].range,
      clause: isTest && expression[receiver].kind == .select ? expression[id].range : nil,
      guarded: isTest ? guarded : "\(presence) ? ... : false", isSafe: place.isClause && isTest,
      isIdlyGuarded: place.idleGuards.contains(path))
  }

  /// The operand that must exist, because the call is an error otherwise. The operands of size()
  /// and of string methods must exist. Lists must exist if an error has another effect than false.
  private func needing(_ id: ParsedExpression.ID, _ place: GuardWalk.Place)
    -> (receiver: ParsedExpression.ID, name: String, isTest: Bool)?
  {
    let isFatal = isSuperscript && !place.absorbsErrors
    if isFatal, let relation = Relation(id, in: expression), relation.kind == .in {
      return (relation.right, "'in'", true)
    }
    if isFatal, let operand = missingNumber(id) { return operand }
    guard let call = CalledFunction(id, in: expression, language),
      let receiver = call.operands.first
    else { return nil }
    if isFatal, ["int", "uint", "double", "timestamp", "duration"].contains(call.name) {
      return (receiver, "\(call.name)()", false)
    }
    if isFatal, ["all", "exists", "exists_one"].contains(call.name) {
      return (receiver, "\(call.name)()", true)
    }
    let isOfStrings =
      call.types(0) == TypeSet(.string) && call.signatures.contains(where: { $0.isMethod })
    guard isOfStrings || call.name == "size" else { return nil }
    let isTest = call.signatures.allSatisfy { $0.result.types == TypeSet(.bool) }
    return (receiver, "\(call.name)()", isTest)
  }
}

extension Search {
  /// The first operand of arithmetic that may be missing.
  fileprivate func missingNumber(_ id: ParsedExpression.ID)
    -> (receiver: ParsedExpression.ID, name: String, isTest: Bool)?
  {
    let node = expression[id]
    let sign: String
    switch node.kind {
    case .add: sign = "'+'"
    case .subtract: sign = "'-'"
    case .multiply: sign = "'*'"
    case .divide: sign = "'/'"
    case .modulo: sign = "'%'"
    default: return nil
    }
    let operand = [Int(node.a), Int(node.b)].first {
      expression.path($0).map(schema.mayBeMissing) ?? false
    }
    return operand.map { ($0, sign, false) }
  }
}

extension ContextSchema {
  /// Whether some users may lack the attribute at a path.
  func mayBeMissing(_ path: [String]) -> Bool {
    guard path.count > 1, ["user", "device", "params"].contains(path[0]) else { return false }
    guard let attribute = attribute(Array(path.prefix(2))) else {
      // In users' own records, `device` may have arbitrary attributes.
      return path[0] != "device"
    }
    return !attribute.isAlwaysThere
  }
}

extension Diagnostic.Code {
  /// A call that is an error for users that lack an attribute.
  package static let mayBeMissing = Self(rawValue: "may-be-missing")
}
