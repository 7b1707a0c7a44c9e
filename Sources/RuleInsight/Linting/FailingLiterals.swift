internal import CivilTime
package import Expressions
internal import RuleEngine

/// A function is called with a literal that it never accepts.
///
/// `timestamp("2026-02-01")`: a time needs an offset.
enum FailingLiterals: Lint {
  static let page = CodePage(
    .literalFails, .error,
    what: "A function is called with a literal that it cannot read.",
    why: "The call is an error for every user, so the audience never matches.",
    example: .condition(#"timestamp(device.utcDateTime) < timestamp("2026-02-01")"#),
    advice: "Write the form that the message shows.",
    better: .condition(#"timestamp(device.utcDateTime) < timestamp("2026-02-01T00:00:00Z")"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    let constant = ConstantValue(subject.language)
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      guard expression.tree.nodes.contains(where: { mayFail($0.kind) }) else { return [] }
      let isConstant = expression.constants(subject.language)
      var found: [Diagnostic] = []
      expression.visit { id, _ in
        guard let call = expression.call(id), let literal = literal(of: call, in: expression)
        else {
          if let message = isConstant[id]
            ? failure(of: id, in: expression, isConstant, constant) : zero(id, in: expression)
          {
            found += findings(message, in: condition, range: expression[id].range)
          }
          return
        }
        guard let text = failing(call, id, literal, in: expression, constant) else { return }
        let advice = LiteralAdvice(call.name, text, isZone: isZone(call, in: expression))
        found += findings(
          advice.message, in: condition, range: expression[literal].range,
          suggestion: advice.suggestion)
      }
      return found
    }
  }

  private static func mayFail(_ kind: SyntaxTree.Kind) -> Bool {
    kind == .call || kind == .divide || kind == .modulo
  }

  /// Reports division by zero: `user.visits / 0`.
  private static func zero(_ id: ParsedExpression.ID, in expression: ParsedExpression) -> String? {
    let node = expression[id]
    guard node.kind == .divide || node.kind == .modulo,
      expression.literal(Int(node.b)) == .int(0)
    else { return nil }
    return "'\(expression.text(id))' fails for every user: it divides by zero"
  }

  /// The reason why a part without attributes fails; nil if one of its own parts fails.
  private static func failure(
    of id: ParsedExpression.ID, in expression: ParsedExpression, _ isConstant: [Bool],
    _ constant: ConstantValue
  ) -> String? {
    let node = expression[id]
    guard mayFail(node.kind), node.range.to - node.range.from <= 1_000,
      case .failure(let kind)? = constant.answer(expression.text(id)), kind != .badRegex,
      kind != .limitExceeded, kind != .undeclaredName
    else { return nil }
    for operand in expression.tree.operands(of: node) where expression.literal(operand) == nil {
      if case .failure? = constant.answer(expression.text(operand)) { return nil }
    }
    return "'\(expression.text(id))' fails for every user: \(EvaluationError(kind).description)"
  }

  private typealias Call = (
    name: String, target: ParsedExpression.ID?, arguments: [ParsedExpression.ID]
  )

  /// Functions whose last argument names a time zone.
  private static let zoned: Set<String> = [
    "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours",
    "getMilliseconds", "getMinutes", "getMonth", "getSeconds", "addDays", "addMonths", "daysUntil",
    "startOfDay",
  ]
  private static let conversions: Set<String> = [
    "timestamp", "date", "duration", "int", "uint", "double", "bool", "version",
  ]

  /// Whether the literal of a call is a time zone.
  private static func isZone(_ call: Call, in expression: ParsedExpression) -> Bool {
    zoned.contains(call.name) || call.name == "date" && call.arguments.count == 2
  }

  /// The literal that determines whether a call fails: the string that the call converts, or the
  /// time zone.
  private static func literal(of call: Call, in expression: ParsedExpression)
    -> ParsedExpression.ID?
  {
    func isString(_ id: ParsedExpression.ID?) -> Bool {
      id.map { expression[$0].kind == .string } ?? false
    }
    if zoned.contains(call.name) {
      guard call.target != nil, let last = call.arguments.last, isString(last),
        !["addDays", "addMonths", "daysUntil"].contains(call.name) || call.arguments.count == 2
      else { return nil }
      return last
    }
    guard call.target == nil, conversions.contains(call.name), let last = call.arguments.last,
      isString(last)
    else { return nil }
    return last
  }

  /// The string of the literal, if it makes the call fail.
  private static func failing(
    _ call: Call, _ id: ParsedExpression.ID, _ literal: ParsedExpression.ID,
    in expression: ParsedExpression, _ constant: ConstantValue
  ) -> String? {
    guard case .string(let text)? = expression.literal(literal) else { return nil }
    let trial =
      isZone(call, in: expression)
      ? "timestamp(\"2026-01-01T00:00:00Z\").getHours(\(expression.text(literal)))"
      : expression.text(id)
    guard case .failure(let kind)? = constant.answer(trial), kind != .limitExceeded else {
      return nil
    }
    return text
  }
}

/// The problem of a literal, and what to write.
private struct LiteralAdvice {
  let message: String
  let suggestion: String?

