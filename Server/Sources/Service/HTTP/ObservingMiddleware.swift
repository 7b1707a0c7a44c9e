internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Counts requests, and logs each at the level `debug`. Bodies, headers and queries are never logged, because they
/// contain keys and attributes of users.
struct ObservingMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let metrics: ServiceMetrics
  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let response = try await next(request, context)
    let passed = (ContinuousClock.now - start).components
    let seconds = Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    // A path without a route could be anything.
    let route = context.endpointPath ?? "(none)"
    let isKnown = Self.methods.contains(request.method)
    metrics.answered(
      method: isKnown ? request.method.rawValue : "(other)", path: route,
      status: response.status.code, seconds: seconds)
    context.logger.debug(
      "answered",
      metadata: [
        "method": "\(request.method)", "route": "\(route)", "status": "\(response.status.code)",
      ])
    return response
  }
}
