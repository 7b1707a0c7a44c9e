#if PostgreSQL
  internal import Expressions
  internal import NIOPosix

  /// Receives notices of configs that other servers publish, over its own connection.
  final class PostgresListener: Sendable {
    private let options: PostgresOptions
    private let schema: String
    private let version: Locked<Int>
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let connection = Locked<PostgresConnection?>(nil)

    init(_ options: PostgresOptions, schema: String, version: Locked<Int>) {
      self.options = options
      self.schema = schema
      self.version = version
      thread.start()
    }

    deinit { thread.shutdownGracefully { _ in } }

    /// Waits until a config is published, or for the given duration, and reads the newest versions. The first call, and
    /// the call after a failure, do not wait, because notices may be lost.
    func newestVersions(waiting: Duration) async throws -> [String: Int] {
      do {
        return try await thread.runIfActive { [self] in
          let known = connection.withLock { connection in
            defer { connection = nil }
            return connection
          }
          if let known { try known.waitForNotice(waiting) }
          let current = try known ?? PostgresConnection(options)
          let listen =
            known == nil ? [PostgresStatement("LISTEN \(schema)", isPrepared: false)] : []
          let rows = try current.run(
            listen + [
              PostgresStatement("SELECT id, newest FROM \(schema).application"),
              PostgresStatement("SELECT max(number) FROM \(schema).migration"),
            ])
          connection.withLock { $0 = current }
          // Newer tables still contain everything that this program needs.
          let newest = rows[listen.count + 1][0].int(0).map { Int($0) }
          version.withLock { $0 = max($0, newest ?? 0) }
          return rows[listen.count].reduce(into: [:]) { newest, row in
            newest[row.text(0) ?? ""] = Int(row.int(1) ?? 0)
          }
        }
      } catch let fault as PostgresFault {
        throw fault.answer ?? fault
      }
    }
  }
#endif
