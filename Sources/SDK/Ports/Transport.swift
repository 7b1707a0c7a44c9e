package import Expressions

/// A request to a backend, before anybody knows where that is.
package struct HTTPRequest: Hashable, Sendable {
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// The servers of the contract; a transport knows their addresses.
  package enum Host: String, Hashable, Sendable {
    case api
    case subscriptions
    case collector
    case agentWallie
  }

  /// A header, or an item of the query.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var method: Method
  package var host: Host
  /// Which servers are meant.
  package var environment = NetworkEnvironment.release
  /// The parts of the path between slashes, not percent-encoded: one may have slashes of its own.
  package var segments: [String]
  /// Begins with a slash, as people write it.
  package var path: String { "/" + segments.joined(separator: "/") }
  package var query: [Field]
  package var headers: [Field]
  package var body: Value?

  /// - Parameter path: begins with a slash; each further slash begins a segment.
  package init(
    _ method: Method, host: Host = .api, _ path: String, query: [Field] = [],
    headers: [Field] = [], body: Value? = nil
  ) {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    self.init(
      method, host: host, segments: segments.map(String.init), query: query, headers: headers,
      body: body)
  }

  package init(
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

/// A backend's answer, whatever its status.
package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  package var body: [UInt8]

  package init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }
}

/// There is no answer.
package enum TransportFailure: Error, Hashable, Sendable {
  case network(String)
  case timeout
}

/// Sends requests. It does not retry and sets no limits of time: the SDK does both, on its clock.
package protocol Transport: Sendable {
  func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse
}
