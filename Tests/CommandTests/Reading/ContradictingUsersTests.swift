import Foundation
import Testing

/// One user twice, with different content: what a run over users says of it.
@Suite struct ContradictingUsersTests {
  private static let free = #"{"userId":"a","user":{"plan":"free"}}"#
  private static let pro = #"{"userId":"a","user":{"plan":"pro"}}"#
  private static let other = #"{"userId":"b","user":{"plan":"free"}}"#

  private func told(_ result: BuiltTool.Result) -> [String] {
    result.errors.split(separator: "\n").map(String.init)
      .filter { $0.contains("contradicting-users") }
  }

  private func note(_ first: String, _ second: String, _ count: String = "") -> String {
    "note[contradicting-users]: user 'a' appears twice with different content, at \(first) and "
      + "\(second)\(count); each record was decided; remove the duplicates"
  }

  @Test func placesAreTold() throws {
    let folder = try TestFolder()
    try folder.write(
      "one.ndjson", [Self.free, Self.other, Self.free].joined(separator: "\n") + "\n")
    try folder.write("two.ndjson", ["", Self.pro, "refused", Self.pro].joined(separator: "\n"))
    func run(_ arguments: String...) throws -> BuiltTool.Result {
      try folder.tollgate(
        ["precompute", TestFolder.config, "--now", "2026-03-01", "--out", "none", "--users"]
          + arguments)
    }
    // The same record twice contradicts nothing.
    #expect(told(try run("one.ndjson")) == [])
    let both = try run("one.ndjson", "two.ndjson")
    #expect(
      told(both) == [note("one.ndjson:1", "two.ndjson:2", " (the first of 2)")], "\(both.errors)")
    #expect(told(try run("one.ndjson", "two.ndjson", "--quiet")) == [])
    #expect(try folder.shell("gzip -k one.ndjson two.ndjson").code == 0)
    #expect(
      told(try run("one.ndjson.gz", "two.ndjson.gz"))
        == [note("one.ndjson.gz:1", "two.ndjson.gz:2", " (the first of 2)")])
    let matched = try folder.tollgate(
      "match", TestFolder.config, "--users", "one.ndjson", "two.ndjson", "--placement",
      "export_report", "--redact", "userId", "--report", "r.html")
    #expect(
      matched.errors.contains("user '[redacted]' appears twice with different content, at one"),
      "\(matched.errors)")
  }

  /// Rows of CSV begin where their line does, also behind cells of several lines.
  @Test func rowsAreTold() throws {
    let folder = try TestFolder()
    try folder.write(
      "users.csv",
      "userId,user.plan,user.note\na,free,\"two\nlines\"\nb,free,\na,free,\"two\nlines\"\na,pro,\n")
    let result = try folder.precompute("--users", "users.csv", "--out", "none")
    #expect(told(result) == [note("users.csv:2", "users.csv:7")], "\(result.errors)")
  }

  /// Files that are larger than what workers take at once, by any number of them.
  @Test func partsOfLargeFiles() throws {
    let folder = try TestFolder()
    let many = TestFolder.users(4_000)
    try folder.write("users.ndjson", [Self.free, many, Self.pro].joined(separator: "\n"))
    let lines = many.split(separator: "\n", omittingEmptySubsequences: false).count
    for threads in ["1", "3"] {
      let result = try folder.precompute(
        "--users", "users.ndjson", "--out", "none", "--threads", threads)
      #expect(told(result) == [note("users.ndjson:1", "users.ndjson:\(lines + 2)")])
    }
  }
}
