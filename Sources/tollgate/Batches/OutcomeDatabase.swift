internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Outcomes as an SQLite database.
///
/// During a run, rows go into a database that also contains the checkpoint. Each transaction advances the database from
/// one checkpoint to the next. When the run is complete, the rows are copied in order into a new database and indexed
/// in one transaction, so that the file does not depend on the number of stops.
final class OutcomeDatabase {
  private let path: String
  private let building: String
  private let resumes: Bool
  private let choices: [BatchPlan.Choice]
  private let placements: Int
  private let tables: OutcomeTables
  /// The database, which is open from ``begin(_:)`` to ``finish(_:counts:replacing:)``.
  private var database: SQLiteDatabase?
  private var users: Int64 = 0
  private var errors: ErrorTable
  private(set) var written: Manifest.Written?

  /// - Parameters:
  ///   - path: the path of the complete database.
  ///   - building: the path of the database during the run.
  ///   - resumes: whether to resume a database of an earlier start.
  init(_ path: String, building: String, _ plan: BatchPlan, resumes: Bool) {
    self.path = path
    self.building = building
    self.resumes = resumes
    choices = plan.choices
    placements = plan.placementCount
    tables = OutcomeTables(plan)
    errors = ErrorTable(placements: plan.emptyTally.placements.map(\.name))
  }

  /// Creates the database that is being built, or opens the database of an earlier start.
  ///
  /// - Parameter state: the state in which the run begins. Unless this is the beginning of the run, the database must
  ///   contain the state.
  func begin(_ state: Checkpoint) throws {
    users = Int64(state.sums.users)
    database = try OutcomeDatabase.telling(building) {
      if !resumes { OutcomeDatabase.remove(building) }
      let database = try OutcomeDatabase.open(building)
      if !resumes {
        try database.execute(
          "BEGIN;" + tables.tables + "CREATE TABLE progress (checkpoint TEXT)")
        try OutcomeDatabase.insert(choices, database)
        try database.rows("INSERT INTO progress VALUES (?)", [.string(state.value.json)])
        try database.execute("COMMIT")
      }
      try database.execute("BEGIN")
      return database
    }
  }

  /// Runs statements in the database that is being built.
  private func change(_ body: (SQLiteDatabase) throws -> Void) throws {
    try OutcomeDatabase.telling(building) { if let database { try body(database) } }
  }

