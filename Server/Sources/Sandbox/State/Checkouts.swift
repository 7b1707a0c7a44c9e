internal import CivilTime
internal import Expressions
internal import Foundation
internal import GRDB
internal import HTTPTypes
internal import Pricing
internal import Service

/// A checkout: created → (confirmed) processing → completed, abandoned or expired.
struct Checkout: Sendable {
  enum State: String, Sendable {
    case created
    /// The payment was set up.
    case processing
    case completed
    case abandoned
    case expired
  }

  var id: String
  var application: String
  var product: String
  var store: String
  var directive: String
  var state: State
  var createdAt: Instant
  var completedAt: Instant?
  var user: String?
  var device: String?
  var email: String?
  var setupIntent: String?
  var customer: String
  var subscription: String
  /// The code that redeems the purchase after completion.
  var code: String
  /// The client's data about the paywall, the user and the device.
  var context: Value

  /// The time limit for paying.
  static let patience = WallTime.day
  /// The time limit for redeeming the purchase.
  static let codeValidity = 30 * WallTime.day

  /// The fields that change.
  var progress: [String?] {
    [state.rawValue, completedAt.map { String($0.milliseconds) }, email, setupIntent]
  }

  /// Whether two requests have the same content.
  func isSameRequest(as other: Checkout) -> Bool {
    product == other.product && store == other.store && directive == other.directive
      && context.json == other.context.json
  }

  var isPending: Bool { state == .created || state == .processing }

  /// The payment's own state, in Stripe's words.
  var paymentStatus: String {
    switch state {
    case .created: "requires_payment_method"
    case .processing: "processing"
    case .completed: "succeeded"
    case .abandoned, .expired: "canceled"
    }
  }

  /// The data in a redemption about the paywall of the payment.
  var paywall: Value? {
    guard let identifier = context["paywall"]?["paywallIdentifier"]?.text else { return nil }
    return .members([
      "identifier": .string(identifier),
      "placementName": .string(context["presentment"]?["presentedByEventName"]?.text ?? ""),
      "placementParams": context["placementParams"]?["placementParams"] ?? .map([]),
      "variantId": .string(context["experiment"]?["variantId"]?.text ?? ""),
      "experimentId": .string(context["experiment"]?["experimentId"]?.text ?? ""),
      "productIdentifier": .string(product),
    ])
  }
}

extension Checkout {
  init(_ row: Row) {
    id = row["id"]
    application = row["application"]
    product = row["product"]
    store = row["store"]
    directive = row["directive"]
    state = State(rawValue: row["state"]) ?? .abandoned
    createdAt = row["created_at"]
    completedAt = row["completed_at"]
    user = row["user"]
    device = row["device"]
    email = row["email"]
    setupIntent = row["setup_intent"]
    customer = row["customer"]
    subscription = row["subscription"]
    code = row["code"]
    let text: String = row["context"]
    context = (try? Value.parse(json: text.utf8)) ?? .null
  }

  /// The checkout as JSON for the console.
  var value: Value {
    .members([
      "id": .string(id), "product": .string(product), "store": .string(store),
      "directive": .string(directive), "state": .string(state.rawValue),
      "createdAt": .time(createdAt), "completedAt": completedAt.map { .time($0) },
      "user": user.map { .string($0) }, "device": device.map { .string($0) },
      "email": email.map { .string($0) }, "customer": .string(customer),
      "subscription": .string(subscription),
      "code": state == .completed ? .string(code) : nil,
    ])
  }
}

extension SandboxStore {
  /// Stores a new checkout, or returns the checkout of an earlier request with the same key.
  ///
  /// - Throws: ``ServiceError`` 409 if the earlier request had other content.
  func add(_ checkout: Checkout, repeatKey: String?) async throws -> Checkout {
    try await write(checkout.application) { database in
      if let repeatKey {
        let row = try Row.fetchOne(
          database,
          sql: "SELECT * FROM sandbox_checkouts WHERE application = ? AND repeat_key = ?",
          arguments: [checkout.application, repeatKey])
        if let known = row.map(Checkout.init) {
          guard known.isSameRequest(as: checkout) else {
            throw ServiceError(
              .conflict, "idempotency_key_reused",
              "the Idempotency-Key '\(repeatKey)' was used for another request; use a new one for each"
            )
          }
          return known
        }
      }
      try database.execute(
        sql: """
          INSERT INTO sandbox_checkouts (id, application, product, store, directive, state,
          created_at, user, device, email, customer, subscription, code, context, repeat_key)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          checkout.id, checkout.application, checkout.product, checkout.store, checkout.directive,
          checkout.state.rawValue, checkout.createdAt, checkout.user, checkout.device,
          checkout.email, checkout.customer, checkout.subscription, checkout.code,
          checkout.context.json, repeatKey,
        ])
      return checkout
    }
  }

  /// A checkout after an action. Actions that the product's name makes automatic are applied first.
  func checkout(
    _ id: String, in application: SandboxApplication, now: Instant,
    _ change: (@Sendable (inout Checkout) throws -> Void)? = nil
  ) async throws -> Checkout? {
    try await write(application.id) { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM sandbox_checkouts WHERE id = ? AND application = ?",
        arguments: [id, application.id])
      guard let row else { return nil }
      let known = Checkout(row)
      var checkout = known
      if checkout.isPending {
        if now - checkout.createdAt >= Checkout.patience { checkout.state = .expired }
        switch PriceID(checkout.product)?.script {
        case .paid: checkout.state = .completed
        case .abandoned: checkout.state = .abandoned
        case .manual, .declined, nil: break
        }
      }
      try change?(&checkout)
      if checkout.state == .completed && checkout.completedAt == nil {
        checkout.completedAt = now
        try Self.grant(checkout, application, now, database)
      }
      if known.progress != checkout.progress { try Self.update(checkout, database) }
      if known.state != checkout.state {
        let body = Value.object([
          "checkout": .string(checkout.id), "state": .string(checkout.state.rawValue),
        ])
        try database.record("checkout_state", body.json, of: checkout.user, application.id, now)
      }
      return checkout
    }
  }

  private static func update(_ checkout: Checkout, _ database: Database) throws {
    try database.execute(
      sql: """
        UPDATE sandbox_checkouts
        SET state = ?, completed_at = ?, email = ?, setup_intent = ? WHERE id = ?
        """,
      arguments: [
        checkout.state.rawValue, checkout.completedAt, checkout.email, checkout.setupIntent,
        checkout.id,
      ])
  }

  /// Creates the code that redeems the purchase.
  private static func grant(
    _ checkout: Checkout, _ application: SandboxApplication, _ now: Instant, _ database: Database
  ) throws {
    let trialDays = PriceID(checkout.product)?.trialDays ?? 0
    let product = application.product(checkout.product)
    // A purchase of an unknown product counts as a monthly subscription.
    let days = product.map { $0.period?.length(in: .day) ?? 0 } ?? 30
    let code = RedeemCode(
      code: checkout.code,
      entitlements: try entitlements(ofProduct: checkout.product, application, database),
      product: checkout.product, store: checkout.store.uppercased(), email: checkout.email,
      purchaser: checkout.user, customer: checkout.customer, subscription: checkout.subscription,
      isShared: false, error: nil, paywall: checkout.paywall?.json, boughtAt: now,
      expiresAt: now + Checkout.codeValidity,
      endsAt: days > 0 ? now + Int64(days + trialDays) * WallTime.day : nil)
    try code.insert(application.id, in: database)
  }
}
