package import Expressions
internal import RuleEngine

/// What a user gets at a placement by one of two configs.
package struct ComparedOutcome: Sendable {
  /// As in ``TriggerResult``: `paywall`, `holdout`, `noAudienceMatch`, ...
  package var result: String
  package var audience: Int?
  package var variant: String?
  package var paywall: String?

  init(_ outcome: Decision.Outcome, audience: Int?) {
    result = TriggerResult(outcome).value["result"]?.text ?? ""
    self.audience = audience
    switch outcome {
    case .paywall(let experiment):
      variant = experiment.variant.id
      paywall = experiment.variant.paywallID
    case .holdout(let experiment): variant = experiment.variant.id
    default: break
    }
  }

  /// Whether who gets one in place of the other notices nothing. Another number of the audience
  /// alone is nothing.
  package func isSame(as other: ComparedOutcome) -> Bool {
    shown == other.shown
  }

  /// What makes a difference. Names differ by their bytes.
  private var shown: [[UInt8]?] {
    [Array(result.utf8), variant.map { Array($0.utf8) }, paywall.map { Array($0.utf8) }]
  }

  package var value: Value {
    .object([
      "result": .string(result), "audience": audience.map { .int(Int64($0)) } ?? .null,
      "variant": variant.map { .string($0) } ?? .null,
      "paywall": paywall.map { .string($0) } ?? .null,
    ])
  }

  /// For a person: `'annual' (variant 'v1', audience 0)`.
  package var text: String {
    var notes: [String] = []
    if let variant { notes.append("variant '\(variant)'") }
    if let audience { notes.append("audience \(audience)") }
    let name =
      switch result {
      case "paywall": "'\(paywall ?? "")'"
      case "noAudienceMatch": "no match"
      case "placementNotFound": "no such placement"
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
