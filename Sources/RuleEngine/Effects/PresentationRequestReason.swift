public import Expressions

/// The result of a request to present a paywall.
public enum PresentationRequestStatus: String, Hashable, Sendable {
  case presentation
  case noPresentation
  case timeout
}

/// The reason why a request did not present a paywall. The set of reasons is closed.
///
/// ```swift
/// let reason = PresentationRequestReason.noAudienceMatch
/// reason.status  // PresentationRequestStatus.noPresentation
/// PresentationResult(reason).type  // "NoAudienceMatch"
/// ```
public enum PresentationRequestReason: Hashable, Sendable {
  case debuggerPresented
  case paywallAlreadyPresented
  case holdout(Decision.Experiment)
  case noAudienceMatch
  case placementNotFound
  case noPaywallViewController
  case noPresenter
  case noConfig
  /// The subscription status was unknown until the timeout.
  case subscriptionStatusTimeout
  /// The user has an active subscription. This engine reads this reason but never produces it, because its audiences
  /// ignore the subscription status.
  case userIsSubscribed

  private static let withoutDetails: [PresentationRequestReason] = [
    .debuggerPresented, .paywallAlreadyPresented, .noAudienceMatch, .placementNotFound,
    .noPaywallViewController, .noPresenter, .noConfig, .subscriptionStatusTimeout,
    .userIsSubscribed,
  ]

  /// The names of the reason: in the native SDKs, in the contract (nil means an error with the native name), and in the
  /// native SDKs' requests to their server.
  private var names: (native: String, contract: String?, sent: String) {
    switch self {
    case .debuggerPresented: ("debuggerPresented", "debuggerPresented", "debugger_presented")
    case .paywallAlreadyPresented:
      ("paywallAlreadyPresented", "paywallAlreadyPresented", "paywall_already_presented")
    case .holdout: ("holdout", "holdout", "holdout")
    case .noAudienceMatch: ("noAudienceMatch", "noRuleMatch", "no_rule_match")
    case .placementNotFound: ("placementNotFound", "eventNotFound", "event_not_found")
    case .noPaywallViewController:
      ("noPaywallViewController", "noPaywallViewController", "no_paywall_view_controller")
    case .noPresenter: ("noPresenter", "noViewController", "no_presenter")
    case .noConfig: ("noConfig", nil, "no_config")
    case .subscriptionStatusTimeout:
      ("subscriptionStatusTimeout", nil, "subscriptionStatus_timeout")
    case .userIsSubscribed: ("userIsSubscribed", "userIsSubscribed", "user_is_subscribed")
    }
  }

  /// Creates a reason without details from its name in the SDK contract or in the native SDKs.
  public init?(name: String) {
    let known = Self.withoutDetails.first { [$0.names.native, $0.names.contract].contains(name) }
    guard let known else { return nil }
    self = known
  }

  /// The name that the SDK for iOS sends to its server.
  package var sentName: String { names.sent }

  public var status: PresentationRequestStatus {
    self == .subscriptionStatusTimeout ? .timeout : .noPresentation
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    guard let name = names.contract else {
      return .object(["reason": "error", "error": .string(names.native)])
    }
    guard case .holdout(let experiment) = self else { return .object(["reason": .string(name)]) }
    return .object(["reason": .string(name), "experiment": experiment.value])
  }
}

extension PresentationResult {
  /// Converts a reason to the result that callers get if they ask without presenting.
  public init(_ reason: PresentationRequestReason) {
    switch reason {
    case .holdout(let experiment): self = .holdout(experiment)
    case .noAudienceMatch: self = .noAudienceMatch
    case .placementNotFound: self = .placementNotFound
    case .debuggerPresented, .paywallAlreadyPresented, .noPaywallViewController, .noPresenter,
      .noConfig, .subscriptionStatusTimeout, .userIsSubscribed:
      self = .paywallNotAvailable
    }
  }
}
