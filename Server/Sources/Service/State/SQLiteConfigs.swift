internal import Expressions
internal import Foundation
internal import GRDB

/// Configs, their history and the audit log.
extension SQLiteStore {
  package func publish(_ config: NewConfig) async throws -> Int {
    try await database.write { database in
      let last =
        try Int.fetchOne(
          database, sql: "SELECT MAX(number) FROM configVersion WHERE application = ?",
          arguments: [config.application]) ?? 0
      if let expected = config.after, expected != last { throw ServiceError.changedMeanwhile }
      try database.execute(
        sql: "INSERT INTO configVersion VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          config.application, last + 1, config.at.milliseconds, config.by, config.source,
          config.hash, config.note, Data(config.bytes), config.origin,
        ])
      try Self.add(config.entry(last + 1), database)
      return last + 1
    }
  }

  package func add(_ entry: AuditEntry) async throws {
    try await database.write { try Self.add(entry, $0) }
  }

  static func add(_ entry: AuditEntry, number: Int64? = nil, _ database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO audit VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        number, entry.at.milliseconds, entry.by, entry.application, entry.action, entry.detail,
      ])
  }

  package var isShared: Bool { false }

  package func newestVersions(waiting: Duration) async throws -> [String: Int] {
    try await Task.sleep(for: waiting)
    return try await database.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT application, MAX(number) AS newest FROM configVersion GROUP BY application"
      ).reduce(into: [:]) { $0[$1["application"]] = $1["newest"] }
    }
  }

  package func versions(of application: String, limit: Int) async throws -> [ConfigVersion] {
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

  package func config(of application: String, number: Int?, source: String?) async throws -> (
    version: ConfigVersion, bytes: [UInt8]
  )? {
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

  package func version(before number: Int, hash: String, of application: String) async throws
    -> Int?
  {
    try await database.read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT MAX(number) FROM configVersion WHERE application = ?1 AND hash <> ?3
          AND number < (SELECT ifnull(MAX(origin), ?2) FROM configVersion
            WHERE application = ?1 AND number = ?2)
          """, arguments: [application, number, hash])
    }
  }

  package func audit(of application: String?, limit: Int) async throws -> [AuditEntry] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT at, by, application, action, detail FROM audit
          WHERE ?1 IS NULL OR application = ?1 ORDER BY id DESC LIMIT ?2
          """, arguments: [application, limit]
      ).map(Self.entry)
    }
  }

  static func entry(_ row: Row) -> AuditEntry {
    AuditEntry(
      at: Instant(milliseconds: row["at"]), by: row["by"], application: row["application"],
      action: row["action"], detail: row["detail"])
  }

  static func version(_ row: Row) -> ConfigVersion {
    ConfigVersion(
      number: row["number"], at: Instant(milliseconds: row["at"]), by: row["by"],
      source: row["source"], hash: row["hash"], note: row["note"], origin: row["origin"])
  }
}
