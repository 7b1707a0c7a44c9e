import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What the kinds and names of attributes say about conditions.
@Suite struct TypeLintTests {
  private func found(
    _ condition: String, language: RuleLanguage = .standard, schema: String = "{}"
  ) throws -> [String] {
    let json = superwall(rule(when: condition))
    let config = try #require(Config.decode(Array(json.utf8)).output)
    let schema = ContextSchema.decode(Array(schema.utf8))
    #expect(schema.diagnostics.isEmpty)
    var check = ConfigCheck(RuleSet.compile(config, language: language).diagnostics)
    check.lint(
      config, json: Array(json.utf8), language: language, schema: try #require(schema.output))
    #expect(
      check.diagnostics.allSatisfy { $0.path == "trigger_options[0].rules[0].expression_cel" })
    return check.diagnostics.map(\.code.rawValue)
  }

  /// Conditions with one fault, in superscript.
  @Test(arguments: [
    ("device.daysSinceInstall == 'three'", "type-error"),
    ("'three' != device.daysSinceInstall", "type-error"),
    ("device.daysSinceInstall in ['1', '2']", "type-error"),
    ("device.deviceModel > 5", "type-error"),
    ("device.activeEntitlements == 'pro'", "type-error"),
    ("device.activeEntitlements > 3", "type-error"),
    ("3 in device.activeEntitlements", "type-error"),
    ("'pro' in device.totalPaywallViews", "type-error"),
    ("device.totalPaywallViews.contains('3')", "type-error"),
    ("device.totalPaywallViews.startsWith('3')", "type-error"),
    ("device.appVersion.startsWith(3)", "type-error"),
    ("device.isSandbox.startsWith('t')", "type-error"),
    ("device.appVersion.exists(c, c == '3')", "type-error"),
    ("size(device.daysSinceInstall) > 3", "type-error"),
    ("device.appVersion - 1 > 3", "type-error"),
    ("device.appVersion + 1 == 3", "type-error"),
    ("computed.daysSince('x') == 'never'", "type-error"),
    ("int(device.activeEntitlements) > 3", "type-error"),
    ("device.appVersion.int() == 'x'", "type-error"),
    ("duration(device.daysSinceInstall) > duration('1h')", "type-error"),
    ("device.daysSinceInstall.filter(d, d > 1).exists(d, d > 2)", "type-error"),
    ("timestamp(user.until) > '2026-01-01'", "type-error"),
    ("'free'", "type-error"), ("device.platform", "type-error"), ("1 + 2", "type-error"),
    ("user.a ? 'x' : 'y'", "type-error"), ("user.a + 'x'", "type-error"),
    ("user.a - 1", "type-error"), ("user.a + 1 == 'x'", "type-error"),
    ("device.platform && user.a == 1", "never-bool"),
    ("!device.totalPaywallViews", "never-bool"),
    ("user.a == 1 || device.appVersion", "never-bool"),
    ("device.platform == 'ANDROID'", "value-not-in-enum"),
    ("device.platform != 'ios'", "value-not-in-enum"),
    ("device.platform in ['iOS', 'android']", "value-not-in-enum"),
    ("'active' == device.subscriptionStatus", "value-not-in-enum"),
    ("device.subscriptionStatus == 'SUBSCRIBED'", "value-not-in-enum"),
    ("device.regionCode == 'us'", "value-not-in-enum"),
    ("device.deviceLanguageCode in ['en', 'DE']", "value-not-in-enum"),
    ("device.regionCode != 'Germany'", "value-not-in-enum"),
    ("device.deviceCurrencyCode == 'usd'", "value-not-in-enum"),
    ("device.platform.contains('android')", "value-not-in-enum"),
    ("device.platform.startsWith('ios')", "value-not-in-enum"),
    ("device.regionCod == 'US'", "unknown-attribute"),
    ("device.region_code == 'US'", "unknown-attribute"),
    ("device.daysSinceinstall > 3", "unknown-attribute"),
    ("user.isLogedIn == true", "unknown-attribute"),
    ("computed.daysSince_x > 3", "unknown-attribute"),
    ("device.country == 'US'", "unknown-attribute"),
    ("user.email.endsWith('.edu')", "may-be-missing"),
    ("user.email != 'a' && user.email.matches('x')", "may-be-missing"),
    ("params.tags.startsWith('x')", "may-be-missing"),
    ("size(user.roles) > 2", "may-be-missing"),
    ("has(user.a) && user.email.endsWith('.edu')", "may-be-missing"),
    ("has(user.email) || user.email.endsWith('.edu')", "may-be-missing"),
    ("has(user.email) ? false : user.email.endsWith('.edu')", "may-be-missing"),
  ])
  func faults(condition: String, code: String) throws {
    #expect(try found(condition) == [code])
  }

