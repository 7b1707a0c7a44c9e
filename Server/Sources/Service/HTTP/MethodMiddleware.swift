internal import Expressions
internal import HTTPTypes
internal import Hummingbird

/// The methods of each path of a server, for the answer to a request with another method.
final class KnownMethods: Sendable {
  private struct Route: Sendable {
    var parts: [Substring]
    var method: HTTPRequest.Method
  }

  private let routes = Locked<[Route]>([])

  /// Stores the routes of a router, after all of them have been added.
  func take(_ router: Router<ServiceContext>) {
    let known = router.routes.map { route in
      Route(parts: "\(route.path)".split(separator: "/"), method: route.method)
    }
    routes.withLock { $0 = known }
  }

  /// The methods of a path; none if the path does not exist.
  func methods(of path: String) -> [HTTPRequest.Method] {
    let parts = path.split(separator: "/")
    let found = routes.withLock { $0 }.filter { Self.isMatched($0.parts, parts) }
    // If a route has the path's literal name, routes with parameters do not count.
    let names = found.map { $0.parts.count { !Self.isAnything($0) } }
    var methods: [HTTPRequest.Method] = []
    for (route, count) in zip(found, names) where count == names.max() {
      if !methods.contains(route.method) { methods.append(route.method) }
      if route.method == .get, !methods.contains(.head) { methods.append(.head) }
    }
    return methods.sorted { $0.rawValue < $1.rawValue }
  }

  private static func isMatched(_ pattern: [Substring], _ path: [Substring]) -> Bool {
    if pattern.last == "**" {
      return path.count >= pattern.count
        && isMatched(pattern.dropLast(), Array(path.prefix(pattern.count - 1)))
    }
    return pattern.count == path.count
      && zip(pattern, path).allSatisfy { $0 == $1 || isAnything($0) }
  }

  private static func isAnything(_ part: Substring) -> Bool {
    part == "**" || part.hasPrefix("{") || part.hasPrefix(":")
  }
}

/// Answers requests whose path exists but whose method does not.
struct MethodMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let known: KnownMethods

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let methods = known.methods(of: request.uri.path)
      guard !methods.isEmpty, !methods.contains(request.method) else { throw error }
      let names = (methods + [.options]).map(\.rawValue).joined(separator: ", ")
      if request.method == .options {
        return Response(status: .noContent, headers: [.allow: names])
      }
      throw ServiceError(
        .methodNotAllowed, "method_not_allowed",
        "\(request.uri.path) accepts \(names), not \(request.method)", headers: [.allow: names])
    }
  }
}
