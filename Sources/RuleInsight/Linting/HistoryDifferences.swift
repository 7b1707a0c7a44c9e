internal import Expressions
internal import RuleEngine

/// A question about an event that may never have happened, which platforms answer differently.
///
/// `device.daysSince("export") < 3`: Android answers 0 for an event that never happened, iOS null.
enum HistoryDifferences: Lint {
  static let page = CodePage(
    .platformDifference, .note,
    what: "Platforms evaluate a part of a condition differently.",
    why: """
      The same config has different results on iOS, Android and the Web. The finding is a warning if this \
      changes what users see. The most frequent case is daysSince() of an event that never happened: it is 0 on \
      Android, where the condition can match, and null on other platforms.
      """,
    example: .condition(#"device.daysSince("export") < 3"#),
    advice: "Write the condition so that all platforms evaluate it in the same way.",
    better: .condition(
      #"device.placementsSinceInstall("export") > 0 && device.daysSince("export") < 3"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      guard expression.tree.nodes.contains(where: { $0.kind == .call }),
        expression.platform == nil
      else { return [] }
      let counted = countedEvents(expression)
      var found: [Diagnostic] = []
      GuardWalk(expression, isSuperscript: true).visit { id, place in
        guard let relation = Relation(id, in: expression),
          let question = Question(relation, in: expression),
          let (message, suggestion) = difference(question, place, counted)
        else { return }
        found += condition.paths.map {
          Diagnostic(
            .platformDifference, message, severity: .warning, range: expression[id].range, path: $0,
            suggestion: suggestion)
        }
      }
      return found
    }
  }

  private struct Question {
    var function: HostFunction
    var event: String?
    var kind: SyntaxTree.Kind
    var number: Double

    init?(_ relation: Relation, in expression: ParsedExpression) {
      let isTurned = expression.literal(relation.left)?.number != nil
      let (asked, other) =
        isTurned ? (relation.right, relation.left) : (relation.left, relation.right)
      guard let number = expression.literal(other)?.number,
        let call = expression.call(asked), let host = HostFunction(rawValue: call.name)
      else { return nil }
      switch host {
      case .minutesSince, .hoursSince, .daysSince, .monthsSince, .yearsSince: function = host
      default: return nil
      }
      self.number = number
      kind = isTurned ? relation.kind.turned : relation.kind
      if let argument = call.arguments.first, case .string(let text)? = expression.literal(argument)
      {
        event = text
      }
    }

    /// Whether the comparison is true if the answer is 0.
    var holdsForZero: Bool {
      switch kind {
      case .less: 0 < number
      case .lessOrEqual: 0 <= number
      case .greaterOrEqual: 0 >= number
      case .greater: 0 > number
      case .equal: number == 0
      default: false
      }
    }

    var isOrder: Bool { kind != .equal && kind != .notEqual }

    /// The limit at which Android starts again from 0, and the next larger unit.
    var turn: (limit: Double, unit: String)? {
      switch function {
      case .minutesSince: (60, "hour")
      case .hoursSince: (24, "day")
      default: nil
      }
    }
  }

  /// Events that happened on every device.
  private static let certain: Set<String> = [
    "app_install", "app_launch", "app_open", "session_start", "first_seen", "device_attributes",
  ]

  private static func difference(
    _ question: Question, _ place: GuardWalk.Place, _ counted: Set<String>
  ) -> (message: String, suggestion: String?)? {
    let name = question.function.rawValue
    if question.function == .yearsSince {
      return (
        "Android has no yearsSince(): there the condition is never true", "write monthsSince()"
      )
    }
    if let turn = question.turn, question.number >= turn.limit {
      let larger = question.function == .minutesSince ? "hoursSince" : "daysSince"
      return (
        "on Android \(name)() starts again from 0 after every \(turn.unit), so it is never "
          + "\(question.number.shortText) or more", "write \(larger)() with a larger unit"
      )
    }
    guard let event = question.event, !certain.contains(event) else { return nil }
    // An ordering comparison with null ends the whole condition, so all other parts are irrelevant.
    let isFatal = !place.absorbsErrors && question.isOrder
    guard question.holdsForZero || isFatal, !counted.contains(event) || isFatal else { return nil }
    return (
      "for users without the event '\(event)', \(name)() is 0 on Android and null on iOS and the Web"
        + (question.holdsForZero ? ": only Android takes them" : ""),
      "add device.placementsSinceInstall(\"\(event)\") > 0 to exclude these users"
    )
  }

  /// Events that must have happened for the condition to be true, because it requires a count above 0.
  private static func countedEvents(_ expression: ParsedExpression) -> Set<String> {
    let root = expression[expression.root]
    guard root.kind == .and else { return [] }
    return expression.tree.list(root.c).reduce(into: []) { events, id in
      guard let relation = Relation(Int(id), in: expression),
        let number = expression.literal(relation.right)?.number,
        relation.kind == .greater && number >= 0 || relation.kind == .greaterOrEqual && number >= 1
          || relation.kind == .equal && number >= 1 || relation.kind == .notEqual && number == 0,
        let call = expression.call(relation.left), call.name.hasPrefix("placements"),
        let argument = call.arguments.first, case .string(let event)? = expression.literal(argument)
      else { return }
      events.insert(event)
    }
  }
}

extension ParsedExpression {
  /// The only platform for which the condition can be true, if it tests the platform.
  var platform: String? {
    let root = self[root]
    let clauses = root.kind == .and ? tree.list(root.c).map(Int.init) : [self.root]
    for id in clauses {
      guard let relation = Relation(id, in: self), relation.kind == .equal else { continue }
      for (attribute, value) in [
        (relation.left, relation.right), (relation.right, relation.left),
      ] where path(attribute) == ["device", "platform"] {
        if case .string(let name)? = literal(value) { return name }
      }
    }
    return nil
  }
}
