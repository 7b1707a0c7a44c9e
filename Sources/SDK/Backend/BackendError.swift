/// Why a backend call came to nothing (decision D23).
package enum BackendError: Error, Hashable, Sendable {
  case network(String)
  case timeout
  /// 401 or 403: the public key is not accepted.
  case unauthorized
  case notFound
  /// Another status that is not a success.
  case http(Int)
  /// 5xx.
  case internalError(Int)
  /// A success that does not read as the contract says.
  case decoding(String)

  /// Whether the same request may succeed later: no answer, 5xx, and the statuses that say so.
  var isTransient: Bool {
    switch self {
    case .network, .timeout, .internalError: true
    case .http(let status): [408, 425, 429, 499].contains(status)
    case .unauthorized, .notFound, .decoding: false
    }
  }

  /// The error of a status, or nil for a success.
  init?(status: Int) {
    switch status {
    case 200..<300: return nil
    case 401, 403: self = .unauthorized
    case 404: self = .notFound
    case 500...: self = .internalError(status)
    default: self = .http(status)
    }
  }

  init(_ failure: TransportFailure) {
    switch failure {
    case .network(let text): self = .network(text)
    case .timeout: self = .timeout
    }
  }

  /// For a person.
  package var message: String {
    switch self {
    case .network(let text): "the network failed: \(text)"
    case .timeout: "the backend did not answer in time"
    case .unauthorized: "the backend does not accept the public key"
    case .notFound: "the backend has no such resource"
    case .http(let status): "the backend answered with status \(status)"
    case .internalError(let status): "the backend failed with status \(status)"
    case .decoding(let text): "the answer cannot be read: \(text)"
    }
  }
}
