internal import Expressions
internal import RuleEngine

// MARK: Opening

extension SDKState {
  /// Asks the host to show the paywall of the active registration.
  mutating func present(_ turn: ActiveRegistration) {
    guard let paywall = turn.paywall, let decision = turn.decision else { return }
    apply(decision, .whenAvailable)
    track(.paywallPresentationRequest(status: .presentation, reason: nil))
    let open = Presentation(turn, paywall, decision, id: entropy.identifier("presentation"))
    stage.enter(open)
    turns.advance { $0.wait(for: .presenting) }
    outbox.emit(.willPresentPaywall(open.info))
    outbox.startTimer(.present(id: open.id), options.timeouts.present)
    let attributes = attributes(of: turn.products, in: open.info)
    outbox.add(
      .present(
        PresentationContent(
          id: open.id, info: open.info, products: turn.products, attributes: attributes,
          response: paywall.value)))
  }

  mutating func didPresent(_ id: String) {
    // The paywall appeared after its time limit, so the SDK has no state for it.
    if stage.takeOverdue(id) { return outbox.add(.dismiss(id: id)) }
    guard let open = presentation, open.id == id, case .presenting(let then) = open.phase else {
      return
    }
    outbox.cancelTimer(.present(id: id))
    apply(open.decision, .whenPresented)
    usage.seePaywall(at: now)
    stage.advance { $0.appear() }
    endTurn()
    outbox.emit(.didPresentPaywall(open.info))
    if let handler = open.registration.handlerID {
      outbox.emit(.onPaywallPresent(open.info, handlerID: handler))
    }
    track(.paywallOpen(paywallInfo: open.info))
    outbox.add(.message(id: id, .paywallOpen))
    if let then { beginDismissal(then) }
    for report in open.early { receive(report, from: id) }
  }

  /// Ends the turn of a placement, because its paywall is visible or has failed.
  private mutating func endTurn() {
    if let token = active?.token { outbox.cancelTimer(.turn(token)) }
    turns.end()
  }

  /// - Parameter isLate: whether the host is still trying.
  mutating func didFailToPresent(_ id: String, _ message: String, isLate: Bool = false) {
    if stage.takeOverdue(id) { return }
    guard let open = presentation, open.id == id, case .presenting(let then) = open.phase else {
      return
    }
    outbox.cancelTimer(.present(id: id))
    isLate ? stage.giveUp() : stage.exit()
    endTurn()
    settle(
      .error(SDKError(.presentationFailed, message)), call: open.registration.call,
      handler: open.registration.handlerID)
    for call in open.dismissCalls { outbox.complete(call) }
    tellRedemptions(after: id)
    go(to: then?.next, after: nil)
  }

  mutating func hostDoesNotShow(_ id: String) {
    let message = "the presenter has not shown the paywall within \(options.timeouts.present.words)"
    didFailToPresent(id, message, isLate: true)
  }

  mutating func hostDoesNotHide(_ id: String) {
    log(
      .error, .paywallPresentation,
      "the presenter has not closed the paywall within \(options.timeouts.dismiss.words); "
        + "the paywall counts as closed")
    didDismiss(id)
  }
}

// MARK: Closing

extension SDKState {
  /// Handles the call `dismiss()`. The call completes when the paywall is closed, or immediately if no paywall is open
  /// or the paywall is already closing.
  mutating func dismiss(_ token: Token) {
    let closing = Closing(reason: .systemLogic)
    switch presentation?.phase {
    case .presenting(nil):
      stage.advance { open in
        open.closeLater(closing)
        open.wait(token)
      }
    case .presented, .surveying:
      stage.advance { $0.wait(token) }
      beginDismissal(closing)
    case .presenting, .dismissing, nil: outbox.complete(token)
    }
  }

  /// Closes the paywall without asking the user.
  mutating func close(_ closing: Closing) {
    switch presentation?.phase {
    case .presenting(nil): stage.advance { $0.closeLater(closing) }
    case .presented, .surveying: beginDismissal(closing)
    case .presenting, .dismissing, nil: break
    }
  }

  /// Handles the user's closing of the paywall. A survey may appear first, and another paywall may follow.
  mutating func userCloses(tellsHost: Bool = true) {
    guard let open = presentation, open.isOpen else { return }
    let closing = Closing(reason: .manualClose, tellsHost: tellsHost)
    if open.completed == nil, tellsHost, askSurvey(.onManualClose, before: closing) { return }
    decline(closing)
  }

  /// Continues after the survey of a close: reports that the user declined, and checks whether another paywall replaces
  /// this paywall.
  mutating func decline(_ closing: Closing) {
    var closing = closing
    if let open = presentation, open.result == .declined, closing.reason == .manualClose {
      let next = followUp(.paywallDecline)
      var info = open.info
      info.closeReason = .manualClose
      track(.paywallDecline(paywallInfo: info))
      if let next {
        closing.reason = .forNextPaywall
        closing.next = next
      }
    }
    beginDismissal(closing)
  }

  mutating func beginDismissal(_ closing: Closing) {
    stage.advance { $0.leave(closing) }
    guard let open = presentation else { return }
    outbox.emit(.willDismissPaywall(open.info))
    if closing.tellsHost {
      outbox.startTimer(.dismiss(id: open.id), options.timeouts.dismiss)
      outbox.add(.dismiss(id: open.id))
    } else {
      didDismiss(open.id)
    }
  }

  /// Handles the host's report that the paywall is closed.
  mutating func didDismiss(_ id: String) {
    guard let open = presentation, open.id == id, case .dismissing(let closing) = open.phase else {
      return
    }
    outbox.cancelTimer(.dismiss(id: id))
    failCallbacks(of: id)
    track(.paywallClose(paywallInfo: open.info))
    let handler = open.registration.handlerID
    if let handler {
      outbox.emit(.onPaywallDismiss(open.info, open.result, handlerID: handler))
    }
    outbox.emit(.didDismissPaywall(open.info))
    stage.exit()
    endBackPress(isConsumed: false)
    settle(open, closing)
    for call in open.dismissCalls { outbox.complete(call) }
    leaveCheckout(of: id)
    tellRedemptions(after: id)
    go(to: closing.next, after: open)
  }

  /// Sets the outcome of the registration, unless another paywall follows and determines the outcome.
  private mutating func settle(_ open: Presentation, _ closing: Closing) {
    if case .register(_, inherits: true) = closing.next { return }
    settle(
      .presented(open.result, closing.reason), gating: open.info.featureGating,
      call: open.registration.call, handler: open.registration.handlerID)
  }

  private mutating func go(to next: Closing.Next?, after open: Presentation?) {
    switch next {
    case .register(var registration, let inherits):
      if inherits, let open {
        registration.handlerID = open.registration.handlerID
        registration.call = open.registration.call
        registration.gating = open.info.featureGating
      }
      turns.addFirst(registration)
    case .openDeepLink(let url): openDeepLinkNow(url)
    case nil: break
    }
  }
}
