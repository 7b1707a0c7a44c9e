public import Expressions

/// Why a request led to no presentation, as it is tracked: a closed set.
public enum StatusReason: String, Hashable, Sendable, CaseIterable {
  case debuggerPresented
  case paywallAlreadyPresented
  case holdout
  case noAudienceMatch
  case placementNotFound
  case noPaywallViewController
  case noPresenter
  case noConfig
  /// The subscription status was unknown until the time was up.
  case subscriptionStatusTimeout

  /// The name that is sent.
  public func wireName(platform: SDKPlatform = .ios) -> String {
    switch self {
    case .debuggerPresented: "debugger_presented"
    case .paywallAlreadyPresented: "paywall_already_presented"
    case .holdout: "holdout"
    case .noAudienceMatch: "no_rule_match"
    case .placementNotFound: "event_not_found"
    case .noPaywallViewController: "no_paywall_view_controller"
    case .noPresenter: "no_presenter"
    case .noConfig: "no_config"
    case .subscriptionStatusTimeout:
      platform == .android ? "subscription_status_timeout" : "subscriptionStatus_timeout"
    }
  }

  /// The case of ``PresentationResult`` that somebody who asks for a result gets.
  public var presentationResultType: String {
    switch self {
    case .holdout: "Holdout"
    case .noAudienceMatch: "NoAudienceMatch"
    case .placementNotFound: "PlacementNotFound"
    default: "PaywallNotAvailable"
    }
  }

  /// The reason of an outcome that presents nothing; nil for a paywall.
  public init?(_ outcome: Decision.Outcome) {
    switch outcome {
    case .paywall: return nil
    case .holdout: self = .holdout
    case .noAudienceMatch: self = .noAudienceMatch
    case .placementNotFound: self = .placementNotFound
    case .error: self = .noPaywallViewController
    }
  }
}

/// The event that tracks what came of a placement.
public enum TriggerFire {
  /// An audience that did not match, and what the SDKs call the reason.
  public struct Unmatched: Hashable, Sendable {
    public var experimentID: String
    public var source: String

    public init(experimentID: String, source: String) {
      self.experimentID = experimentID
      self.source = source
    }

    /// Nil for an audience that matched, or that was not reached.
    public init?(_ step: Decision.Step) {
      guard let source = step.reason.unmatchedSource else { return nil }
      self.init(experimentID: step.experimentID, source: source)
    }
  }

  /// Its parameters. Without a matching audience they tell on iOS why each did not match.
  public static func params(
    placement: String, _ outcome: Decision.Outcome, unmatched: [Unmatched] = [],
    platform: SDKPlatform = .ios
  ) -> Value {
    var entries = [Value.Entry(key: "trigger_name", value: .string(placement))]
    func add(_ key: String, _ value: String) {
      entries.append(Value.Entry(key: .string(key), value: .string(value)))
    }
    switch outcome {
    case .paywall(let experiment):
      add("result", "present")
      add("variant_id", experiment.variant.id)
      add("experiment_id", experiment.id)
      add("paywall_identifier", experiment.variant.paywallID ?? "")
    case .holdout(let experiment):
      add("result", "holdout")
      add("variant_id", experiment.variant.id)
      add("experiment_id", experiment.id)
    case .noAudienceMatch:
      add("result", "no_rule_match")
      if platform == .ios {
        for audience in unmatched {
          add("unmatched_audience_\(audience.experimentID)", audience.source)
        }
      }
    case .placementNotFound: add("result", "eventNotFound")
    case .error: add("result", "error")
    }
    return .map(entries)
  }
}

extension Decision.Reason {
  /// What the SDKs call the reason why an audience did not match: its condition, or its limit. Nil
  /// when it matched or was not reached.
  public var unmatchedSource: String? {
    switch self {
    case .matched, .notReached: nil
    case .occurrenceLimit: "OCCURRENCE"
    case .expressionFalse, .expressionError, .expressionBroken, .entitled: "EXPRESSION"
    }
  }
}
