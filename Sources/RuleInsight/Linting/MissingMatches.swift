package import Expressions
internal import RuleEngine

/// A condition takes users because they lack an attribute.
///
/// `user.visits < 3`: a missing attribute counts as 0 in superscript.
enum MissingMatches: Lint {
  static let page = CodePage(
    .missingMatches, .warning,
    what: "A clause is true for users without the attribute that it compares.",
    why: """
      In superscript comparisons, a missing attribute counts as 0, "" or false, so user.visits < 3 takes every \
      user without visits. Without a schema, the finding is limited to attributes of users in comparisons with \
      '<', '<=', '== 0' and '!=', and in negated lists. With a schema (--schema), it covers every attribute that \
      the schema or some users lack.
      """,
    example: .condition("user.visits < 3"),
    advice: """
      Test whether the attribute exists. To include users without the attribute, write: user.visits == null || \
      user.visits < 3.
      """,
    better: .condition("has(user.visits) && user.visits < 3"))

  /// The maximum number of parts to read in a condition. All parts are read again for each attribute.
  private static let mostWork = 100_000

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      findings(in: condition, subject)
    }
  }

  private static func findings(in condition: LintSubject.Condition, _ subject: LintSubject)
    -> [Diagnostic]
  {
    let expression = condition.expression
    var known: Set<[String]> = []
    var budget = mostWork
    return expression.attributes.flatMap { _, path -> [Diagnostic] in
      let suspects = subject.suspects(path)
      guard suspects != .none, budget > 0, known.insert(path).inserted else { return [] }
      budget -= expression.tree.nodes.count
      var reading = AbsenceReading(expression, without: path)
      let reasons = reading.reasons().filter {
        suspects == .all || $0.form == .oversight
      }
      return reasons.flatMap { reason in
        findings(
          message(reason, path, in: expression), in: condition,
          range: expression[reason.id].range, notes: notes(path, subject),
          suggestion: suggestion(reason, path, in: expression),
          subject: path.joined(separator: "."))
      }
    }
  }

  private static func message(
    _ reason: AbsenceReading.Reason, _ path: [String], in expression: ParsedExpression
  ) -> String {
    let name = path.joined(separator: ".")
    let value =
      reason.standIn.map { "a missing attribute counts as \($0.json) here" }
      ?? "a missing attribute is in no list"
    return "users without '\(name)' match: \(value)"
  }

  private static func suggestion(
    _ reason: AbsenceReading.Reason, _ path: [String], in expression: ParsedExpression
  ) -> String {
    let name = path.joined(separator: ".")
    return
      "write has(\(name)) && ... to exclude these users, or \(name) == null || ... to include them"
  }

  private static func notes(_ path: [String], _ subject: LintSubject) -> [String] {
    guard let users = subject.given.users, users > 0 else { return [] }
    let count = users - (subject.given.attribute(Array(path.prefix(2)))?.present ?? 0)
    return [
      "the attribute is missing for \(count) of the \(users) users that the schema was learned from"
    ]
  }
}

extension LintSubject {
  /// The clauses to report among those that a missing attribute makes true.
  fileprivate enum Suspects {
    case none, oversights, all
  }

  fileprivate func suspects(_ path: [String]) -> Suspects {
    guard path.count > 1, ContextSchema.rootNames.contains(path[0]) else { return .none }
    let place = Array(path.prefix(2))
    if let own = given.attribute(place) {
      if own.isAlwaysThere { return .none }
      if own.isOptional { return .all }
    } else if given.users != nil || given.completeRoots.contains(path[0]) && path[0] == "user" {
      // A learned schema contains all attributes of users. Other schemas may omit those that SDKs
      // send.
      let isSent = schema.attribute(place)?.isAlwaysThere ?? false
      let isOfPlacement = path[0] == "params" && (path[1].hasPrefix("$") || path[1] == "event_name")
      if isSent || isOfPlacement || UnrequestedQuestions.property(place) != nil { return .none }
      return .all
    }
    if LintSubject.isOfEvent(place) { return .oversights }
    guard path[0] == "user", schema.attribute(place)?.isAlwaysThere != true else { return .none }
    return .oversights
  }

  /// Whether SDKs omit an attribute until an event happens, such as the days since a paywall.
  private static func isOfEvent(_ place: [String]) -> Bool {
    let kind = UnrequestedQuestions.property(place)?.kind.functionName ?? ""
    return kind.hasSuffix("Since")
      || place == ["device", "daysSinceLastPaywallView"]
      || place == ["device", "minutesSinceLastPaywallView"]
  }
}

extension Diagnostic.Code {
  /// A clause that is true because an attribute is missing.
  package static let missingMatches = Self(rawValue: "missing-matches")
}
