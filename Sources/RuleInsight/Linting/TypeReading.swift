internal import Expressions
internal import RuleEngine

/// A problem with the types of an expression's parts.
struct TypeProblem {
  var code: Diagnostic.Code
  var range: SourceRange
  var message: String
  var suggestion: String?
  var fix: Diagnostic.Fix?
  /// The attribute that the problem is about.
  var subject: String?
}

/// Infers the types of an expression's parts, and finds incompatible parts.
///
/// An unknown type is compatible with every other type. Type problems do not affect decisions: an
/// expression with problems still compiles and evaluates as before.
struct TypeReading {
  typealias Kind = ContextSchema.Kind

  let expression: ParsedExpression
  let schema: ContextSchema
  let language: RuleLanguage
  private(set) var problems: [TypeProblem] = []

  var isSuperscript: Bool { language != .cel }

  init(_ expression: ParsedExpression, _ schema: ContextSchema, _ language: RuleLanguage) {
    self.expression = expression
    self.schema = schema
    self.language = language
    let whole = kind(expression.root)
    if case .bool = whole { return }
    // The Web SDK accepts values that are true in JavaScript.
    if whole == .any || whole == .null || language.platform == .web { return }
    // An operand that is not a bool is already reported.
    if expression[expression.root].kind == .or, !problems.isEmpty { return }
    report(
      .typeError, expression.root,
      "the condition is \(whole.name), not a bool: no user matches",
      suggestion: "compare it with a value")
  }

  mutating func report(
    _ code: Diagnostic.Code, _ id: ParsedExpression.ID, _ message: String,
    suggestion: String? = nil, fix: Diagnostic.Fix? = nil, subject: ParsedExpression.ID? = nil
  ) {
    problems.append(
      TypeProblem(
        code: code, range: expression[id].range, message: message, suggestion: suggestion,
        fix: fix, subject: attribute(in: subject ?? id)))
  }

  /// The first attribute of a part, found by following left operands.
  private func attribute(in id: ParsedExpression.ID) -> String? {
    var id = id
    while true {
      if let path = expression.path(id), path.count > 1 { return path.joined(separator: ".") }
      if let call = expression.call(id), let target = call.target ?? call.arguments.first {
        id = target
        continue
      }
      let operands = expression.tree.operands(of: expression[id])
      guard let first = operands.first(where: { expression.literal($0) == nil }) else { return nil }
      id = first
    }
  }

  /// The type of a part.
  mutating func kind(_ id: ParsedExpression.ID) -> Kind {
    let node = expression[id]
    switch node.kind {
    case .null: return .null
    case .bool: return .bool
    case .int, .uint, .double: return .number
    case .string: return text(id)
    case .identifier, .select, .index: return attribute(id)
    case .call: return call(id)
    case .list: return list(id)
    case .map:
      for operand in expression.tree.operands(of: node) { _ = kind(operand) }
      return .map
    case .not:
      test(Int(node.a), "!")
      return .bool
    case .and, .or: return chain(id)
    case .conditional:
      test(Int(node.a), "?")
      let (yes, no) = (kind(Int(node.b)), kind(Int(node.c)))
      return yes.joined(no)
    case .negate: return number([Int(node.a)], id, "-")
    case .subtract: return arithmetic(id, "-")
    case .multiply: return number([Int(node.a), Int(node.b)], id, "*")
    case .divide: return number([Int(node.a), Int(node.b)], id, "/")
    case .modulo: return number([Int(node.a), Int(node.b)], id, "%")
    case .add: return arithmetic(id, "+")
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in:
      if let relation = Relation(id, in: expression) { relate(relation) }
      return .bool
    case .invalid, .bytes, .message, .optionalSelect, .optionalIndex, .optionalElement, .clause:
      for operand in expression.tree.operands(of: node) { _ = kind(operand) }
      return .any
    }
  }

