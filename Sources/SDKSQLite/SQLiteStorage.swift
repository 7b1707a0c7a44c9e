#if SQLite || Command
  public import Expressions
  internal import Foundation
  internal import GRDB
  public import SDK
  internal import SDKLive

  /// Keeps what the SDK knows in an SQLite database, `tollgate.sqlite`.
  ///
  /// ```swift
  /// let tollgate = Tollgate(ports: .live(storage: SQLiteStorage(folder: path), presenter: presenter))
  /// ```
  ///
  /// It reads what is asked for, and nothing else: however much has happened, a start reads no history,
  /// and rules read that of the events that they name. What a folder has from ``SDKLive`` is taken over,
  /// once. A database that cannot be read is put aside under another name.
  ///
  /// A process that is killed loses nothing that was written. When the power goes, what was written in the
  /// last moments can be lost, and nothing is damaged.
  public actor SQLiteStorage: StateStorage {
    private let folder: String
    private var database: DatabaseQueue?
    private var faults: [String] = []

    /// - Parameter folder: where the database is; it is made when it is not there.
    public init(folder: String) { self.folder = folder }

    private var path: String { folder + "/tollgate.sqlite" }

    public func records(_ prefix: String) async throws -> [String: Value] {
      try await attempt { try await self.readRecords($0, prefix) }
    }

    public func logs(_ names: [String]?) async throws -> [String: StorageLog] {
      try await attempt { database in
        try await database.read { try StoredLogs.read(names, from: $0) }
      }
    }

    public func write(_ changes: [StorageChange]) async throws {
      try await attempt { database in
        try await database.write { database in
          for change in changes { try change.apply(to: database) }
        }
      }
    }

    public func takeFaults() async -> [String] {
      defer { faults = [] }
      return faults
    }

    /// Closes the database. It is opened again when somebody asks.
    package func close() throws {
      try database?.close()
      database = nil
    }

    // MARK: Opening

    /// Does something with the database. One that is damaged is put aside, and another one is begun.
    private func attempt<Result: Sendable>(
      _ body: (DatabaseQueue) async throws -> Result
    ) async throws -> Result {
      var used: DatabaseQueue?
      do {
        let database = try open()
        used = database
        return try await body(database)
      } catch let error as DatabaseError where error.isDamage {
        // Another call may have seen it before.
        if used === database { try setAside(error) }
        return try await body(try open())
      }
    }

    private func open() throws -> DatabaseQueue {
      if let database { return database }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      var configuration = Configuration()
      configuration.journalMode = .wal
      configuration.busyMode = .timeout(2)
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
      let opened = try DatabaseQueue(path: path, configuration: configuration)
      try Schema.migrator.migrate(opened)
      try takeOver(into: opened)
      database = opened
      return opened
    }

    /// Takes what ``FileStorage`` has kept in the folder, once. Its file goes when everything is here.
    ///
    /// Whether that was done stands in the database, written together with what was taken: who is killed
    /// on the way, or cannot read the file just then, does it at the next start.
    private func takeOver(into database: DatabaseQueue) throws {
      let isDone = try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 > 0 }
      if isDone { return }
      let files = FileStorage(folder: folder)
      let (image, paths) = try files.takeOver()
      faults += files.takeFaults()
      try database.write { database in
        try database.execute(sql: "PRAGMA user_version = 1")
        for (key, value) in image.records {
          try StorageChange.set(key, value).apply(to: database)
        }
        for (name, log) in image.logs { try StoredLogs.put(log, name, into: database) }
      }
      for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }

    private func setAside(_ error: DatabaseError) throws {
      try? database?.close()
      database = nil
      let name = "\(path).damaged-\(Int(Date().timeIntervalSince1970 * 1_000))"
      try FileManager.default.moveItem(atPath: path, toPath: name)
      // What stands beside it belongs to it, and would damage the next one.
      for end in ["-wal", "-shm"] {
        try? FileManager.default.moveItem(atPath: path + end, toPath: name + end)
      }
      faults.append(
        "the database is damaged (\(error.message ?? "\(error.resultCode)")); it is kept as \(name), and"
          + " everything is as at a first start")
    }

    // MARK: Records

    private func readRecords(_ database: DatabaseQueue, _ prefix: String) async throws
      -> [String: Value]
    {
      let texts = try await database.read { database in
        let rows = try Row.fetchAll(
          database,
          sql: "SELECT key, value FROM record WHERE key >= ? AND key < ?",
          arguments: [prefix, prefix + "\u{7F}"])
        return rows.map { row in (key: row[0] as String, value: row[1] as String) }
      }
      var records: [String: Value] = [:]
      var damaged: [String] = []
      for (key, text) in texts {
        if let value = try? Value.parse(json: text.utf8) {
          records[key] = value
        } else {
          damaged.append(key)
        }
      }
      if !damaged.isEmpty { await setAside(damaged, in: database) }
      return records
    }

    /// What cannot be put aside stays where it is: the other records are read all the same.
    private func setAside(_ keys: [String], in database: DatabaseQueue) async {
      var fate = "it is kept in the table 'damaged'"
      do {
        try await database.write { database in
          for key in keys {
            try database.execute(
              sql: "INSERT INTO damaged SELECT key, value FROM record WHERE key = ?",
              arguments: [key])
            try database.execute(sql: "DELETE FROM record WHERE key = ?", arguments: [key])
          }
        }
      } catch {
        fate = "it cannot be put aside either (\(error))"
      }
      faults += keys.map { "the record '\($0)' cannot be read; \(fate)" }
    }
  }

  extension DatabaseError {
    /// Whether the file is no database that can be used any more.
    fileprivate var isDamage: Bool {
      resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
    }
  }
#else
  /// Is there for apps that take the package with the trait `SQLite`.
  @available(*, unavailable, message: "take the package with traits: [\"SQLite\"]")
  public struct SQLiteStorage {}
#endif
