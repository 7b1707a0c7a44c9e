import Foundation
import Testing

/// `tollgate fuzz`: users who break what a team says always holds.
@Suite struct FuzzCommandTests {
  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"free","experiment_group_id":"g","expression_cel":"user.plan == 'free' && user.age >= 12",
       "occurrence":{"key":"k","max_count":2,"interval":{"type":"MINUTES","minutes":60}},
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"annual"}]}]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"annual"}]}
    """#
  private static let minors =
    #"{"name":"minors","when":"user.age < 13","holds":"outcome.result != \"paywall\"","over":"decision"}"#
  private static let often =
    #"{"name":"twice","holds":"shown.filter(s, s.result == \"paywall\").size() <= 2","over":"history"}"#
  private static let pro =
    #"{"name":"pro","when":"user.plan == \"pro\"","holds":"outcome.result == \"noAudienceMatch\""}"#

  private func folder(_ invariants: String = "") throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    if !invariants.isEmpty { try folder.write("i.invariants.jsonl", invariants) }
    return folder
  }

  private func run(_ folder: TestFolder, _ arguments: String...) throws -> BuiltTool.Result {
    try folder.tollgate(
      ["fuzz", "config.json", "--now", "2026-03-01T12:00:00Z", "--runs", "256"] + arguments)
  }

  @Test func whoBreaksAnInvariantBecomesATest() throws {
    let folder = try folder(Self.minors + "\n\n" + Self.pro + "\n")
    let result = try run(folder, "--invariants", "i.invariants.jsonl")
    #expect(result.code == 1, "\(result.errors)")
    #expect(
      result.output.hasPrefix(
        """
        FAILED  minors
          user {"userId":"somebody","user":{"plan":"free","age":12}}
          p: paywall annual (variant v of free, the only variant), audience 0 (free)
          audience 0 (free): matched
              yes  user.plan == 'free'  user.plan is "free"
              yes  user.age >= 12       user.age is 12
        proved  pro, if attributes have the types that they are compared with
        held    7 invariants of Tollgate's own, in 
        """), "\(result.output)")
    #expect(result.errors.contains("Wrote 1 test to fuzz.tests.jsonl; run 'tollgate test"))
    let test = try folder.tollgate(["test", "fuzz.tests.jsonl", "--config", "config.json"])
    #expect(test.code == 1)
    #expect(test.output.contains("expected noAudienceMatch, got paywall"), "\(test.output)")
    // A test says by which seed it is one.
    let seeded = try run(
      folder, "--invariants", "i.invariants.jsonl", "--seed", "s", "--out", "-", "--quiet")
    #expect(seeded.output.contains(#""seed":"s","userId":"somebody""#), "\(seeded.output)")
    // What somebody may have edited is not written over.
    _ = try run(folder, "--invariants", "*.invariants.jsonl")
    #expect(folder.text("fuzz-2.tests.jsonl") == folder.text("fuzz.tests.jsonl"))
  }

  @Test func historiesBecomeTraffic() throws {
    let folder = try folder(Self.often)
    let result = try run(
      folder, "--invariants", "i.invariants.jsonl", "--out", "often.tests.jsonl")
    #expect(result.code == 1, "\(result.errors)")
    let shown = result.output.split(separator: "\n").filter { $0.contains("p: paywall annual") }
    #expect(shown.count == 3, "\(result.output)")
    let again = try folder.tollgate([
      "simulate-traffic", "config.json", "--users", "often.users.ndjson", "--events",
      "often.traffic.ndjson", "--out", "-", "--quiet",
    ])
    #expect(again.output.split(separator: "\n").count { $0.contains("annual") } == 3)
    #expect(folder.text("often.tests.jsonl") == nil)
    // Over one day it is the same; a limit over all days lets nobody through.
    let longer = Self.config.replacing(#""minutes":60"#, with: #""minutes":2880"#)
    try folder.write("config.json", longer)
    let sound = try run(folder, "--invariants", "i.invariants.jsonl", "--days", "2")
    #expect(sound.code == 0, "\(sound.output)")
    #expect(sound.output.contains("held    twice, in "))
  }

  @Test func programsReadIt() throws {
    let folder = try folder(Self.minors + "\n" + Self.often + "\n" + Self.pro)
    let result = try run(
      folder, "--invariants", "i.invariants.jsonl", "--json", "--out", "-", "--quiet")
    #expect(result.code == 1)
    // Tests are on standard output, the report on the other one.
    #expect(result.output.hasPrefix(#"{"name":"minors","placement":"p""#))
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
    let invariants = try #require(report["invariants"] as? [[String: Any]])
    #expect(invariants.map { $0["verdict"] as? String } == ["broken", "broken", "provedForUsual"])
    #expect((invariants[1]["shown"] as? [Any])?.count == 3)
    #expect((report["own"] as? [[String: Any]])?.count == 7)
  }

  @Test func threadsChangeNothing() throws {
    let folder = try folder(Self.often + "\n" + Self.minors)
    let runs = try ["1", "3"].map { threads in
      try run(
        folder, "--invariants", "i.invariants.jsonl", "--threads", threads, "--out", "none",
        "--seed", "s")
    }
    #expect(runs[0].output == runs[1].output)
    #expect(runs[0].output.contains("FAILED  twice"))
  }

  /// What was never meant is told, and fails where that is asked for.
  @Test func neverMeant() throws {
    let folder = try folder(
      #"{"name":"never","when":"int(user.x) * 2 == 7","holds":"outcome.result == \"holdout\""}"#)
    let told = try run(folder, "--invariants", "i.invariants.jsonl")
    #expect(told.code == 0)
    #expect(told.output.contains("vacuous never, never applied: 0 of 256 users"))
    #expect(try run(folder, "--invariants", "i.invariants.jsonl", "--strict").code == 1)
  }

  @Test(arguments: [
    (#"{"name":"a","hold":"true"}"#, "i.invariants.jsonl:1: an invariant has no key 'hold'"),
    ("\n{\"holds\":\"usr.age > 3\"}", "i.invariants.jsonl:2: 'holds'"),
    (#"{"holds":"outcome.paywal == \"x\""}"#, "did you mean 'outcome.paywall'?"),
    (#"{"holds":"true","placement":"q"}"#, "the config has no placement 'q'"),
    (#"{"holds":"true""#, "i.invariants.jsonl:1:"), ("  \n", "contains no invariants"),
    (#"{"holds":"shown.size() < 2"}"#, "\"over\":\"history\""),
    (#"{"userId":"u","user":{}}"#, "i.invariants.jsonl is a user record; an invariant is"),
    (String(repeating: "{}\n", count: 23), "i.invariants.jsonl: and 3 mistakes more"),
  ])
  func badFiles(text: String, message: String) throws {
    let result = try run(try folder(text), "--invariants", "i.invariants.jsonl")
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func wrongUse() throws {
    let folder = try folder(Self.minors)
    for (arguments, message) in [
      (["--invariants", "none.jsonl"], "none.jsonl"),
      (["--invariants", "i.invariants.jsonl", "--out", "i.invariants.jsonl"], "--out"),
      (["--time", "0"], "--time must be more than 0"), (["--days", "0"], "--days must be"),
      (["--placement", "q"], "q"), (["--invariants", "config.json"], "config.json"),
      (["--products", "x"], "--products is for --render"),
    ] {
      let result = try folder.tollgate(["fuzz", "config.json", "--runs", "64"] + arguments)
      #expect(result.code == 2, "\(arguments): \(result.code) \(result.output)")
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    #expect(try folder.tollgate(["fuzz", "i.invariants.jsonl", "--runs", "64"]).code != 0)
  }

  /// Without invariants there are those of the engine, with texts one more.
  @Test func ownInvariants() throws {
    let folder = try folder()
    #expect(
      try run(folder).output
        == "held    7 invariants of Tollgate's own, in 256 users, 32 histories\n")
    try folder.write("texts.json", #"{"paywalls":{"annual":{"t":"Hi {{ user.plan }}"}}}"#)
    let texts = try run(folder, "--render", "texts.json", "--html")
    #expect(texts.output.hasPrefix("held    8 invariants"), "\(texts.errors)")
  }
}
