internal import CivilTime
internal import Expressions
internal import GRDB

extension SandboxStore {
  /// Stores a transaction by its ID. Sending a transaction again only changes its owner to the last sender, because
  /// people restore purchases under another account. A signature that is older than the known signature does not revert
  /// later changes, such as a revocation.
  func add(
    _ transaction: Transaction, user: String?, device: String?, in application: String
  ) async throws {
    try await write(application) { database in
      try Self.add(transaction, user: user, device: device, application, database)
    }
  }

  private static func add(
    _ transaction: Transaction, user: String?, device: String?, _ application: String,
    _ database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO sandbox_transactions
        (application, id, original, product, user, device, purchased_at, expires_at, revoked_at,
        signed_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET user = excluded.user, device = excluded.device
        """,
      arguments: [
        application, transaction.id, transaction.originalID, transaction.product, user, device,
        transaction.purchasedAt, transaction.expiresAt, transaction.revokedAt,
        transaction.signedAt, transaction.body,
      ])
    try database.execute(
      sql: """
        UPDATE sandbox_transactions SET original = ?, product = ?, purchased_at = ?, expires_at = ?,
        revoked_at = ?, signed_at = ?, body = ?
        WHERE application = ? AND id = ? AND coalesce(signed_at, 0) < ?
        """,
      arguments: [
        transaction.originalID, transaction.product, transaction.purchasedAt,
        transaction.expiresAt, transaction.revokedAt, transaction.signedAt, transaction.body,
        application, transaction.id, transaction.signedAt ?? 0,
      ])
  }

  /// A known transaction.
  struct KnownTransaction: Sendable {
    var id: String
    var original: String
    var product: String
    var expiresAt: Instant?
    var revokedAt: Instant?
    var user: String?
    var device: String?

    init(_ row: Row) {
      id = row["id"]
      original = row["original"]
      product = row["product"]
      expiresAt = row["expires_at"]
      revokedAt = row["revoked_at"]
      user = row["user"]
      device = row["device"]
    }

    func status(_ now: Instant) -> String {
      Transaction.status(expiresAt: expiresAt, revokedAt: revokedAt, now: now)
    }
  }

  func transaction(_ id: String, in application: String) async throws -> KnownTransaction? {
    try await database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM sandbox_transactions WHERE application = ? AND id = ?",
        arguments: [application, id]
      ).map { KnownTransaction($0) }
    }
  }

  /// A user's transactions: for each product, only the transaction that ends last.
  func subscriptions(of user: String, in application: String) async throws -> [KnownTransaction] {
    try await database.read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM sandbox_transactions WHERE application = ? AND user = ?
          ORDER BY revoked_at IS NOT NULL, coalesce(expires_at, 9e18) DESC, id
          """, arguments: [application, user])
      var seen: Set<String> = []
      return rows.map { KnownTransaction($0) }.filter { seen.insert($0.product).inserted }
    }
  }

  // MARK: Products of AgentWallie's API

  func addProduct(_ id: String, _ body: Value, to application: String) async throws {
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT INTO sandbox_products (application, product, body) VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET body = excluded.body
          """, arguments: [application, id, body.json])
    }
  }

  func addedProducts(of application: String) async throws -> [Value] {
    try await database.read { try Self.addedProducts(application, $0) }
  }

  private static func addedProducts(_ application: String, _ database: Database) throws -> [Value] {
    try String.fetchAll(
      database, sql: "SELECT body FROM sandbox_products WHERE application = ? ORDER BY rowid",
      arguments: [application]
    ).compactMap { try? Value.parse(json: $0.utf8) }
  }

  func entitlements(ofProduct id: String, in application: SandboxApplication) async throws
    -> [String]
  {
    try await database.read { try Self.entitlements(ofProduct: id, application, $0) }
  }

  static func entitlements(
    ofProduct id: String, _ application: SandboxApplication, _ database: Database
  ) throws -> [String] {
    var names = application.entitlements(ofProduct: id)
    for product in try addedProducts(application.id, database)
    where product["store_product_id"]?.text == id {
      for name in (product["entitlements"]?.elements ?? []).compactMap(\.text)
      where !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }
}
