internal import Expressions

/// Calls individual endpoints of the backend, for apps and tools that do not need the rest of the SDK.
///
/// No call waits forever. One attempt takes at most ``Options/limit``. A failed call is retried up to six times if a
/// retry is safe and may succeed. The pauses between attempts are 5 to 19.1 seconds, plus up to one second. Errors are
/// of type ``BackendError``. Cancelling the task cancels its call.
///
/// ```swift
/// let client = BackendClient.live(publicKey: "pk_...")
/// let answer = try await client.entitlements(ofUser: "user_123", deviceID: device)
/// ```
public struct BackendClient: Sendable {
  /// The address of the backend, the time limit of a request and the number of retries.
  public struct Options: Hashable, Sendable {
    public var environment = NetworkEnvironment.release
    /// The maximum duration of one attempt.
    public var limit = Duration.seconds(30)
    public var entitlementsLimit = Duration.seconds(5)
    public var redemptionLimit = Duration.seconds(10)
    /// The maximum number of retries of a call.
    public var retries = 6

    public init() {}
  }

  let publicKey: String
  let options: Options
  private let transport: any Transport
  private let time: any TimeSource
  private let entropy: Locked<Entropy>
  private let executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - publicKey: the application's key, `pk_...`.
  ///   - transport: sends the requests.
  ///   - time: the clock for limits and pauses.
  ///   - options: the environment, limits and further settings.
  public init(
    publicKey: String, transport: any Transport, time: any TimeSource = SystemTime(),
    options: Options = Options()
  ) {
    self.init(
      publicKey: publicKey, transport: transport, time: time, entropy: .system, options: options)
  }

  /// - Parameter executor: runs all tasks, for tests that require one thread. Nil means the system's choice.
  package init(
    publicKey: String, transport: any Transport, time: any TimeSource = SystemTime(),
    entropy: Entropy, options: Options = Options(), executor: (any TaskExecutor)? = nil
  ) {
    self.executor = executor
    self.publicKey = publicKey
    self.transport = transport
    self.time = time
    self.entropy = Locked(entropy)
    self.options = options
  }

  // MARK: Sending

  /// Whether a request may be sent again.
  enum Repeating {
    /// Retrying is safe: the request only reads, or the backend ignores duplicates.
    case safe
    /// The request must not be retried, because every attempt could take effect again.
    case never
  }

  /// Sends a request, with retries, and returns the final answer.
  func send(_ request: BackendRequest, _ repeating: Repeating, limit: Duration? = nil)
    async throws(BackendError) -> [UInt8]
  {
    var request = request
    request.environment = options.environment
    let retries = repeating == .safe ? max(options.retries, 0) : 0
    var attempt = 0
    while true {
      do throws(BackendError) {
        return try await attempted(request, limit ?? options.limit)
      } catch {
        guard error.isTransient, attempt < retries else { throw error }
        let jitter = entropy.withLock { $0.jitter() }
        let pause = Retry.pause(before: attempt, of: retries) + jitter
        attempt += 1
        do { try await time.sleep(milliseconds: pause) } catch { throw .cancelled }
      }
    }
  }

  private func attempted(_ request: BackendRequest, _ limit: Duration) async throws(BackendError)
    -> [UInt8]
  {
    let race = Race<Result<BackendResponse, BackendError>>(executor)
    let (transport, time) = (transport, time)
    race.begin {
      do throws(TransportFailure) {
        return .success(try await transport.send(request))
      } catch {
        return .failure(BackendError(error))
      }
    }
    race.begin {
      do { try await time.sleep(milliseconds: limit.milliseconds) } catch {
        return .failure(.cancelled)
      }
      return .failure(.timeout)
    }
    let response = try await race.first(ifCancelled: .failure(.cancelled)).get()
    if let error = BackendError(response) { throw error }
    return response.body
  }

  /// The JSON object of an answer.
  func object(_ request: BackendRequest, _ repeating: Repeating, limit: Duration? = nil)
    async throws(BackendError) -> Value
  {
    let body = try await send(request, repeating, limit: limit)
    guard let value = try? Value.parse(json: body), value.isObject else {
      throw .decoding("it is not a JSON object")
    }
    return value
  }
}

/// Runs tasks concurrently and returns the first result. The other tasks are cancelled, and their results are dropped.
private final class Race<Result: Sendable>: Sendable {
  private struct State {
    var result: Result?
    var waiting: CheckedContinuation<Result, Never>?
    var tasks: [Task<Void, Never>] = []
  }

  private let state = Locked(State())
  private let executor: (any TaskExecutor)?

  init(_ executor: (any TaskExecutor)?) { self.executor = executor }

  func begin(_ work: @escaping @Sendable () async -> Result) {
    let task = Task(executorPreference: executor) { self.end(with: await work()) }
    state.withLock { $0.tasks.append(task) }
  }

  private func end(with result: Result) {
    let (waiting, tasks) = state.withLock { state in
      guard state.result == nil else {
        return (CheckedContinuation<Result, Never>?.none, [Task<Void, Never>]())
      }
      state.result = result
      defer { (state.waiting, state.tasks) = (nil, []) }
      return (state.waiting, state.tasks)
    }
    waiting?.resume(returning: result)
    for task in tasks { task.cancel() }
  }

  /// Returns the first result. Call this function only once.
  func first(ifCancelled cancelled: Result) async -> Result {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      end(with: cancelled)
    }
  }
}
