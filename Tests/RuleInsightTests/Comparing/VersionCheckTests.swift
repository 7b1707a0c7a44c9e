import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import RuleInsight

@Suite struct VersionCheckTests {
  private func check(_ condition: String, placement: String = "p", _ range: String) throws
    -> [Diagnostic]
  {
    let text = #"""
      {"build_id": "b", "trigger_options": [{"event_name": "\#(placement)", "rules": [{
        "experiment_id": "e", "experiment_group_id": "g", "expression_cel": "\#(condition)",
        "variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                      "paywall_identifier": "a"}], "preload": {"behavior": "ALWAYS"}}]}],
       "paywall_responses": [{"id": "1", "identifier": "a"}]}
      """#
    let config = try #require(Config.decode(text.utf8).output)
    let range = try #require(VersionCheck.Range(range))
    return VersionCheck(config, [range], schema: ContextSchema(), now: 1_772_366_400_000)
      .diagnostics
  }

  /// Strings of digits are what versions read differently, so they are no unusual values here.
  @Test(arguments: [
    ("user.age > 18", "ios:4.11.0.."), ("user.age > 18", "android:2.6.0.."),
    (#"device.appVersionPadded >= \"009.000\""#, "ios:4.7.0.."),
    (#"user.accountId != \"12345\""#, "ios:4.11.0..4.12.0"),
  ])
  func reportsWhatDependsOnTheVersion(_ condition: String, _ range: String) throws {
    let found = try check(condition, range)
    #expect(found.contains { $0.code == .versionDifference && $0.severity == .warning }, "\(found)")
    #expect(found.contains { !$0.notes.isEmpty })
  }

  @Test(arguments: [
    (#"user.plan == \"free\""#, "ios:4.7.0.."), ("user.premium == true", "android:2.4.0.."),
    // One behavior from end to end.
    ("user.age > 18", "ios:4.13.0..4.16.0"),
  ])
  func findsNothingWhereVersionsAgree(_ condition: String, _ range: String) throws {
    let found = try check(condition, range).filter { $0.severity != .note }
    #expect(found.isEmpty, "\(found)")
  }

  /// Configs have placements for events of the SDK, which no app registers.
  @Test func eventsOfTheSDKArePlacements() throws {
    for name in ["session_start", "paywall_decline", "transaction_abandon"] {
      #expect(try check("true", placement: name, "ios:4.7.0..").isEmpty, "\(name)")
    }
    let taken = try check("true", placement: "stripeCheckout_start", "ios:4.7.0..")
    #expect(taken.first?.message.contains("from 4.14.0 on") == true, "\(taken)")
  }

  @Test(arguments: [
    "ios:9..1", "ios:4.7", "windows:1..", "ios:x..", "", "ios:..4", "agentWallie:1..",
  ])
  func rejectsOtherRanges(_ text: String) {
    #expect(VersionCheck.Range(text) == nil)
  }
}
