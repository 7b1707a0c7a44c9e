#if SQLite || Command
  internal import Expressions
  internal import GRDB
  internal import SDK

  /// The tables, and the migrations from earlier versions.
  enum Schema {
    static var migrator: DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("1") { database in
        try database.execute(
          sql: """
            CREATE TABLE record (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE damaged (key TEXT NOT NULL, value TEXT);
            -- `total` is how many times there ever were; the last of them has the number `total`.
            CREATE TABLE log (
              id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, total INTEGER NOT NULL);
            CREATE TABLE time (
              log INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
              PRIMARY KEY (log, number)) WITHOUT ROWID;
            """)
      }
      return migrator
    }
  }

  extension StorageChange {
    func apply(to database: Database) throws {
      switch self {
      case .set(let key, let value):
        try database.cachedStatement(
          sql: "INSERT OR REPLACE INTO record (key, value) VALUES (?, ?)"
        ).execute(arguments: [key, value.json])
      case .remove(let key):
        try database.cachedStatement(sql: "DELETE FROM record WHERE key = ?")
          .execute(arguments: [key])
      case .append(let name, let time):
        try StoredLogs.append([time.milliseconds], earlier: 0, name, to: database)
      case .clearLogs(let names): try StoredLogs.clear(except: names, in: database)
      }
    }
  }

  /// The tables `log` and `time`.
  enum StoredLogs {
    static func append(
      _ times: [Int64], earlier: Int64, _ name: String, to database: Database
    ) throws {
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            INSERT INTO log (name, total) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET total = total + excluded.total RETURNING id, total
            """), arguments: [name, earlier + Int64(times.count)])
      guard let row else { return }
      let (id, total) = (row[0] as Int64, row[1] as Int64)
      let insert = try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO time (log, number, at) VALUES (?, ?, ?)")
      for (place, time) in times.enumerated() {
        try insert.execute(arguments: [id, total - Int64(times.count - 1 - place), time])
      }
      try database.cachedStatement(sql: "DELETE FROM time WHERE log = ? AND number <= ?")
        .execute(arguments: [id, total - Int64(StorageLog.limit)])
    }

    static func put(_ log: StorageLog, _ name: String, into database: Database) throws {
      try append(
        log.times.map(\.milliseconds), earlier: Int64(log.earlier), name, to: database)
    }

    static func clear(except names: Set<String>, in database: Database) throws {
      let kept = try Row.fetchAll(database, sql: "SELECT id, name FROM log")
        .filter { names.contains($0[1] as String) }.map { String($0[0] as Int64) }
        .joined(separator: ", ")
      try database.execute(sql: "DELETE FROM time WHERE log NOT IN (\(kept))")
      try database.execute(sql: "DELETE FROM log WHERE id NOT IN (\(kept))")
    }

    static func read(_ names: [String]?, from database: Database) throws -> [String: StorageLog] {
      let names = try names ?? String.fetchAll(database, sql: "SELECT name FROM log")
      var logs: [String: StorageLog] = [:]
      for name in names {
        let row = try Row.fetchOne(
          database.cachedStatement(sql: "SELECT id, total FROM log WHERE name = ?"),
          arguments: [name])
        guard let row else { continue }
        let times = try Int64.fetchAll(
          database.cachedStatement(sql: "SELECT at FROM time WHERE log = ? ORDER BY number"),
          arguments: [row[0] as Int64])
        logs[name] = StorageLog(
          times: times.map { Instant(milliseconds: $0) },
          earlier: Int(clamping: (row[1] as Int64) - Int64(times.count)))
      }
      return logs
    }
  }
#endif
