internal import Expressions

/// Why a backend call failed.
public enum BackendError: Error, Hashable, Sendable {
  /// The part of a checkout's context that failed at the backend.
  public enum ContextFailure: String, Hashable, Sendable {
    case encoding
    case storage
    case sealing
  }

  case network(String)
  case timeout
  /// The task that made the call was cancelled.
  case cancelled
  /// 401 or 403: the public key was rejected.
  case unauthorized
  case notFound
  /// The config API does not have this artifact.
  case artifactNotFound
  /// The status is not a success, and no other case covers it.
  case http(Int)
  /// The status is 500 to 599.
  case internalError(Int)
  /// A successful response whose body violates the contract.
  case decoding(String)
  /// A product's identifier does not have the form that its store requires, such as
  /// `live:price_123:no-trial`.
  case invalidProductFormat
  /// The application has no ID at the store.
  case missingStoreApplicationID
  /// The application has no domain for web paywalls.
  case missingWebPaywallDomain
  case checkoutContext(ContextFailure)
  /// The backend sent an unknown directive, or a directive that the request did not allow.
  case unexpectedDirective(String)
  /// The checkout's session or context is missing, or unknown to the backend.
  case missingCheckoutSession
  /// The request contains more than 100 assignments.
  case tooManyAssignments
  case unknownExperiment
  case unknownVariant
  /// The signature or the certificate chain of a signed transaction is invalid.
  case invalidSignature

  /// The name of the error without its payload, such as `missingWebPaywallDomain`.
  public var code: String {
    switch self {
    case .network: "network"
    case .timeout: "timeout"
    case .cancelled: "cancelled"
    case .unauthorized: "unauthorized"
    case .notFound: "notFound"
    case .artifactNotFound: "configRead"
    case .http: "http"
    case .internalError: "internal"
    case .decoding: "decoding"
    case .invalidProductFormat: "invalidProductFormat"
    case .missingStoreApplicationID: "missingStoreApplicationId"
    case .missingWebPaywallDomain: "missingWebPaywallDomain"
    case .checkoutContext: "checkoutContext"
    case .unexpectedDirective: "unexpectedDirective"
    case .missingCheckoutSession: "missingCheckoutSession"
    case .tooManyAssignments: "tooManyAssignments"
    case .unknownExperiment: "unknownExperiment"
    case .unknownVariant: "unknownVariant"
    case .invalidSignature: "invalidSignature"
    }
  }

  /// Whether the same request may succeed later: after no response, a 5xx status, or another retryable status.
  public var isTransient: Bool {
    switch self {
    case .network, .timeout, .internalError: true
    case .http(let status): [408, 425, 429, 499].contains(status)
    case .cancelled, .unauthorized, .notFound, .artifactNotFound, .decoding, .invalidProductFormat,
      .missingStoreApplicationID, .missingWebPaywallDomain, .checkoutContext, .unexpectedDirective,
      .missingCheckoutSession, .tooManyAssignments, .unknownExperiment, .unknownVariant,
      .invalidSignature:
      false
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

  /// The error of an answer, or nil for a success. The body takes precedence over the status.
  init?(_ response: BackendResponse) {
    guard let error = BackendError(status: response.status) else { return nil }
    let body = try? Value.parse(json: response.body)
    let named =
      body?["error"]?["code"]?.text ?? body?["_tag"]?.text ?? body?["error"]?["_tag"]?.text
    self = named.flatMap { BackendError(code: $0) } ?? error
  }

  /// The error with a code from the backend, in any spelling: `missing_web_paywall_domain`, `MissingWebPaywallDomain`,
  /// `MissingWebPaywallDomainError`.
  private init?(code: String) {
    var name = code.filter { $0 != "_" && $0 != "-" }.lowercased()
    if name.hasSuffix("error") { name.removeLast("error".count) }
    switch name {
    case "invalidproductformat": self = .invalidProductFormat
    case "missingstoreapplicationid": self = .missingStoreApplicationID
    case "missingwebpaywalldomain": self = .missingWebPaywallDomain
    case "checkoutcontextencoding": self = .checkoutContext(.encoding)
    case "checkoutcontextstorage": self = .checkoutContext(.storage)
    case "checkoutcontextsealing": self = .checkoutContext(.sealing)
    case "unexpecteddirective", "unexpectedcheckoutdirective": self = .unexpectedDirective("")
    case "missingcheckoutsession": self = .missingCheckoutSession
    case "toomanyassignments": self = .tooManyAssignments
    case "unknownexperiment": self = .unknownExperiment
    case "unknownvariant": self = .unknownVariant
    case "invalidsignature": self = .invalidSignature
    case "artifactnotfound", "configread": self = .artifactNotFound
    default: return nil
    }
  }

  init(_ failure: TransportFailure) {
    switch failure {
    case .network(let text): self = .network(text)
    case .timeout: self = .timeout
    }
  }

  /// A description for people.
  public var message: String {
    switch self {
    case .network(let text): "the network failed: \(text)"
    case .timeout: "the backend did not answer in time"
    case .cancelled: "the call was cancelled"
    case .unauthorized: "the backend does not accept the public key"
    case .notFound: "the backend has no such resource"
    case .artifactNotFound: "the config API has no such artifact"
    case .http(let status): "the backend answered with status \(status)"
    case .internalError(let status): "the backend failed with status \(status)"
    case .decoding(let text): "the answer cannot be read: \(text)"
    case .invalidProductFormat:
      "the product's identifier must have the store's form, such as live:price_123:no-trial"
    case .missingStoreApplicationID: "the application is not connected to the product's store"
    case .missingWebPaywallDomain: "the application has no domain for web paywalls"
    case .checkoutContext(let failure):
      "the backend could not store the checkout's context (\(failure.rawValue))"
    case .unexpectedDirective(let name):
      "the backend requested a kind of checkout that is not allowed"
        + (name.isEmpty ? "" : ": \(name)")
    case .missingCheckoutSession: "the checkout has no session"
    case .tooManyAssignments: "the backend takes at most 100 assignments at once"
    case .unknownExperiment: "the backend does not know the experiment"
    case .unknownVariant: "the backend does not know the variant"
    case .invalidSignature: "the transaction's signature is not valid"
    }
  }
}

extension BackendError: CustomStringConvertible {
  public var description: String { message }
}
