package import Expressions

/// The reason for an outcome as JSON: the `reason` of explanations and of the outcomes of a batch.
package enum DecisionReason {
  /// The members, in their order. Empty members are omitted.
  package enum Member: Int, CaseIterable {
    /// Audiences whose condition is true, but whose limit prevents them from deciding.
    case heldBack
    /// Audiences whose condition failed.
    case errors
    /// Audiences whose condition was decided by a missing attribute that counts as another value.
    case missing
    /// Audiences that were skipped because the subject owns an entitlement.
    case owned
    /// The subject's draw, and the range that selects its variant.
    case draw
    /// Whether the variant was stored.
    case stored

    package var name: String {
      switch self {
      case .heldBack: "heldBack"
      case .errors: "errors"
      case .missing: "missing"
      case .owned: "owned"
      case .draw: "draw"
      case .stored: "stored"
      }
    }
  }

  /// A held-back audience as JSON: `{"audience", "limit": {"key", "count", "of", "minutes"?, "session"?}}`.
  package static func heldBack(_ audience: Int, _ limit: OccurrenceLimit, count: Int) -> Value {
    .object(["audience": .int(Int64(audience)), "limit": limit.value(count: count)])
  }

  /// A failed audience as JSON: `{"audience", "code", "text"}`.
  package static func failed(_ audience: Int, code: String, text: String) -> Value {
    .object([
      "audience": .int(Int64(audience)), "code": .string(code), "text": .string(text),
    ])
  }

  /// A missing attribute as JSON: `{"audience", "clause", "path", "countsAs"?, "matched"}`.
  package static func missing(
    _ audience: Int, _ clause: StandInProgram.Clause, holds: Bool
  ) -> Value {
    .members([
      "audience": .int(Int64(audience)), "clause": .string(clause.text),
      "path": .string(clause.path.description), "countsAs": clause.standIn,
      "matched": .bool(holds),
    ])
  }

  /// A skipped audience as JSON: `{"audience", "entitlement"}`.
  package static func owned(_ audience: Int, _ entitlement: String) -> Value {
    .object(["audience": .int(Int64(audience)), "entitlement": .string(entitlement)])
  }
}

extension Explanation {
  /// The members of `reason` that apply.
  var reasonMembers: [Value.Entry] {
    var lists: [DecisionReason.Member: [Value]] = [:]
    for audience in audiences {
      let index = audience.step.index
      for (clause, holds) in audience.missing {
        lists[.missing, default: []].append(DecisionReason.missing(index, clause, holds: holds))
      }
      switch audience.step.reason {
      case .occurrenceLimit(let count, let limit):
        lists[.heldBack, default: []].append(DecisionReason.heldBack(index, limit, count: count))
      case .expressionError(let problem):
        lists[.errors, default: []].append(
          DecisionReason.failed(
            index, code: audience.error?.code ?? problem.kind.slug,
            text: audience.error?.message ?? ""))
      case .entitled(let entitlement):
        lists[.owned, default: []].append(DecisionReason.owned(index, entitlement))
      case .matched, .expressionFalse, .expressionBroken, .notReached, .undecidable: continue
      }
    }
    return DecisionReason.Member.allCases.compactMap { member in
      let value: Value? =
        switch member {
        case .heldBack, .errors, .missing, .owned: lists[member].map { .list($0) }
        case .draw: draw?.value
        case .stored: decision.assignmentSource == .stored ? true : nil
        }
      return value.map { Value.Entry(key: .string(member.name), value: $0) }
    }
  }
}
