import CivilTime
import Expressions
import Foundation
import TestSupport
import Testing

@testable import RuleBatch
@testable import RuleEngine
@testable import RuleInsight

/// Simulated traffic, placement by placement, against a reference that is written down plainly.
@Suite("Traffic") struct TrafficTests {
  struct Run {
    var rules: RuleSet
    var config: Config
    var options: TrafficPlan.Options
    var zone = "UTC"
    var records: [String]

    init(_ config: [UInt8], zone: String = "UTC", records: [String]) throws {
      self.config = try #require(Config.decode(config).output)
      rules = try #require(RuleSet.compile(self.config).output)
      let clock = try #require(HistoryClock(now: 0, timeZone: zone))
      options = TrafficPlan.Options(
        assigner: .usual(for: self.config.format, salt: "s"), clock: clock)
      options.seed = "s"
      options.form = .ndjson
      self.zone = zone
      self.records = records
    }

    var plan: TrafficPlan { TrafficPlan(rules, config, options) }
    var text: [UInt8] { Array(records.joined(separator: "\n").utf8) }
    var reference: ReferenceTraffic { ReferenceTraffic(rules, config, options, zone: zone) }

    func output(_ source: TrafficWorker.Source) -> TrafficWorker.Output {
      var worker = TrafficWorker(plan)
      return text.withUnsafeBufferPointer { worker.process($0, source) }
    }

    /// Recorded traffic, in the order of time, and what came of it.
    func replayed(_ events: [Event]) throws -> TrafficWorker.Output {
      let plan = plan
      let known = output(.identities)
      var (subjects, numbers) = (SubjectTable(), TrafficWorker.Numbers(first: 0))
      for (place, subject) in known.subjects.enumerated() {
        let isNew = Array(subject.utf8).withUnsafeBufferPointer { subjects.add($0) != nil }
        if !isNew { numbers.repeated.insert(place) }
      }
      var traffic = RecordedTraffic(users: subjects.count)
      for event in events.sorted(by: { $0.time < $1.time }) {
        let user = Array(event.user.utf8).withUnsafeBufferPointer { subjects.number(of: $0) }
        let number = try #require(rules.placement(named: event.placement))
        let place = try #require(plan.place(ofPlacement: number))
        let params = event.params.map { Array($0.json.utf8) }
        let user0 = try #require(user)
        let isKept =
          params.map { params in
            params.withUnsafeBufferPointer {
              traffic.add(place, of: user0, at: event.time, params: $0)
            }
          } ?? traffic.add(place, of: user0, at: event.time, params: nil)
        #expect(isKept)
      }
      return output(.recorded(traffic, subjects, numbers))
    }
  }

  struct Event {
    var user: String
    var placement: String
    var time: Instant
    var params: Value?
  }

