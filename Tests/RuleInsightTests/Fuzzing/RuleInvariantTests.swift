import Expressions
import RuleEngine
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What a line of a file of invariants may be, and what is said of those that it may not.
@Suite struct RuleInvariantTests {
  private func fault(_ json: String) throws -> String {
    do throws(RuleExpectation.Fault) {
      let read = try RuleInvariant((try? Value.parse(json: json.utf8)) ?? .null)
      return "\(read)"
    } catch {
      return error.message
    }
  }

  @Test func lines() throws {
    let read = try RuleInvariant(
      Value.parse(
        json: #"{"name":"n","placement":"p","when":"true","holds":"false","over":"history"}"#.utf8))
    #expect(
      read
        == RuleInvariant(name: "n", placement: "p", when: "true", holds: "false", span: .history))
    let short = try RuleInvariant(["holds": "true", "when": .null])
    #expect(short.name == "true")
    #expect(short.span == .decision)
  }

  @Test(arguments: [
    (#"[]"#, "an invariant must be a JSON object"), (#"{"name":"n"}"#, "'holds' is missing"),
    (#"{"hold":"true"}"#, "no key 'hold'; did you mean 'holds'?"),
    (#"{"holds":""}"#, "'holds' must be a string that is not empty"),
    (#"{"holds":true}"#, "'holds' must be a string"),
    (#"{"holds":"true","over":"decisions"}"#, "did you mean 'decision'?"),
    (#"{"holds":"true","over":7}"#, "'over' must be a string"),
  ])
  func faults(json: String, message: String) throws {
    let said = try fault(json)
    #expect(said.contains(message), "\(said)")
  }

  @Test(arguments: [
    ("usr.age > 3", RuleInvariant.Span.decision, "user"),
    ("outcome.paywal == \"x\"", .decision, "did you mean 'outcome.paywall'?"),
    ("outcome.text == \"x\"", .decision, "it has placement"),
    ("shown.size() > 1", .decision, "\"over\":\"history\""),
    ("outcome.result == \"x\"", .history, "'shown'"), ("1 +", .decision, ""),
  ])
  func expressions(source: String, span: RuleInvariant.Span, suggestion: String) throws {
    let found = RuleInvariant(name: "n", holds: source, span: span).diagnostics()
    let first = try #require(found.first)
    #expect(first.key == "holds")
    #expect(first.source == source)
    let said = first.diagnostic.message + (first.diagnostic.suggestion ?? "")
    #expect(said.contains(suggestion), "\(said)")
  }

  @Test func rightOnes() {
    for (source, span) in [
      ("now < \"2030\" && entitlements.size() == 0 && outcome.audience == 1", .decision),
      ("shown.all(s, s.result != \"paywall\" || user.age > 3)", .history),
    ] as [(String, RuleInvariant.Span)] {
      #expect(RuleInvariant(name: "n", holds: source, span: span).diagnostics().isEmpty)
    }
  }

  /// What stands beside attributes is read as them where they are missing, as rules read it.
  @Test func contextsOfUsers() throws {
    let now = try WireTime.instant("2026-03-01T12:00:00Z")
    func context(_ record: Value, _ format: Config.Format) -> Value {
      .map(InvariantJudge.context(record, HistoryClock(now: now), format, on: nil))
    }
    let record: Value = [
      "userId": "u", "subscriptionStatus": "ACTIVE", "entitlements": ["pro"], "params": .null,
    ]
    let superwall = context(record, .superwall)
    #expect(superwall["device"]?["subscriptionStatus"] == "ACTIVE")
    #expect(superwall["entitlements"] == ["pro"])
    #expect(superwall["now"] == "2026-03-01T12:00:00Z")
    #expect(superwall["params"] == .map([]))
    for format in [Config.Format.superwall, .agentWallie] {
      let names = UserMember.attributes(hasUserID: format == .agentWallie)
      let hasID = names.contains { $0.0 == .userID }
      #expect(hasID == (format == .agentWallie))
      for (member, root, name) in names where member == .userID {
        #expect(context(record, format)[root.key]?[name] == "u")
      }
      if !hasID { #expect(context(record, format)["user"] == .map([])) }
      let own = context(
        ["subscriptionStatus": "ACTIVE", "device": ["subscriptionStatus": "INACTIVE"]], format)
      #expect(own["device"]?["subscriptionStatus"] == "INACTIVE")
      let null = context(
        ["subscriptionStatus": "ACTIVE", "device": ["subscriptionStatus": .null]], format)
      #expect(null["device"]?["subscriptionStatus"] == "ACTIVE")
    }
  }
}
