/// One arm of an experiment.
public struct Variant: Hashable, Sendable {
  /// The effect of the variant on a subject.
  public enum Kind: String, Hashable, Sendable {
    /// Shows a paywall.
    case treatment = "TREATMENT"
    /// Shows no paywall, for comparison.
    case holdout = "HOLDOUT"
  }

  public var id: String
  public var kind: Kind
  /// The variant's share of subjects, relative to the sum of all weights of the experiment. The weight is never
  /// negative.
  public var weight: Double
  public var paywallID: String?
  /// Whether the variant only represents the share of subjects that the config's variants do not cover.
  public var isGap: Bool

  public init(
    id: String, kind: Kind, weight: Double, paywallID: String? = nil, isGap: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.weight = weight
    self.paywallID = paywallID
    self.isGap = isGap
  }
}

/// Whether an experiment assigns variants to subjects.
///
/// ```swift
/// let audience = Audience(index: 0, experimentID: "spring")
/// audience.experimentStatus  // .running
/// ```
public enum ExperimentStatus: String, Hashable, Sendable, CaseIterable {
  case running
  case paused
  case completed
  /// The audience has no experiment.
  case absent
}