  /// Conditions as people write them, without any.
  @Test(arguments: [
    "device.daysSinceInstall == '3'", "device.daysSinceInstall == 3.0",
    "device.isSandbox == true", "device.isSandbox == 'true'", "device.isSandbox",
    "!device.isSandbox && user.isLoggedIn", "user.plan", "user.vip || user.beta",
    "device.platform == 'iOS' ? device.daysSinceInstall > 3 : user.vip",
    "device.platform == ''", "device.daysSinceLastPaywallView == ''", "user.seed < 50",
    "user.plan == 3 && user.plan == 'x'", "user.age > 18 && user.age == '3'",
    "device.daysSinceLastPaywallView == null", "device.regionCode in ['US', '419']",
    "device.deviceLocale == 'en_US'", "device.deviceLanguageCode == 'zh-Hans'",
    "device.platform.contains('OS')", "device.deviceLanguageCode in ['en', 'fil']",
    "user.plan in ['free', 'pro']", "'x' in user.roles",
    "user.email.contains('x')", "has(user.email) && user.email.endsWith('x')",
    "has(user.email) ? user.email.endsWith('x') : false",
    "!has(user.email) || user.email.endsWith('x')",
    "!has(user.email) ? true : user.email.endsWith('x')",
    "user.email != null && user.email.endsWith('x')",
    "user.email != '' && user.email.endsWith('x')",
    "user.email == '' || user.email.endsWith('x')",
    "(has(user.email) ? user.email.endsWith('x') : false) && user.email.startsWith('y')",
    "user.email.contains('@') && user.email.endsWith('x')",
    "'email' in user && user.email.endsWith('x')",
    "device.deviceModel.startsWith('iPad') || device.appVersion.contains('beta')",
    "size(device.activeEntitlements) == 0", "device.activeEntitlements.exists(e, e == 'pro')",
    "user.roles.exists(r, r.startsWith('x'))", "user['plan'] == 'x'",
    "timestamp(user.until) > timestamp('2026-01-01T00:00:00Z')",
    "user.since + 5 > 3 && user.a - user.b > 0",
    "device.totalPaywallViews * 4 < user.totalSessions",
    "device.daysSince('x') > 3 && computed.placementsInDay('x') >= 2",
    "params.event_name == 'x' && params.goals == 'y'", "device.capabilities.contains('x')",
    "device.geo.city == 'Paris'", "user.weight > 3 && user.height > 4",
    "user.step1 == 1 && user.step2 == 1",
    "boolToString(user.flag) == 'true'", "max(user.a, 3) > 2", "device.appVersion.int() > 3",
    "user.maybe(int(user.a), 0) > 3", "hasFn('device.daysSince')",
  ])
  func clean(condition: String) throws {
    #expect(try found(condition).isEmpty)
  }

