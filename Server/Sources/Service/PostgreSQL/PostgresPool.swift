#if PostgreSQL
  internal import Expressions
  internal import Logging
  internal import NIOPosix

  /// A limited number of connections, each used by one thread at a time.
  final class PostgresPool: Sendable {
    private struct State: Sendable {
      var idle: [PostgresConnection] = []
      /// Connecting has failed this often in a row.
      var failures = 0
      /// Before this time no request connects: they fail with the last fault.
      var nextAttempt = ContinuousClock.now
      var lastFault = PostgresFault(.unreachable)
    }

    let options: PostgresOptions
    private let threads: NIOThreadPool
    private let state = Locked(State())

    init(_ options: PostgresOptions) {
      self.options = options
      threads = NIOThreadPool(numberOfThreads: options.connections)
      threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    /// Runs a body with a connection, on a thread that may wait.
    ///
    /// - Throws: a `ServiceError` with 503 if the database does not answer. A change may be stored nevertheless if
    ///   the connection was lost while it was committed.
    func run<Result: Sendable>(
      _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
      let deadline = ContinuousClock.now + .milliseconds(options.connectTimeout)
      do {
        return try await threads.runIfActive { [self] in
          guard ContinuousClock.now < deadline else { throw PostgresFault(.busy) }
          return try use(body)
        }
      } catch let fault as PostgresFault {
        throw fault.answer ?? fault
      }
    }

    /// The same for statements that may run twice: they only read.
    func read(_ statements: [PostgresStatement]) async throws -> [[PostgresRow]] {
      try await run { connection in
        do {
          return try connection.run(statements)
        } catch let fault as PostgresFault where fault.kind == .unreachable {
          return try PostgresConnection(self.options).run(statements)
        }
      }
    }

    private func use<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
      let connection = try take()
      do {
        let result = try body(connection)
        state.withLock { $0.idle.append(connection) }
        return result
      } catch let fault as PostgresFault where fault.endsConnection {
        // The others are of the same server, and have probably ended, too.
        state.withLock { $0.idle.removeAll() }
        options.log.warning("a connection to the database ended", metadata: ["problem": "\(fault)"])
        throw fault
      } catch {
        state.withLock { $0.idle.append(connection) }
        throw error
      }
    }

    private func take() throws(PostgresFault) -> PostgresConnection {
      while let connection = state.withLock({ $0.idle.popLast() }) {
        if !connection.isClosed { return connection }
      }
      let fault = state.withLock { $0.nextAttempt > .now ? $0.lastFault : nil }
      if let fault { throw fault }
      do throws(PostgresFault) {
        let connection = try PostgresConnection(options)
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

    /// Lets others wait before they connect, longer after each failure, and not all servers for as long.
    private func failed(_ fault: PostgresFault) {
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
