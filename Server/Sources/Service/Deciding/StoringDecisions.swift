internal import Expressions
internal import Foundation
internal import GRDB
internal import HTTPTypes
internal import Requests
internal import RuleEngine

/// Deciding with what is stored of users (`--state sqlite`), and storing what follows.
extension DecisionService {
  /// How often a request is decided again because the user's stored state has changed meanwhile.
  private static let mostAttempts = 8

  /// What is stored of a user; nothing on a server that stores nothing.
  func storedState(of user: String, _ application: ServedApplication) async throws -> StoredState {
    guard options.keepsState, !user.utf8.contains(0) else { return StoredState() }
    return try await state.stored(of: user, request: nil, in: application.id).user
  }

  /// Decides with the stored state, and stores what follows. A request ID has its effects once: a repeated
  /// request gets the same answer.
  ///
  /// The state is read, then decided by, and written if it is still the same: deciding blocks no writer.
  func decideAndStore(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> (bytes: [UInt8], version: Int) {
    let storing = try Storing(body, request, application, config, options)
    for _ in 0..<Self.mostAttempts {
      let stored = try await state.stored(
        of: storing.user, request: request.requestID, in: application.id)
      if let known = try storing.earlierAnswer(stored) { return known }
      let answer = try storing.decide(stored)
      if let change = storing.change(answer) {
        let isStored = try await state.store(
          change, of: storing.user, request: request.requestID, in: application.id,
          ifStill: stored)
        guard isStored else { continue }
      }
      return (count(answer, application), config.number)
    }
    // Others were faster every time.
    return try await state.exclusively { [self] database in
      try decideAndStore(storing, application, database)
    }
  }

  /// The same for several requests, one after the other, in one transaction.
  func decideAndStore(
    _ requests: [(body: [UInt8], request: DecideRequest)], _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> [Result<[UInt8], ServiceError>] {
    let options = options
    return try await state.exclusively { [self] database in
      try requests.map { body, request in
        do {
          let storing = try Storing(body, request, application, config, options)
          return .success(try decideAndStore(storing, application, database).bytes)
        } catch let error as ServiceError {
          return .failure(error)
        } catch let error as RequestError {
          return .failure(ServiceError(error))
        }
      }
    }
  }

  private func decideAndStore(
    _ storing: Storing, _ application: ServedApplication, _ database: Database
  ) throws -> (bytes: [UInt8], version: Int) {
    let request = storing.request.requestID
    let stored = try StateStore.stored(
      of: storing.user, request: request, in: application.id, database)
    if let known = try storing.earlierAnswer(stored) { return known }
    let answer = try storing.decide(stored)
    if let change = storing.change(answer) {
      try StateStore.store(
        change, of: storing.user, request: request, in: application.id, database)
    }
    return (count(answer, application), storing.config.number)
  }
}

/// One request that is decided with the stored state.
private struct Storing: Sendable {
  let body: [UInt8]
  let request: DecideRequest
  let config: LoadedConfig
  let user: String
  private let keptRequests: Int64
  private let question: Data?

  init(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig, _ options: ServiceOptions
  ) throws(ServiceError) {
    self.body = body
    self.request = request
    self.config = config
    keptRequests = options.keptRequests
    // A record without an ID is refused when it is decided.
    user = body.withUnsafeBufferPointer { try? UserRecordReader.subject(of: $0) } ?? ""
    guard !user.utf8.contains(0) else {
      throw .badRequest("the user's ID holds the character U+0000, and cannot be stored")
    }
    question = request.requestID.map { _ in Data(LoadedConfig.hash(of: body).utf8) }
  }

  /// The answer that the request was given before; nil for a new one.
  func earlierAnswer(_ stored: StateStore.Stored) throws(ServiceError) -> (
    bytes: [UInt8], version: Int
  )? {
    guard let known = stored.answer else { return nil }
    guard known.question == question else {
      throw ServiceError(
        .conflict, "request_id_reused",
        "the request ID '\(request.requestID ?? "")' was another question; take a new one for each")
    }
    return (Array(known.bytes), known.version ?? config.number)
  }

  func decide(_ stored: StateStore.Stored) throws(RequestError) -> DecidedAnswer {
    let body = stored.user.appended(to: body)
    return try DecidedAnswer(wantsEffects: request.records ?? true) { (each) throws(RequestError) in
      try config.prepared.decide(body, request, each: each)
    }
  }

  /// What the answer changes; nil for nothing.
  func change(_ answer: DecidedAnswer) -> StateStore.Change? {
    guard question != nil || answer.effects.contains(where: \.isStored) else { return nil }
    return StateStore.Change(
      effects: answer.effects, now: request.now ?? ServiceTime.now(),
      largestLimit: config.largestLimit,
      oldestAnswer: ServiceTime.now().milliseconds - keptRequests,
      answer: question.map {
        .init(question: $0, bytes: Data(answer.bytes), version: config.number)
      })
  }
}
