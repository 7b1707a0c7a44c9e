internal import CivilTime
internal import Expressions
internal import GRDB

/// The possessions of a user: redeemed codes, and transactions of the App Store.
struct Holdings: Sendable {
  /// Entitlements that are active.
  var entitlements: [Value] = []
  var subscriptions: [Value] = []
  var nonSubscriptions: [Value] = []
  /// The codes that were redeemed.
  var codes: [String] = []

  /// An entitlement, with the member names of all clients.
  static func entitlement(
    _ name: String, isActive: Bool, until: Instant?, products: [String], store: String?
  ) -> Value {
    .members([
      "id": .string(name), "identifier": .string(name), "type": "SERVICE_LEVEL",
      "isActive": .bool(isActive), "productIds": .texts(products),
      "expiresAt": until.map { .time($0) }, "store": store.map { .string($0) },
    ])
  }

  var customerInfo: Value {
    .object([
      "subscriptions": .list(subscriptions), "nonSubscriptions": .list(nonSubscriptions),
      "entitlements": .list(entitlements),
    ])
  }
}

extension SandboxStore {
  /// The possessions of a user. A known user takes over the device's possessions.
  func holdings(of holder: Holder, in application: SandboxApplication, now: Instant) async throws
    -> Holdings
  {
    let known = try await database.read { database -> Holdings? in
      if try Self.canMove(holder, application.id, database) { return nil }
      return try Self.holdings(of: holder, application, now, database)
    }
    if let known { return known }
    return try await write(application.id) { database in
      try Self.move(holder, application.id, database)
      return try Self.holdings(of: holder, application, now, database)
    }
  }

  static func holdings(
    of holder: Holder, _ application: SandboxApplication, _ now: Instant, _ database: Database
  ) throws -> Holdings {
    var holdings = Holdings()
    var grants: [Grant] = []
    for code in try codes(of: holder, application.id, database) {
      holdings.codes.append(code.code)
      let products = code.product.map { [$0] } ?? []
      for name in code.entitlements {
        grants.append(
          Grant(
            name: name,
            products: products.isEmpty ? application.products(granting: name) : products,
            until: code.endsAt, isActive: code.isActive(now), store: code.store))
      }
      guard let product = code.product else { continue }
      let bought = bought(
        code.subscription, product, at: code.boughtAt, until: code.endsAt,
        revokedAt: code.revokedAt, store: code.store, now)
      if code.endsAt == nil {
        holdings.nonSubscriptions.append(bought)
      } else {
        holdings.subscriptions.append(bought)
      }
    }
    for row in try transactions(of: holder, application.id, database) {
      let (product, until, revokedAt): (String, Instant?, Instant?) = (
        row["product"], row["expires_at"], row["revoked_at"]
      )
      let bought = bought(
        row["id"], product, at: row["purchased_at"], until: until, revokedAt: revokedAt,
        store: "APP_STORE", now)
      if until == nil {
        holdings.nonSubscriptions.append(bought)
      } else {
        holdings.subscriptions.append(bought)
      }
      let isActive =
        Transaction.status(expiresAt: until, revokedAt: revokedAt, now: now) == "active"
      let names = try entitlements(ofProduct: product, application, database)
      grants += names.map {
        Grant(
          name: $0, products: [product], until: until, isActive: isActive, store: "APP_STORE")
      }
    }
    holdings.entitlements = Grant.merged(grants)
    return holdings
  }

  private static func codes(of holder: Holder, _ application: String, _ database: Database) throws
    -> [RedeemCode]
  {
    var codes: [RedeemCode] = []
    for owner in holder.owners {
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT sandbox_codes.* FROM sandbox_redemptions
          JOIN sandbox_codes USING (application, code)
          WHERE application = ? AND kind = ? AND owner = ? ORDER BY redeemed_at, code
          """, arguments: [application, owner.kind, owner.name])
      codes += rows.map { RedeemCode($0) }.filter { code in
        !codes.contains { $0.code == code.code }
      }
    }
    return codes
  }

  private static func transactions(of holder: Holder, _ application: String, _ database: Database)
    throws -> [Row]
  {
    try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM sandbox_transactions WHERE application = ?
        AND (user = ? OR (user IS NULL AND device = ?)) ORDER BY purchased_at, id
        """, arguments: [application, holder.user, holder.device])
  }

  /// The purchases in the form that clients decode. All of these members are required.
  private static func bought(
    _ id: String, _ product: String, at: Instant, until: Instant?, revokedAt: Instant?,
    store: String,
    _ now: Instant
  ) -> Value {
    let isRevoked = (revokedAt ?? .distantFuture) <= now
    let isActive = !isRevoked && (until ?? .distantFuture) > now
    guard let until else {
      return .object([
        "transactionId": .string(id), "productId": .string(product), "purchaseDate": .time(at),
        "isConsumable": false, "isRevoked": .bool(isRevoked), "store": .string(store),
      ])
    }
    return .object([
      "transactionId": .string(id), "productId": .string(product), "purchaseDate": .time(at),
      "willRenew": .bool(isActive), "isRevoked": .bool(isRevoked), "isInGracePeriod": false,
      "isInBillingRetryPeriod": false, "isActive": .bool(isActive), "expirationDate": .time(until),
      "store": .string(store),
    ])
  }
}

/// One reason to have an entitlement.
private struct Grant {
  var name: String
  var products: [String]
  var until: Instant?
  var isActive: Bool
  var store: String

  /// Each active entitlement once, with all products that grant it, until the latest end.
  static func merged(_ grants: [Grant]) -> [Value] {
    var names: [String] = []
    var byName: [String: Grant] = [:]
    for grant in grants where grant.isActive {
      guard var known = byName[grant.name] else {
        names.append(grant.name)
        byName[grant.name] = grant
        continue
      }
      known.products += grant.products.filter { !known.products.contains($0) }
      if let one = known.until, let other = grant.until {
        known.until = max(one, other)
      } else {
        known.until = nil
      }
      byName[grant.name] = known
    }
    return names.compactMap { byName[$0] }.map {
      Holdings.entitlement(
        $0.name, isActive: true, until: $0.until, products: $0.products, store: $0.store)
    }
  }
}
