package import Expressions
package import HTTPTypes
package import Hummingbird
package import Requests

/// An error in a request, for programs and for people:
/// `{"error":{"code":"unknown_placement","message":".."}}`.
package struct ServiceError: HTTPResponseError, Hashable {
  package var status: HTTPResponse.Status
  /// The stable code of the error, in snake_case.
  package var code: String
  package var message: String
  /// Members of the error in addition to code and message.
  package var details: [Value.Entry]
  package var headers: HTTPFields

  package init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String,
    details: [Value.Entry] = [], headers: HTTPFields = [:]
  ) {
    self.headers = headers
    self.status = status
    self.code = code
    self.message = message
    self.details = details
  }

  package var value: Value {
    .object([
      "error": .map(
        [
          .init(key: "code", value: .string(code)), .init(key: "message", value: .string(message)),
        ] + details)
    ])
  }

  package func response(from request: Request, context: some RequestContext) throws -> Response {
    var error = self
    error.details += (context as? ServiceContext)?.traceMembers ?? []
    return Response(json: error.value, status: status, headers: headers)
  }
}

extension ServiceError {
  /// The error of a request, as a response.
  package init(_ error: RequestError) {
    let status: HTTPResponse.Status =
      switch error.kind {
      case .malformed, .request: .badRequest
      case .config: .unprocessableContent
      case .tooLarge: .contentTooLarge
      }
    self.init(status, error.code, error.message, details: error.details)
  }

  package static let unauthorized = ServiceError(
    .unauthorized, "unauthorized",
    "give a key of the application as 'Authorization: Bearer KEY'")

  package static let unknownKey = ServiceError(
    .unauthorized, "unauthorized", "the server does not know this key")

  package static let changedMeanwhile = ServiceError(
    .preconditionFailed, "changed_meanwhile",
    "the config has changed since you read it; read it again")

  /// - Parameter name: the record whose number another record already has.
  static func otherHistory(_ name: String) -> ServiceError {
    ServiceError(
      .conflict, "other_history",
      "\(name) is already different in the database; import before a server uses the database")
  }

  package static func notFound(_ message: String) -> ServiceError {
    ServiceError(.notFound, "not_found", message)
  }

  package static func badRequest(_ message: String) -> ServiceError {
    ServiceError(.badRequest, "bad_request", message)
  }
}
