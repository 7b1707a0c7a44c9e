internal import SwiftASN1
internal import X509

/// Certificates that chains of receipts may end in, such as the App Store's own root.
package struct ReceiptRoots: Sendable {
  private(set) var certificates: [Certificate] = []

  package init() {}

  /// - Throws: when it is not a certificate.
  package mutating func add(pem: String) throws {
    certificates.append(try Certificate(pemEncoded: pem))
  }
}
