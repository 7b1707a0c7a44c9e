import Foundation
import Testing

@testable import tollgate

/// What docs/users.md says can be done: its commands of `tollgate` run, as do its queries for SQLite.
@Suite struct UsersGuideTests {
  private static let guide = URL(filePath: TestFolder.demo + "/../../docs/users.md")

  /// The blocks of the guide with some language, of a section or of all.
  private func blocks(_ language: String, section: String? = nil) throws -> [String] {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    var found: [String] = []
    for part in text.components(separatedBy: "\n## ") where section.map(part.hasPrefix) ?? true {
      let pieces = part.components(separatedBy: "\n```")
      for at in stride(from: 1, to: pieces.count, by: 2) {
        let lines = pieces[at].split(
          separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        if lines[0] == language { found.append(String(lines[1]) + "\n") }
      }
    }
    return found
  }

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Data(contentsOf: URL(filePath: TestFolder.config)))
    let users = try String(contentsOfFile: TestFolder.demo + "/users.ndjson", encoding: .utf8)
    let some = users.split(separator: "\n").prefix(200).joined(separator: "\n") + "\n"
    try folder.write("users.ndjson", some)
    try folder.write("users-0", some)
    #expect(try folder.shell("mkdir users && mv users-0 users-0.ndjson").code == 0)
    try folder.compress("users-0.ndjson", .gzip)
    try folder.compress("users-0.ndjson", .zstd)
    #expect(try folder.shell("mv users-0.ndjson.zst users/data_0_0_0.json").code == 0)
    try folder.write("users.csv", try #require(blocks("csv").first))
    return folder
  }

  @Test func commandsRun() throws {
    let folder = try folder()
    let commands = try blocks("").flatMap { $0.split(separator: "\n") }
    #expect(commands.count >= 6)
    for command in commands {
      #expect(command.hasPrefix("tollgate precompute config.json "), "\(command)")
      let result = try folder.shell("\"$TOLLGATE\"" + command.dropFirst("tollgate".count))
      #expect(result.code == 0, "\(command): \(result.errors)")
      let decided = command.contains("users.csv") ? "3 users decided" : "200 users decided"
      #expect(result.output.contains("\(decided), 0 lines rejected"), "\(command)")
    }
    let queries = try blocks("sql", section: "SQLite").joined().split(separator: ";")
    let database = try SQLiteDatabase(folder.path("outcomes.sqlite"))
    for query in queries where !query.allSatisfy(\.isWhitespace) {
      #expect(throws: Never.self, "\(query)") { try database.rows(String(query)) }
    }
    #expect(queries.count > 3)
    #expect(
      folder.text("outcomes.csv")?.hasPrefix("user_id,placement,result,audience,") == true)
  }

  /// Every query counts days up to the instant that its run is told.
  @Test(arguments: ["Postgres", "DuckDB", "BigQuery", "Snowflake"])
  func oneInstant(section: String) throws {
    let queries = try blocks("sql", section: section).filter { $0.contains("daysSinceInstall") }
    #expect(queries.count == 1)
    #expect(queries.first?.contains("'2026-03-01 12:00:00") == true)
    for clock in ["now()", "current_date", "CURRENT_TIMESTAMP"] {
      #expect(queries.first?.contains(clock) == false)
    }
    let commands = try blocks("", section: section)
    #expect(commands.count == 1)
    #expect(commands.allSatisfy { $0.contains(" --now 2026-03-01T12:00:00Z") })
  }

  @Test func theRecordsAreSome() throws {
    let folder = try TestFolder()
    let records = try blocks("json").prefix(2)
    try folder.write("u", records.joined())
    let result = try folder.precompute("--users", "u", "--out", "none", "--summary", "json")
    #expect(result.output.hasPrefix("{\"users\":2,\"rejected\":0,"), "\(result.errors)")
    #expect(records.last?.contains("\"occurrences\"") == true)
    #expect(!result.errors.contains("["), "\(result.errors)")
  }
}
