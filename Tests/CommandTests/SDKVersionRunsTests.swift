import Expressions
import Foundation
import Testing

@testable import tollgate

/// Users of many SDK versions: one run for all of them against a run for each version.
@Suite struct SDKVersionRunsTests {
  private static let versions: [(platform: String, version: String)] =
    [
      "3.12.3", "3.12.5", "4.0.0", "4.5.0", "4.6.0", "4.7.0", "4.10.4", "4.11.2", "4.12.5",
      "4.12.9", "4.13.0", "4.16.1", "4.16.2", "4.17.0",
    ].map { ("iOS", $0) }
    + ["1.5.4", "2.0.0", "2.3.3", "2.6.8", "2.7.0", "2.7.23"].map { ("Android", $0) }

  private static let config: String = {
    func rule(_ id: String, _ expression: String, _ more: String = "") -> String {
      #"{"experiment_id":"\#(id)","experiment_group_id":"g","expression_cel":"\#(expression)"\#(more),"variants":["#
        + #"{"variant_id":"\#(id)1","variant_type":"TREATMENT","percentage":10,"paywall_identifier":"x"},"#
        + #"{"variant_id":"\#(id)2","variant_type":"TREATMENT","percentage":20,"paywall_identifier":"y"},"#
        + #"{"variant_id":"\#(id)3","variant_type":"HOLDOUT","percentage":70}]}"#
    }
    let since = #","computed_properties":[{"type":"DAYS_SINCE","event_name":"open"}]"#
    let placements = [
      ("age", [rule("a", "user.age > 18"), rule("b", "user.plan != 'pro'")]),
      (
        "since",
        [
          rule("c", "computed.daysSince('open') > 2", since),
          rule("d", "device.daysSince('open') > 2"),
        ]
      ),
      ("divided", [rule("e", "10 / user.age > 3"), rule("f", "user.level in ['1', '2']")]),
      ("padded", [rule("g", "device.appVersionPadded >= '009.000'", #","expression_js":"x""#)]),
      ("sent", [rule("h", "device.fontScale > 1.0 || device.deviceTier == 'high'")]),
    ]
    let texts = placements.map { name, rules in
      #"{"event_name":"\#(name)","rules":[\#(rules.joined(separator: ","))]}"#
    }
    return #"{"trigger_options":[\#(texts.joined(separator: ","))]}"#
  }()

  /// The members of a user, without the SDK.
  private static func user(_ number: Int) -> (user: String, device: String, more: String) {
    let ages = ["25", "\"25\"", "0", "\"0\"", "\"x\"", "7", "null", "\"19.5\""]
    let age = number % 9 == 8 ? "" : #""age": \#(ages[number % 8]),"#
    let plans = ["\"pro\"", "\"free\"", "\"5\"", "true"]
    let plan = number % 5 == 4 ? "" : #""plan": \#(plans[number / 3 % 4]),"#
    let events = number % 2 == 0 ? #", "events": {"open": ["2026-02-20T00:00:00Z"]}"# : ""
    let stored =
      number % 13 == 0 ? #", "assignments": [{"experimentId": "a", "variantId": "a2"}]"# : ""
    return (
      #"{\#(age)\#(plan)"level": \#(number % 3 == 0 ? "1" : "\"2\"")}"#,
      #""appVersionPadded": "010.00\#(number % 2)\#(number % 4 < 2 ? ".002" : "")", "fontScale": 1.\#(number % 3), "deviceTier": "high""#,
      events + stored
    )
  }

  private static let now = ["--now", "2026-03-01T12:00:00Z", "--seed", "s", "--quiet"]

  private static func outcomes(_ folder: TestFolder, _ arguments: [String]) throws -> [String] {
    let result = try folder.tollgate(
      ["precompute", "c.json", "--out", "o.ndjson"] + arguments + now)
    #expect(result.code == 0, "\(result.errors)")
    return try #require(folder.text("o.ndjson")).split(separator: "\n").map(String.init)
  }

  /// A fleet of 20 versions, some of them from CocoaPods, in one run and in one run for each.
  @Test func theFleetIsARunForEachVersion() throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config)
    var fleet: [String] = []
    var ofRun: [String: [String]] = [:]
    for number in 0..<600 {
      let (platform, version) = Self.versions[number * 7 % Self.versions.count]
      let isPod = platform == "iOS" && number / 20 % 3 == 0
      let (user, device, more) = Self.user(number)
      let wrapper = isPod ? #", "platformWrapper": "Expo""# : ""
      let line =
        #"{"userId": "u-\#(number)", "user": \#(user), "device": {\#(device), "platform": "\#(platform)", "sdkVersion": "\#(version)"\#(wrapper)}\#(more)}"#
      fleet.append(line)
      ofRun[platform + " " + version + (isPod ? "+pods" : ""), default: []].append(line)
    }
    try folder.write("fleet.ndjson", fleet.joined(separator: "\n"))
    let together = try Self.outcomes(
      folder, ["--users", "fleet.ndjson", "--sdk-version", "record"])
    var alone: [String] = []
    for (run, users) in ofRun {
      let words = run.split(separator: " ").map(String.init)
      try folder.write("users.ndjson", users.joined(separator: "\n"))
      alone += try Self.outcomes(
        folder,
        ["--users", "users.ndjson", "--platform", words[0].lowercased(), "--sdk-version", words[1]])
    }
    #expect(together.count == 600 * 5 && ofRun.count > 20)
    #expect(together.sorted() == alone.sorted())
    for word in ["undecidable", "aborts-app", "holdout", "noAudienceMatch"] {
      #expect(together.contains { $0.contains(word) }, "no user gets \(word)")
    }
  }

  private static let pairs = [
    "4.11.2..4.16.2", "4.5.0..4.12.5", "4.16.1..4.16.2", "4.12.5..4.17.0", "3.12.5..4.0.1",
    "record..4.16.2",
  ]

  /// Which users move, against deciding all of them by both versions.
  @Test(arguments: pairs) func movesAreThoseOfTwoRuns(_ pair: String) throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config)
    // Android users and newer versions stay as they are when an iOS app updates.
    let isUpdate = pair.hasPrefix("record")
    var staying: Set<Substring> = []
    let users = (0..<300).map { number in
      let (user, device, more) = Self.user(number)
      let (platform, version) = Self.versions[number % (isUpdate ? 20 : 14)]
      if platform == "Android" || version == "4.17.0" { staying.insert("u-\(number)") }
      return
        #"{"userId": "u-\#(number)", "user": \#(user), "device": {\#(device), "platform": "\#(platform)", "sdkVersion": "\#(version)"}\#(more)}"#
    }
    try folder.write("users.ndjson", users.joined(separator: "\n"))
    let dots = try #require(pair.firstRange(of: ".."))
    func run(_ version: Substring) throws -> [String: String] {
      var outcomes: [String: String] = [:]
      for line in try Self.outcomes(
        folder, ["--users", "users.ndjson", "--sdk-version", String(version)])
      {
        let value = try Value.parse(json: line.utf8)
        let key = "\(value["userId"]?.text ?? "") \(value["placement"]?.text ?? "")"
        let result = value["result"]
        outcomes[key] =
          "\(result?["result"]?.text ?? "") \(result?["experiment"]?["variant"]?["id"]?.text ?? "")"
          + " \(value["paywall"]?.text ?? "")"
      }
      return outcomes
    }
    let (old, new) = (try run(pair[..<dots.lowerBound]), try run(pair[dots.upperBound...]))
    var moved: [String: Int] = [:]
    var movers: Set<Substring> = []
    for (key, outcome) in old where new[key] != outcome {
      if isUpdate, staying.contains(key.split(separator: " ")[0]) { continue }
      moved[String(key.split(separator: " ")[1]), default: 0] += 1
      movers.insert(key.split(separator: " ")[0])
    }
    let result = try folder.tollgate(
      ["diff", "c.json", "--sdk-version", pair, "--users", "users.ndjson", "--json"] + Self.now
        + ["--exit-zero"])
    #expect(result.code == 0, "\(result.errors)")
    let report = try Value.parse(json: result.output.utf8)
    #expect(report["moved"]?.number.map { Int($0) } == movers.count)
    for name in ["age", "since", "divided", "padded", "sent"] {
      let count = report["placements"]?[name]?["moved"]?.number.map { Int($0) }
      #expect(count == moved[name] ?? 0, "\(pair) at \(name)")
    }
    #expect(!moved.isEmpty)
  }

  /// Without users: a proof, or a user that moves. No user contradicts a proof.
  @Test func proofsHoldForAllUsers() throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config)
    let names = ["age", "since", "divided", "padded", "sent"]
    for (pair, same) in [
      ("4.16.1..4.16.2", ["age", "since", "padded"]), ("4.13.0..4.16.1", names),
      ("4.12.5..4.16.2", ["since"]), ("4.7.0..4.11.2", names),
    ] {
      let result = try folder.tollgate(
        ["diff", "c.json", "--sdk-version", pair, "--json", "--exit-zero"] + Self.now)
      #expect(result.code == 0, "\(result.errors)")
      let report = try Value.parse(json: result.output.utf8)
      for name in names {
        let verdict = report["placements"]?[name]?["verdict"]?.text
        #expect((verdict == "same") == same.contains(name), "\(pair) at \(name): \(verdict ?? "")")
      }
    }
    // A string of digits is a number before 4.12.9, and zero ends the app before 4.16.2.
    let result = try folder.tollgate(
      ["diff", "c.json", "--sdk-version", "4.12.5..4.16.2", "--json", "--exit-zero"] + Self.now)
    let report = try Value.parse(json: result.output.utf8)
    for name in ["age", "divided"] {
      #expect(report["placements"]?[name]?["verdict"] == "differs", "\(name)")
    }
    let users = report["placements"]?["divided"]?["witnesses"]?.elements ?? []
    #expect(users.contains { $0["from"]?["result"] == "error" }, "\(users)")
  }

  /// A check of a range names a user that ends the app.
  @Test func aCheckFindsWhatEndsTheApp() throws {
    let folder = try TestFolder()
    try folder.write("c.json", Self.config)
    func findings(_ range: String) throws -> [String] {
      let result = try folder.tollgate(
        ["check", "c.json", "--sdk-versions", range, "--now", "2026-03-01"])
      return (result.output + result.errors).split(separator: "\n").map(String.init)
    }
    #expect(try findings("ios:4.13..").contains { $0.contains("crashes the app for some users") })
    #expect(try !findings("ios:4.16.2..").contains { $0.contains("crashes the app") })
  }

  // MARK: Traffic

  /// Users update within a day; afterwards the new version decides.
  @Test func usersUpdateOverTime() throws {
    let folder = try TestFolder()
    let config =
      #"{"trigger_options":[{"event_name":"age","rules":[{"experiment_id":"a","experiment_group_id":"g","expression_cel":"user.age > 18","variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"x"}]}]}]}"#
    try folder.write("c.json", config)
    let versions = ["4.11.2", "4.16.2", "3.12.5"]
    let users = (0..<90).map { number in
      #"{"userId": "u\#(number)", "user": {"age": "25"}, "device": {"platform": "iOS", "sdkVersion": "\#(versions[number % 3])"}}"#
    }
    try folder.write("u.ndjson", users.joined(separator: "\n"))
    func run(_ arguments: [String]) throws -> (report: Value, lines: [Value]) {
      let result = try folder.tollgate(
        [
          "simulate-traffic", "c.json", "--users", "u.ndjson", "--now", "2026-03-01", "--days", "6",
          "--rate", "3", "--seed", "s", "--quiet", "--json", "--out", "o.ndjson",
        ] + arguments)
      #expect(result.code == 0, "\(result.errors)")
      let lines = try #require(folder.text("o.ndjson")).split(separator: "\n").map {
        try Value.parse(json: $0.utf8)
      }
      return (try Value.parse(json: result.output.utf8), lines)
    }
    func results(_ lines: [Value], _ version: Int, from: String = "", to: String = "9") -> Set<
      String
    > {
      Set(
        lines.compactMap { line in
          guard let id = line["userId"]?.text, Int(id.dropFirst()).map({ $0 % 3 }) == version,
            let at = line["at"]?.text, at >= from, at < to
          else { return nil }
          return line["result"]?["result"]?.text
        })
    }
    // Each user keeps its version.
    let still = try run(["--sdk-version", "record"])
    #expect(
      results(still.lines, 0) == ["paywall"] && results(still.lines, 1) == ["noAudienceMatch"])
    #expect(results(still.lines, 2) == ["paywall"] && still.report["updates"] == nil)
    // All have 4.16.2 after the second day.
    let moving = try run(
      [
        "--sdk-version", "record", "--update-to", "4.16.2", "--update-curve", "50,100",
      ])
    #expect(results(moving.lines, 1) == ["noAudienceMatch"])
    for version in [0, 2] {
      #expect(results(moving.lines, version, to: "2026-03-02") == ["paywall", "noAudienceMatch"])
      #expect(results(moving.lines, version, from: "2026-03-03") == ["noAudienceMatch"])
    }
    let updates = try #require(moving.report["updates"]?.number)
    #expect(updates > 30 && updates <= 60)
    let byDay = (moving.report["days"]?.elements ?? []).compactMap { $0["updates"]?.number }
    #expect(byDay.reduce(0, +) == updates)
    // The same for any number of threads.
    let again = try run(
      [
        "--sdk-version", "record", "--update-to", "4.16.2", "--update-curve", "50,100", "--threads",
        "3",
      ])
    #expect(again.report == moving.report && again.lines == moving.lines)
    // Nobody goes back.
    let back = try run(["--sdk-version", "4.16.2", "--update-to", "ios=4.11.2"])
    #expect(back.report["updates"] == 0)
  }

  /// With `newest`, the default, every user has the SDK already.
  @Test func updatesThatReachNoUserAreReported() throws {
    let folder = try TestFolder()
    try folder.write("c.json", #"{"trigger_options":[{"event_name":"p","rules":[]}]}"#)
    try folder.write(
      "u.ndjson", #"{"userId":"u","device":{"platform":"iOS","sdkVersion":"4.11.2"}}"#)
    func run(_ arguments: String...) throws -> String {
      try folder.tollgate(
        ["simulate-traffic", "c.json", "--users", "u.ndjson", "--now", "2026-03-01", "--days", "5"]
          + ["--update-to", "4.16.2", "--update-curve", "100"] + arguments
      ).errors
    }
    #expect(try run().contains("warning: no user updated"))
    #expect(
      try run("--sdk-version", "record", "--update-start", "2030-01-01").contains("no user updated")
    )
    #expect(try !run("--sdk-version", "record").contains("no user updated"))
  }

  @Test(arguments: [
    (["--update-to", "record"], "--update-to needs a version"),
    (["--update-curve", "1,2"], "without --update-to"),
    (["--update-to", "4.16.2", "--update-curve", "5,2"], "rising percentages"),
    (["--update-to", "4.16.2", "--update-curve", "5,200"], "rising percentages"),
    (["--update-to", "4.16.2", "--update-curve", "a"], "rising percentages"),
    (["--update-to", "latest"], "is not an SDK version"),
    (["--update-to", "4.16.2", "--events", "e.ndjson"], "--update-start"),
  ])
  func wrongUpdatesAreRejected(_ arguments: [String], _ message: String) throws {
    let folder = try TestFolder()
    try folder.write("c.json", #"{"trigger_options":[]}"#)
    let result = try folder.tollgate(
      ["simulate-traffic", "c.json", "--users", "u.ndjson"] + arguments)
    #expect(result.code == 64 || result.code == 2, "\(result.code)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
