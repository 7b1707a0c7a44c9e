import Observation
import SDK

/// Shows Tollgate's paywalls as sheets. Create one with the app, pass its ``presenter`` to the SDK, and add
/// `.paywalls(of: host)` to the app's first view.
@MainActor @Observable
final class PaywallHost {
  /// A paywall that is on screen, or about to appear.
  struct Shown: Identifiable {
    let presentation: PaywallPresentation
    var id: String { presentation.id }
  }

  struct Alert {
    var title: String
    var message: String
  }

  /// The content of the sheet. SwiftUI sets it to nil when the user swipes the sheet away.
  var shown: Shown?
  var alert: Alert?
  /// Whether a store request is running. Buttons wait until it ends.
  private(set) var isBuying = false

  private var current: PaywallPresentation?
  @ObservationIgnored private var appearing: CheckedContinuation<Void, Never>?
  @ObservationIgnored private var disappearing: CheckedContinuation<Void, Never>?

  /// The presenter for the SDK: `Ports.live(folder: folder, presenter: host.presenter)`.
  var presenter: HostPresenter {
    var presenter = HostPresenter(
      show: { [weak self] in await self?.show($0) }, hide: { [weak self] in await self?.hide($0) })
    presenter.tell = { [weak self] message, _ in self?.hear(message) }
    presenter.showAlert = { [weak self] in self?.show($0) }
    return presenter
  }

  // MARK: Requests of the SDK

  /// Returns when the sheet is visible.
  private func show(_ presentation: PaywallPresentation) async {
    sheetAppeared()
    await withCheckedContinuation { continuation in
      (appearing, current) = (continuation, presentation)
      shown = Shown(presentation: presentation)
    }
  }

  /// Returns when the sheet has disappeared.
  private func hide(_ presentation: PaywallPresentation) async {
    guard current?.id == presentation.id else { return }
    if appearing != nil {
      // It never appeared, so SwiftUI will not report that it disappeared.
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
        title: "Waiting for approval", message: "You get access once the purchase is approved.")
    }
  }

  // MARK: Events of SwiftUI

  func sheetAppeared() {
    appearing?.resume()
    appearing = nil
  }

  /// The sheet has disappeared, because the SDK hid it, or because the user swiped it away.
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
