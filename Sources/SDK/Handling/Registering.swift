internal import Expressions
internal import RuleEngine

// MARK: One after the other

extension SDKState {
  mutating func register(_ request: PlacementRequest, _ token: Token) {
    guard !SuperwallEventName.isReserved(request.placement) else {
      return outbox.complete(token, .outcome(PlacementOutcome(.ignored)))
    }
    guard !request.placement.isEmpty else {
      let error = SDKError(.invalidArgument, "'placement' must be the name of a placement")
      return reject(.registerPlacement(request), token, error)
    }
    turns.add(
      Registration(
        placement: request.placement, params: request.params, handlerID: request.handlerID,
        call: token, isFeatureGatable: request.isFeatureGatable,
        eventID: newEventID(), at: now))
  }

  /// Gives the next registrations their turn, until one has to wait. Each waits until the one
  /// before has presented, skipped or failed.
  mutating func startRegistrations() {
    while turns.isReady, startup.phase == .configured {
      turns.begin(outbox.newToken())
      beginActive()
    }
  }

  private mutating func beginActive() {
    if let registration = active?.registration, registration.event == nil {
      remember(registration.placement)
      let now = now
      turns.advance { $0.remember(at: now) }
      if settings.trackingBehavior == .all { collect(registration.placement, registration.params) }
    }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    waitForStatus()
  }

  private mutating func waitForStatus() {
    guard let turn = active else { return }
    if ownership.status == .unknown {
      turns.advance { $0.wait(for: .waitingForStatus) }
      outbox.startTimer(.status(turn.token), options.timeouts.subscriptionStatus)
    } else if !person.isReady {
      turns.advance { $0.wait(for: .waitingForIdentity) }
    } else {
      decideActive()
    }
  }

  /// Goes on with what waited for the status or for the identity, if that is there now. The other
  /// one may have to be waited for next.
  mutating func continueWaiting() {
    if let turn = active, isOver(turn.stage) {
      outbox.cancelTimer(.status(turn.token))
      waitForStatus()
    }
    continueQuestions()
  }

  private func isOver(_ stage: ActiveRegistration.Stage) -> Bool {
    switch stage {
    case .waitingForStatus: ownership.status != .unknown
    case .waitingForIdentity: person.isReady
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
    turns.advance { $0.decide(decision) }
    switch decision.outcome {
    case .paywall(let experiment):
      turns.advance { $0.wait(for: .loadingPaywall) }
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
      case (.skipped(let reason), _): outbox.emit(.onPaywallSkip(reason, handlerID: handler))
      case (.error(let error), .error): outbox.emit(.onPaywallError(error, handlerID: handler))
      case (_, .webViewFailed): outbox.emit(.onPaywallError(.webViewFailed, handlerID: handler))
      default: break
      }
    }
    outbox.complete(call, .outcome(PlacementOutcome(kind, gating: gating)))
  }

  mutating func takeActive() -> Registration? {
    guard let turn = active else { return nil }
    outbox.cancelTimer(.status(turn.token))
    turns.end()
    return turn.registration
  }

  /// The paywall of the registration is there: get its products.
  mutating func paywallIsLoaded(_ paywall: PaywallResponse, _ load: PaywallInfo.LoadTimes) {
    guard let turn = active, turn.stage == .loadingPaywall else { return }
    var info = self.info(of: paywall, for: turn.registration)
    info.experiment = turn.decision?.experiment
    info.responseLoad = load
    turns.advance { $0.load(paywall, info) }
    loadProducts(of: info, placement: turn.registration.placement)
  }

  /// The products are there, as far as there are any: see whether anything can present.
  mutating func productsAreLoaded(_ info: PaywallInfo) {
    guard let turn = active, turn.stage == .loadingProducts else { return }
    let products = info.products.compactMap { catalog.product($0.id) }
    turns.advance { $0.load(products, info) }
    outbox.add(.askPresenter(turn.token))
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
