internal import Expressions
internal import RuleEngine

/// A placement that waits for its turn, or has it.
struct Registration: Hashable, Sendable {
  enum Source: String, Hashable, Sendable {
    case register
    /// An event of the SDK asked.
    case implicit
  }

  var placement: String
  var params: Value
  var handlerID: String?
  /// The call that gets the outcome; nil when nobody waits for it.
  var call: Token?
  var source: Source
  var isFeatureGatable = false
  /// The gating of the paywall whose place this one takes.
  var gating: FeatureGating?
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
  var experiment: Decision.Experiment?
  var occurrenceLimit: OccurrenceLimit?
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
        call: token, source: .register, isFeatureGatable: request.isFeatureGatable,
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
    if registration.source == .register {
      remember(registration.placement)
      active?.registration.rememberedAt = now
      if trackingBehavior == .all { collect(registration.placement, registration.params) }
    }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .noPresentation, .paywallAlreadyPresented)
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
      endActive(.statusTimeout, .timeout, .error(SDKError.Code.subscriptionStatusTimeout.rawValue))
    } else {
      questionTimedOut(token)
    }
  }
}

// MARK: From the decision to the presenter

extension SDKState {
  private mutating func decideActive() {
    guard let registration = active?.registration else { return }
    let decision = decide(
      registration.placement, params: registration.params,
      isFeatureGatable: registration.isFeatureGatable, event: registration.rememberedAt)
    keepAssignment(of: decision)
    switch decision.outcome {
    case .paywall(let experiment):
      active?.experiment = experiment
      active?.occurrenceLimit = decision.occurrenceLimit
      active?.stage = .loadingPaywall
      loadPaywall(
        experiment.variant.paywallID ?? "", for: .registration, placement: registration.placement)
    case .holdout(let experiment):
      confirmAssignment(of: experiment.id)
      track(.triggerFire(placement: registration.placement, .holdout(experiment)))
      if let limit = decision.occurrenceLimit { remember(.occurrence(key: limit.key, at: now)) }
      skipActive(.holdout(experiment), .holdout(experiment))
    case .noAudienceMatch:
      track(.triggerFire(placement: registration.placement, .noAudienceMatch))
      skipActive(.noAudienceMatch, .noRuleMatch)
    case .placementNotFound: skipActive(.placementNotFound, .eventNotFound)
    case .error(let failure): endActiveWithoutPaywall(failure.message)
    }
  }

  private mutating func skipActive(
    _ reason: PaywallSkippedReason, _ wireReason: PresentationRequestReason
  ) {
    guard let registration = takeActive() else { return }
    track(.paywallPresentationRequest(.noPresentation, wireReason))
    if let handler = registration.handlerID { emit(.onPaywallSkip(reason, handlerID: handler)) }
    complete(registration.call, .outcome(PlacementOutcome(.skipped(reason))))
  }

  /// Ends the turn with an error.
  private mutating func endActive(
    _ error: SDKError, _ status: PresentationRequestStatus, _ reason: PresentationRequestReason
  ) {
    guard let registration = takeActive() else { return }
    track(.paywallPresentationRequest(status, reason))
    end(registration, with: error)
  }

  mutating func endActiveWithoutPaywall(_ message: String) {
    endActive(
      SDKError(.paywallNotAvailable, message), .noPresentation, .noPaywallViewController)
  }

  mutating func end(_ registration: Registration, with error: SDKError) {
    if let handler = registration.handlerID { emit(.onPaywallError(error, handlerID: handler)) }
    complete(registration.call, .outcome(PlacementOutcome(.error(error))))
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
    info.experiment = turn.experiment
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
    guard canPresent else { return endActive(.noPresenter, .noPresentation, .noViewController) }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .noPresentation, .paywallAlreadyPresented)
    }
    present(turn)
  }
}
