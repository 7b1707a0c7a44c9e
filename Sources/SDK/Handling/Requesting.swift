internal import Expressions

extension SDKState {
  /// Sends a request and handles its retries.
  ///
  /// - Parameter limit: the maximum duration of an attempt; nil means the duration in the options.
  mutating func send(
    _ request: BackendRequest, for purpose: RequestPurpose, retries: Int = Retry.count,
    limit: Duration? = nil
  ) {
    if settings.isAlone { return finish(purpose, .failure(.network("there is no API key"))) }
    attempt(
      PendingRequest(
        request, for: purpose, retries: retries, limit: limit ?? options.timeouts.request))
  }

  private mutating func attempt(_ pending: PendingRequest) {
    let token = outbox.newToken()
    requests.begin(pending, token)
    outbox.startTimer(.requestLimit(token), pending.limit)
    outbox.add(.send(token, withHeaders(pending.request, attempt: pending.attempt)))
  }

  mutating func receive(_ result: Result<BackendResponse, TransportFailure>, for token: Token) {
    outbox.cancelTimer(.requestLimit(token))
    switch requests.answer(result, token, jitter: entropy.jitter()) {
    case .nothing: break
    case .retry(let pause): outbox.startTimer(.retry(token), pause)
    case .end(let purpose, let outcome): finish(purpose, outcome)
    }
  }

  mutating func sendAgain(_ token: Token) {
    if let pending = requests.takeForRetry(token) { attempt(pending) }
  }

  /// Drops a request, whose answer will be ignored.
  mutating func dropRequest(_ token: Token) {
    requests.drop(token)
    outbox.cancelTimer(.requestLimit(token))
    outbox.cancelTimer(.retry(token))
  }

  private mutating func finish(
    _ purpose: RequestPurpose, _ outcome: Result<[UInt8], BackendError>
  ) {
    switch purpose {
    case .config: receiveConfig(outcome)
    case .application(let retries): receiveApplication(outcome, retries: retries)
    case .assignments(let identity, let call):
      receiveAssignments(outcome, identity: identity, call: call)
    case .confirmation(let confirmation): receiveConfirmation(outcome, confirmation)
    case .paywall(let identifier, let load, let start):
      receivePaywall(outcome, identifier, load, start: start)
    case .redemption(let redemption): receiveRedemption(outcome, redemption)
    case .checkout(let step): receiveCheckout(outcome, step)
    case .webEntitlements(let identity): receiveWebEntitlements(outcome, identity: identity)
    case .events: receiveUpload(outcome)
    case .receipt:
      if case .failure(let error) = outcome {
        log(.warn, .receipts, "the receipt could not be verified", error: error.message)
      }
    }
  }

  /// The JSON of an answer. Unreadable JSON is reported to the app and returns nil.
  mutating func decodeBody(_ outcome: Result<[UInt8], BackendError>) -> Value? {
    guard case .success(let body) = outcome else { return nil }
    if let value = try? Value.parse(json: body), value.isObject { return value }
    track(.networkDecodingFail)
    return nil
  }
}
