internal import Expressions
public import SDK

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests with Foundation's `URLSession`.
public struct URLSessionTransport: Transport {
  private let session: URLSession
  private let agentWallie: String?

  /// - Parameter agentWallie: the address of AgentWallie's server, such as
  ///   `https://wallie.example.com`, for apps that have one.
  public init(session: URLSession = .shared, agentWallie: String? = nil) {
    self.session = session
    self.agentWallie = agentWallie
  }

  public func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    guard let urlRequest = urlRequest(request) else {
      throw .network("there is no address for \(request.host.rawValue)\(request.path)")
    }
    do {
      let (data, response) = try await session.data(for: urlRequest)
      guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      return BackendResponse(status: response.statusCode, body: Array(data))
    } catch let error as URLError where error.code == .timedOut {
      throw .timeout
    } catch {
      throw .network(error.localizedDescription)
    }
  }

  /// The request for Foundation, for an app's own transport; nil if the server's address is unknown.
  public func urlRequest(_ request: BackendRequest) -> URLRequest? {
    guard let base = base(request.host, request.environment),
      var components = URLComponents(string: base)
    else { return nil }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;"))
    for segment in request.segments {
      let encoded = segment.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
      components.percentEncodedPath += "/" + encoded
    }
    if !request.query.isEmpty {
      components.queryItems = request.query.map { URLQueryItem(name: $0.name, value: $0.value) }
    }
    guard let url = components.url else { return nil }
    var urlRequest = URLRequest(url: url)
    urlRequest.httpMethod = request.method.rawValue
    for header in request.headers {
      urlRequest.setValue(header.value, forHTTPHeaderField: header.name)
    }
    urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
    urlRequest.httpBody = request.body.map { Data($0.json.utf8) }
    return urlRequest
  }

  /// The address of a server of the contract.
  private func base(_ host: BackendRequest.Host, _ environment: NetworkEnvironment) -> String? {
    switch (environment, host) {
    case (.custom(let address), _): address
    case (_, .agentWallie): agentWallie
    case (.local, .subscriptions): "http://localhost:3045"
    case (.local, _): "http://localhost:3000"
    case (.developer, .subscriptions): "https://subscriptions-api.superwall.dev"
    case (_, .subscriptions): "https://subscriptions-api.superwall.com"
    case (_, let host):
      "https://\(host == .collector ? "collector" : "api").\(domain(environment))"
    }
  }

  private func domain(_ environment: NetworkEnvironment) -> String {
    switch environment {
    case .releaseCandidate: "superwallcanary.com"
    case .developer: "superwall.dev"
    default: "superwall.me"
    }
  }
}
