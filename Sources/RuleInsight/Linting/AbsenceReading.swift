internal import Expressions
internal import RuleEngine

/// The result of a superscript condition for users that lack one attribute, unless the result
/// depends on other attributes.
struct AbsenceReading {
  enum Answer {
    case yes, no, fails
    /// The result depends on other attributes.
    case open
  }

  /// A clause that is true because the attribute is missing.
  struct Reason {
    /// The likely intention of a clause for users that lack the attribute.
    enum Form {
      /// Most likely unintended: `<`, `<=`, `== 0`, `!= "x"`, a negated list.
      case oversight
      /// Often intended: `== false`, `!x`, `>= 0`.
      case idiom
    }

    var id: ParsedExpression.ID
    var form: Form
    /// The default that a literal is compared with if the attribute is missing; nil beside a list.
    var standIn: Value?
  }

  private let expression: ParsedExpression
  private let attribute: [String]
  /// The cached answers for parts.
  private var answers: [ParsedExpression.ID: Answer] = [:]
  /// Whether the condition handles users that lack the attribute explicitly.
  private var isAskedFor = false

  init(_ expression: ParsedExpression, without attribute: [String]) {
    self.expression = expression
    self.attribute = attribute
  }

  /// The clauses that are true because the attribute is missing. Empty if the condition cannot be
  /// true without the attribute, or handles that case explicitly.
  mutating func reasons() -> [Reason] {
    switch answer(expression.root) {
    case .no, .fails: return []
    case .yes, .open: break
    }
    let reasons = reasons(expression.root, when: true)
    return isAskedFor ? [] : reasons
  }

  // MARK: Answers

  private mutating func answer(_ id: ParsedExpression.ID) -> Answer {
    if let known = answers[id] { return known }
    let answer = evaluated(id)
    answers[id] = answer
    return answer
  }

  private mutating func evaluated(_ id: ParsedExpression.ID) -> Answer {
    let node = expression[id]
    switch node.kind {
    case .bool: return node.a == 1 ? .yes : .no
    case .not: return opposite(answer(Int(node.a)))
    case .and:
      let answers = expression.tree.list(node.c).map { answer(Int($0)) }
      if answers.contains(.fails) { return .fails }
      if answers.contains(.no) { return .no }
      return answers.contains(.open) ? .open : .yes
    case .or: return disjunction(expression.tree.list(node.c).map { answer(Int($0)) })
    case .conditional:
      switch answer(Int(node.a)) {
      case .yes: return answer(Int(node.b))
      case .no: return answer(Int(node.c))
      case .fails: return .fails
      case .open:
        let (yes, no) = (answer(Int(node.b)), answer(Int(node.c)))
        return yes == no ? yes : .open
      }
    case .identifier, .select, .index: return reads(id) ? .no : .open
    case .call: return call(id)
    default:
      if let relation = Relation(id, in: expression) { return compare(relation) }
      return .open
    }
  }

  private func opposite(_ answer: Answer) -> Answer {
    switch answer {
    case .yes: .no
    case .no: .yes
    case .fails, .open: answer
    }
  }

  private func disjunction(_ answers: [Answer]) -> Answer {
    var isOpen = false
    for answer in answers {
      switch answer {
      case .yes: return .yes
      case .fails: return isOpen ? .open : .fails
      case .open: isOpen = true
      case .no: continue
      }
    }
    return isOpen ? .open : .no
  }

  /// Whether a part is the attribute or is contained in it.
  private func reads(_ id: ParsedExpression.ID) -> Bool {
    expression.path(id)?.starts(with: attribute) ?? false
  }

  private func call(_ id: ParsedExpression.ID) -> Answer {
    guard let call = expression.call(id) else { return .open }
    if call.name == "has" { return call.arguments.first.map(reads) ?? false ? .no : .open }
    guard let target = call.target else { return .open }
    if reads(target) { return call.name == "contains" ? .no : .fails }
    if call.name == "contains", expression[target].kind == .list,
      call.arguments.first.map(reads) ?? false
    {
      return .no
    }
    return .open
  }

  private func compare(_ relation: Relation) -> Answer {
    if reads(relation.left) {
      // A missing element of an index has no default.
      if expression[relation.left].kind == .index { return beside(relation, null: relation.right) }
      guard let literal = expression.literal(relation.right) else { return .no }
      return AbsenceReading.answer(relation.kind, zero: zero(of: literal), literal)
    }
    return reads(relation.right) ? beside(relation, null: relation.left) : .open
  }

