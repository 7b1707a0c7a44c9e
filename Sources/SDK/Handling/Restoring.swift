internal import Expressions
internal import RuleEngine

/// The restore that runs. It does not hinder a purchase.
struct RestoreSlot: Sendable {
  var token: Token
  /// The paywall that it was asked for on; nil for `restorePurchases()`.
  var presentationID: String?
  var calls: [Token] = []
  /// What came, while the owned products are loaded.
  var finished: RestorationResult?
}

// MARK: Restoring

extension SDKState {
  mutating func restoreFromPaywall() {
    // A tap while a restore runs is ignored (decision D10).
    guard let open = presentation, restore == nil else { return }
    let slot = RestoreSlot(token: newToken(), presentationID: open.id)
    restore = slot
    track(.restoreStart)
    effects.append(.message(id: open.id, .restoreStart))
    switch purchases {
    case .store: effects.append(.restore(slot.token, byController: false))
    case .controller: effects.append(.restore(slot.token, byController: true))
    case .listener where hasPurchaseListener: emit(.onPurchaseRestore)
    case .listener: finishRestore(.failed("noRestoreHandler"), slot.token)
    }
  }

  /// The call `restorePurchases()`. An app with a controller gets what the store says and nothing
  /// else; otherwise the SDK tells of it as of a restore on a paywall.
  mutating func restorePurchases(_ call: Token) {
    guard purchases == .store else {
      let token = newToken()
      plainRestores[token] = call
      return effects.append(.restore(token, byController: false))
    }
    if restore != nil {
      restore?.calls.append(call)
      return
    }
    let slot = RestoreSlot(token: newToken(), calls: [call])
    restore = slot
    track(.restoreStart)
    effects.append(.restore(slot.token, byController: false))
  }

  /// The app's answer to `onPurchaseRestore`; without a restore that waits for it, nothing.
  mutating func didRestore(_ result: RestorationResult) {
    guard purchases == .listener, let slot = restore else { return }
    finishRestore(result, slot.token)
  }

  mutating func finishRestore(_ result: RestorationResult, _ token: Token) {
    if let call = plainRestores.removeValue(forKey: token) {
      return complete(call, .restoration(result))
    }
    guard let slot = restore, slot.token == token, slot.finished == nil else { return }
    if result == .restored, purchases == .store || options.purchaseMode == .agentWallie {
      restore?.finished = result
      return loadOwned(for: .restore)
    }
    conclude(slot, result)
  }

  /// Says what became of a restore. It counts when there is an active entitlement afterwards.
  mutating func conclude(_ slot: RestoreSlot, _ result: RestorationResult) {
    restore = nil
    let isOpen = presentation != nil && presentation?.id == slot.presentationID
    guard result == .restored, stored.status.isActive else {
      return concludeFailed(slot, result, tells: isOpen)
    }
    track(.restoreComplete)
    track(.transactionRestore(.viaRestore, (isOpen ? presentation?.info : nil) ?? .none))
    if isOpen, let id = slot.presentationID {
      effects.append(.message(id: id, .restoreComplete))
    }
    if options.purchaseMode == .agentWallie { effects.append(.didRestorePurchases) }
    for call in slot.calls { complete(call, .restoration(.restored)) }
    guard isOpen else { return }
    presentation?.completed = .restored
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
      effects.append(.message(id: id, .restoreFail(message)))
    }
    effects.append(.alert(.restoreFailed(options.paywalls.restoreFailed)))
    for call in slot.calls { complete(call, .restoration(.failed(message))) }
  }
}
