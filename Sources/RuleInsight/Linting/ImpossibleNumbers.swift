package import Expressions
internal import RuleEngine

/// A number that SDKs never send for an attribute.
///
/// `user.seed > 100`: seeds are from 0 to 99.
enum ImpossibleNumbers: Lint {
  static let page = CodePage(
    .impossibleNumber, .warning,
    what: "A condition compares an attribute with a number outside its range.",
    why: """
      SDKs count days, views and events from 0, draw seeds from 0 to 99, and send time zones in seconds. \
      The comparison has the same result for every user.
      """,
    example: .condition("user.seed >= 100"),
    advice: "Write a number from the range that the message names.",
    better: .condition("user.seed >= 50"))

  private struct Span {
    var least: Double
    var greatest: Double
    var words: String

    static let count = Span(least: 0, greatest: .infinity, words: "0 or more")
  }

  /// The ranges of date components.
  private static let calendar = [
    "getMonth": Span(least: 0, greatest: 11, words: "from 0 (January) to 11"),
    "getDayOfWeek": Span(least: 0, greatest: 6, words: "from 0 (Sunday) to 6"),
    "getDayOfMonth": Span(least: 0, greatest: 30, words: "from 0 to 30"),
    "getDate": Span(least: 1, greatest: 31, words: "from 1 to 31"),
    "getDayOfYear": Span(least: 0, greatest: 365, words: "from 0 to 365"),
    "getHours": Span(least: 0, greatest: 23, words: "from 0 to 23"),
    "getMinutes": Span(least: 0, greatest: 59, words: "from 0 to 59"),
    "getSeconds": Span(least: 0, greatest: 59, words: "from 0 to 59"),
    "getMilliseconds": Span(least: 0, greatest: 999, words: "from 0 to 999"),
  ]
  private static let seeds = Span(least: 0, greatest: 99, words: "from 0 to 99")

