internal import Expressions
internal import RuleEngine

/// A placement that waits for its turn, or has it.
struct Registration: Hashable, Sendable {
  var placement: String
  var params: Value
  var handlerID: String?
  /// The call that gets the outcome; nil when nobody waits for it.
  var call: Token?
  /// The event of the SDK that asked; nil when the app did.
  var event: SuperwallEventName?
  var isFeatureGatable = false
  /// The gating of the paywall whose place this one takes.
  var gating: Paywall.FeatureGating?
  var eventID: String
  /// Milliseconds since 1970.
  var at: Int64
  /// When the placement was put into the history. Events of the SDK are there before they ask.
  var rememberedAt: Int64?
}

/// The registration that has its turn: from the status to the paywall on screen.
struct ActiveRegistration: Sendable {
  enum Stage: Hashable, Sendable {
    case waitingForStatus
    case waitingForIdentity
    case loadingPaywall
    case loadingProducts
    case askingPresenter
    case presenting
  }

  var registration: Registration
  /// Names this turn in timers and answers.
  var token: Token
  var stage = Stage.waitingForStatus
  var decision: PlacementDecision?
  var paywall: PaywallResponse?
  var products: [StoreProduct] = []
  var info = PaywallInfo.none
}

// MARK: One after the other

extension SDKState {
  mutating func register(_ request: PlacementRequest, _ token: Token) {
    guard !SuperwallEventName.isReserved(request.placement) else {
      return complete(token, .outcome(PlacementOutcome(.ignored)))
    }
    guard !request.placement.isEmpty else {
      let error = SDKError(.invalidArgument, "'placement' must be the name of a placement")
      return reject(.registerPlacement(request), token, error)
    }
    registrations.append(
      Registration(
        placement: request.placement, params: request.params, handlerID: request.handlerID,
        call: token, isFeatureGatable: request.isFeatureGatable,
        eventID: newEventID(), at: now))
  }

  mutating func newEventID() -> String { entropy.identifier("event") }

  /// Gives the next registrations their turn, until one has to wait. Each waits until the one
  /// before has presented, skipped or failed.
  mutating func startRegistrations() {
    while active == nil, lifecycle.phase == .configured, !registrations.isEmpty {
      let registration = registrations.removeFirst()
      active = ActiveRegistration(registration: registration, token: newToken())
      begin(registration)
    }
  }

  private mutating func begin(_ registration: Registration) {
    if registration.event == nil {
      remember(registration.placement)
      active?.registration.rememberedAt = now
      if trackingBehavior == .all { collect(registration.placement, registration.params) }
    }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    waitForStatus()
  }

  private mutating func waitForStatus() {
    guard let turn = active else { return }
    if stored.status == .unknown {
      active?.stage = .waitingForStatus
      startTimer(.status(turn.token), options.timeouts.subscriptionStatus)
    } else if !isIdentityReady {
      active?.stage = .waitingForIdentity
    } else {
      decideActive()
    }
  }

  /// Goes on with what waited for the status or for the identity, if that is there now. The other
  /// one may have to be waited for next.
  mutating func continueWaiting() {
    if let turn = active, isOver(turn.stage) {
      cancelTimer(.status(turn.token))
      waitForStatus()
    }
    continueQuestions()
  }

  private func isOver(_ stage: ActiveRegistration.Stage) -> Bool {
    switch stage {
    case .waitingForStatus: stored.status != .unknown
    case .waitingForIdentity: isIdentityReady
    default: false
    }
  }

  mutating func statusStayedUnknown(_ token: Token) {
    if active?.token == token {
      endActive(.statusTimeout, .subscriptionStatusTimeout)
    } else {
      answer(token, .subscriptionStatusTimeout)
    }
  }
}

// MARK: From the decision to the presenter

extension SDKState {
  private mutating func decideActive() {
    guard let registration = active?.registration else { return }
    let decision = decide(
      registration.placement, params: registration.params, for: .presentation,
      isFeatureGatable: registration.isFeatureGatable, event: registration.rememberedAt)
    active?.decision = decision
    switch decision.outcome {
    case .paywall(let experiment):
      active?.stage = .loadingPaywall
      loadPaywall(
        experiment.variant.paywallID ?? "", for: .registration, placement: registration.placement)
    case .holdout(let experiment): skipActive(.holdout(experiment), .holdout(experiment))
    case .noAudienceMatch: skipActive(.noAudienceMatch, .noAudienceMatch)
    case .placementNotFound: skipActive(.placementNotFound, .placementNotFound)
    case .error(let failure): endActiveWithoutPaywall(failure.message)
    }
  }

  private mutating func skipActive(
    _ skip: PaywallSkippedReason, _ reason: PresentationRequestReason
  ) {
    endActive(.skipped(skip), reason)
  }

  private mutating func endActive(_ error: SDKError, _ reason: PresentationRequestReason) {
    endActive(.error(error), reason)
  }

  private mutating func endActive(
    _ kind: PlacementOutcome.Kind, _ reason: PresentationRequestReason
  ) {
    guard let registration = takeActive() else { return }
    track(.paywallPresentationRequest(reason.status, reason))
    settle(kind, call: registration.call, handler: registration.handlerID)
  }

  mutating func endActiveWithoutPaywall(_ message: String) {
    endActive(SDKError(.paywallNotAvailable, message), .noPaywallViewController)
  }

  /// Gives a registration its outcome, and tells its handler why there is or was no paywall.
  mutating func settle(
    _ kind: PlacementOutcome.Kind, gating: Paywall.FeatureGating = .gated, call: Token?,
    handler: String?
  ) {
    let gate = FeatureGate(kind.state, isGated: gating == .gated)
    if let handler {
      switch (kind, gate.failure) {
      case (.skipped(let reason), _): emit(.onPaywallSkip(reason, handlerID: handler))
      case (.error(let error), .error): emit(.onPaywallError(error, handlerID: handler))
      case (_, .webViewFailed): emit(.onPaywallError(.webViewFailed, handlerID: handler))
      default: break
      }
    }
    complete(call, .outcome(PlacementOutcome(kind, gating: gating)))
  }

  mutating func takeActive() -> Registration? {
    guard let turn = active else { return nil }
    cancelTimer(.status(turn.token))
    active = nil
    return turn.registration
  }

  /// The paywall of the registration is there: get its products.
  mutating func paywallIsLoaded(_ paywall: PaywallResponse, _ load: PaywallInfo.LoadTimes) {
    guard let turn = active, turn.stage == .loadingPaywall else { return }
    active?.paywall = paywall
    var info = self.info(of: paywall, for: turn.registration)
    info.experiment = turn.decision?.experiment
    info.responseLoad = load
    active?.info = info
    active?.stage = .loadingProducts
    loadProducts(of: info, placement: turn.registration.placement)
  }

  /// The products are there, as far as there are any: see whether anything can present.
  mutating func productsAreLoaded(_ info: PaywallInfo) {
    guard let turn = active, turn.stage == .loadingProducts else { return }
    active?.info = info
    active?.products = info.products.compactMap { storeProducts[$0.id] }
    active?.stage = .askingPresenter
    effects.append(.askPresenter(turn.token))
  }

  mutating func presenterAnswered(_ canPresent: Bool, for token: Token) {
    guard let turn = active, turn.token == token, turn.stage == .askingPresenter else { return }
    guard canPresent else { return endActive(.noPresenter, .noPresenter) }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    present(turn)
  }
}
