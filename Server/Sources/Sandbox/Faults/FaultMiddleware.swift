internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Service

/// Lets go wrong what a script says.
struct FaultMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let script: FaultScript

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    // The console stays as it is: it is where faults are taken back.
    guard !request.uri.path.hasPrefix(SandboxBackend.console + "/"),
      let fault = script.next(request.method.rawValue, request.uri.path)
    else { return try await next(request, context) }
    if fault.delay > 0 { try await Task.sleep(for: .milliseconds(fault.delay)) }
    if fault.drops {
      context.drop()
      throw CancellationError()
    }
    guard let status = fault.status else { return try await next(request, context) }
    let body =
      fault.body
      ?? ServiceError(.init(code: status), "fault", "this goes wrong on purpose").value
    return Response(json: body, status: .init(code: status))
  }
}
