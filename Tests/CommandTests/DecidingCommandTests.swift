import Foundation
import Testing

/// What decide, explain, render and precompute say of users, times and assigners.
@Suite("Deciding commands")
struct DecidingCommandTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus").path
  private static let config = corpus + "/demo/config.json"
  private static let user = corpus + "/demo/user.json"
  private static let now = "2026-03-01T12:00:00Z"

  /// AgentWallie's config with one experiment whose buckets djb2 and the hash fill differently, and
  /// placements that are not active.
  private static let wallie = #"""
    {"campaigns":[
      {"id":"c","name":"Spring","status":"active",
       "placements":[{"id":"p","name":"p","type":"custom","status":"active"},
                     {"id":"q","name":"paused_one","type":"custom","status":"paused"}],
       "audiences":[{"id":"everybody","name":"A","priority_order":0,"filters":[],
         "experiment":{"id":"e","status":"running","holdout_percentage":0,"variants":[
           {"id":"v1","paywall_id":"pw","traffic_percentage":50},
           {"id":"v2","paywall_id":"pw","traffic_percentage":50}]}}]},
      {"id":"old","name":"Autumn","status":"archived",
       "placements":[{"id":"r","name":"archived_one","type":"custom","status":"active"}],
       "audiences":[]}],
     "paywalls":{},"products":[]}
    """#

  private func decide(
    _ record: String, _ more: [String] = [], config: String = config,
    placement: String = "export_report", command: String = "decide"
  ) throws -> BuiltTool.Result {
    try BuiltTool.run(
      [
        command, config, "--placement", placement, "--user", record, "--now", Self.now,
      ] + more)
  }

  private func withAgentWallie<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "tollgate-wallie-\(UUID().uuidString).json").path
    try Self.wallie.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  // MARK: Records

  @Test(
    arguments: [
      (#"{"userId":"u","user":"x"}"#, "'user' must be an object, not a string"),
      (#"{"userId":"u","events":12}"#, "'events' must be"), (#" {"userId":5}"#, "'userId' must be"),
      (#"{"userId":"u","sessionStart":"2026-03-01"}"#, "has no time zone"),
    ])
  func recordsInPlace(record: String, reason: String) throws {
    for command in ["decide", "explain"] {
      let result = try decide(record, command: command)
      #expect(result.code == 2)
      #expect(result.output == "")
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
  }

  @Test func oddRecordsAreNoted() throws {
    let record = #"{"userId":"u","occurences":{},"plan":"free","subscriptionStatus":"active"}"#
    for command in ["decide", "explain"] {
      let result = try decide(record, command: command)
      #expect(result.code == 0)
      #expect(result.errors.contains("'occurences' is not a key of a user record"))
      #expect(result.errors.contains("did you mean 'occurrences'?"))
      #expect(result.errors.contains("did you mean 'user.plan'?"))
      #expect(result.errors.contains("note[unknown-status]: 'active'"))
    }
    let plain = try decide(#"{"userId":"u"}"#)
    #expect(!plain.errors.contains("note"))
  }

  /// Attributes that stand beside 'user' and 'device' in place of in them.
  @Test(arguments: [
    ("regionCode", "; did you mean 'device.regionCode'?"),
    ("regioncode", "; did you mean 'device.regionCode'?"),
    ("plan", "; did you mean 'user.plan'?"), ("bundleId", "; did you mean 'device.bundleId'?"),
    ("bundleID", "; did you mean 'device.bundleId'?"),
    ("whatever", "; attributes go into 'user', 'device' or 'params'"),
  ])
  func flatAttributes(key: String, hint: String) throws {
    let result = try decide(#"{"userId":"u","\#(key)":"x"}"#)
    #expect(
      result.errors.contains(
        "'\(key)' is not a key of a user record and is ignored\(hint)\n"), "\(result.errors)")
    let folder = try TestFolder()
    try folder.write("u.ndjson", #"{"userId":"u","\#(key)":"x"}"#)
    try folder.write("u.csv", "userId,\(key)\nu,x\n")
    for name in ["u.ndjson", "u.csv"] {
      let batch = try folder.precompute("--users", name, "--out", "none")
      #expect(batch.errors.contains("(1 user)\(hint)\n"), "\(batch.errors)")
    }
  }

  /// AgentWallie's devices have other attributes.
  @Test func flatAttributesOfAgentWallie() throws {
    try withAgentWallie { config in
      let result = try decide(#"{"userId":"u","bundleId":"x"}"#, config: config, placement: "p")
      #expect(!result.errors.contains("did you mean"), "\(result.errors)")
    }
  }

  @Test func oneRecordOfSeveral() throws {
    let result = try decide(Self.corpus + "/demo/users.ndjson")
    #expect(result.code == 2)
    #expect(result.errors.contains("several records"))
  }

  /// Texts are about users, too, and nobody has to say who.
  @Test func recordsOfTexts() throws {
    let good = try BuiltTool.run(
      "render", "Hello << user.name >>", "--user", #"{"user":{"name":"Mo"}}"#)
    #expect(good.output == "Hello Mo\n")
    let null = try BuiltTool.run(
      "render", "<< user.name | default: 'you' >>", "--user", #"{"user":null}"#)
    #expect(null.output == "you\n")
    for bad in [#"{"user":"x"}"#, #"{"entitlements":{}}"#, "[]", #"{"user":{}"#] {
      let result = try BuiltTool.run("render", "Hello", "--user", "-", input: bad)
      #expect(result.code == 2)
      #expect(result.output == "")
    }
  }

  // MARK: Times

  @Test(
    arguments: [
      ("2026-03-01T12:00", "Europe/Berlin", "2026-03-01T11:00:00Z"),
      ("2026-03-01", "Europe/Berlin", "2026-02-28T23:00:00Z"),
      ("2026-03-01T12:00Z", "Europe/Berlin", "2026-03-01T12:00:00Z"),
      ("2026-03-01 12:00:00", "UTC", "2026-03-01T12:00:00Z"),
      ("0001-01-01", "UTC", "0001-01-01T00:00:00Z"), ("9999-12-31", "UTC", "9999-12-31T00:00:00Z"),
    ])
  func nowWithoutAZone(now: String, zone: String, expected: String) throws {
    let result = try BuiltTool.run(
      "decide", Self.config, "--placement", "export_report", "--user", #"{"userId":"u"}"#, "--now",
      now, "--time-zone", zone)
    #expect(result.errors.contains("as of \(expected), assigner hash"), "\(result.errors)")
    #expect(result.code == 0)
  }

  @Test func timesThatClocksSkipOrShowTwice() throws {
    func decide(_ now: String) throws -> BuiltTool.Result {
      try BuiltTool.run(
        "decide", Self.config, "--placement", "export_report", "--user", #"{"userId":"u"}"#,
        "--now", now, "--time-zone", "Europe/Berlin")
    }
    let skipped = try decide("2026-03-29T02:30")
    #expect(skipped.code == 2)
    #expect(skipped.output == "")
    #expect(skipped.errors.contains("'2026-03-29T02:30' does not exist in the time zone"))
    let doubled = try decide("2026-10-25T02:30")
    #expect(doubled.code == 0)
    #expect(
      doubled.errors.contains(
        "note: 2026-10-25T02:30 occurs twice in Europe/Berlin: 2026-10-25T00:30:00Z is used, "
          + "not 2026-10-25T01:30:00Z\n"), "\(doubled.errors)")
    #expect(doubled.errors.contains("as of 2026-10-25T00:30:00Z"))
    for clear in ["2026-10-25T02:30+01:00", "2026-10-25T03:00", "2026-03-29T02:30Z"] {
      let result = try decide(clear)
      #expect(result.code == 0)
      #expect(!result.errors.contains("twice"))
    }
  }

  @Test(arguments: [
    "soon", "2026-02-30", "2026-03-01T24:00", "2016-12-31T23:59:60Z", "0000-12-31", "10000-01-01",
    "2026-03-01T12:00+99:99", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
  ])
  func noTime(now: String) throws {
    let result = try BuiltTool.run(
      "decide", Self.config, "--placement", "export_report", "--user", #"{"userId":"u"}"#,
      "--now=\(now)")
    #expect(result.code != 0)
    #expect(result.output == "")
    #expect(result.errors.contains("'\(now)'"), "\(result.errors)")
  }

  // MARK: Assigners

  @Test func assignersByConfig() throws {
    try withAgentWallie { path in
      let usual = try decide(#"{"userId":"u"}"#, config: path, placement: "p")
      #expect(usual.errors.contains("assigner djb2"))
      let djb2 = try decide(
        #"{"userId":"u"}"#, ["--assigner", "djb2"], config: path, placement: "p")
      #expect(djb2.output == usual.output)
      // The hash with this seed puts the user elsewhere.
      let hash = try decide(
        #"{"userId":"u"}"#, ["--assigner", "hash", "--seed", "1"], config: path, placement: "p")
      #expect(hash.errors.contains("assigner hash, seed '1'"))
      #expect(hash.output != usual.output)
      let unused = try decide(#"{"userId":"u"}"#, ["--seed", "1"], config: path, placement: "p")
      #expect(unused.output == usual.output)
      #expect(unused.errors.contains("djb2 takes no seed"))
      let explained = try decide(
        #"{"userId":"u"}"#, config: path, placement: "p", command: "explain")
      #expect(explained.lines.first == "user u at \(Self.now), assigner djb2")
      let asJSON = try decide(
        #"{"userId":"u"}"#, ["--json"], config: path, placement: "p", command: "explain")
      #expect(asJSON.output.contains(#""assigner":"djb2""#))
    }
    let other = try decide(#"{"userId":"u"}"#)
    #expect(other.errors.contains("assigner hash"))
  }

  /// A run over users says its assigner, keeps it in the manifest, and replay goes by that.
  @Test func assignersOfRuns() throws {
    try withAgentWallie { path in
      let out = path + ".out.ndjson"
      defer {
        for file in [out, out + ".manifest.json"] {
          try? FileManager.default.removeItem(atPath: file)
        }
      }
      let users = (0..<50).map { "{\"userId\":\"u\($0)\"}\n" }.joined()
      let file = path + ".users"
      try users.write(toFile: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try BuiltTool.run(
        "precompute", path, "--users", file, "--out", out, "--now", Self.now)
      #expect(run.code == 0)
      #expect(run.errors.contains("as of \(Self.now), assigner djb2"))
      let manifest = try String(contentsOfFile: out + ".manifest.json", encoding: .utf8)
      #expect(manifest.contains(#""assigner":"djb2""#))
      let replayed = try BuiltTool.run("replay", out + ".manifest.json")
      #expect(replayed.code == 0)
      #expect(replayed.errors.contains("assigner djb2"))
      let lines = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n")
      for number in [0, 7, 49] {
        let single = try decide("{\"userId\":\"u\(number)\"}", config: path, placement: "p")
        #expect(single.lines.first == String(lines[number]))
      }
    }
  }

  // MARK: Names

  @Test func placementsThatAreNotActive() throws {
    try withAgentWallie { path in
      for command in ["decide", "explain"] {
        let archived = try decide(
          #"{"userId":"u"}"#, config: path, placement: "archived_one", command: command)
        #expect(archived.code == 2)
        #expect(archived.errors.contains("'Autumn', which is archived"))
        let paused = try decide(
          #"{"userId":"u"}"#, config: path, placement: "paused_one", command: command)
        #expect(paused.errors.contains("it is paused in the campaign 'Spring'"))
        let unknown = try decide(
          #"{"userId":"u"}"#, config: path, placement: "elsewhere", command: command)
        #expect(unknown.errors.contains("it has p"))
      }
    }
  }

  @Test(arguments: [
    ("-1", "it has 0 (export-long), 1 (export-free), 2 (export-settled)"),
    ("3", "it has 0 ("), ("", "--audience is empty"),
    ("export-fre", "did you mean 'export-free'?"),
  ])
  func audiencesThatAreNot(audience: String, hint: String) throws {
    let result = try decide(Self.user, ["--audience", audience], command: "explain")
    #expect(result.code == 2)
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test func audiencesByID() throws {
    let byID = try decide(Self.user, ["--audience", "export-free"], command: "explain")
    let byNumber = try decide(Self.user, ["--audience", "1"], command: "explain")
    #expect(byID.code == 0)
    #expect(byID.output == byNumber.output)
  }
}
