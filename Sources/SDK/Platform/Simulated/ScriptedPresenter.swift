package import Expressions
internal import RuleEngine

/// A presenter without a screen. The presenter reports its commands, and a script plays the user.
package final class ScriptedPresenter: PaywallPresenter {
  /// A command that the presenter received.
  package enum Command: Hashable, Sendable {
    case present(identifier: String, url: String)
    case dismiss(identifier: String)
    case survey(id: String)
    case message(PaywallMessage)
    case alert(PaywallAlert)
    case open(url: String, external: Bool)
    case schedule(LocalNotification)
    case checkout(Value)
  }

  private struct State {
    var isAvailable: Bool
    var acknowledges: Bool
    var current: PaywallPresentation?
    var presenting: CheckedContinuation<String?, Never>?
    var dismissing: CheckedContinuation<Void, Never>?
    var surveying: CheckedContinuation<SurveyAnswer, Never>?
  }

  private let state: Locked<State>
  private let observe: @Sendable (Command) -> Void

  /// - Parameters:
  ///   - isAvailable: whether the presenter can present paywalls.
  ///   - acknowledges: whether paywalls appear and close immediately. Otherwise the script decides
  ///     when.
  ///   - observe: called with every command, in order.
  package init(
    isAvailable: Bool = true, acknowledges: Bool = true,
    observe: @escaping @Sendable (Command) -> Void = { _ in }
  ) {
    state = Locked(State(isAvailable: isAvailable, acknowledges: acknowledges))
    self.observe = observe
  }

  /// Changes the behavior of the presenter. Nil leaves a setting unchanged.
  package func set(isAvailable: Bool? = nil, acknowledges: Bool? = nil) {
    state.withLock { state in
      state.isAvailable = isAvailable ?? state.isAvailable
      state.acknowledges = acknowledges ?? state.acknowledges
    }
  }

  /// The paywall that was last presented.
  package var presentation: PaywallPresentation? { state.withLock { $0.current } }

  /// The handle with which the script reports the user's actions.
  package var handle: PresentationHandle? { presentation?.handle }

  // MARK: Requests of the SDK

  private struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  package func canPresent() async -> Bool { state.withLock { $0.isAvailable } }

  package func present(_ presentation: PaywallPresentation) async throws {
    observe(.present(identifier: presentation.info.identifier, url: presentation.info.url))
    let acknowledges = state.withLock { state in
      state.current = presentation
      return state.acknowledges
    }
    if acknowledges { return }
    let refusal = await withCheckedContinuation {
      (continuation: CheckedContinuation<String?, Never>) in
      let earlier = state.withLock { state in
        defer { state.presenting = continuation }
        return state.presenting
      }
      earlier?.resume(returning: "another paywall was requested")
    }
    if let refusal { throw Refusal(description: refusal) }
  }

  package func dismiss(_ presentation: PaywallPresentation) async {
    observe(.dismiss(identifier: presentation.info.identifier))
    if state.withLock({ $0.acknowledges }) { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let earlier = state.withLock { state in
        defer { state.dismissing = continuation }
        return state.dismissing
      }
      earlier?.resume()
    }
  }

  package func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer {
    observe(.survey(id: survey.id))
    return await withCheckedContinuation { continuation in
      let earlier = state.withLock { state in
        defer { state.surveying = continuation }
        return state.surveying
      }
      earlier?.resume(returning: .closed)
    }
  }

  package func send(_ message: PaywallMessage, to presentation: PaywallPresentation) {
    observe(.message(message))
  }

  package func alert(_ alert: PaywallAlert) { observe(.alert(alert)) }

  package func open(_ url: String, external: Bool) { observe(.open(url: url, external: external)) }

  package func schedule(_ notification: LocalNotification) { observe(.schedule(notification)) }

  package func checkout(_ directive: Value, in presentation: PaywallPresentation) {
    observe(.checkout(directive))
  }

  // MARK: Actions of the script

  /// Reports that the requested paywall is visible, or why it cannot be shown.
  package func finishPresenting(refusal: String? = nil) {
    let waiting = state.withLock { state in
      defer { state.presenting = nil }
      return state.presenting
    }
    waiting?.resume(returning: refusal)
  }

  /// Reports that the closing paywall is closed.
  package func finishDismissing() {
    let waiting = state.withLock { state in
      defer { state.dismissing = nil }
      return state.dismissing
    }
    waiting?.resume()
  }

  package func answerSurvey(_ answer: SurveyAnswer) {
    let waiting = state.withLock { state in
      defer { state.surveying = nil }
      return state.surveying
    }
    waiting?.resume(returning: answer)
  }
}
