internal import SwiftASN1
internal import X509

/// Root certificates for chains of receipts, such as the App Store's own root.
package struct ReceiptRoots: Sendable {
  private(set) var certificates: [Certificate] = []

  package init() {}

  /// - Throws: if the string is not a certificate.
  package mutating func add(pem: String) throws {
    certificates.append(try Certificate(pemEncoded: pem))
  }
}
