internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Requests
internal import RuleEngine

/// OpenFeature's remote evaluation protocol (OFREP 0.3) for placements. A placement has three flags:
///
/// - `NAME`, a string: the identifier of the paywall. If no paywall is shown, there is no value, and the client uses
///   its default.
/// - `NAME.shown`, a boolean: whether a paywall is shown.
/// - `NAME.outcome`, an object: the outcome line.
///
/// Evaluating flags stores nothing, but the stored state of the user applies.
struct OFREP: Sendable {
  let service: DecisionService

  /// The flags of a placement, by the suffix of their names.
  private enum Kind: String, CaseIterable {
    case paywall = ""
    case shown = ".shown"
    case outcome = ".outcome"
  }

  func add(to router: Router<ServiceContext>) {
    router.post("/ofrep/v1/evaluate/flags/:key") { request, context in
      try await one(request, context)
    }
    router.post("/ofrep/v1/evaluate/flags") { request, context in
      try await all(request, context)
    }
  }

  // MARK: Requests

  private func one(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let (application, _) = try service.application(request, for: .decide)
    let name = context.parameters.get("key") ?? ""
    let key = name.removingPercentEncoding ?? name
    func failure(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
      self.failure(status, key, code, message, context)
    }
    let config = application.current
    // The name of a placement may end like a flag of another placement.
    let kind =
      config.ruleSet.placement(named: key) != nil
      ? .paywall : Kind.allCases.last { key.hasSuffix($0.rawValue) } ?? .paywall
    let placement = String(key.dropLast(kind.rawValue.count))
    guard config.ruleSet.placement(named: placement) != nil else {
      let hint = config.ruleSet.hint(forPlacement: placement, in: config.prepared.config)
      return failure(.notFound, "FLAG_NOT_FOUND", hint)
    }
    let record: [UInt8]
    switch try await self.record(request) {
    case .failure(let fault): return failure(.badRequest, fault.code, fault.message)
    case .success(let bytes): record = bytes
    }
    do {
      let (lines, headers) = try await lines(record, [placement], application, config)
      if let message = problem(in: lines[0]) { return failure(.badRequest, "GENERAL", message) }
      return Response(json: flag(key, kind, lines[0]), headers: headers)
    } catch let error as RequestError {
      return failure(.badRequest, "INVALID_CONTEXT", error.message)
    }
  }

