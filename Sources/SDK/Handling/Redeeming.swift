internal import Expressions
internal import RuleEngine

// MARK: Codes

extension SDKState {
  /// Requests the entitlements of the user's codes again, in the background. An app without an API
  /// key has no backend.
  mutating func redeemKnownCodes() {
    guard !settings.apiKey.isEmpty else { return }
    track(.redemptionStart)
    sendRedemption(of: nil)
  }

  /// Redeems the code of a link. A code that is being sent is not sent twice. While a paywall waits for a redemption,
  /// no other redemption starts.
  mutating func redeem(_ code: String) {
    guard presentation == nil || !redemptions.isRunning, redemptions.begin(code) else {
      return log(.info, .superwallCore, "a redemption is running, so \(code) is ignored")
    }
    if presentation != nil { track(.restoreStart) }
    track(.redemptionStart)
    outbox.emit(.willRedeemLink)
    sendRedemption(of: code)
  }

  private mutating func sendRedemption(of code: String?) {
    var codes = ownership.codes.map { RedeemableCode($0, isFirstRedemption: false) }
    if let code, !ownership.codes.contains(code) { codes.append(RedeemableCode(code)) }
    var request = RedemptionRequest(
      deviceID: deviceID, aliasID: person.aliasID, appUserID: person.appUserID, codes: codes,
      receipts: ownership.receipts)
    request.appTransactionID = device.appTransactionID
    request.externalAccountID = device.externalAccountID
    send(
      Endpoints.redeem(request.value, apiKey: settings.apiKey),
      for: .redemption(
        Redemption(
          identity: person.number, code: code,
          presentationID: code == nil ? nil : presentation?.id)),
      limit: options.timeouts.redeem)
  }

  mutating func receiveRedemption(
    _ outcome: Result<[UInt8], BackendError>, _ redemption: Redemption
  ) {
    if let code = redemption.code { redemptions.end(code) }
    let answer = decodeBody(outcome).flatMap { try? RedemptionAnswer(decoding: $0) }
    track(answer == nil ? .redemptionFail : .redemptionComplete)
    let isCurrent = redemption.identity == person.number
    let web = isCurrent ? answer?.web ?? WebAnswer() : WebAnswer()
    var message = "the backend did not report the result for the code"
    if case .failure(let error) = outcome { message = error.message }
    let covers =
      redemption.presentationID.map { self.answer(paywall: $0, web.active, failure: message) }
      ?? false
    if isCurrent, let answer {
      take(answer.customer)
      takeWeb(web)
    }
    guard let code = redemption.code else { return }
    let result =
      answer?.results.first { $0.code == code }
      ?? .error(code: code, error: .init(message: message))
    if isCurrent, result.isKept { ownership.know(code, isOfUser: result.isOfUser) }
    tell(result, closing: covers)
  }

  /// Reports to a paywall whether the redemption covers its products. If the paywall is already closed, the app
  /// receives the result of the restore.
  ///
  /// - Returns: whether the paywall is open and covered.
  mutating func answer(paywall id: String, _ web: [WebEntitlement], failure: String) -> Bool {
    let open = presentation.flatMap { $0.id == id ? $0 : nil }
    if open.map({ covers(web, $0) }) ?? !web.isEmpty {
      track(.restoreComplete)
      return open != nil
    }
    track(
      .restoreFail(
        message: web.isEmpty
          ? failure : "the code does not grant the entitlements that the paywall sells"))
    if open != nil { outbox.add(.alert(.restoreFailed(options.paywalls.restoreFailed))) }
    return false
  }

  /// Whether all entitlements of the paywall's products are active.
  private func covers(_ web: [WebEntitlement], _ open: Presentation) -> Bool {
    guard !web.isEmpty else { return false }
    let owned = Set(web.map(\.entitlement) + ownership.status.entitlements)
    return open.info.productIDs.flatMap { config?.entitlements(ofProduct: $0) ?? [] }
      .allSatisfy(owned.contains)
  }

  /// Reports a redemption to the app, immediately or when the paywall that the code covers is closed.
  private mutating func tell(_ result: RedemptionResult, closing: Bool) {
    guard closing, let id = closeRestored() else { return outbox.emit(.didRedeemLink(result)) }
    redemptions.hold(result, until: id)
  }

  /// - Returns: the ID of the paywall that closes.
  mutating func closeRestored() -> String? {
    guard let open = presentation else { return nil }
    stage.advance { $0.complete(.restored) }
    guard options.paywalls.automaticallyDismiss else { return nil }
    close(Closing(reason: .systemLogic))
    return open.id
  }

  /// Reports the redemption that closed a paywall to the app.
  mutating func tellRedemptions(after id: String) {
    for result in redemptions.take(after: id) { outbox.emit(.didRedeemLink(result)) }
  }
}

// MARK: Entitlements of the web

extension SDKState {
  /// Requests the entitlements bought on the web, if the last answer is older than the config allows. With a purchase
  /// controller, the app is responsible for entitlements.
  ///
  /// - Parameter isStart: whether the app has just started. Entitlements that were never requested are then not needed.
  mutating func refreshWebEntitlements(isStart: Bool) {
    guard settings.purchases == .store, options.purchaseMode != .agentWallie,
      startup.phase == .configured, !ownership.isRefreshing
    else { return }
    let age = config?.settings.webToApp?.entitlementsMaxAge ?? Self.entitlementsMaxAge
    if let last = ownership.refreshedAt {
      guard now.milliseconds - last.milliseconds > age || last > now else { return }
    } else if isStart {
      return
    }
    ownership.isRefreshing = true
    send(
      Endpoints.entitlements(
        user: person.appUserID ?? deviceID, deviceID: deviceID, apiKey: settings.apiKey),
      for: .webEntitlements(identity: person.number), limit: options.timeouts.entitlements)
  }

  /// The maximum age of web entitlements if the config sets none: a day, in milliseconds.
  private static let entitlementsMaxAge: Int64 = 86_400_000

  mutating func receiveWebEntitlements(
    _ outcome: Result<[UInt8], BackendError>, identity: Int
  ) {
    ownership.isRefreshing = false
    guard identity == person.number, case .success(let body) = outcome,
      let value = try? Value.parse(json: body),
      let answer = try? EntitlementsAnswer(decoding: value)
    else { return }
    ownership.refresh(at: now)
    take(answer.customer)
    takeWeb(answer.web)
    guard let open = presentation, covers(answer.web.active, open) else { return }
    track(.restoreComplete)
    _ = closeRestored()
  }

  /// Takes over the backend's data about the customer. An answer without data changes nothing.
  mutating func take(_ customer: CustomerInfo?) {
    if let customer, ownership.know(customer) { track(.customerInfoDidChange) }
  }

  /// Takes over the entitlements that the backend reports as bought on the web.
  mutating func takeWeb(_ answer: WebAnswer) {
    let before = ownership.web
    ownership.ownOnWeb(answer, at: now)
    if settings.purchases == .store, !answer.isEmpty || ownership.web != before {
      setStatus(SubscriptionStatus(entitlements: ownedEntitlements))
    }
  }
}
