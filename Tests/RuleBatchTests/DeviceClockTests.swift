import CArrow
import CivilTime
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// What the SDKs derive from the clock, the time zone and other attributes is derived for users that do not
/// bring it, alike for one user, for lines and for tables.
@Suite struct DeviceClockTests {
  private static let now = try! WireTime.instant("2026-12-24T23:30:00Z")

  /// An expression, a record's device, and whether the rule takes the user.
  private static let cases: [(expression: String, device: String, holds: Bool)] = [
    (#"device.utcDate == "2026-12-24""#, "{}", true),
    (#"device.utcTime == "23:30:00""#, "{}", true),
    (#"device.utcDateTime == "2026-12-24T23:30:00Z""#, "{}", true),
    (#"device.localDate == "2026-12-25""#, "{}", false),
    (#"device.localDate == "2026-12-25""#, #"{"timezone":"Europe/Berlin"}"#, true),
    (#"device.localDate == "2026-12-25""#, #"{"timezone":"America/New_York"}"#, false),
    (#"device.localTime == "18:30:00""#, #"{"timezone":"America/New_York"}"#, true),
    (#"device.localDateTime == "2026-12-25T05:00:00""#, #"{"timezoneOffset":19800}"#, true),
    (#"device.localDateTime == "2026-12-25T05:00:00""#, #"{"timezoneOffset":19800.0}"#, true),
    (#"device.localTime < "12:00:00""#, #"{"timezoneOffset":-3600}"#, false),
    // The name of a zone counts before an offset, and what is no zone does not count.
    (
      #"device.localTime == "00:30:00""#, #"{"timezone":"Europe/Paris","timezoneOffset":7200}"#,
      true
    ),
    (
      #"device.localTime == "01:30:00""#, #"{"timezone":"Europe/Pris","timezoneOffset":7200}"#, true
    ),
    (#"device.localTime == "23:30:00""#, #"{"timezoneOffset":99999999}"#, true),
    ("device.timezoneOffset == 3600", #"{"timezone":"Europe/Berlin"}"#, true),
    ("device.timezoneOffset == -18000", #"{"timezone":"America/New_York"}"#, true),
    // What the record has wins.
    (#"device.localDate == "2020-01-01""#, #"{"localDate":"2020-01-01","timezoneOffset":0}"#, true),
    ("has(device.localDate)", "{}", true),
    ("has(device.appVersionPadded)", "{}", false),
    ("device.daysSinceInstall == 3", #"{"appInstallDate":"2026-12-21T12:00:00Z"}"#, true),
    ("device.daysSinceInstall == 0", #"{"appInstallDate":"2026-12-26T12:00:00Z"}"#, true),
    (
      "device.daysSinceInstall == 2", #"{"appInstallDate":"soon","minutesSinceInstall":2900}"#, true
    ),
    ("device.minutesSinceInstall == 90", #"{"appInstallDate":"2026-12-24T22:00:00Z"}"#, true),
    ("has(device.minutesSinceInstall)", #"{"appInstallDate":"soon"}"#, false),
    ("device.daysSinceLastPaywallView == 1", #"{"minutesSinceLastPaywallView":1500}"#, true),
    (#"device.appVersionPadded >= "003.010.000""#, #"{"appVersion":"3.10.1"}"#, true),
    (#"device.appVersionPadded >= "003.010.000""#, #"{"appVersion":"3.9"}"#, false),
    (#"device.appVersionPadded == "003.010.001-rc.030""#, #"{"appVersion":"3.10.1-rc.30"}"#, true),
    ("device.appBuildStringNumber == 77", #"{"appBuildString":"77"}"#, true),
    (#"device.regionCode == "AT""#, #"{"deviceLocale":"de_AT"}"#, true),
    (#"device.preferredLanguageCode == "fr""#, #"{"preferredLocale":"fr-CA"}"#, true),
  ]

  private static func line(_ number: Int, _ device: String) -> String {
    #"{"userId":"u\#(number)","device":\#(device)}"#
  }

  @Test(arguments: [RuleLanguage.superscript(.ios), .cel])
  func oneUser(language: RuleLanguage) throws {
    for (expression, device, holds) in Self.cases {
      let rules = try ruleSet(wireRule(expression: expression), language: language)
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: Self.now))
      try reader.read(json: Self.line(0, device).utf8, into: &frame)
      let reasons = rules.steps("p", frame: &frame, state: reader.state(now: Self.now))
      // In CEL, an attribute that nobody has is an error.
      #expect((reasons[0].reason == .matched) == holds, "\(expression) \(device) \(language)")
    }
  }

  /// Records of one shape are read in columns from the second on.
  @Test func lines() throws {
    for (expression, device, holds) in Self.cases {
      let rules = try ruleSet(wireRule(expression: expression))
      let plan = BatchPlan(rules, now: Self.now, assigner: .hash(salt: ""))
      var worker = BatchWorker(plan)
      let lines = (0..<600).map { Self.line(1_000 + $0, device) }.joined(separator: "\n")
      let output = worker.process(Array(lines.utf8))
      #expect(output.tally.users == 600)
      #expect(
        output.tally.placements[0].audiences[0].taken == (holds ? 600 : 0),
        "\(expression) \(device)")
    }
  }

  /// Rows of one table have zones of their own.
  @Test func tables() throws {
    let rules = try ruleSet(
      wireRule(expression: #"device.localDateTime >= "2026-12-25T00:00:00""#),
      wireRule(expression: #"device.utcDateTime == "2026-12-24T23:30:00Z""#))
    let zones: [Value] = ["Europe/Berlin", "America/New_York", .null, "nowhere"]
    let rows: [Value] = (0..<600).map {
      [
        "userId": .string("u\($0)"), "device": ["timezone": zones[$0 % 4]],
        // Every seventh is decided alone.
        "occurrences": $0 % 7 == 0 ? ["k": ["2026-03-01T12:00:00Z"]] : .null,
      ]
    }
    let table = ArrowTable(
      .structure([
        ("userId", .text("u")), ("device", .structure([("timezone", .text("u"))])),
        ("occurrences", .structure([("k", .list("+l", .text("u")))])),
      ]), rows)
    for (zone, expected) in [("UTC", 150), ("Asia/Tokyo", 450)] {
      let clock = try #require(HistoryClock(now: Self.now, timeZone: zone))
      let plan = BatchPlan(
        rules, now: Self.now, assigner: .hash(salt: ""), form: .rows, writesOutcomes: false,
        clock: clock, texts: nil, collectsChoices: true)
      var options = FrameColumns.Options()
      options.ignoresMissing = true
      let worker = FrameWorker(plan, try FrameColumns(table.field, for: rules, options))
      let sums = try worker.decide(table.array)
      let audiences = plan.tally(of: sums).placements[0].audiences
      #expect(audiences.map(\.taken) == [expected, 600 - expected], "\(zone)")
    }
  }

  @Test func platformsWriteThemDifferently() throws {
    for (platform, text) in [
      (Platform.ios, "2026-12-24T23:30:00Z"), (.android, "2026-12-24T23:30:00"),
    ] {
      let record = DeviceDerivation.complete(
        .map([]), [.utcDateTime], on: platform, at: HistoryClock(now: Self.now))
      #expect(record.json == #"{"device":{"utcDateTime":"\#(text)"}}"#)
    }
    let web = DeviceDerivation.complete(
      ["device": ["appVersion": "3.10.1"]], [.appVersionPadded], on: .web,
      at: HistoryClock(now: Self.now))
    #expect(web["device"]?["appVersionPadded"] == "0003.0010.0001")
  }

  /// What the rules read is what their authors wrote.
  @Test func requirementsStayAsTheyAre() throws {
    let rules = try ruleSet(wireRule(expression: #"device.localDate == "2026-12-25""#))
    #expect(rules.requirements.map(\.description) == ["device.localDate"])
  }
}
