internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Requests

/// Converts every error to JSON of one shape, and hides internal details.
package struct ErrorMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  package init() {}

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var response = try await answer(request, context, next)
    if response.status == .contentTooLarge || response.status == .requestTimeout {
      response.headers[.connection] = "close"
      let body = response.body
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        try await body.write(writer)
        context.end()
      }
    }
    // Clients would read any bytes after the headers as the next response.
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(
    _ request: Request, _ context: ServiceContext,
    _ next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as ServiceError {
      return try error.response(from: request, context: context)
    } catch let error as RequestError {
      return try ServiceError(error).response(from: request, context: context)
    } catch let error as HTTPError {
      return try plain(error, request).response(from: request, context: context)
    } catch is CancellationError {
      return try ServiceError(.serviceUnavailable, "stopping", "the server is stopping")
        .response(from: request, context: context)
    } catch let error as HTTPParserError {
      // The framework ends the connection. A client that left in the middle of a body needs no answer.
      throw error
    } catch let error where error is ChannelError || error is IOError {
      context.logger.debug(
        "a connection was lost", error: error,
        metadata: ["path": "\(context.endpointPath ?? request.uri.path)"])
      throw error
    } catch {
      context.logger.error(
        "a request failed", error: error,
        metadata: ["path": "\(context.endpointPath ?? request.uri.path)"])
      return try ServiceError(
        .internalServerError, "internal", "internal error; the server's log has the details"
      ).response(from: request, context: context)
    }
  }

  /// Converts an error of the framework to an error of the service.
  private func plain(_ error: HTTPError, _ request: Request) -> ServiceError {
    let path = request.uri.path
    switch error.status {
    case .notFound:
      return .notFound("there is nothing at \(request.method) \(path)")
    case .contentTooLarge:
      return ServiceError(.contentTooLarge, "body_too_large", "the body is too large")
    default:
      let code = error.status.reasonPhrase.lowercased().replacing(" ", with: "_")
      return ServiceError(error.status, code, error.body ?? error.status.reasonPhrase)
    }
  }
}
