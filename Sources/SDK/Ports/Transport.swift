public import Expressions

/// A request to a backend, without the backend's address.
public struct BackendRequest: Hashable, Sendable {
  /// The HTTP methods that the SDK uses.
  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// A server of the backend. The transport knows the server's address.
  public enum Host: String, Hashable, Sendable {
    case api
    case subscriptions
    case collector
    case agentWallie
  }

  /// A header, or an item of the query.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var method: Method
  public var host: Host
  /// The servers to use.
  public var environment = NetworkEnvironment.release
  /// The path's components, without percent-encoding. A component may contain slashes.
  public var segments: [String]
  /// The path as a string, with a leading slash.
  public var path: String { "/" + segments.joined(separator: "/") }
  public var query: [Field]
  public var headers: [Field]
  public var body: Value?

  /// Creates a request from a path that begins with a slash. Each further slash begins a new component.
  public init(
    _ method: Method, host: Host = .api, _ path: String, query: [Field] = [],
    headers: [Field] = [], body: Value? = nil
  ) {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    self.init(
      method, host: host, segments: segments.map(String.init), query: query, headers: headers,
      body: body)
  }

  public init(
    _ method: Method, host: Host, segments: [String], query: [Field] = [], headers: [Field] = [],
    body: Value? = nil
  ) {
    self.method = method
    self.host = host
    self.segments = segments
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// A backend's answer, with any status.
public struct BackendResponse: Hashable, Sendable {
  public var status: Int
  public var body: [UInt8]

  public init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }
}

/// The reason why there is no answer.
public enum TransportFailure: Error, Hashable, Sendable {
  case network(String)
  case timeout
}

/// Sends requests. A transport does not retry or time out, because the SDK does both with its own clock.
public protocol Transport: Sendable {
  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse
}
