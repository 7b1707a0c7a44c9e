/// Why a paywall went away.
///
/// ```swift
/// PaywallCloseReason(rawValue: "manualClose")  // .manualClose
/// ```
public enum PaywallCloseReason: String, Hashable, Sendable {
  /// It is still there.
  case none
  /// The user closed it: close button, swipe, back button.
  case manualClose
  /// The SDK, the app or the system closed it: `dismiss()`, a purchase, a restore, a deep link.
  case systemLogic
  /// Another paywall takes its place.
  case forNextPaywall
  case webViewFailedToLoad
}

/// Whether the feature behind a placement runs after what came of it, and which error the app is
/// told of.
package struct FeatureGate: Hashable, Sendable {
  /// What came of a placement.
  package enum State: Hashable, Sendable {
    /// A paywall is on the screen.
    case presented
    /// The user bought something on the paywall, or got it back.
    case paid
    /// The user paid nothing.
    case declined(PaywallCloseReason)
    /// There is no paywall for the subject.
    case skipped
    /// There should have been a paywall.
    case failed
    /// The placement's name is one of the SDK's own.
    case ignored
  }

  package enum Failure: String, Hashable, Sendable {
    /// What kept the paywall from being presented.
    case error
    /// The paywall could not be loaded.
    case webViewFailed
  }

  package var isFeatureRun: Bool
  package var failure: Failure?

  /// - Parameter isGated: whether the feature is for those only who pay.
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
