internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Service

extension SandboxBackend {
  /// The endpoints for purchases on the web.
  var checkoutEndpoints: [Endpoint] {
    let base = "\(SandboxBackend.subscriptions)/checkout"
    return [
      .post("\(base)/session") { try await self.beginCheckout($0) },
      .post("\(base)/status") { exchange in
        let checkout = try await checkout(exchange, named: "checkoutId")
        return Answer(
          .members([
            "status": .string(
              checkout.isPending
                ? "pending" : checkout.state == .completed ? "completed" : "abandoned"),
            "paymentStatus": .string(checkout.paymentStatus),
            "redemptionUrl": checkout.state == .completed
              ? .string(Self.redemptionLink(checkout, exchange.application)) : nil,
          ]))
      },
      .post("\(base)/session/confirm") { exchange in
        let intent = try exchange.text("setupIntentId")
        let email = try exchange.optionalText("email")
        let checkout = try await checkout(exchange) { checkout in
          try checkout.confirm(setupIntent: intent, email: email)
        }
        return Answer(
          .object([
            "customerId": .string(checkout.customer),
            "subscriptionId": .string(checkout.subscription),
            "redemptionUrl": .string(Self.redemptionLink(checkout, exchange.application)),
          ]))
      },
      .post("\(base)/session/complete") { exchange in
        let checkout = try await checkout(exchange) { checkout in
          if checkout.directive != "redirect" && checkout.state == .created {
            throw ServiceError(
              .conflict, "checkout_not_confirmed",
              "confirm the checkout before you complete it")
          }
          try checkout.complete()
        }
        return Answer(
          .object(["redemptionUrl": .string(Self.redemptionLink(checkout, exchange.application))]))
      },
      .post("\(base)/session/poll-redemption-result") { try await self.pollRedemption($0) },
    ]
  }

  // MARK: Starting

  private static let largestContext = 64 << 10
  private static let directives = ["redirect", "drawer", "embedded"]

  private func beginCheckout(_ exchange: Exchange) async throws -> Answer {
    let (product, store) = try Self.purchase(exchange)
    let directive = try Self.directive(exchange)
    guard let context = exchange.body["context"], context.isObject else {
      throw invalid("'context' is missing, or not an object")
    }
    // The size is limited because the context is stored. About three thousand bytes are usual.
    guard context.json.utf8.count <= Self.largestContext else {
      throw invalid("'context' has more than \(Self.largestContext) bytes")
    }
    let repeatKey = exchange.header("Idempotency-Key")
    guard (repeatKey ?? "").utf8.count <= 200 else {
      throw ServiceError.badRequest("Idempotency-Key has more than 200 bytes")
    }
    if directive == "redirect" && exchange.application.domain == nil {
      throw ServiceError(
        .badRequest, "missing_web_paywall_domain", "the application has no 'domain'")
    }
    let identity = context["identity"] ?? .null
    let fresh = Checkout(
      id: "cs_\(Self.secret())", application: exchange.application.id, product: product,
      store: store, directive: directive, state: .created, createdAt: now(),
      // The web SDK nests the name.
      user: try Exchange.checked(
        identity["appUserId"]?.text ?? identity["userId"]?["appUserId"]?.text, "appUserId"),
      device: try Exchange.checked(identity["deviceId"]?.text, "deviceId"),
      email: try Exchange.checked(identity["email"]?.text, "email"),
      customer: try exchange.optionalText("stripeCustomerId") ?? "cus_\(Self.secret(8))",
      subscription: "sub_\(Self.secret(8))", code: "redemption_\(Self.secret())",
      context: context)
    let checkout = try await self.store.add(
      fresh, repeatKey: repeatKey)
    let sealed = try seal.seal(
      .members([
        "id": .string(checkout.id), "application": .string(checkout.application),
        "user": checkout.user.map { .string($0) }, "device": checkout.device.map { .string($0) },
      ]))
    return Answer(
      .object([
        "directive": directiveValue(checkout, exchange), "checkoutContextId": .string(sealed),
      ]))
  }

  private static func purchase(_ exchange: Exchange) throws(ServiceError) -> (
    product: String, store: String
  ) {
    let product = try exchange.text("productIdentifier")
    let store = (try exchange.optionalText("store") ?? "stripe").lowercased()
    guard ["stripe", "paddle"].contains(store), exchange.application.isConnected(to: store) else {
      throw ServiceError(
        .badRequest, "missing_store_application_id",
        "the application is not connected to the store '\(store)'")
    }
    guard PriceID(product) != nil else {
      throw ServiceError(
        .badRequest, "invalid_product_format",
        "'\(product)' is not of the form live:PRICE:no-trial or test:PRICE:DAYS")
    }
    return (product, store)
  }

  /// The first kind that the client allows and the application supports.
  private static func directive(_ exchange: Exchange) throws(ServiceError) -> String {
    let allowed = try exchange.list("allowedCheckoutDirectives").map { $0.text ?? $0.json }
    for name in allowed where !directives.contains(name) {
      throw ServiceError(
        .badRequest, "unexpected_directive",
        "'\(name)' is not a directive; expected redirect, drawer or embedded")
    }
    let supported = exchange.application.entry["checkoutDirectives"]?.elements?.compactMap(\.text)
    guard let first = allowed.first(where: { (supported ?? directives).contains($0) }) else {
      throw ServiceError(
        .badRequest, "unexpected_directive",
        "the application supports none of the allowed directives")
    }
    return first
  }