  static func lines(_ output: TrafficWorker.Output) -> [String] {
    String(decoding: output.text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  static func events(_ lines: [String]) throws -> [Event] {
    try lines.map { line in
      let value = try Value.parse(json: line.utf8)
      return Event(
        user: try #require(value["userId"]?.text),
        placement: try #require(value["placement"]?.text),
        time: try WireTime.instant(try #require(value["at"]?.text)))
    }
  }

  /// Holds what a worker gave against the reference, line by line and count by count.
  static func compare(
    _ run: Run, _ output: TrafficWorker.Output, _ events: [Event], _ source: SourceLocation
  ) throws {
    var reference = run.reference
    for record in run.records { _ = reference.add(record) }
    let lines = lines(output)
    #expect(lines.count == events.count, sourceLocation: source)
    for (line, event) in zip(lines, events) {
      let expected = try reference.ask(
        event.user, event.placement, at: event.time, params: event.params)
      guard line == expected else {
        Issue.record("\(line)\n\(expected)", sourceLocation: source)
        return
      }
    }
    let report = TrafficReport(run.plan, output.sums).value(rejected: 0, rejectedEvents: nil)
    #expect(report["sessions"] == .int(Int64(reference.sessions)), sourceLocation: source)
    #expect(report["purchases"] == .int(Int64(reference.purchases)), sourceLocation: source)
    #expect(
      report["anyPaywall"] == .list(reference.seen(nil).map { .int(Int64($0)) }),
      sourceLocation: source)
    for paywall in run.plan.paywalls {
      #expect(
        report["paywalls"]?[paywall] == .list(reference.seen(paywall).map { .int(Int64($0)) }),
        sourceLocation: source)
    }
    let days = report["days"]?.elements ?? []
    #expect(days.count == reference.days.count, sourceLocation: source)
    for day in days {
      let counts = (day["heldBack"]?.elements ?? []).map { number($0["count"]) }
      #expect(counts.allSatisfy { $0 > 0 }, sourceLocation: source)
      let held = counts.reduce(0, +)
      #expect(
        [number(day["asked"]), number(day["paywall"]), number(day["holdout"]), held]
          + [number(day["purchases"])] == reference.days[day["day"]?.text ?? ""],
        sourceLocation: source)
    }
    var byPlacement: [String: [Int]] = [:]
    for (number, day) in output.sums.days {
      for (place, name) in run.plan.placementNames.enumerated() where day.asked[place] > 0 {
        let key = "\(TrafficReport.text(ofDay: number)) \(name)"
        byPlacement[key] = [day.asked[place], day.shown[place]]
      }
    }
    #expect(byPlacement == reference.daysOfPlacements, sourceLocation: source)
    for name in run.plan.placementNames {
      let outcomes = report["placements"]?[name]?["outcomes"]
      for code in ["paywall", "holdout", "noAudienceMatch", "error"] {
        #expect(
          number(outcomes?[code]) == reference.asked[name]?[code] ?? 0, "\(name) \(code)",
          sourceLocation: source)
      }
      for audience in report["placements"]?[name]?["audiences"]?.elements ?? [] {
        let rule = "\(name) \(number(audience["index"]))"
        #expect(
          number(audience["heldBack"]) == reference.held[rule] ?? 0, "\(rule)",
          sourceLocation: source)
        #expect(
          number(audience["usersHeldBack"]) == reference.usersHeld[rule] ?? 0, "\(rule)",
          sourceLocation: source)
      }
    }
  }

  static func number(_ value: Value?) -> Int {
    if case .int(let number)? = value { Int(number) } else { 0 }
  }

  /// Generated traffic as the reference has it, and the same once more as recorded traffic.
  static func check(
    _ run: Run, _ traffic: GeneratedTraffic, source: SourceLocation = #_sourceLocation
  ) throws -> TrafficWorker.Output {
    let output = run.output(.generated(traffic))
    let events = try events(lines(output))
    try compare(run, output, events, source)
    let again = try run.replayed(events)
    #expect(!again.hasChanged, sourceLocation: source)
    #expect(again.text == output.text && again.sums == output.sums, sourceLocation: source)
    return output
  }

  // MARK: The demo

  static func demo(_ count: Int, zone: String) throws -> Run {
    let users = String(decoding: try bytes("demo/users.ndjson"), as: UTF8.self)
    let records = users.split(separator: "\n").prefix(count).map(String.init)
    return try Run(try bytes("demo/config.json"), zone: zone, records: records)
  }

  /// Over the days on which clocks change, as days have 23 and 25 hours then.
  @Test(
    arguments: [
      ("America/New_York", "2026-03-05T00:00:00-05:00"),
      ("Europe/Berlin", "2026-10-20T17:30:00+02:00"), ("UTC", "2026-01-01T00:00:00Z"),
    ])
  func demoTraffic(zone: String, start: String) throws {
    var run = try Self.demo(Extent.count(1_500, or: 80), zone: zone)
    run.options.purchaseRate = 0.1
    let traffic = GeneratedTraffic(start: try WireTime.instant(start), days: 12, rate: 3)
    let output = try Self.check(run, traffic)
    #expect(output.sums.purchases > 0 && output.sums.placements > 500)
    #expect(output.sums.rules.contains { $0.held > 0 })
    #expect(output.sums.days.count == 13 || output.sums.days.count == 12)
    // Another seed is other traffic.
    run.options.seed = "t"
    #expect(run.output(.generated(traffic)).text != output.text)
  }

  // MARK: Random configs

  /// Who holds what a paywall sells does not buy it again, unless it has ended.
  @Test(arguments: [
    ("{}", 1), (#"{"subscriptionStatus":"ACTIVE"}"#, 0), (#"{"entitlements":["pro"]}"#, 0),
    (#"{"subscriptionStatus":"INACTIVE"}"#, 1), (#"{"subscriptionStatus":"UNKNOWN"}"#, 1),
    (#"{"subscriptionStatus":"INACTIVE","entitlements":["pro"]}"#, 1),
    (#"{"subscriptionStatus":"ACTIVE","entitlements":["pro"]}"#, 0),
    (#"{"subscriptionStatus":"ACTIVE","entitlements":["other"]}"#, 1),
    (#"{"device":{"subscriptionStatus":"ACTIVE"}}"#, 0),
    (#"{"device":{"subscriptionStatus":"INACTIVE"},"subscriptionStatus":"ACTIVE"}"#, 1),
    (#"{"device":{"activeEntitlements":["pro"]}}"#, 0),
  ])
  func subscribersDoNotBuyAgain(record: String, purchases: Int) throws {
    let more = record == "{}" ? "}" : ",\(record.dropFirst())"
    var run = try Run(wireConfig(rules: wireRule()), records: [#"{"userId":"u""# + more])
    let product = ProductReference(
      id: "p1", store: .appStore, storeID: "p1", entitlements: [Entitlement(id: "pro")])
    run.config.paywalls = [Paywall(identifier: "pw", name: "PW", products: [product])]
    run.options.purchaseRate = 1
    let traffic = GeneratedTraffic(start: 1_772_366_400_000, days: 20, rate: 3)
    let output = run.output(.generated(traffic))
    #expect(output.sums.days.values.reduce(0) { $0 + $1.paywalls } > 5)
    #expect(output.sums.purchases == purchases)
  }

  @Test(arguments: Extent.some(0..<80, every: 16))
  func randomConfigs(seed: UInt64) throws {
    var random = RandomUsers(random: SplitMix(seed: 9_100 + seed))
    random.isSuperscript = seed % 2 == 0
    let config = seed % 5 == 0 ? random.agentWallieConfig() : random.config()
    var run = try Run(config, records: (0..<40).map { random.record($0) })
    run.options.purchaseRate = 0.2
    _ = try Self.check(run, GeneratedTraffic(start: 1_772_366_400_000, days: 3, rate: 4))
    try Self.checkRecorded(run, seed: seed)
  }

  /// Random traffic with parameters, at random times, some of them the same.
  static func checkRecorded(
    _ run: Run, seed: UInt64, source: SourceLocation = #_sourceLocation
  ) throws {
    var random = SplitMix(seed: seed)
    var reference = run.reference
    let users = run.records.compactMap { reference.add($0) }
    guard !users.isEmpty, !run.plan.placementNames.isEmpty else { return }
    var time: Instant = 1_772_366_400_000
    var events: [String: [Event]] = [:]
    for _ in 0..<400 {
      time +=
        Int64.random(in: 0...3, using: &random) * Int64.random(in: 0...900_000, using: &random)
      let user = try #require(users.randomElement(using: &random))
      let placement = try #require(run.plan.placementNames.randomElement(using: &random))
      let params: Value? =
        [nil, ["v": "a"], ["v": 5], ["n": 7, "x": [1]], .map([])]
        .randomElement(using: &random) ?? nil
      events[user, default: []].append(
        Event(user: user, placement: placement, time: time, params: params))
    }
    let all = users.flatMap { events[$0] ?? [] }
    try compare(run, try run.replayed(all), all, source)
  }

  /// Rules about what happened, limits by session and by minutes under shared keys, placements that the
  /// SDK asks for itself.
  @Test(arguments: Extent.some(0..<40, every: 20))
  func rulesAboutWhatHappened(seed: UInt64) throws {
    var random = SplitMix(seed: 77 + seed)
    let expressions = [
      nil, #"device.placementsInDay("alpha") < 4"#, #"device.minutesSince("paywall_open") > 30"#,
      #"device.subscriptionStatus != "ACTIVE""#, "device.daysSince_alpha >= 1",
      #"!("pro" in device.activeEntitlements)"#, "params.v == 5",
      #"device.placementsSinceInstall("trigger_fire") % 2 == 0"#, "user.n > 2",
      #"device.daysSince(user.s) >= 1"#, #"device.placementsInHour("paywall_decline") == 1"#,
      #"device.placementsSinceInstall("session_start") > 3"#,
    ]
    let intervals = [
      #"{"type":"MINUTES","minutes":90}"#, #"{"type":"MINUTES","minutes":1440}"#,
      #"{"type":"INFINITY"}"#,
    ]
    func rule(_ number: Int) -> String {
      let key = "k\(Int.random(in: 0..<3, using: &random))"
      let interval = intervals.randomElement(using: &random) ?? ""
      let occurrence =
        Bool.random(using: &random)
        ? "null"
        : #"{"key":"\#(key)","max_count":\#(Int.random(in: 1...4, using: &random)),"interval":\#(interval)}"#
      let variants = ["TREATMENT", "TREATMENT", "HOLDOUT"].enumerated().map { place, kind in
        #"{"variant_id":"v\#(place)","variant_type":"\#(kind)","percentage":33,"paywall_identifier":"pw\#(place)"}"#
      }
      return wireRule(
        "e\(number)", expression: expressions.randomElement(using: &random) ?? nil,
        occurrence: occurrence, variants: variants.joined(separator: ",")
      ).replacing(
        #""computed_properties":[]"#,
        with: #""computed_properties":[{"type":"DAYS_SINCE","event_name":"alpha"}]"#)
    }
    let names = ["alpha", "beta", "app_launch", "session_start", "paywall_decline"]
    let placements = names.enumerated().map { place, name in
      let rules = (0..<3).map { rule(place * 3 + $0) }.joined(separator: ",")
      return #"{"event_name":"\#(name)","rules":[\#(rules)]}"#
    }
    let config = String(decoding: wireConfig(rules: ""), as: UTF8.self)
      .replacing(
        #"{"event_name":"p","rules":[]}"#, with: placements.joined(separator: ",")
      )
      .replacing(#""app_session_timeout_ms":1"#, with: #""app_session_timeout_ms":1800000"#)
    var users = RandomUsers(random: SplitMix(seed: seed))
    var run = try Run(
      Array(config.utf8), zone: "Asia/Kathmandu", records: (0..<30).map { users.record($0) })
    for (number, placement) in run.config.placements.enumerated() {
      // No config of the field has limits by session: AgentWallie's has, in its own words.
      guard var limit = placement.audiences[0].occurrenceLimit else { continue }
      limit.interval = .session
      run.config.placements[number].audiences[0].occurrenceLimit = limit
    }
    run.rules = try #require(RuleSet.compile(run.config).output)
    run.options.purchaseRate = 0.05
    let output = try Self.check(
      run, GeneratedTraffic(start: 1_772_366_400_000, days: 4, rate: 8))
    #expect(output.sums.sessions > 20)
    try Self.checkRecorded(run, seed: seed)
  }
}
