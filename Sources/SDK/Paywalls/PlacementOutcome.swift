public import Expressions
public import RuleEngine

/// Why no paywall was presented although there was no error.
public enum PaywallSkippedReason: Hashable, Sendable {
  case holdout(Decision.Experiment)
  case noAudienceMatch
  case placementNotFound

  /// The reason as JSON: `{"type"}`, and `experiment` for a holdout.
  public var value: Value {
    switch self {
    case .holdout(let experiment):
      .object(["type": "Holdout", "experiment": experiment.value])
    case .noAudienceMatch: .object(["type": "NoAudienceMatch"])
    case .placementNotFound: .object(["type": "PlacementNotFound"])
    }
  }
}

/// The result of registering a placement. Every registration has exactly one outcome.
public struct PlacementOutcome: Hashable, Sendable, CustomStringConvertible {
  /// The kind of outcome.
  public enum Kind: Hashable, Sendable {
    /// A paywall was presented and closed. In a chain of paywalls, this is the result of the last paywall.
    case presented(PaywallResult, PaywallCloseReason)
    case skipped(PaywallSkippedReason)
    case error(SDKError)
  }

  public var kind: Kind
  /// Whether the feature behind the placement may run.
  public var featureGranted: Bool

  public init(_ kind: Kind, gating: Paywall.FeatureGating = .gated) {
    self.kind = kind
    featureGranted = FeatureGate(kind.state, isGated: gating == .gated).isFeatureRun
  }

  /// A description such as `presented: purchased com.app.year (systemLogic), feature granted`.
  public var description: String {
    let granted = featureGranted ? "feature granted" : "feature not granted"
    switch kind {
    case .presented(let result, let reason):
      let type = result.value["type"]?.text ?? ""
      let product = result.value["productId"]?.text.map { " \($0)" } ?? ""
      return "presented: \(type)\(product) (\(reason.rawValue)), \(granted)"
    case .skipped(let reason): return "skipped: \(reason.value["type"]?.text ?? ""), \(granted)"
    case .error(let error): return "error: \(error), \(granted)"
    }
  }

  /// The outcome as JSON: `{"outcome", "result"?, "closeReason"?, "reason"?, "error"?, "featureGranted"}`.
  public var value: Value {
    let granted = Value.bool(featureGranted)
    switch kind {
    case .presented(let result, let reason):
      return .object([
        "outcome": "presented", "result": result.value, "closeReason": .string(reason.rawValue),
        "featureGranted": granted,
      ])
    case .skipped(let reason):
      return .object(["outcome": "skipped", "reason": reason.value, "featureGranted": granted])
    case .error(let error):
      return .object(["outcome": "error", "error": error.value, "featureGranted": granted])
    }
  }
}

extension PlacementOutcome.Kind {
  /// The state for the feature's gate.
  var state: FeatureGate.State {
    switch self {
    case .presented(.declined, let reason): .declined(reason)
    case .presented(.purchased, _), .presented(.restored, _): .paid
    case .skipped: .skipped
    case .error: .failed
    }
  }
}