  private static func open(_ path: String) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path)
    // A kill does not lose data that was passed to the system, and the journal undoes incomplete changes.
    try database.execute("PRAGMA synchronous = OFF")
    return database
  }

  /// The suffixes of the files that SQLite creates next to a database.
  static let companions = ["-journal", "-wal", "-shm"]

  static func remove(_ path: String) {
    for suffix in companions + [""] { FileName.remove(path + suffix) }
  }

  /// Runs statements, and adds the file's name to any error.
  private static func telling<Result>(_ path: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let error as SQLiteDatabase.Failure {
      if error.isInterruption { try Signals.check() }
      throw CommandError("cannot write \(path): \(error.message)", exitCode: Ending.unwritten)
    }
  }

  private static func insert(_ choices: [BatchPlan.Choice], _ database: SQLiteDatabase) throws {
    for (number, choice) in choices.enumerated() {
      let row =
        [.int(Int64(number)), .string(choice.placement)]
        + choice.values.members(OutcomeField.ofChoices).map(\.value)
      try database.rows("INSERT INTO choices VALUES (\(OutcomeTables.places(row.count)))", row)
    }
  }

  /// Inserts rows in the form of ``OutcomeForm/rows``.
  func write(_ rows: UnsafeRawBufferPointer) throws {
    // SAFETY: `OutcomeWriter` of this process wrote the rows, so lengths and places fit. The bytes
    // stay until the statement has run. Tests: RuleErrorsTests, PrecomputeFilesTests.
    try change { database in
      let user = try database.statement("INSERT INTO users VALUES (?, ?)")
      let decision = try database.statement(tables.insertion)
      var at = 0
      while at < rows.count {
        let length = Int(
          UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        at += 4
        users += 1
        user.bind(users, at: 1)
        user.bind(borrowed: UnsafeRawBufferPointer(rebasing: rows[at..<at + length]), at: 2)
        try user.run()
        at += length
        decision.bind(users, at: 1)
        for number in 0..<placements {
          let choice = rows.loadUnaligned(fromByteOffset: at, as: Int32.self)
          let place = tables.isWide ? Int32(number * tables.columnsOfDecision + 2) : 2
          decision.bind(Int64(choice), at: place)
          at += 4
          if tables.hasReasons { OutcomeDatabase.bindReason(rows, &at, decision, place + 1) }
          if !tables.isWide { try decision.run() }
        }
        if tables.isWide { try decision.run() }
        try errors.write(rows, &at, user: users, database)
      }
    }
  }

  /// Binds the reason at an offset in rows, or null for none, and advances the offset.
  private static func bindReason(
    _ rows: UnsafeRawBufferPointer, _ at: inout Int, _ decision: SQLiteStatement,
    _ place: Int32
  ) {
    // SAFETY: As in `write`: the length comes from our own writer. Tests: PrecomputeFilesTests.
    let count = Int(
      UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
    at += 4
    if count == 0 { return decision.bindNull(at: place) }
    decision.bind(borrowed: UnsafeRawBufferPointer(rebasing: rows[at..<at + count]), at: place)
    at += count
  }

  /// Commits the last rows, together with the run's progress.
  func commit(_ checkpoint: Checkpoint) throws {
    try change { database in
      try database.rows("UPDATE progress SET checkpoint = ?", [.string(checkpoint.value.json)])
      try database.execute("COMMIT; BEGIN")
    }
  }

  /// Creates the database of a complete run. If creating it fails or is stopped, the unfinished database can still be
  /// resumed, and a database of an earlier run stays.
  ///
  /// - Parameter replacing: called before the new database replaces the old one.
  func finish(_ checkpoint: Checkpoint, counts: String, replacing: () -> Void) throws {
    try commit(checkpoint)
    let place = FilePlace(path)
    let new = place.target + ".new"
    try change { try $0.execute("COMMIT") }
    OutcomeDatabase.remove(new)
    do {
      try OutcomeDatabase.telling(path) { try copy(to: new, checkpoint.settings, counts: counts) }
    } catch {
      OutcomeDatabase.remove(new)
      throw error
    }
    database?.close()
    do throws(Errno) {
      SavedFile.takeOver(place, new)
      replacing()
      // Files that SQLite left next to the old database do not belong to the new database.
      for suffix in OutcomeDatabase.companions { FileName.remove(place.target + suffix) }
      try FileName.replace(new, place.target)
    } catch {
      OutcomeDatabase.remove(new)
      throw CommandError.cannotWrite(path, error)
    }
    written = Manifest.Written(path: path, try InputFile(path).hash())
  }

  private func copy(to new: String, _ settings: RunSettings, counts: String) throws {
    let target = try OutcomeDatabase.open(new)
    defer { target.close() }
    target.stop(every: 10_000) { Signals.isStopRequested }
    try target.rows("ATTACH ? AS building", [.string(building)])
    try target.execute("BEGIN;" + tables.tables + tables.runTable)
    for table in ["choices", "users", "decisions", "rule_errors", "user_errors"] {
      try target.execute("INSERT INTO main.\(table) SELECT * FROM building.\(table)")
    }
    try tables.insertRun(settings.value.json, counts, target)
    try target.execute(tables.indexes + "COMMIT; DETACH building")
  }

  /// The checkpoint in a database that is being built, or nil.
  static func checkpoint(in path: String) -> String? {
    guard
      case .string(let checkpoint)? = try? open(path).rows("SELECT checkpoint FROM progress")
        .first?.first
    else { return nil }
    return checkpoint
  }

  // MARK: Existing files

  /// Whether a file is an unfinished database of a run, or an empty database.
  static func isCheckpoint(_ path: String) throws -> Bool { try isOurs(path, with: "progress") }

  /// Whether a file is a database that a kill left just before its completion.
  static func isUnfinished(_ path: String) throws -> Bool { try isOurs(path, with: "run") }

  /// Whether a file is a database without any table, or with a table that only runs create.
  private static func isOurs(_ path: String, with table: String) throws -> Bool {
    guard try isDatabase(path),
      let rows = try? open(path).rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    else { return false }
    let tables = Set(rows.joined())
    return tables.isEmpty || tables.isSuperset(of: ["choices", "decisions", .string(table)])
  }

  /// Whether a file is an SQLite database, or an empty file, which can become one.
  static func isDatabase(_ path: String) throws -> Bool {
    guard FileIdentity.regularSize(of: path) != nil else { return false }
    let beginning = try InputFile(path).beginning(FileSignature.length)
    if beginning.isEmpty || beginning.starts(with: "SQLite format 3".utf8) { return true }
    // SQLite may write the first page last. An earlier kill leaves zeros in that page, and the journal.
    return try beginning.allSatisfy { $0 == 0 } && isCompanion(path + "-journal", "-journal")
  }

  /// Whether the first bytes of a file next to a database show that SQLite wrote the file. Inactive parts are zero.
  static func isCompanion(_ path: String, _ suffix: String) throws -> Bool {
    guard FileIdentity.regularSize(of: path) != nil else { return false }
    let found = try InputFile(path).beginning(4)
    let known: [[UInt8]] =
      switch suffix {
      case "-journal": [[0xD9, 0xD5, 0x05, 0xF9]]
      case "-wal": [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
      // The version of the index, in native byte order.
      default: [[0x18, 0xE2, 0x2D, 0x00], [0x00, 0x2D, 0xE2, 0x18]]
      }
    return found.allSatisfy { $0 == 0 } || known.contains(found)
  }
}

extension InputFile {
  /// The hash of a regular file's bytes.
  func hash() throws -> XXH64.Stream {
    var hash = XXH64.Stream()
    try forEachBlock { hash.add($0) }
    return hash
  }

  /// Calls the body with the bytes of a regular file, block after block.
  func forEachBlock(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    // SAFETY: Only the bytes that were read are passed on. The memory is freed when the last block
    // is done. Tests: PrecomputeFilesTests.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { memory.deallocate() }
    var offset = 0
    while true {
      let count = try read(into: memory, at: offset)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      offset += count
    }
  }
}
