import Observation
import SDK

/// Shows Tollgate's paywalls as sheets. Make one with the app, give its ``presenter`` to the SDK, and
/// put `.paywalls(of: host)` on the app's first view.
@MainActor @Observable
final class PaywallHost {
  /// A paywall that is on screen, or on its way there.
  struct Shown: Identifiable {
    let presentation: PaywallPresentation
    var id: String { presentation.id }
  }

  struct Alert {
    var title: String
    var message: String
  }

  /// What the sheet shows; SwiftUI sets it to nil when the user swipes the sheet away.
  var shown: Shown?
  var alert: Alert?
  /// Whether the store is asked; buttons wait meanwhile.
  private(set) var isBuying = false

  private var current: PaywallPresentation?
  @ObservationIgnored private var appearing: CheckedContinuation<Void, Never>?
  @ObservationIgnored private var disappearing: CheckedContinuation<Void, Never>?

  /// What the SDK is given: `Ports.live(folder: folder, presenter: host.presenter)`.
  var presenter: HostPresenter {
    var presenter = HostPresenter(
      show: { [weak self] in await self?.show($0) }, hide: { [weak self] in await self?.hide($0) })
    presenter.tell = { [weak self] message, _ in self?.hear(message) }
    presenter.showAlert = { [weak self] in self?.show($0) }
    return presenter
  }

  // MARK: What the SDK asks for

  /// Returns when the sheet is there.
  private func show(_ presentation: PaywallPresentation) async {
    sheetAppeared()
    await withCheckedContinuation { continuation in
      (appearing, current) = (continuation, presentation)
      shown = Shown(presentation: presentation)
    }
  }

  /// Returns when the sheet is gone.
  private func hide(_ presentation: PaywallPresentation) async {
    guard current?.id == presentation.id else { return }
    if appearing != nil {
      // It never came; SwiftUI will not say that it has gone.
      (shown, current) = (nil, nil)
      return sheetAppeared()
    }
    await withCheckedContinuation { continuation in
      disappearing = continuation
      shown = nil
    }
  }

  private func hear(_ message: PaywallMessage) {
    switch message {
    case .transactionStart, .restoreStart: isBuying = true
    default: isBuying = false
    }
  }

  private func show(_ alert: PaywallAlert) {
    switch alert {
    case .restoreFailed(let texts): self.alert = Alert(title: texts.title, message: texts.message)
    case .purchaseFailed(let message, _):
      self.alert = Alert(title: "The purchase failed", message: message)
    case .purchasePending:
      self.alert = Alert(
        title: "Waiting for approval", message: "You get access as soon as somebody has agreed.")
    }
  }

  // MARK: What SwiftUI says

  func sheetAppeared() {
    appearing?.resume()
    appearing = nil
  }

  /// The sheet is gone: because the SDK wanted it so, or because the user swiped it away.
  func sheetDisappeared() {
    let gone = current
    (current, isBuying) = (nil, false)
    sheetAppeared()
    if let disappearing {
      disappearing.resume()
      self.disappearing = nil
    } else {
      gone?.handle.swipedAway()
    }
  }
}