  private static let counts: Set<String> = [
    "daysSinceInstall", "minutesSinceInstall", "totalPaywallViews", "daysSinceLastPaywallView",
    "minutesSinceLastPaywallView", "totalReviewRequests", "reviewRequestCount",
  ]

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .superwall else { return filters(in: subject) }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      expression.visit { id, parent in
        guard let relation = Relation(id, in: expression) else { return }
        let isNegated = parent.map { expression[$0].kind == .not } ?? false
        found += findings(relation, isNegated: isNegated, condition, subject)
      }
      return found
    }
  }

  private static func findings(
    _ relation: Relation, isNegated: Bool, _ condition: LintSubject.Condition,
    _ subject: LintSubject
  ) -> [Diagnostic] {
    let expression = condition.expression
    if relation.kind == .in { return elements(of: relation, condition, subject) }
    guard let (id, number, kind) = numericRelation(relation, in: expression) else { return [] }
    let name = expression.text(id)
    if isOffset(id, in: expression, subject) {
      guard number != 0, number.magnitude < 900 || number.magnitude > 64_800 else { return [] }
      return findings(
        "'\(name)' is in seconds: \(number.shortText) is not a time zone offset",
        in: condition, range: expression[relation.id].range,
        suggestion: number.magnitude <= 14 ? "write \((number * 3_600).shortText)" : nil,
        subject: name)
    }
    guard let span = span(of: id, in: expression, subject) else { return [] }
    // `seed < 100` makes a bound explicit. `!(seed < 100)` is a mistake.
    let opposite = isNegated ? answer(kind.negated, number, span).map { !$0 } : nil
    guard let answer = answer(kind, number, span) ?? opposite else { return [] }
    return findings(
      "'\(expression.text(relation.id))' is \(answer ? "always" : "never") true: '\(name)' is "
        + (number == number.rounded() ? span.words : "a whole number"), in: condition,
      range: expression[relation.id].range, subject: name)
  }

  /// Numbers in a list that the attribute never has.
  private static func elements(
    of relation: Relation, _ condition: LintSubject.Condition, _ subject: LintSubject
  ) -> [Diagnostic] {
    let expression = condition.expression
    guard expression[relation.right].kind == .list,
      let span = span(of: relation.left, in: expression, subject)
    else { return [] }
    let name = expression.text(relation.left)
    return expression.tree.list(expression[relation.right].c).flatMap { element -> [Diagnostic] in
      guard let number = expression.literal(Int(element))?.number,
        answer(.equal, number, span) == false
      else { return [] }
      return findings(
        "'\(name)' is never \(number.shortText): it is \(span.words)", in: condition,
        range: expression[Int(element)].range, subject: name)
    }
  }

  /// Checks AgentWallie's filters on seeds, which it draws like Superwall.
  private static func filters(in subject: LintSubject) -> [Diagnostic] {
    subject.filters.compactMap { placed in
      let filter = placed.filter
      guard filter.path == ["user", "seed"], subject.given.attribute(filter.path) == nil,
        let number = filter.value?.number, let kind = filter.operator?.comparison,
        let answer = answer(kind, number, seeds)
      else { return nil }
      return finding(
        "the filter is \(answer ? "always" : "never") true: '\(filter.field)' is \(seeds.words)",
        at: "\(placed.path).value", subject: filter.field)
    }
  }

  /// The operand beside a number, and the comparison with the operand on the left.
  private static func numericRelation(_ relation: Relation, in expression: ParsedExpression)
    -> (ParsedExpression.ID, Double, SyntaxTree.Kind)?
  {
    if let number = expression.literal(relation.right)?.number {
      return (relation.left, number, relation.kind)
    }
    guard let number = expression.literal(relation.left)?.number else { return nil }
    return (relation.right, number, relation.kind.turned)
  }

  private static func isOffset(
    _ id: ParsedExpression.ID, in expression: ParsedExpression, _ subject: LintSubject
  ) -> Bool {
    let path = ["device", "timezoneOffset"]
    return expression.path(id) == path && subject.given.attribute(path) == nil
  }

  private static func span(
    of id: ParsedExpression.ID, in expression: ParsedExpression, _ subject: LintSubject
  ) -> Span? {
    if expression.isHostCall(id, subject.language) { return .count }
    if let call = expression.call(id), call.target != nil, let span = calendar[call.name] {
      return span
    }
    if let span = remainder(id, in: expression, subject) { return span }
    guard let path = expression.path(id), path.count == 2, subject.given.attribute(path) == nil
    else { return nil }
    if path == ["user", "seed"] { return seeds }
    let isCount =
      path[0] == "device" && counts.contains(path[1])
      || UnrequestedQuestions.property(path) != nil
    return isCount ? .count : nil
  }

  /// Checks a remainder against its range: `user.seed % 4` is from 0 to 3.
  private static func remainder(
    _ id: ParsedExpression.ID, in expression: ParsedExpression, _ subject: LintSubject
  ) -> Span? {
    let node = expression[id]
    guard node.kind == .modulo, case .int(let divisor)? = expression.literal(Int(node.b)),
      (1...1_000_000).contains(divisor)
    else { return nil }
    let greatest = Double(divisor - 1)
    let isCount = span(of: Int(node.a), in: expression, subject).map { $0.least >= 0 } ?? false
    return isCount
      ? Span(least: 0, greatest: greatest, words: "from 0 to \(divisor - 1)")
      : Span(least: -greatest, greatest: greatest, words: "at most \(divisor - 1)")
  }

  /// Whether a comparison is always or never true. Nil if it depends on the value, or only makes a
  /// bound explicit, as in `seed < 100`.
  private static func answer(_ kind: SyntaxTree.Kind, _ number: Double, _ span: Span) -> Bool? {
    let isOutside = number < span.least || number > span.greatest || number != number.rounded()
    let isFar = number < span.least - 1 || number > span.greatest + 1
    switch kind {
    case .equal: return isOutside ? false : nil
    case .notEqual: return isOutside ? true : nil
    case .less: return number <= span.least ? false : isFar && number > span.greatest ? true : nil
    case .lessOrEqual:
      return number < span.least ? false : isFar && number > span.greatest ? true : nil
    case .greater:
      return number >= span.greatest ? false : isFar && number < span.least ? true : nil
    case .greaterOrEqual:
      return number > span.greatest ? false : isFar && number < span.least ? true : nil
    default: return nil
    }
  }
}

extension Filter.Operator {
  /// The comparison of numbers that a filter's operator means.
  fileprivate var comparison: SyntaxTree.Kind? {
    switch self {
    case .is: .equal
    case .isNot: .notEqual
    case .greaterThan: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .lessThan: .less
    case .lessOrEqual: .lessOrEqual
    case .in, .notIn, .contains, .exists, .notExists: nil
    }
  }
}

extension Double {
  /// The number in its usual notation.
  var shortText: String {
    self == rounded() && magnitude < 1e15 ? String(Int64(self)) : description
  }
}

extension Diagnostic.Code {
  /// A number outside the range of the SDKs' values.
  package static let impossibleNumber = Self(rawValue: "impossible-number")
}
