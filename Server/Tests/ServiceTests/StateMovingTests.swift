import Expressions
import Foundation
import Requests
import RuleEngine
import Testing

@testable import Service

/// Exports and imports.
@Suite struct StateMovingTests {
  private static func fill(_ store: any StateStore, users: Int = 1_203) async throws {
    for (number, source) in ["file", "api", "rollback"].enumerated() {
      var config = NewConfig(
        number == 1 ? [0xff, 0] : Array("{\"é\":\(number)}".utf8), of: "1", by: "test",
        source: source, note: number == 1 ? nil : "n\"", at: Instant(milliseconds: Int64(number)))
      config.origin = number == 2 ? 1 : nil
      _ = try await store.publish(config)
    }
    var writes: [(StateKey, StateChange)] = []
    for number in 0..<users {
      let user = number == 7 ? String(repeating: "long ü", count: 300) : "u\(number % 2)é\(number)"
      let answer = StoredAnswer(
        question: [1, 0, 255], bytes: Array(#"{"decisions":[\#(number)]}"#.utf8),
        version: number % 3)
      var change = StateChange(
        now: Instant(milliseconds: Int64(number)), answer: number % 2 == 0 ? answer : nil,
        answeredAt: Instant(milliseconds: 1_000_000 + Int64(number)), keeping: 1_000_000_000)
      if number % 3 > 0 { change.assignments = [("b", "1"), ("a", "\(number)")] }
      if number % 3 < 2 { change.occurrences = ["z", "k", "z"] }
      let request = number % 2 == 0 ? "r\(number)" : nil
      writes.append((StateKey(user, request: request, in: number % 5 == 0 ? "2" : "1"), change))
    }
    let all = writes
    _ = try await store.update(all.map(\.0)) { index, _ in ((), all[index].1) }
  }

  private static func lines(_ store: any StateStore) async throws -> [[UInt8]] {
    var bytes: [UInt8] = []
    _ = try await StateMoving.export(store) { bytes += $0 }
    return bytes.split(separator: 10).map { Array($0) }
  }

  private static func add(_ lines: [[UInt8]], to store: any StateStore) async throws -> StateCounts
  {
    var records: [StateRecord] = []
    var counts = StateCounts()
    for (number, line) in lines.enumerated() {
      if case .record(let record) = try StateMoving.line(line, isFirst: number == 0) {
        records.append(record)
        counts.add(record)
      }
    }
    for start in stride(from: 0, to: records.count, by: 400) {
      try await store.add(Array(records[start..<min(start + 400, records.count)]))
    }
    return counts
  }

  /// From each kind of store to each, twice, and back: the same lines.
  @Test(arguments: TestStore.all, TestStore.all)
  func everythingMoves(_ from: TestStore, _ to: TestStore) async throws {
    let source = try await from.store()
    try await Self.fill(source)
    let lines = try await Self.lines(source)
    let target = try await to.store()
    for _ in 0..<2 { _ = try await Self.add(lines, to: target) }
    let back = try await from.store()
    let counts = try await Self.add(try await Self.lines(target), to: back)
    #expect(counts.configs == 3 && counts.audit == 3 && counts.users == 1_203)
    #expect(counts.answers == 602 && counts.assignments > 1_000 && counts.occurrences > 2_000)
    #expect(try await StateMoving.count(target) == counts)
    // SQLite has the occurrences of all keys in one order, and PostgreSQL by key.
    let moved = try await Self.lines(back)
    #expect(Set(moved) == Set(lines) && moved.count == lines.count)
    // It continues where the source was.
    #expect(
      try await target.publish(NewConfig([1], of: "1", by: "x", source: "api", note: nil)) == 4)
    #expect(try await target.audit(of: "1", limit: 9).count == 4)
    #expect(try await target.newestVersions(waiting: .zero)["1"] == 4)
  }