  /// The result of comparing null with an operand.
  private func beside(_ relation: Relation, null other: ParsedExpression.ID) -> Answer {
    switch relation.kind {
    case .equal: expression.literal(other) == .null ? .yes : .no
    case .notEqual: expression.literal(other) == .null ? .no : .yes
    default: .fails
    }
  }

  /// The value that superscript compares a literal with if the attribute is missing.
  private func zero(of literal: Value) -> Value {
    switch literal {
    case .int, .uint: .int(0)
    case .double: .double(0)
    case .string("true"), .string("false"), .bool: .bool(false)
    case .string: .string("")
    default: .null
    }
  }

  private static func answer(_ kind: SyntaxTree.Kind, zero: Value, _ literal: Value) -> Answer {
    let literal = literal == "true" ? .bool(true) : literal == "false" ? .bool(false) : literal
    let isLess: Bool
    if let number = literal.number {
      isLess = 0 < number
    } else {
      isLess = literal != zero
    }
    let isEqual = literal.number.map { $0 == 0 } ?? (literal == zero)
    switch kind {
    case .equal: return isEqual ? .yes : .no
    case .notEqual: return isEqual ? .no : .yes
    case .less: return isLess ? .yes : .no
    case .lessOrEqual: return isLess || isEqual ? .yes : .no
    case .greater: return isLess || isEqual ? .no : .yes
    case .greaterOrEqual: return isLess ? .no : .yes
    default: return .open
    }
  }

  // MARK: Reasons

  /// The clauses below a part that make the part true or false, as wanted.
  private mutating func reasons(_ id: ParsedExpression.ID, when wanted: Bool) -> [Reason] {
    let node = expression[id]
    switch node.kind {
    case .not: return reasons(Int(node.a), when: !wanted)
    case .and, .or:
      return expression.tree.list(node.c).flatMap { operand -> [Reason] in
        answer(Int(operand)) == (wanted ? .no : .yes) ? [] : reasons(Int(operand), when: wanted)
      }
    case .conditional:
      var branches: [ParsedExpression.ID] = []
      let test = answer(Int(node.a))
      if test != .no { branches.append(Int(node.b)) }
      if test != .yes { branches.append(Int(node.c)) }
      // `has(x) ? a : b` handles users without x explicitly.
      if test == .no, asks(Int(node.a)) { isAskedFor = true }
      var tests = test == .yes || test == .no ? reasons(Int(node.a), when: test == .yes) : []
      // The last branch handles all other users.
      if test == .no { for number in tests.indices { tests[number].form = .idiom } }
      return tests + branches.flatMap { reasons($0, when: wanted) }
    default:
      guard answer(id) == (wanted ? .yes : .no) else { return [] }
      return [reason(id, when: wanted)].compactMap { $0 }
    }
  }

  /// Whether a test only checks that the attribute exists.
  private func asks(_ id: ParsedExpression.ID) -> Bool {
    if expression.call(id)?.name == "has" { return true }
    guard let relation = Relation(id, in: expression) else { return false }
    let other = reads(relation.left) ? relation.right : relation.left
    let literal = expression.literal(other)
    return literal == .null || literal == ""
  }

  private mutating func reason(_ id: ParsedExpression.ID, when wanted: Bool) -> Reason? {
    if let call = expression.call(id) {
      // A negated `has(x)` also asks for the attribute.
      if call.name == "has" {
        isAskedFor = true
        return nil
      }
      let isList = call.target.map { expression[$0].kind == .list } ?? false
      return Reason(id: id, form: isList ? .oversight : .idiom, standIn: nil)
    }
    guard let relation = Relation(id, in: expression) else {
      return [.identifier, .select].contains(expression[id].kind)
        ? Reason(id: id, form: .idiom, standIn: .bool(false)) : nil
    }
    if relation.kind == .in { return Reason(id: id, form: .oversight, standIn: nil) }
    if asks(id) {
      isAskedFor = true
      return nil
    }
    guard reads(relation.left), let literal = expression.literal(relation.right) else {
      return Reason(id: id, form: .idiom, standIn: .null)
    }
    if expression[relation.left].kind == .index {
      return Reason(id: id, form: .oversight, standIn: .null)
    }
    let zero = zero(of: literal)
    let form: Reason.Form =
      switch (relation.kind, wanted) {
      case (.less, true), (.lessOrEqual, true), (.greater, false), (.greaterOrEqual, false):
        .oversight
      case (.equal, _), (.notEqual, _): zero == .bool(false) ? .idiom : .oversight
      default: .idiom
      }
    return Reason(id: id, form: form, standIn: zero)
  }
}
