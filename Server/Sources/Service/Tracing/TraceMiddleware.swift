internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Tracing

/// Takes the header `traceparent` into logs, error answers and spans. Each request is a span, which ends with its
/// answer. Bodies, headers and queries are not recorded, because they contain keys and attributes of users.
struct TraceMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    var trace = InstrumentationContext.topLevel
    if let parent = request.headers[.traceparent].flatMap({ TraceParent($0) }) {
      context.traceParent = parent
      context.logger[metadataKey: "traceparent"] = "\(parent)"
      InstrumentationSystem.instrument.extract(
        request.headers, into: &trace, using: TraceHeaders())
    }
    let span = startSpan("\(request.method)", context: trace, ofKind: .server)
    guard span.isRecording else {
      defer { span.end() }
      return try await next(request, context)
    }
    return try await recorded(request, context, span, next)
  }

  private func recorded(
    _ request: Request, _ context: ServiceContext, _ span: any Span,
    _ next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    span.attributes["http.request.method"] = request.method.rawValue
    do {
      var response = try await InstrumentationContext.$current.withValue(span.context) {
        try await next(request, context)
      }
      if let route = context.endpointPath {
        span.operationName = "\(request.method) \(route)"
        span.attributes["http.route"] = route
      }
      span.attributes["http.response.status_code"] = Int64(response.status.code)
      if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
      // Streams are decided while they are written.
      let body = response.body
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        defer { span.end() }
        try await InstrumentationContext.$current.withValue(span.context) {
          try await body.write(writer)
        }
      }
      return response
    } catch {
      span.recordError(error)
      span.end()
      throw error
    }
  }
}

/// The headers of a request, as tracers read them.
private struct TraceHeaders: Extractor {
  func extract(key: String, from headers: HTTPFields) -> String? {
    HTTPField.Name(key).flatMap { headers[$0] }
  }
}
