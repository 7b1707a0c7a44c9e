internal import RuleEngine

/// Assignments on their way to the server.
struct AssignmentConfirmation: Hashable, Sendable {
  var pairs: [Assignment]
  /// Whose assignments they are.
  var identity: Int
  /// What is left to send for a call of `confirmAllAssignments`, and the call.
  var rest: [Assignment] = []
  var call: Token?
}

/// Who a paywall is loaded for.
enum PaywallLoad: Hashable, Sendable {
  /// For the placement with this turn.
  case registration(Token)
  case question(Token)
}

/// Which endpoint of the checkout answers.
enum CheckoutRequestKind: Hashable, Sendable {
  case session
  case status
  case confirm
  case complete
  case redemption
  /// What a checkout of earlier gave.
  case pending(contextID: String)
}

/// What an answer is for.
enum RequestPurpose: Sendable {
  case config
  /// The application that knows where the config is, and how often that may be asked for again.
  case application(retries: Int)
  /// The server's assignments of the identity with this number, and the call that waits for them.
  case assignments(identity: Int, call: Token?)
  case confirmation(AssignmentConfirmation)
  case paywall(identifier: String, PaywallLoad, start: Instant)
  case redemption(Redemption)
  case checkout(CheckoutRequestKind)
  /// What the user with this number has on the web.
  case webEntitlements(identity: Int)
  case receipt
  /// Events for the backend's statistics.
  case events
}

/// A request that has no final answer yet.
struct PendingRequest: Sendable {
  let request: BackendRequest
  let purpose: RequestPurpose
  /// How often it may be sent again, and how often it was.
  let retries: Int
  fileprivate(set) var attempt = 0
  /// How long an attempt may take.
  let limit: Duration
  /// False between two attempts.
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

/// Requests under way. Every attempt has its own token, so that a late answer to an earlier one
/// finds nobody.
struct Requests {
  /// What an answer leads to.
  enum Step {
    /// Nobody waits for it.
    case nothing
    case retry(Int64)
    case end(RequestPurpose, Result<[UInt8], BackendError>)
  }

  private var pending: [Token: PendingRequest] = [:]

  var isEmpty: Bool { pending.isEmpty }

  /// The request for the config that counts, if one runs.
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

  /// Takes out a request to be sent again.
  mutating func takeForRetry(_ token: Token) -> PendingRequest? {
    var request = pending.removeValue(forKey: token)
    request?.isInFlight = true
    return request
  }

  /// Forgets a request; its answer will find nobody.
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
