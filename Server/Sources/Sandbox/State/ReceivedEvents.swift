internal import CivilTime
internal import Crypto
internal import Expressions
internal import Foundation
internal import GRDB

/// An event as received.
struct ReceivedEvent: Sendable {
  var id: String?
  var name: String
  var user: String?
  var body: String

  /// The maximum length of a body that is stored whole, in bytes.
  private static let mostBody = 16 << 10

  init(id: String? = nil, name: String, user: String?, body: Value) {
    self.id = id.map { Self.short($0) }
    self.name = Self.short(name)
    self.user = user.map { Self.short($0) }
    let text = body.json
    let size = text.utf8.count
    self.body = size <= Self.mostBody ? text : Value.object(["leftOut": .whole(size)]).json
  }

  /// The string, or a prefix that still identifies the string.
  private static func short(_ text: String) -> String {
    if text.utf8.count <= 256 { return text }
    let digest = SHA256.hash(data: Array(text.utf8)).prefix(16).map { $0.hexPair }.joined()
    return "\(String(decoding: text.utf8.prefix(200), as: UTF8.self))~\(digest)"
  }
}

extension SandboxStore {
  /// Stores events in one transaction. An event with a known ID is not stored again.
  func add(_ events: [ReceivedEvent], from source: String, to application: String, now: Instant)
    async throws
  {
    guard !events.isEmpty else { return }
    try await write(application) { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR IGNORE INTO sandbox_events
          (application, source, event_id, name, user, received_at, body)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """)
      for event in events {
        try statement.execute(arguments: [
          application, source, event.id ?? UUID().uuidString, event.name, event.user, now,
          event.body,
        ])
      }
    }
  }

  /// Events after the event `after`, or the newest events if `after` is nil, oldest first.
  func events(of application: String, after: Int64?, source: String?, name: String?, limit: Int)
    async throws -> [Value]
  {
    try await database.read { database in
      var rows = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM sandbox_events WHERE application = ? AND id > ?
          AND (? IS NULL OR source = ?) AND (? IS NULL OR name = ?)
          ORDER BY id \(after == nil ? "DESC" : "ASC") LIMIT ?
          """,
        arguments: [application, after ?? 0, source, source, name, name, limit])
      if after == nil { rows.reverse() }
      return rows.map { row in
        let body: String = row["body"]
        let time: Instant = row["received_at"]
        return .members([
          "id": .int(row["id"]), "source": .string(row["source"]),
          "eventId": .string(row["event_id"]), "name": .string(row["name"]),
          "user": (row["user"] as String?).map { .string($0) }, "receivedAt": .time(time),
          "body": (try? Value.parse(json: body.utf8)) ?? .string(body),
        ])
      }
    }
  }
}
