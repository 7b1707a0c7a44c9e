internal import HTTPTypes

/// The reason why PostgreSQL did not carry out an operation. The fault contains nothing of the address, the statement
/// or the data, so that it can be logged and returned to clients.
struct PostgresFault: Error, Hashable, CustomStringConvertible {
  enum Kind: String, Sendable {
    case unreachable = "the database cannot be reached"
    case refusedLogin = "the database rejects the user or the password"
    case missing = "the database or the role does not exist"
    case untrusted = "the TLS connection to the database failed; check sslmode and the certificates"
    case tooMany = "the database has no free connections"
    case starting = "the database is starting or stopping"
    case readOnly = "the database is read-only"
    case full = "the database has no space or memory left"
    case timedOut = "the database did not answer in time"
    case busy = "all connections to the database are in use"
    case locked = "the data is locked by another transaction"
    case forbidden = "the role lacks a privilege in the database"
    case failed = "the database rejected a statement"
  }

  var kind: Kind
  /// The SQLSTATE code; nil if the server did not answer.
  var state: String?
  /// Whether statements were sent before the connection was lost, so that a transaction may be committed.
  var isInDoubt = false

  init(_ kind: Kind, state: String? = nil) {
    self.kind = kind
    self.state = state
  }

  /// Creates the fault of a failed statement.
  init(state: String) {
    let kind: Kind =
      switch state.prefix(2) {
      case "08": .unreachable
      case "53": state == "53300" ? .tooMany : .full
      case "57": state == "57014" ? .timedOut : .starting
      case "25": state == "25006" ? .readOnly : .failed
      case "28": .refusedLogin
      case "40": .locked
      case "42": state == "42501" ? .forbidden : .failed
      case "55": state == "55P03" ? .locked : .failed
      case "58", "XX": .full
      default: .failed
      }
    self.init(kind, state: state)
  }

  /// Creates the fault of a failed attempt to connect. libpq has no code for this, so its message is searched, and then
  /// dropped because it names the host.
  init(connecting message: String) {
    let kinds: [(String, Kind)] = [
      ("authentication failed", .refusedLogin), ("no password supplied", .refusedLogin),
      ("no pg_hba.conf entry", .refusedLogin), ("password", .refusedLogin),
      ("does not exist", .missing), ("certificate", .untrusted), ("SSL", .untrusted),
      ("too many", .tooMany), ("remaining connection slots", .tooMany), ("starting up", .starting),
      ("shutting down", .starting), ("recovery mode", .starting), ("read-only", .readOnly),
      ("not writable", .readOnly),
    ]
    self.init(kinds.first { message.contains($0.0) }?.1 ?? .unreachable)
  }

  /// Whether the connection can no longer be used.
  var endsConnection: Bool {
    switch kind {
    case .unreachable, .starting, .timedOut: state != "57014"
    // Another server may accept changes.
    case .readOnly: true
    default: state == nil
    }
  }

  var description: String { kind.rawValue + (state.map { " (SQLSTATE \($0))" } ?? "") }

  /// The error to return for the request; nil for an internal error of the service.
  var answer: ServiceError? {
    guard kind != .failed, kind != .forbidden else { return nil }
    return ServiceError(
      .serviceUnavailable, kind == .locked ? "state_locked" : ServiceError.databaseUnavailable,
      "\(kind.rawValue); try again", headers: [.retryAfter: "1"])
  }
}

extension ServiceError {
  /// The code of the error if a store does not answer.
  static let databaseUnavailable = "database_unavailable"
}