  private func directiveValue(_ checkout: Checkout, _ exchange: Exchange) -> Value {
    let session = Value.string(checkout.id)
    let key = Value.string("pk_test_sandbox_\(checkout.application)")
    switch checkout.directive {
    case "redirect":
      let host = exchange.request.head.authority ?? exchange.header("Host") ?? "127.0.0.1"
      return .object([
        "directive": "redirect", "checkoutSessionId": session,
        "checkoutUrl": .string("http://\(host)\(Self.page)/\(checkout.id)"),
      ])
    case "drawer":
      let product = exchange.application.product(checkout.product)
      return .members([
        "directive": "drawer", "publishableKey": key, "checkoutSessionId": session,
        "paymentMethodTypes": ["card"], "intentType": "setup",
        "subscriptionDetails": product.map { Self.productValue($0, isDecimal: false) },
        "iconUrl": exchange.application.entry["applicationIcon"],
      ])
    default:
      return .object([
        "directive": "embedded", "publishableKey": key, "checkoutSessionId": session,
      ])
    }
  }

  /// A string of digits that no user can guess.
  static func secret(_ bytes: Int = 16) -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &random).hexPair }
      .joined()
  }

  // MARK: Continuing

  /// The checkout of a sealed context, after the change.
  private func checkout(
    _ exchange: Exchange, named name: String = "checkoutContextId",
    _ change: (@Sendable (inout Checkout) throws -> Void)? = nil
  ) async throws -> Checkout {
    let sealed = try exchange.text(name)
    let unknown = ServiceError(
      .badRequest, "missing_checkout_session", "'\(name)' was not issued by this server")
    guard let context = seal.open(sealed), let id = context["id"]?.text,
      context["application"]?.text == exchange.application.id,
      let checkout = try await store.checkout(id, in: exchange.application, now: now(), change)
    else { throw unknown }
    return checkout
  }

  /// Reads the result of the checkout without redeeming the code, because the code belongs to the user that redeems it,
  /// and clients redeem all codes that they know.
  private func pollRedemption(_ exchange: Exchange) async throws -> Answer {
    let checkout = try await checkout(exchange)
    let holder = Holder(
      user: try exchange.optionalText("appUserId"), device: try exchange.optionalText("deviceId"))
    var status = checkout.isPending ? "pending" : "failed"
    var codes: [String] = []
    if let completedAt = checkout.completedAt {
      let delay = (exchange.application.entry["settleSeconds"]?.number ?? 0) * 1_000
      let isSettled = Double(now() - completedAt) >= delay
      status = isSettled ? "complete" : "pending"
      codes = isSettled ? [checkout.code] : []
    }
    let redemption = try await store.tryRedeeming(
      codes, for: holder, in: exchange.application, now: now())
    return Answer(Self.redemptionValue(redemption, status: status))
  }

  /// The link that redeems the purchase. The link opens the app if the config has a URL scheme.
  static func redemptionLink(_ checkout: Checkout, _ application: SandboxApplication) -> String {
    if let scheme = application.configValue["web2app_config"]?["url_schema"]?.text, !scheme.isEmpty
    {
      return "\(scheme)://superwall/redeem?code=\(checkout.code)"
    }
    let domain = application.domain ?? "sandbox.superwall.app"
    return "https://\(domain)/app-link/superwall/redeem?code=\(checkout.code)"
  }
}

extension Checkout {
  /// Marks the payment as set up. Repeating the call changes nothing.
  mutating func confirm(setupIntent intent: String, email: String?) throws(ServiceError) {
    guard state == .created else { return try refuseIfOver() }
    try refuseIfDeclined()
    state = .processing
    setupIntent = intent
    self.email = email ?? self.email
  }

  /// Marks the checkout as paid. Repeating the call changes nothing.
  mutating func complete() throws(ServiceError) {
    try refuseIfOver()
    try refuseIfDeclined()
    state = .completed
  }

  mutating func abandon() throws(ServiceError) {
    if state == .completed {
      throw ServiceError(.conflict, "checkout_completed", "the checkout is already completed")
    }
    state = .abandoned
  }

  private func refuseIfDeclined() throws(ServiceError) {
    guard PriceID(product)?.script == .declined else { return }
    throw ServiceError(
      .init(code: 402, reasonPhrase: "Payment Required"), Self.declined,
      "the sandbox declines this product's payment")
  }

  /// The code of a payment that is declined.
  static let declined = "payment_declined"

  private func refuseIfOver() throws(ServiceError) {
    if state == .abandoned || state == .expired {
      throw ServiceError(.conflict, "checkout_\(state.rawValue)", "the checkout is over")
    }
  }
}

extension Endpoint {
  fileprivate static func post(_ path: String, _ run: @escaping Handler) -> Endpoint {
    .post(path, .key, run)
  }
}
