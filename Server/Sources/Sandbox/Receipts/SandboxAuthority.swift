internal import CivilTime
internal import Crypto
internal import Expressions
internal import Foundation
internal import SwiftASN1
internal import X509

/// Signs transactions like the App Store, with the sandbox's own certificates.
///
/// The keys are derived from the authority's name, so that a server and a command that signs for the server need not
/// share anything. Anyone can create these keys, so a server that accepts such receipts is for testing only.
struct SandboxAuthority: Sendable {
  let root: Certificate
  let chain: [Certificate]
  let leafKey: P256.Signing.PrivateKey

  /// Deliberate errors, for tests.
  struct Flaws: Sendable {
    var leafNotAfter: Date?
    var leafMayNotSign = false
    var leafIsUnmarked = false
    var intermediateIsNoAuthority = false
  }

  init(named name: String = "Tollgate Sandbox", flaws: Flaws = Flaws()) throws {
    let rootKey = try Self.key(name, "root")
    let middleKey = try Self.key(name, "intermediate")
    leafKey = try Self.key(name, "leaf")
    let rootName = try DistinguishedName { CommonName("\(name) Root") }
    let middleName = try DistinguishedName { CommonName("\(name) Intermediate") }
    let leafName = try DistinguishedName { CommonName("\(name) Receipts") }
    let start = Date(timeIntervalSince1970: 1_577_836_800)
    let end = Date(timeIntervalSince1970: 2_524_608_000)
    func certificate(
      _ number: Int, _ subject: DistinguishedName, _ key: P256.Signing.PrivateKey,
      _ issuer: DistinguishedName, _ issuerKey: P256.Signing.PrivateKey, until: Date,
      _ extensions: Certificate.Extensions
    ) throws -> Certificate {
      try Certificate(
        version: .v3, serialNumber: .init(number), publicKey: .init(key.publicKey),
        notValidBefore: start, notValidAfter: until, issuer: issuer, subject: subject,
        signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
        issuerPrivateKey: .init(issuerKey))
    }
    func mark(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension {
      // The value is ASN.1's NULL, as in Apple's certificates.
      Certificate.Extension(oid: oid, critical: false, value: [5, 0])
    }
    root = try certificate(
      1, rootName, rootKey, rootName, rootKey, until: end,
      try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      })
    var middle: [Certificate.Extension] = [mark(ReceiptVerifier.intermediateMark)]
    middle.append(
      try Certificate.Extension(
        flaws.intermediateIsNoAuthority
          ? BasicConstraints.notCertificateAuthority
          : BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: true))
    middle.append(
      try Certificate.Extension(
        KeyUsage(keyCertSign: !flaws.intermediateIsNoAuthority, cRLSign: true), critical: true))
    let intermediate = try certificate(
      2, middleName, middleKey, rootName, rootKey, until: end, try .init(middle))
    var leaf: [Certificate.Extension] = [
      try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
      try Certificate.Extension(
        KeyUsage(
          digitalSignature: !flaws.leafMayNotSign, keyEncipherment: flaws.leafMayNotSign),
        critical: true),
    ]
    if !flaws.leafIsUnmarked { leaf.append(mark(ReceiptVerifier.leafMark)) }
    let last = try certificate(
      3, leafName, leafKey, middleName, middleKey, until: flaws.leafNotAfter ?? end,
      try .init(leaf))
    chain = [last, intermediate, root]
  }

  private static func key(_ name: String, _ role: String) throws -> P256.Signing.PrivateKey {
    let digest = SHA256.hash(data: Array("\(name), key of the \(role)".utf8))
    return try P256.Signing.PrivateKey(rawRepresentation: Data(digest))
  }

  /// The signed compact form of a payload.
  func sign(_ payload: Value, chain: [Certificate]? = nil) throws -> String {
    let texts = try (chain ?? self.chain).map { certificate -> Value in
      var serializer = DER.Serializer()
      try certificate.serialize(into: &serializer)
      return .string(Data(serializer.serializedBytes).base64EncodedString())
    }
    let header = Value.object(["alg": "ES256", "x5c": .list(texts)])
    let signed =
      Base64URL.encode(Array(header.json.utf8)) + "." + Base64URL.encode(Array(payload.json.utf8))
    let signature = try leafKey.signature(for: Array(signed.utf8))
    return signed + "." + Base64URL.encode(signature.rawRepresentation)
  }
}

/// A transaction to sign, for testing.
struct TestTransaction: Sendable {
  var product: String
  var bundle: String
  var id: String = "2" + String(UInt64.random(in: 0..<1_000_000_000_000_000))
  var originalID: String?
  var duration: Int64? = 365 * WallTime.day
  var isRevoked = false

  func payload(now: Instant) -> Value {
    // The purchase was a minute ago, so that small differences between clocks do not matter.
    let purchasedAt: Instant = now - 60_000
    return .members([
      "transactionId": .string(id), "originalTransactionId": .string(originalID ?? id),
      "productId": .string(product), "bundleId": .string(bundle),
      "purchaseDate": .time(purchasedAt), "originalPurchaseDate": .time(purchasedAt),
      "expiresDate": duration.map { .time(purchasedAt + $0) },
      "revocationDate": isRevoked ? .time(now - Int64(1_000)) : nil,
      "quantity": 1, "inAppOwnershipType": "PURCHASED", "signedDate": .time(now),
      "type": duration == nil ? "Non-Consumable" : "Auto-Renewable Subscription",
      "environment": "Sandbox",
    ])
  }
}
