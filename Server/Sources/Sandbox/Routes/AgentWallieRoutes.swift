internal import CivilTime
internal import Expressions
internal import HTTPTypes
internal import Service

extension SandboxBackend {
  /// The endpoints of AgentWallie's API, except the endpoints for events, which are in ``eventEndpoints``.
  var wallieEndpoints: [Endpoint] {
    [
      .get("/v1/config/{key}", .pathKey) { exchange in
        guard let config = exchange.application.wallieConfig else {
          throw ServiceError(
            .notFound, "config_not_found", "the application has no config of AgentWallie's kind")
        }
        let added = try await store.addedProducts(of: exchange.application.id)
        return Answer(added.isEmpty ? config : Self.adding(added, to: config))
      },
      .post("/v1/receipts/{key}", .pathKey) { try await self.postReceipt($0) },
      .get("/v1/subscriptions/{key}/{user}", .pathKey) { try await self.subscriptions($0) },
      .post("/v1/projects/{project}/products", .owner) { try await self.addProduct($0) },
      .get("/v1/projects/{project}/products", .owner) { exchange in
        let own = exchange.application.wallieConfig?["products"]?.elements ?? []
        let added = try await store.addedProducts(of: exchange.application.id)
        return Answer(.object(["products": .list(own + added)]))
      },
    ]
  }

  // MARK: Receipts

  /// Reads a transaction from a signed string, and verifies it unless verification is turned off.
  func transaction(_ text: String, _ application: SandboxApplication) async throws -> Transaction {
    do {
      let signed = try SignedTransaction(text)
      if verifiesReceipts { try await verifier.verify(signed, now: now()) }
      let transaction = try Transaction(signed.payload)
      if let bundle = application.entry["bundleId"]?.text, let other = transaction.bundle,
        bundle != other
      {
        throw ReceiptFault.otherBundle(other)
      }
      if let environment = application.entry["environment"]?.text,
        let other = transaction.environment, environment != other
      {
        throw ReceiptFault.otherEnvironment(other)
      }
      return transaction
    } catch let fault as ReceiptFault {
      throw fault.error
    }
  }

  private func postReceipt(_ exchange: Exchange) async throws -> Answer {
    let text = try exchange.text("signed_transaction_info", atMost: .max)
    let user = try exchange.text("user_id")
    let device = try exchange.optionalText("device_id")
    let application = exchange.application
    let transaction: Transaction
    do {
      transaction = try await self.transaction(text, application)
    } catch let error as ServiceError {
      return Answer(
        .map(
          [.init(key: "valid", value: false)] + [
            .init(key: "error", value: error.value["error"] ?? .null)
          ]),
        status: error.status)
    }
    try await store.add(transaction, user: user, device: device, in: application.id)
    guard let known = try await store.transaction(transaction.id, in: application.id) else {
      throw ServiceError(.internalServerError, "internal", "the transaction was not stored")
    }
    return Answer(
      .object([
        "valid": true, "transaction_id": .string(known.id),
        "original_transaction_id": .string(known.original),
        "product_id": .string(known.product),
        "entitlements": .texts(
          try await store.entitlements(ofProduct: known.product, in: application)),
        "expires_date": Self.date(known.expiresAt), "status": .string(known.status(now())),
      ]))
  }

  private static func date(_ time: Instant?) -> Value {
    time.flatMap { WallTime.text($0) }.map { .string($0) } ?? .null
  }

  private func subscriptions(_ exchange: Exchange) async throws -> Answer {
    let (user, application, now) = (exchange.parameter("user"), exchange.application, now())
    let known = try await store.subscriptions(of: user, in: application.id)
    var entitlements: [String] = []
    var subscriptions: [Value] = []
    for transaction in known {
      let status = transaction.status(now)
      if status == "active" {
        let names = try await store.entitlements(ofProduct: transaction.product, in: application)
        entitlements += names.filter { !entitlements.contains($0) }
      }
      subscriptions.append(
        .object([
          "product_id": .string(transaction.product), "status": .string(status),
          "current_period_end": Self.date(transaction.expiresAt),
          "auto_renew_enabled": .bool(status == "active" && transaction.expiresAt != nil),
        ]))
    }
    let isActive = known.contains { $0.status(now) == "active" }
    return Answer(
      .object([
        "user_id": .string(user),
        "status": .string(isActive ? "active" : known.isEmpty ? "inactive" : "expired"),
        "entitlements": .texts(entitlements), "subscriptions": .list(subscriptions),
      ]))
  }

  // MARK: Products

  /// Names in the body that differ from the names in configs. Both names are read.
  private static let camelCase = [
    ("storeProductId", "store_product_id"), ("displayPrice", "display_price"),
    ("displayPeriod", "display_period"), ("basePlanId", "base_plan_id"), ("offerIds", "offer_ids"),
  ]

  private func addProduct(_ exchange: Exchange) async throws -> Answer {
    let body = exchange.body
    func member(_ snake: String) -> Value? {
      let camel = Self.camelCase.first { $0.1 == snake }?.0
      let value = body[snake] ?? camel.flatMap { body[$0] }
      return value == .null ? nil : value
    }
    let name = try exchange.text("name")
    let store = try exchange.text("store")
    guard ["apple", "google", "stripe"].contains(store) else {
      throw invalid("'store' is '\(store)', not apple, google or stripe")
    }
    guard let id = member("store_product_id")?.text, !id.isEmpty else {
      throw invalid("'storeProductId' is missing")
    }
    let entitlements = try exchange.list("entitlements")
    guard entitlements.allSatisfy({ $0.text != nil }) else {
      throw invalid("'entitlements' is not a list of strings")
    }
    let product = Value.members([
      "id": .string("prod_\(id)"), "name": .string(name), "store": .string(store),
      "store_product_id": .string(id), "entitlements": .list(entitlements),
      "base_plan_id": member("base_plan_id"), "offer_ids": member("offer_ids"),
      "display_price": member("display_price"), "display_period": member("display_period"),
    ])
    try await self.store.addProduct(id, product, to: exchange.application.id)
    return Answer(product, status: .created)
  }

  /// The config with added products, which take precedence over the config's own products with the same name at the
  /// store.
  private static func adding(_ added: [Value], to config: Value) -> Value {
    let names = added.map { $0["store_product_id"]?.text }
    let own = (config["products"]?.elements ?? []).filter { product in
      !names.contains(product["store_product_id"]?.text)
    }
    let members = (config.members ?? []).filter { $0.key != "products" }
    return .map(
      members.map { .init(key: .string($0.key), value: $0.value) }
        + [.init(key: "products", value: .list(own + added))])
  }
}