  init(_ name: String, _ text: String, isZone: Bool) {
    let quoted = Value.string(text).json
    func call(_ text: String) -> String { "write \(name)(\(Value.string(text).json))" }
    if isZone {
      message =
        "\(name)() fails for every user: \(WireTime.zoneProblem(text) ?? "there is no such time zone")"
      suggestion = nil
      return
    }
    switch name {
    case "timestamp":
      let (reason, form) = LiteralAdvice.timestamp(text)
      message = "timestamp() fails for every user: \(reason)"
      suggestion = call(form)
    case "date":
      let (reason, form) = LiteralAdvice.date(text)
      message = "date() fails for every user: \(reason)"
      suggestion = call(form)
    case "duration":
      message = "duration() fails for every user: \(quoted) is not a number of h, m, s or ms"
      suggestion = call(LiteralAdvice.duration(text) ?? "24h")
    case "int", "uint", "double":
      let isNumber = Double(text) != nil
      message =
        "\(name)() fails for every user: \(quoted) "
        + (isNumber ? "is too large, negative or not whole" : "is not a number")
      let number = text.replacing(",", with: ".").filter {
        $0.isASCII && ($0.isNumber || name == "double" && $0 == ".")
      }
      suggestion = isNumber ? nil : call(Double(number) == nil ? "12" : number)
    case "bool":
      message = "bool() fails for every user: \(quoted) is neither true nor false"
      suggestion = call("true")
    default:
      message = "\(name)() fails for every user: it cannot read \(quoted)"
      suggestion = name == "version" ? call("3.10.0") : nil
    }
  }

  private static func timestamp(_ text: String) -> (reason: String, form: String) {
    let standard = "2026-02-01T00:00:00Z"
    do throws(WireTime.Fault) {
      _ = try WireTime.instant(text)
    } catch {
      guard error == .missingZone else { return (error.message(text), standard) }
      let isDate = !text.contains(":")
      let time = isDate ? text + "T00:00:00" : text.replacing(" ", with: "T")
      let parts = time.split(separator: ":").count
      return (error.message(text), time + (parts == 2 ? ":00Z" : "Z"))
    }
    return ("\(Value.string(text).json) is not in the form \(standard)", standard)
  }

  private static func date(_ text: String) -> (reason: String, form: String) {
    if let date = DateText(text) {
      if let problem = date.problem { return (problem, date.nearest) }
      return ("'\(text)' is not in the form 2026-02-01", date.iso)
    }
    return ("'\(text)' is not in the form 2026-02-01", "2026-02-01")
  }

  /// Rewrites `1d`, `1 day` and `P1D` as `24h`, and `30` as `30s`.
  private static func duration(_ text: String) -> String? {
    var rest = text.lowercased().filter { $0 != " " }[...]
    if rest.hasPrefix("pt") {
      rest = rest.dropFirst(2)
    } else if rest.hasPrefix("p") {
      rest = rest.dropFirst()
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number < 100_000 else { return nil }
    switch String(rest.dropFirst(digits.count)) {
    case "d", "day", "days": return "\(number * 24)h"
    case "w", "week", "weeks": return "\(number * 24 * 7)h"
    case "h", "hr", "hrs", "hour", "hours": return "\(number)h"
    case "m", "min", "mins", "minute", "minutes": return "\(number)m"
    case "", "s", "sec", "secs", "second", "seconds": return "\(number)s"
    default: return nil
    }
  }
}

extension Diagnostic.Code {
  /// A literal that a function can never read.
  package static let literalFails = Self(rawValue: "literal-fails")
}
