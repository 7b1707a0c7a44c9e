internal import CSQLite
internal import Expressions

/// A connection to an SQLite database.
///
/// Only one thread may use the connection at a time. The connection closes when its last reference is released.
final class SQLiteDatabase {
  /// An error of SQLite, with its own message.
  struct Failure: Error {
    /// SQLite's result code.
    let code: Int32
    let message: String

    var isInterruption: Bool { code & 0xFF == SQLITE_INTERRUPT }
  }

  private let connection: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  private var isOpen = true

  /// Opens a database for reading and writing. A missing database is created.
  init(_ path: String) throws(Failure) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      let text = opened.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
      throw Failure(code: code, message: text.map { String(cString: $0) } ?? "error \(code)")
    }
    connection = opened
    sqlite3_extended_result_codes(connection, 1)
  }

  deinit { close() }

  /// The maximum number of columns of a table or a view in this build of the library.
  static func columnLimit() throws -> Int {
    Int(sqlite3_limit(try SQLiteDatabase(":memory:").connection, SQLITE_LIMIT_COLUMN, -1))
  }

  /// Closes the connection. Uncommitted changes are undone.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(connection)
  }

  /// Calls back after this many steps of a statement. The result `true` stops the statement with `SQLITE_INTERRUPT`.
  func stop(every steps: Int32, when isStopped: @escaping @convention(c) () -> Bool) {
    // SAFETY: The function captures nothing, so it is one address and survives the way through a
    // `void *`. Tests: PrecomputeFilesTests, StoppingTests.
    sqlite3_progress_handler(
      connection, steps,
      { context in
        unsafeBitCast(context, to: (@convention(c) () -> Bool).self)() ? 1 : 0
      }, unsafeBitCast(isStopped, to: UnsafeMutableRawPointer.self))
  }

  /// Runs statements without arguments and results.
  func execute(_ sql: String) throws(Failure) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Runs one statement and returns its rows.
  ///
  /// - Parameter arguments: null, booleans, integers, doubles and strings, one for each `?`.
  @discardableResult
  func rows(_ sql: String, _ arguments: [Value] = []) throws(Failure) -> [[Value]] {
    let statement = try statement(sql)
    // The rows of a statement stay locked until it is reset.
    defer { statement.reset() }
    for (number, argument) in arguments.enumerated() {
      try statement.bind(argument, at: Int32(number + 1))
    }
    var rows: [[Value]] = []
    while try statement.next() { rows.append(statement.row) }
    return rows
  }

  /// The compiled form of a statement, cached for the next time.
  func statement(_ sql: String) throws(Failure) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    var compiled: OpaquePointer?
    try check(sqlite3_prepare_v2(connection, sql, -1, &compiled, nil))
    guard let compiled else {
      throw Failure(code: SQLITE_MISUSE, message: "there is no statement in \"\(sql)\"")
    }
    let statement = SQLiteStatement(compiled, connection)
    statements[sql] = statement
    return statement
  }

  private func check(_ code: Int32) throws(Failure) {
    if code != SQLITE_OK { throw Failure(code, connection) }
  }
}

extension SQLiteDatabase.Failure {
  fileprivate init(_ code: Int32, _ connection: OpaquePointer) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(connection)))
  }
}

/// A compiled statement of a ``SQLiteDatabase``. The statement must not be used after the database is closed.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer

  fileprivate init(_ handle: OpaquePointer, _ connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
  }

  fileprivate func finalize() { sqlite3_finalize(handle) }

  @inline(__always)
  func bind(_ number: Int64, at place: Int32) { sqlite3_bind_int64(handle, place, number) }

  @inline(__always)
  func bindNull(at place: Int32) { sqlite3_bind_null(handle, place) }

  /// Binds a string without a copy: its bytes must stay until the statement has run.
  @inline(__always)
  func bind(borrowed text: UnsafeRawBufferPointer, at place: Int32) {
    // SAFETY: The caller keeps the bytes until the statement has run. SQLite gets their count.
    // Tests: PrecomputeFilesTests.
    // Without an address SQLite would bind null.
    guard let start = text.baseAddress else {
      sqlite3_bind_text(handle, place, "", 0, nil)
      return
    }
    sqlite3_bind_text(
      handle, place, start.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }

  /// Runs a statement that returns no rows.
  @inline(__always)
  func run() throws(SQLiteDatabase.Failure) {
    let code = sqlite3_step(handle)
    if code != SQLITE_DONE {
      let failure = SQLiteDatabase.Failure(code, connection)
      sqlite3_reset(handle)
      throw failure
    }
    sqlite3_reset(handle)
  }

  fileprivate func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  fileprivate func bind(_ value: Value, at place: Int32) throws(SQLiteDatabase.Failure) {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, place)
    case .bool(let truth): code = sqlite3_bind_int64(handle, place, truth ? 1 : 0)
    case .int(let number): code = sqlite3_bind_int64(handle, place, number)
    case .double(let number): code = sqlite3_bind_double(handle, place, number)
    case .string(let text):
      // SQLite's name for "copy this before you return".
      // SAFETY: SQLITE_TRANSIENT is a function pointer with the value -1 in SQLite's header, which
      // Swift cannot import. Tests: PrecomputeFilesTests.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      code = sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), transient)
    default:
      throw SQLiteDatabase.Failure(
        code: SQLITE_MISMATCH, message: "a database takes no \(value.typeName)")
    }
    if code != SQLITE_OK { throw SQLiteDatabase.Failure(code, connection) }
  }

  fileprivate func next() throws(SQLiteDatabase.Failure) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteDatabase.Failure(code, connection)
    }
  }

  fileprivate var row: [Value] {
    // SAFETY: A column's bytes are copied before the next step. SQLite reports their count.
    // Tests: PrecomputeFilesTests.
    (0..<sqlite3_column_count(handle)).map { column in
      switch sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: .int(sqlite3_column_int64(handle, column))
      case SQLITE_FLOAT: .double(sqlite3_column_double(handle, column))
      case SQLITE_TEXT:
        .string(
          String(
            decoding: UnsafeRawBufferPointer(
              start: sqlite3_column_text(handle, column),
              count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self))
      case SQLITE_BLOB:
        .bytes(
          Array(
            UnsafeRawBufferPointer(
              start: sqlite3_column_blob(handle, column),
              count: Int(sqlite3_column_bytes(handle, column)))))
      default: .null
      }
    }
  }
}
