internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Requests
internal import RuleEngine

/// The routes that change configs, `PUT /v1/config` and `POST /v1/config/rollback`, and that show their history.
struct ConfigRoutes: Sendable {
  let service: DecisionService

  func add(to router: Router<ServiceContext>) {
    router.get("/v1/config") { request, _ in
      let (application, _) = try service.application(request, for: .administer)
      // If the store does not answer, the config that decides on this server is returned.
      try? await inTime { try await application.refresh() }
      let config = application.current
      return Response(
        json: config.bytes, headers: HTTPFields(tagged: config))
    }
    router.put("/v1/config") { request, context in try await put(request, context) }
    router.post("/v1/config/rollback") { request, context in
      try await rollBack(request, context)
    }
    router.get("/v1/config/history") { request, _ in
      let (application, _) = try service.application(request, for: .administer)
      let versions = try await inTime {
        try await application.refresh()
        return try await service.store.versions(of: application.id, limit: 100)
      }
      return Response(
        json: .object([
          "current": .int(Int64(application.current.number)),
          "versions": .list(versions.map(\.value)),
        ]))
    }
    router.get("/v1/audit") { request, _ in
      let application = try service.administered(request)
      let asked = request.uri.queryParameters["limit"]
      guard let limit = asked == nil ? 100 : asked.flatMap({ Int($0) }), (1...1_000).contains(limit)
      else { throw ServiceError.badRequest("limit is 1 to 1000") }
      return Response(
        json: .object([
          "entries": .list(
            try await inTime {
              try await service.store.audit(of: application?.id, limit: limit).map(\.value)
            })
        ]))
    }
  }

  private func inTime<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await StateDeadline.within(service.options.storePatience, body)
  }

  /// The body is a config, or with `?dry-run` also `{"config":..,"users":[..]}`.
  private func put(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let (application, caller) = try service.application(request, for: .administer)
    var limits = service.options.limits
    limits.body *= 4
    var bytes = try await request.bytes(limits)
    var users = service.options.users
    let isDry = request.uri.queryParameters["dry-run"].map { $0 != "0" && $0 != "false" } ?? false
    if isDry, let body = try? JSONRequest(bytes, nesting: 512),
      let config = try body.config("config")
    {
      bytes = config
      users = try body.value.givenLines("users", of: "user records") ?? users
    }
    try await inTime { try await application.refresh() }
    let current = application.current
    let expected = request.headers[.ifMatch].flatMap { $0 == "*" ? nil : $0 }
    if let expected, expected != "\"\(current.hash)\"" { throw ServiceError.changedMeanwhile }
    let (given, known) = (bytes, users)
    let (text, difference) = try await Background.run {
      let text = try application.candidate(given)
      return (text, try application.difference(to: text, users: known))
    }
    let findings = Value.list(text.findings(file: "config"))
    if isDry {
      return Response(
        json: .object([
          "dryRun": true, "current": .int(Int64(current.number)),
          "diagnostics": findings, "diff": difference,
        ]))
    }
    let note = request.uri.queryParameters["note"].map { String($0.prefix(500)) }
    let loaded = try await inTime {
      try await application.put(
        text, by: caller.name, source: "api", note: note, detail: Self.summary(difference),
        after: expected == nil ? nil : current.number)
    }
    context.logger.info(
      "a config was published",
      metadata: [
        "application": "\(application.id)", "version": "\(loaded.number)", "by": "\(caller.name)",
      ])
    return Response(
      json: .object([
        "version": .int(Int64(loaded.number)), "sha256": .string(loaded.hash),
        "diagnostics": findings, "diff": difference,
      ]), headers: HTTPFields(tagged: loaded))
  }

  /// Restores the version in a body such as `{"version":3}`. Without a body, restores the version before the current
  /// version.
  private func rollBack(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let (application, caller) = try service.application(request, for: .administer)
    let body = try await request.bytes(service.options.limits)
    let named = body.isEmpty ? .map([]) : try Request.json(body, service.options.limits)
    guard let members = named.members, members.allSatisfy({ $0.key == "version" }) else {
      throw ServiceError.badRequest("the body must be an object with a 'version', or empty")
    }
    let asked = named["version"]
    if let asked, asked.wholeNumber == nil {
      throw ServiceError.badRequest("'version' must be the number of a version")
    }
    try await inTime { try await application.refresh() }
    let current = application.current
    var number = asked?.wholeNumber
    if number == nil {
      // A second rollback goes back further, instead of undoing the first rollback.
      number = try await service.store.version(
        before: current.number, hash: current.hash, of: application.id)
    }
    guard let number,
      let (version, bytes) = try await service.store.config(
        of: application.id, number: number, source: nil)
    else {
      throw ServiceError.notFound(
        number.map { "there is no version \($0)" } ?? "there is no other version to go back to")
    }
    let text = try await Background.run { try application.candidate(bytes, hasDecided: true) }
    let origin = version.origin ?? version.number
    let loaded = try await inTime {
      try await application.put(
        text, by: caller.name, source: "rollback", note: "back to version \(version.number)",
        // If the caller named no version, the current version must still be the version that the rollback was computed
        // from.
        after: asked == nil ? current.number : nil, origin: origin)
    }
    context.logger.info(
      "a config was rolled back",
      metadata: [
        "application": "\(application.id)", "version": "\(loaded.number)", "by": "\(caller.name)",
      ])
    return Response(
      json: .object([
        "version": .int(Int64(loaded.number)), "sameAs": .int(Int64(origin)),
        "sha256": .string(loaded.hash),
      ]))
  }

  /// A difference as one line for the audit log.
  private static func summary(_ difference: Value) -> String {
    let count = difference["changes"]?.elements?.count ?? 0
    let placements = difference["placements"]?.members ?? []
    let moved = placements.filter { _, value in
      (value["moved"]?.wholeNumber ?? 0) > 0 || value["verdict"]?.text == "differs"
    }.map(\.key)
    if moved.isEmpty { return "\(count) changes" }
    return
      "\(count) changes; some users get another outcome at \(moved.prefix(10).joined(separator: ", "))"
  }
}

extension HTTPFields {
  /// Creates headers with the number and the tag of a config.
  fileprivate init(tagged config: LoadedConfig) {
    self.init()
    self[.eTag] = "\"\(config.hash)\""
    self[.configVersion] = String(config.number)
  }

  /// Creates a header with the number of the config that decided.
  init(version: Int) {
    self.init()
    self[.configVersion] = String(version)
  }
}

extension HTTPField.Name {
  static let configVersion = Self("tollgate-config-version")!
  /// The header that is `true` if a request was decided without stored state.
  static let withoutState = Self("tollgate-without-state")!
}
