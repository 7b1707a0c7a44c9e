import RuleEngine
import Testing

@testable import SDK

/// What holds for the events of every run.
enum EventInvariants {
  /// Paywalls come and go one at a time, transactions and restores that begin also end, and the
  /// status changes from what it was. What a checkout on the web gives is restored without a begin, so that
  /// restores do not add up when there was one.
  static func check(_ events: [ModuleEvent], _ run: String) {
    var open = 0
    var transactions = Transactions()
    var restores = 0
    var status = SubscriptionStatus.unknown
    let hasCheckouts = events.contains {
      if case .handleSuperwallEvent(.stripeCheckoutStart) = $0 { true } else { false }
    }
    for event in events {
      switch event {
      case .willPresentPaywall: open += 1
      case .didDismissPaywall: open -= 1
      case .onPaywallError(let error, _) where error.code == .presentationFailed: open -= 1
      case .subscriptionStatusDidChange(let from, let to):
        #expect(from.means(status) && !from.means(to), "\(run): \(from) to \(to)")
        status = to
      case .handleSuperwallEvent(let event): count(event, &transactions, &restores)
      default: break
      }
      let isOneAtATime = (0...1).contains(open) && transactions.areOneAtATime
      // One of the user's, and one of a code.
      let areRestores = hasCheckouts || (0...2).contains(restores)
      #expect(isOneAtATime && areRestores, "\(run): \(event.name)")
    }
    let haveEnded = open == 0 && transactions.running == nil && (restores == 0 || hasCheckouts)
    #expect(haveEnded, "\(run): something has no end")
  }

  /// What was begun to buy. A purchase that somebody has to approve ends, and completes later.
  private struct Transactions {
    var running: String?
    var pending: [String] = []
    var areOneAtATime = true

    mutating func begin(_ product: String) {
      if running != nil { areOneAtATime = false }
      running = product
    }

    mutating func fail(_ error: String) {
      if error.contains("approved"), let running { pending.append(running) }
      if running == nil { areOneAtATime = false }
      running = nil
    }

    mutating func end(_ product: String?) {
      if let product, running != product, let place = pending.firstIndex(of: product) {
        pending.remove(at: place)
      } else {
        if running == nil { areOneAtATime = false }
        running = nil
      }
    }
  }

  private static func count(
    _ event: SuperwallEvent, _ transactions: inout Transactions, _ restores: inout Int
  ) {
    switch event {
    case .transactionStart(let product, _): transactions.begin(product.product.id)
    // The begin of one on the web is that of its checkout.
    case .transactionAbandon(let product, _) where product.product.store.isWeb: break
    case .transactionComplete(_, let product, _, _): transactions.end(product.product.id)
    case .transactionFail(let error, _): transactions.fail(error)
    case .transactionAbandon, .transactionRestore(.viaPurchase, _): transactions.end(nil)
    case .restoreStart: restores += 1
    case .restoreComplete, .restoreFail: restores -= 1
    default: break
    }
  }

  /// What a placement's handler hears is what the call answers.
  static func check(_ heard: [ModuleEvent], of outcome: PlacementOutcome, _ run: String) {
    let names = heard.map(\.name).filter { $0 != .onCustomCallback }
    let presented = names.count { $0 == .onPaywallPresent }
    let dismissed = names.count { $0 == .onPaywallDismiss }
    #expect(presented == dismissed, "\(run): \(names)")
    switch outcome.kind {
    case .skipped: #expect(names == [.onPaywallSkip], "\(run): \(names)")
    case .error: #expect(names.last == .onPaywallError, "\(run): \(names)")
    case .presented(_, let reason):
      let hasFailed = reason == .webViewFailedToLoad && !outcome.featureGranted
      #expect(presented > 0, "\(run): \(names)")
      #expect(names.contains(.onPaywallError) == hasFailed, "\(run): \(names)")
    }
  }
}
