internal import Expressions

extension Explanation {
  /// The explanation as plain text with several lines.
  public var text: String { text(foldingAbove: .max) }

  /// The explanation in readable form. If there are more audiences than the limit, audiences that did not match or were
  /// not reached are summarized.
  package func text(foldingAbove limit: Int) -> String {
    var lines = ["\(decision.placement): \(summary)"]
    let folds = audiences.count > limit
    var folded: [Audience] = []
    func endFold() {
      if let first = folded.first { lines += ["", "  \(first.folded(with: folded))"] }
      folded = []
    }
    for audience in audiences {
      let isDeciding = audience.step.index == decision.audience
      if folds, !isDeciding, audience.isFolded {
        if let last = folded.last, last.step.reason.code != audience.step.reason.code { endFold() }
        folded.append(audience)
        continue
      }
      endFold()
      lines += [""] + audience.lines(isDeciding ? ownership : nil)
    }
    endFold()
    lines += shareLines
    if !decision.effects.isEmpty {
      lines += ["", "  effects of the decision:"]
      lines += decision.effects.map { "    - \(ExplanationText.describe($0))" }
    }
    if audiences.contains(where: { $0.hasUnneededClauses }) {
      lines += ["", "  (in parentheses: not needed, because another clause decides)"]
    }
    return lines.map(DiagnosticText.visible).joined(separator: "\n")
  }

  package var summary: String {
    switch decision.outcome {
    case .paywall(let experiment):
      "paywall \(experiment.variant.paywallID ?? "") " + origin(experiment)
    case .holdout(let experiment): "holdout, no paywall " + origin(experiment)
    case .noAudienceMatch: "no audience matches, no paywall"
    case .placementNotFound: "the config does not have this placement"
    case .error(let failure): "no paywall: \(failure.message)"
    case .undecidable(let reason): "undecidable: \(reason)"
    }
  }

  private func origin(_ experiment: Decision.Experiment) -> String {
    let variant = "variant \(experiment.variant.id) of \(experiment.id)"
    return switch decision.assignmentSource {
    case .stored: "(stored \(variant))"
    case .redrawn(let old):
      "(\(variant), reassigned: the stored variant \(old) is no longer in the experiment)"
    case .only: "(\(variant), the only variant)"
    case .new, nil: "(\(variant), assigned now)"
    }
  }

  /// The probability of each variant, when there was a choice.
  private var shareLines: [String] {
    guard shares.count > 1 else { return [] }
    return ["", "  the variants and their shares"]
      + shares.lines(chosen: decision.outcome).map { "    \($0)" }
      + (draw.map { ["    drew \($0.text)"] } ?? [])
  }
}

extension [Distribution.Share] {
  /// A line for each variant, with its share.
  ///
  /// - Parameters:
  ///   - chosen: the outcome to mark as the subject's.
  ///   - width: the maximum number of columns in a line. Longer names are shortened.
  fileprivate func lines(chosen: Decision.Outcome? = nil, width: Int? = nil) -> [String] {
    let rows = map { share -> [String] in
      let mark = share.outcome == chosen ? "  <- this user" : ""
      return [
        share.outcome.shareName, share.probability.description, share.probability.percentage + mark,
      ]
    }
    var widths = (0..<2).map { column in rows.map { TextWidth.columns($0[column]) }.max() ?? 0 }
    if let width {
      let rest = widths[1] + 4 + (rows.map { $0[2].count }.max() ?? 0)
      widths[0] = Swift.min(widths[0], Swift.max(16, width - rest))
    }
    return rows.map { row in
      let name = TextWidth.shortened(row[0], to: widths[0])
      return "\(ExplanationText.padded(name, widths[0]))  "
        + "\(ExplanationText.padded(row[1], widths[1]))  \(row[2])"
    }
  }
}

extension Decision.Outcome {
  /// The variant, if there is one, and its paywall.
  fileprivate var shareName: String {
    switch self {
    case .paywall(let experiment):
      "\(experiment.variant.id): paywall \(experiment.variant.paywallID ?? "")"
    case .holdout(let experiment): "\(experiment.variant.id): holdout"
    case .error(.variantWithoutPaywall(let id)): "\(id): no paywall"
    case .error(let failure): "no paywall: \(failure.message)"
    case .noAudienceMatch: "no audience matches, no paywall"
    case .placementNotFound: "the config does not have this placement"
    case .undecidable(let reason): "undecidable: \(reason)"
    }
  }
}

