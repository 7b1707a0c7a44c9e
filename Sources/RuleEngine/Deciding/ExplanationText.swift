internal import Expressions

extension Explanation {
  /// Plain text of several lines.
  public var text: String {
    var lines = ["\(decision.placement): \(summary)"]
    for audience in audiences { lines += [""] + audience.lines(at: state.now) }
    lines += shareLines
    if !decision.effects.isEmpty {
      lines += ["", "  carried out, this would"]
      lines += decision.effects.map { "    - \(ExplanationText.describe($0))" }
    }
    if audiences.contains(where: \.hasUnneededClauses) {
      lines += ["", "  (in brackets: not needed, another clause decides)"]
    }
    return lines.map(DiagnosticText.visible).joined(separator: "\n")
  }

  private var summary: String {
    switch decision.outcome {
    case .paywall(let experiment):
      "paywall \(experiment.variant.paywallID ?? "") " + origin(experiment)
    case .holdout(let experiment): "holdout, no paywall " + origin(experiment)
    case .noAudienceMatch: "no audience matches, no paywall"
    case .placementNotFound: "the config has no such placement"
    case .error(let failure): "no paywall: \(failure.message)"
    }
  }

  private func origin(_ experiment: Decision.Experiment) -> String {
    let how =
      switch decision.assignmentSource {
      case .stored: "stored before"
      case .redrawn(let old): "assigned again: the stored '\(old)' is no longer in the experiment"
      case .only: "the only variant"
      case .new, nil: "assigned now"
      }
    return "(variant \(experiment.variant.id) of \(experiment.id), \(how))"
  }

  /// How likely each variant was, when there was a choice.
  private var shareLines: [String] {
    guard shares.count > 1 else { return [] }
    let rows = shares.map { share -> [String] in
      let name =
        switch share.outcome {
        case .paywall(let experiment):
          "\(experiment.variant.id): paywall \(experiment.variant.paywallID ?? "")"
        case .holdout(let experiment): "\(experiment.variant.id): holdout"
        case .error(.variantWithoutPaywall(let id)): "\(id): no paywall"
        default: share.outcome.code
        }
      let mark = share.outcome == decision.outcome ? "  <- this subject's" : ""
      return [name, share.probability.description, share.probability.percentage + mark]
    }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return ["", "  the variants and their shares"]
      + rows.map { row in
        "    \(ExplanationText.padded(row[0], widths[0]))  "
          + "\(ExplanationText.padded(row[1], widths[1]))  \(row[2])"
      }
  }
}

extension Explanation.Audience {
  /// Plain text of several lines, the audience's own.
  public var text: String {
    lines(at: nil).map(DiagnosticText.visible).joined(separator: "\n")
  }

  fileprivate var hasUnneededClauses: Bool { clauses.contains { !$0.wasReached } }

  /// - Parameter now: when the decision is; without it times are told with their dates.
  fileprivate func lines(at now: Instant?) -> [String] {
    var title = "audience \(step.index)"
    let names = [name, id, step.experimentID.isEmpty ? nil : step.experimentID].compactMap { $0 }
    if !names.isEmpty { title += " (\(names.joined(separator: ", ")))" }
    let when = ExplanationText.times(occurrences, at: now)
    var lines = ["  \(title): \(ExplanationText.describe(step.reason, error, when))"]
    if let entitlementGuard { lines.append("    skips subjects who own '\(entitlementGuard)'") }
    lines.append("    \(expression.map(ExplanationText.oneLine) ?? "everybody")")
    let marks = max(7, clauses.map { ExplanationText.mark($0).count }.max() ?? 0)
    let texts = min(48, clauses.map { ExplanationText.oneLine($0.text).count }.max() ?? 0)
    lines += clauses.map { ExplanationText.describe($0, marks: marks, texts: texts) }
    if let limit, step.reason != .notReached, step.reason.code != "occurrenceLimit" {
      lines.append("    \(ExplanationText.describe(limit, count: occurrences.count))\(when)")
    }
    return lines
  }
}

/// The words of explanations.
enum ExplanationText {
  /// - Parameter when: the times of the occurrences that count, for behind their number.
  static func describe(_ reason: Decision.Reason, _ error: RuleError?, _ when: String) -> String {
    switch reason {
    case .matched: "matched"
    case .expressionFalse(nil): "does not match"
    case .expressionFalse(let type?):
      "does not match: the expression gives a value of type \(type), not a bool"
    case .expressionError(let problem): "does not match: \(error?.message ?? problem.kind.slug)"
    case .expressionBroken: "does not match: the expression does not compile (run check)"
    case .occurrenceLimit(let count, let limit):
      "held back: \(describe(limit, count: count))\(when)"
    case .entitled(let entitlement): "skipped: the subject owns '\(entitlement)'"
    case .notReached: "not reached"
    }
  }

