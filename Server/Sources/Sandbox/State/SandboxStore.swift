internal import CivilTime
internal import Crypto
internal import Foundation
internal import GRDB
internal import Service

/// The state of the sandbox, in tables of the server's database.
struct SandboxStore: Sendable {
  let database: any DatabaseWriter
  private let limits: [RowLimit]

  init(_ database: any DatabaseWriter, keeping kept: KeptRows = KeptRows()) throws {
    self.database = database
    limits =
      [
        RowLimit("sandbox_events", most: kept.events),
        RowLimit("sandbox_checkouts", most: kept.checkouts) { database, application, last in
          // Redeemed codes belong to their users, even after the checkout is deleted.
          try database.execute(
            sql: """
              DELETE FROM sandbox_codes WHERE application = ?1 AND code IN (
                SELECT code FROM sandbox_checkouts WHERE application = ?1 AND rowid <= ?2)
              AND NOT EXISTS (SELECT 1 FROM sandbox_redemptions AS redemption
                WHERE redemption.application = ?1 AND redemption.code = sandbox_codes.code)
              """, arguments: [application, last])
        },
      ]
      + ["aliases", "assignments", "redemptions", "transactions"].map {
        RowLimit("sandbox_\($0)", most: kept.people)
      }
    try Self.migrator.migrate(database)
  }

  /// Changes an application's data in one transaction, which also enforces the limits of its tables.
  func write<Result: Sendable>(
    _ application: String, _ change: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let limits = limits
    return try await database.write { database in
      let before = database.totalChangesCount
      let result = try change(database)
      let changes = database.totalChangesCount - before
      if changes > 0 {
        for limit in limits { try limit.trim(application, adding: changes, in: database) }
      }
      return result
    }
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("sandbox-1") { database in
      try database.execute(sql: schema)
    }
    migrator.registerMigration("sandbox-2") { database in
      for table in [
        "events", "checkouts", "aliases", "assignments", "redemptions", "transactions",
      ] {
        try database.execute(
          sql: "CREATE INDEX sandbox_\(table)_by_age ON sandbox_\(table) (application)")
      }
    }
    return migrator
  }

  private static let schema = """
    CREATE TABLE sandbox_secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);

    CREATE TABLE sandbox_aliases (
      application TEXT NOT NULL, alias TEXT NOT NULL, user TEXT NOT NULL,
      PRIMARY KEY (application, alias));

    CREATE TABLE sandbox_assignments (
      id INTEGER PRIMARY KEY, application TEXT NOT NULL, subject TEXT NOT NULL,
      experiment TEXT NOT NULL, variant TEXT NOT NULL, confirmed_at INTEGER NOT NULL,
      UNIQUE (application, subject, experiment));

    CREATE TABLE sandbox_events (
      id INTEGER PRIMARY KEY AUTOINCREMENT, application TEXT NOT NULL, source TEXT NOT NULL,
      event_id TEXT NOT NULL, name TEXT NOT NULL, user TEXT, received_at INTEGER NOT NULL,
      body TEXT NOT NULL, UNIQUE (application, source, event_id));

    CREATE TABLE sandbox_checkouts (
      id TEXT PRIMARY KEY, application TEXT NOT NULL, product TEXT NOT NULL, store TEXT NOT NULL,
      directive TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL,
      completed_at INTEGER, user TEXT, device TEXT, email TEXT, setup_intent TEXT,
      customer TEXT NOT NULL, subscription TEXT NOT NULL, code TEXT NOT NULL,
      context TEXT NOT NULL, repeat_key TEXT, UNIQUE (application, repeat_key));

    CREATE TABLE sandbox_codes (
      application TEXT NOT NULL, code TEXT NOT NULL, entitlements TEXT NOT NULL, product TEXT,
      store TEXT NOT NULL, email TEXT, purchaser TEXT, customer TEXT NOT NULL,
      subscription TEXT NOT NULL, is_shared INTEGER NOT NULL, error TEXT, paywall TEXT,
      bought_at INTEGER NOT NULL, expires_at INTEGER, resent_at INTEGER, ends_at INTEGER,
      revoked_at INTEGER, PRIMARY KEY (application, code));

    CREATE TABLE sandbox_redemptions (
      application TEXT NOT NULL, code TEXT NOT NULL, kind TEXT NOT NULL, owner TEXT NOT NULL,
      redeemed_at INTEGER NOT NULL, PRIMARY KEY (application, code, kind, owner));
    CREATE INDEX sandbox_redemptions_by_owner ON sandbox_redemptions (application, kind, owner);

    CREATE TABLE sandbox_transactions (
      application TEXT NOT NULL, id TEXT NOT NULL, original TEXT NOT NULL, product TEXT NOT NULL,
      user TEXT, device TEXT, purchased_at INTEGER NOT NULL, expires_at INTEGER,
      revoked_at INTEGER, signed_at INTEGER, body TEXT NOT NULL, PRIMARY KEY (application, id));
    CREATE INDEX sandbox_transactions_by_user ON sandbox_transactions (application, user);

    CREATE TABLE sandbox_products (
      application TEXT NOT NULL, product TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (application, product));
    """

  /// The secret for sealing checkouts. The secret is created once, and stored like all other data.
  func checkoutSecret() throws -> Data {
    try database.write { database in
      let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
      try database.execute(
        sql: "INSERT OR IGNORE INTO sandbox_secrets (name, value) VALUES ('checkout', ?)",
        arguments: [key])
      return try Data.fetchOne(
        database, sql: "SELECT value FROM sandbox_secrets WHERE name = 'checkout'") ?? key
    }
  }

  /// Deletes all data of an application except the data of the fixtures.
  func reset(_ application: SandboxApplication, now: Instant) async throws {
    try await database.write { database in
      for table in [
        "aliases", "assignments", "events", "checkouts", "codes", "redemptions", "transactions",
        "products",
      ] {
        try database.execute(
          sql: "DELETE FROM sandbox_\(table) WHERE application = ?", arguments: [application.id])
      }
      try Self.seed(application, now: now, in: database)
    }
  }

  /// Adds the missing codes of the fixtures.
  func seed(_ applications: [SandboxApplication], now: Instant) throws {
    try database.write { database in
      for application in applications { try Self.seed(application, now: now, in: database) }
    }
  }

  private static func seed(_ application: SandboxApplication, now: Instant, in database: Database)
    throws
  {
    for code in application.codes {
      try RedeemCode(code, application, now).insert(application.id, in: database)
    }
  }
}

extension Database {
  /// Adds an event on the server's side of a request, for the console.
  func record(
    _ name: String, _ body: String, of user: String?, _ application: String, _ now: Instant
  )
    throws
  {
    try execute(
      sql: """
        INSERT INTO sandbox_events (application, source, event_id, name, user, received_at, body)
        VALUES (?, 'server', ?, ?, ?, ?, ?)
        """,
      arguments: [application, UUID().uuidString, name, user, now, body])
  }
}
