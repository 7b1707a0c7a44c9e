internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Service

/// Lets go wrong what a script says of everybody.
struct FaultMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let script: FaultScript

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    // The console stays as it is: it is where faults are taken back.
    guard !request.uri.path.hasPrefix(SandboxBackend.console + "/"),
      let fault = script.next(request.method.rawValue, request.uri.path),
      let response = try await fault.happen(context)
    else { return try await next(request, context) }
    return response
  }
}

extension FaultScript.Fault {
  /// What is answered in the place of the right thing; nil where that is answered after all.
  func happen(_ context: ServiceContext) async throws -> Response? {
    if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
    if drops {
      context.drop()
      throw CancellationError()
    }
    guard let status else { return nil }
    // Which have no body: one would be read as the next answer.
    if status == 204 || status == 304 { return Response(status: .init(code: status)) }
    let body =
      body ?? ServiceError(.init(code: status), "fault", "this goes wrong on purpose").value
    return Response(json: body, status: .init(code: status))
  }
}
