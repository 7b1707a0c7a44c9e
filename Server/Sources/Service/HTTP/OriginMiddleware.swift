internal import HTTPTypes
internal import Hummingbird

/// Lets web pages of certain origins ask: cross-origin resource sharing.
struct OriginMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  /// Origins such as `https://example.com`, or `*`.
  let origins: [String]

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin], let allowed = allowed(origin) else {
      return try await next(request, context)
    }
    var response: Response
    if request.method == .options {
      response = Response(status: .noContent)
      response.headers[.accessControlAllowMethods] = "GET, POST, PUT, OPTIONS"
      response.headers[.accessControlAllowHeaders] =
        request.headers[.accessControlRequestHeaders] ?? "authorization, content-type"
      response.headers[.accessControlMaxAge] = "600"
    } else {
      response = try await next(request, context)
      response.headers[.accessControlExposeHeaders] = "etag, tollgate-config-version"
    }
    response.headers[.accessControlAllowOrigin] = allowed
    if allowed != "*" { response.headers.append(.init(name: .vary, value: "Origin")) }
    return response
  }

  private func allowed(_ origin: String) -> String? {
    if origins.contains("*") { return "*" }
    return origins.contains(origin) ? origin : nil
  }
}
