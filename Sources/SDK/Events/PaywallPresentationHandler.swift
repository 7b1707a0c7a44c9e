/// Hears what becomes of one placement. Called on the main actor, in the order of the events.
///
/// ```swift
/// var handler = PaywallPresentationHandler()
/// handler.onDismiss { info, result in print("\(info.name): \(result)") }
/// await tollgate.register(placement: "export_pdf", handler: handler) { exportPDF() }
/// ```
public struct PaywallPresentationHandler: Sendable {
  var present: (@MainActor @Sendable (PaywallInfo) -> Void)?
  var dismiss: (@MainActor @Sendable (PaywallInfo, PaywallResult) -> Void)?
  var skip: (@MainActor @Sendable (PaywallSkippedReason) -> Void)?
  var error: (@MainActor @Sendable (SDKError) -> Void)?
  var customCallback: (@MainActor @Sendable (CustomCallback) async -> CustomCallbackResult)?

  public init() {}

  /// A paywall is on screen.
  public mutating func onPresent(_ body: @escaping @MainActor @Sendable (PaywallInfo) -> Void) {
    present = body
  }

  /// The paywall is gone. In a chain of paywalls each one tells.
  public mutating func onDismiss(
    _ body: @escaping @MainActor @Sendable (PaywallInfo, PaywallResult) -> Void
  ) {
    dismiss = body
  }

  /// No paywall was presented, because nobody is to see one.
  public mutating func onSkip(
    _ body: @escaping @MainActor @Sendable (PaywallSkippedReason) -> Void
  ) {
    skip = body
  }

  /// Something went wrong; there is no paywall, or it could not be loaded.
  public mutating func onError(_ body: @escaping @MainActor @Sendable (SDKError) -> Void) {
    error = body
  }

  /// Answers what the paywall asks the app, within ``Timeouts/customCallback``. Without it the
  /// answer is a failure.
  public mutating func onCustomCallback(
    _ body: @escaping @MainActor @Sendable (CustomCallback) async -> CustomCallbackResult
  ) {
    customCallback = body
  }

  @MainActor
  func receive(_ event: ModuleEvent) {
    switch event {
    case .onPaywallPresent(let info, _): present?(info)
    case .onPaywallDismiss(let info, let result, _): dismiss?(info, result)
    case .onPaywallSkip(let reason, _): skip?(reason)
    case .onPaywallError(let error, _): self.error?(error)
    default: break
    }
  }

  var respondent: (@Sendable (CustomCallback) async throws -> CustomCallbackResult)? {
    guard let customCallback else { return nil }
    return { await customCallback($0) }
  }
}
