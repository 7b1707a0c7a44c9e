internal import Expressions
internal import RuleEngine

// MARK: Restoring

extension SDKState {
  mutating func restoreFromPaywall() {
    guard let open = presentation else { return }
    // The paywall waits for the restore that is already running.
    guard transactions.restore == nil else {
      transactions.joinRestore(on: open.id)
      return outbox.add(.message(id: open.id, .restoreStart))
    }
    let token = outbox.newToken()
    transactions.beginRestore(token, on: open.id)
    outbox.startTimer(.restore(token), options.timeouts.transactionNotice)
    track(.restoreStart)
    outbox.add(.message(id: open.id, .restoreStart))
    switch settings.purchases {
    case .store: outbox.add(.restore(token, byController: false))
    case .controller: outbox.add(.restore(token, byController: true))
    case .listener where transactions.hasListener: outbox.emit(.onPurchaseRestore)
    case .listener: finishRestore(.failed("noRestoreHandler"), token)
    }
  }

  /// Handles the call `restorePurchases()`. With a purchase controller, the app only receives the store's data.
  /// Otherwise the SDK reports events as for a restore on a paywall.
  mutating func restorePurchases(_ call: Token) {
    let isOwn = settings.purchases == .store
    if isOwn, transactions.restore != nil { return transactions.joinRestore(call) }
    let token = outbox.newToken()
    if isOwn {
      transactions.beginRestore(token, call: call)
      track(.restoreStart)
    } else {
      transactions.beginPlain(token, for: call)
    }
    outbox.startTimer(.restore(token), options.timeouts.transactionNotice)
    outbox.add(.restore(token, byController: false))
  }

  mutating func restoreIsSlow() {
    log(
      .warn, .paywallTransactions,
      "restoring purchases has had no answer for \(options.timeouts.transactionNotice.words)")
  }

  /// Handles the app's answer to `onPurchaseRestore`. Does nothing if no restore is waiting.
  mutating func didRestore(_ result: RestorationResult) {
    guard settings.purchases == .listener, let slot = transactions.restore else { return }
    finishRestore(result, slot.token)
  }

  mutating func finishRestore(_ result: RestorationResult, _ token: Token) {
    outbox.cancelTimer(.restore(token))
    if let call = transactions.takePlain(token) {
      return outbox.complete(call, .restoration(result))
    }
    guard let slot = transactions.restore(awaiting: token) else { return }
    if result == .restored, settings.purchases == .store || options.purchaseMode == .agentWallie {
      transactions.hold(result)
      return loadOwned(for: .restore)
    }
    conclude(slot, result)
  }

  /// Reports the result of a restore. A restore succeeds if the user then has an active entitlement.
  mutating func conclude(_ slot: RestoreSlot, _ result: RestorationResult) {
    transactions.endRestore()
    let isOpen = presentation != nil && presentation?.id == slot.presentationID
    guard result == .restored, ownership.status.isActive else {
      return concludeFailed(slot, result, tells: isOpen)
    }
    track(.restoreComplete)
    track(
      .transactionRestore(
        restoreType: .viaRestore, paywallInfo: (isOpen ? presentation?.info : nil) ?? .none))
    if isOpen, let id = slot.presentationID {
      outbox.add(.message(id: id, .restoreComplete))
    }
    if options.purchaseMode == .agentWallie { outbox.add(.didRestorePurchases) }
    for call in slot.calls { outbox.complete(call, .restoration(.restored)) }
    guard isOpen else { return }
    stage.advance { $0.complete(.restored) }
    if options.paywalls.automaticallyDismiss, presentation?.isOpen == true {
      beginDismissal(Closing(reason: .systemLogic))
    }
  }

  private mutating func concludeFailed(
    _ slot: RestoreSlot, _ result: RestorationResult, tells: Bool
  ) {
    var message = "there is no active subscription"
    if case .failed(let text) = result { message = text ?? "the purchases could not be restored" }
    track(.restoreFail(message: message))
    if tells, let id = slot.presentationID {
      outbox.add(.message(id: id, .restoreFail(message)))
    }
    outbox.add(.alert(.restoreFailed(options.paywalls.restoreFailed)))
    for call in slot.calls { outbox.complete(call, .restoration(.failed(message))) }
  }
}
