internal import Expressions
internal import RuleEngine

// Events of the SDK that trigger a paywall (the native SDKs' implicit triggers).

extension SDKState {
  /// The consequence of an event, from the single table of them.
  ///
  /// - Parameter placement: the placement that corresponds to the event.
  private func outcome(of event: SuperwallEventName, _ placement: String)
    -> ImplicitTriggers.Outcome
  {
    ImplicitTriggers.tollgate.outcome(
      of: event, hasPlacement: config?.hasPlacement(placement) == true,
      opener: presentation?.registration.event, isPaywallOpen: presentation != nil)
  }

  private mutating func registration(
    of event: SuperwallEventName, _ placement: String, _ params: Value = .map([])
  ) -> Registration {
    Registration(
      placement: placement, params: params, event: event, eventID: newEventID(), at: now)
  }

  /// The replacement of the open paywall after an event: a placement that would show a paywall. Nil
  /// when there is none, and after a purchase, which ends the chain.
  ///
  /// - Parameter placement: nil means the event's own.
  mutating func followUp(
    _ event: SuperwallEventName, placement: String? = nil, params: Value = .map([])
  ) -> Closing.Next? {
    let placement = placement ?? event.placementName
    guard let open = presentation, open.completed == nil,
      outcome(of: event, placement) == .closePaywallThenTriggerPaywall,
      case .paywall = decide(placement, params: params, for: .handleImplicitTrigger).outcome
    else { return nil }
    return .register(registration(of: event, placement, params), inherits: true)
  }

  /// Replaces the open paywall by another, if the config has one for the event.
  ///
  /// - Returns: whether it does.
  @discardableResult
  mutating func replacePaywall(after event: SuperwallEventName) -> Bool {
    guard presentation?.isOpen == true, let next = followUp(event) else { return false }
    close(Closing(reason: .forNextPaywall, next: next))
    return true
  }

  /// An event outside of paywalls triggers one.
  mutating func triggerImplicitly(_ event: SuperwallEventName) {
    let placement = event.placementName
    guard outcome(of: event, placement) == .triggerPaywall else { return }
    turns.add(registration(of: event, placement))
  }

  /// A deep link triggers a paywall.
  ///
  /// - Returns: whether the config has a placement for it.
  mutating func followLink(_ params: Value) -> Bool {
    let placement = SuperwallEventName.deepLink.placementName
    guard outcome(of: .deepLink, placement) == .deepLinkTrigger else { return false }
    closeForDeepLink(then: registration(of: .deepLink, placement, params))
    return true
  }

  /// A deep link closes an open paywall, and is handled next.
  private mutating func closeForDeepLink(then registration: Registration) {
    let next = Closing.Next.register(registration, inherits: false)
    switch presentation?.phase {
    case nil: turns.addFirst(registration)
    case .dismissing(let closing), .presenting(let closing?):
      let both = then(next, after: closing)
      stage.advance { $0.redirect(both) }
    default: close(Closing(reason: .systemLogic, next: next))
    }
  }

  /// A closing that continues with a link's placement. One that already has a follow-up handles
  /// that first.
  private mutating func then(_ next: Closing.Next, after closing: Closing) -> Closing {
    var closing = closing
    if closing.next == nil {
      closing.next = next
    } else if case .register(let registration, _) = next {
      turns.add(registration)
    }
    return closing
  }

  mutating func touchesBegan() {
    // Android does not have this event.
    guard platform == .ios else { return }
    track(.touchesBegan)
    triggerImplicitly(.touchesBegan)
  }
}
