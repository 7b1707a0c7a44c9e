/// The reason why a paywall was closed.
///
/// ```swift
/// PaywallCloseReason(rawValue: "manualClose")  // .manualClose
/// ```
public enum PaywallCloseReason: String, Hashable, Sendable {
  /// The paywall is still open.
  case none
  /// The user closed the paywall with its close button, a swipe or the back button.
  case manualClose
  /// The SDK, the app or the system closed the paywall, for example after a purchase or with `dismiss()`.
  case systemLogic
  /// Another paywall replaces this paywall.
  case forNextPaywall
  case webViewFailedToLoad
}

/// Whether the feature behind a placement runs after its outcome, and which error the app receives.
package struct FeatureGate: Hashable, Sendable {
  /// The outcome of a placement.
  package enum State: Hashable, Sendable {
    /// A paywall is on the screen.
    case presented
    /// The user bought or restored a product on the paywall.
    case paid
    /// The user bought nothing.
    case declined(PaywallCloseReason)
    /// There is no paywall for the subject.
    case skipped
    /// A paywall was due but is not available.
    case failed
    /// The placement's name is reserved by the SDK.
    case ignored
  }

  package enum Failure: String, Hashable, Sendable {
    /// The reason why the paywall could not be presented.
    case error
    /// The paywall could not be loaded.
    case webViewFailed
  }

  package var isFeatureRun: Bool
  package var failure: Failure?

  /// - Parameter isGated: whether only paying users get the feature.
  package init(_ state: State, isGated: Bool) {
    switch state {
    case .skipped, .paid: isFeatureRun = true
    case .presented, .failed, .ignored, .declined(.forNextPaywall): isFeatureRun = false
    case .declined: isFeatureRun = !isGated
    }
    switch state {
    case .failed: failure = .error
    case .declined(.webViewFailedToLoad) where isGated: failure = .webViewFailed
    default: failure = nil
    }
  }
}
