internal import Expressions
internal import HTTPTypes
internal import Requests
internal import RuleEngine
internal import Tracing

/// Decides with the stored state of users (`--state`), and stores the effects.
extension DecisionService {
  /// The maximum number of attempts to decide a request while the user's stored state keeps changing.
  private static let mostAttempts = 8

  /// The stored state of a user; empty on a server that stores nothing.
  func storedState(of user: String, _ application: ServedApplication) async throws -> (
    state: StoredState, isWithoutState: Bool
  ) {
    guard options.keepsState, !user.utf8.contains(0) else { return (StoredState(), false) }
    return try await withState {
      let stored = try await withSpan("read state", ofKind: .client) { _ in
        try await store.read(StateKey(user, in: application.id))
      }
      return (stored.user, false)
    } without: {
      (StoredState(), true)
    }
  }

  /// Runs a body that uses the store. If the store does not answer in time, the other body runs instead, or the store's
  /// error is thrown.
  func withState<Result>(
    _ body: () async throws -> Result, without: () throws -> Result
  ) async throws -> Result {
    do {
      return try await StateDeadline.within(options.storePatience, body)
    } catch let error as ServiceError where decidesWithoutState(after: error) {
      metrics.decidedWithoutState(1)
      return try without()
    }
  }

  /// Whether requests are decided without stored state if they failed with an error.
  func decidesWithoutState(after error: ServiceError) -> Bool {
    options.withoutState == .decide && error.code == ServiceError.databaseUnavailable
  }

  /// Decides with the stored state, and stores the effects. The effects of a request ID are stored only once: a
  /// repeated request gets the same answer.
  ///
  /// The state is read, used for the decision, and written only if it has not changed since. Deciding therefore blocks
  /// no writer.
  func decideAndStore(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> (bytes: [UInt8], version: Int) {
    let storing = try Storing(body, request, application, config, options)
    if let outcome = try await attempt(storing) { return counted(outcome, application) }
    // Requests of this server for the same user run one after another.
    let outcome = try await turns.run(storing.key) {
      for _ in 1..<Self.mostAttempts {
        if let outcome = try await attempt(storing) { return outcome }
      }
      // Other requests changed the user during every attempt.
      return try await withSpan("update state", ofKind: .client) { _ in
        try await store.update([storing.key]) { try storing.decide($1) }[0]
      }
    }
    return counted(outcome, application)
  }

  /// Decides, and stores the effects.
  ///
  /// - Returns: nil if the user's stored state has changed meanwhile.
  private func attempt(_ storing: Storing) async throws -> Storing.Outcome? {
    let stored = try await withSpan("read state", ofKind: .client) { _ in
      try await store.read(storing.key)
    }
    let (outcome, change) = try withSpan("decide") { _ in try storing.decide(stored) }
    guard let change else { return outcome }
    let isStored = try await withSpan("store state", ofKind: .client) { _ in
      try await store.store(change, of: storing.key, ifStill: stored)
    }
    if !isStored { metrics.conflicted() }
    return isStored ? outcome : nil
  }

  /// Decides several requests, one after another, and stores their effects in one transaction.
  func decideAndStore(
    _ requests: [(body: [UInt8], request: DecideRequest)], _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> [Result<[UInt8], ServiceError>] {
    let all = requests.map { body, request in
      Result { () throws(ServiceError) in
        try Storing(body, request, application, config, options)
      }
    }
    let storing = all.compactMap { try? $0.get() }
    let outcomes = try await withSpan("update state", ofKind: .client) { _ in
      try await store.update(storing.map(\.key)) { index, stored in
        do {
          let (outcome, change) = try storing[index].decide(stored)
          return (Result<Storing.Outcome, ServiceError>.success(outcome), change)
        } catch let error as ServiceError {
          return (.failure(error), nil)
        } catch let error as RequestError {
          return (.failure(ServiceError(error)), nil)
        }
      }
    }
    var next = outcomes.makeIterator()
    return all.map { one in
      one.flatMap { _ in next.next()! }.map { counted($0, application).bytes }
    }
  }

  private func counted(_ outcome: Storing.Outcome, _ application: ServedApplication) -> (
    bytes: [UInt8], version: Int
  ) {
    switch outcome {
    case .earlier(let bytes, let version): (bytes, version)
    case .decided(let answer, let version): (count(answer, application), version)
    }
  }
}

/// One request that is decided with the stored state.
private struct Storing: Sendable {
  enum Outcome: Sendable {
    /// The answer to an earlier request with the same ID.
    case earlier([UInt8], version: Int)
    case decided(DecidedAnswer, version: Int)
  }

  let key: StateKey
  private let body: [UInt8]
  private let request: DecideRequest
  private let config: LoadedConfig
  private let keptRequests: Int64
  private let question: [UInt8]?

  init(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig, _ options: ServiceOptions
  ) throws(ServiceError) {
    self.body = body
    self.request = request
    self.config = config
    keptRequests = options.keptRequests
    // A record without an ID is rejected when it is decided.
    let user = body.withUnsafeBufferPointer { try? UserRecordReader.subject(of: $0) } ?? ""
    guard !user.utf8.contains(0) else {
      throw .badRequest("the user's ID contains the character U+0000, so it cannot be stored")
    }
    key = StateKey(user, request: request.requestID, in: application.id)
    question = request.requestID.map { _ in Array(LoadedConfig.hash(of: body).utf8) }
  }

  /// Decides, and returns the change to store, or nil if there is no change.
  func decide(_ stored: Stored) throws -> (Outcome, StateChange?) {
    if let known = stored.answer {
      guard known.question == question else {
        throw ServiceError(
          .conflict, "request_id_reused",
          "the request ID '\(request.requestID ?? "")' was used for a different request; use a new one for each request"
        )
      }
      return (.earlier(known.bytes, version: known.version ?? config.number), nil)
    }
    let body = stored.user.appended(to: body)
    let answer = try DecidedAnswer(wantsEffects: request.records ?? true) {
      (each) throws(RequestError) in
      try config.prepared.decide(body, request, each: each)
    }
    return (.decided(answer, version: config.number), change(answer))
  }

  private func change(_ answer: DecidedAnswer) -> StateChange? {
    let now = ServiceTime.now()
    var change = StateChange(
      now: request.now ?? now,
      answer: question.map {
        StoredAnswer(question: $0, bytes: answer.bytes, version: config.number)
      },
      answeredAt: now, keeping: keptRequests)
    change.largestLimit = config.largestLimit
    for effect in answer.effects {
      switch effect {
      case .storeAssignment(let experiment, let variant):
        change.assignments.append((experiment, variant))
      case .recordOccurrence(let limit): change.occurrences.append(limit.key)
      case .confirmAssignment, .fireTrigger: break
      }
    }
    let isEmpty = change.assignments.isEmpty && change.occurrences.isEmpty
    return isEmpty && question == nil ? nil : change
  }
}
