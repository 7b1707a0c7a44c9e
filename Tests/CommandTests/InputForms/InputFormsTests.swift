import Expressions
import Foundation
import RuleBatch
import RuleEngine
import TestSupport
import Testing

@testable import tollgate

/// The same users give the same outcomes, however they are read: random configs and random users as a
/// file, compressed, through a pipe, as CSV, in several files, by one thread and by several, one at a time,
/// and by `decide`.
///
/// `TOLLGATE_RUNS` is the number of configs, one or five when it is not set; `TOLLGATE_SEED` the seed of the first,
/// 1 when it is not set. From the sixth run on files have up to 8 MB, so that buffers find other uses.
@Suite(.serialized) struct InputFormsTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let firstSeed = setting("TOLLGATE_SEED") ?? 1
  private static let runs = setting("TOLLGATE_RUNS") ?? Extent.count(5, or: 1)
  private static let now = "2026-03-01T12:00:00Z"

  @Test(arguments: firstSeed..<firstSeed + runs)
  func sameOutcomes(seed: Int) throws {
    var batch = try RandomBatch(seed: UInt64(seed))
    let isLong = seed - Self.firstSeed >= 5
    let size = batch.random.pick(isLong ? [1 << 20, 3 << 20, 8 << 20] : [3_000, 120_000, 700_000])
    let users = try UserFiles(&batch, bytes: size)
    let expected = try users.outcomes(["--users", users.path("users.ndjson"), "--threads", "1"])
    #expect(expected.split(separator: 0x0A).count == users.count * batch.rules.placementNames.count)
    for (name, arguments, input) in users.forms {
      let got = try users.outcomes(arguments, input: input.map { try users.bytes($0) })
      #expect(got == expected, "\(name), seed \(seed): \(users.difference(got, expected))")
    }
    try checkDecisions(batch, users, expected)
  }

  /// What `decide` gives for some of the users, and what a batch of one gives.
  private func checkDecisions(_ batch: RandomBatch, _ users: UserFiles, _ outcomes: Data) throws {
    let lines = outcomes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let names = batch.rules.placementNames
    let time = try WireTime.instant(Self.now)
    let assigner = Assigner.hash(salt: "forms")
    var worker = BatchWorker(BatchPlan(batch.rules, now: time, assigner: assigner))
    var frame = Frame(for: batch.rules.program)
    var reader = UserRecordReader(batch.rules, at: HistoryClock(now: time))
    for number in stride(from: 0, to: users.count, by: max(users.count / 300, 1)) {
      let record = users.records[number]
      let expected = lines[number * names.count..<(number + 1) * names.count]
      let alone = worker.process(Array(record.utf8)).outcomes
      #expect(String(decoding: alone, as: UTF8.self) == expected.joined(separator: "\n") + "\n")
      try reader.read(json: record.utf8, into: &frame)
      let state = reader.state(now: time)
      for (name, line) in zip(names, expected) {
        let decision = batch.rules.decide(name, frame: &frame, state: state, assigner: assigner)
        let errors = batch.rules.errors(name, frame: &frame, state: state)
        let expected = decision.outcomeLine(subjectID: state.subjectID, errors: errors)
        #expect(expected.json == line, "\(record)")
      }
    }
  }
}

/// The users of a batch in files of every form.
private final class UserFiles {
  /// The records of the users who are not refused, in order.
  private(set) var records: [String] = []
  var count: Int { records.count }
  /// What each form is called, the arguments that read it, and the file that goes to standard input.
  private(set) var forms: [(name: String, arguments: [String], input: String?)] = []
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tollgate-forms-\(UUID().uuidString)")
  private let language: [String]

