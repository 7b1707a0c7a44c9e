public import Expressions
public import RuleEngine

extension Assignment {
  /// Whether it assigns the same variant, regardless of what is known about the variant.
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
