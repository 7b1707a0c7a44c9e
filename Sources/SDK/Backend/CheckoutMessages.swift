public import Expressions

/// How a checkout on the web is shown.
public enum CheckoutDirectiveKind: String, Hashable, Sendable, CaseIterable {
  /// A separate page, from which the user returns.
  case redirect
  case drawer
  case embedded
}

/// The step that the backend requests for a checkout.
public enum CheckoutDirective: Hashable, Sendable {
  case redirect(checkoutURL: String, sessionID: String)
  /// - Parameter details: other data from the backend, as JSON: `subscriptionDetails`, `paymentMethodTypes`,
  ///   `intentType` and the application's icon.
  case drawer(publishableKey: String, sessionID: String, details: Value)
  case embedded(publishableKey: String, sessionID: String)

  public var kind: CheckoutDirectiveKind {
    switch self {
    case .redirect: .redirect
    case .drawer: .drawer
    case .embedded: .embedded
    }
  }

  public var sessionID: String {
    switch self {
    case .redirect(_, let id), .drawer(_, let id, _), .embedded(_, let id): id
    }
  }

  init(decoding value: Value) throws(BackendError) {
    guard let name = value["directive"]?.text else {
      throw .decoding("'directive.directive' is missing")
    }
    guard let kind = CheckoutDirectiveKind(rawValue: name) else {
      throw .unexpectedDirective(name)
    }
    guard let session = value["checkoutSessionId"]?.text, !session.isEmpty else {
      throw .missingCheckoutSession
    }
    switch kind {
    case .redirect:
      guard let url = value["checkoutUrl"]?.text, !url.isEmpty else {
        throw .decoding("'directive.checkoutUrl' is missing")
      }
      self = .redirect(checkoutURL: url, sessionID: session)
    case .drawer, .embedded:
      guard let key = value["publishableKey"]?.text, !key.isEmpty else {
        throw .decoding("'directive.publishableKey' is missing")
      }
      self =
        kind == .drawer
        ? .drawer(publishableKey: key, sessionID: session, details: value)
        : .embedded(publishableKey: key, sessionID: session)
    }
  }
}

/// A request to begin a checkout.
public struct CheckoutRequest: Hashable, Sendable {
  /// The currency's three-letter code in ISO 4217.
  public var currencyCode: String
  /// The product's identifier in the store, such as Stripe's `live:price_123:no-trial`. For a product with a trial, the
  /// last part contains the number of days.
  public var productIdentifier: String
  /// The store: `stripe` or `paddle`.
  public var store: String
  public var allowedDirectives: [CheckoutDirectiveKind]
  /// The data for the sealed context: an object with the objects `paywall`, `experiment`, `presentment`, `identity`,
  /// `device` and `product`.
  public var context: Value
  public var stripeCustomerID: String?

  public init(
    currencyCode: String, productIdentifier: String, store: String = "stripe",
    allowedDirectives: [CheckoutDirectiveKind] = CheckoutDirectiveKind.allCases, context: Value,
    stripeCustomerID: String? = nil
  ) {
    self.currencyCode = currencyCode
    self.productIdentifier = productIdentifier
    self.store = store
    self.allowedDirectives = allowedDirectives
    self.context = context
    self.stripeCustomerID = stripeCustomerID
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    .object([
      "currencyCode": .string(currencyCode), "productIdentifier": .string(productIdentifier),
      "store": .string(store),
      "allowedCheckoutDirectives": .list(allowedDirectives.map { .string($0.rawValue) }),
      "context": context, "stripeCustomerId": stripeCustomerID.map { .string($0) } ?? .null,
    ])
  }
}

/// A checkout that has begun.
public struct CheckoutSession: Hashable, Sendable {
  public var directive: CheckoutDirective
  /// The context, sealed by the backend. The SDK passes the context on, but cannot read it.
  public var contextID: String

  init(decoding value: Value, allowed: [CheckoutDirectiveKind]) throws(BackendError) {
    guard let context = value["checkoutContextId"]?.text, !context.isEmpty else {
      throw .missingCheckoutSession
    }
    directive = try CheckoutDirective(decoding: value["directive"] ?? .null)
    guard allowed.contains(directive.kind) else {
      throw .unexpectedDirective(directive.kind.rawValue)
    }
    contextID = context
  }
}

/// The progress of a checkout.
public struct CheckoutStatus: Hashable, Sendable {
  /// The state of the checkout.
  public enum State: String, Hashable, Sendable {
    case pending
    case completed
    case abandoned
  }

  public var state: State
  /// The state of the payment, as the store reports it.
  public var paymentStatus: String?
  public var redemptionURL: String?

  init(decoding value: Value) throws(BackendError) {
    guard let name = value["status"]?.text, let state = State(rawValue: name) else {
      throw .decoding("'status' is not pending, completed or abandoned")
    }
    self.state = state
    paymentStatus = value["paymentStatus"]?.text
    redemptionURL = value["redemptionUrl"]?.text
  }
}

/// Confirms a checkout whose payment is set up.
public struct CheckoutConfirmation: Hashable, Sendable {
  public var customerID: String
  public var subscriptionID: String
  public var redemptionURL: String

  init(decoding value: Value) throws(BackendError) {
    guard let customer = value["customerId"]?.text,
      let subscription = value["subscriptionId"]?.text, let url = value["redemptionUrl"]?.text
    else { throw .decoding("'customerId', 'subscriptionId' or 'redemptionUrl' is missing") }
    (customerID, subscriptionID, redemptionURL) = (customer, subscription, url)
  }
}
