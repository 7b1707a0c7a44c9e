/// Whether the feature behind a placement is run after what came of it.
public struct FeatureGate: Hashable, Sendable {
  /// How a paywall was left.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    case purchased, restored, declined
  }

  public enum CloseReason: String, Hashable, Sendable, CaseIterable {
    case none, manualClose, systemLogic, forNextPaywall, webViewFailedToLoad
  }

  /// Where a request has come to.
  public enum State: Hashable, Sendable {
    case presented
    case dismissed(Result, CloseReason)
    /// There is no paywall for the subject.
    case skipped
    case failed
  }

  public var isFeatureRun: Bool
  /// The code of the error that the app is told of, or nil.
  public var errorCode: Int?

  /// A paywall that could not be loaded.
  public static let webViewFailed = 106

  public init(_ state: State, gating: Paywall.FeatureGating) {
    switch state {
    case .skipped: self.init(isFeatureRun: true)
    case .presented, .failed: self.init(isFeatureRun: false)
    case .dismissed(.purchased, _), .dismissed(.restored, _): self.init(isFeatureRun: true)
    case .dismissed(.declined, .forNextPaywall): self.init(isFeatureRun: false)
    case .dismissed(.declined, let reason):
      self.init(
        isFeatureRun: gating == .nonGated,
        errorCode: gating == .gated && reason == .webViewFailedToLoad
          ? FeatureGate.webViewFailed : nil)
    }
  }

  private init(isFeatureRun: Bool, errorCode: Int? = nil) {
    self.isFeatureRun = isFeatureRun
    self.errorCode = errorCode
  }
}
