import Foundation
import Testing

/// `migrate-weights`, held against what `precompute` gives by both configs.
@Suite struct MigrateWeightsTests {
  private static let basis = ["--now", "2026-03-01T12:00:00Z", "--seed", "demo"]

  /// A folder with the demo, and its config with other weights for two experiments.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for name in ["config.json", "users.ndjson"] {
      try FileManager.default.copyItem(
        atPath: TestFolder.demo + "/" + name, toPath: folder.path(name))
    }
    var text = try #require(folder.text("config.json"))
    for id in ["export-settled-trial", "export-free-gate"] {
      let place = try #require(text.range(of: "\"\(id)\""))
      let weight = try #require(
        text.range(
          of: #""percentage": ?[0-9.]+"#, options: .regularExpression,
          range: place.upperBound..<text.endIndex))
      text.replaceSubrange(weight, with: #""percentage": 20"#)
    }
    try folder.write("new.json", text)
    return folder
  }

  /// By user: what `export_report` gives, as experiment and variant.
  private func given(_ config: String, _ folder: TestFolder, seed: String = "demo", users: String)
    throws -> [String: [String]]
  {
    let run = try folder.tollgate(
      "precompute", config, "--users", users, "--placement", "export_report", "--now",
      "2026-03-01T12:00:00Z", "--seed", seed, "--out", "given.csv", "--quiet")
    #expect(run.code == 0, "\(run.errors)")
    var given: [String: [String]] = [:]
    for line in try #require(folder.text("given.csv")).split(separator: "\n").dropFirst() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      given[cells[0]] = [cells[4], cells[5]]
    }
    return given
  }

  private func experiments(_ run: BuiltTool.Result) throws -> [NSDictionary] {
    let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? NSDictionary
    return try #require(report?["experiments"] as? [NSDictionary])
  }

  @Test(arguments: [("new.json", "demo"), ("config.json", "other"), ("new.json", "other")])
  func agreesWithPrecompute(config: String, seed: String) throws {
    let folder = try folder()
    let before = try given("config.json", folder, users: "users.ndjson")
    let drawn = try given(config, folder, seed: seed, users: "users.ndjson")
    let run = try folder.tollgate(
      "migrate-weights", "config.json", config, "--users", "users.ndjson", "--now",
      "2026-03-01T12:00:00Z", "--seed", seed, "--old-seed", "demo", "--json", "--quiet", "--out",
      "assignments.ndjson", "--experiment", "export-free", "--experiment", "export-settled")
    #expect(run.code == 0, "\(run.errors)")
    // One line for everybody, however many there are.
    let lines = (folder.text("assignments.ndjson") ?? "").split(separator: "\n")
    try #require(!lines.isEmpty && Set(lines).count == lines.count)
    // With these assignments everybody gets what was worked out, whatever the seed.
    try merge(folder)
    let after = try given(config, folder, seed: "no matter", users: "assigned.ndjson")
    #expect(after.count == before.count)
    for experiment in try experiments(run) {
      let id = try #require(experiment["experimentId"] as? String)
      let members = after.filter { $0.value[0] == id }
      #expect(members.count == experiment["users"] as? Int)
      let moved = members.filter { before[$0.key]?[0] == id && before[$0.key] != $0.value }
      #expect(moved.count == experiment["fewestMoves"] as? Int)
      let byDraw = drawn.filter { $0.value[0] == id && before[$0.key]?[0] == id }
      #expect(
        byDraw.count { before[$0.key] != $0.value } == experiment["movedByDraw"] as? Int)
      for variant in try #require(experiment["variants"] as? [NSDictionary]) {
        let name = try #require(variant["variantId"] as? String)
        #expect(members.count { $0.value[1] == name } == variant["target"] as? Int)
        #expect(drawn.count { $0.value == [id, name] } == variant["byDraw"] as? Int)
        #expect(
          members.count { before[$0.key] == [id, name] } == variant["before"] as? Int, "\(name)")
      }
    }
  }

  /// Puts the assignments that were written into the users' records.
  private func merge(_ folder: TestFolder) throws {
    var assignments: [String: Any] = [:]
    for line in try #require(folder.text("assignments.ndjson")).split(separator: "\n") {
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
      assignments[record?["userId"] as? String ?? ""] = record?["assignments"]
    }
    var lines = Data()
    for line in try #require(folder.text("users.ndjson")).split(separator: "\n") {
      guard
        var record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let id = record["userId"] as? String
      else { continue }
      if let assigned = assignments[id] as? [Any] {
        record["assignments"] = (record["assignments"] as? [Any] ?? []) + assigned
      }
      lines += try JSONSerialization.data(withJSONObject: record) + [0x0A]
    }
    try folder.write("assigned.ndjson", lines)
  }

  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"e","experiment_group_id":"g","expression_cel":null,"variants":[VARIANTS]}]}],
     "product_identifiers":[],"paywall_responses":[]}
    """#

  private static func config(_ weights: [(String, Int)]) -> String {
    config.replacingOccurrences(
      of: "VARIANTS",
      with: weights.map {
        #"{"variant_id":"\#($0)","variant_type":"HOLDOUT","percentage":\#($1)}"#
      }
      .joined(separator: ","))
  }

  /// Where everything is drawn anew, experiments with one variant have nothing to tell.
  @Test func experimentsWithOneVariant() throws {
    let folder = try TestFolder()
    let rule = #"{"experiment_id":"ID","experiment_group_id":"g","variants":[VARIANTS]}"#
    let variants = ["a", "b"].map {
      #"{"variant_id":"\#($0)","variant_type":"HOLDOUT","percentage":50}"#
    }
    let rules = [("one", 1), ("two", 2)].map { id, count in
      rule.replacing("ID", with: id)
        .replacing("VARIANTS", with: variants.prefix(count).joined(separator: ","))
    }
    try folder.write(
      "c.json",
      #"{"trigger_options":[{"event_name":"p","rules":[\#(rules.joined(separator: ","))]}]}"#)
    try folder.write("u.ndjson", #"{"userId":"u"}"# + "\n")
    let run = try folder.tollgate(
      "migrate-weights", "c.json", "c.json", "--users", "u.ndjson", "--old-seed", "a", "--seed",
      "b", "--json", "--quiet", "--out", "a.ndjson")
    #expect(run.code == 0, "\(run.errors)")
    #expect(try experiments(run).map { $0["experimentId"] as? String } == ["two"])
  }

  /// Stored variants count before the draw; users who are there twice count once.
  @Test func storedGoneAndRepeated() throws {
    let folder = try TestFolder()
    try folder.write("old.json", Self.config([("a", 50), ("b", 50)]))
    try folder.write("new.json", Self.config([("b", 1), ("c", 1)]))
    func user(_ id: String, _ variant: String) -> String {
      #"{"userId":"\#(id)","assignments":[{"experimentId":"e","variantId":"\#(variant)"}]}"#
    }
    try folder.write(
      "users.ndjson",
      ["1", "2", "3"].map { user($0, "a") }.joined(separator: "\n") + "\n" + user("4", "b") + "\n"
        + user("4", "a") + "\nnot a record\n")
    let run = try folder.tollgate(
      "migrate-weights", "old.json", "new.json", "--users", "users.ndjson", "--json", "--out",
      "a.csv.gz")
    #expect(run.code == 0)
    #expect(run.errors.contains("1 line repeats earlier users"))
    #expect(run.errors.contains("1 line rejected"))
    let quiet = try folder.tollgate(
      "migrate-weights", "old.json", "new.json", "--users", "users.ndjson", "--json", "--quiet")
    #expect(!quiet.errors.contains("there before"), "\(quiet.errors)")
    let experiment = try experiments(run)[0]
    #expect(experiment["users"] as? Int == 4)
    #expect(experiment["fewestMoves"] as? Int == 3)
    #expect(experiment["hadRemovedVariant"] as? Int == 3)
    let rows = try folder.shell("gzip -dc a.csv.gz").output.split(separator: "\n")
    #expect(rows.first == "userId,experimentId,variantId")
    #expect(rows.dropFirst().map { $0.last }.sorted { $0! < $1! } == ["b", "b", "c", "c"])
    #expect(rows.contains("4,e,b"))
    let strict = try folder.tollgate(
      "migrate-weights", "old.json", "new.json", "--users", "users.ndjson", "--strict")
    #expect(strict.code == 3)
    #expect(strict.output.contains("a        50 -> -"))
  }

  @Test(arguments: [
    (["old.json", "old.json", "--users", "u.ndjson"], 2, "are the same in both configs"),
    (
      ["old.json", "new.json", "--users", "u.ndjson", "--experiment", "f"], 2,
      "'f' is not a running experiment of both configs; did you mean 'e'?"
    ),
    (["old.json", "new.json"], 2, "--users"),
    (["old.json", "new.json", "--users", "none.ndjson"], 2, "none.ndjson"),
    (["old.json", "new.json", "--users", "empty.ndjson"], 2, "no users in"),
    (["old.json", "new.json", "--users", "u.ndjson", "--out", "a.sqlite"], 2, ".csv"),
    (["old.json", "new.json", "--users", "u.ndjson", "--out", "new.json"], 2, "the same file"),
    (["old.json", "new.json", "--users", "u.ndjson", "--out", "/dev/full"], 74, "/dev/full"),
    (["-", "new.json", "--users", "-"], 2, "only one file can be standard input"),
    (["old.json", "broken.json", "--users", "u.ndjson"], 1, "does not compile"),
  ])
  func mistakes(arguments: [String], code: Int32, message: String) throws {
    let folder = try TestFolder()
    try folder.write("old.json", Self.config([("a", 50), ("b", 50)]))
    try folder.write("new.json", Self.config([("a", 40), ("b", 60)]))
    try folder.write(
      "broken.json",
      Self.config([("a", 1)]).replacingOccurrences(of: "null,", with: "\"user.a ==\","))
    try folder.write("u.ndjson", #"{"userId":"1"}"#)
    try folder.write("empty.ndjson", "")
    let run = try folder.tollgate(["migrate-weights"] + arguments)
    #expect(run.code == code)
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
