internal import CivilTime
internal import Expressions

/// A transaction of the App Store as sent: header, payload and signature in base64.
struct SignedTransaction: Sendable {
  let header: Value
  let payload: Value
  /// The bytes that were signed.
  let signed: [UInt8]
  let signature: [UInt8]

  /// The maximum length of a valid string. Apple's transactions have about 4,000 characters.
  static let longest = 64 << 10

  init(_ text: String) throws(ReceiptFault) {
    guard text.utf8.count <= Self.longest else { throw .malformed("it is too long") }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("it does not have three parts") }
    guard let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed("a part is not base64url") }
    guard let header = try? Value.parse(json: header, nesting: 8), header.isObject else {
      throw .malformed("its header is not a JSON object")
    }
    guard let payload = try? Value.parse(json: payload, nesting: 16), payload.isObject else {
      throw .malformed("its payload is not a JSON object")
    }
    (self.header, self.payload, self.signature) = (header, payload, signature)
    signed = Array("\(parts[0]).\(parts[1])".utf8)
  }
}

/// The contents of a transaction.
struct Transaction: Sendable, Hashable {
  let id: String
  let originalID: String
  let product: String
  let bundle: String?
  let environment: String?
  let purchasedAt: Instant
  let expiresAt: Instant?
  let revokedAt: Instant?
  let signedAt: Instant?
  /// The whole payload as JSON.
  let body: String

  /// The maximum length of an ID, in bytes.
  static let longestID = 1_000

  init(_ payload: Value) throws(ReceiptFault) {
    func text(_ key: String) -> String? { payload[key]?.text.flatMap { $0.isEmpty ? nil : $0 } }
    func time(_ key: String) throws(ReceiptFault) -> Instant? {
      guard let value = payload[key], value != .null else { return nil }
      guard let number = value.wholeNumber else {
        throw .malformed("'\(key)' is not a number of milliseconds")
      }
      return Instant(milliseconds: Int64(number))
    }
    guard let id = text("transactionId"), let product = text("productId") else {
      throw .malformed("'transactionId' or 'productId' is missing")
    }
    for (name, value) in [("transactionId", id), ("productId", product)]
    where value.utf8.count > Self.longestID {
      throw .malformed("'\(name)' has more than \(Self.longestID) bytes")
    }
    self.id = id
    self.product = product
    originalID = text("originalTransactionId") ?? id
    bundle = text("bundleId")
    environment = text("environment")
    signedAt = try time("signedDate")
    purchasedAt = try time("purchaseDate") ?? signedAt ?? 0
    expiresAt = try time("expiresDate")
    revokedAt = try time("revocationDate")
    body = payload.json
  }

  /// The status of a transaction: `active`, `expired` or `revoked`.
  static func status(expiresAt: Instant?, revokedAt: Instant?, now: Instant) -> String {
    if let revokedAt, revokedAt <= now { return "revoked" }
    if let expiresAt, expiresAt <= now { return "expired" }
    return "active"
  }
}
