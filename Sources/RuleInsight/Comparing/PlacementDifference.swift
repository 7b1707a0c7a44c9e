package import Expressions
internal import RuleEngine

/// Whether two configs have the same outcome at a placement for every possible user.
package struct PlacementDifference: Sendable {
  package enum Verdict: String, Sendable {
    /// No user has a different outcome.
    case same
    /// At least one user has a different outcome. The record is an example.
    case differs
    /// Neither a proof nor a user with a different outcome was found.
    case unknown
  }

  /// A user with a different outcome.
  package struct Witness: Sendable {
    /// A user record.
    package var record: Value
    package var from: ComparedOutcome
    package var to: ComparedOutcome
    package var reason: MoveReason
    /// The reason in words.
    package var text: String
  }

  package var placement: String
  /// One example user for each kind of move that was found.
  package internal(set) var witnesses: [Witness] = []
  /// The unknown parts in words, with the reasons.
  package internal(set) var unknown: [String] = []

  package var verdict: Verdict {
    witnesses.isEmpty ? unknown.isEmpty ? .same : .unknown : .differs
  }

  init(_ placement: String) { self.placement = placement }

  /// - Parameter shown: the display form of a user record.
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