extension Distribution {
  /// Plain text: the placement, and a line for each outcome with its share.
  ///
  /// - Parameter width: the columns of a terminal; nil for lines of any length.
  package func text(width: Int?) -> String {
    let lines = shares.lines(width: width.map { $0 - 2 }).map { "  \($0)" }
    return ([placement] + lines).map(DiagnosticText.visible).joined(separator: "\n")
  }
}

extension Explanation.Audience {
  /// The explanation of the audience as plain text with several lines.
  public var text: String {
    lines(nil).map(DiagnosticText.visible).joined(separator: "\n")
  }

  /// Whether the only thing to report is that the audience does not match.
  fileprivate var isFolded: Bool {
    switch step.reason {
    case .expressionFalse, .notReached: true
    case .matched, .expressionError, .expressionBroken, .occurrenceLimit, .entitled, .undecidable:
      false
    }
  }

  /// The summary of audiences: `audiences 3 to 120 do not match (118; --all shows them)`.
  fileprivate func folded(with others: [Explanation.Audience]) -> String {
    let isReached = step.reason.isTried
    guard let last = others.last, others.count > 1 else {
      return "audience \(step.index) \(isReached ? "does not match" : "is not reached")"
    }
    return "audiences \(step.index) to \(last.step.index) "
      + "\(isReached ? "do not match" : "are not reached") (\(others.count); --all shows them)"
  }

  fileprivate var hasUnneededClauses: Bool { shownClauses.contains { !$0.wasReached } }

  /// The clauses to show. Omits constants that had no effect, such as the `false` of `has(x) ? x > 1 : false` if x
  /// exists.
  private var shownClauses: [Clause] {
    clauses.filter { $0.wasReached || !["true", "false"].contains($0.text) }
  }

  /// The audience's number and name.
  private var title: String {
    let names = [name, id, step.experimentID.isEmpty ? nil : step.experimentID].compactMap { $0 }
    return "audience \(step.index)" + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
  }

  fileprivate func lines(_ ownership: Ownership?) -> [String] {
    var lines = ["  \(title): \(result)"]
    if let entitlementGuard, step.reason.code != "entitled" {
      var text = "skips users who have the entitlement \(entitlementGuard)"
      if step.reason.isTried { text += "; this user does not have it" }
      lines.append("    \(text)")
    }
    lines.append("    \(expression.map(ExplanationText.oneLine) ?? "every user")")
    let clauses = shownClauses
    let marks = max(7, clauses.map { ExplanationText.mark($0).count }.max() ?? 0)
    let texts = min(
      48, clauses.map { TextWidth.columns(ExplanationText.oneLine($0.text)) }.max() ?? 0)
    lines += clauses.map { ExplanationText.describe($0, marks: marks, texts: texts) }
    lines += eagerLines
    if let limit, step.reason != .notReached, step.reason.code != "occurrenceLimit" {
      lines.append("    \(describe(limit))")
    }
    return lines + (ownership?.lines.map { "    \($0)" } ?? [])
  }

  /// Why a failing clause matters although `&&` would be false without it.
  private var eagerLines: [String] {
    guard let falseOperand else { return [] }
    let text = ExplanationText.oneLine(falseOperand)
    return [
      "    superscript evaluates both sides of '&&': the error counts although \(text) is false"
    ]
  }

  /// The result of the audience.
  var result: String {
    switch step.reason {
    case .matched: "matched"
    case .expressionFalse(nil): "does not match"
    case .expressionFalse(let type?):
      "does not match: the expression gives a value of type \(type), not true or false"
    case .expressionError(let problem): "does not match: \(error?.message ?? problem.kind.slug)"
    case .expressionBroken: "does not match: the expression does not compile (see tollgate check)"
    case .undecidable: "undecidable: the condition is JavaScript, which only the device evaluates"
    case .occurrenceLimit(_, let limit): "held back by its limit: \(describe(limit))"
    case .entitled(let entitlement): "skipped: the user has the entitlement \(entitlement)"
    case .notReached: "not reached"
    }
  }