  /// The type of a string literal. Superscript converts the strings "true" and "false" to bools.
  private func text(_ id: ParsedExpression.ID) -> Kind {
    guard case .string(let text)? = expression.literal(id) else { return .anyText }
    if isSuperscript, text == "true" || text == "false" { return .bool }
    return .text(oneOf: [text])
  }

  private mutating func attribute(_ id: ParsedExpression.ID) -> Kind {
    let node = expression[id]
    guard let path = expression.path(id) else {
      if node.kind == .index {
        _ = kind(Int(node.b))
        if case .list(let element) = kind(Int(node.a)) { return element }
      } else if node.kind == .select {
        _ = kind(Int(node.a))
      }
      return .any
    }
    let kind = schema.attribute(path)?.kind ?? .any
    // In superscript, the strings "true" and "false" are bools, and other strings are not.
    if isSuperscript, case .text(let words) = kind,
      words.contains("true") || words.contains("false")
    {
      return .any
    }
    return kind
  }

  private mutating func list(_ id: ParsedExpression.ID) -> Kind {
    let elements = expression.tree.list(expression[id].c).map(Int.init)
    var kinds: [Kind] = []
    for element in elements { kinds.append(kind(element)) }
    return .list(.union(kinds))
  }

  // MARK: Logic

  private mutating func chain(_ id: ParsedExpression.ID) -> Kind {
    let node = expression[id]
    let isOr = node.kind == .or
    var result: Kind?
    for operand in expression.tree.list(node.c) {
      let kind = test(Int(operand), isOr ? "||" : "&&")
      result = result?.joined(kind) ?? kind
    }
    // The result of superscript's `||` is one of its operands.
    return isOr && isSuperscript ? result ?? .any : .bool
  }

  /// Checks an operand that is used as a condition.
  @discardableResult
  private mutating func test(_ id: ParsedExpression.ID, _ what: String) -> Kind {
    let kind = kind(id)
    guard kind != .bool, kind != .any, kind != .null else { return kind }
    if isSuperscript {
      report(
        .neverBool, id,
        "this is \(kind.name) rather than a bool: it counts as true unless it is "
          + (kind == .number ? "0" : "empty"), suggestion: "compare it with a value")
    } else {
      report(
        .typeError, id, "'\(what)' takes bools, and this is \(kind.name)",
        suggestion: "compare it with a value")
    }
    return kind
  }

  // MARK: Arithmetic

  private mutating func number(
    _ operands: [ParsedExpression.ID], _ id: ParsedExpression.ID, _ sign: String
  ) -> Kind {
    for operand in operands {
      let kind = kind(operand)
      if kind.isLike(.number) { continue }
      report(.typeError, operand, "'\(sign)' takes numbers, and this is \(kind.name)")
    }
    return .number
  }

  /// Checks operations that also apply to strings, lists and times.
  private mutating func arithmetic(_ id: ParsedExpression.ID, _ sign: String) -> Kind {
    let node = expression[id]
    let (a, b) = (kind(Int(node.a)), kind(Int(node.b)))
    switch (a, b) {
    case (.time, .span), (.span, .time): return .time
    case (.time, .time): return sign == "-" ? .span : .any
    // These types are only compatible with a value of the same type.
    case (.any, .number), (.number, .any): return .number
    case (.any, .text), (.text, .any): return sign == "+" ? .anyText : .any
    case (.any, .list), (.list, .any): return sign == "+" ? .list(.any) : .any
    case (.any, _), (_, .any): return .any
    case (.number, .number), (.span, .span): return a
    case (.text, .text) where sign == "+": return .anyText
    case (.list, .list) where sign == "+": return .list(.any)
    case (.null, _), (_, .null): return .any
    default:
      let texts = sign == "+" && [a, b].contains { $0.isLike(.anyText) }
      report(
        .typeError, id, "'\(sign)' does not take \(a.name) and \(b.name)",
        suggestion: texts ? "make both strings, as in \"a\" + string(1)" : nil)
      return .any
    }
  }
}
