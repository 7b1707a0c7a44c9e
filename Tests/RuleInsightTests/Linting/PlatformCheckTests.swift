import Expressions
import RuleEngine
import RuleInsight
import Testing

/// Where platforms decide differently, a user shows it.
@Suite("Check for all platforms")
struct PlatformCheckTests {
  private func check(_ rules: String...) throws -> PlatformCheck {
    let json = Array(superwall(rules.joined(separator: ",")).utf8)
    let decoded = Config.decode(json)
    return PlatformCheck(
      try #require(decoded.output), json: json, decoded: decoded.diagnostics,
      schema: ContextSchema(), now: 1_770_000_000_000)
  }

  /// By platform, the audience that takes a user, decided as any other user is.
  private func taken(_ record: Value, _ rules: [String]) throws -> [Platform: Int] {
    let json = Array(superwall(rules.joined(separator: ",")).utf8)
    let config = try #require(Config.decode(json).output)
    var taken: [Platform: Int] = [:]
    for platform in Platform.allCases {
      let rules = try #require(
        RuleSet.compile(config, language: .superscript(SDKProfile(platform))).output)
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: 1_770_000_000_000))
      try reader.read(json: Array(record.json.utf8), into: &frame)
      let steps = rules.steps(
        "p", frame: &frame, state: reader.state(now: 1_770_000_000_000))
      taken[platform] = steps.firstIndex { $0.reason == .matched }
    }
    return taken
  }

  private func differences(_ check: PlatformCheck) -> [Diagnostic] {
    check.diagnostics.filter { $0.code == .platformDifference && $0.severity == .warning }
  }

  /// has() of null, whatever stands around it, behind which audience it ever comes.
  @Test(arguments: [
    ["has(user.nick)"], [#"has(user.nick) && user.plan == "free""#],
    [#"(user.a == 1 || has(user.nick)) && user.plan == "free""#],
    [#"user.plan == "pro""#, #"!has(user.nick) && user.goal == "sleep""#],
    ["!has(user.nick) && user.age > 20"], ["user.name"],
  ])
  func hits(_ conditions: [String]) throws {
    let rules = conditions.enumerated().map { rule(when: $1, id: "e\($0)") }
    let json = Array(superwall(rules.joined(separator: ",")).utf8)
    let decoded = Config.decode(json)
    let check = PlatformCheck(
      try #require(decoded.output), json: json, decoded: decoded.diagnostics,
      schema: ContextSchema(), now: 1_770_000_000_000)
    let found = differences(check)
    #expect(!found.isEmpty)
    for finding in found {
      let witness = try #require(check.witness(for: finding))
      let decided = try taken(witness, rules)
      let outcomes = Platform.allCases.map { decided[$0] }
      #expect(Set(outcomes).count > 1, "\(witness.json)")
      #expect(finding.notes.first?.contains(witness.json) == true)
      let number = outcomes.compactMap { $0 }.min() ?? -1
      #expect(finding.path == "trigger_options[0].rules[\(number)]")
    }
  }

  @Test(arguments: [
    [#"user.plan == "free""#], [#"user.plan == "free" && user.age >= 18"#],
    [#"user.plan == "pro""#, #"user.plan == "free""#], ["true"],
  ])
  func none(_ conditions: [String]) throws {
    let rules = conditions.enumerated().map { rule(when: $1, id: "e\($0)") }
    let check = try check(rules.joined(separator: ","))
    #expect(differences(check).isEmpty, "\(differences(check).map(\.notes))")
  }

  /// Android reads whole numbers below 0 as very large ones, and the Web reads strings of digits as numbers. Few users
  /// have such an age, so that is one note.
  @Test func unusualValues() throws {
    let check = try check(
      rule(when: #"user.plan == "free" && user.age >= 18"#),
      rule(when: #"user.plan == "pro" && user.visits >= 18"#, id: "f"))
    let found = check.diagnostics.filter { $0.code == .platformDifference }
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.message.contains("2 audiences") == true)
    #expect(found.first?.related.map(\.path) == ["trigger_options[0].rules[1]"])
    let witness = try #require(found.first.flatMap { check.witness(for: $0) })
    #expect(witness["user"]?["age"] == "inf")
  }

  /// What only some platforms say tells which; what all say is told once.
  @Test func messagesOfSome() throws {
    let check = try check(
      rule(when: "device.yearsSince('app_open') > 1 && user.age >= 18 && user.age >= 10"))
    let unknown = check.diagnostics.filter { $0.code == .unknownFunction }
    #expect(unknown.count == 1)
    #expect(unknown.first?.notes.contains("only on android") == true)
    let constant = check.diagnostics.filter { $0.code == .constantClause }
    #expect(constant.count <= 1)
    #expect(check.statistics.questions > 0)
  }

  /// A rule that asks for the platform may know what is so on another one.
  @Test func warningsOfSomeAreNotes() throws {
    let check = try check(
      rule(when: #"device.platform == 'iOS' && device.appVersionPadded >= '004.002.000'"#))
    let order = check.diagnostics.filter { $0.code == .textOrder }
    #expect(order.map(\.severity) == [.note])
    #expect(order.first?.notes.contains("only on web") == true)
  }

  /// A verdict that only some platforms come to is no finding of all.
  @Test func verdicts() throws {
    let check = try check(rule(when: "user.name"), rule(when: "has(user.name)", id: "f"))
    #expect(
      !check.diagnostics.contains {
        $0.code == .unreachableAudience || $0.code == .contradictoryClauses
      })
  }
}
