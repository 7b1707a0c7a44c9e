import Foundation
import GRDB
import Testing

@testable import Service

@Suite struct GroupedWriterTests {
  private struct Refusal: Error {}

  private func database() async throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try await database.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    return database
  }

  /// A write that fails takes nothing of the others with it, though they share a transaction.
  @Test func aWriteFailsAlone() async throws {
    let database = try await database()
    let writer = GroupedWriter(database, largestGroup: 16)
    let stored = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<200 {
        group.addTask {
          try? await writer { database in
            try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
            if number % 3 == 0 { throw Refusal() }
            return true
          } ? number : nil
        }
      }
      return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
    }
    let rows = try await database.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
    #expect(rows == (0..<200).filter { $0 % 3 != 0 })
    #expect(stored.sorted() == rows)
  }

  private final class Commits: TransactionObserver, @unchecked Sendable {
    private(set) var count = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { count += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  /// One flush to the disk acknowledges many writes.
  @Test func writesThatWaitShareATransaction() async throws {
    let database = try await database()
    let commits = Commits()
    database.add(transactionObserver: commits, extent: .databaseLifetime)
    let writer = GroupedWriter(database)
    let isBlocking = DispatchSemaphore(value: 0)
    let blocking = Task.detached {
      try await writer { database in
        try database.execute(sql: "INSERT INTO t VALUES (-1)")
        return isBlocking.wait(timeout: .now() + 20) == .success
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await writer { database in
            try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
            return true
          }
        }
      }
      try await Task.sleep(for: .milliseconds(100))
      isBlocking.signal()
      for try await isStored in group { #expect(isStored) }
    }
    #expect(try await blocking.value)
    #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 51)
    #expect(commits.count == 2)
  }
}
