import Expressions
import Foundation
import Testing

/// `tollgate match`: whom audiences get to, and why the others not.
@Suite struct MatchCommandTests {
  private static let config = """
    {"campaigns":[{"id":"c","name":"C","status":"active",
      "placements":[{"id":"p","name":"upgrade","type":"custom","status":"active"}],
      "audiences":[
        {"id":"weekly","name":"W","priority_order":1,"entitlement_check":"pro",
         "filters":[{"field":"user.plan","operator":"is","value":"free","conjunction":"and"}],
         "frequency_cap":{"type":"once_per_day"},
         "experiment":{"id":"e1","status":"running","holdout_percentage":0,"variants":[
           {"id":"a","paywall_id":"one","traffic_percentage":25},
           {"id":"b","paywall_id":"two","traffic_percentage":75}]}},
        {"id":"rest","name":"R","priority_order":2,"filters":[
           {"field":"user.plan","operator":"is","value":"old","conjunction":"and"}],
         "experiment":{"id":"e2","status":"running","holdout_percentage":0,"variants":[
           {"id":"c","paywall_id":"one","traffic_percentage":100}]}}]}],
     "paywalls":{},"products":[]}
    """

  private static let users = """
    {"userId":"shown","user":{"plan":"free"},"occurrences":{"c/weekly":["2026-03-01T11:00:00Z"]}}
    {"userId":"owner","user":{"plan":"free"},"entitlements":["pro"]}
    {"userId":"stored","user":{"plan":"free"},"assignments":[{"experimentId":"e1","variantId":"a"}]}
    {"userId":"new-1","user":{"plan":"free"}}
    {"userId":"new-2","user":{"plan":"free"}}
    {"userId":"old","user":{"plan":"old"}}

    """

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.ndjson", Self.users)
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      try BuiltTool.tool(),
      ["match", "config.json", "--now", "2026-03-01T12:00:00Z"] + arguments, in: folder.path)
  }

  @Test func aFunnel() throws {
    let folder = try folder()
    let result = try run(folder, "--users", "users.ndjson", "--distribution")
    #expect(result.code == 0)
    let rows = result.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(rows.contains("reached 6 100.0 % shown"))
    #expect(rows.contains("skipped: owns pro 1 16.7 % owner"))
    #expect(rows.contains("matched 4 66.7 % shown"))
    #expect(
      rows.contains { $0.hasPrefix("held back: at most 1 ") && $0.hasSuffix(" 1 16.7 % shown") })
    #expect(rows.contains("taken 3 50.0 % stored"))
    // Two of the three draw: a quarter of them is half a user.
    #expect(rows.contains { $0.hasPrefix("variant a: paywall one ") && $0.contains(" 0.50 ") })
    #expect(rows.contains { $0.hasPrefix("variant b: paywall two ") && $0.contains(" 1.50 ") })
    #expect(rows.contains("variant c: paywall one 1 16.7 % 1 1 old"))
    #expect(rows.contains("taken by none 2 33.3 % shown"))
    #expect(
      result.lines.last == "6 users decided, 0 lines rejected. Shares are relative to all users.")
    // What the note says can be run.
    let hint = try #require(result.errors.split(separator: "\n").last { $0.contains("explain") })
    let command = try #require(hint.firstRange(of: "tollgate ")).upperBound
    let explained = try BuiltTool.run(
      try BuiltTool.tool(), hint[command...].split(separator: " ").map(String.init),
      in: folder.path)
    #expect(explained.code == 0)
    #expect(explained.output.contains("held back by its limit: shown once"))
  }

  /// The JSON is that of precompute's summary, with more in it.
  @Test func asASummary() throws {
    let folder = try folder()
    let result = try run(folder, "--users", "users.ndjson", "--json", "--quiet", "--distribution")
    #expect(result.errors == "")
    let match = try Value.parse(json: Array(result.output.utf8))
    let summary = try BuiltTool.run(
      try BuiltTool.tool(),
      [
        "precompute", "config.json", "--users", "users.ndjson", "--now", "2026-03-01T12:00:00Z",
        "--out", "none", "--summary", "json", "--quiet",
      ], in: folder.path)
    let counted = try Value.parse(json: Array(summary.output.utf8))
    #expect(match["users"] == counted["users"])
    let (mine, theirs) = (match["placements"]?["upgrade"], counted["placements"]?["upgrade"])
    #expect(mine?["outcomes"] == theirs?["outcomes"])
    for (mine, theirs) in zip(
      mine?["audiences"]?.elements ?? [], try #require(theirs?["audiences"]?.elements))
    {
      guard case .map(let members) = theirs else { continue }
      for member in members { #expect(mine[member.key.text ?? ""] == member.value) }
    }
    let first = try #require(mine?["audiences"]?.elements?.first)
    #expect(first["heldBack"] == 1)
    #expect(first["limit"]?["of"] == 1)
    #expect(first["owned"] == 1)
    #expect(first["entitlement"] == "pro")
    #expect(first["examples"]?["heldBack"] == "shown")
    let variant = try #require(first["variants"]?.elements?.first)
    #expect(variant["stored"] == 1)
    #expect(variant["probability"] == "1/4")
    #expect(variant["share"] == 0.25)
    #expect(variant["expected"] == "1/2")
    #expect(variant["expectedUsers"] == 0.5)
  }

  /// The summary of precompute in words says what kept users from an audience.
  @Test func inASummary() throws {
    let folder = try folder()
    let summary = try BuiltTool.run(
      try BuiltTool.tool(),
      [
        "precompute", "config.json", "--users", "users.ndjson", "--now", "2026-03-01T12:00:00Z",
        "--out", "none", "--quiet",
      ], in: folder.path)
    let start = try #require(
      summary.lines.firstIndex(of: "Limits or entitlements excluded users from these audiences:"))
    #expect(
      summary.lines[start + 1].hasPrefix(
        "  upgrade, audience 0 (weekly): 1 user held back, at most 1 in "))
    #expect(summary.lines[start + 2].hasSuffix(": 1 user skipped for owning pro"))
  }

  /// Users come as in precompute, and threads do not matter.
  @Test func manyFiles() throws {
    let folder = try TestFolder()
    let many = (0..<9_000).map { "{\"userId\":\"u-\($0)\",\"user\":{\"plan\":\"free\"}}\n" }
    try folder.write("config.json", Self.config)
    try folder.write("a.ndjson", many.prefix(5_000).joined())
    try folder.write("b.ndjson", many.suffix(4_000).joined())
    try folder.write("c.csv", "userId,user.plan\nlast,old\n")
    #expect(try folder.shell("gzip b.ndjson").code == 0)
    let files = ["--users", "a.ndjson", "b.ndjson.gz", "c.csv", "--json", "--quiet"]
    let runs = try ["1", "3"].map { threads in
      try BuiltTool.run(
        try BuiltTool.tool(),
        ["match", "config.json", "--now", "2026-03-01T12:00:00Z", "--threads", threads] + files,
        in: folder.path)
    }
    #expect(runs.map(\.code) == [0, 0])
    #expect(runs[0].output == runs[1].output)
    #expect(runs[0].output.hasPrefix(#"{"users":9001,"rejected":0,"#))
    #expect(runs[0].output.contains(#""taken":"last""#))
  }

  @Test func exitCodes() throws {
    let folder = try folder()
    #expect(try run(folder, "--users", "users.ndjson", "--placement", "upgrad").code == 2)
    #expect(try run(folder, "--users", "gone.ndjson").code == 2)
    try folder.write("bad.ndjson", "nonsense\n")
    // Of nobody there is nothing to show, and no page either.
    let nobody = try run(folder, "--users", "bad.ndjson", "--report", "match.html")
    #expect(nobody.code == 2 && nobody.output == "", "\(nobody.output)")
    #expect(!folder.exists("match.html"))
    try folder.write("bad.ndjson", "nonsense\n" + Self.users)
    #expect(try run(folder, "--users", "bad.ndjson").code == 0)
    #expect(try run(folder, "--users", "bad.ndjson", "--strict").code == 3)
    try folder.write("config.json", Self.broken)
    let broken = try run(folder, "--users", "users.ndjson")
    #expect(broken.code == 1)
    #expect(broken.output == "")
    #expect(try run(folder, "--users", "users.ndjson", "--keep-going").code == 0)
  }

  private static let broken = """
    {"trigger_options":[{"event_name":"upgrade","rules":[
      {"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.plan ==",
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,
                    "paywall_identifier":"pw"}]}]}]}
    """

  // MARK: Hundreds of audiences

  private func largeFolder() throws -> TestFolder {
    let folder = try TestFolder()
    let rules = (0..<120).map { number in
      let holds = number % 40 == 7
      return #"{"experiment_id":"e\#(number)","experiment_group_id":"g","#
        + #""expression_cel":"user.n == \#(holds ? number : -1)","#
        + #""variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}],"#
        + #""preload":{"behavior":"ALWAYS"}}"#
    }
    try folder.write(
      "config.json",
      #"{"build_id":"b","paywall_responses":[],"trigger_options":[{"event_name":"p","rules":["#
        + rules.joined(separator: ",") + "]}]}")
    try folder.write(
      "users.ndjson",
      (0..<120).map { #"{"userId":"u\#($0)","user":{"n":\#($0)}}"# }.joined(separator: "\n"))
    return folder
  }

  /// Audiences that take nobody are folded, and the summary comes first.
  @Test func manyAudiencesAreFolded() throws {
    let folder = try largeFolder()
    let folded = try run(folder, "--users", "users.ndjson")
    #expect(folded.code == 0)
    #expect(folded.lines.first?.hasPrefix("120 users decided, 0 lines rejected") == true)
    #expect(folded.lines[1] == "1 placement, 120 audiences: 3 take users, 117 take none.")
    #expect(folded.lines.count < 30)
    #expect(folded.output.contains("117 audiences taking no user (--all shows them)"))
    let all = try run(folder, "--users", "users.ndjson", "--all")
    #expect(all.lines.count > 300)
    #expect(!all.output.contains("--all shows them"))
  }

  @Test func explanationsOfManyAudiencesAreFolded() throws {
    let folder = try largeFolder()
    func explain(_ more: String...) throws -> BuiltTool.Result {
      try BuiltTool.run(
        try BuiltTool.tool(),
        [
          "explain", "config.json", "--users", "users.ndjson", "--id", "u47", "--placement", "p",
          "--now", "2026-03-01",
        ] + more, in: folder.path)
    }
    let folded = try explain()
    #expect(folded.code == 0, "\(folded.errors)")
    #expect(folded.lines.contains("  audiences 0 to 46 do not match (47; --all shows them)"))
    #expect(folded.lines.contains("  audiences 48 to 119 are not reached (72; --all shows them)"))
    #expect(folded.output.contains("audience 47"))
    #expect(folded.lines.count < 20)
    #expect(try explain("--all").lines.count > 200)
  }

  /// Who lacks an attribute is counted where that decides.
  @Test func missingAttributesAreTold() throws {
    let folder = try TestFolder()
    try folder.write(
      "config.json",
      #"{"build_id":"b","paywall_responses":[],"trigger_options":[{"event_name":"p","rules":["#
        + #"{"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.seed < 50","#
        + #""variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}],"#
        + #""preload":{"behavior":"ALWAYS"}}]}]}"#)
    try folder.write(
      "users.ndjson",
      """
      {"userId":"a","user":{"plan":"free"}}
      {"userId":"b","user":{"seed":7}}
      {"userId":"c","user":{"seed":70}}
      {"userId":"d"}

      """)
    let result = try run(folder, "--users", "users.ndjson")
    let rows = result.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      rows.contains(
        "because of missing user.seed (counts as 0) in 'user.seed < 50' 2 50.0 % a"), "\(rows)")
    let json = try run(folder, "--users", "users.ndjson", "--json")
    #expect(
      json.output.contains(
        #""missing":[{"clause":"user.seed < 50","path":"user.seed","countsAs":0,"matched":2,"#
          + #""unmatched":0,"matchedExample":"a"}]"#))
    let summary = try BuiltTool.run(
      try BuiltTool.tool(),
      [
        "precompute", "config.json", "--users", "users.ndjson", "--out", "out.ndjson", "--reasons",
        "--report", "report.html", "--now", "2026-03-01",
      ], in: folder.path)
    #expect(
      summary.output.contains(
        "p, audience 0 (e): 2 users matched 'user.seed < 50' because user.seed is missing "
          + "(counts as 0)"), "\(summary.output)")
    let outcome = String(decoding: folder.bytes("out.ndjson") ?? Data(), as: UTF8.self)
    #expect(outcome.split(separator: "\n")[0].contains(#""reason":{"missing":[{"audience":0,"#))
    let page = String(decoding: folder.bytes("report.html") ?? Data(), as: UTF8.self)
    #expect(page.contains("Missing attributes that decide"))
    let manifest = String(
      decoding: folder.bytes("out.ndjson.manifest.json") ?? Data(), as: UTF8.self)
    #expect(manifest.contains(#""path":"user.seed","countsAs":0,"matched":2,"unmatched":0}"#))
  }
}
