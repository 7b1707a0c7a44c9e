#if SQLite || Command
  public import Expressions
  internal import Foundation
  internal import GRDB
  public import SDK
  internal import SDKLive

  /// Stores the SDK's data in an SQLite database, `tollgate.sqlite`.
  ///
  /// ```swift
  /// let tollgate = Tollgate(ports: .live(storage: SQLiteStorage(folder: path), presenter: presenter))
  /// ```
  ///
  /// The SDK does not read the event history when it starts, and rules read only the events that they name. Data that
  /// ``SDKLive`` stored in the folder is imported once. An unreadable database is renamed, and a new database is
  /// created.
  ///
  /// If the process is killed, no written data is lost. After a power failure, the last writes may be lost, but the
  /// database stays intact.
  public actor SQLiteStorage: StateStorage {
    private let folder: String
    private var database: DatabaseQueue?
    private var faults: [String] = []

    /// - Parameter folder: the folder of the database. A missing folder is created.
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

    /// Closes the database. The next request opens it again.
    package func close() throws {
      try database?.close()
      database = nil
    }

    // MARK: Opening

    /// Runs work on the database. A damaged database is set aside, and a new database is created.
    private func attempt<Result: Sendable>(
      _ body: (DatabaseQueue) async throws -> Result
    ) async throws -> Result {
      var used: DatabaseQueue?
      do {
        let database = try open()
        used = database
        return try await body(database)
      } catch let error as DatabaseError where error.isDamage {
        // Another call may already have noticed the damage.
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

    /// Imports the data of ``FileStorage`` in the folder, once. The file is deleted after the import.
    ///
    /// A mark in the database, written together with the data, records the import. If the process
    /// is killed meanwhile, or the file is temporarily unreadable, the import happens at the next
    /// start.
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
      // The files next to the database belong to it, and would damage the next database.
      for end in ["-wal", "-shm"] {
        try? FileManager.default.moveItem(atPath: path + end, toPath: name + end)
      }
      faults.append(
        "the database is damaged (\(error.message ?? "\(error.resultCode)")); it was moved to \(name), and"
          + " the SDK starts without saved data")
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

    /// A record that cannot be set aside stays in place. The other records are read anyway.
    private func setAside(_ keys: [String], in database: DatabaseQueue) async {
      var fate = "it was moved to the table 'damaged'"
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
        fate = "it cannot be moved either (\(error))"
      }
      faults += keys.map { "the record '\($0)' cannot be read; \(fate)" }
    }
  }

  extension DatabaseError {
    /// Whether the file is no longer a usable database.
    fileprivate var isDamage: Bool {
      resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
    }
  }
#else
  /// For apps that use the package with the trait `SQLite`.
  @available(*, unavailable, message: "add the package with traits: [\"SQLite\"]")
  public struct SQLiteStorage {}
#endif
