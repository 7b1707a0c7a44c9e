#if PostgreSQL
  internal import CPostgreSQL
  internal import Expressions
  internal import Foundation

  /// A connection to PostgreSQL, which only one thread uses at a time.
  final class PostgresConnection: @unchecked Sendable {
    // SAFETY: `PostgresPool` gives a connection to one thread, which alone touches `handle` until it gives it
    // back. `deinit` ends it. Tests: PostgresTests, StoreTests under tsan.
    private let handle: OpaquePointer
    /// The names of prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private var nameCount = 0
    private let timeout: Duration
    private let counted: Locked<StoreFigures>?
    /// The time by which statements must have ended, whatever their time-out is.
    var due: ContinuousClock.Instant?
    /// The reason why the connection can no longer be used.
    private(set) var fault: PostgresFault?
    /// Whether the connection can be used again.
    var isIdle: Bool { fault == nil && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Connects, and sets the time-outs of the session.
    init(
      _ options: PostgresOptions, due: ContinuousClock.Instant? = nil,
      counted: Locked<StoreFigures>? = nil
    ) throws(PostgresFault) {
      self.due = due
      self.counted = counted
      let deadline = Self.earlier(.now + .milliseconds(options.connectTimeout), due)
      // Members of the URL come later, and override these keywords.
      let keywords = ["target_session_attrs", "fallback_application_name", "dbname"]
      let values = ["read-write", "tollgate-server", options.url]
      let started = Self.withCStrings(keywords) { keywords in
        Self.withCStrings(values) { PQconnectStartParams(keywords, $0, 1) }
      }
      guard let started else { throw PostgresFault(.unreachable) }
      handle = started
      timeout = .milliseconds(options.statementTimeout + options.lockTimeout)
      try connect(deadline)
      guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
        throw PostgresFault(.unreachable)
      }
      let settings = PostgresStatement(
        """
        SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
        set_config('idle_in_transaction_session_timeout', '10000', false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('client_encoding', 'UTF8', false),
        -- Every statement reads by a key. A plan that was made while a table was empty must not scan it
        -- once it is large.
        set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false),
        set_config('plan_cache_mode', 'force_generic_plan', false)
        """, [.text("\(options.statementTimeout)"), .text("\(options.lockTimeout)")],
        isPrepared: false)
      do throws(PostgresFault) {
        try run([settings])
      } catch {
        var fault = error
        fault.isInDoubt = false
        throw fault
      }
    }

    deinit { PQfinish(handle) }

    /// Whether the server has closed the connection, as far as this is already known.
    var isClosed: Bool {
      if (try? wait(POLLIN, until: .now)) == true { PQconsumeInput(handle) }
      return PQstatus(handle) != CONNECTION_OK
    }

    /// Waits for a notice of a channel that the connection listens to.
    func waitForNotice(_ timeout: Duration) throws(PostgresFault) {
      let deadline = ContinuousClock.now + timeout
      var isHeard = false
      repeat {
        while let notice = PQnotifies(handle) {
          PQfreemem(notice)
          isHeard = true
        }
        if isHeard { return }
        guard try wait(POLLIN, until: deadline) else { return }
      } while PQconsumeInput(handle) == 1
      throw PostgresFault(.unreachable)
    }

    /// Runs statements in one round trip. If a statement fails, later statements do not run, and a transaction is
    /// rolled back.
    ///
    /// - Parameter timeout: how long to wait for all statements.
    /// - Returns: the rows of each statement.
    @discardableResult
    func run(_ statements: [PostgresStatement], timeout: Duration? = nil) throws(PostgresFault)
      -> [[PostgresRow]]
    {
      let deadline = Self.earlier(.now + (timeout ?? self.timeout), due)
      guard ContinuousClock.now < deadline else { throw PostgresFault(.timedOut) }
      do throws(PostgresFault) {
        return try send(statements, deadline)
      } catch {
        var fault = error
        if fault.endsConnection {
          fault.isInDoubt = fault.kind != .readOnly
          self.fault = fault
        } else if PQtransactionStatus(handle) != PQTRANS_IDLE {
          do throws(PostgresFault) {
            _ = try send([.rollback], deadline)
          } catch {
            self.fault = error
          }
        }
        throw fault
      }
    }

    private static func earlier(
      _ time: ContinuousClock.Instant, _ other: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant {
      other.map { min(time, $0) } ?? time
    }

    private func send(_ statements: [PostgresStatement], _ deadline: ContinuousClock.Instant)
      throws(PostgresFault) -> [[PostgresRow]]
    {
      // Whether each result is the result of a statement, instead of its preparation.
      var isAnswer: [Bool] = []
      var new: [String: String] = [:]
      for statement in statements {
        guard statement.isPrepared else {
          try check(send(statement, name: nil))
          isAnswer.append(true)
          continue
        }
        let name = prepared[statement.sql] ?? new[statement.sql]
        if name == nil {
          nameCount += 1
          new[statement.sql] = "s\(nameCount)"
          try check(PQsendPrepare(handle, new[statement.sql]!, statement.sql, 0, nil))
          isAnswer.append(false)
        }
        try check(send(statement, name: name ?? new[statement.sql]))
        isAnswer.append(true)
      }
      try check(PQpipelineSync(handle))
      counted?.withLock { $0.roundTrips += 1 }
      var answers: [[PostgresRow]] = []
      var fault: PostgresFault?
      for isAnswer in isAnswer {
        let result = try result(deadline)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
          if isAnswer { answers.append(Self.rows(result)) }
        case PGRES_PIPELINE_ABORTED: break
        default:
          let state = PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map {
            String(cString: $0)
          }
          fault = fault ?? state.map { PostgresFault(state: $0) } ?? PostgresFault(.unreachable)
        }
        // The end of the statement's results.
        guard try self.result(deadline) == nil else { throw PostgresFault(.unreachable) }
      }
      let end = try result(deadline)
      let isEnd = PQresultStatus(end) == PGRES_PIPELINE_SYNC
      PQclear(end)
      guard isEnd else { throw PostgresFault(.unreachable) }
      if let fault { throw fault }
      prepared.merge(new) { $1 }
      return answers
    }

    private func send(_ statement: PostgresStatement, name: String?) -> CInt {
      var buffer: [UInt8] = []
      let ranges = statement.values.map { value -> Range<Int>? in
        let start = buffer.count
        return value.append(to: &buffer) ? start..<buffer.count : nil
      }
      let lengths = ranges.map { CInt($0?.count ?? 0) }
      let formats = [CInt](repeating: 1, count: ranges.count)
      // An empty buffer has no address, which libpq would read as null.
      buffer.append(0)
      // SAFETY: libpq copies the parameters before it returns, and the buffer does not change until then.
      return buffer.withUnsafeBytes { bytes in
        let values = ranges.map { range in
          range.map {
            bytes.baseAddress!.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self)
          }
        }
        if let name {
          return PQsendQueryPrepared(
            handle, name, CInt(values.count), values, lengths, formats, 1)
        }
        return PQsendQueryParams(
          handle, statement.sql, CInt(values.count), nil, values, lengths, formats, 1)
      }
    }

    private func check(_ code: CInt) throws(PostgresFault) {
      if code != 1 { throw PostgresFault(.unreachable) }
    }

    /// The next result; nil at the end of a statement's results.
    private func result(_ deadline: ContinuousClock.Instant) throws(PostgresFault) -> OpaquePointer?
    {
      while true {
        let unsent = PQflush(handle)
        if unsent < 0 { throw PostgresFault(.unreachable) }
        if PQisBusy(handle) == 0 { break }
        let events = unsent == 1 ? POLLIN | POLLOUT : POLLIN
        guard try wait(events, until: deadline) else { throw PostgresFault(.timedOut) }
        guard PQconsumeInput(handle) == 1 else { throw PostgresFault(.unreachable) }
      }
      let result = PQgetResult(handle)
      if PQstatus(handle) != CONNECTION_OK {
        PQclear(result)
        throw PostgresFault(.unreachable)
      }
      return result
    }

    private static func rows(_ result: OpaquePointer?) -> [PostgresRow] {
      let columns = PQnfields(result)
      return (0..<PQntuples(result)).map { row in
        PostgresRow(
          (0..<columns).map { column in
            guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
            else { return nil }
            // SAFETY: libpq keeps as many bytes there as it says until the result is cleared.
            return Array(
              UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
          })
      }
    }

    // MARK: Waiting

    private func connect(_ deadline: ContinuousClock.Instant) throws(PostgresFault) {
      var next = PGRES_POLLING_WRITING
      while next != PGRES_POLLING_OK {
        guard next != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
          throw PostgresFault(connecting: String(cString: PQerrorMessage(handle)))
        }
        guard try wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline) else {
          throw PostgresFault(.timedOut)
        }
        next = PQconnectPoll(handle)
      }
    }

    /// Waits until the socket can be used, or has failed.
    ///
    /// - Returns: false at the deadline.
    private func wait(_ events: CInt, until deadline: ContinuousClock.Instant) throws(PostgresFault)
      -> Bool
    {
      let socket = PQsocket(handle)
      guard socket >= 0 else { throw PostgresFault(.unreachable) }
      while true {
        let left = max(.zero, deadline - .now)
        let (seconds, attoseconds) = left.components
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        let milliseconds =
          seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let count = poll(&descriptor, 1, CInt(min(milliseconds, 3_600_000)))
        if count > 0 { return true }
        if count == 0 { return false }
        if errno != EINTR { throw PostgresFault(.unreachable) }
      }
    }

    private static func withCStrings<Result>(
      _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      // SAFETY: the copies live until the body has returned.
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      return body(copies.map { UnsafePointer($0) } + [nil])
    }
  }
#endif
