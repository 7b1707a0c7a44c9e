internal import Expressions
internal import HTTPTypes
internal import Service

/// Why a signed transaction is rejected.
enum ReceiptFault: Error, Hashable {
  /// The transaction does not consist of three base64 parts that contain JSON.
  case malformed(String)
  /// The header names an algorithm other than ES256, or requires an unknown extension.
  case unsupported(String)
  /// The chain does not consist of three certificates, each issued by the next certificate, that end in a trusted root.
  case untrustedChain(String)
  /// A certificate was not valid when the transaction was signed.
  case expiredCertificate
  /// A certificate may not be used for this purpose.
  case wrongUsage(String)
  /// The signature was not made with the leaf's key.
  case badSignature
  /// The transaction belongs to another app.
  case otherBundle(String)
  case otherEnvironment(String)

  /// A stable name for programs, in addition to the code of the contract.
  var reason: String {
    switch self {
    case .malformed: "malformed"
    case .unsupported: "unsupported_header"
    case .untrustedChain: "untrusted_chain"
    case .expiredCertificate: "certificate_expired"
    case .wrongUsage: "certificate_usage"
    case .badSignature: "bad_signature"
    case .otherBundle: "other_bundle"
    case .otherEnvironment: "other_environment"
    }
  }

  var message: String {
    switch self {
    case .malformed(let text): "the transaction cannot be read: \(text)"
    case .unsupported(let text): "the transaction's header is not supported: \(text)"
    case .untrustedChain(let text): "the chain of certificates is not trusted: \(text)"
    case .expiredCertificate:
      "a certificate of the chain was not valid when the transaction was signed"
    case .wrongUsage(let text): "a certificate is not valid for this use: \(text)"
    case .badSignature: "the signature was not made with the key of the first certificate"
    case .otherBundle(let name): "the transaction is of the app '\(name)'"
    case .otherEnvironment(let name): "the transaction is of the environment '\(name)'"
    }
  }

  /// The answer: `{"valid":false,"error":{"code","reason","message"}}`.
  var error: ServiceError {
    var code = "invalid_signature"
    if case .malformed = self { code = "invalid_receipt" }
    return ServiceError(
      .badRequest, code, message, details: [.init(key: "reason", value: .string(reason))])
  }
}
