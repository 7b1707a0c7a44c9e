package import Expressions
package import RuleEngine

/// The outcome for a user at a placement by one of two configs.
package struct ComparedOutcome: Sendable {
  /// The fields that are reported for both sides of a move. The audience identifies the experiment.
  package static let fields: [OutcomeField] = [.result, .audience, .variant, .paywall]

  package let values: OutcomeValues
  package var result: String { values.result }
  package var audience: Int? { values.audience }
  package var variant: String? { values.variant }
  package var paywall: String? { values.paywall }

  init(_ outcome: Decision.Outcome, audience: Int?) {
    values = OutcomeValues(outcome, audience: audience)
  }

  /// Whether a user cannot notice a difference between the two outcomes. A different audience
  /// number alone is not a difference.
  package func isSame(as other: ComparedOutcome) -> Bool {
    shown == other.shown
  }

  /// The visible fields. Names are compared by their bytes.
  private var shown: [[UInt8]?] {
    [Array(result.utf8), variant.map { Array($0.utf8) }, paywall.map { Array($0.utf8) }]
  }

  package var value: Value {
    .map(values.members(Self.fields))
  }

  /// The outcome in words: `'annual' (variant 'v1', audience 0)`.
  package var text: String {
    var notes: [String] = []
    if let variant { notes.append("variant '\(variant)'") }
    if let audience { notes.append("audience \(audience)") }
    let name =
      switch result {
      case "paywall": "'\(paywall ?? "")'"
      case "noAudienceMatch": "no match"
      case "placementNotFound": "no such placement"
      case "undecidable": "undecidable"
      default: result
      }
    return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
  }
}

extension ComparedOutcome: Hashable {
  package static func == (a: ComparedOutcome, b: ComparedOutcome) -> Bool {
    a.audience == b.audience && a.isSame(as: b)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(audience)
    hasher.combine(shown)
  }
}
