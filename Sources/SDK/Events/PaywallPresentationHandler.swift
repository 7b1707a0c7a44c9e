internal import Expressions

/// Receives the events of one placement, in order and on the main actor.
///
/// ```swift
/// let handler = PaywallPresentationHandler()
/// handler.onDismiss { info, result in print("\(info.name): \(result)") }
/// await tollgate.register(placement: "export_pdf", handler: handler) { exportPDF() }
/// ```
public final class PaywallPresentationHandler: Sendable {
  private struct Callbacks: Sendable {
    var present: (@MainActor @Sendable (PaywallInfo) -> Void)?
    var dismiss: (@MainActor @Sendable (PaywallInfo, PaywallResult) -> Void)?
    var skip: (@MainActor @Sendable (PaywallSkippedReason) -> Void)?
    var error: (@MainActor @Sendable (SDKError) -> Void)?
    var customCallback: (@MainActor @Sendable (CustomCallback) async -> CustomCallbackResult)?
  }

  private let callbacks = Locked(Callbacks())

  public init() {}

  /// Called when a paywall becomes visible.
  public func onPresent(_ body: @escaping @MainActor @Sendable (PaywallInfo) -> Void) {
    callbacks.withLock { $0.present = body }
  }

  /// Called when the paywall is closed. In a chain of paywalls, the function is called for each paywall.
  public func onDismiss(
    _ body: @escaping @MainActor @Sendable (PaywallInfo, PaywallResult) -> Void
  ) {
    callbacks.withLock { $0.dismiss = body }
  }

  /// Called when no paywall is shown although no error occurred.
  public func onSkip(_ body: @escaping @MainActor @Sendable (PaywallSkippedReason) -> Void) {
    callbacks.withLock { $0.skip = body }
  }

  /// Called when an error occurs: the paywall does not exist, or could not be loaded.
  public func onError(_ body: @escaping @MainActor @Sendable (SDKError) -> Void) {
    callbacks.withLock { $0.error = body }
  }

  /// Answers the paywall's requests to the app within ``Timeouts/customCallback``. Without this callback, every request
  /// fails.
  public func onCustomCallback(
    _ body: @escaping @MainActor @Sendable (CustomCallback) async -> CustomCallbackResult
  ) {
    callbacks.withLock { $0.customCallback = body }
  }

  @MainActor
  func receive(_ event: ModuleEvent) {
    let callbacks = callbacks.withLock { $0 }
    switch event {
    case .onPaywallPresent(let info, _): callbacks.present?(info)
    case .onPaywallDismiss(let info, let result, _): callbacks.dismiss?(info, result)
    case .onPaywallSkip(let reason, _): callbacks.skip?(reason)
    case .onPaywallError(let error, _): callbacks.error?(error)
    default: break
    }
  }

  var respondent: (@Sendable (CustomCallback) async throws -> CustomCallbackResult)? {
    guard let answer = callbacks.withLock({ $0.customCallback }) else { return nil }
    return { await answer($0) }
  }
}
