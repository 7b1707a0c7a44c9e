public import Expressions
public import RuleEngine

extension Assignment {
  /// Whether both assignments have the same variant, regardless of the variant's details.
  func isSame(as other: Assignment) -> Bool {
    experimentID == other.experimentID && variantID == other.variantID
      && isSentToServer == other.isSentToServer
  }

  /// The assignment as JSON: `{"experimentId", "variant", "isSentToServer"}`.
  public var value: Value {
    .object([
      "experimentId": .string(experimentID),
      "variant": .object([
        "id": .string(variantID), "type": .string((kind ?? .treatment).rawValue),
        "paywallId": .string(paywallID ?? ""),
      ]),
      "isSentToServer": .bool(isSentToServer),
    ])
  }
}
