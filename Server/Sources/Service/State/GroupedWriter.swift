internal import GRDB

/// Groups the writes of concurrent requests into one transaction, so that one flush to the disk acknowledges many of
/// them.
///
/// While a transaction is being written, new writes wait for the next transaction. A single writer therefore waits for
/// one flush, and a hundred writers wait for two flushes.
actor GroupedWriter {
  /// A write of one request, which runs in its own savepoint. If the write throws, nothing of it is stored.
  typealias Write = @Sendable (Database) throws -> Bool

  private struct Waiting {
    let write: Write
    let done: CheckedContinuation<Bool, any Error>
  }

  private let database: any DatabaseWriter
  private let largestGroup: Int
  private var waiting: [Waiting] = []
  private var isWriting = false

  /// - Parameter largestGroup: the maximum number of writes in one transaction, so that readers of the write-ahead log
  ///   and other writers get their turn.
  init(_ database: any DatabaseWriter, largestGroup: Int = 256) {
    self.database = database
    self.largestGroup = largestGroup
  }

  /// Runs a write and returns its result once it is on the disk.
  ///
  /// - Throws: the error of the write, or the error of the transaction, which fails all of its writes.
  func callAsFunction(_ write: @escaping Write) async throws -> Bool {
    try await withCheckedThrowingContinuation { done in
      waiting.append(Waiting(write: write, done: done))
      guard !isWriting else { return }
      isWriting = true
      Task { await writeAll() }
    }
  }

  private func writeAll() async {
    while !waiting.isEmpty {
      let group = Array(waiting.prefix(largestGroup))
      waiting.removeFirst(group.count)
      let writes = group.map(\.write)
      do {
        let results = try await database.write { database in
          try writes.map { try Self.run($0, database) }
        }
        for (one, result) in zip(group, results) { one.done.resume(with: result) }
      } catch {
        for one in group { one.done.resume(throwing: error) }
      }
    }
    isWriting = false
  }

  /// - Throws: if the failure ended the whole transaction, as a full disk does.
  private static func run(_ write: Write, _ database: Database) throws -> Result<Bool, any Error> {
    var result = false
    do {
      try database.inSavepoint {
        result = try write(database)
        return .commit
      }
      return .success(result)
    } catch {
      guard database.isInsideTransaction else { throw error }
      return .failure(error)
    }
  }
}