  @Test(arguments: [
    ("device.daysSinceInstall == 'three'", "type-error"),
    ("device.daysSinceInstall == '3'", "type-error"),
    ("device.platform && user.a == 1", "type-error"),
    ("'a' in device.appVersion", "type-error"),
    ("user.email.contains('x')", "may-be-missing"),
    ("user.email.lowerAscii() == 'x'", "may-be-missing"),
    ("device.activeEntitlements.contains('pro')", "type-error"),
    ("device.appVersion.charAt('0') == '3'", "type-error"),
    ("device.daysSinceInstall.lowerAscii() == 'x'", "type-error"),
    ("device.appVersion.split('.') == '3'", "type-error"),
    ("3 in device.appVersion.split('.')", "type-error"),
    ("device.appVersion.indexOf('.') == 'x'", "type-error"),
    ("math.abs(device.appVersion) > 3.0", "type-error"),
    ("size(device.daysSinceInstall) > 3", "type-error"),
    ("matches(device.daysSinceInstall, '3')", "type-error"),
    ("device.appVersion.getFullYear() > 2025", "type-error"),
    ("timestamp(user.until).addDays('3') > timestamp(params.now)", "type-error"),
    ("timestamp(user.until).daysUntil(timestamp(params.now)) == 'x'", "type-error"),
    ("device.activeEntitlements.exists(e, 3)", "type-error"),
    ("device.appVersion.trim()", "type-error"),
  ])
  func faultsInCEL(condition: String, code: String) throws {
    #expect(try found(condition, language: .cel) == [code])
  }

  /// What functions take and return in CEL, where nothing is wrong.
  @Test(arguments: [
    "timestamp(user.until).addDays(3) > timestamp(params.now)", "math.greatest(user.a, 3) > 2",
    "[1, 2].map(x, x * 2).exists(y, y > 2)", "{'a': user.a}.?a.orValue(2) > 1",
    "optional.none().or(user.other).hasValue()", "device.appVersion.split('.').size() == 3",
    "has(user.email) && user.email.lowerAscii() == 'x'", "size(device.appVersion) > 3",
    "version(device.appVersion) > version('3.1')", "ip(user.ip).isLoopback()",
    "device.activeEntitlements.sort() == ['a', 'b']", "cel.bind(x, user.a + 1, x > 3)",
    "device.activeEntitlements.join(',').contains('pro')", "math.abs(user.a - 3) < 2",
    "string(device.daysSinceInstall) == '3'", "type(user.a) == int",
  ])
  func cleanInCEL(condition: String) throws {
    #expect(try found(condition, language: .cel).isEmpty)
  }

