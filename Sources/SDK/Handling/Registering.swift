internal import Expressions
internal import RuleEngine

// MARK: The queue

extension SDKState {
  mutating func register(_ request: PlacementRequest, _ token: Token) {
    guard !SuperwallEventName.isReserved(request.placement) else {
      let error = SDKError(
        .invalidArgument,
        "'\(request.placement)' is an event of the SDK; give the placement another name")
      return reject(.registerPlacement(request), token, error)
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

  /// Starts the next registrations, until a registration has to wait. Each registration waits until the previous
  /// registration has presented, skipped or failed. While the previous registration loads, the wait is short. A
  /// registration that shows no paywall does not wait.
  mutating func startRegistrations() {
    while startup.phase == .configured, presentation?.isLeaving != true {
      if active?.stage == .loaded || turns.resume() {
        presentActive()
      } else if turns.isReady {
        turns.begin(outbox.newToken())
        beginActive()
      } else {
        break
      }
    }
    letOthersPass()
  }

  private mutating func beginActive() {
    if var registration = active?.registration {
      remember(&registration)
      turns.advance { $0.remember(at: registration.rememberedAt ?? 0) }
    }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    waitForStatus()
  }

  /// Adds the app's placement to the history, if it was not added before.
  private mutating func remember(_ registration: inout Registration) {
    guard registration.event == nil, registration.rememberedAt == nil else { return }
    remember(registration.placement)
    registration.rememberedAt = now
    if settings.trackingBehavior == .all { collect(registration.placement, registration.params) }
  }

  private mutating func waitForStatus() {
    guard let turn = active else { return }
    if ownership.status == .unknown {
      if ownership.isGivenUp { return endActive(.statusTimeout, .subscriptionStatusTimeout) }
      turns.advance { $0.wait(for: .waitingForStatus) }
      startStatusTimer()
    } else if !person.isReady {
      turns.advance { $0.wait(for: .waitingForIdentity) }
    } else {
      decide(turn)
    }
  }

  /// All registrations that wait for the status share one deadline.
  mutating func startStatusTimer() {
    if !outbox.armedTimers.contains(.status) {
      outbox.startTimer(.status, options.timeouts.subscriptionStatus)
    }
  }

  /// Continues the registrations that waited for the status or the identity, if the awaited value is known. A
  /// registration that waited for one value may next wait for the other value.
  mutating func continueWaiting() {
    if ownership.status != .unknown { outbox.cancelTimer(.status) }
    if let turn = active, isOver(turn.stage) { waitForStatus() }
    continueQuestions()
  }

  private func isOver(_ stage: ActiveRegistration.Stage) -> Bool {
    switch stage {
    case .waitingForStatus: ownership.status != .unknown
    case .waitingForIdentity: person.isReady
    default: false
    }
  }

  /// Ends all calls that wait for the status, including the registrations behind the active registration.
  mutating func statusStayedUnknown() {
    ownership.giveUp(true)
    if active?.stage == .waitingForStatus {
      waitForStatus()
      startRegistrations()
    }
    giveUpQuestions()
    ownership.giveUp(false)
  }

  // MARK: Placements that do not wait

  /// Lets other placements pass a slow placement. While the slow placement loads, all other placements pass. While the
  /// slow placement waits for the host, only placements that show no paywall pass.
  mutating func turnIsLong(_ token: Token) {
    guard let turn = active, turn.token == token else { return }
    turns.advance { $0.makeLong() }
    if turn.isLoading { turns.park() }
  }

  /// Runs the placements that show no paywall while another placement loads or waits for the host. Placements that show
  /// a paywall stay in the queue.
  private mutating func letOthersPass() {
    guard let turn = active, turn.letsPass, ownership.status != .unknown, person.isReady else {
      return
    }
    var place = 0
    while turns.waiting.indices.contains(place) {
      var registration = turns.waiting[place]
      if registration.heldBy != turn.token {
        remember(&registration)
        registration.heldBy = turn.token
        turns.hold(registration, at: place)
        if pass(registration) { continue }
      }
      place += 1
    }
  }

  /// - Returns: false if the registration shows a paywall.
  private mutating func pass(_ registration: Registration) -> Bool {
    func decided(for kind: RequestKind) -> PlacementDecision {
      decide(
        registration.placement, params: registration.params, for: kind,
        isFeatureGatable: registration.isFeatureGatable, event: registration.rememberedAt)
    }
    if case .paywall = decided(for: .paywallDeclineCheck).outcome { return false }
    _ = turns.takeWaiting { $0.eventID == registration.eventID }
    guard let ending = ending(of: decided(for: .presentation).outcome) else { return true }
    end(registration, ending.kind, ending.reason)
    return true
  }

  /// Cancels a registration, because its task was cancelled. A paywall that is appearing or visible stays.
  ///
  /// - Returns: whether the placement was given up.
  mutating func cancelRegistration(_ call: Token) -> Bool {
    let loading = (turns.parked + [turns.active].compactMap(\.self)).first {
      $0.registration.call == call && $0.stage != .presenting
    }
    if let loading {
      takeTurn(loading.token)
      settle(.error(.cancelled), call: call, handler: loading.registration.handlerID)
      return true
    }
    guard let waiting = turns.takeWaiting(where: { $0.call == call }) else { return false }
    settle(.error(.cancelled), call: call, handler: waiting.handlerID)
    return true
  }
}

// MARK: From the decision to the presenter

extension SDKState {
  private mutating func decide(_ turn: ActiveRegistration) {
    let registration = turn.registration
    let decision = decide(
      registration.placement, params: registration.params, for: .presentation,
      isFeatureGatable: registration.isFeatureGatable, event: registration.rememberedAt)
    turns.advance { $0.decide(decision) }
    guard case .paywall(let experiment) = decision.outcome else {
      if let ending = ending(of: decision.outcome) { endActive(ending.kind, ending.reason) }
      return
    }
    turns.advance { $0.wait(for: .loadingPaywall) }
    outbox.startTimer(.turn(turn.token), options.timeouts.turn)
    loadPaywall(
      experiment.variant.paywallID ?? "", for: .registration(turn.token),
      placement: registration.placement)
  }

  /// The result of a placement that shows no paywall, or nil if the placement shows a paywall.
  private func ending(of outcome: Decision.Outcome)
    -> (kind: PlacementOutcome.Kind, reason: PresentationRequestReason)?
  {
    switch outcome {
    case .paywall: nil
    case .holdout(let experiment): (.skipped(.holdout(experiment)), .holdout(experiment))
    case .noAudienceMatch: (.skipped(.noAudienceMatch), .noAudienceMatch)
    case .placementNotFound: (.skipped(.placementNotFound), .placementNotFound)
    case .error(let failure):
      (.error(SDKError(.paywallNotAvailable, failure.message)), .noPaywallViewController)
    case .undecidable(let reason):
      (.error(SDKError(.paywallNotAvailable, reason)), .noPaywallViewController)
    }
  }

  private mutating func endActive(_ error: SDKError, _ reason: PresentationRequestReason) {
    endActive(.error(error), reason)
  }

  private mutating func endActive(
    _ kind: PlacementOutcome.Kind, _ reason: PresentationRequestReason
  ) {
    if let turn = active { endTurn(turn.token, kind, reason) }
  }

  private mutating func endTurn(
    _ token: Token, _ kind: PlacementOutcome.Kind, _ reason: PresentationRequestReason
  ) {
    if let registration = takeTurn(token) { end(registration, kind, reason) }
  }

  private mutating func end(
    _ registration: Registration, _ kind: PlacementOutcome.Kind,
    _ reason: PresentationRequestReason
  ) {
    track(.paywallPresentationRequest(status: reason.status, reason: reason))
    settle(kind, call: registration.call, handler: registration.handlerID)
  }

  mutating func endWithoutPaywall(_ token: Token, _ message: String) {
    endTurn(token, .error(SDKError(.paywallNotAvailable, message)), .noPaywallViewController)
  }

  /// Sets the outcome of a registration, and reports to its handler why no paywall was presented.
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

  @discardableResult
  private mutating func takeTurn(_ token: Token) -> Registration? {
    guard let turn = turns[token] else { return nil }
    outbox.cancelTimer(.turn(token))
    outbox.cancelTimer(.canPresent(token))
    turns.end(token)
    return turn.registration
  }

  /// Requests the products of a paywall that has been loaded.
  mutating func paywallIsLoaded(
    _ paywall: PaywallResponse, _ load: PaywallInfo.LoadTimes, for token: Token
  ) {
    guard let turn = turns[token], turn.stage == .loadingPaywall else { return }
    var info = self.info(of: paywall, for: turn.registration)
    info.experiment = turn.decision?.experiment
    info.responseLoad = load
    turns.advance(token) { $0.load(paywall, info) }
    loadProducts(of: info, placement: turn.registration.placement, for: token)
  }

  /// Checks whether a host can present a paywall whose products are loaded. A registration that let others pass waits
  /// for its turn again.
  mutating func productsAreLoaded(_ info: PaywallInfo, for token: Token) {
    guard let turn = turns[token], turn.stage == .loadingProducts else { return }
    let products = info.products.compactMap { catalog.product($0.id) }
    turns.advance(token) { $0.load(products, info) }
    if active?.token == token { presentActive() }
  }

  private mutating func presentActive() {
    guard let turn = active, presentation?.isLeaving != true else { return }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    turns.advance { $0.wait(for: .askingPresenter) }
    outbox.startTimer(.canPresent(turn.token), options.timeouts.canPresent)
    outbox.add(.askPresenter(turn.token))
  }

  mutating func presenterAnswered(_ canPresent: Bool, for token: Token) {
    guard let turn = active, turn.token == token, turn.stage == .askingPresenter else { return }
    outbox.cancelTimer(.canPresent(token))
    guard canPresent else { return endActive(.noPresenter, .noPresenter) }
    guard presentation == nil else {
      return endActive(.alreadyPresented, .paywallAlreadyPresented)
    }
    present(turn)
  }

  mutating func presenterIsSilent(_ token: Token) {
    let message =
      "the presenter has not reported within \(options.timeouts.canPresent.words) whether it can present"
    endTurn(token, .error(SDKError(.noPresenter, message)), .noPresenter)
  }
}
