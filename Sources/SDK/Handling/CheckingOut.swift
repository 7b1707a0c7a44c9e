internal import Expressions
internal import Pricing
internal import RuleEngine

// MARK: Checkout on the web

extension SDKState {
  /// Begins the purchase of a product that is sold on the web. A tap during payment restarts the checkout. A tap during
  /// a request to the backend is ignored.
  mutating func beginCheckout(
    _ product: StoreProduct, on open: Presentation, shouldDismiss: Bool
  ) {
    guard checkout.map(\.isAtUser) ?? true else { return }
    checkout = Checkout(
      product: product, presentationID: open.id, info: open.info, shouldDismiss: shouldDismiss,
      identity: person.number)
    track(.stripeCheckoutStart(paywallInfo: open.info))
    let request = CheckoutRequest(
      currencyCode: product.priced.currency?.code ?? device.currencyCode,
      productIdentifier: product.id, store: product.store.rawValue.lowercased(),
      context: checkoutContext(product, open))
    send(Endpoints.beginCheckout(request, apiKey: settings.apiKey), .session)
  }

  /// Sends a request of the checkout. Requests that begin or end a payment are never retried.
  private mutating func send(_ request: BackendRequest, _ step: CheckoutRequestKind) {
    let isRead =
      switch step {
      case .status, .redemption, .pending: true
      case .session, .confirm, .complete: false
      }
    send(request, for: .checkout(step), retries: isRead ? Retry.count : 0)
  }

  // MARK: Reports of the host

  mutating func checkoutReported(_ step: CheckoutStep, in id: String) {
    guard let current = checkout, current.presentationID == id,
      case .shown(let kind) = current.phase
    else { return log(.error, .paywallTransactions, "there is no checkout under way") }
    switch step {
    case .returned:
      let start = now
      checkout?.phase = .asking(since: start)
      askForStatus()
    case .submit(let intent, let email):
      guard kind != .redirect else {
        return log(.error, .paywallTransactions, "a checkout on its own page has nothing to submit")
      }
      checkout?.phase = .confirming
      track(.stripeCheckoutSubmit(paywallInfo: checkoutInfo(current)))
      send(
        Endpoints.confirmCheckout(
          contextID: current.contextID, setupIntentID: intent, email: email,
          apiKey: settings.apiKey), .confirm)
    case .fail: failCheckout(nil)
    case .abandon: abandonCheckout()
    }
  }

  private mutating func askForStatus() {
    guard let id = checkout?.contextID else { return }
    send(Endpoints.checkoutStatus(contextID: id, apiKey: settings.apiKey), .status)
  }

  private mutating func askForRedemption() {
    if let id = checkout?.contextID { send(redemption(of: id), .redemption) }
  }

  private func redemption(of contextID: String) -> BackendRequest {
    Endpoints.pollRedemption(
      contextID: contextID, deviceID: deviceID, appUserID: person.appUserID,
      apiKey: settings.apiKey)
  }

  // MARK: Answers of the backend

  mutating func receiveCheckout(
    _ outcome: Result<[UInt8], BackendError>, _ step: CheckoutRequestKind
  ) {
    if case .pending(let contextID) = step { return receivePending(outcome, of: contextID) }
    guard let current = checkout else { return }
    do throws(BackendError) {
      let body = try outcome.get()
      switch (step, current.phase) {
      case (.session, .beginning):
        let answer = try object(body)
        show(
          try CheckoutSession(decoding: answer, allowed: CheckoutDirectiveKind.allCases),
          answer["directive"] ?? .null)
      case (.status, .asking(let start)):
        answered(try CheckoutStatus(decoding: object(body)).state, since: start)
      // Success means that the payment is set up. The SDK reads no other data from these two answers.
      case (.confirm, .confirming):
        checkout?.phase = .completing
        send(
          Endpoints.completeCheckout(contextID: current.contextID, apiKey: settings.apiKey),
          .complete)
      case (.complete, .completing): completeCheckout()
      case (.redemption, .redeeming(let start)):
        answered(try RedemptionAnswer(decoding: object(body)), since: start)
      default: break
      }
    } catch {
      failCheckout(error)
    }
  }

  private func object(_ body: [UInt8]) throws(BackendError) -> Value {
    guard let answer = try? Value.parse(json: body), answer.isObject else {
      throw .decoding("it is not a JSON object")
    }
    return answer
  }

