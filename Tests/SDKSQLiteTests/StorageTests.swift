import CSQLite
import Expressions
import Foundation
import RuleEngine
import SDKLive
import SDKSQLite
import TestSupport
import Testing

@testable import SDK

/// One contract for everything that keeps what the SDK knows.
@Suite("Storage")
struct StorageTests {
  private let changes: [StorageChange] = [
    .set("state/a", ["deep": [1, "é", .null]]), .set("state/b", 2), .set("other", "x"),
    .append(to: "event:a", 5), .append(to: "event:b", 6), .append(to: "event:a", 3),
    .set("state/b", 3), .remove("other"),
  ]

  @Test(arguments: StorageKind.allCases)
  func keepsRecordsAndLogs(_ kind: StorageKind) async throws {
    let folder = try TemporaryFolder()
    var storage = kind.make(folder.path + "/not/there/yet")
    #expect(try await storage.records("").isEmpty)
    #expect(try await storage.logs(nil).isEmpty)
    try await storage.write(changes)
    // What is on the disk is read anew.
    if kind != .memory { storage = kind.make(folder.path + "/not/there/yet") }
    #expect(try await storage.records("") == ["state/a": ["deep": [1, "é", .null]], "state/b": 3])
    #expect(try await storage.records("state/b") == ["state/b": 3])
    #expect(
      try await storage.logs(nil)
        == ["event:a": StorageLog(times: [5, 3]), "event:b": StorageLog(times: [6])])
    #expect(
      try await storage.logs(["event:b", "event:c"]) == ["event:b": StorageLog(times: [6])])
    try await storage.write([.clearLogs(except: ["event:b"]), .append(to: "event:a", 9)])
    #expect(
      try await storage.logs(nil)
        == ["event:a": StorageLog(times: [9]), "event:b": StorageLog(times: [6])])
    try await storage.write([.clearLogs(except: [])])
    #expect(try await storage.logs(nil).isEmpty)
    #expect(await storage.takeFaults().isEmpty)
  }

  /// Of the times of a log the last ones are kept, and how many there were before.
  @Test(arguments: StorageKind.allCases)
  func logsAreBounded(_ kind: StorageKind) async throws {
    let folder = try TemporaryFolder()
    let storage = kind.make(folder.path)
    let count = StorageLog.limit + StorageLog.limit / 4
    try await storage.write((0..<count).map { .append(to: "e", Instant(milliseconds: Int64($0))) })
    for reader in [storage] + (kind == .memory ? [] : [kind.make(folder.path)]) {
      let log = try await reader.logs(["e"])["e"]
      #expect(log.map { $0.times.count + $0.earlier } == count)
      #expect(log?.times.last == Instant(milliseconds: Int64(count - 1)))
      #expect((log?.times.count ?? 0) >= StorageLog.limit)
      #expect((log?.times.count ?? 0) < StorageLog.limit + StorageLog.limit / 8 + 1)
    }
  }

  // MARK: Damage

  @Test(arguments: ["no database at all, but longer than its head\n", ""])
  func damagedDatabaseIsPutAside(_ contents: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/tollgate.sqlite"
    let long = String(repeating: contents, count: 100)
    try Data(long.utf8).write(to: URL(filePath: path))
    let storage = SQLiteStorage(folder: folder.path)
    #expect(try await storage.records("").isEmpty)
    try await storage.write(changes)
    #expect(try await storage.records("state/b") == ["state/b": 3])
    // An empty file is a database in which there is nothing.
    let isDamaged = !contents.isEmpty
    #expect(await storage.takeFaults().count == (isDamaged ? 1 : 0))
    #expect(folder.names.contains { $0.contains(".damaged-") } == isDamaged)
  }

  /// Pages in the middle that are gone are seen when they are read, whenever that is.
  @Test func damagedPagesArePutAside() async throws {
    let folder = try TemporaryFolder()
    let first = SQLiteStorage(folder: folder.path)
    try await first.write((0..<2_000).map { .set("state/\($0)", .string("some text \($0)")) })
    try await first.close()
    let path = folder.path + "/tollgate.sqlite"
    var data = try Data(contentsOf: URL(filePath: path))
    data.replaceSubrange(4_096..<data.count, with: Data(count: data.count - 4_096))
    try data.write(to: URL(filePath: path))
    let storage = SQLiteStorage(folder: folder.path)
    _ = try await storage.records("")
    try await storage.write([.set("a", 1)])
    #expect(try await storage.records("") == ["a": 1])
    #expect(await storage.takeFaults().count == 1)
    #expect(folder.names.contains { $0.contains(".damaged-") })
  }

  @Test func damagedLinesArePutAside() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/tollgate.jsonl"
    let storage = FileStorage(folder: folder.path)
    try storage.write([.set("a", 1)])
    try storage.write([.set("b", 2)])
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    lines.insert(#"[{"set":"c"},{"set":"a","to":9}]"#, at: 1)
    lines.insert("{broken", at: 1)
    // The last line was cut off: the process has ended in the middle of it.
    try Data((lines.joined(separator: "\n") + "\n[{\"set\":\"b\",\"to\"").utf8)
      .write(to: URL(filePath: path))
    let again = FileStorage(folder: folder.path)
    #expect(try again.records("") == ["a": 1, "b": 2])
    #expect(again.takeFaults().count == 1)
    #expect(folder.names.contains { $0.hasPrefix("tollgate.jsonl.damaged-") })
    try again.write([.set("c", 3)])
    let third = FileStorage(folder: folder.path)
    #expect(try third.records("") == ["a": 1, "b": 2, "c": 3])
    #expect(third.takeFaults().isEmpty)
  }

  /// A file that grows is written anew.
  @Test func fileStaysShort() throws {
    let folder = try TemporaryFolder()
    let storage = FileStorage(folder: folder.path)
    let text = String(repeating: "x", count: 100_000)
    for number in 0..<100 { try storage.write([.set("a", .string("\(number)" + text))]) }
    let size = try FileManager.default.attributesOfItem(
      atPath: folder.path + "/tollgate.jsonl")[.size]
    #expect((size as? Int ?? .max) < 2_000_000)
    #expect(try FileStorage(folder: folder.path).records("a")["a"] == .string("99" + text))
  }

  /// Of two that write to one folder the second one stops, says so, and destroys nothing.
  @Test func twoOnOneFolder() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (FileStorage(folder: folder.path), FileStorage(folder: folder.path))
    #expect(try first.records("").isEmpty && second.records("").isEmpty)
    try first.write([.set("a", 1)])
    let error = #expect(throws: (any Error).self) { try second.write([.set("a", 2)]) }
    #expect(error?.localizedDescription.contains("another Tollgate instance writes to") == true)
    try first.write([.set("b", 2)])
    #expect(throws: (any Error).self) { try second.write([.set("c", 3)]) }
    #expect(try FileStorage(folder: folder.path).records("") == ["a": 1, "b": 2])
    // A file that was removed is written again.
    try FileManager.default.removeItem(atPath: folder.path + "/tollgate.jsonl")
    try first.write([.set("d", 4)])
    #expect(try FileStorage(folder: folder.path).records("") == ["a": 1, "b": 2, "d": 4])
  }

  /// What cannot be read is one record, and the others are there.
  @Test func damagedRecordIsPutAside() async throws {
    let folder = try TemporaryFolder()
    let storage = SQLiteStorage(folder: folder.path)
    try await storage.write([.set("state/a", 1), .set("state/b", 2)])
    var database: OpaquePointer?
    #expect(sqlite3_open(folder.path + "/tollgate.sqlite", &database) == SQLITE_OK)
    let damage = "UPDATE record SET value = '{\"a\":' WHERE key = 'state/a'"
    #expect(sqlite3_exec(database, damage, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    #expect(try await storage.records("state/") == ["state/b": 2])
    #expect(await storage.takeFaults().count == 1)
    #expect(try await storage.records("state/") == ["state/b": 2])
    #expect(await storage.takeFaults().isEmpty)
  }

  /// A record that cannot be put aside does not keep the others from being read.
  @Test func recordsAreReadWhenOneCannotBePutAside() async throws {
    let folder = try TemporaryFolder()
    let storage = SQLiteStorage(folder: folder.path)
    try await storage.write([.set("state/a", 1), .set("state/b", 2)])
    var database: OpaquePointer?
    #expect(sqlite3_open(folder.path + "/tollgate.sqlite", &database) == SQLITE_OK)
    let damage = """
      UPDATE record SET value = '{' WHERE key = 'state/a';
      CREATE TRIGGER full BEFORE INSERT ON damaged BEGIN SELECT RAISE(ABORT, 'no space'); END;
      """
    #expect(sqlite3_exec(database, damage, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    #expect(try await storage.records("state/") == ["state/b": 2])
    let faults = await storage.takeFaults()
    #expect(faults.count == 1 && faults.first?.contains("no space") == true)
  }

  // MARK: Taking over

  private func writeOldFiles(_ folder: String) throws {
    let files = [
      "tollgate.json":
        #"{"appUserId":"u","userAttributes":{"é":1},"assignments":[{"experimentId":"e"}]}"#,
      "tollgate-config.json": #"{"apiKey":"pk","fetchedAt":1,"config":"{}"}"#,
      "tollgate-events.jsonl":
        #"{"event":"app_install","at":1}"# + "\n" + #"{"occurrence":"k x","at":2}"# + "\n"
        + #"{"event":"b","#,
    ]
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }
  }

  @Test(arguments: StorageKind.onDisk)
  func takesOverFilesOfEarlierVersions(_ kind: StorageKind) async throws {
    let folder = try TemporaryFolder()
    try writeOldFiles(folder.path)
    for _ in 0..<2 {
      let storage = kind.make(folder.path)
      let state = StateRecords.state(of: try await storage.records(StorageKey.state))
      #expect(state["appUserId"] == "u" && state["userAttributes"] == ["é": 1])
      #expect(state["assignments"] == [["experimentId": "e"]])
      #expect(try await storage.records(StorageKey.config)["config"]?["apiKey"] == "pk")
      #expect(
        try await storage.logs(nil) == [
          "event:app_install": StorageLog(times: [1]), "occurrence:k%20x": StorageLog(times: [2]),
        ])
    }
    #expect(!folder.names.contains("tollgate.json"))
    #expect(!folder.names.contains("tollgate-events.jsonl"))
  }

  @Test func databaseTakesOverTheFile() async throws {
    let folder = try TemporaryFolder()
    let file = FileStorage(folder: folder.path)
    try file.write(changes)
    let database = SQLiteStorage(folder: folder.path)
    #expect(try await database.records("") == file.records(""))
    #expect(try await database.logs(nil) == file.logs(nil))
    #expect(!folder.names.contains("tollgate.jsonl"))
    try await database.write([.set("state/b", 4)])
    #expect(try await SQLiteStorage(folder: folder.path).records("state/b") == ["state/b": 4])
  }

  /// Who was killed when the database was there and nothing in it yet takes the file over all the same,
  /// and once: what stands there later is not what the SDK knows.
  @Test func databaseTakesOverAfterAKill() async throws {
    let folder = try TemporaryFolder()
    try FileStorage(folder: folder.path).write([
      .set("state/a", 1), .append(to: "event:x", Instant(milliseconds: 1)),
    ])
    #expect(FileManager.default.createFile(atPath: folder.path + "/tollgate.sqlite", contents: nil))
    let database = SQLiteStorage(folder: folder.path)
    #expect(try await database.records("") == ["state/a": 1])
    try await database.write([.set("state/a", 2)])
    try FileStorage(folder: folder.path).write([
      .set("state/a", 3), .append(to: "event:x", Instant(milliseconds: 2)),
    ])
    let later = SQLiteStorage(folder: folder.path)
    #expect(try await later.records("") == ["state/a": 2])
    #expect(try await later.logs(nil)["event:x"]?.times == [1])
  }

  // MARK: Names

  @Test(arguments: ["", "plain_name", "é", "e\u{301}", "a/b:c%d", "\u{0}\n", "日本"])
  func namesAreASCII(_ name: String) {
    let key = StorageKey.escape(name)
    #expect(key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x3A })
    #expect(StorageKey.unescape(key).utf8.elementsEqual(name.utf8))
  }
}
