internal import Expressions

/// An explanation in one line.
extension Explanation {
  /// The result of the placement, such as `paywall annual`.
  package var shortOutcome: String {
    switch decision.outcome {
    case .paywall(let experiment): "paywall \(experiment.variant.paywallID ?? "")"
    case .holdout: "holdout"
    case .noAudienceMatch: "no match"
    case .error: "no paywall"
    case .placementNotFound: "no placement"
    case .undecidable: "undecidable"
    }
  }

  /// The audience that decided, as `audience 1 (export-free)`.
  package var shortAudience: String? {
    decision.decidingAudience.map { "audience \($0.label)" }
  }

  /// The source of the variant, or the reason why the user got no variant.
  package var shortReason: String {
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      let variant = "variant \(experiment.variant.id)"
      return switch decision.assignmentSource {
      case .stored: "stored \(variant)"
      case .redrawn(let old): "\(variant), reassigned: variant \(old) no longer exists"
      case .only: "\(variant), the only one"
      case .new, nil: "\(variant), assigned now"
      }
    case .error(let failure): return failure.message
    case .undecidable(let reason): return reason
    case .placementNotFound: return "the config does not have this placement"
    case .noAudienceMatch: return reasonForNone
    }
  }

  /// Limits come first, because a true condition does not explain why the audience was skipped.
  private var reasonForNone: String {
    let tried = audiences.map { ($0, decision.ruleSet.rules[$0.step.rule].audience.label) }
    for (audience, label) in tried {
      if case .occurrenceLimit(let count, let limit) = audience.step.reason {
        return
          "audience \(label) held back by its limit: \(LimitWords.describe(limit, count: count))"
      }
    }
    for (audience, label) in tried {
      switch audience.step.reason {
      case .expressionError(let problem):
        return "audience \(label): \(audience.error?.message ?? problem.kind.slug)"
      case .expressionBroken: return "audience \(label) has an expression that does not compile"
      case .entitled(let entitlement):
        return "audience \(label) skipped: the user has the entitlement \(entitlement)"
      case .matched, .expressionFalse, .occurrenceLimit, .notReached, .undecidable: continue
      }
    }
    switch audiences.count {
    case 0: return "it has no audiences"
    case 1: return "audience \(tried[0].1) does not match"
    default: return "none of \(audiences.count) audiences matches"
    }
  }
}

extension Explanation {
  /// The decision in one line: the placement, its result, the audience, and the reason.
  package var line: String {
    var text = "\(decision.placement): \(summary)"
    switch decision.outcome {
    case .noAudienceMatch: text += "; \(shortReason)"
    case .paywall, .holdout, .error, .undecidable:
      if let shortAudience { text += ", \(shortAudience)" }
    case .placementNotFound: break
    }
    return DiagnosticText.visible(text)
  }

  /// One line per placement: its name, its result, the audience, and the reason. If the lines are too wide, each
  /// placement gets two lines, or more if its reason is long.
  ///
  /// - Parameters:
  ///   - notes: by placement, a note that follows the reason.
  ///   - width: the columns of a terminal; nil for lines of any length.
  package static func overview(
    _ explanations: [Explanation], notes: [String?], width: Int? = nil
  ) -> String {
    let rows = zip(explanations, notes).map { explanation, note in
      [
        explanation.decision.placement, explanation.shortOutcome, explanation.shortAudience ?? "-",
        explanation.shortReason + (note.map { "; \($0)" } ?? ""),
      ].map(DiagnosticText.visible)
    }
    let lines = ExplanationText.columns(rows)
    guard let width, lines.contains(where: { TextWidth.columns($0) > width }) else {
      return lines.joined(separator: "\n")
    }
    let heads = ExplanationText.columns(rows.map { Array($0[..<2]) })
    return zip(heads, rows).flatMap { head, row in
      let reason = row[2] == "-" ? row[3] : "\(row[2]): \(row[3])"
      return TextWidth.wrapped(head, to: width) + TextWidth.wrapped("    \(reason)", to: width)
    }.joined(separator: "\n")
  }
}