  /// The audience with its result, and the clauses that caused the result: the failing clauses if the audience does not
  /// match, and all needed clauses if it does.
  package var decidingLines: [String] {
    let isMatched = step.reason == .matched
    let deciding = clauses.filter { clause in
      clause.wasReached && !clause.isConstant && (isMatched || clause.outcome != .true)
    }
    let marks = deciding.map { ExplanationText.mark($0).count }.max() ?? 0
    let texts = min(
      48, deciding.map { TextWidth.columns(ExplanationText.oneLine($0.text)) }.max() ?? 0)
    let isHeldBack = if case .occurrenceLimit = step.reason { true } else { false }
    return ["  \(title): \(result)"]
      + (isHeldBack
        ? [] : deciding.map { ExplanationText.describe($0, marks: marks, texts: texts) })
      + eagerLines
  }

  private func describe(_ limit: OccurrenceLimit) -> String {
    LimitWords.describe(limit, times: occurrences, clock)
  }
}

/// The vocabulary of explanations.
enum ExplanationText {
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

  /// The result of a clause: in brackets if the clause was not reached, `always` or `never` if the clause reads
  /// nothing.
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
    // In a failing clause, the part that failed has no value.
    var values = clause.computed.filter { !hasFailed || $0.value != nil }
      .map { "\(oneLine($0.text)) is \(describe($0.value))" }
    let reason = reason(of: clause)
    // The reason already names the missing attribute.
    let told = reason == nil ? nil : clause.failure?.details.subject
    values += clause.attributes.filter { $0.value != nil || $0.path.description != told }
      .map { describe($0) }
    if clause.outcome == .noBool, !clause.isConstant,
      !values.contains(where: { $0.hasPrefix("\(text) is ") })
    {
      values.insert("\(text) is \(describe(clause.value))", at: 0)
    }
    values += [reason].compactMap { $0 }
    let shown = values.joined(separator: ", ")
    return shown.isEmpty ? trimEnd(line) : "\(line)  \(shown)"
  }

  /// Why a clause fails, if its attributes do not explain it.
  private static func reason(of clause: Clause) -> String? {
    guard case .failed(let kind) = clause.outcome else { return nil }
    let isAbsent = clause.attributes.contains { $0.value == nil }
    if isAbsent, let failed = clause.failure, failed.failure.isAbsent {
      return RuleErrorText.message(failed.failure, failed.details)
    }
    if let failed = clause.failure, let problem = RuleErrorText.literalProblem(failed.details) {
      return problem
    }
    // The null value already appears next to the clause.
    if clause.failure?.failure.isNull == true { return nil }
    return RuleErrorText.summary(kind, isAbsent: isAbsent)
  }

  private static func describe(_ attribute: Clause.Attribute) -> String {
    if attribute.value == nil, let standIn = attribute.standIn {
      return "\(attribute.path) is missing and counts as \(short(standIn.json))"
    }
    let value = attribute.isPresenceOnly ? "present" : describe(attribute.value)
    let binding =
      attribute.isMapForNull ? " (an empty map on iOS)" : ""
    return "\(attribute.path) is \(value)\(binding)"
  }

  private static func describe(_ value: Value?) -> String {
    value.map { short($0.json) } ?? "missing"
  }

  /// Rows in which all cells but the last are padded to the width of their column.
  static func columns(_ rows: [[String]]) -> [String] {
    let count = max((rows.first?.count ?? 0) - 1, 0)
    let widths = (0..<count).map { column in
      rows.map { TextWidth.columns($0[column]) }.max() ?? 0
    }
    return rows.map { row in
      let cells = (0..<count).map { padded(row[$0], widths[$0]) } + row.suffix(1)
      return cells.joined(separator: "  ")
    }
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TextWidth.columns(text)))
  }

  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
  }

  private static func trimEnd(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }

  private static func short(_ text: String) -> String {
    text.count <= 60 ? text : text.prefix(57) + "..."
  }
}
