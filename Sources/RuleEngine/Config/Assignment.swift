/// A subject's variant of an experiment.
///
/// ```swift
/// let stored = Assignment(experimentID: "checkout", variantID: "b")
/// stored.isSentToServer  // true
/// ```
public struct Assignment: Hashable, Sendable {
  public var experimentID: String
  public var variantID: String
  /// Whether the server has confirmed it. One that was not is confirmed with the next decision
  /// that it makes.
  public var isSentToServer: Bool
  /// What the variant was when it was given, for those who tell of it later; nil where only its
  /// name is known. Deciding goes by the config.
  public var kind: Variant.Kind?
  public var paywallID: String?

  public init(experimentID: String, variantID: String, isSentToServer: Bool = true) {
    self.experimentID = experimentID
    self.variantID = variantID
    self.isSentToServer = isSentToServer
  }

  /// An assignment that tells what its variant is.
  public init(experimentID: String, variant: Variant, isSentToServer: Bool = false) {
    self.init(
      experimentID: experimentID, variantID: variant.id, isSentToServer: isSentToServer)
    kind = variant.kind
    paywallID = variant.paywallID
  }
}
