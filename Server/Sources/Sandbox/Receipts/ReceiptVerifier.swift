internal import CivilTime
internal import Crypto
internal import Expressions
internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// Verifies signed transactions with the certificates that they contain.
struct ReceiptVerifier: Sendable {
  private let roots: [Certificate]

  /// - Parameter roots: the trusted roots of chains.
  init(roots: [Certificate]) { self.roots = roots }

  /// Markers for the purpose of Apple's certificates: the leaf signs receipts, and its issuer issues certificates of
  /// developer relations.
  static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  /// Checks the algorithm, the chain, the validity at the time of signing, the usages and the signature.
  ///
  /// - Parameter now: the time of signing if the payload does not contain it.
  func verify(_ transaction: SignedTransaction, now: Instant) async throws(ReceiptFault) {
    let header = transaction.header
    guard header["alg"]?.text == "ES256" else { throw .unsupported("'alg' is not ES256") }
    guard header["crit"] == nil else { throw .unsupported("'crit' names extensions") }
    let chain = try Self.chain(header["x5c"])
    let root = try root(of: chain)
    try Self.checkUsages(chain)
    let signedAt = transaction.payload["signedDate"].flatMap { WallTime.instant($0) } ?? now
    let time = Date(timeIntervalSince1970: Double(signedAt.milliseconds) / 1_000)
    for certificate in [chain[0], chain[1], root]
    where time < certificate.notValidBefore || time > certificate.notValidAfter {
      throw .expiredCertificate
    }
    var verifier = Verifier(rootCertificates: CertificateStore([root])) {
      RFC5280Policy(fixedExpiryValidationTime: time)
    }
    let result = await verifier.validate(
      leaf: chain[0], intermediates: CertificateStore([chain[1]]))
    guard case .validCertificate(let path) = result, path.count == 3 else {
      throw .untrustedChain("a certificate was not issued by the next one")
    }
    guard let key = P256.Signing.PublicKey(chain[0].publicKey),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: transaction.signature),
      key.isValidSignature(signature, for: transaction.signed)
    else { throw .badSignature }
  }

  /// The three certificates of the header: leaf, intermediate, root.
  private static func chain(_ value: Value?) throws(ReceiptFault) -> [Certificate] {
    guard let texts = value?.elements, texts.count == 3 else {
      throw .untrustedChain("'x5c' does not have three certificates")
    }
    var chain: [Certificate] = []
    for text in texts {
      guard let text = text.text, let der = Data(base64Encoded: text),
        let certificate = try? Certificate(derEncoded: Array(der))
      else { throw .untrustedChain("'x5c' has something that is not a certificate") }
      chain.append(certificate)
    }
    for (certificate, issuer) in zip(chain, chain.dropFirst())
    where certificate.issuer != issuer.subject {
      throw .untrustedChain("the certificates are not in order, each issued by the next")
    }
    return chain
  }

  /// The trusted root at the end of the chain.
  private func root(of chain: [Certificate]) throws(ReceiptFault) -> Certificate {
    let root = roots.first {
      $0.subject == chain[2].subject && $0.publicKey == chain[2].publicKey
    }
    guard let root else { throw .untrustedChain("the root is not trusted") }
    return root
  }

  private static func checkUsages(_ chain: [Certificate]) throws(ReceiptFault) {
    let leafUsage = try? chain[0].extensions.keyUsage
    guard leafUsage?.digitalSignature != false else {
      throw .wrongUsage("the first certificate may not sign")
    }
    if case .isCertificateAuthority = try? chain[0].extensions.basicConstraints {
      throw .wrongUsage("the first certificate is a certificate authority")
    }
    guard (try? chain[1].extensions.keyUsage)?.keyCertSign == true,
      case .isCertificateAuthority = try? chain[1].extensions.basicConstraints
    else { throw .wrongUsage("the second certificate may not issue certificates") }
    guard chain[0].extensions[oid: leafMark] != nil,
      chain[1].extensions[oid: intermediateMark] != nil
    else { throw .wrongUsage("the certificates lack the App Store's extensions") }
  }
}
