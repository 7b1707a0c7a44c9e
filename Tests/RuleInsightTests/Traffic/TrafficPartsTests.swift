import CivilTime
import Expressions
import TestSupport
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What simulated traffic is made of: limits by session and by minutes, lines, tables, random numbers.
@Suite("Parts of traffic") struct TrafficPartsTests {
  private func run(_ rules: String, timeout: Int = 1_800_000, _ records: [String]) throws
    -> TrafficTests.Run
  {
    let config = String(decoding: wireConfig(rules: rules), as: UTF8.self).replacing(
      #""app_session_timeout_ms":1"#, with: #""app_session_timeout_ms":\#(timeout)"#)
    return try TrafficTests.Run(Array(config.utf8), records: records)
  }

  private func results(
    _ run: TrafficTests.Run, minutes: [Int64], from start: Instant = 1_772_366_400_000
  ) throws -> [String] {
    let events = minutes.map {
      TrafficTests.Event(user: "u", placement: "p", time: start + $0 * 60_000)
    }
    let output = try run.replayed(events)
    return try TrafficTests.lines(output).map {
      let line = try Value.parse(json: $0.utf8)
      return line["paywall"]?.text ?? line["result"]?["result"]?.text ?? ""
    }
  }

  /// Sums of two parts are the sums of all that they count.
  @Test func sumsAddUp() throws {
    let run = try run(wireRule("a", expression: "user.a == 1"), [#"{"userId":"u"}"#])
    func sums(_ n: Int) -> TrafficSums {
      var sums = TrafficSums(run.plan)
      (sums.users, sums.sessions, sums.purchases) = (n, 2 * n, 3 * n)
      for i in sums.outcomes.indices {
        for j in sums.outcomes[i].indices { sums.outcomes[i][j] = (4 + i + j) * n }
      }
      for i in sums.rules.indices {
        sums.rules[i] = TrafficSums.Rule(
          reached: 5 * n, matched: 6 * n, held: 7 * n, taken: 8 * n, failed: 9 * n,
          usersHeld: 10 * n)
      }
      for i in sums.seen.indices {
        for j in sums.seen[i].indices { sums.seen[i][j] = (11 + j) * n }
      }
      for j in sums.seenAny.indices { sums.seenAny[j] = (12 + j) * n }
      sums.days[20_000] = TrafficSums.Day(
        placements: 13 * n, paywalls: 14 * n, holdouts: 15 * n, purchases: 16 * n, asked: [17 * n],
        shown: [18 * n], held: [19 * n])
      return sums
    }
    var sum = sums(1)
    sum.add(sums(10))
    #expect(sum == sums(11))
    sum.days[20_001] = sums(1).days[20_000]
    var other = sums(0)
    other.add(sum)
    #expect(other == sum)
  }

  @Test func aLimitBySessionCountsAnewInEach() throws {
    var run = try run(
      wireRule(occurrence: #"{"key":"k","max_count":2,"interval":{"type":"INFINITY"}}"#),
      [#"{"userId":"u"}"#])
    run.config.placements[0].audiences[0].occurrenceLimit?.interval = .session
    run.rules = try #require(RuleSet.compile(run.config).output)
    // A session ends when nothing is asked for during half an hour; a long one goes on.
    #expect(
      try results(run, minutes: [0, 10, 20, 50, 81, 82, 83])
        == ["pw", "pw", "noAudienceMatch", "noAudienceMatch", "pw", "pw", "noAudienceMatch"])
    // The session of the record goes on, with what happened in it.
    run.records = [
      #"{"userId":"u","sessionStart":"2026-03-01T11:45:00Z","occurrences":{"k":["2026-03-01T11:46:00Z"]}}"#
    ]
    #expect(try results(run, minutes: [0, 1, 2]) == ["pw", "noAudienceMatch", "noAudienceMatch"])
  }

  @Test func aLimitByMinutesCountsWhatIsNotOlder() throws {
    let run = try run(
      wireRule(
        occurrence: #"{"key":"k","max_count":2,"interval":{"type":"MINUTES","minutes":60}}"#),
      [#"{"userId":"u","occurrences":{"k":["2026-03-01T11:30:00Z"]}}"#])
    #expect(
      try results(run, minutes: [0, 30, 31, 60, 61, 91])
        == ["pw", "noAudienceMatch", "pw", "noAudienceMatch", "pw", "noAudienceMatch"])
  }

  @Test func aVariantIsKept() throws {
    let variants = """
      {"variant_id":"a","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"first"},
      {"variant_id":"b","variant_type":"TREATMENT","percentage":0,"paywall_identifier":"second"}
      """
    // Kept is what was drawn, and what the record has though nobody would draw it.
    let records = [#"{"userId":"u"}"#, #"{"userId":"u","assignments":[]}"#]
    var run = try run(
      wireRule(expression: "params.n > 0", variants: variants)
        + ","
        + wireRule(
          variants: variants.replacing("100", with: "-1").replacing(":0", with: ":100")
            .replacing("-1", with: "0")), [records[0]])
    let events = [1, 0, 1].enumerated().map { minute, n in
      TrafficTests.Event(
        user: "u", placement: "p", time: 1_772_366_400_000 + Int64(minute) * 60_000,
        params: ["n": .int(Int64(n))])
    }
    func paywalls() throws -> [String?] {
      try TrafficTests.lines(run.replayed(events)).map {
        try Value.parse(json: $0.utf8)["paywall"]?.text
      }
    }
    #expect(try paywalls() == ["first", "first", "first"])
    run.records = [
      #"{"userId":"u","assignments":[{"experimentId":"e","variantId":"b"}]}"#, records[1],
    ]
    // The second record of a user counts for nothing.
    #expect(try paywalls() == ["second", "second", "second"])
  }

  /// Of one name as much is remembered as by the SDK, in placements as in limits.
  @Test func muchTrafficOfOneUser() throws {
    let run = try run(
      wireRule(
        "e1", expression: #"device.placementsSinceInstall("p") < 1100"#,
        occurrence: #"{"key":"k","max_count":700,"interval":{"type":"INFINITY"}}"#)
        + ","
        + wireRule(
          "e2",
          occurrence: #"{"key":"k","max_count":1200,"interval":{"type":"MINUTES","minutes":2000}}"#),
      [#"{"userId":"u"}"#])
    let events = (0..<2_500).map {
      TrafficTests.Event(
        user: "u", placement: "p", time: 1_772_366_400_000 + Int64($0) * 60_000)
    }
    try TrafficTests.compare(
      run, try run.replayed(events), events, #_sourceLocation)
  }

  // MARK: Made-up traffic

  @Test func generatedTrafficIsWhatItIsSaidToBe() throws {
    let records = (0..<1_000).map { #"{"userId":"u\#($0)"}"# }
    var run = try run(wireRule(), records)
    run.options.clock = try #require(HistoryClock(now: 0, timeZone: "America/New_York"))
    let start = try WireTime.instant("2026-03-05T09:30:00", in: "America/New_York")
    let output = run.output(.generated(GeneratedTraffic(start: start, days: 10, rate: 4)))
    let asked = Double(output.sums.placements)
    // Ends are cut: a session that begins before the end may go on behind it.
    #expect(abs(asked / (1_000 * 10 * 4) - 1) < 0.1)
    // Some sessions begin while another one lasts.
    #expect((2.9...3.4).contains(asked / Double(output.sums.sessions)))
    let times = try TrafficTests.events(TrafficTests.lines(output)).map(\.time)
    let end = try WireTime.instant("2026-03-15T09:30:00", in: "America/New_York")
    #expect(times.allSatisfy { $0 >= start && $0 < end })
    let hours = times.reduce(into: [Int: Int]()) {
      $0[run.options.clock.civil($1).hour, default: 0] += 1
    }
    #expect((hours[20] ?? 0) > 10 * (hours[3] ?? 0))
    // Some users are far more active than others, and some not at all.
    #expect(output.sums.seenAny[0] > 0 && output.sums.seenAny[10] > 170)
    #expect(output.sums.seenAny.reduce(0, +) == 1_000)
  }

  /// Days have what happened at every placement, but not one by one where there are many.
  @Test func placementsByDayAreBounded() throws {
    let names = (0..<TrafficSums.mostByDay + 50).map { number in
      #"{"event_name":"p\#(number)","rules":[\#(wireRule())]}"#
    }
    let config = #"{"trigger_options":[\#(names.joined(separator: ","))]}"#
    let run = try TrafficTests.Run(
      Array(config.utf8), records: (0..<40).map { #"{"userId":"u\#($0)"}"# })
    let sums = run.output(
      .generated(GeneratedTraffic(start: 1_772_366_400_000, days: 3, rate: 30))
    ).sums
    #expect(sums.days.values.reduce(0) { $0 + $1.placements } == sums.placements)
    #expect(sums.days.values.allSatisfy { $0.asked.count == TrafficSums.mostByDay })
    let counted = sums.days.values.reduce(0) { $0 + $1.asked.reduce(0, +) }
    let first = sums.outcomes.prefix(TrafficSums.mostByDay).joined().reduce(0, +)
    #expect(counted == first && counted < sums.placements)
  }

  @Test func placementsOfTheSDKComeWithSessionsAndPaywalls() throws {
    var run = try TrafficTests.demo(200, zone: "UTC")
    let traffic = GeneratedTraffic(start: 1_772_366_400_000, days: 5, rate: 3)
    let output = run.output(.generated(traffic))
    let asked = Dictionary(
      uniqueKeysWithValues: zip(
        run.plan.placementNames, output.sums.outcomes.map { $0.reduce(0, +) }))
    #expect(asked["session_start"] == output.sums.sessions)
    let declined = asked["paywall_decline"] ?? 0
    // One follows each paywall that is closed, but for those that it brings itself.
    let shown = zip(run.plan.placementNames, output.sums.outcomes).reduce(0) {
      $0 + ($1.0 == "paywall_decline" ? 0 : $1.1[EffectTable.OutcomeKind.paywall.rawValue])
    }
    #expect(declined == shown && shown > 100)
    run.options.placements = ["export_report", "nonsense", "export_report"]
    #expect(run.plan.placementNames == ["export_report"])
    #expect(GeneratedTraffic.silentPlacements(of: run.plan) == [])
    run.options.placements = ["paywall_decline"]
    #expect(GeneratedTraffic.silentPlacements(of: run.plan) == ["paywall_decline"])
    #expect(run.output(.generated(traffic)).sums.placements == 0)
  }

  @Test func daysAreThoseOfTheZone() throws {
    var run = try run(wireRule(), [#"{"userId":"u"}"#])
    run.options.clock = try #require(HistoryClock(now: 0, timeZone: "Europe/Berlin"))
    // Summer time begins on the 29th: the day has 23 hours.
    let events = try ["28T22:59:59Z", "28T23:00:00Z", "29T21:59:59Z", "29T22:00:00Z"].map {
      TrafficTests.Event(
        user: "u", placement: "p", time: try WireTime.instant("2026-03-" + $0))
    }
    let report = TrafficReport(run.plan, try run.replayed(events).sums)
      .value(rejected: 0, rejectedEvents: 0)
    let days = report["days"]?.elements ?? []
    #expect(days.compactMap { $0["day"]?.text } == ["2026-03-28", "2026-03-29", "2026-03-30"])
    #expect(days.map { TrafficTests.number($0["asked"]) } == [1, 2, 1])
  }

  @Test func randomNumbers() {
    var random = TrafficRandom(seed: "s", "test", "u")
    let numbers = (0..<200_000).map { _ in random.exponential() }
    let mean = numbers.reduce(0, +) / 200_000
    let square = numbers.reduce(0) { $0 + $1 * $1 } / 200_000
    #expect(abs(mean - 1) < 0.01 && abs(square - 2) < 0.06)
    #expect(abs(Double(numbers.count { $0 > 3 }) / 200_000 - 0.049_787) < 0.003)
    var other = TrafficRandom(seed: "s", "tes", "tu")
    var same = TrafficRandom(seed: "s", "test", "u")
    let (a, b) = (other.bits(), same.bits())
    #expect(a != b)
    // What every machine has to give.
    var known = TrafficRandom(seed: 0)
    let first = known.bits()
    #expect(first == 0xE220_A839_7B1D_CDAF)
    #expect(DayCurve.second(at: DayCurve.position(ofSecond: 12 * 3_600)) == 12 * 3_600)
    #expect(DayCurve.second(at: 0) == 0 && DayCurve.second(at: 1 - 0x1p-53) == 86_399)
  }

  // MARK: Tables

  @Test func identitiesAndTheirPlacements() throws {
    var table = SubjectTable()
    func add(_ text: String) -> Int? {
      Array(text.utf8).withUnsafeBufferPointer { table.add($0) }
    }
    for number in 0..<5_000 { #expect(add("user-\(number)") == number) }
    #expect(add("user-17") == nil && add("") == 5_000 && table.count == 5_001)
    #expect(table[4_999] == "user-4999" && table[5_000] == "" && table[0] == "user-0")
    #expect(Array("user-5000".utf8).withUnsafeBufferPointer { table.number(of: $0) } == nil)
    // More than a block, over and over the same three users.
    var traffic = RecordedTraffic(users: 3)
    let start = try WireTime.instant("0001-01-01T00:00:00Z")
    let end = try WireTime.instant("9999-12-31T23:59:59Z")
    for number in 0..<200_000 {
      let isKept = traffic.add(
        number % 32_768, of: number % 3, at: start + Int64(number), params: nil)
      if !isKept { Issue.record("\(number) was not kept") }
    }
    let params = Array(#"{"v":1}"#.utf8)
    for _ in 0..<2 {
      let isKept = params.withUnsafeBufferPointer { traffic.add(7, of: 1, at: end, params: $0) }
      #expect(isKept)
    }
    var (next, count) = (traffic.first(ofUser: 1), 0)
    while let event = next, event.params == nil {
      #expect(event.time == start + Int64(3 * count + 1) && event.place == (3 * count + 1) % 32_768)
      (next, count) = (traffic.event(after: event), count + 1)
    }
    #expect(count == 66_667 && next?.time == end && next?.place == 7 && next?.params == params)
    #expect(traffic.placements == 200_002 && traffic.lastTime == end)
  }

  // MARK: Lines

  @Test(
    arguments: [
      (#"[1]"#, "must be a JSON object such as"), (#"{"at":"#, "ends too early"),
      (#"{"userId":"u","placement":"p"}"#, "'at' is missing; it must be a time, as in"),
      (#"{"at":"2026-03-01T12:00:00Z","placement":"p"}"#, "'userId' is missing"),
      (#"{"at":"2026-03-01T12:00:00Z","userId":"u"}"#, "'placement' is missing"),
      (#"{"at":"2026-03-01T12:00:00","userId":"u","placement":"p"}"#, "has no time zone"),
      (#"{"at":"noon","userId":"u","placement":"p"}"#, "is not an ISO 8601 time"),
      (#"{"at":1772366400,"userId":"u","placement":"p"}"#, #"write "2026-03-01T12:00:00Z""#),
      (
        #"{"at":"2026-02-30T12:00:00Z","userId":"u","placement":"p"}"#,
        "the time '2026-02-30T12:00:00Z' does not exist"
      ),
      (#"{"at":"2026-03-01T12:00:00Z","userId":5,"placement":"p"}"#, "'userId' must be a string"),
      (
        #"{"at":"2026-03-01T12:00:00Z","userId":"u","placement":"p","params":[]}"#,
        "'params' must be an object"
      ),
    ])
  func refusedLines(line: String, reason: String) {
    var reader = TrafficLine.Reader()
    let bytes = Array(line.utf8)
    bytes.withUnsafeBufferPointer { bytes in
      do throws(TrafficLine.Rejection) {
        try reader.read(bytes) { (_) throws(TrafficLine.Rejection) in }
        Issue.record("\(line) was read")
      } catch {
        #expect(error.reason.contains(reason), "\(error.reason)")
      }
    }
  }

  @Test func linesWithWhatElseTheyMayHave() throws {
    var reader = TrafficLine.Reader()
    let line = #"""
      {"at":"2026-03-01T13:00:00.5+01:00","userId":"\u00e9","placement":"p","result":{},"when":1,"params":null,
      "audience":null,"params":{"v":1} }
      """#
    let bytes = Array(line.utf8)
    try bytes.withUnsafeBufferPointer { bytes in
      try reader.read(bytes) { (line) throws(TrafficLine.Rejection) in
        #expect(line.time == 1_772_366_400_500 && line.placement == "p")
        #expect(line.subject.elementsEqual("é".utf8))
        #expect(line.params?.elementsEqual(#"{"v":1}"#.utf8) == true)
      }
    }
    #expect(reader.unknownKeys == ["when": 1])
  }

  /// Who buys the first product of a paywall owns what it gives on any paywall.
  @Test func whatBuyersOwn() throws {
    let path = "paywall_responses[1].products_v2[0].entitlements[0].identifier"
    let config = ConfigEdits.replacing(path, by: "plus")
    let run = try TrafficTests.Run(Array(config.json.utf8), records: [])
    #expect(run.plan.paywalls == ["x"])
    #expect(run.plan.entitlements == [["pro", "plus"]])
  }
}
