internal import RuleEngine

/// Assignments that are being sent to the server.
struct AssignmentConfirmation: Hashable, Sendable {
  var pairs: [Assignment]
  /// The identity that the assignments belong to.
  var identity: Int
  /// The assignments that a call of `confirmAllAssignments` still has to send, and the call.
  var rest: [Assignment] = []
  var call: Token?
}

/// The purpose of loading a paywall.
enum PaywallLoad: Hashable, Sendable {
  /// The paywall is for the placement with this turn.
  case registration(Token)
  case question(Token)
}

/// The checkout endpoint of a request.
enum CheckoutRequestKind: Hashable, Sendable {
  case session
  case status
  case confirm
  case complete
  case redemption
  /// The result of an earlier checkout.
  case pending(contextID: String)
}

/// The purpose of a request.
enum RequestPurpose: Sendable {
  case config
  /// Requests the application that names the domain of the config, with the number of retries for the config.
  case application(retries: Int)
  /// Requests the server's assignments for the identity with this number, and for the call that waits.
  case assignments(identity: Int, call: Token?)
  case confirmation(AssignmentConfirmation)
  case paywall(identifier: String, PaywallLoad, start: Instant)
  case redemption(Redemption)
  case checkout(CheckoutRequestKind)
  /// Requests the web entitlements of the identity with this number.
  case webEntitlements(identity: Int)
  case receipt
  /// Uploads events for the backend's statistics.
  case events
}

/// A request that has no final answer yet.
struct PendingRequest: Sendable {
  let request: BackendRequest
  let purpose: RequestPurpose
  /// The maximum number of retries, and the number of retries so far.
  let retries: Int
  fileprivate(set) var attempt = 0
  /// The maximum duration of an attempt.
  let limit: Duration
  /// Whether an attempt is running. False between two attempts.
  fileprivate var isInFlight = true

  init(_ request: BackendRequest, for purpose: RequestPurpose, retries: Int, limit: Duration) {
    self.request = request
    self.purpose = purpose
    self.retries = retries
    self.limit = limit
  }

  fileprivate var isForConfig: Bool {
    switch purpose {
    case .config, .application: true
    default: false
    }
  }
}

/// Running requests. Every attempt has its own token, so that late answers to earlier attempts are ignored.
struct Requests {
  /// The consequence of an answer.
  enum Step {
    /// The answer is ignored, because its request was dropped or has ended.
    case nothing
    case retry(Int64)
    case end(RequestPurpose, Result<[UInt8], BackendError>)
  }

  private var pending: [Token: PendingRequest] = [:]

  var isEmpty: Bool { pending.isEmpty }

  /// The request for the config, if one is running.
  var config: Token? { pending.first { $0.value.isForConfig }?.key }

  mutating func begin(_ request: PendingRequest, _ token: Token) { pending[token] = request }

  /// - Parameter jitter: milliseconds to add to a pause.
  mutating func answer(
    _ result: Result<BackendResponse, TransportFailure>, _ token: Token, jitter: Int64
  ) -> Step {
    guard var request = pending[token], request.isInFlight else { return .nothing }
    let outcome = Self.outcome(result)
    if case .failure(let error) = outcome, error.isTransient, request.attempt < request.retries {
      let pause = Retry.pause(before: request.attempt, of: request.retries) + jitter
      request.attempt += 1
      request.isInFlight = false
      pending[token] = request
      return .retry(pause)
    }
    pending[token] = nil
    return .end(request.purpose, outcome)
  }

  /// Returns a request to send again, and removes it.
  mutating func takeForRetry(_ token: Token) -> PendingRequest? {
    var request = pending.removeValue(forKey: token)
    request?.isInFlight = true
    return request
  }

  /// Drops a request, so that its answer is ignored.
  mutating func drop(_ token: Token) { pending[token] = nil }

  private static func outcome(_ result: Result<BackendResponse, TransportFailure>)
    -> Result<[UInt8], BackendError>
  {
    switch result {
    case .failure(let failure): .failure(BackendError(failure))
    case .success(let response):
      BackendError(response).map { .failure($0) } ?? .success(response.body)
    }
  }
}
