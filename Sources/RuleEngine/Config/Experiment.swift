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
  /// Share of subjects in relation to the sum over the experiment's variants. Not negative.
  public var weight: Double
  public var paywallID: String?
  /// Whether the variant is missing from the config and represents the share of subjects that the
  /// others leave.
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
  /// The audience has no experiment at all.
  case absent
}
