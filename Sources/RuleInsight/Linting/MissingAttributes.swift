package import Expressions
internal import RuleEngine

/// A method is called on an attribute that some users lack, for whom that is an error.
///
/// `user.email.endsWith(".edu")`
enum MissingAttributes: Lint {
  static let page = CodePage(
    .mayBeMissing, .warning,
    what: "A function is called on an attribute that some users do not have.",
    why: """
      For them evaluating the condition is an error, so that it does not hold, whatever else it says. \
      Superscript gives a missing attribute a value in comparisons only, and contains() of it is false.
      """,
    example: .condition(#"user.email.endsWith(".edu")"#),
    advice: """
      Ask for it first. In superscript that takes a choice, because '&&' evaluates both sides; in CEL \
      has(user.email) && ... is enough.
      """,
    better: .condition(#"has(user.email) ? user.email.endsWith(".edu") : false"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      var search = Search(condition.expression, subject)
      search.look(at: condition.expression.root, [], isClause: true)
      return search.found.flatMap { call in
        findings(
          "'\(call.path)' may be missing, and then \(call.name) is an error",
          in: condition, range: call.range, suggestion: "write \(call.guarded)",
          fix: call.clause.map {
            Diagnostic.Fix([Diagnostic.Fix.Edit($0, call.guarded)], isSafe: call.isSafe)
          }, subject: call.path)
      }
    }
  }
}

/// Looks for calls that nothing guards.
private struct Search {
  struct Call {
    var path: String
    var name: String
    var range: SourceRange
    /// What is replaced by ``guarded``, where that is possible.
    var clause: SourceRange?
    var guarded: String
    /// Whether no answer changes by it.
    var isSafe: Bool
  }

  private let expression: ParsedExpression
  private let schema: ContextSchema
  private let language: RuleLanguage
  private var isSuperscript: Bool { language != .cel }
  private(set) var found: [Call] = []

  init(_ expression: ParsedExpression, _ subject: LintSubject) {
    self.expression = expression
    schema = subject.schema
    language = subject.language
  }

  /// - Parameters:
  ///   - guards: attributes that are there when this is reached.
  ///   - isClause: whether the condition holds only if this does.
  mutating func look(at id: ParsedExpression.ID, _ guards: Set<[String]>, isClause: Bool) {
    let node = expression[id]
    switch node.kind {
    case .and:
      let operands = expression.tree.list(node.c).map(Int.init)
      // An error is false or stays one, whichever side it is on.
      let all = operands.reduce(into: guards) { $0.formUnion(presences($1, when: true)) }
      for operand in operands { look(at: operand, all, isClause: isClause) }
    case .or:
      let operands = expression.tree.list(node.c).map(Int.init)
      var known = guards
      for operand in operands {
        look(at: operand, known, isClause: false)
        known.formUnion(presences(operand, when: false))
      }
    case .conditional:
      let (test, yes, no) = (Int(node.a), Int(node.b), Int(node.c))
      look(at: test, guards, isClause: false)
      look(at: yes, guards.union(presences(test, when: true)), isClause: false)
      look(at: no, guards.union(presences(test, when: false)), isClause: false)
    default:
      examine(id, guards, isClause: isClause)
      for operand in expression.tree.operands(of: node) {
        look(at: operand, guards, isClause: false)
      }
    }
  }

  // MARK: Guards

  /// Attributes that are there when a test has this outcome.
  private func presences(_ id: ParsedExpression.ID, when outcome: Bool) -> Set<[String]> {
    let node = expression[id]
    switch node.kind {
    case .not: return presences(Int(node.a), when: !outcome)
    case .and where outcome, .or where !outcome:
      return expression.tree.list(node.c).reduce(into: []) {
        $0.formUnion(presences(Int($1), when: outcome))
      }
    case .conditional where outcome:
      // `has(a) ? test : false`
      guard expression.literal(Int(node.c)) == .bool(false) else { return [] }
      return presences(Int(node.a), when: true).union(presences(Int(node.b), when: true))
    case .equal, .notEqual:
      return compared(node, isEqual: (node.kind == .equal) == outcome)
    case .in where outcome:
      // `"email" in user`
      if case .string(let name)? = expression.literal(Int(node.a)),
        let root = expression.path(Int(node.b)), root.count == 1
      {
        return [root + [name]]
      }
      return paths(Int(node.a))
    case .identifier, .select, .index:
      // What counts as true is there.
      return outcome ? paths(id) : []
    case .call where outcome:
      guard let call = expression.call(id) else { return [] }
      if call.name == "has" { return paths(call.arguments.first) }
      // What contains something is there.
      return call.name == "contains" ? paths(call.target) : []
    default: return []
    }
  }

  /// The path of an attribute, if it is one.
  private func paths(_ id: ParsedExpression.ID?) -> Set<[String]> {
    guard let id, let path = expression.path(id) else { return [] }
    return [path]
  }

  private func compared(_ node: SyntaxTree.Node, isEqual: Bool) -> Set<[String]> {
    for (attribute, other) in [(node.a, node.b), (node.b, node.a)] {
      guard let path = expression.path(Int(attribute)),
        let literal = expression.literal(Int(other))
      else { continue }
      let isNothing = literal == .null || literal == ""
      return isEqual != isNothing ? [path] : []
    }
    return []
  }

  // MARK: Calls

  private mutating func examine(
    _ id: ParsedExpression.ID, _ guards: Set<[String]>, isClause: Bool
  ) {
    guard let (receiver, name, isTest) = needing(id), let path = expression.path(receiver),
      mayBeMissing(path), !guards.contains(path)
    else { return }
    let attribute = expression.text(receiver)
    let test = expression.text(id)
    // has() takes a name behind a dot.
    let presence =
      expression[receiver].kind == .select ? "has(\(attribute))" : "\(attribute) != null"
    let guarded =
      isSuperscript ? "(\(presence) ? \(test) : false)" : "(\(presence) && \(test))"
    found.append(
      Call(
        path: attribute, name: name, range: expression[id].range,
        clause: isTest && expression[receiver].kind == .select ? expression[id].range : nil,
        guarded: isTest ? guarded : "\(presence) ? ... : false", isSafe: isClause && isTest))
  }

  /// The operand that must be there, for what is an error without it: size() and methods of strings.
  private func needing(_ id: ParsedExpression.ID)
    -> (receiver: ParsedExpression.ID, name: String, isTest: Bool)?
  {
    guard let call = CalledFunction(id, in: expression, language),
      let receiver = call.operands.first
    else { return nil }
    let isOfStrings =
      call.types(0) == TypeSet(.string) && call.signatures.contains(where: \.isMethod)
    guard isOfStrings || call.name == "size" else { return nil }
    let isTest = call.signatures.allSatisfy { $0.result.types == TypeSet(.bool) }
    return (receiver, "\(call.name)()", isTest)
  }

  private func mayBeMissing(_ path: [String]) -> Bool {
    guard path.count > 1, ["user", "device", "params"].contains(path[0]) else { return false }
    guard let attribute = schema.attribute(Array(path.prefix(2))) else {
      // Records of one's own have what they have under `device`.
      return path[0] != "device"
    }
    return !attribute.isAlwaysThere
  }
}

extension Diagnostic.Code {
  /// A call that is an error for users who lack an attribute.
  package static let mayBeMissing = Self(rawValue: "may-be-missing")
}
