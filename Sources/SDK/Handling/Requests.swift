internal import Expressions

/// A request that has no final answer yet.
struct PendingRequest: Sendable {
  var request: HTTPRequest
  var purpose: RequestPurpose
  /// How often it may be sent again, and how often it was.
  var retries: Int
  var attempt = 0
  /// How long an attempt may take, in milliseconds.
  var limit: Int64
  /// False between two attempts.
  var isInFlight = true
}

/// What an answer is for.
enum RequestPurpose: Sendable {
  case config
  /// The server's assignments of the identity with this number, and the call that waits for them.
  case assignments(identity: Int, call: Token?)
  case confirmation(AssignmentConfirmation)
  case paywall(identifier: String, PaywallLoad)
  case redemption(identity: Int)
  case receipt
}

extension SDKState {
  /// Sends a request and sees to its retries.
  ///
  /// - Parameter limit: milliseconds for each attempt; nil is the option's.
  @discardableResult
  mutating func send(
    _ request: HTTPRequest, for purpose: RequestPurpose, retries: Int = Retry.count,
    limit: Int64? = nil
  ) -> Token {
    attempt(
      PendingRequest(
        request: request, purpose: purpose, retries: retries,
        limit: limit ?? options.timeouts.request))
  }

  @discardableResult
  private mutating func attempt(_ pending: PendingRequest) -> Token {
    // Every attempt has its own token, so that a late answer to an earlier one finds nobody.
    let token = newToken()
    requests[token] = pending
    startTimer(.requestLimit(token), pending.limit)
    effects.append(.send(token, withHeaders(pending.request, attempt: pending.attempt)))
    return token
  }

  mutating func receive(_ result: Result<HTTPResponse, TransportFailure>, for token: Token) {
    guard var pending = requests[token], pending.isInFlight else { return }
    cancelTimer(.requestLimit(token))
    let outcome = SDKState.outcome(result)
    if case .failure(let error) = outcome, error.isTransient, pending.attempt < pending.retries {
      let pause = Retry.pause(before: pending.attempt, of: pending.retries) + entropy.jitter()
      pending.attempt += 1
      pending.isInFlight = false
      requests[token] = pending
      return startTimer(.retry(token), pause)
    }
    requests[token] = nil
    finish(pending.purpose, outcome)
  }

  private static func outcome(_ result: Result<HTTPResponse, TransportFailure>)
    -> Result<[UInt8], BackendError>
  {
    switch result {
    case .failure(let failure): .failure(BackendError(failure))
    case .success(let response):
      BackendError(status: response.status).map { .failure($0) } ?? .success(response.body)
    }
  }

  mutating func sendAgain(_ token: Token) {
    guard var pending = requests.removeValue(forKey: token) else { return }
    pending.isInFlight = true
    let newToken = attempt(pending)
    if configRequest == token { configRequest = newToken }
  }

  /// Forgets a request; its answer will find nobody.
  mutating func dropRequest(_ token: Token) {
    requests[token] = nil
    cancelTimer(.requestLimit(token))
    cancelTimer(.retry(token))
  }

  private mutating func finish(
    _ purpose: RequestPurpose, _ outcome: Result<[UInt8], BackendError>
  ) {
    switch purpose {
    case .config: receiveConfig(outcome)
    case .assignments(let identity, let call):
      receiveAssignments(outcome, identity: identity, call: call)
    case .confirmation(let confirmation): receiveConfirmation(outcome, confirmation)
    case .paywall(let identifier, let load): receivePaywall(outcome, identifier, load)
    case .redemption(let identity): receiveRedemption(outcome, identity: identity)
    case .receipt:
      if case .failure(let error) = outcome {
        log(.warn, .receipts, "the receipt could not be verified", error: error.message)
      }
    }
  }

  /// The JSON of an answer, or nil; the app is told when it cannot be read.
  mutating func decodeBody(_ outcome: Result<[UInt8], BackendError>) -> Value? {
    guard case .success(let body) = outcome else { return nil }
    if let value = try? Value.parse(json: body), value.isObject { return value }
    track(.networkDecodingFail)
    return nil
  }
}
