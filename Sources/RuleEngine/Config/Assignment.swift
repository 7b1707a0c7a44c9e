/// The variant of an experiment that a subject is assigned to.
///
/// ```swift
/// let stored = Assignment(experimentID: "checkout", variantID: "b")
/// stored.isSentToServer  // true
/// ```
public struct Assignment: Hashable, Sendable {
  public var experimentID: String
  public var variantID: String
  /// Whether the server has confirmed the assignment. An unconfirmed assignment is confirmed with the next decision
  /// that uses it.
  public var isSentToServer: Bool
  /// The kind of the variant when it was assigned, for reports; nil if the kind is unknown. Decisions use the kind in
  /// the config.
  public var kind: Variant.Kind?
  public var paywallID: String?

  public init(experimentID: String, variantID: String, isSentToServer: Bool = true) {
    self.experimentID = experimentID
    self.variantID = variantID
    self.isSentToServer = isSentToServer
  }

  /// Creates an assignment that includes the kind of its variant.
  public init(experimentID: String, variant: Variant, isSentToServer: Bool = false) {
    self.init(
      experimentID: experimentID, variantID: variant.id, isSentToServer: isSentToServer)
    kind = variant.kind
    paywallID = variant.paywallID
  }
}
