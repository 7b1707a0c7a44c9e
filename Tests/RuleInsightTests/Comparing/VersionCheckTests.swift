import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import RuleInsight

@Suite struct VersionCheckTests {
  private func check(
    _ condition: String, placement: String = "p", _ range: String, rule: String? = nil
  ) throws -> [Diagnostic] {
    let rule = rule ?? #""expression_cel": "\#(condition)""#
    let text = #"""
      {"build_id": "b", "trigger_options": [{"event_name": "\#(placement)", "rules": [{
        "experiment_id": "e", "experiment_group_id": "g", \#(rule),
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
    // Neither version's analysis needs a zero as a string.
    ("user.fontSize != 0", "android:2.0.7.."),
  ])
  func reportsWhatDependsOnTheVersion(_ condition: String, _ range: String) throws {
    let found = try check(condition, range)
    #expect(found.contains { $0.code == .versionDifference && $0.severity == .warning }, "\(found)")
    #expect(found.contains { !$0.notes.isEmpty })
  }

  /// The SDK sends this attribute as a number, so a string is rare.
  @Test func findsStringsOfDigitsThatNoVersionAsksFor() throws {
    let found = try check("device.fontSize != 0", "android:2.0.7..")
    #expect(found.contains { $0.code == .versionDifference && $0.severity == .note }, "\(found)")
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

  /// The example is a user that an app can have, and not one whose age is "-inf".
  @Test(arguments: ["user.age < 18", "user.a == 1 && user.sessions >= 45", "user.age > 18"])
  func examplesAreOrdinary(_ condition: String) throws {
    let found = try check(condition, "ios:4.7.0..").filter { $0.code == .versionDifference }
    #expect(found.map(\.severity) == [.warning])
    let notes = found.flatMap(\.notes).joined()
    #expect(!notes.contains("inf") && !notes.contains("nan"), "\(notes)")
  }

  /// A condition that asks for an attribute itself is not made to ask twice.
  @Test func formsKeepGuards() throws {
    let found = try check("has(user.age) ? user.age > 18 : false", "ios:4.11.0..")
    #expect(
      found.compactMap(\.suggestion).contains {
        $0.hasSuffix(": has(user.age) ? double(user.age) > 18.0 : false")
      }, "\(found)")
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

  /// Each kind of finding in a range that has it, and in one that begins or ends just beside.
  @Test(arguments: [
    (
      #""expression_cel": "device.fontScale > 1.0""#, "ios:4.16.1..", "ios:4.16.2..4.16.4",
      "sent since"
    ),
    (
      #""expression_cel": "device.deviceTier == 'high'""#, "android:2.2.1..",
      "android:2.2.2..2.3.3", "sent since"
    ),
    (
      #""expression_cel": "device.placementsInDay('x') > 1""#, "android:2.3.1..",
      "android:2.3.2..2.3.3",
      "exists since"
    ),
    (
      #""expression_cel": "true", "computed_properties": [{"type": "PLACEMENTS_IN_DAY", "event_name": "x"}]"#,
      "android:2.5.0..", "android:2.5.1..", "reject the whole config"
    ),
    (
      #""expression_cel": "1 / user.d > 2""#, "ios:4.13.0..", "ios:4.16.2..",
      "crashes the app for some users"
    ),
    (
      #""expression_cel": "user.a == 0x10""#, "ios:4.16.1..", "ios:4.16.2..",
      "reading the expression crashes the app"
    ),
    (
      #""expression_cel": "user.a == 0x10""#, "android:2.7.19..", "android:2.7.20..",
      "reading the expression crashes the app"
    ),
    (
      #""expression_cel": "user.a == 1""#, "ios:3.12.5..", "ios:4.0.0..",
      "do not read expression_cel"
    ),
    (#""expression_js": "true""#, "ios:4.0.0..", "ios:3.0.0..3.12.5", "do not read JavaScript"),
    (
      #""expression_js": "true", "expression_cel": "true""#, "android:1.5.5..", "android:2.0.0..",
      "undecidable here"
    ),
  ])
  func findsEachKindInItsRange(_ rule: String, _ range: String, _ other: String, _ text: String)
    throws
  {
    let found = try check("", range, rule: rule)
    #expect(found.contains { $0.message.contains(text) }, "\(found)")
    let beside = try check("", other, rule: rule)
    #expect(!beside.contains { $0.message.contains(text) }, "\(beside)")
  }

  /// Where a form is suggested, all versions of the range decide it alike for any user.
  @Test(arguments: [
    ("user.age > 18", "ios:4.0.1..", true), ("user.age > 18", "android:2.0.2..", true),
    ("user.age <= 18.5", "ios:4.7.0..", true), ("18 < user.age", "ios:4.7.0..", false),
    ("device.appBuildString == '1042'", "ios:4.7.0..", true),
    ("user.plan != 'pro' && user.visits >= 3", "ios:4.0.1..", true),
    // The behavior raw does not read "true" as a boolean.
    ("params.x == true", "android:2.0.2..", false),
    ("user.zip.startsWith('0')", "ios:4.7.0..", false),
    ("device.fontScale > 1.0", "ios:4.7.0..", false),
    ("device.appVersionPadded >= '009.000'", "ios:4.7.0..", false),
    ("user.zip == '01234'", "ios:4.7.0..", false),
    ("user.t5 > 0 && user.t5 != 'zz'", "ios:4.0.1..", true),
  ])
  func suggestedFormsAreStable(_ condition: String, _ text: String, _ hasForm: Bool) throws {
    let prefix = "all these versions give the same result for: "
    let suggestion = try check(condition, text).compactMap(\.suggestion)
      .first { $0.hasPrefix(prefix) }
    #expect((suggestion != nil) == hasForm, "\(suggestion ?? "none")")
    guard let form = suggestion?.dropFirst(prefix.count) else { return }
    let range = try #require(VersionCheck.Range(text))
    let audience = Audience(index: 0, experimentID: "e", expression: String(form))
    let family = RuleSetFamily(
      Config(placements: [Placement(name: "p", audiences: [audience])]))
    let packagings = range.sdk == .ios ? SDKProfile.Packaging.allCases : [.swiftPM]
    let deciders = packagings.flatMap { packaging in
      ([range.from] + SDKProfile.changes(of: range.sdk, packaging).filter { $0 > range.from }).map {
        WitnessDecider(
          family.ruleSet(for: SDKProfile(range.sdk, $0, packaging)), now: 1_772_366_400_000)
      }
    }
    var random = SplitMix(seed: 7)
    let values: [Value] = [
      "25", 25, "5", "abc", "", "true", true, .null, "1042", "007", "4.0", 25.5, "25.5", -3, " 7",
      "1e3",
      "nan", "inf", "18446744073709551616", .list([1]), .map([]), "009.000", "010.001.002", "9",
      "zz", "pro",
    ]
    let names = [
      "user": ["age", "visits", "plan", "t5"], "device": ["appBuildString", "fontScale"],
      "params": ["x"],
    ]
    for _ in 0..<Extent.count(2_000, or: 200) {
      var user: Value = ["userId": "u"]
      for (root, members) in names {
        for name in members where random.next() % 3 != 0 {
          user = user.setting([root, name], to: values[Int(random.next() % UInt64(values.count))])
        }
      }
      let outcomes = Set(
        deciders.map { decider -> String in
          guard let state = decider.read(user) else { return "" }
          return decider.ruleSet.decide(
            "p", frame: &decider.frame, state: state, assigner: .draw(0)
          ).outcome.code
        })
      #expect(outcomes.count == 1, "\(form) \(user.json) \(outcomes)")
      if outcomes.count != 1 { return }
    }
  }
}
