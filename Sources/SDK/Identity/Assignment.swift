public import Expressions
public import RuleEngine

/// A user's variant of an experiment.
public struct Assignment: Hashable, Sendable {
  public var experimentID: String
  public var variant: Variant
  /// Whether the server knows that the user has it.
  public var isSentToServer: Bool

  public init(experimentID: String, variant: Variant, isSentToServer: Bool = false) {
    self.experimentID = experimentID
    self.variant = variant
    self.isSentToServer = isSentToServer
  }

  /// The contract's JSON: `{"experimentId", "variant", "isSentToServer"}`.
  public var value: Value {
    .object([
      "experimentId": .string(experimentID),
      "variant": .object([
        "id": .string(variant.id), "type": .string(variant.kind.rawValue),
        "paywallId": .string(variant.paywallID ?? ""),
      ]),
      "isSentToServer": .bool(isSentToServer),
    ])
  }
}