  init(_ batch: inout RandomBatch, bytes: Int) throws {
    language = batch.languageArguments
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(batch.config).write(to: folder.appending(path: "config.json"))
    var json: [UInt8] = []
    var csv = Array((batch.header + "\n").utf8)
    var parts: [Int] = []
    let partSize = bytes / batch.random.pick([3, 33, 60])
    while json.count < bytes {
      if batch.random.chance(1, in: 400) { json += Array((batch.brokenLine() + "\n").utf8) }
      let user = batch.user(records.count)
      records.append(user.json)
      json += Array((user.json + "\n").utf8)
      csv += Array((user.csv + "\n").utf8)
      if json.count >= (parts.count + 1) * partSize { parts.append(json.count) }
    }
    try write("users.ndjson", json)
    try write("users.csv", csv)
    let ends = parts + [json.count]
    for (number, (from, to)) in zip([0] + parts, ends).enumerated() {
      // The last line of a part need not end.
      try write("part-\(100 + number).ndjson", Array(json[from..<max(from, to - number % 2)]))
    }
    try addForms(&batch.random, parts: ends.count)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func addForms(_ random: inout SeededNumbers, parts: Int) throws {
    try compress("users.ndjson")
    try compress("users.csv")
    try compress("part-100.ndjson")
    try write(
      "users.ndjson.zst",
      Array(try TestFolder.compressed(Array(try bytes("users.ndjson")), .zstd)))
    let threads = ["--threads", random.pick(["1", "2", "7"])]
    forms = [
      ("two threads", ["--users", path("users.ndjson"), "--threads", "2"], nil),
      ("seven threads", ["--users", path("users.ndjson"), "--threads", "7"], nil),
      ("gzip", ["--users", path("users.ndjson.gz")] + threads, nil),
      ("zstd", ["--users", path("users.ndjson.zst")] + threads, nil),
      ("zstd through a pipe", ["--users", "-"] + threads, "users.ndjson.zst"),
      ("pipe", ["--users", "-"] + threads, "users.ndjson"),
      ("gzip through a pipe", ["--users", "-"] + threads, "users.ndjson.gz"),
      ("CSV", ["--users", path("users.csv")] + threads, nil),
      ("CSV in gzip", ["--users", path("users.csv.gz")] + threads, nil),
      ("CSV through a pipe", ["--users", "-", "--users-format", "csv"] + threads, "users.csv"),
      ("a pattern", ["--users", path("part-*.ndjson")] + threads, nil),
      (
        "several files",
        (0..<parts).flatMap {
          ["--users", path("part-\(100 + $0).ndjson" + ($0 == 0 ? ".gz" : ""))]
        } + threads, nil
      ),
    ]
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  private func compress(_ name: String) throws {
    let target = folder.appending(path: name + ".gz")
    try Data().write(to: target)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-1", "-c", path(name)]
    process.standardOutput = try FileHandle(forWritingTo: target)
    try process.run()
    process.waitUntilExit()
  }

  /// What precompute writes for these users.
  func outcomes(_ arguments: [String], input: Data? = nil) throws -> Data {
    let out = path("outcomes-of-a-run")
    let result = try BuiltTool.run(
      [
        "precompute", path("config.json"), "--now", "2026-03-01T12:00:00Z", "--seed", "forms",
        "--out",
        out, "--manifest", "none", "--summary", "json",
      ] + language + arguments, input: input ?? Data(), isPiped: input != nil)
    #expect(result.code == 0, "\(arguments): \(result.errors.suffix(2_000))")
    return FileManager.default.contents(atPath: out) ?? Data()
  }

  /// Where two outputs differ, for people.
  func difference(_ a: Data, _ b: Data) -> String {
    let lines = zip(a.split(separator: 0x0A), b.split(separator: 0x0A)).enumerated()
    guard let (number, (one, other)) = lines.first(where: { $1.0 != $1.1 }) else {
      return "\(a.count) bytes in place of \(b.count)"
    }
    return "line \(number): \(String(decoding: one, as: UTF8.self)) in place of "
      + String(decoding: other, as: UTF8.self)
  }
}
