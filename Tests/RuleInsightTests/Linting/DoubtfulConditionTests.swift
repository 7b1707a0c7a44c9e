import Expressions
import RuleEngine
import RuleInsight
import Testing

/// Conditions that mean something else than they seem to, and their neighbors that do not.
@Suite struct DoubtfulConditionTests {
  private func codes(
    _ condition: String, _ language: RuleLanguage = .standard, schema: String? = nil
  ) throws -> [String] {
    let json = Array(superwall(rule(when: condition)).utf8)
    let config = try #require(Config.decode(json).output)
    let schema = try schema.map { try #require(ContextSchema.decode(Array($0.utf8)).output) }
    var check = ConfigCheck(RuleSet.compile(config, language: language).diagnostics)
    check.lint(config, json: json, language: language, schema: schema ?? ContextSchema())
    return check.diagnostics.filter { $0.severity != .note }.map(\.code.rawValue)
  }

  @Test(arguments: [
    ("user.visits < 3", "missing-matches"), ("user.visits <= 0", "missing-matches"),
    ("user.count == 0", "missing-matches"), (#"user.plan != "pro""#, "missing-matches"),
    (#"!(user.plan == "pro")"#, "missing-matches"), ("!(user.visits > 5)", "missing-matches"),
    (#"!(user.country in ["US", "CA"])"#, "missing-matches"),
    (#"!["US", "CA"].contains(user.country)"#, "missing-matches"),
    (#"user["visits"] != 3"#, "missing-matches"),
    ("user.vip == true || user.visits < 3", "missing-matches"),
    ("(has(user.visits) && user.visits > 9) || user.visits < 3", "missing-matches"),
    (#"user.expires < "2026-01-01""#, "missing-matches"),
    ("user.visits < 3 ? true : false", "missing-matches"),
    ("12 <= user.visits", "missing-on-right"), ("0 == user.visits", "missing-on-right"),
    (#""pro" != user.plan"#, "missing-on-right"),
    (
      #"(has(user.plan) && user.plan.startsWith("f")) || user.visits > 3"#, "may-be-missing"
    ),
    (#"!(has(user.plan) && user.plan.startsWith("f"))"#, "may-be-missing"),
    (#""vip" in user.tags || user.visits > 3"#, "may-be-missing"),
    (#"duration("1d") > duration("1h")"#, "literal-fails"),
    (#"int("12x") == user.level"#, "literal-fails"), ("user.level == 7 / 0", "literal-fails"),
    (
      #"timestamp(device.utcDateTime) < timestamp("2026-02-01T00:00:00")"#, "literal-fails"
    ),
    (#""a" == "a" && user.level == 1"#, "constant-clause"),
    ("user.level == 1 || true", "constant-clause"),
    ("user.level == user.level", "constant-clause"),
    ("device.deviceLanguageCode == 7", "type-error"),
    (#"user.signup == timestamp("2026-02-01T00:00:00Z")"#, "type-error"),
    ("device.totalPaywallViews < 0", "impossible-number"),
    ("user.seed >= 100", "impossible-number"), ("user.seed == 2.5", "impossible-number"),
    (#"device.placementsInDay("x") < 0"#, "impossible-number"),
    ("device.timezoneOffset == -5", "impossible-number"),
    (#"device.daysSince("export") < 3"#, "platform-difference"),
    (#"device.minutesSince("export") > 90"#, "platform-difference"),
    (#"device.daysSince("export") > 3 || user.vip == true"#, "platform-difference"),
    (#"device.yearsSince("export") > 1"#, "platform-difference"),
    (#"params.price == "$4.99""#, "platform-difference"),
    (#"device.daysSince(device.placementsInDay("x")) > 3"#, "nested-host-call"),
    (#"device.appVersionPadded >= "1234.001.000""#, "text-order"),
    (#"device.appVersion >= "10""#, "text-order"), (#"user.level > "9""#, "text-order"),
    (#"user.appUserId == "u-1 ""#, "outer-space"),
    (#"user.plan in ["pro", "\#u{A0}free"]"#, "outer-space"),
    (#"user.renews > "01.02.2026""#, "date-form"), (#"user.renews > "2/1/2026""#, "date-form"),
    (#"user.renews > "1 Feb 2026""#, "date-form"), (#"user.renews > "2026-2-1""#, "date-form"),
    (#"user.renews > "2026-02-30""#, "date-form"), (#"user.opens > "9:00""#, "date-form"),
    (#"device.localDate == "25/12/2026""#, "date-form"),
    (#"device.localTime >= "6pm""#, "date-form"), (#"device.localTime == "18:00""#, "date-form"),
    ("user.discount_percent > 0.2", "unit-mismatch"),
    ("user.conversionRate > 20", "unit-mismatch"),
    ("user.session_seconds > 60000", "unit-mismatch"),
    ("user.sessionMs > 60", "unit-mismatch"), ("user.price_cents > 9.99", "unit-mismatch"),
    ("device.daysSinceInstall > 86400", "unit-mismatch"),
    (#"device.regionCode == "UK""#, "value-not-in-enum"),
    (#"device.regionCode in ["US", "EN"]"#, "value-not-in-enum"),
    (#"device.deviceLocale == "en-US""#, "value-not-in-enum"),
    (#"device.deviceLocale.startsWith("en-")"#, "value-not-in-enum"),
    (#"device.deviceLanguageCode == "en_US""#, "value-not-in-enum"),
    (#"device.deviceLanguageCode == "jp""#, "value-not-in-enum"),
    (#"device.storeFrontCountryCode == "US""#, "value-not-in-enum"),
    (#"device.deviceCurrencyCode == "$""#, "value-not-in-enum"),
    (#"device.regionCode.startsWith("us")"#, "value-not-in-enum"),
    (#"device.deviceLocale.endsWith("_us")"#, "value-not-in-enum"),
    (#"device.deviceLanguageCode.startsWith("EN")"#, "value-not-in-enum"),
    (#"device.regionCode == "US,CA""#, "value-not-in-enum"),
    ("device.bundleId == true", "type-error"), ("user.email.size() > 3", "type-error"),
    ("user.seed in [50, 100]", "impossible-number"),
    ("!(user.seed < 100)", "impossible-number"), ("user.seed % 4 == 4", "impossible-number"),
    ("100 > user.seed % 7 && user.days % 7 >= 7", "impossible-number"),
    ("user.visits / 0 > 1", "literal-fails"), ("user.visits % 0 == 1", "literal-fails"),
    ("user.level == 1 || !false", "constant-clause"),
    ("user.level == 1 ? true : true", "constant-clause"),
    ("has(user.visits) && user.visits > user.limit", "missing-on-right"),
    ("user.visits >= params.threshold", "missing-on-right"),
    ("device.daysSinceLastPaywallView < 3", "missing-matches"),
    (#"int(user.visits) > 3 || user.vip == true"#, "may-be-missing"),
    (#"user.visits + 1 > 3 || user.vip == true"#, "may-be-missing"),
    (#"3 > device.daysSince("export")"#, "platform-difference"),
    (#"5 <= device.daysSince("export") || user.vip == true"#, "platform-difference"),
    (#"device.osVersion < "16""#, "text-order"),
    (#"device.appBuildString > "100""#, "text-order"),
    (#"device.appVersionPadded.startsWith("3.")"#, "text-order"),
    (#"device.appVersionPadded >= "v003.010.000""#, "text-order"),
    (#"["pro ", "team"].contains(user.plan)"#, "outer-space"),
    (#"has(user.email) ? user.email.endsWith(".edu ") : false"#, "outer-space"),
    (#"user["plan "] == "pro""#, "outer-space"),
    (#""pro " in device.activeEntitlements"#, "outer-space"),
    (#"device.placementsInDay("export ") > 2"#, "outer-space"),
    (#"user.renews > "15/03/26""#, "date-form"), (#"user.renews > "03/2026""#, "date-form"),
    (#"user.renews > "January 2026""#, "date-form"),
    (#"user.renews > "Mon, 02 Feb 2026""#, "date-form"), (#"user.renews > "2026-3""#, "date-form"),
    (#"user.renews > "March 4th 2026""#, "date-form"),
    (#"device.appVersionPadded.startsWith("3")"#, "text-order"),
    (#"device.appVersionPadded < "4""#, "text-order"),
    ("user.last_active_ms > 1760000000", "unit-mismatch"),
    (#"user.renews > "2026-02-01 9:00""#, "date-form"),
    ("double(user.discount_percent) > 0.2", "unit-mismatch"),
    ("user.weeks_active > 86400", "unit-mismatch"),
    ("device.languageCode == 'en'", "unknown-attribute"),
    ("device.totalPaywallView > 3", "unknown-attribute"),
    (#"device.daysSince("app_instal") > 3"#, "value-spelling"),
  ])
  func doubtful(_ condition: String, code: String) throws {
    let found = try codes(condition)
    #expect(found.contains(code), "\(found)")
  }

  @Test(arguments: [
    "has(user.visits) && user.visits < 3", "user.visits == null || user.visits < 3",
    "user.visits >= 1 && user.visits < 3", "has(user.visits) ? user.visits < 3 : true",
    #"user.plan != "" && user.plan != "pro""#, "user.vip == false", "!(user.vip == true)",
    "!user.vip", "user.seed < 50", "device.daysSinceInstall < 3", "params.price < 5",
    #"device.subscriptionStatus != "ACTIVE""#, "user.isLoggedIn == false",
    "has(user.visits) ? 12 <= user.visits : false", "12 <= device.daysSinceInstall",
    #"has(user.plan) && user.plan.startsWith("f")"#,
    #"user.vip == true || (has(user.plan) && user.plan.startsWith("f"))"#,
    #"!has(user.plan) || user.plan.startsWith("f")"#,
    #"(has(user.plan) ? user.plan.startsWith("f") : false) || user.visits > 3"#,
    #"timestamp(user.signup) < timestamp("2026-02-01T00:00:00Z")"#, "true", "false",
    "has(user.level) ? user.level > 3 : false", "user.seed >= 34 && user.seed <= 100",
    "device.totalPaywallViews >= 0", "device.timezoneOffset >= -28800",
    #"device.daysSince("export") > 3"#, #"device.daysSince("app_install") < 3"#,
    #"device.placementsSinceInstall("export") > 0 && device.daysSince("export") < 3"#,
    #"device.platform == "iOS" && device.daysSince("export") < 3"#,
    #"device.appVersionPadded >= "123.001.000""#, #"device.appVersionPadded >= "2026.001.000""#,
    #"user.name.contains(" ")"#, #"user.renews > "2026-02-01""#, #"user.renews > "2026/02/01""#,
    #"user.since >= "2026""#, #"device.localDate >= "2026-12""#, #"device.localTime >= "18:00""#,
    #"device.localTime == "18:00:00""#, "user.discount_percent > 20", "user.rate > 20",
    "user.heart_rate > 120", "user.session_seconds > 86400", "user.session_seconds > 36000",
    "user.latency_ms > 60", "user.price_cents > 999", "device.minutesSinceInstall > 1440",
    #"device.regionCode == "GB""#, #"device.deviceLocale == "zh_Hans_CN""#,
    #"device.deviceLanguageCode == "uk""#, #"device.storeFrontCountryCode == "USA""#,
    #"device.regionCode.startsWith("U")"#, #"device.deviceLocale.endsWith("_US")"#,
    #"device.deviceLanguageCode.startsWith("zh")"#, #"device.deviceLocale.startsWith("en")"#,
    "user.seed in [50, 99]", "user.seed % 4 == 3",
    "user.level / 2 > 1", "user.level == 1 ? true : user.vip == true",
    "has(user.limit) && user.visits > user.limit", "user.visits > device.totalPaywallViews",
    "device.daysSinceLastPaywallView > 3", "int(user.visits) > 3", "user.visits + 1 > 3",
    #"5 <= device.daysSince("app_install")"#, #"device.appVersionPadded.startsWith("003.")"#,
    #"device.osVersion.startsWith("16")"#, #"["pro", "team"].contains(user.plan)"#,
    #"user.name.contains(" pro")"#, #"user["first name"] == "Ann""#,
    #"device.placementsInDay("export") > 2"#, #"user.score > "marketing 2026""#,
    "double(user.discount_percent) > 20.0", "user.weeks_active > 52", #"user.renews > "2026-03""#,
    #"user.plan == "trial" ? user.visits > 3 : user.visits > 7"#,
    #"device.appVersionPadded < "004""#, "user.played_ms > 1760000000",
    "user.country == 'US'", "device.country == 'US'", "device.model == 'x'",
    #"device.daysSince("app_installer") > 3"#,
  ])
  func plain(_ condition: String) throws {
    let found = try codes(condition)
    #expect(found.isEmpty, "\(found)")
  }

  @Test(arguments: [
    (#"timestamp(params.now).getHours("Europe/Berln") > 3"#, "literal-fails"),
    (#"date("2026-02-30") < timestamp(params.now)"#, "literal-fails"),
    (#"timestamp(params.now) < timestamp("2026-02-01")"#, "literal-fails"),
    ("has(user.a.b.c) && user.a.b.c == 2", "path-guard"),
    ("timestamp(params.now).getMonth() == 12", "impossible-number"),
    ("timestamp(params.now).getHours() == 24", "impossible-number"),
  ])
  func doubtfulInCEL(_ condition: String, code: String) throws {
    let found = try codes(condition, .cel)
    #expect(found.contains(code), "\(found)")
  }

  @Test(arguments: [
    #"timestamp(params.now).getHours("02:00") > 3"#, "has(user.visits) && user.visits < 3",
    "has(user.a) && has(user.a.b) && has(user.a.b.c) && user.a.b.c == 2",
    #"has(user.plan) && user.plan.startsWith("f") || has(user.vip)"#,
    "timestamp(params.now).getMonth() == 11", "timestamp(params.now).getHours() == 23",
  ])
  func plainInCEL(_ condition: String) throws { #expect(try codes(condition, .cel).isEmpty) }

  private static let learned = """
    {"user": {"age": {"type": "any", "types": {"int": 2, "string": 1}, "required": true, "present": 3},
      "address": {"type": "any", "types": {"map": 2, "string": 1}, "required": true, "present": 3},
      "trial": {"type": "any", "types": {"bool": 2, "string": 1}, "required": true, "present": 3},
      "plan": {"type": "string", "required": false, "present": 2},
      "tags": {"type": "any", "types": {"list": 2, "string": 1}, "required": true, "present": 3},
      "visits": {"type": "int", "required": true, "present": 3}},
     "device": {"appVersion": {"type": "string", "required": true, "present": 3}},
     "learned": {"users": 3, "refused": 0}}
    """

  /// What users lack that a schema was learned from is missing, whatever SDKs send.
  @Test(arguments: [
    ("user.age > 18", "mixed-types"), (#""internal" in user.tags"#, "mixed-types"),
    ("user.age + 1 > 18", "mixed-types"), ("user.age > user.visits", "mixed-types"),
    ("!user.trial", "mixed-types"), ("user.trial && user.visits > 3", "mixed-types"),
    ("size(user.tags) > 1", "mixed-types"), (#"user.tags.contains("a")"#, "mixed-types"),
    (#"user.address.city == "Berlin""#, "mixed-types"),
    ("user.seed < 50", "missing-matches"), ("device.daysSinceInstall < 3", "missing-matches"),
    (#"device.subscriptionStatus != "ACTIVE""#, "missing-matches"),
    ("user.isLoggedIn == false", "missing-matches"), ("params.price < 5", "missing-matches"),
    (#"user.plan != "pro""#, "missing-matches"), ("!user.vip", "missing-matches"),
  ])
  func learnedSchemas(_ condition: String, code: String) throws {
    #expect(try codes(condition, schema: Self.learned).contains(code))
  }

  @Test(arguments: [
    "user.visits < 3", #"user.plan == "pro""#, #"device.localDate < "2026-02-01""#,
    #"device.appVersionPadded < "003.000.000""#, "has(user.age)", "user.visits + 1 > 18",
    "has(user.address)",
  ])
  func plainWithLearnedSchema(_ condition: String) throws {
    #expect(try codes(condition, schema: Self.learned).isEmpty)
  }

  /// A schema may say that some users lack an attribute.
  @Test func optionalTypes() throws {
    let schema = #"{"user": {"vip": "bool?", "visits": {"type": "int", "required": true}}}"#
    #expect(try codes("user.vip == false", schema: schema) == ["missing-matches"])
    #expect(try codes("user.visits < 3", schema: schema) == [])
  }

  private func codes(of conditions: String...) throws -> [String] {
    let rules = conditions.enumerated().map { rule(when: $1, id: "e\($0)") }
    let json = Array(superwall(rules.joined(separator: ",")).utf8)
    let config = try #require(Config.decode(json).output)
    var check = ConfigCheck([])
    check.lint(config, json: json, language: .standard)
    return check.diagnostics.filter { $0.severity != .note }.map(\.code.rawValue)
  }

  @Test func spellingsByUse() throws {
    #expect(
      try codes(of: #"user.plan == "a""#, #"user.plan == "b""#, #"user.plna == "c""#)
        == ["unknown-attribute"])
    #expect(try codes(of: #"user.plan == "Pro""#, #"user.plan == "pro""#) == ["value-spelling"])
    #expect(
      try codes(
        of: #"user.plan == "premium""#, #"user.plan == "premium" "#, #"user.plan == "premuim""#)
        == ["value-spelling"])
    #expect(try codes(of: #"user.plan == "Pro" || user.plan == "pro""#) == [])
    #expect(
      try codes(
        of: "user.session == 1", "user.sessions == 1", "user.step1 == 2", "user.step2 == 2") == [])
    #expect(try codes(of: "user.trial_start == 1", "user.trial_started == true") == [])
    #expect(try codes(of: "user.step12 == 1", "user.step21 == 1") == [])
    let plans = [#"user.plan == "free""#, #"user.plan == "pro""#]
    #expect(try codes(of: plans[0], plans[1], #"user.plans == "free""#) == ["unknown-attribute"])
    #expect(try codes(of: plans[0], plans[1], "user.plans == 3") == [])
    #expect(
      try codes(of: plans[0], plans[1], #"has(user.plann) && user.plann == "x""#)
        == ["unknown-attribute"])
    #expect(
      try codes(of: #"user.quiz_a == "x""#, #"user.quiz_a == "y""#, #"user.quiz_b == "x""#) == [])
    #expect(
      try codes(of: #"device.daysSince("export_png") > 3"#, #"device.daysSince("export_pdf") > 3"#)
        == [])
  }
}
