internal import Crypto
internal import Expressions
internal import HTTPTypes
package import Hummingbird

/// The known keys. Only their hashes are stored, and looking up a key takes the same time for every key.
package struct Access: Sendable {
  private struct Key: Sendable {
    var digest: [UInt8]
    var caller: Caller
  }

  private let keys: [Key]

  package init(_ fixtures: Fixtures, adminToken: String?) {
    var keys = fixtures.applications.flatMap { application in
      // Debuggers of apps have their own key, with the permissions of the public key.
      let open = [application.publicKey] + (application.entry["debugKey"]?.text.map { [$0] } ?? [])
      return open.map {
        Key(digest: Self.digest($0), caller: .app(application: application.id))
      } + [
        Key(
          digest: Self.digest(application.secretKey), caller: .owner(application: application.id))
      ]
    }
    if let adminToken { keys.append(Key(digest: Self.digest(adminToken), caller: .admin)) }
    self.keys = keys
  }

  /// The caller with a key, or nil for an unknown key.
  package func caller(_ key: String) -> Caller? {
    let digest = Self.digest(key)
    var found: Caller?
    for known in keys where Self.isSame(known.digest, digest) { found = known.caller }
    return found
  }

  /// The caller of a request, from `Authorization: Bearer KEY` or, as OpenFeature clients send it, `X-API-Key: KEY`.
  package func caller(_ request: Request) throws(ServiceError) -> Caller {
    guard request.headers[.authorization] == nil, let key = request.headers[Self.keyHeader] else {
      return try caller(authorization: request.headers[.authorization])
    }
    guard let caller = caller(key) else { throw .unknownKey }
    return caller
  }

  private static let keyHeader = HTTPField.Name("X-API-Key")!

  /// The caller of an `Authorization` header.
  package func caller(authorization header: String?) throws(ServiceError) -> Caller {
    guard let header else { return .nobody }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw .unauthorized
    }
    guard let caller = caller(String(parts[1].drop { $0 == " " })) else {
      throw .unknownKey
    }
    return caller
  }

  private static func digest(_ key: String) -> [UInt8] { Array(SHA256.hash(data: Array(key.utf8))) }

  /// Compares all bytes, even after the first difference.
  private static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
  }
}

extension Caller {
  /// The application of a key, or nil for a key for all applications or for no application.
  package var application: String? {
    switch self {
    case .app(let id), .owner(let id): id
    case .nobody, .admin: nil
    }
  }

  /// The name in an audit entry.
  package var name: String {
    switch self {
    case .nobody: "nobody"
    case .app(let id): "app of application \(id)"
    case .owner(let id): "owner of application \(id)"
    case .admin: "admin"
    }
  }
}