  private mutating func show(_ session: CheckoutSession, _ directive: Value) {
    checkout?.contextID = session.contextID
    checkout?.phase = .shown(session.directive.kind)
    ownership.pendingCheckout = PendingCheckout(contextID: session.contextID)
    guard let current = checkout, presentation?.id == current.presentationID else { return }
    outbox.add(.checkout(id: current.presentationID, directive))
  }

  private mutating func answered(_ state: CheckoutStatus.State, since start: Instant) {
    switch state {
    case .completed: completeCheckout()
    case .abandoned: abandonCheckout()
    case .pending: askAgain(since: start)
    }
  }

  /// Polls again after a pause, or gives up. After giving up, the SDK requests the result when the app next enters the
  /// foreground.
  private mutating func askAgain(since start: Instant) {
    guard now - start + Checkout.pause <= Checkout.limit else {
      log(.warn, .paywallTransactions, "the checkout was not finished within a minute")
      checkout = nil
      return
    }
    outbox.startTimer(.checkout, Checkout.pause)
  }

  /// Continues a checkout after a pause.
  mutating func continueCheckout() {
    switch checkout?.phase {
    case .asking: askForStatus()
    case .redeeming: askForRedemption()
    case .telling(let results, let covers): tell(results, covers: covers)
    case .beginning, .shown, .confirming, .completing, nil: break
    }
  }

  private mutating func completeCheckout() {
    guard let current = checkout else { return }
    track(.stripeCheckoutComplete(paywallInfo: checkoutInfo(current)))
    let start = now
    checkout?.phase = .redeeming(since: start)
    askForRedemption()
  }

  // MARK: Ending a checkout

  private mutating func answered(_ answer: RedemptionAnswer, since start: Instant) {
    guard !answer.results.isEmpty else {
      let state = answer.state ?? .pending
      if state == .pending { return askAgain(since: start) }
      reportNoCodes(state)
      (checkout, ownership.pendingCheckout) = (nil, nil)
      return
    }
    ownership.pendingCheckout = nil
    track(.redemptionComplete)
    let isCurrent = checkout?.identity == person.number
    let web = isCurrent ? answer.web.active : []
    let id = checkout.flatMap { $0.presentationID == presentation?.id ? $0.presentationID : nil }
    let covers =
      id.map {
        self.answer(
          paywall: $0, web,
          failure: "the checkout does not grant the entitlements that the paywall sells")
      } ?? false
    take(answer, isCurrent: isCurrent)
    outbox.emit(.willRedeemLink)
    checkout?.phase = .telling(answer.results, covers: covers)
    outbox.startTimer(.checkout, Checkout.moment)
  }

  private mutating func reportNoCodes(_ state: RedemptionAnswer.State) {
    log(
      .error, .paywallTransactions,
      state == .failed
        ? "the checkout is paid, but the backend failed to redeem it"
        : "the checkout is paid, but the backend returned no codes for it")
  }

  private mutating func take(_ answer: RedemptionAnswer, isCurrent: Bool) {
    guard isCurrent else { return }
    take(answer.customer)
    takeWeb(answer.web)
    for result in answer.results where result.isKept {
      ownership.know(result.code, isOfUser: result.isOfUser)
    }
  }

  private mutating func tell(_ results: [RedemptionResult], covers: Bool) {
    let current = checkout
    checkout = nil
    for result in results { outbox.emit(.didRedeemLink(result)) }
    if covers, current?.shouldDismiss == true, presentation?.id == current?.presentationID {
      _ = closeRestored()
    }
  }

  private mutating func abandonCheckout() {
    guard let current = checkout else { return }
    (checkout, ownership.pendingCheckout) = (nil, nil)
    track(
      .transactionAbandon(
        product: transactionProduct(current.product), paywallInfo: checkoutInfo(current)))
    if presentation?.id == current.presentationID { replacePaywall(after: .transactionAbandon) }
  }

  /// - Parameter error: nil if the host has already informed the user.
  private mutating func failCheckout(_ error: BackendError?) {
    guard let current = checkout else { return }
    // If the user has paid, the result is still requested in the foreground.
    switch current.phase {
    case .beginning, .shown: ownership.pendingCheckout = nil
    case .asking, .confirming, .completing, .redeeming, .telling: break
    }
    checkout = nil
    track(.stripeCheckoutFail(paywallInfo: checkoutInfo(current)))
    guard let error, options.paywalls.shouldShowPurchaseFailureAlert else { return }
    outbox.add(.alert(.purchaseFailed(message: error.message, code: error.code)))
  }

