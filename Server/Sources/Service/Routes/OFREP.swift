internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Requests
internal import RuleEngine

/// OpenFeature's remote evaluation protocol over placements. A flag is a placement: its string value is
/// the identifier of the paywall, the variant is that of the experiment. `NAME.outcome` is the same as an
/// object, the outcome line. Where no paywall is to be shown there is no value, so that the client takes
/// its default.
struct OFREP: Sendable {
  let service: DecisionService

  private static let outcome = ".outcome"

  func add(to router: Router<ServiceContext>) {
    router.post("/ofrep/v1/evaluate/flags/:key") { request, context in
      try await one(request, key: context.parameters.get("key") ?? "")
    }
    router.post("/ofrep/v1/evaluate/flags") { request, _ in try await all(request) }
  }

  // MARK: Requests

  private func one(_ request: Request, key: String) async throws -> Response {
    let (application, _) = try service.application(request, for: .decide)
    let key = key.removingPercentEncoding ?? key
    let config = application.current
    let isObject = key.hasSuffix(Self.outcome) && config.ruleSet.placement(named: key) == nil
    let placement = isObject ? String(key.dropLast(Self.outcome.count)) : key
    guard config.ruleSet.placement(named: placement) != nil else {
      let hint = config.ruleSet.hint(forPlacement: placement, in: config.prepared.config)
      return failure(.notFound, key, "FLAG_NOT_FOUND", hint)
    }
    let record: [UInt8]
    switch try await self.record(request) {
    case .failure(let fault): return failure(.badRequest, key, fault.code, fault.message)
    case .success(let bytes): record = bytes
    }
    do throws(RequestError) {
      let lines = try lines(record, [placement], application, config)
      return Response(json: flag(key, lines[0], isObject: isObject))
    } catch {
      return failure(.badRequest, key, "INVALID_CONTEXT", error.message)
    }
  }

  private func all(_ request: Request) async throws -> Response {
    let (application, _) = try service.application(request, for: .decide)
    let config = application.current
    let record: [UInt8]
    switch try await self.record(request) {
    case .failure(let fault): return failure(.badRequest, nil, fault.code, fault.message)
    case .success(let bytes): record = bytes
    }
    let names = config.ruleSet.placementNames
    let lines: [Value]
    do throws(RequestError) { lines = try self.lines(record, names, application, config) } catch {
      return failure(.badRequest, nil, "INVALID_CONTEXT", error.message)
    }
    let flags = zip(names, lines).flatMap { name, line in
      [flag(name, line, isObject: false), flag(name + Self.outcome, line, isObject: true)]
    }
    let body = Array(Value.object(["flags": .list(flags)]).json.utf8)
    let tag = "\"\(LoadedConfig.hash(of: body).prefix(32))\""
    let known = request.headers[.ifNoneMatch]?.split(separator: ",")
      .map { $0.trimmingPrefix { $0 == " " } }
    if let known, known.contains(where: { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }) {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    return Response(json: body, headers: [.eTag: tag])
  }

  // MARK: Contexts

  private struct Fault: Error {
    var code: String
    var message: String
  }

  /// The user record of an evaluation context: `targetingKey` is the user, the objects `user`, `device`
  /// and `params` are attributes, and everything else is an attribute of the user.
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
    var user: [Value.Entry] = []
    let ours = UserMember.allCases.map(\.key)
    for (name, value) in members where name != "targetingKey" && name != UserMember.userID.key {
      if name == UserMember.user.key, case .map(let attributes) = value {
        user += attributes
      } else if ours.contains(name) {
        entries.append(.init(key: .string(name), value: value))
      } else {
        user.append(.init(key: .string(name), value: value))
      }
    }
    if !user.isEmpty { entries.append(.init(key: .string(UserMember.user.key), value: .map(user))) }
    return .success(Array(Value.map(entries).json.utf8))
  }

  // MARK: Answers

  private func lines(
    _ record: [UInt8], _ placements: [String], _ application: ServedApplication,
    _ config: LoadedConfig
  ) throws(RequestError) -> [Value] {
    var request = DecideRequest()
    request.placements = placements
    let bytes = try service.decide(record, request, application, config)
    return (try? Value.parse(json: bytes))?["decisions"]?.elements ?? []
  }

  private func flag(_ key: String, _ line: Value, isObject: Bool) -> Value {
    let result = line["result"]
    let variant = result?["experiment"]?["variant"]
    let hasPaywall = line["paywall"]?.text != nil
    let reason =
      switch result?["result"]?.text {
      case "paywall": "TARGETING_MATCH"
      case "holdout": "SPLIT"
      case "error": "ERROR"
      default: "DEFAULT"
      }
    let value = isObject ? line : line["paywall"] ?? .null
    return .members([
      "key": .string(key), "value": hasPaywall || isObject && reason == "SPLIT" ? value : nil,
      "reason": .string(reason),
      // Clients read it whether there is an experiment or not.
      "variant": variant?["id"] ?? result?["result"],
      "metadata": .members([
        "placement": line["placement"],
        "audience": line["audience"]?.wholeNumber.map { .int(Int64($0)) },
        "result": result?["result"], "experiment": result?["experiment"]?["id"],
        "kind": variant?["type"],
      ]),
    ])
  }

  private func failure(
    _ status: HTTPResponse.Status, _ key: String?, _ code: String, _ message: String
  ) -> Response {
    Response(
      json: .members([
        "key": key.map { .string($0) }, "errorCode": .string(code),
        "errorDetails": .string(message),
      ]), status: status)
  }
}
