internal import Expressions
internal import RuleEngine

/// The paywall that is on screen, on its way there, or on its way out. There is at most one.
struct Presentation: Sendable {
  enum Phase: Sendable {
    /// The host was told to show it; what to do as soon as it is visible.
    case presenting(then: Closing?)
    case presented
    /// The user is asked something before it goes.
    case surveying(Survey, Closing)
    /// The host was told to take it away.
    case dismissing(Closing)
  }

  let id: String
  var info: PaywallInfo
  var paywall: PaywallResponse
  var products: [StoreProduct]
  var registration: Registration
  let decision: PlacementDecision
  var phase = Phase.presenting(then: nil)
  /// What was bought or restored while it was open: any later close reports it (decision D14).
  var completed: PaywallResult?
  /// Calls of `dismiss` that wait until it is gone.
  var dismissCalls: [Token] = []

  /// How it ends, unless something was bought meanwhile.
  var result: PaywallResult { completed ?? .declined }

  /// Whether the host shows it.
  var isVisible: Bool { if case .presenting = phase { false } else { true } }

  /// Whether it is visible and nothing has begun to take it away.
  var isOpen: Bool { if case .presented = phase { true } else { false } }
}

/// How a paywall goes away.
struct Closing: Hashable, Sendable {
  enum Next: Hashable, Sendable {
    /// Another placement takes its turn, perhaps in this one's stead.
    case register(Registration, inherits: Bool)
    case openDeepLink(String)
  }

  var reason: PaywallCloseReason
  var next: Next?
  /// False when the host took it away by itself.
  var tellsHost = true
}

// MARK: Coming

extension SDKState {
  /// Tells the host to show the paywall of the registration that has its turn.
  mutating func present(_ turn: ActiveRegistration) {
    guard let paywall = turn.paywall, let decision = turn.decision else { return }
    apply(decision, .whenAvailable)
    track(.paywallPresentationRequest(.presentation, nil))
    var info = turn.info
    info.presentationID = entropy.identifier("presentation")
    let id = info.presentationID ?? ""
    presentation = Presentation(
      id: id, info: info, paywall: paywall, products: turn.products,
      registration: turn.registration, decision: decision)
    active?.stage = .presenting
    emit(.willPresentPaywall(info))
    let attributes = attributes(of: turn.products)
    effects.append(
      .present(
        PresentationContent(
          id: id, info: info, products: turn.products, attributes: attributes,
          response: paywall.value)))
  }

  mutating func didPresent(_ id: String) {
    guard let open = presentation, open.id == id, case .presenting(let then) = open.phase else {
      return
    }
    apply(open.decision, .whenPresented)
    stored.totalPaywallViews += 1
    stored.lastPaywallView = now
    presentation?.phase = .presented
    active = nil
    emit(.didPresentPaywall(open.info))
    if let handler = open.registration.handlerID {
      emit(.onPaywallPresent(open.info, handlerID: handler))
    }
    track(.paywallOpen(open.info))
    effects.append(.message(id: id, .paywallOpen))
    if let then { beginDismissal(then) }
  }

  mutating func didFailToPresent(_ id: String, _ message: String) {
    guard let open = presentation, open.id == id, case .presenting(let then) = open.phase else {
      return
    }
    presentation = nil
    active = nil
    settle(
      .error(SDKError(.presentationFailed, message)), call: open.registration.call,
      handler: open.registration.handlerID)
    for call in open.dismissCalls { complete(call) }
    go(to: then?.next, after: nil)
  }
}

// MARK: Going

extension SDKState {
  /// The call `dismiss()`: completes when the paywall is gone, or at once when there is none or it
  /// is going already.
  mutating func dismiss(_ token: Token) {
    let closing = Closing(reason: .systemLogic)
    switch presentation?.phase {
    case .presenting(nil):
      presentation?.phase = .presenting(then: closing)
      presentation?.dismissCalls.append(token)
    case .presented, .surveying:
      presentation?.dismissCalls.append(token)
      beginDismissal(closing)
    case .presenting, .dismissing, nil: complete(token)
    }
  }

  /// Closes for a reason of the SDK's, without asking the user anything.
  mutating func close(_ closing: Closing) {
    switch presentation?.phase {
    case .presenting(nil): presentation?.phase = .presenting(then: closing)
    case .presented, .surveying: beginDismissal(closing)
    case .presenting, .dismissing, nil: break
    }
  }

  /// The user closes: a survey may come first, and another paywall after it.
  mutating func userCloses(tellsHost: Bool = true) {
    guard let open = presentation, open.isOpen else { return }
    let closing = Closing(reason: .manualClose, tellsHost: tellsHost)
    if open.completed == nil, tellsHost, askSurvey(.onManualClose, before: closing) { return }
    decline(closing)
  }

  /// Goes on after the survey of a close: tells that the user declined, and looks whether another
  /// paywall takes this one's place.
  mutating func decline(_ closing: Closing) {
    var closing = closing
    if let open = presentation, open.result == .declined, closing.reason == .manualClose {
      let next = followUp(.paywallDecline)
      var info = open.info
      info.closeReason = .manualClose
      track(.paywallDecline(info))
      if let next {
        closing.reason = .forNextPaywall
        closing.next = next
      }
    }
    beginDismissal(closing)
  }

  mutating func beginDismissal(_ closing: Closing) {
    guard var open = presentation else { return }
    open.info.closeReason = closing.reason
    open.phase = .dismissing(closing)
    presentation = open
    emit(.willDismissPaywall(open.info))
    if closing.tellsHost {
      effects.append(.dismiss(id: open.id))
    } else {
      didDismiss(open.id)
    }
  }

  /// The host has taken it away.
  mutating func didDismiss(_ id: String) {
    guard let open = presentation, open.id == id, case .dismissing(let closing) = open.phase else {
      return
    }
    failCallbacks(of: id)
    track(.paywallClose(open.info))
    let handler = open.registration.handlerID
    if let handler {
      emit(.onPaywallDismiss(open.info, open.result, handlerID: handler))
    }
    emit(.didDismissPaywall(open.info))
    presentation = nil
    endBackPress()
    settle(open, closing)
    for call in open.dismissCalls { complete(call) }
    go(to: closing.next, after: open)
  }

  /// Gives the registration its outcome, unless the next paywall takes it over.
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
      registrations.insert(registration, at: 0)
    case .openDeepLink(let url): openDeepLinkNow(url)
    case nil: break
    }
  }
}