  private func all(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let (application, _) = try service.application(request, for: .decide)
    let config = application.current
    let record: [UInt8]
    switch try await self.record(request) {
    case .failure(let fault): return failure(.badRequest, nil, fault.code, fault.message, context)
    case .success(let bytes): record = bytes
    }
    let names = config.ruleSet.placementNames
    let lines: [Value]
    var headers: HTTPFields
    do {
      (lines, headers) = try await self.lines(record, names, application, config)
    } catch let error as RequestError {
      return failure(.badRequest, nil, "INVALID_CONTEXT", error.message, context)
    }
    let flags = zip(names, lines).flatMap { name, line in
      Kind.allCases.map { flag(name + $0.rawValue, $0, line) }
    }
    let body = Array(Value.object(["flags": .list(flags)]).json.utf8)
    let tag = "\"\(LoadedConfig.hash(of: body).prefix(32))\""
    let known = request.headers[.ifNoneMatch]?.split(separator: ",")
      .map { $0.trimmingPrefix { $0 == " " } }
    if let known, known.contains(where: { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }) {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    headers[.eTag] = tag
    return Response(json: body, headers: headers)
  }

  // MARK: Contexts

  private struct Fault: Error {
    var code: String
    var message: String
  }

  /// The user record of an evaluation context: `targetingKey` is the user, the objects `user`, `device` and `params`
  /// are attributes, and all other members are attributes of the user. An attribute in `user` takes precedence over an
  /// attribute with the same name outside `user`. On a server that trusts contexts, other members of user records are
  /// used too.
  private func record(_ request: Request) async throws -> Result<[UInt8], Fault> {
    let body: Value
    do {
      body = try await request.json(service.options.limits)
    } catch let error as ServiceError where error.status == .badRequest {
      return .failure(Fault(code: "PARSE_ERROR", message: error.message))
    }
    guard let members = body["context"]?.members else {
      return .failure(
        Fault(code: "INVALID_CONTEXT", message: "'context' is missing; it must be an object"))
    }
    guard let key = body["context"]?["targetingKey"]?.text, !key.isEmpty else {
      return .failure(
        Fault(code: "TARGETING_KEY_MISSING", message: "'context' has no 'targetingKey'"))
    }
    var entries: [Value.Entry] = [.init(key: "userId", value: .string(key))]
    var beside: [Value.Entry] = []
    var user: [Value.Entry] = []
    let trusted = service.options.trustsContexts ? UserMember.allCases : [.user, .device, .params]
    let ours = trusted.map(\.key)
    for (name, value) in members where name != "targetingKey" && name != UserMember.userID.key {
      if name == UserMember.user.key, case .map(let attributes) = value {
        user += attributes
      } else if ours.contains(name) {
        entries.append(.init(key: .string(name), value: value))
      } else {
        beside.append(.init(key: .string(name), value: value))
      }
    }
    // If a key is repeated, the last value counts.
    let own = Set(user.map(\.key))
    user = beside.filter { !own.contains($0.key) } + user
    if !user.isEmpty { entries.append(.init(key: .string(UserMember.user.key), value: .map(user))) }
    return .success(Array(Value.map(entries).json.utf8))
  }

  // MARK: Answers

  private func lines(
    _ record: [UInt8], _ placements: [String], _ application: ServedApplication,
    _ config: LoadedConfig
  ) async throws -> ([Value], HTTPFields) {
    var request = DecideRequest()
    request.placements = placements
    let user = record.withUnsafeBufferPointer { try? UserRecordReader.subject(of: $0) }
    let stored = try await service.storedState(of: user ?? "", application)
    let bytes = try service.decide(
      stored.state.appended(to: record), request, application, config)
    return (
      (try? Value.parse(json: bytes))?["decisions"]?.elements ?? [],
      stored.isWithoutState ? [.withoutState: "true"] : [:]
    )
  }

  private func flag(_ key: String, _ kind: Kind, _ line: Value) -> Value {
    // Clients ask for all flags with the tag of the last answer, so their errors do not name the trace.
    if let message = problem(in: line) { return failure(key, "GENERAL", message) }
    let result = line["result"]
    let variant = result?["experiment"]?["variant"]
    let hasPaywall = line["paywall"]?.text != nil
    let reason: String
    switch result?["result"]?.text {
    case "paywall": reason = "TARGETING_MATCH"
    case "holdout": reason = "SPLIT"
    // The protocol's schema has no DEFAULT.
    default: reason = "UNKNOWN"
    }
    let value: Value? =
      switch kind {
      case .shown: .bool(hasPaywall)
      case .paywall: hasPaywall ? line["paywall"] : nil
      case .outcome: hasPaywall || reason == "SPLIT" ? line : nil
      }
    return .members([
      "key": .string(key), "value": value, "reason": .string(reason),
      // Clients read `variant` even without an experiment.
      "variant": variant?["id"] ?? result?["result"],
      "metadata": .members([
        "placement": line["placement"],
        "audience": line["audience"]?.wholeNumber.map { .int(Int64($0)) },
        "result": result?["result"], "experiment": result?["experiment"]?["id"],
        "kind": variant?["type"],
      ]),
    ])
  }

  /// The reason why a placement could not be evaluated.
  private func problem(in line: Value) -> String? {
    guard line["result"]?["result"] == "error" else { return nil }
    return line["result"]?["error"]?.text ?? "the placement could not be evaluated"
  }

  private func failure(_ key: String?, _ code: String, _ message: String, metadata: Value? = nil)
    -> Value
  {
    .members([
      "key": key.map { .string($0) }, "errorCode": .string(code), "errorDetails": .string(message),
      "metadata": metadata,
    ])
  }

  private func failure(
    _ status: HTTPResponse.Status, _ key: String?, _ code: String, _ message: String,
    _ context: ServiceContext
  ) -> Response {
    let trace = context.traceMembers
    return Response(
      json: failure(key, code, message, metadata: trace.isEmpty ? nil : .map(trace)),
      status: status)
  }
}
