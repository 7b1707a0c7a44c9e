internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Service

/// Injects the faults of a script that apply to all requests.
struct FaultMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let script: FaultScript

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    // The console has no faults, because it is used to remove them.
    guard !request.uri.path.hasPrefix(SandboxBackend.console + "/"),
      let fault = script.next(request.method.rawValue, request.uri.path),
      let response = try await fault.happen(context)
    else { return try await next(request, context) }
    return response
  }
}

extension FaultScript.Fault {
  /// The response that replaces the correct response, or nil if the correct response is sent.
  func happen(_ context: ServiceContext) async throws -> Response? {
    if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
    if drops {
      context.drop()
      throw CancellationError()
    }
    guard let status else { return nil }
    // These statuses have no body. Clients would read a body as the next response.
    if status == 204 || status == 304 { return Response(status: .init(code: status)) }
    let body =
      body
      ?? ServiceError(.init(code: status), "fault", "this error was injected by the fault script")
      .value
    return Response(json: body, status: .init(code: status))
  }
}
