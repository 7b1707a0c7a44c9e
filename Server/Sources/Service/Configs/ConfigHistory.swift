package import Expressions
internal import Foundation
package import GRDB
internal import RuleEngine

/// The versions that there were of each application's config, and who changed what.
package struct ConfigHistory: Sendable {
  /// One version, without its text.
  package struct Version: Sendable {
    package var number: Int
    package var at: Instant
    package var by: String
    /// `file`, `api` or `rollback`.
    package var source: String
    package var hash: String
    package var note: String?
    /// The version that it is the same as, where somebody has gone back to it.
    package var origin: Int?

    package var value: Value {
      .members([
        "version": .int(Int64(number)), "at": ServiceTime.value(at), "by": .string(by),
        "source": .string(source), "sha256": .string(hash),
        "sameAs": origin.map { .int(Int64($0)) }, "note": note.map { .string($0) },
      ])
    }
  }

  private let database: any DatabaseWriter

  package init(_ database: any DatabaseWriter) throws {
    self.database = database
    var migrator = DatabaseMigrator()
    migrator.registerMigration("service 1") { database in
      try database.execute(
        sql: """
          CREATE TABLE configVersion (
            application TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
            by TEXT NOT NULL, source TEXT NOT NULL, hash TEXT NOT NULL, note TEXT,
            json BLOB NOT NULL, PRIMARY KEY (application, number)) STRICT;
          CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL,
            application TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
          CREATE TABLE assignment (
            application TEXT NOT NULL, user TEXT NOT NULL, experiment TEXT NOT NULL,
            variant TEXT NOT NULL, PRIMARY KEY (application, user, experiment)) STRICT;
          CREATE TABLE occurrence (
            application TEXT NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL,
            at INTEGER NOT NULL) STRICT;
          CREATE INDEX occurrenceOfUser ON occurrence (application, user);
          CREATE TABLE decided (
            application TEXT NOT NULL, request TEXT NOT NULL, at INTEGER NOT NULL,
            question BLOB NOT NULL, answer BLOB NOT NULL,
            PRIMARY KEY (application, request)) STRICT;
          """)
    }
    migrator.registerMigration("service 2") { database in
      try database.execute(
        sql: """
          ALTER TABLE configVersion ADD COLUMN origin INTEGER;
          UPDATE configVersion SET origin = CAST(substr(note, length('back to version ') + 1) AS INTEGER)
            WHERE source = 'rollback' AND note LIKE 'back to version %';
          ALTER TABLE decided ADD COLUMN version INTEGER;
          """)
    }
    migrator.registerMigration("requests by time") { database in
      try database.execute(sql: "CREATE INDEX decidedByTime ON decided (application, at)")
    }
    try migrator.migrate(database)
  }

  /// Appends a version, with an entry of the audit log.
  ///
  /// - Returns: its number.
  package func append(
    _ bytes: [UInt8], hash: String, to application: String, by: String, source: String,
    note: String?, at: Instant, detail: String, after expected: Int? = nil, origin: Int? = nil
  ) async throws -> Int {
    try await database.write { database in
      let last =
        try Int.fetchOne(
          database, sql: "SELECT MAX(number) FROM configVersion WHERE application = ?",
          arguments: [application]) ?? 0
      if let expected, expected != last { throw ServiceError.changedMeanwhile }
      try database.execute(
        sql: "INSERT INTO configVersion VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          application, last + 1, at.milliseconds, by, source, hash, note, Data(bytes), origin,
        ])
      try Self.audit(
        database, by: by, application, action: "config \(source)",
        detail: "version \(last + 1)\(detail.isEmpty ? "" : ": \(detail)")", at: at)
      return last + 1
    }
  }

  /// Writes an entry of the audit log.
  package func audit(
    by: String, _ application: String, action: String, detail: String, at: Instant
  ) async throws {
    try await database.write { database in
      try Self.audit(database, by: by, application, action: action, detail: detail, at: at)
    }
  }

  private static func audit(
    _ database: Database, by: String, _ application: String, action: String, detail: String,
    at: Instant
  ) throws {
    try database.execute(
      sql: "INSERT INTO audit (at, by, application, action, detail) VALUES (?, ?, ?, ?, ?)",
      arguments: [at.milliseconds, by, application, action, detail])
  }

  /// The last versions, the newest first.
  package func versions(of application: String, limit: Int = 100) async throws -> [Version] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT number, at, by, source, hash, note, origin FROM configVersion
          WHERE application = ?
          ORDER BY number DESC LIMIT ?
          """, arguments: [application, limit]
      ).map(Self.version)
    }
  }

  /// The text of a version; of the newest without a number.
  package func text(of application: String, number: Int? = nil, source: String? = nil)
    async throws -> (version: Version, bytes: [UInt8])?
  {
    try await database.read { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT * FROM configVersion WHERE application = ? AND (?2 IS NULL OR number = ?2)
          AND (?3 IS NULL OR source = ?3) ORDER BY number DESC LIMIT 1
          """, arguments: [application, number, source]
      ).map { row in (Self.version(row), Array(row["json"] as Data)) }
    }
  }

  /// The last version before a config that is another one; before the version that it is the same as,
  /// where somebody has gone back.
  package func number(before config: LoadedConfig, of application: String) async throws -> Int? {
    try await database.read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT MAX(number) FROM configVersion WHERE application = ?1 AND hash <> ?3
          AND number < (SELECT ifnull(MAX(origin), ?2) FROM configVersion
            WHERE application = ?1 AND number = ?2)
          """, arguments: [application, config.number, config.hash])
    }
  }

  /// The audit log, the newest entry first.
  package func audit(of application: String?, limit: Int) async throws -> [Value] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT at, by, application, action, detail FROM audit
          WHERE ?1 IS NULL OR application = ?1 ORDER BY id DESC LIMIT ?2
          """, arguments: [application, limit]
      ).map { row in
        .object([
          "at": ServiceTime.value(Instant(milliseconds: row["at"])), "by": .string(row["by"]),
          "application": .string(row["application"]), "action": .string(row["action"]),
          "detail": .string(row["detail"]),
        ])
      }
    }
  }

  private static func version(_ row: Row) -> Version {
    Version(
      number: row["number"], at: Instant(milliseconds: row["at"]), by: row["by"],
      source: row["source"], hash: row["hash"], note: row["note"], origin: row["origin"])
  }
}