  static func describe(_ limit: OccurrenceLimit, count: Int) -> String {
    let span =
      switch limit.interval {
      case .infinity: "ever"
      case .minutes(let minutes): "in \(describe(minutes: minutes))"
      case .session: "in this session"
      }
    return "\(count) of at most \(limit.maxCount) \(span) under '\(limit.key)'"
  }

  /// Minutes as the days or hours that they are.
  private static func describe(minutes: Int) -> String {
    func counted(_ number: Int, _ unit: String) -> String {
      "\(number) \(unit)\(number == 1 ? "" : "s")"
    }
    if minutes > 1_440, minutes % 1_440 == 0 { return counted(minutes / 1_440, "day") }
    if minutes > 0, minutes % 60 == 0 { return counted(minutes / 60, "hour") }
    return counted(minutes, "minute")
  }

  /// The last times, in UTC: `: 09:00Z, 11:30Z`, with their dates unless all are of today.
  static func times(_ times: [Instant], at now: Instant?) -> String {
    if times.isEmpty { return "" }
    let shown = 5
    let texts = times.suffix(shown).map { time in
      time.text.map { "\($0.prefix(10)) \($0.dropFirst(11).prefix(5))Z" }
        ?? "\(time.milliseconds) ms"
    }
    let today = now?.text.map { "\($0.prefix(10)) " } ?? " "
    let isToday = texts.allSatisfy { $0.hasPrefix(today) }
    return ": " + (times.count > shown ? "..., " : "")
      + texts.map { isToday ? String($0.dropFirst(today.count)) : $0 }.joined(separator: ", ")
  }

  static func describe(_ effect: Decision.Effect) -> String {
    switch effect {
    case .storeAssignment(let experiment, let variant):
      "store the assignment of \(variant) in \(experiment)"
    case .confirmAssignment(let experiment, let variant):
      "confirm the stored assignment of \(variant) in \(experiment)"
    case .recordOccurrence(let limit): "record an occurrence under '\(limit.key)'"
    case .fireTrigger: "track that the placement was decided"
    }
  }

  /// How a clause came out: in brackets where it was not reached, `always` or `never` where it
  /// reads nothing.
  static func mark(_ clause: Clause) -> String {
    let word =
      switch clause.outcome {
      case .true: clause.isConstant ? "always" : "yes"
      case .false: clause.isConstant ? "never" : "no"
      case .failed: "error"
      case .noBool: "value"
      }
    return clause.wasReached ? word : "(\(word))"
  }

  static func describe(_ clause: Clause, marks: Int, texts: Int) -> String {
    let text = oneLine(clause.text)
    let line = "      \(padded(mark(clause), marks))  \(padded(text, texts))"
    var hasFailed = false
    if case .failed = clause.outcome { hasFailed = true }
    // Of a clause that fails, what has no value is what failed.
    var values = clause.computed.filter { !hasFailed || $0.value != nil }
      .map { "\(oneLine($0.text)) is \(describe($0.value))" }
    values += clause.attributes.map { describe($0) }
    if clause.outcome == .noBool, !clause.isConstant,
      !values.contains(where: { $0.hasPrefix("\(text) is ") })
    {
      values.insert("\(text) is \(describe(clause.value))", at: 0)
    }
    if case .failed(let kind) = clause.outcome {
      let isAbsent = clause.attributes.contains { $0.value == nil }
      values += [RuleErrorText.summary(kind, isAbsent: isAbsent)].compactMap { $0 }
    }
    let shown = values.joined(separator: ", ")
    return shown.isEmpty ? trimEnd(line) : "\(line)  \(shown)"
  }

  private static func describe(_ attribute: Clause.Attribute) -> String {
    "\(attribute.path) is \(attribute.isPresenceOnly ? "there" : describe(attribute.value))"
  }

  private static func describe(_ value: Value?) -> String {
    value.map { short($0.json) } ?? "not there"
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func trimEnd(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }

  private static func short(_ text: String) -> String {
    text.count <= 60 ? text : text.prefix(57) + "..."
  }
}
