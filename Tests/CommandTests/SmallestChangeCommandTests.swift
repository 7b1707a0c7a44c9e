import Foundation
import Testing

/// What `explain` says of what would be: the smallest change, `--set` and `--sweep`.
@Suite("What-if commands")
struct SmallestChangeCommandTests {
  private static let now = "2026-03-01T12:00:00Z"
  private static let user = TestFolder.demo + "/user.json"

  private func explain(_ placement: String, _ more: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      [
        "explain", TestFolder.config, "--placement", placement, "--user", Self.user, "--now",
        Self.now,
      ]
        + more)
  }

  @Test func whatWouldMakeAnAudienceTakeTheUser() throws {
    let change =
      "Audience 2 (onboarding-first-days) would take this user if device.daysSinceInstall were 3 (now 41)."
    let result = try explain("onboarding_done", "--audience", "2")
    #expect(result.code == 0)
    #expect(result.lines.last == change)
    let json = try explain("onboarding_done", "--audience", "2", "--json")
    let told = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(told["verdict"] as? String == "found")
    #expect(told["excluded"] as? Int == 0)
    #expect(told["index"] as? Int == 2)
    let changes = try #require(told["changes"] as? [[String: Any]])
    #expect(changes.count == 1)
    #expect(changes[0]["path"] as? String == "device.daysSinceInstall")
    #expect(changes[0]["from"] as? Int == 41)
    #expect(changes[0]["to"] as? Int == 3)
  }

  @Test func noAttributeChangesALimit() throws {
    let result = try explain("export_report", "--audience", "export-free")
    #expect(result.code == 0)
    #expect(
      result.lines.last == "No change of attributes makes audience 1 (export-free) take this user: "
        + "its limit is reached (shown 2 times in the last 24 hours, at most 2), and no attribute "
        + "changes that."
    )
  }

  @Test func anotherValueOfAnAttribute() throws {
    let result = try explain("settings_upgrade", "--set", "user.plan=lapsed")
    #expect(result.code == 0)
    #expect(
      result.lines[1] == "with user.plan = \"lapsed\" (was \"free\"): audience 0 "
        + "(settings-winback), "
        + "paywall winback (variant settings-winback-winback); without, audience 2 "
        + "(settings-everyone), paywall plans (variant settings-everyone-plans)")
    let json = try explain(
      "settings_upgrade", "--set", "user.plan=lapsed", "--set", "device.regionCode=\"US\"",
      "--json")
    #expect(json.output.contains(#""set":[{"path":"user.plan","from":"free","to":"lapsed"},"#))
    #expect(json.output.contains(#""to":"US"}],"without":{"result":"paywall","audience":2,"#))
    // Numbers are numbers.
    let days = try explain(
      "onboarding_done", "--set", "device.daysSinceInstall=3", "--audience", "2")
    #expect(days.lines.last == "Audience 2 (onboarding-first-days) takes this user.")
  }

  /// What follows from an attribute follows from the value that is set, whether the record has it or not.
  @Test func whatFollowsIsSetToo() throws {
    let folder = try TestFolder()
    let expressions = [
      #"device.appVersionPadded >= "003.000.000""#, #"device.localDate == "2026-12-25""#,
    ]
    try folder.write(
      "config.json",
      #"{"build_id":"b","trigger_options":["#
        + expressions.enumerated().map { number, expression in
          let text = expression.replacingOccurrences(of: "\"", with: "\\\"")
          return
            #"{"event_name":"p\#(number)","rules":[{"experiment_id":"e","experiment_group_id":"g","expression_cel":"\#(text)","variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"pw"}],"preload":{"behavior":"ALWAYS"}}]}"#
        }.joined(separator: ",") + #"],"paywall_responses":[]}"#)
    func run(_ placement: String, _ device: String, _ setting: String) throws -> String {
      let result = try BuiltTool.run(
        try BuiltTool.tool(),
        [
          "explain", "config.json", "--user", #"{"userId":"u","device":\#(device)}"#, "--placement",
          placement, "--now", "2026-12-24T18:00:00Z", "--set", setting,
        ], in: folder.path)
      return result.lines.count > 1 ? result.lines[1] : result.errors
    }
    let version = try run(
      "p0", #"{"appVersion":"2.0","appVersionPadded":"002.000"}"#, "device.appVersion=3.1.0")
    #expect(
      version.hasPrefix(
        #"with device.appVersion = "3.1.0" (was "2.0"), device.appVersionPadded = "003.001.000" (was "002.000"): audience 0"#
      ), "\(version)")
    for device in [#"{"appVersion":"2.0"}"#, "{}", #"{"appVersionPadded":"002.000"}"#] {
      let version = try run("p0", device, "device.appVersion=3.1.0")
      #expect(version.contains("audience 0"), "\(version)")
    }
    for device in [
      "{}", #"{"timezone":"UTC"}"#, #"{"localDate":"2026-12-24","timezoneOffset":0}"#,
    ] {
      #expect(try run("p1", device, "device.timezoneOffset=32400").contains("audience 0"))
      #expect(try run("p1", device, "device.timezone=Asia/Tokyo").contains("audience 0"))
    }
    #expect(try run("p1", "{}", "device.timezone=UTC").contains("no audience matches"))
  }

  @Test(arguments: [
    ("user.plan", "'user.plan' has no '='"),
    ("user..plan=x", "is not the path of an attribute"),
    ("user.plna=x", "no rule reads 'user.plna'; did you mean 'user.plan'?"),
    ("device.regionCod=US", "did you mean 'device.regionCode'?"),
    ("plan=x", "a user record has no member 'plan'; did you mean 'user.plan'?"),
    ("what=x", "attributes are in user, device and params, as in user.what"),
    ("user.plan.x=1", "user.plan is \"free\", which has no members; set user.plan"),
    ("user=3", "'user' must be an object"),
    ("now=3", "the option 'now' gives the time"),
    ("computed.daysSince=3", "computed from the user's events"),
  ])
  func whatCannotBeSet(setting: String, message: String) throws {
    let result = try explain("settings_upgrade", "--set", setting)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func settingsThatAreOdd() throws {
    let twice = try explain("settings_upgrade", "--set", "user.plan=a", "--set", "user.plan=b")
    #expect(twice.code == 2)
    #expect(twice.errors.contains("'user.plan' is set twice"))
    let unread = try explain("settings_upgrade", "--set", "user.zebra=1")
    #expect(unread.code == 0)
    #expect(unread.errors.contains("note: no rule reads user.zebra"))
    #expect(unread.lines[1].contains("no difference"))
  }

  @Test func whereAlongAnAttributeTheOutcomeChanges() throws {
    let result = try explain("onboarding_done", "--sweep", "device.daysSinceInstall")
    #expect(result.code == 0)
    #expect(result.lines[1] == "device.daysSinceInstall (now 41)")
    #expect(result.lines[2].hasPrefix("  up to 3  audience 2 (onboarding-first-days), paywall"))
    #expect(result.lines[3] == "  from 4   no audience matches  <- this user")
    let json = try explain("onboarding_done", "--sweep", "device.daysSinceInstall", "--json")
    #expect(
      json.output.hasPrefix(#"{"path":"device.daysSinceInstall","now":41,"stretches":[{"to":3,"#))
  }

  /// `user.streakDays % 7 == 0` says nothing about what lies between the values that were tried.
  @Test func whatIsNotUnderstoodIsToldAsPoints() throws {
    let users = TestFolder.demo + "/users.ndjson"
    let result = try BuiltTool.run(
      "explain", TestFolder.config, "--users", users, "--id", "u-02554", "--placement",
      "workout_finished", "--now", "2026-03-01", "--seed", "demo", "--sweep", "user.streakDays")
    let ranges = result.lines.dropFirst(2).map {
      $0.prefix(15).trimmingCharacters(in: .whitespaces)
    }
    #expect(ranges.prefix(4) == ["from -12 to 6", "7", "from 8 to 12", "missing"])
    #expect(result.output.contains("values between these may give other outcomes"))
  }

  @Test(arguments: [
    ("user.plna", "did you mean 'user.plan'?"), ("plan", "did you mean 'user.plan'?"),
    ("user.zebra", "it reads user.plan, device.regionCode, device.activeEntitlements"),
    ("computed.daysSince(\"x\")", "computed from the user's events"),
  ])
  func whatCannotBeSwept(path: String, message: String) throws {
    let result = try explain("settings_upgrade", "--sweep", path)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.contains(message), "\(result.errors)")
    let both = try explain("settings_upgrade", "--sweep", "user.plan", "--audience", "0")
    #expect(both.code == 2)
    #expect(both.errors.contains("give --sweep or --audience, not both"))
  }
}
