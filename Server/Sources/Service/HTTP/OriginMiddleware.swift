internal import HTTPTypes
internal import Hummingbird

/// Allows requests from web pages of certain origins: cross-origin resource sharing.
struct OriginMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  /// Origins such as `https://example.com`, or `*`.
  let origins: [String]
  /// The prefixes of paths that pages of any origin may request if there are no origins.
  let openPaths: [String]

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin],
      let allowed = allowed(origin, request.uri.path)
    else {
      return try await next(request, context)
    }
    var response: Response
    // This is a preflight request. A plain OPTIONS request is answered as without an origin.
    if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
      response = Response(status: .noContent)
      response.headers[.accessControlAllowMethods] = "GET, POST, PUT, OPTIONS"
      response.headers[.accessControlAllowHeaders] =
        request.headers[.accessControlRequestHeaders] ?? "authorization, content-type"
      response.headers[.accessControlMaxAge] = "600"
      if request.headers[Self.asksPrivately] != nil {
        response.headers[Self.allowsPrivately] = "true"
      }
    } else {
      response = try await next(request, context)
      response.headers[.accessControlExposeHeaders] =
        "etag, retry-after, tollgate-config-version, x-request-id"
    }
    response.headers[.accessControlAllowOrigin] = allowed
    if allowed != "*" { response.headers.append(.init(name: .vary, value: "Origin")) }
    return response
  }

  /// Browsers send this header before a public web page accesses this machine.
  private static let asksPrivately = HTTPField.Name("Access-Control-Request-Private-Network")!
  private static let allowsPrivately = HTTPField.Name("Access-Control-Allow-Private-Network")!

  private func allowed(_ origin: String, _ path: String) -> String? {
    if origins.contains("*") { return "*" }
    if origins.isEmpty { return openPaths.contains { path.hasPrefix($0) } ? "*" : nil }
    return origins.contains(origin) ? origin : nil
  }
}
