internal import CivilTime
internal import Expressions
internal import GRDB
internal import Service

/// The data that the console shows and changes, in addition to the effects of requests.
extension SandboxStore {
  /// The newest checkouts.
  func checkouts(_ application: String) async throws -> [Value] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM sandbox_checkouts WHERE application = ?
          ORDER BY created_at DESC, rowid DESC LIMIT 200
          """, arguments: [application]
      ).map { Checkout($0).value }
    }
  }

  func codes(_ application: String) async throws -> [Value] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM sandbox_codes WHERE application = ? ORDER BY rowid DESC LIMIT 500",
        arguments: [application]
      ).map { RedeemCode($0).value }
    }
  }

  /// Adds a code. The result is false if the name is already used.
  func add(_ code: FixtureCode, to application: SandboxApplication, now: Instant) async throws
    -> Bool
  {
    try await database.write { database in
      guard try RedeemCode.find(code.code, application.id, in: database) == nil else {
        return false
      }
      try RedeemCode(code, application, now).insert(application.id, in: database)
      return true
    }
  }

  func changeCode(
    _ name: String, _ application: String, _ now: Instant,
    _ change: @escaping @Sendable (inout RedeemCode) -> Void
  ) async throws -> Value {
    try await database.write { database in
      guard var code = try RedeemCode.find(name, application, in: database) else {
        throw ServiceError.notFound("there is no code '\(name)'")
      }
      change(&code)
      try database.execute(
        sql: """
          UPDATE sandbox_codes SET expires_at = ?, ends_at = ?, revoked_at = ?
          WHERE application = ? AND code = ?
          """,
        arguments: [code.expiresAt, code.endsAt, code.revokedAt, application, name])
      return code.value
    }
  }

  /// Purchases: codes with a product, and transactions.
  func subscriptionList(_ application: String, _ now: Instant) async throws -> [Value] {
    try await database.read { database in
      let codes = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM sandbox_codes WHERE application = ? ORDER BY bought_at DESC LIMIT 200
          """, arguments: [application]
      ).map { RedeemCode($0) }
      let transactions = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM sandbox_transactions WHERE application = ?
          ORDER BY purchased_at DESC LIMIT 200
          """, arguments: [application]
      ).map { KnownTransaction($0) }
      func entry(
        _ id: String, _ product: String?, _ expiresAt: Instant?, _ revokedAt: Instant?,
        _ user: String?,
        _ store: String
      ) -> Value {
        .members([
          "id": .string(id), "product": product.map { .string($0) }, "store": .string(store),
          "user": user.map { .string($0) }, "expiresAt": expiresAt.map { .time($0) },
          "status": .string(
            Transaction.status(expiresAt: expiresAt, revokedAt: revokedAt, now: now)),
        ])
      }
      return codes.map {
        entry($0.subscription, $0.product, $0.endsAt, $0.revokedAt, $0.purchaser, $0.store)
      }
        + transactions.map {
          entry($0.id, $0.product, $0.expiresAt, $0.revokedAt, $0.user, "APP_STORE")
        }
    }
  }

  /// Ends a purchase by the ID of a subscription or a transaction. The result is false if there is no such purchase.
  func end(_ id: String, _ application: String, _ now: Instant, isRevoked: Bool) async throws
    -> Bool
  {
    try await write(application) { database in
      let column = isRevoked ? "revoked_at" : "ends_at"
      try database.execute(
        sql: """
          UPDATE sandbox_codes SET \(column) = ? WHERE application = ? AND subscription = ?
          """, arguments: [now, application, id])
      var changes = database.changesCount
      // The transaction counts as signed now, so that earlier signatures do not restore it.
      try database.execute(
        sql: """
          UPDATE sandbox_transactions SET \(isRevoked ? "revoked_at" : "expires_at") = ?,
          signed_at = ? WHERE application = ? AND id = ?
          """, arguments: [now, now, application, id])
      changes += database.changesCount
      guard changes > 0 else { return false }
      let body = Value.object(["subscription": .string(id)])
      try database.record(
        isRevoked ? "subscription_revoked" : "subscription_expired", body.json, of: nil,
        application, now)
      return true
    }
  }
}
