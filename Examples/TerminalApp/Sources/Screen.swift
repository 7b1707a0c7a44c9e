import Expressions
import Foundation
import SDK

/// The app's screen: its output, and the open paywall. It is the SDK's presenter, through a `HostPresenter`.
@MainActor
final class Screen {
  private(set) var paywall: PaywallPresentation?
  /// Attributes and parameters in the texts of paywalls.
  var user: [String: Value] = [:]
  var params: [String: Value] = [:]
  /// Whether printing has stopped.
  var isMuted = false

  private let template: Template
  /// How many operations that commands wait for have ended.
  private var ends = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(template: Template) { self.template = template }

  func say(_ text: String) {
    guard !isMuted else { return }
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  nonisolated var presenter: HostPresenter {
    var presenter = HostPresenter(
      show: { [weak self] in self?.show($0) }, hide: { [weak self] _ in self?.hide() })
    presenter.tell = { [weak self] message, _ in self?.hear(message) }
    presenter.showAlert = { [weak self] in self?.show($0) }
    presenter.openURL = { [weak self] url, _ in self?.say("  opens \(url)") }
    return presenter
  }

  // MARK: Paywalls

  /// The order in which the paywall sells its products.
  var offers: [StoreProduct] { paywall?.products ?? [] }

  private func show(_ paywall: PaywallPresentation) {
    self.paywall = paywall
    var lines = text(of: paywall) + [""]
    for (place, product) in paywall.products.enumerated() {
      let attributes = paywall.attributes[product.id]
      let price = attributes?["price"]?.text ?? "?"
      let period = attributes?["period"]?.text ?? ""
      lines.append("[\(place + 1)] \(price) a \(period)")
    }
    let width = lines.map(\.count).max() ?? 0
    say("  ┌" + String(repeating: "─", count: width + 2) + "┐")
    for line in lines {
      say("  │ " + line + String(repeating: " ", count: width - line.count) + " │")
    }
    say("  └" + String(repeating: "─", count: width + 2) + "┘")
    say("  the paywall '\(paywall.info.identifier)': buy 1, buy 2, restore, or close")
  }

  /// The text of the paywall: its template, with the prices of the store.
  private func text(of paywall: PaywallPresentation) -> [String] {
    var products: [String: Value] = [:]
    for product in paywall.info.products {
      if let name = product.name { products[name] = paywall.attributes[product.id]?.value }
    }
    let context: [String: Value] = [
      "products": .members(products), "user": .members(user), "params": .members(params),
    ]
    guard let text = try? template.render(.members(context)).text else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  private func hide() { paywall = nil }

  private func hear(_ message: PaywallMessage) {
    switch message {
    case .paywallOpen, .transactionFail, .transactionAbandon, .restoreFail: end()
    case .transactionStart(let id): say("  buying \(id) ...")
    case .restoreStart: say("  restoring ...")
    default: break
    }
    if message == .transactionAbandon { say("  cancelled; the paywall is still there") }
  }

  private func show(_ alert: PaywallAlert) {
    switch alert {
    case .purchaseFailed(let message, _): say("  ! \(message)")
    case .purchasePending: say("  ! This purchase needs approval first.")
    case .restoreFailed(let texts): say("  ! \(texts.title): \(texts.message)")
    }
  }

  // MARK: Waiting

  /// An operation that a command waits for has ended.
  func end() {
    ends += 1
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Runs an operation, and returns when it has ended, or after some seconds, because the network may be slow.
  ///
  /// - Returns: whether it has ended.
  func untilEnd(seconds: Int = 20, of work: () -> Void) async -> Bool {
    let before = ends
    work()
    let limit = Task { [weak self] in
      try await Task.sleep(for: .seconds(seconds))
      self?.giveUp()
    }
    defer { limit.cancel() }
    if ends == before {
      await withCheckedContinuation { waiting.append($0) }
    }
    return ends > before
  }

  private func giveUp() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
