public import Expressions

/// A presenter that calls functions of the app on the main actor. By default, each function does nothing.
public struct HostPresenter: PaywallPresenter {
  /// Shows a paywall and returns when it is visible.
  public var show: @MainActor @Sendable (PaywallPresentation) async throws -> Void
  /// Closes a paywall and returns when it is closed.
  public var hide: @MainActor @Sendable (PaywallPresentation) async -> Void
  public var isReady: @MainActor @Sendable () -> Bool = { true }
  public var askSurvey: @MainActor @Sendable (Survey, PaywallPresentation) async -> SurveyAnswer = {
    _, _ in .closed
  }
  public var tell: @MainActor @Sendable (PaywallMessage, PaywallPresentation) -> Void = { _, _ in }
  public var showAlert: @MainActor @Sendable (PaywallAlert) -> Void = { _ in }
  public var openURL: @MainActor @Sendable (_ url: String, _ external: Bool) -> Void = { _, _ in }
  public var scheduleNotification: @MainActor @Sendable (LocalNotification) -> Void = { _ in }
  public var startCheckout: @MainActor @Sendable (Value, PaywallPresentation) -> Void = { _, _ in }

  private let queue = MainQueue()

  public init(
    show: @escaping @MainActor @Sendable (PaywallPresentation) async throws -> Void,
    hide: @escaping @MainActor @Sendable (PaywallPresentation) async -> Void
  ) {
    self.show = show
    self.hide = hide
  }

  public func canPresent() async -> Bool { await isReady() }

  public func present(_ presentation: PaywallPresentation) async throws {
    try await show(presentation)
  }

  public func dismiss(_ presentation: PaywallPresentation) async { await hide(presentation) }

  public func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer {
    await askSurvey(survey, presentation)
  }

  public func send(_ message: PaywallMessage, to presentation: PaywallPresentation) {
    let tell = tell
    queue.add { tell(message, presentation) }
  }

  public func alert(_ alert: PaywallAlert) {
    let showAlert = showAlert
    queue.add { showAlert(alert) }
  }

  public func open(_ url: String, external: Bool) {
    let openURL = openURL
    queue.add { openURL(url, external) }
  }

  public func schedule(_ notification: LocalNotification) {
    let schedule = scheduleNotification
    queue.add { schedule(notification) }
  }

  public func checkout(_ directive: Value, in presentation: PaywallPresentation) {
    let start = startCheckout
    queue.add { start(directive, presentation) }
  }
}
