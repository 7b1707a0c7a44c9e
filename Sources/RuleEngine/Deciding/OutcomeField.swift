package import Expressions

/// The fields of an outcome: the one list that JSON, CSV, SQLite, Arrow, rule tests, the C library and the Python
/// package follow. Tables have their columns in this order.
package enum OutcomeField: String, CaseIterable, Sendable {
  /// `paywall`, `holdout`, `noAudienceMatch`, `placementNotFound`, `error` or `undecidable`.
  case result
  /// The index of the audience that decided.
  case audience
  /// The ID of the experiment.
  case experiment
  /// The ID of the variant.
  case variant
  /// The identifier of the paywall to show.
  case paywall
  /// The reason, as `tollgate precompute --reasons` writes it. Among tables, only those in Arrow format include the
  /// reason, because it depends on the user and not only on the choice.
  case reason

  /// The type of the field in a table.
  package enum Kind: Sendable {
    case string, integer, json
  }

  /// The fields that depend only on the choice, not on the user.
  package static let ofChoices = allCases.filter { $0 != .reason }

  package var kind: Kind {
    switch self {
    case .result, .experiment, .variant, .paywall: .string
    case .audience: .integer
    case .reason: .json
    }
  }

  /// Whether the field always has a value.
  package var isRequired: Bool { self == .result }

  /// Whether the long JSON form has the field inside `result`. Fields inside `result` are not repeated outside.
  package var isInResult: Bool {
    switch self {
    case .result, .experiment, .variant: true
    case .audience, .paywall, .reason: false
    }
  }
}

/// An outcome by its fields. A missing or empty value is null.
package struct OutcomeValues: Sendable {
  package let result: String
  package let audience: Int?
  package let experiment: String?
  package let variant: String?
  package let paywall: String?

  package init(_ outcome: Decision.Outcome, audience: Int?) {
    result = TriggerResult(outcome).value["result"]?.text ?? ""
    self.audience = audience
    switch outcome {
    case .paywall(let found):
      (experiment, variant, paywall) = (found.id, found.variant.id, found.variant.paywallID)
    case .holdout(let found): (experiment, variant, paywall) = (found.id, found.variant.id, nil)
    case .noAudienceMatch, .placementNotFound, .error, .undecidable:
      (experiment, variant, paywall) = (nil, nil, nil)
    }
  }

  package subscript(field: OutcomeField) -> Value {
    func string(_ text: String?) -> Value {
      guard let text, !text.isEmpty else { return .null }
      return .string(text)
    }
    return switch field {
    case .result: string(result)
    case .audience: audience.map { .int(Int64($0)) } ?? .null
    case .experiment: string(experiment)
    case .variant: string(variant)
    case .paywall: string(paywall)
    case .reason: .null
    }
  }

  /// A field as the cell of a table. Empty if the field is missing.
  package func cell(_ field: OutcomeField) -> String {
    switch self[field] {
    case .string(let text): text
    case .int(let number): String(number)
    default: ""
    }
  }

  /// The members of an object.
  package func members(_ fields: [OutcomeField]) -> [Value.Entry] {
    fields.map { .init(key: .string($0.rawValue), value: self[$0]) }
  }
}
