internal import Expressions
internal import HTTPTypes
package import Hummingbird
internal import Requests

/// Adds the description of all routes, and the health check.
package func addDescription(to router: Router<ServiceContext>, of operations: [APIOperation]) {
  let description = Response(json: APIDescription.document(operations))
  router.get("/openapi.json") { _, _ in description }
  router.get("/healthz") { _, _ in Response(json: ["status": "ok"]) }
}

/// Adds the routes of the decision service.
package func addServiceRoutes(to router: Router<ServiceContext>, _ service: DecisionService) {
  let limits = service.options.limits
  addAbout(to: router, service)
  ConfigRoutes(service: service).add(to: router)
  UserRoutes(service: service).add(to: router)
  OFREP(service: service).add(to: router)
  router.post("/v1/decide") { request, _ in
    let (application, _) = try service.application(request, for: .decide)
    // A request is decided with one config, even if another config is published in the meantime.
    let config = application.current
    let body = try await request.bytes(limits)
    let answer = try await service.decide(body, application, config)
    var headers = HTTPFields(version: answer.version)
    if answer.isWithoutState { headers[.withoutState] = "true" }
    return Response(json: answer.bytes, headers: headers)
  }
  router.post("/v1/decide/stream") { request, context in
    let (application, _) = try service.application(request, for: .decide)
    try request.refuseEncodings()
    let stream = try DecisionStream(request, service, application, context.traceMembers)
    var headers = HTTPFields(version: stream.config.number)
    headers[.contentType] = "application/x-ndjson"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        try await stream.run(request.body, &writer)
        try await writer.finish(nil)
      })
  }
  router.post("/v1/superscript/evaluate") { request, _ in
    _ = try service.application(request, for: .decide)
    let context = try JSONRequest(try await request.bytes(limits), nesting: limits.nesting)
    return Response(json: try SuperscriptEvaluation.answer(context.value))
  }
  // Long operations run on their own threads.
  for question in PreparedConfig.Question.allCases {
    router.post(RouterPath("/v1/\(question)")) { request, _ in
      let (application, _) = try service.application(request, for: .decide)
      let config = application.current.prepared
      let bytes = try await request.bytes(limits)
      let body = try JSONRequest(bytes, nesting: limits.nesting)
      var stored = StoredState()
      var headers: HTTPFields = [:]
      if question == .explain, let user = PreparedConfig.userID(ofExplain: body) {
        let found = try await service.storedState(of: user, application)
        stored = found.state
        if found.isWithoutState { headers[.withoutState] = "true" }
      }
      return Response(
        json: try await Background.run { [stored] in
          try config.answer(question, body, stored: stored)
        }, headers: headers)
    }
  }
}

/// Adds the routes about the service itself.
private func addAbout(to router: Router<ServiceContext>, _ service: DecisionService) {
  router.get("/readyz") { _, _ in
    var hasState = true
    do {
      try await StateDeadline.within(service.options.storePatience) {
        try await service.store.check()
      }
    } catch {
      hasState = false
      if service.options.withoutState == .refuse {
        throw ServiceError(
          .serviceUnavailable, "not_ready",
          (error as? ServiceError)?.message ?? "the database does not answer",
          details: service.configAge.map { [.init(key: "configAgeSeconds", value: .double($0))] }
            ?? [], headers: [.retryAfter: "1"])
      }
    }
    return Response(
      json: .members([
        "status": "ready", "withoutState": hasState ? nil : .bool(true),
        "configs": .map(
          service.applications.map {
            .init(key: .string($0.id), value: .int(Int64($0.current.number)))
          }),
        "configAgeSeconds": service.configAge.map { .double($0) },
      ]))
  }
  router.get("/metrics") { _, _ in
    let text = service.metrics.text(
      versions: service.applications.map { ($0.id, $0.current.number) },
      configAge: service.configAge, store: service.store.figures)
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: .init(byteBuffer: .init(string: text)))
  }
}
