internal import Expressions
internal import RuleEngine

/// Units of time in calculations: `user.trialDays * 86400000 > 604800` compares milliseconds with
/// seconds.
extension Units {
  /// The scale of a calculation in seconds, and the attribute whose name contains the unit.
  private struct Scale {
    var seconds: Double
    var name: String
    /// The last factor that was applied.
    var factor: Double?
    var range: SourceRange
  }

  private static let names: [(seconds: Double, name: String, words: Set<String>)] = [
    (0.001, "milliseconds", ["ms", "msec", "millis", "millisecond", "milliseconds"]),
    (1, "seconds", ["seconds", "second", "secs", "sec"]),
    (60, "minutes", ["minutes", "minute", "mins"]), (3_600, "hours", ["hours", "hour", "hrs"]),
    (86_400, "days", ["days"]), (604_800, "weeks", ["weeks"]),
  ]
  /// Factors that convert one unit of time into another, and that rarely divide a sum to compute a mean.
  private static let factors: Set<Double> = [1_000, 3_600, 86_400, 604_800, 3_600_000, 86_400_000]

  static func calculations(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return expression.relations.flatMap { relation -> [Diagnostic] in
        guard relation.kind != .in else { return [] }
        let (left, right) = (
          scale(relation.left, in: expression), scale(relation.right, in: expression)
        )
        guard let problem = problem(relation, left, right, in: expression) else { return [] }
        return findings(
          problem.message, in: condition, range: problem.range, suggestion: nil,
          subject: problem.subject)
      }
    }
  }

  private typealias Problem = (message: String, range: SourceRange, subject: String)

  private static func problem(
    _ relation: Relation, _ left: Scale?, _ right: Scale?, in expression: ParsedExpression
  ) -> Problem? {
    for scale in [left, right].compactMap({ $0 }) {
      let isShort = ownUnit(scale.name)?.seconds ?? 1 < 1
      if let factor = scale.factor,
        factors.contains(factor) || isShort && [24, 60].contains(factor),
        unit(scale) == nil
      {
        return (
          "'\(scale.name)' is in \(ownUnit(scale.name)?.name ?? "another unit"), and calculating with \(factor.shortText) gives no unit of time",
          scale.range, scale.name
        )
      }
    }
    if let left, let right {
      guard let one = unit(left), let two = unit(right), one.seconds != two.seconds else {
        return nil
      }
      return (
        "'\(left.name)' is compared in \(one.name) with '\(right.name)' in \(two.name)",
        expression[relation.id].range, left.name
      )
    }
    let literal = left == nil ? relation.left : relation.right
    guard let scale = left ?? right, scale.factor != nil, let unit = unit(scale),
      let number = expression.literal(literal)?.number,
      let mismatch = UnitReading(unit.name).mismatch(number)
    else { return nil }
    return (
      "the calculation with '\(scale.name)' is in \(unit.name), and \(number.shortText) looks like \(mismatch.meant)",
      expression[literal].range, scale.name
    )
  }

  private static func unit(_ scale: Scale) -> (seconds: Double, name: String)? {
    names.first { abs($0.seconds - scale.seconds) <= $0.seconds * 1e-9 }.map {
      ($0.seconds, $0.name)
    }
  }

  private static func ownUnit(_ name: String) -> (seconds: Double, name: String)? {
    let reading = UnitReading(String(name.split(separator: ".").last ?? ""))
    let found = names.filter { reading.hasAny($0.words) }
    // `days_per_week` has no unit.
    return found.count == 1 && !reading.hasAny(["per", "rate", "count", "number", "of"])
      ? (found[0].seconds, found[0].name) : nil
  }

  private static func scale(_ id: ParsedExpression.ID, in expression: ParsedExpression) -> Scale? {
    let id = expression.unconverted(id)
    let node = expression[id]
    switch node.kind {
    case .multiply, .divide:
      let (a, b) = (expression.unconverted(Int(node.a)), expression.unconverted(Int(node.b)))
      let isTurned = node.kind == .multiply && expression.literal(a)?.number != nil
      guard var inner = scale(isTurned ? b : a, in: expression),
        let factor = expression.literal(isTurned ? a : b)?.number, factor > 0
      else { return nil }
      inner.seconds = node.kind == .multiply ? inner.seconds / factor : inner.seconds * factor
      inner.factor = factor
      inner.range = node.range
      return inner
    default:
      guard let path = expression.path(id), path.count > 1 else { return nil }
      let name = path.joined(separator: ".")
      return ownUnit(name).map {
        Scale(seconds: $0.seconds, name: name, factor: nil, range: node.range)
      }
    }
  }
}
