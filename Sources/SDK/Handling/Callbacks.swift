internal import Expressions
internal import Pricing

/// A question of a paywall that the app has not answered yet.
struct PendingCallback: Hashable, Sendable {
  var presentationID: String
  /// The paywall's own name of the question.
  var requestID: String
}

// MARK: Custom callbacks (decision D12)

extension SDKState {
  mutating func requestCallback(_ requestID: String, _ callback: CustomCallback) {
    guard let open = presentation else { return }
    var callback = callback
    if callback.variables?.isObject != true { callback.variables = nil }
    guard let handler = open.registration.handlerID else {
      let message = PaywallMessage.callbackResult(requestID: requestID, .failure())
      return effects.append(.message(id: open.id, message))
    }
    let id = entropy.identifier("callback")
    callbacks[id] = PendingCallback(presentationID: open.id, requestID: requestID)
    startTimer(.callback(id), options.timeouts.customCallback)
    emit(.onCustomCallback(callbackID: id, callback, handlerID: handler))
  }

  /// Passes an answer on to the paywall. An ID that nobody knows, or not any more, is not an error.
  mutating func answerCallback(_ id: String, _ result: CustomCallbackResult) {
    guard let pending = callbacks.removeValue(forKey: id) else { return }
    cancelTimer(.callback(id))
    let message = PaywallMessage.callbackResult(requestID: pending.requestID, result)
    effects.append(.message(id: pending.presentationID, message))
  }

  /// A paywall that goes away takes its questions with it.
  mutating func failCallbacks(of presentationID: String) {
    for id in callbacks.keys.sorted() where callbacks[id]?.presentationID == presentationID {
      answerCallback(id, .failure())
    }
  }
}

// MARK: Android's back button (decision D13)

extension SDKState {
  mutating func pressBack(_ token: Token, in id: String) {
    guard platform == .android, let open = presentation, open.id == id, open.isOpen else {
      return effects.append(.answerBackPress(token, isConsumed: false))
    }
    // One press at a time: the app is still thinking about the last one.
    guard backPress == nil else {
      return effects.append(.answerBackPress(token, isConsumed: true))
    }
    guard open.paywall.reroutesBackButton else {
      effects.append(.answerBackPress(token, isConsumed: false))
      return userCloses()
    }
    backPress = token
    startTimer(.backPress, options.timeouts.backPress)
    emit(.onBackPressed(open.info))
  }

  mutating func answerBackPress(_ isConsumed: Bool) {
    guard let token = backPress else { return }
    backPress = nil
    cancelTimer(.backPress)
    effects.append(.answerBackPress(token, isConsumed: isConsumed))
    if !isConsumed { userCloses() }
  }

  /// The paywall is gone; the press has nothing left to close.
  mutating func endBackPress() {
    guard let token = backPress else { return }
    backPress = nil
    cancelTimer(.backPress)
    effects.append(.answerBackPress(token, isConsumed: false))
  }
}
