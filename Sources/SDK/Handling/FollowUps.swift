internal import Expressions
internal import RuleEngine

// Events of the SDK that trigger a paywall (the native SDKs' implicit triggers).

extension SDKState {
  /// The consequence of an event, from the engine's table of events.
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

  /// The placement whose paywall replaces the open paywall after an event. Nil if no paywall would be shown, and after
  /// a purchase, which ends the chain.
  ///
  /// - Parameter placement: nil means the event's own placement.
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

  /// Replaces the open paywall, if the config has a paywall for the event.
  ///
  /// - Returns: whether the open paywall is replaced.
  @discardableResult
  mutating func replacePaywall(after event: SuperwallEventName) -> Bool {
    guard presentation?.isOpen == true, let next = followUp(event) else { return false }
    close(Closing(reason: .forNextPaywall, next: next))
    return true
  }

  /// Shows the paywall that an event triggers while no paywall is open.
  mutating func triggerImplicitly(_ event: SuperwallEventName) {
    let placement = event.placementName
    guard outcome(of: event, placement) == .triggerPaywall else { return }
    turns.add(registration(of: event, placement))
  }

  /// Shows the paywall that a deep link triggers.
  ///
  /// - Returns: whether the config has a placement for deep links.
  mutating func followLink(_ params: Value) -> Bool {
    let placement = SuperwallEventName.deepLink.placementName
    guard outcome(of: .deepLink, placement) == .deepLinkTrigger else { return false }
    closeForDeepLink(then: registration(of: .deepLink, placement, params))
    return true
  }

  /// Closes the open paywall for a deep link, which is handled next.
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

  /// Makes a closing continue with a link's placement, after any follow-up that the closing already has.
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