  /// A method that is no test cannot be put behind one; a string that is a time is made one.
  @Test func suggestionsInCEL() {
    func suggestions(_ condition: String) -> [String?] {
      checked(superwall(rule(when: condition)), language: .cel).map(\.suggestion)
    }
    #expect(
      suggestions("user.email.lowerAscii() == 'x'") == ["write has(user.email) ? ... : false"])
    #expect(
      suggestions("device.appVersion.getFullYear() > 2025")
        == ["write timestamp(device.appVersion)"])
  }

  /// In a record, the attributes that a schema calls times are strings.
  @Test func timesOfRecordsAreStrings() throws {
    let schema =
      #"{"user": {"until": {"type": "timestamp", "required": true}, "age": {"type": "int", "required": true}}}"#
    for condition in [
      "user.until.startsWith('2026')", "timestamp(user.until).getFullYear() > 2025",
      "date(user.until) < timestamp('2026-03-01T00:00:00Z')",
    ] {
      #expect(try found(condition, language: .cel, schema: schema).isEmpty, "\(condition)")
    }
    #expect(
      try found("date(user.age) < date('2026-03-01')", language: .cel, schema: schema)
        == ["type-error"])
  }

  /// What is called an error with literals is one when it is evaluated.
  @Test(arguments: [RuleLanguage.cel, .superscript(.ios), .superscript(.android)])
  func alarmsAreTrue(language: RuleLanguage) throws {
    let literals = ["true", "3", "1.5", "'a'", "[1]", "['a']", "{'a': 1}"]
    var generator = SplitMix(seed: 5)
    var alarms = 0
    for entry in FunctionReference.entries
    where entry.isKnown(in: language) && entry.page.family != .history {
      for signature in entry.page.signatures
      where !signature.operands.contains(where: \.isName) {
        for _ in 0..<Extent.count(60, or: 6) {
          let operands = signature.operands.map { _ in
            "(\(literals.randomElement(using: &generator) ?? ""))"
          }
          let arguments = operands.dropFirst(signature.isMethod ? 1 : 0).joined(separator: ", ")
          let call =
            (signature.isMethod ? "\(operands[0])." : "") + "\(signature.name)(\(arguments))"
          let isAlarmed = try found("[\(call)].exists(x, true)", language: language)
            .contains("type-error")
          guard isAlarmed else { continue }
          alarms += 1
          // That holds for superscript's contains(), which is false for what cannot contain anything.
          if entry.name == "contains", language != .cel { continue }
          let program = try #require(language.environment().compile(call).output)
          #expect(throws: EvaluationError.self, "\(call)") {
            try program.evaluate(["user": [:], "device": [:]])
          }
        }
      }
    }
    #expect(alarms > 20)
  }

  /// What a schema says is right, also against what SDKs send.
  @Test func schemas() throws {
    let schema = """
      {"user": {"age": "int", "plan": {"enum": ["free", "pro"]}, "roles": {"list": "string"},
       "email": {"type": "string", "required": true}}, "device": {"platform": "string"}}
      """
    #expect(try found("user.age == 'old'", schema: schema) == ["type-error"])
    #expect(try found("user.plan == 'premium'", schema: schema) == ["value-not-in-enum"])
    #expect(try found("user.roles.exists(r, r == 'x')", schema: schema).isEmpty)
    #expect(try found("3 in user.roles", schema: schema) == ["type-error"])
    #expect(try found("user.email.endsWith('x')", schema: schema).isEmpty)
    #expect(try found("user.agee > 3", schema: schema) == ["unknown-attribute"])
    #expect(try found("device.platform == 'ANDROID'", schema: schema).isEmpty)
  }

  @Test(arguments: [
    ("[]", "decode-failure"), ("{\"user\": 3}", "decode-failure"), ("{\"usr\": {}}", "unknown-key"),
    ("{\"user\": {\"a\": \"strng\"}}", "decode-failure"),
    ("{\"user\": {\"a\": 3}}", "decode-failure"),
    ("{\"user\": {", "decode-failure"),
  ])
  func schemasWithFaults(json: String, code: String) {
    #expect(ContextSchema.decode(Array(json.utf8)).diagnostics.map(\.code.rawValue) == [code])
  }

  /// A name that is spelt one way many times and another way once.
  @Test func namesFromUse() {
    let rules = (0..<5).map { rule(when: "user.totalSessions > \($0)", id: "e\($0)") }
    let odd = rule(when: "user.totalSesions > 9", id: "odd")
    let json = superwall((rules + [odd]).joined(separator: ","))
    let found = checked(json)
    #expect(found.map(\.code) == [.unknownAttribute])
    #expect(found.first?.path == "trigger_options[0].rules[5].expression_cel")
    #expect(found.first?.suggestion == "did you mean 'user.totalSessions'?")
    #expect(found.first?.fix?.isSafe == false)
    // Of two that are both rare nobody knows which is right; plurals are words of their own.
    #expect(checked(superwall(rules[0], odd)).isEmpty)
    let plural = rule(when: "user.totalSession > 9", id: "odd")
    #expect(checked(superwall((rules + [plural]).joined(separator: ","))).isEmpty)
  }

  /// Only where the name itself stands can it be mended.
  @Test func namesWithinPaths() throws {
    let name = checked(superwall(rule(when: "device.regionCod == 'US'")))
    #expect(name.map(\.code) == [.unknownAttribute])
    let edit = try #require(name[0].fix?.edits.first)
    #expect(edit.text == "regionCode" && edit.range == SourceRange(from: 7, to: 16))
    let within = checked(superwall(rule(when: "device.regionCod.x == 1")))
    #expect(within.map(\.code) == [.unknownAttribute])
    #expect(within.allSatisfy { $0.fix == nil })
  }

  /// Superscript's `||` gives one of its operands, and its `&&` true or false.
  @Test func kindsOfLogic() throws {
    #expect(
      try found("(device.deviceModel && device.osVersion) == 'x'").contains("type-error"))
    #expect(
      try !found("(device.deviceModel || device.osVersion) == 'x'").contains("type-error"))
  }

  /// An attribute that nobody sends is one note, however often it is read.
  @Test func unknownAttributesAreOneNote() {
    let rules = (0..<5).map { rule(when: "device.country == 'A\($0)'", id: "e\($0)") }
    let found = checked(superwall(rules.joined(separator: ",")))
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.notes == ["4 more places read it"])
  }

  @Test func fixes() throws {
    func fixed(_ condition: String) throws -> String {
      let fix = try #require(checked(superwall(rule(when: condition))).first?.fix)
      var bytes = Array(condition.utf8)
      for edit in fix.edits.reversed() {
        bytes.replaceSubrange(edit.range.from..<edit.range.to, with: edit.text.utf8)
      }
      return String(decoding: bytes, as: UTF8.self) + (fix.isSafe ? "" : " (?)")
    }
    #expect(try fixed("device.regionCod == 'US'") == "device.regionCode == 'US'")
    #expect(try fixed("device.platform == 'ANDROID'") == #"device.platform == "Android""#)
    #expect(
      try fixed("user.a == 1 && user.email.endsWith('x')")
        == "user.a == 1 && (has(user.email) ? user.email.endsWith('x') : false)")
    // Where another operand can still be true, an error that becomes false changes the answer.
    #expect(
      try fixed("user.email.endsWith('x') || user.a == 1")
        == "(has(user.email) ? user.email.endsWith('x') : false) || user.a == 1 (?)")
  }

  /// Filters of AgentWallie's.
  @Test(arguments: [
    (#"{"field":"platform","operator":"is","value":"iOS"}"#, "value-not-in-enum", "value"),
    (
      #"{"field":"device.platform","operator":"in","value":["ios","Android"]}"#,
      "value-not-in-enum", "value[1]"
    ),
    (#"{"field":"user.seed","operator":"is","value":"50"}"#, "type-error", "value"),
    (#"{"field":"device.platform","operator":"gt","value":3}"#, "type-error", "value"),
    (#"{"field":"user.seed","operator":"contains","value":"5"}"#, "type-error", "value"),
    (#"{"field":"device.plattform","operator":"is","value":"ios"}"#, "unknown-attribute", "field"),
    (#"{"field":"usr.plan","operator":"is","value":"free"}"#, "unknown-attribute", "field"),
    (#"{"field":"plan","operator":"is","value":"free"}"#, "unknown-attribute", "field"),
  ])
  func filters(filter: String, code: String, place: String) {
    let found = checked(agentWallie(wallieAudience(filters: filter)))
    #expect(found.map(\.code.rawValue) == [code])
    #expect(found.first?.path == "campaigns[0].audiences[0].filters[0].\(place)")
  }

  @Test(arguments: [
    #"{"field":"user.plan","operator":"is","value":"free"}"#,
    #"{"field":"platform","operator":"is","value":"ios"}"#,
    #"{"field":"user.seed","operator":"lt","value":50}"#,
    #"{"field":"event.params.source","operator":"exists","value":true}"#,
    #"{"field":"user.roles.first","operator":"is","value":3}"#,
  ])
  func cleanFilters(filter: String) {
    #expect(checked(agentWallie(wallieAudience(filters: filter))).isEmpty)
  }
}
