import Expressions
import RuleEngine
import Testing

@testable import RuleBatch

/// A batch whose users have SDKs of several versions.
@Suite struct FleetTests {
  private static let versions: [(platform: String, version: String)] =
    [
      "3.12.5", "4.0.0", "4.6.0", "4.7.0", "4.11.2", "4.12.5", "4.12.9", "4.16.1", "4.16.2",
      "4.19.1",
    ]
    .map { ("iOS", $0) }
    + ["1.5.5", "2.0.0", "2.0.6", "2.3.1", "2.4.0", "2.5.0", "2.6.8", "2.7.0", "2.7.19", "2.7.23"]
    .map { ("Android", $0) }

  private static let config: Config = {
    func rule(_ id: String, _ members: String) -> String {
      #"""
      {"experiment_id": "\#(id)", "experiment_group_id": "g", \#(members), "variants":
        [{"variant_id": "\#(id)1", "variant_type": "TREATMENT", "percentage": 60, "paywall_identifier": "x"},
         {"variant_id": "\#(id)2", "variant_type": "HOLDOUT", "percentage": 40}]}
      """#
    }
    let json = #"""
      {"trigger_options": [
        {"event_name": "age", "rules": [
          \#(rule("a", #""expression_js": "x", "expression_cel": "1 / user.zero > 5""#)),
          \#(rule("b", #""expression_cel": "user.age > 18""#)),
          \#(rule("c", #""expression_cel": "user.plan != 'pro'""#))]},
        {"event_name": "sent", "rules": [
          \#(rule("d", #""expression_cel": "device.fontScale > 1.0""#)),
          \#(rule("e", #""expression_cel": "device.daysSince('open') >= 0""#))]},
        {"event_name": "panics", "rules": [
          \#(rule("f", #""expression_cel": "user.age == 12""#)),
          \#(rule("g", #""expression_cel": "user.age == 0x5""#)),
          \#(rule("h", #""preload": null"#))]}]}
      """#
    return Config.decode(superwall: json.utf8).output!
  }()

  /// Users, each with a version by its number.
  private static func users(_ count: Int) -> [String] {
    (0..<count).map { number in
      let sdk = versions[(number * 7) % versions.count]
      let age = ["25", "\"25\"", "\"x\"", "12"][number % 4]
      let zero = number % 5 == 0 ? #", "zero": 0"# : ""
      let wrapper = number % 6 == 0 ? #", "platformWrapper": "Expo""# : ""
      let stored =
        number % 9 == 0
        ? #", "assignments": [{"experimentId": "b", "variantId": "b2"}]"# : ""
      return #"""
        {"userId": "u-\#(number)", "user": {"age": \#(age)\#(zero)}, "device": {"fontScale": 1.\#(number % 3), "platform": "\#(sdk.platform)", "sdkVersion": "\#(sdk.version)"\#(wrapper)}\#(stored)}
        """#
    }
  }

  private func plan(_ ruleSet: RuleSet, _ form: OutcomeForm, fleet: Bool, column: String? = nil)
    -> BatchPlan
  {
    BatchPlan(
      ruleSet, now: 1_772_366_400_000, assigner: .hash(salt: "s"), layout: .long, form: form,
      texts: nil, givesReasons: true,
      fleet: fleet ? (.record, Self.config, column) : nil)
  }

  private func profile(_ user: String) throws -> SDKProfile {
    let device = try Value.parse(json: user.utf8)["device"]
    return SDKSelection.record.choice(DeviceSDK(device: device), usual: .ios).profile
  }

  @Test(arguments: OutcomeForm.allCases)
  func theFleetIsTheSumOfItsVersions(_ form: OutcomeForm) throws {
    let users = Self.users(1_500)
    let newest = try RuleSet.compile(Self.config).get()
    let fleet = plan(newest, form, fleet: true)
    var worker = BatchWorker(fleet)
    var together = BatchWorker.Output?.none
    // Twice, so that shapes are known.
    for _ in 0..<2 { together = worker.process(Array(users.joined(separator: "\n").utf8)) }
    let output = try #require(together)
    let family = RuleSetFamily(Self.config)
    var alone: [UInt8] = []
    var sums: BatchSums?
    for user in users {
      let own = plan(family.ruleSet(for: try profile(user)), form, fleet: false)
      var single = BatchWorker(own)
      let part = single.process(Array(user.utf8))
      alone += part.outcomes
      let counts = part.sums.renumbered(
        fleet.numbers(ofPart: own), count: output.sums.numbers.count)
      if sums == nil { sums = counts } else { sums?.add(counts) }
    }
    #expect(output.outcomes == alone)
    #expect(output.sums.users == 1_500)
    let tally: Tally = output.tally
    let expected = fleet.tally(of: try #require(sums))
    #expect(tally == expected)
    #expect(tally.placements[0].undecidable > 0 && tally.placements[0].error > 0)
  }

  @Test func conditionsAreCompiledOnceForABehavior() throws {
    let fleet = plan(try RuleSet.compile(Self.config).get(), .ndjson, fleet: true)
    var worker = BatchWorker(fleet)
    _ = worker.process(Array(Self.users(400).joined(separator: "\n").utf8))
    let compiled = try #require(fleet.fleet).compileCount
    // Two platforms with up to four behaviors, JavaScript, and what else changes compiling.
    #expect(compiled <= 12)
  }

  @Test func refusedLinesKeepTheirPlaces() throws {
    var lines = Self.users(40)
    lines[3] = "{"
    lines[17] = #"{"userId": 5, "device": {"platform": "Android", "sdkVersion": "latest"}}"#
    lines[20] = ""
    var worker = BatchWorker(plan(try RuleSet.compile(Self.config).get(), .ndjson, fleet: true))
    let output = worker.process(Array(lines.joined(separator: "\n").utf8))
    #expect(output.rejected.map(\.line) == [3, 17])
    #expect(output.sums.users == 37 && output.lines == 40)
    // A version of a line that is refused is of no matter.
    #expect(output.notes.isEmpty)
    let ids = String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").map {
      String($0.prefix { $0 != "," })
    }
    let expected = lines.indices.filter { ![3, 17, 20].contains($0) }.flatMap {
      Array(repeating: #"{"userId":"u-\#($0)""#, count: 3)
    }
    #expect(ids == expected)
  }

  @Test func aColumnNamesTheSDK() throws {
    let users = [
      #"{"userId": "a", "device": {"platform": "iOS", "sdkVersion": "4.12.5"}}"#,
      #"{"userId": "b", "device": {"platform": "Android", "sdkVersion": "2.6.8"}}"#,
      #"{"userId": "c"}"#,
    ]
    let plan = plan(
      try RuleSet.compile(Self.config).get(), .ndjson, fleet: true, column: "sdk")
    var worker = BatchWorker(plan)
    let output = worker.process(Array(users.joined(separator: "\n").utf8))
    let names = try output.outcomes.split(separator: 0x0A).map { try Value.parse(json: $0)["sdk"] }
    #expect(
      names == [
        "ios 4.12.5", "ios 4.12.5", "ios 4.12.5", "android 2.6.8", "android 2.6.8",
        "android 2.6.8", "ios", "ios", "ios",
      ])
    #expect(output.notes.missingVersions == 1)
  }
}
