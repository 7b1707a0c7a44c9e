public import Expressions

extension Explanation {
  /// The explanation as JSON: `{"userId", "now", "assigner", "seed"?, "placement", "result",
  /// "audience", "paywall", "reason", "assignment", "audiences", "shares", "effects",
  /// "subscription"?}`.
  public var value: Value {
    let line = decision.outcomeLine(subjectID: state.subjectID)
    var basis: [Value.Entry] = [
      .init(key: "userId", value: .string(state.subjectID)),
      .init(
        key: "now",
        value: state.now.value),
      .init(key: "assigner", value: .string(assigner.name)),
    ]
    if case .hash(let salt) = assigner { basis.append(.init(key: "seed", value: .string(salt))) }
    guard case .map(let rest) = told(line) else { return .map(basis) }
    return .map(basis + rest)
  }

  private func told(_ line: Value) -> Value {
    .members([
      "placement": .string(decision.placement), "result": line["result"] ?? .null,
      "audience": line["audience"] ?? .null, "paywall": line["paywall"] ?? .null,
      "reason": reason, "assignment": assignment,
      "audiences": .list(audiences.map { $0.value }),
      "shares": .list(shares.map { $0.value }), "effects": .list(decision.effects.map { $0.value }),
      "subscription": ownership?.value,
    ])
  }

  /// The reason for the outcome as JSON: `{"code", "heldBack"?: [{"audience", "limit"}], "errors"?:
  /// [{"audience", "code", "text"}], "missing"?: [{"audience", "clause", "path", "countsAs"?,
  /// "matched"}], "owned"?: [{"audience", "entitlement"}], "draw"?: {"number", "from", "to"},
  /// "stored"?: true}`.
  private var reason: Value {
    .map([.init(key: "code", value: .string(decision.outcome.code))] + reasonMembers)
  }

  private var assignment: Value {
    switch decision.assignmentSource {
    case nil: .null
    case .stored: .object(["source": "stored"])
    case .new: .object(["source": "new"])
    case .only: .object(["source": "only"])
    case .redrawn(let old): .object(["source": "redrawn", "from": .string(old)])
    }
  }
}

extension Explanation.Audience {
  /// The audience as JSON.
  public var value: Value {
    .members([
      "index": .int(Int64(step.index)), "id": id.map { .string($0) },
      "name": name.map { .string($0) }, "experimentId": .string(step.experimentID),
      "reason": step.reason.value,
      "entitlementGuard": entitlementGuard.map { .string($0) },
      "expression": expression.map { .string($0) } ?? .null,
      "clauses": .list(clauses.map { $0.told }),
      "limit": limit.map { $0.value(count: occurrences.count, times: occurrences) },
    ])
  }
}

extension Clause {
  /// The clause as JSON:
  /// `{"text", "range", "outcome", "error"?, "value"?, "reached", "constant"?, "reads", "computed"?}`; `outcome` is
  /// true, false, error or value.
  fileprivate var told: Value {
    var error: String?
    let name: String
    switch outcome {
    case .true: name = "true"
    case .false: name = "false"
    case .failed(let kind):
      name = "error"
      error = kind.slug
    case .noBool: name = "value"
    }
    return .members([
      "text": .string(text),
      "range": .object(["from": .int(Int64(range.from)), "to": .int(Int64(range.to))]),
      "outcome": .string(name), "error": error.map { .string($0) }, "value": value,
      "reached": .bool(wasReached), "constant": isConstant ? true : nil,
      "reads": .list(
        attributes.map {
          .members([
            "path": .string($0.path.description), "value": $0.value,
            "presenceOnly": $0.isPresenceOnly ? true : nil,
          ])
        }),
      "computed": computed.isEmpty
        ? nil
        : .list(computed.map { .members(["text": .string($0.text), "value": $0.value]) }),
    ])
  }
}

extension Decision.Reason {
  /// The reason as JSON: `{"code"}`, and its details.
  public var value: Value {
    let code = Value.string(code)
    switch self {
    case .matched, .expressionFalse(nil), .notReached, .undecidable: return .object(["code": code])
    case .expressionFalse(let type?):
      return .object(["code": code, "valueType": .string(type)])
    case .expressionError(let error):
      return .object(["code": code, "error": .string(error.kind.slug)])
    case .expressionBroken: return .object(["code": code, "error": "does-not-compile"])
    case .occurrenceLimit(let count, let limit):
      return .object(["code": code, "limit": limit.value(count: count)])
    case .entitled(let entitlement):
      return .object(["code": code, "entitlement": .string(entitlement)])
    }
  }
}

extension OccurrenceLimit {
  /// The limit as JSON: `{"key", "maxCount", "interval": {"type", "minutes"?}}`. The types are those of Superwall's
  /// configs, and `SESSION`, which only Tollgate has.
  public var value: Value {
    let interval: Value =
      switch interval {
      case .infinity: .object(["type": "INFINITY"])
      case .minutes(let minutes):
        .object(["type": "MINUTES", "minutes": .int(Int64(minutes))])
      case .session: .object(["type": "SESSION"])
      }
    return .object([
      "key": .string(key), "maxCount": .int(Int64(maxCount)), "interval": interval,
    ])
  }

  /// The limit as JSON: `{"key", "count"?, "of", "minutes"?, "session"?: true, "times"?}`. A limit over all time has
  /// neither minutes nor a session.
  package func value(count: Int?, times: [Instant]? = nil) -> Value {
    var span: Int64?
    if case .minutes(let minutes) = interval { span = Int64(minutes) }
    return .members([
      "key": .string(key), "count": count.map { .int(Int64($0)) }, "of": .int(Int64(maxCount)),
      "minutes": span.map { .int($0) }, "session": interval == .session ? true : nil,
      "times": times.map { .list($0.map { $0.value }) },
    ])
  }
}

extension Decision.Effect {
  /// The effect as JSON: `{"effect"}`, and its details.
  public var value: Value {
    switch self {
    case .storeAssignment(let experiment, let variant):
      .object([
        "effect": "storeAssignment", "experimentId": .string(experiment),
        "variantId": .string(variant),
      ])
    case .confirmAssignment(let experiment, let variant):
      .object([
        "effect": "confirmAssignment", "experimentId": .string(experiment),
        "variantId": .string(variant),
      ])
    case .recordOccurrence(let limit):
      .object(["effect": "recordOccurrence", "key": .string(limit.key)])
    case .fireTrigger: .object(["effect": "fireTrigger"])
    }
  }
}

extension Distribution {
  /// The distribution as JSON: `{"placement", "audience", "shares"}`.
  public var value: Value {
    .object([
      "placement": .string(placement), "audience": audience.map { .int(Int64($0)) } ?? .null,
      "shares": .list(shares.map { $0.value }),
    ])
  }
}

extension Distribution.Share {
  /// The share as JSON: `{"result", "probability", "share"}`, with the exact probability as `9/20`, and the number.
  var value: Value {
    .object([
      "result": TriggerResult(outcome).value, "probability": .string(probability.description),
      "share": .double(probability.double),
    ])
  }
}
