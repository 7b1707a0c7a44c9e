import Foundation
import Testing

@testable import tollgate

/// Lines of as many bytes as there may be, and of one more: what comes behind them is read.
@Suite struct LongLinesTests {
  private static let limit = 1 << 20

  /// A record of so many bytes.
  private func record(_ identity: String, bytes: Int) -> String {
    let (head, tail) = (#"{"userId":"\#(identity)","user":{"a":""#, #""}}"#)
    return head + String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count) + tail
  }

  @Test(
    arguments: [
      "--users users.ndjson", "--users users.ndjson --threads 1", "--users - < users.ndjson",
      "--users users.ndjson.gz",
    ])
  func lines(users: String) throws {
    let folder = try TestFolder()
    let lines = [
      #"{"userId":"a"}"#, record("b", bytes: Self.limit), record("c", bytes: Self.limit + 1),
      #"{"userId":"d"}"#, record("e", bytes: 3 * Self.limit), #"{"userId":"f"}"#,
    ]
    try folder.write("users.ndjson", lines.joined(separator: "\n") + "\n")
    try folder.compress("users.ndjson", .gzip)
    let result = try folder.shell(
      "$TOLLGATE precompute $CONFIG --out none --rejects rejects --summary json --quiet \(users)")
    #expect(result.output.hasPrefix(#"{"users":4,"rejected":2,"#), "\(result.output)")
    let numbers = try #require(folder.text("rejects")).split(separator: "\n").map { $0.prefix(10) }
    #expect(numbers == [#"{"line":3,"#, #"{"line":5,"#])
  }

  @Test(arguments: ["-1", "-0.001", "1e9", "nan", "inf"])
  func secondsBetweenCheckpoints(seconds: String) throws {
    let folder = try TestFolder()
    try folder.write("users", #"{"userId":"a"}"#)
    let result = try folder.tollgate(
      "precompute", TestFolder.config, "--users", "users", "--out", "out", "--checkpoint-every",
      seconds)
    #expect(result.code == 2)
    #expect(result.errors.contains("must be a number of seconds, 0 or more"), "\(result.errors)")
    #expect(!folder.exists("out"))
  }
}
