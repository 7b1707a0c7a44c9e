internal import Expressions
internal import Pricing

// MARK: Custom callbacks

extension SDKState {
  mutating func requestCallback(_ requestID: String, _ callback: CustomCallback) {
    guard let open = presentation else { return }
    var callback = callback
    if callback.variables?.isObject != true { callback.variables = nil }
    guard let handler = open.registration.handlerID else {
      let message = PaywallMessage.callbackResult(requestID: requestID, .failure())
      return outbox.add(.message(id: open.id, message))
    }
    let id = entropy.identifier("callback")
    stage.ask(PendingCallback(presentationID: open.id, requestID: requestID), as: id)
    outbox.startTimer(.callback(id), options.timeouts.customCallback)
    outbox.emit(.onCustomCallback(callbackID: id, callback, handlerID: handler))
  }

  /// Passes an answer to the paywall. An unknown or expired ID is not an error.
  mutating func answerCallback(_ id: String, _ result: CustomCallbackResult) {
    guard let pending = stage.takeCallback(id) else { return }
    outbox.cancelTimer(.callback(id))
    let message = PaywallMessage.callbackResult(requestID: pending.requestID, result)
    outbox.add(.message(id: pending.presentationID, message))
  }

  /// Ends the open questions of a paywall that closes.
  mutating func failCallbacks(of presentationID: String) {
    for id in stage.callbacks(of: presentationID) { answerCallback(id, .failure()) }
  }
}

// MARK: Android's back button

extension SDKState {
  mutating func pressBack(_ token: Token, in id: String) {
    guard platform == .android, let open = presentation, open.id == id, open.isOpen else {
      return outbox.add(.answerBackPress(token, isConsumed: false))
    }
    guard open.paywall.reroutesBackButton else {
      outbox.add(.answerBackPress(token, isConsumed: false))
      return userCloses()
    }
    // The app must answer one press before it receives the next.
    guard stage.ask(token) else {
      return outbox.add(.answerBackPress(token, isConsumed: true))
    }
    outbox.startTimer(.backPress, options.timeouts.backPress)
    outbox.emit(.onBackPressed(open.info))
  }

  mutating func answerBackPress(_ isConsumed: Bool) {
    if endBackPress(isConsumed: isConsumed), !isConsumed { userCloses() }
  }

  /// Ends the press of the back button that waits for the app, if any.
  @discardableResult
  mutating func endBackPress(isConsumed: Bool) -> Bool {
    guard let token = stage.takeBackPress() else { return false }
    outbox.cancelTimer(.backPress)
    outbox.add(.answerBackPress(token, isConsumed: isConsumed))
    return true
  }
}