  /// The paywall of a checkout, in its current or last known state.
  private func checkoutInfo(_ current: Checkout) -> PaywallInfo {
    presentation?.id == current.presentationID ? presentation?.info ?? current.info : current.info
  }

  /// Handles the closing of a paywall. An unfinished checkout then has no host that could show it.
  mutating func leaveCheckout(of id: String) {
    if let current = checkout, current.presentationID == id, current.isAtUser { checkout = nil }
  }

  // MARK: Earlier checkouts

  /// Requests the result of a checkout whose end is unknown, unless a request is running.
  mutating func askForPendingCheckout() {
    guard startup.phase == .configured, checkout == nil, let pending = ownership.pendingCheckout,
      !ownership.isAskingForCheckout
    else { return }
    guard pending.attempts < PendingCheckout.mostAttempts else {
      ownership.pendingCheckout = nil
      return
    }
    ownership.pendingCheckout?.attempts += 1
    ownership.isAskingForCheckout = true
    send(redemption(of: pending.contextID), .pending(contextID: pending.contextID))
  }

  private mutating func receivePending(
    _ outcome: Result<[UInt8], BackendError>, of contextID: String
  ) {
    ownership.isAskingForCheckout = false
    // The checkout may have ended meanwhile, or a reset or a newer checkout may have removed it.
    guard ownership.pendingCheckout?.contextID == contextID, checkout == nil,
      case .success(let body) = outcome, let value = try? Value.parse(json: body),
      let answer = try? RedemptionAnswer(decoding: value)
    else { return }
    guard !answer.results.isEmpty else {
      if let state = answer.state, state != .pending {
        reportNoCodes(state)
        ownership.pendingCheckout = nil
      }
      return
    }
    ownership.pendingCheckout = nil
    track(.redemptionComplete)
    take(answer, isCurrent: true)
    outbox.emit(.willRedeemLink)
    for result in answer.results { outbox.emit(.didRedeemLink(result)) }
  }

  // MARK: The sealed context

  private func checkoutContext(_ product: StoreProduct, _ open: Presentation) -> Value {
    let info = open.info
    let paywall: Value = .members([
      "paywallId": .string(open.paywall.value["id"]?.text ?? info.identifier),
      "paywallIdentifier": .string(info.identifier), "paywallName": .string(info.name),
      "paywallUrl": .string(info.url),
      "paywallProductIds": .string(info.productIDs.joined(separator: ",")),
    ])
    let experiment = info.experiment.map { experiment -> Value in
      [
        "experimentId": .string(experiment.id), "variantId": .string(experiment.variant.id),
      ]
    }
    let presentment: Value = .members([
      "isFreeTrialAvailable": .bool(info.isFreeTrialAvailable),
      "presentationSourceType": info.presentationSourceType.map { .string($0) },
      "presentedBy": .string(info.presentedBy),
      "presentedByEventId": info.presentedByEventID.map { .string($0) },
      "presentedByEventName": info.presentedByPlacement.map { .string($0) },
    ])
    let identity: Value = .members([
      "appUserId": person.appUserID.map { .string($0) } ?? .null,
      "aliasId": .string(person.aliasID), "deviceId": .string(deviceID),
      "email": person.attributes["email"],
    ])
    return .members([
      "paywall": paywall, "experiment": experiment, "presentment": presentment,
      "placementParams": .object(["placementParams": open.registration.params]),
      "identity": identity, "device": checkoutDevice, "product": checkoutProduct(product),
    ])
  }

  /// The product object of the contract. Without a price, the object contains only data from the config.
  private func checkoutProduct(_ product: StoreProduct) -> Value {
    var producer = try? AttributeProducer(.checkout, pricingContext)
    if let attributes = try? producer?.attributes(of: product.priced) { return attributes.value }
    return .members([
      "identifier": .string(product.id),
      "trialPeriodDays": product.priced.trialDays.map { .whole($0) },
    ])
  }

  private var checkoutDevice: Value {
    [
      "publicApiKey": .string(settings.apiKey), "platform": .string(platform.rawValue),
      "appVersion": .string(device.appVersion), "osVersion": .string(device.osVersion),
      "deviceModel": .string(device.deviceModel), "deviceLocale": .string(locale),
      "deviceLanguageCode": .string(LocaleParts.language(locale)),
      "deviceCurrencyCode": .string(device.currencyCode),
      "deviceCurrencySymbol": .string(device.currencySymbol),
      "timezoneOffset": .string(String(deviceAttributes.timeZoneOffset)),
    ]
  }
}