  @Test(arguments: TestStore.all)
  func anExportContinues(_ kind: TestStore) async throws {
    let store = try await kind.store()
    try await Self.fill(store, users: 700)
    let lines = try await Self.lines(store)
    for count in [0, 1, 2, 5, 8, 300, 707, 900, lines.count - 1] {
      var progress = StateMoving.Progress()
      for line in lines.prefix(count) { try progress.take(line) }
      var rest: [UInt8] = []
      _ = try await StateMoving.export(store, after: progress) { rest += $0 }
      let all = lines.prefix(count) + rest.split(separator: 10).map { Array($0) }
      #expect(Array(all) == lines, "after \(count)")
    }
    var progress = StateMoving.Progress()
    for line in lines { try progress.take(line) }
    #expect(progress.isComplete)
  }

  @Test(arguments: TestStore.all)
  func anotherHistoryIsRefused(_ kind: TestStore) async throws {
    let source = try await kind.store()
    try await Self.fill(source, users: 3)
    let lines = try await Self.lines(source)
    let target = try await kind.store()
    _ = try await target.publish(NewConfig([9], of: "1", by: "x", source: "api", note: nil))
    let error = await #expect(throws: ServiceError.self) {
      try await Self.add(lines, to: target)
    }
    #expect(error?.message.contains("version 1 of application 1") == true)
    #expect(try await StateMoving.count(target).users == 0)
  }

  @Test(arguments: [
    (#"{"kind":"user","application":"1"}"#, "'userId' must be a string"),
    (#"{"kind":"config","application":"1"}"#, "'version' must be a whole number"),
    (
      #"{"kind":"answer","userId":"","requestId":"r","application":"1","question":{}}"#,
      "'question'"
    ),
    (#"{"kind":"x"}"#, "'kind' must be one of config, audit, user, answer"),
    ("{", "not JSON"), (#"{"kind":"tollgate-state","format":2}"#, "newer tollgate-server"),
  ])
  func wrongLinesAreNamed(_ line: String, _ message: String) throws {
    let error = #expect(throws: ServiceError.self) {
      _ = try StateMoving.line(Array(line.utf8), isFirst: false)
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    if !line.contains("format") {
      #expect(throws: ServiceError.self) {
        _ = try StateMoving.line(Array(line.utf8), isFirst: true)
      }
    }
  }

  /// The command, with a file that is cut off and an import that runs again.
  @Test func theCommandMovesState() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(FleetTests.config.utf8).write(to: folder.appending(path: "kept.json"))
    let server = try ServerProcess(
      ["--config", "kept.json", "--state", "sqlite", "--data", "a"], in: folder)
    for user in 0..<9 {
      let answer = try ServerProcess.run(
        #"curl -sf \#(server.url)/v1/decide -d '{"userId":"u\#(user)","user":{"ok":true},"requestId":"\#(user)"}'"#,
        in: folder)
      #expect(answer.code == 0, "\(answer.output)")
    }
    server.process.terminate()
    server.process.waitUntilExit()
    let script = """
      server=\(ServerProcess.program.path)
      $server state export --state sqlite --data a --output whole 2>/dev/null
      head -c 1500 whole >cut
      $server state export --state sqlite --data a --output cut --resume 2>/dev/null
      cmp whole cut
      if $server state export --state sqlite --data misspelt --output whole 2>errors; then exit 4; fi
      grep -q "there is no database in 'misspelt'" errors
      test ! -e misspelt
      cmp whole cut
      head -n 6 whole >part
      if $server state import --state sqlite --data b part 2>errors; then exit 3; fi
      grep -q 'part is incomplete' errors
      cat whole whole >twice
      if $server state import --state sqlite --data c twice 2>errors; then exit 5; fi
      grep -q "twice:$(($(wc -l <whole) + 1)): the line follows" errors
      $server state import --state sqlite --data b whole
      test ! -e whole.progress
      $server state export --state sqlite --data b 2>/dev/null | cmp - whole
      echo 5 >whole.progress
      $server state import --state sqlite --data b --resume whole
      test "$(stat -c %a whole)" = 600
      """
    let result = try ServerProcess.run(script, in: folder)
    #expect(result.code == 0, "\(result.output)")
    #expect(result.output.contains(#""users":9,"assignments":9,"occurrences":9,"answers":9}"#))
  }
}
