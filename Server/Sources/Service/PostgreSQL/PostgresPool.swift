#if PostgreSQL
  internal import Expressions
  internal import Logging
  internal import NIOPosix

  /// A limited number of connections, each used by one thread at a time.
  final class PostgresPool: Sendable {
    private struct State: Sendable {
      var idle: [PostgresConnection] = []
      /// The number of consecutive failed attempts to connect.
      var failures = 0
      /// The time of the next attempt to connect. Earlier requests fail with the last fault.
      var nextAttempt = ContinuousClock.now
      var lastFault = PostgresFault(.unreachable)
    }

    /// The counts for metrics. Connections count their round trips.
    let counted = Locked(StoreFigures())

    let options: PostgresOptions
    private let threads: NIOThreadPool
    private let state = Locked(State())

    init(_ options: PostgresOptions) {
      self.options = options
      threads = NIOThreadPool(numberOfThreads: options.connections)
      threads.start()
    }

    /// - Throws: a `ServiceError` if the address is invalid.
    convenience init(checked options: PostgresOptions) throws {
      guard PostgresSchema.isAddress(options.url) else {
        // The address contains the password.
        throw ServiceError.badRequest(
          "the address of the database is not a URL such as "
            + "'postgresql://user:password@host:5432/database?sslmode=verify-full'")
      }
      self.init(options)
    }

    var figures: StoreFigures {
      let idle = state.withLock { $0.idle.count }
      var figures = counted.withLock { $0 }
      figures.connectionLimit = options.connections
      figures.connections = figures.connectionsInUse + idle
      return figures
    }

    /// The number of consecutive failed attempts to connect.
    var failures: Int { state.withLock { $0.failures } }

    deinit { threads.shutdownGracefully { _ in } }

    /// Runs a body with a connection, on a thread that may wait.
    ///
    /// - Throws: a `ServiceError` with 503 if the database does not answer.
    func run<Result: Sendable>(
      _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
      do {
        return try await attempt(body)
      } catch let fault as PostgresFault {
        throw fault.answer ?? fault
      }
    }

    /// Runs statements that only read, and therefore may run twice.
    func read(_ statements: [PostgresStatement]) async throws -> [[PostgresRow]] {
      do {
        return try await attempt { try $0.run(statements) }
      } catch let fault as PostgresFault {
        guard fault.isInDoubt, fault.kind != .timedOut else { throw fault.answer ?? fault }
        counted.withLock { $0.retries += 1 }
        return try await run { try $0.run(statements) }
      }
    }

    /// Runs a body with a connection until `due`, or until `StateDeadline.current`.
    ///
    /// - Throws: a `PostgresFault`. If the fault is in doubt, a change may be stored nevertheless.
    func attempt<Result: Sendable>(
      due: ContinuousClock.Instant? = StateDeadline.current,
      _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
      let latest = ContinuousClock.now + .milliseconds(options.connectTimeout)
      let deadline = due.map { min(latest, $0) } ?? latest
      counted.withLock { $0.waiting += 1 }
      return try await threads.runIfActive { [self] in
        counted.withLock { $0.waiting -= 1 }
        guard ContinuousClock.now < deadline else { throw PostgresFault(.busy) }
        let connection = try take(due)
        counted.withLock { $0.connectionsInUse += 1 }
        defer {
          giveBack(connection)
          counted.withLock { $0.connectionsInUse -= 1 }
        }
        return try body(connection)
      }
    }

    private func giveBack(_ connection: PostgresConnection) {
      if !connection.isIdle, connection.fault == nil { _ = try? connection.run([.rollback]) }
      if connection.isIdle { return state.withLock { $0.idle.append(connection) } }
      guard let fault = connection.fault else { return }
      // The other connections are to the same server, and have probably ended too.
      if fault.kind != .timedOut { state.withLock { $0.idle.removeAll() } }
      options.log.warning("a connection to the database ended", metadata: ["problem": "\(fault)"])
    }

    private func take(_ due: ContinuousClock.Instant?) throws(PostgresFault) -> PostgresConnection {
      while let connection = state.withLock({ $0.idle.popLast() }) {
        guard !connection.isClosed else { continue }
        connection.due = due
        return connection
      }
      let fault = state.withLock { $0.nextAttempt > .now ? $0.lastFault : nil }
      if let fault { throw fault }
      do throws(PostgresFault) {
        let connection = try PostgresConnection(options, due: due, counted: counted)
        let hadFailed = state.withLock { state in
          defer { state.failures = 0 }
          return state.failures > 0
        }
        if hadFailed { options.log.info("the database answers again") }
        return connection
      } catch {
        failed(error)
        throw error
      }
    }

    /// Delays the next attempt to connect. The delay grows with each failure, and differs between servers.
    private func failed(_ fault: PostgresFault) {
      counted.withLock { $0.connectionFailures += 1 }
      let isFirst = state.withLock { state in
        state.failures += 1
        let most = min(1_000, 25 << min(state.failures, 6))
        state.nextAttempt = .now + .milliseconds(Int.random(in: most / 2...most))
        state.lastFault = fault
        return state.failures == 1
      }
      if isFirst {
        options.log.error("the database cannot be used", metadata: ["problem": "\(fault)"])
      }
    }
  }
#endif
