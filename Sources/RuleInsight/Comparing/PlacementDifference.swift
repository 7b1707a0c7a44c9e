package import Expressions
internal import RuleEngine

/// Whether two configs give every user there could be the same at a placement.
package struct PlacementDifference: Sendable {
  package enum Verdict: String, Sendable {
    /// Nobody gets something else.
    case same
    /// Somebody does, and here is one.
    case differs
    /// Neither was found.
    case unknown
  }

  /// A user who gets something else.
  package struct Witness: Sendable {
    /// A user record.
    package var record: Value
    package var from: ComparedOutcome
    package var to: ComparedOutcome
    package var reason: MoveReason
    /// The reason for a person.
    package var text: String
  }

  package var placement: String
  /// One for each way in which users move that was found.
  package internal(set) var witnesses: [Witness] = []
  /// What is not known, and why, for a person.
  package internal(set) var unknown: [String] = []

  package var verdict: Verdict {
    witnesses.isEmpty ? unknown.isEmpty ? .same : .unknown : .differs
  }

  init(_ placement: String) { self.placement = placement }

  /// - Parameter shown: a user record as it may be shown.
  package func value(shown: (Value) -> Value) -> Value {
    .members([
      "verdict": .string(verdict.rawValue),
      "witnesses": .list(
        witnesses.map {
          .object([
            "record": shown($0.record), "from": $0.from.value, "to": $0.to.value,
            "reason": .string($0.reason.rawValue), "text": .string($0.text),
          ])
        }),
      "unknown": unknown.isEmpty ? nil : .list(unknown.map { .string($0) }),
    ])
  }
}
