internal import Expressions
internal import RuleEngine

// Events of the SDK that ask for a paywall themselves (the native SDKs' implicit triggers).

extension SDKState {
  /// Events after which another paywall can take an open one's place. A paywall that one of them
  /// has shown is the end of the chain.
  private static let chainEvents: Set<String> = Set(
    [
      SuperwallEventName.paywallDecline, .transactionAbandon, .transactionFail, .surveyResponse,
      .deepLink,
    ].map(\.placementName))

  /// What takes the open paywall's place after an event: a placement with the event's name that
  /// would show a paywall. Nil when there is none, and when something was bought: that is the end.
  /// Asking changes nothing.
  mutating func followUp(_ event: SuperwallEventName) -> Closing.Next? {
    followUp(event.placementName, params: .map([]))
  }

  mutating func followUp(_ placement: String, params: Value) -> Closing.Next? {
    guard let open = presentation, open.completed == nil,
      config?.hasPlacement(placement) == true, !Self.chainEvents.contains(open.registration.placement)
    else { return nil }
    let entropy = entropy
    guard case .paywall = decide(placement, params: params).outcome else { return nil }
    // The question draws no numbers that the answer would not draw.
    self.entropy = entropy
    let registration = Registration(
      placement: placement, params: params, source: .implicit, eventID: newEventID(), at: now)
    return .register(registration, inherits: true)
  }

  /// Lets another paywall take the open one's place, if the config has one for the event.
  ///
  /// - Returns: whether it does.
  @discardableResult
  mutating func replacePaywall(after event: SuperwallEventName) -> Bool {
    guard presentation?.isOpen == true, let next = followUp(event) else { return false }
    close(Closing(reason: .forNextPaywall, next: next))
    return true
  }

  /// An event outside of paywalls asks for one: nothing happens when the config does not name it,
  /// or when a paywall is open.
  mutating func triggerImplicitly(_ placement: String) {
    guard presentation == nil, config?.hasPlacement(placement) == true else { return }
    registrations.append(
      Registration(
        placement: placement, params: .map([]), source: .implicit, eventID: newEventID(), at: now))
  }

  /// A deep link takes an open paywall away, and has its turn next.
  mutating func closeForDeepLink(then registration: Registration) {
    let next = Closing.Next.register(registration, inherits: false)
    switch presentation?.phase {
    case nil: registrations.insert(registration, at: 0)
    case .dismissing(let closing):
      let both = then(next, after: closing)
      presentation?.phase = .dismissing(both)
    case .presenting(let closing?):
      let both = then(next, after: closing)
      presentation?.phase = .presenting(then: both)
    default: close(Closing(reason: .systemLogic, next: next))
    }
  }

  /// A closing that leads on to a link's placement; one that leads somewhere already goes there
  /// first.
  private mutating func then(_ next: Closing.Next, after closing: Closing) -> Closing {
    var closing = closing
    if closing.next == nil {
      closing.next = next
    } else if case .register(let registration, _) = next {
      registrations.append(registration)
    }
    return closing
  }

  mutating func touchesBegan() {
    // Android has no such event.
    guard platform == .iOS else { return }
    track(.touchesBegan)
    triggerImplicitly(SuperwallEventName.touchesBegan.placementName)
  }
}
