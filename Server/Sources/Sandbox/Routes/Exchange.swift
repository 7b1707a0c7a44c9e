internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Service

/// An authorized request: its application and its contents.
struct Exchange: Sendable {
  let application: SandboxApplication
  let request: Request
  let parameters: [String: String]
  let body: Value
  /// Whether the admin's request is for the whole server.
  var isForServer = false

  /// The application whose data the request changes, or nil for all applications.
  var scope: String? { isForServer ? nil : application.id }

  /// A part of the path, percent-decoded.
  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  func query(_ name: String) -> String? {
    request.uri.queryParameters[name[...]].map(String.init)
  }

  /// A number in the query.
  func number(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> Int? {
    guard let text = query(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .badRequest(
        "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The value of a header, or nil if the header is missing or empty.
  func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { request.headers[$0] }.flatMap { $0.isEmpty ? nil : $0 }
  }

  var identity: Identity {
    Identity(
      user: header("X-App-User-ID"), alias: header("X-Alias-ID"), vendor: header("X-Vendor-ID"))
  }

  // MARK: Members of the body

  /// A required string that is not empty.
  func text(_ name: String, atMost bytes: Int = mostBytes) throws(ServiceError) -> String {
    guard let text = try optionalText(name, atMost: bytes) else {
      throw invalid("'\(name)' is missing")
    }
    return text
  }

  /// The maximum length of names, IDs and addresses, because they are stored.
  static let mostBytes = 1_000

  /// A string, or nil if it is missing, null or empty.
  func optionalText(_ name: String, atMost bytes: Int = mostBytes) throws(ServiceError) -> String? {
    guard let value = body[name], value != .null else { return nil }
    guard let text = value.text else {
      throw invalid("'\(name)' is \(value.kindInJSON), not a string")
    }
    return try Self.checked(text.isEmpty ? nil : text, name, atMost: bytes)
  }

  /// Checks that a string can be stored. SQLite ends strings at U+0000, so two strings could become one.
  static func checked(_ text: String?, _ name: String, atMost bytes: Int = mostBytes)
    throws(ServiceError) -> String?
  {
    guard let text else { return nil }
    guard text.utf8.count <= bytes else { throw invalid("'\(name)' has more than \(bytes) bytes") }
    guard !text.utf8.contains(0) else { throw invalid("'\(name)' holds the character U+0000") }
    return text
  }

  /// The number of elements of one request that are written together, while other requests wait.
  static let mostElements = 10_000

  func list(_ name: String) throws(ServiceError) -> [Value] {
    guard let value = body[name] else { throw invalid("'\(name)' is missing") }
    guard let elements = value.elements else {
      throw invalid("'\(name)' is \(value.kindInJSON), not a list")
    }
    guard elements.count <= Self.mostElements else {
      throw invalid("'\(name)' has more than \(Self.mostElements) elements; send them in parts")
    }
    return elements
  }
}

func invalid(_ message: String) -> ServiceError {
  ServiceError(.badRequest, "invalid_body", message)
}

/// The answer of an endpoint.
struct Answer: Sendable {
  var status: HTTPResponse.Status = .ok
  var json: [UInt8]
  var headers: HTTPFields = [:]

  init(_ value: Value, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    self.init(json: Array(value.json.utf8), status: status, headers: headers)
  }

  init(json: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    (self.json, self.status, self.headers) = (json, status, headers)
  }
}

/// A route of the sandbox.
struct Endpoint: Sendable {
  /// How a request identifies its application.
  enum Access: Sendable {
    /// `Authorization: Bearer KEY`, with the application's public or secret key.
    case key
    /// The public key in the query as `pk`, otherwise as a bearer.
    case queryKey
    /// AgentWallie's key in the path as `key`.
    case pathKey
    /// The application's secret key, or the server's admin token.
    case owner
    /// The application's secret key, or the server's admin token, which without an application is for the whole server.
    case ownerOrServer
    /// No key: the path identifies the application whose artifact is read.
    case open
  }

  /// The parameter for the rest of a path whose route ends with `**`, not decoded.
  static let rest = "**"

  typealias Handler = @Sendable (Exchange) async throws -> Answer

  var method: HTTPRequest.Method
  var path: String
  /// The route, if it differs from the path.
  var route: String?
  var access: Access
  /// Whether a request without a body is rejected.
  var needsBody = true
  var run: Handler

  /// Whether an application's faults apply here. Faults do not apply in the console, where they are removed, or if the
  /// request does not identify its application.
  var hasFaults: Bool { !path.hasPrefix(SandboxBackend.console + "/") && access != .open }

  static func get(_ path: String, _ access: Access, _ run: @escaping Handler) -> Endpoint {
    Endpoint(method: .get, path: path, access: access, run: run)
  }

  static func post(
    _ path: String, _ access: Access, needsBody: Bool = true, _ run: @escaping Handler
  ) -> Endpoint {
    Endpoint(method: .post, path: path, access: access, needsBody: needsBody, run: run)
  }
}
