public import Expressions

/// A decision told to a person: every audience, and for those that were tried every clause with
/// the attributes that it read.
public struct Explanation: Sendable {
  /// One audience.
  public struct Audience: Sendable {
    public var step: Decision.Step
    public var expression: String?
    /// The tests of the expression, in source order.
    public var clauses: [Clause]
  }

  public var decision: Decision
  public var audiences: [Audience]
}

extension RuleSet {
  /// Explains a decision. The frame must still hold what the decision was made on.
  public func explain(_ decision: Decision, frame: inout Frame) -> Explanation {
    var audiences: [Explanation.Audience] = []
    for step in decision.steps {
      let rule = rules[step.rule]
      var clauses: [Clause] = []
      if step.reason != .notReached, !rule.isBroken, let entry = rule.entry {
        clauses = program.clauses(of: entry, in: &frame)
      }
      audiences.append(
        Explanation.Audience(
          step: step, expression: rule.audience.expression, clauses: clauses))
    }
    return Explanation(decision: decision, audiences: audiences)
  }
}

extension Explanation {
  /// Plain text of several lines.
  public var text: String {
    var lines = ["\(decision.placement): \(summary)"]
    for audience in audiences {
      let name = "audience \(audience.step.index) (\(audience.step.experimentID))"
      lines.append("")
      lines.append("  \(name): \(Explanation.describe(audience.step.reason))")
      if let expression = audience.expression {
        lines.append("    \(Explanation.oneLine(expression))")
      } else {
        lines.append("    everybody")
      }
      let width = min(48, audience.clauses.map(\.text.count).max() ?? 0)
      for clause in audience.clauses { lines.append(Explanation.describe(clause, width)) }
    }
    if !decision.effects.isEmpty {
      lines.append("")
      lines.append("  carried out, this would")
      lines += decision.effects.map { "    - \(Explanation.describe($0))" }
    }
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    switch decision.outcome {
    case .paywall(let experiment):
      "paywall \(experiment.variant.paywallID ?? "") " + Self.origin(experiment, decision)
    case .holdout(let experiment):
      "holdout, no paywall " + Self.origin(experiment, decision)
    case .noAudienceMatch: "no audience matches, no paywall"
    case .placementNotFound: "the config has no such placement"
    case .error(let failure): "error: \(failure.message)"
    }
  }

  private static func origin(_ experiment: Decision.Experiment, _ decision: Decision) -> String {
    let how =
      switch decision.assignmentSource {
      case .stored: "stored before"
      case .redrawn(let old): "assigned anew: the stored '\(old)' is no longer in the experiment"
      case .only: "the only variant"
      case .new, nil: "assigned now"
      }
    return "(variant \(experiment.variant.id) of \(experiment.id), \(how))"
  }

  private static func describe(_ reason: Decision.Reason) -> String {
    switch reason {
    case .matched: "matched"
    case .expressionFalse(nil): "does not match"
    case .expressionFalse(let type?):
      "does not match: the expression gives a value of type \(type), not a bool"
    case .expressionError(let error): "does not match: \(error.kind.slug)"
    case .expressionBroken: "does not match: the expression does not compile (run check)"
    case .occurrenceLimit(let count, let limit):
      "held back: \(count) of at most \(limit.maxCount) \(describe(limit.interval))"
        + " under '\(limit.key)'"
    case .notReached: "not reached"
    }
  }

  private static func describe(_ interval: OccurrenceLimit.Interval) -> String {
    switch interval {
    case .infinity: "ever"
    case .minutes(let minutes): "in \(minutes) minutes"
    }
  }

  private static func describe(_ effect: Decision.Effect) -> String {
    switch effect {
    case .storeAssignment(let experiment, let variant):
      "store the assignment of \(variant) in \(experiment)"
    case .recordOccurrence(let limit): "record an occurrence under '\(limit.key)'"
    }
  }

  private static func describe(_ clause: Clause, _ width: Int) -> String {
    let mark =
      switch clause.outcome {
      case .true: "yes    "
      case .false: "no     "
      case .failed: "error  "
      case .notEvaluated: "-      "
      }
    let text = oneLine(clause.text)
    var line = "      \(mark)\(text)"
    if !clause.attributes.isEmpty {
      line += String(repeating: " ", count: max(1, width - text.count + 2))
      line += clause.attributes.map { attribute in
        "\(attribute.path) is \(attribute.value.map { short($0.json) } ?? "not there")"
      }.joined(separator: ", ")
    }
    return line
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func short(_ text: String) -> String {
    text.count <= 60 ? text : text.prefix(57) + "..."
  }
}
