import Expressions
import Pricing
import Testing

@testable import RuleEngine

/// What versions of SDKs decide, and how they are named.
@Suite struct SDKProfileTests {
  // MARK: Versions

  @Test(arguments: [
    ("4.12.5", "4.12.5"), ("4", "4.0.0"), ("4.12", "4.12.0"), ("004.012.005", "4.12.5"),
    ("4.16.0-beta.2", "4.16.0"), ("4.12.5+pods", "4.12.5"), ("v4.12.5", "4.12.5"),
    (" 4.12.5 ", "4.12.5"),
  ])
  func versionsAreRead(_ text: String, _ version: String) {
    #expect(SDKVersion(text)?.description == version)
  }

  @Test(arguments: [
    "", ".", "4.", "4..1", "a", "4.x", "4.1.2.3", "-1", "version 4.1", "vv4.1", "v",
    "4.12345678901", "٤.١",
  ])
  func othersAreNot(_ text: String) {
    #expect(SDKVersion(text) == nil)
  }

  @Test func versionsOrderByTheirNumbers() {
    #expect(SDKVersion(4, 9, 9) < SDKVersion(4, 12, 0))
    #expect(SDKVersion("4.16.0-rc.1") == SDKVersion(4, 16, 0))
  }

  @Test(arguments: [
    "newest", "record", "4.12.5", "4.12.5+pods", "ios=4.12.5,android=2.6.8", "agentwallie=0.4.3",
  ])
  func selectionsAreWrittenAsTheyAreRead(_ text: String) throws {
    #expect(try SDKSelection(text).text == text)
  }

  @Test(arguments: [
    "", "latest", "ios", "ios=", "ios=x", "ios=4.1,ios=4.2", "mac=1.0", "4.1,4.2", "ios=4.1,",
    "4.12.5+pod", "ios=4.12.5+Pods",
  ])
  func otherSelectionsAreRejected(_ text: String) {
    #expect(throws: SDKSelection.Fault.self) { try SDKSelection(text) }
  }

  // MARK: Profiles

  @Test(
    arguments: [
      ("3.12.5", nil, nil), ("4.0.0", .raw, .raw), ("4.6.0", .raw, .raw), ("4.7.0", .numeric, .raw),
      ("4.8.0", .numeric, .raw), ("4.8.1", .numeric, .numeric), ("4.12.0", .skip, .skip),
      ("4.12.9", .text, .skip), ("4.12.11", .text, .skip), ("4.13.0", .text, .text),
      ("9.0.0", .text, .text),
    ] as [(SDKVersion, EvaluatorBehavior?, EvaluatorBehavior?)])
  func podsHaveEvaluatorsOfTheirOwn(
    _ version: SDKVersion, _ package: EvaluatorBehavior?, _ pod: EvaluatorBehavior?
  ) {
    #expect(SDKProfile(.ios, version).behavior == package)
    #expect(SDKProfile(.ios, version, .pods).behavior == pod)
  }

  @Test func theNewestIsAsItWas() {
    #expect(SDKProfile.ios.behavior == .text && !SDKProfile.ios.aborts)
    #expect(SDKProfile.android.behavior == .text && !SDKProfile.android.aborts)
    #expect(SDKProfile.web.behavior == .numeric)
    for platform in Platform.allCases {
      let profile = SDKProfile(platform)
      #expect(profile.hostFunctions() == platform.hostFunctions)
      #expect(profile.binding == platform.binding)
      #expect(profile.sends(attribute: "ipCountry") && profile.priceEra == .exact)
    }
    // What is newer than all that are known is the newest known.
    #expect(SDKProfile(.ios, "99.0.0") == SDKProfile(.ios, "4.19.1"))
  }

  /// An update leaves newer SDKs, other platforms and CocoaPods as they are.
  @Test func updatesFollowTheRecord() throws {
    func updated(_ pair: String, _ json: String) throws -> SDKProfile {
      try SDKSelection.range(pair).new.choice(
        DeviceSDK(device: try Value.parse(json: json.utf8)), usual: .ios
      ).profile
    }
    let old = #"{"platform": "iOS", "sdkVersion": "4.11.2", "platformWrapper": "Expo"}"#
    let android = #"{"platform": "Android", "sdkVersion": "2.6.8"}"#
    let new = #"{"platform": "iOS", "sdkVersion": "4.18.0"}"#
    #expect(try updated("record..4.12.9", old) == SDKProfile(.ios, "4.12.9", .pods))
    #expect(try updated("record..4.12.9", android) == SDKProfile(.android, "2.6.8"))
    #expect(try updated("record..android=2.7.19", android) == SDKProfile(.android, "2.7.19"))
    for target in ["4.12.9", "ios=4.12.9", "newest", ""] {
      #expect(try updated("record..\(target)", new) == SDKProfile(.ios, "4.18.0"))
    }
    #expect(try updated("record..", old) == .ios)
    #expect(try updated("record..", "{}") == .ios)
    #expect(try updated("4.11.2..4.12.9", new) == SDKProfile(.ios, "4.12.9"))
  }

  @Test func recordsSayTheirSDK() throws {
    func choice(_ json: String) throws -> SDKSelection.Choice {
      SDKSelection.record.choice(
        DeviceSDK(device: try Value.parse(json: json.utf8)), usual: .ios)
    }
    #expect(
      try choice(#"{"platform": "Android", "sdkVersion": "2.6.8"}"#).profile
        == SDKProfile(.android, "2.6.8"))
    #expect(
      try choice(#"{"platform": "iOS", "sdkVersion": "4.12.9", "platformWrapper": "Expo"}"#).profile
        == SDKProfile(.ios, "4.12.9", .pods))
    #expect(
      try choice(#"{"sdkVersionPadded": "004.007.000"}"#).profile == SDKProfile(.ios, "4.7.0"))
    #expect(try choice("{}").problem == .missing)
    #expect(try choice(#"{"sdkVersion": ""}"#).problem == .missing)
    #expect(try choice(#"{"sdkVersion": "latest"}"#).problem == .unreadable("latest"))
    #expect(try choice(#"{"sdkVersion": "5.0.0"}"#).problem == .newer("ios 5.0.0"))
    #expect(try choice(#"{"platform": "visionOS", "sdkVersion": "4.9.0"}"#).profile.sdk == .ios)
    // Numbers, as some exports have them, and values of other types.
    #expect(
      try choice(#"{"platform": "ANDROID", "sdkVersion": 2.6}"#).profile
        == SDKProfile(.android, "2.6.0"))
    #expect(try choice(#"{"sdkVersion": null, "sdkVersionPadded": "004.012.005"}"#).problem == nil)
    #expect(try choice(#"{"sdkVersion": ["4"]}"#).problem == .unreadable(#"["4"]"#))
    #expect(
      try choice(#"{"sdkVersion": "4.9.0-beta.1", "platformWrapper": null}"#).profile
        == SDKProfile(.ios, "4.9.0"))
  }

  // MARK: Deciding

  /// Before iOS 4.7.0 a rule has only the functions of its own computed properties, below `computed`.
  @Test func functionsBelongToTheirRule() throws {
    let since = #""computed_properties": [{"type": "DAYS_SINCE", "event_name": "x"}]"#
    func rules(_ call: String, _ properties: String...) -> String {
      properties.enumerated().map { number, property in
        rule(
          #""expression_cel": "\#(call)"\#(property.isEmpty ? "" : ", " + property)"#,
          paywall: "p\(number)")
      }.joined(separator: ", ")
    }
    func paywall(_ rules: String, _ version: SDKVersion) throws -> String? {
      let user = #"{"userId": "u", "events": {"x": ["1969-12-20T00:00:00Z"]}}"#
      guard
        case .paywall(let experiment) = try outcome(rules, SDKProfile(.ios, version), user: user)
      else { return nil }
      return experiment.variant.paywallID
    }
    let call = "computed.daysSince('x') > 2"
    for version in ["4.0.1", "4.6.0"] as [SDKVersion] {
      #expect(try paywall(rules(call, since), version) == "p0")
      #expect(try paywall(rules(call, ""), version) == nil)
      // The same expression in two rules, of which the second requests the function.
      #expect(try paywall(rules(call, "", since), version) == "p1")
      // The evaluator finds functions by their names alone.
      #expect(try paywall(rules("device.daysSince('x') > 2", "", since), version) == "p1")
      let count = #""computed_properties": [{"type": "PLACEMENTS_IN_DAY", "event_name": "x"}]"#
      #expect(try paywall(rules("computed.placementsInDay('x') >= 0", count), version) == nil)
    }
    #expect(try paywall(rules(call, "", since), "4.7.0") == "p0")
    #expect(try paywall(rules("computed.placementsInDay('x') >= 0", ""), "4.7.0") == "p0")
  }

  /// In iOS 4.0.0 null cannot be passed to the evaluator, so no condition holds.
  @Test func nullFailsInTheFirstVersion() throws {
    let rules = rule(#""expression_cel": "user.plan == 'free'""#)
    for (user, version, matches) in [
      (#"{"plan": "free", "a": {"b": [null]}}"#, "4.0.0", false),
      (#"{"plan": "free", "a": {"b": [1]}}"#, "4.0.0", true),
      (#"{"plan": "free", "a": {"b": [null]}}"#, "4.0.1", true),
    ] as [(String, SDKVersion, Bool)] {
      let outcome = try outcome(
        rules, SDKProfile(.ios, version), user: #"{"userId": "u", "user": \#(user)}"#)
      #expect(outcome.code == (matches ? "paywall" : "noAudienceMatch"))
    }
    let everybody = try outcome(
      rule(#""preload": null"#), SDKProfile(.ios, "4.0.0"),
      user: #"{"userId": "u", "device": {"a": null}}"#)
    #expect(everybody.code == "paywall" || everybody.code == "config-rejected")
  }

  /// Drawers and popups need their sizes since iOS 4.8.0.
  @Test func stylesNeedTheirSizes() throws {
    func rejection(_ style: String, _ profile: SDKProfile) throws -> ConfigFact.Kind? {
      let json =
        #"{"trigger_options": [], "paywall_responses": [{"identifier": "x", "#
        + #""presentation_style_v3": \#(style)}]}"#
      let config = try #require(Config.decode(superwall: json.utf8).output)
      return profile.rejection(of: config)?.kind
    }
    let drawer = #"{"type": "DRAWER", "height": 70}"#
    #expect(try rejection(drawer, SDKProfile(.ios, "4.8.0")) == .noStyleSize)
    #expect(try rejection(drawer, SDKProfile(.ios, "4.7.0")) == nil)
    #expect(try rejection(drawer, SDKProfile(.android, "2.7.0")) == nil)
    let whole = #"{"type": "DRAWER", "height": 70, "corner_radius": 15}"#
    #expect(try rejection(whole, SDKProfile(.ios, "4.16.2")) == nil)
    let popup = #"{"type": "POPUP", "height": 70, "corner_radius": 15}"#
    #expect(try rejection(popup, SDKProfile(.ios, "4.16.2")) == .noStyleSize)
  }

  /// A version aborts only with conditions that may panic.
  @Test func onlySomeConditionsAbort() throws {
    func aborts(_ expression: String) throws -> Bool {
      let rule = rule(#""expression_cel": "\#(expression)""#)
      let json = #"{"trigger_options": [{"event_name": "p", "rules": [\#(rule)]}]}"#
      let config = try #require(Config.decode(superwall: json.utf8).output)
      return RuleSetFamily(config).ruleSet(for: SDKProfile(.ios, "4.16.1")).storage.aborts
    }
    #expect(try aborts("1 / user.n > 2") && aborts("user.n % user.m == 0"))
    #expect(try aborts("user.n == 0x5") && aborts("hasFn()"))
    #expect(try !aborts("user.n / 2 > 1") && !aborts("user.plan == 'x' && user.n > 3"))
  }

  private func outcome(
    _ rules: String, _ profile: SDKProfile, user: String = #"{"userId": "u"}"#
  ) throws -> Decision.Outcome {
    let json = #"""
      {"trigger_options": [{"event_name": "p", "rules": [\#(rules)]}]}
      """#
    let config = try #require(Config.decode(superwall: json.utf8).output)
    let ruleSet = RuleSetFamily(config).ruleSet(for: profile)
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: HistoryClock(now: 0))
    try reader.read(json: user.utf8, into: &frame)
    return ruleSet.decide(
      "p", frame: &frame, state: reader.state(now: 0), assigner: .hash(salt: "")
    ).outcome
  }

  private func rule(_ members: String, paywall: String = "x") -> String {
    #"""
    {"experiment_id": "e", "experiment_group_id": "g", \#(members), "variants":
      [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "\#(paywall)"}]}
    """#
  }

  @Test func javaScriptIsUndecidable() throws {
    let script = rule(#""expression_js": "true", "expression_cel": "false""#)
    let cel = rule(#""expression_cel": "false""#)
    let old = SDKProfile(.ios, "3.12.5")
    #expect(try outcome(script, old).code == "undecidable")
    #expect(try outcome(script, SDKProfile(.ios, "4.0.0")) == .noAudienceMatch)
    // A rule without a script matches every user, whatever its CEL says; rules before it decide first.
    #expect(try outcome(cel, old).code == "paywall")
    #expect(try outcome("\(cel), \(script)", old).code == "paywall")
    #expect(try outcome("\(script), \(cel)", old).code == "undecidable")
    #expect(try outcome(script, SDKProfile(.android, "1.5.5")).code == "undecidable")
  }

  @Test func someVersionsAbort() throws {
    let rules = rule(#""expression_cel": "1 / user.zero > 0""#) + "," + rule(#""preload": null"#)
    let user = #"{"userId": "u", "user": {"zero": 0}}"#
    #expect(try outcome(rules, SDKProfile(.ios, "4.16.1"), user: user) == .error(.abortsApp))
    #expect(try outcome(rules, SDKProfile(.ios, "4.16.2"), user: user).code == "paywall")
    #expect(try outcome(rules, .ios, user: user).code == "paywall")
    #expect(try outcome(rules, SDKProfile(.android, "2.7.19"), user: user) == .error(.abortsApp))
    // Nobody who is taken before gets there.
    let first = rule(#""preload": null"#) + "," + rule(#""expression_cel": "1 / user.zero > 0""#)
    #expect(try outcome(first, SDKProfile(.ios, "4.16.1"), user: user).code == "paywall")
  }

  @Test(arguments: [
    "user.plan == 0x5", #"user.plan == \"\\.\""#, "user.plan > 9223372036854775808",
    "user.plan == 7u",
  ])
  func someLiteralsPanic(_ expression: String) throws {
    let rules = rule(#""expression_cel": "\#(expression)""#)
    #expect(try outcome(rules, SDKProfile(.ios, "4.15.0")) == .error(.abortsApp))
    #expect(try outcome(rules, .ios) == .noAudienceMatch)
  }

  @Test(arguments: ["user.plan ==", "user.plan == 5 5", "user..plan"])
  func otherFaultsDoNot(_ expression: String) throws {
    let rules = rule(#""expression_cel": "\#(expression)""#)
    #expect(try outcome(rules, SDKProfile(.ios, "4.15.0")) == .noAudienceMatch)
  }

  @Test func whatIsNotSentIsMissing() throws {
    let rules = rule(#""expression_cel": "device.fontScale > 1.0""#)
    let user = #"{"userId": "u", "device": {"fontScale": 1.5}}"#
    #expect(try outcome(rules, SDKProfile(.ios, "4.16.1"), user: user) == .noAudienceMatch)
    #expect(try outcome(rules, SDKProfile(.ios, "4.16.2"), user: user).code == "paywall")
    #expect(try outcome(rules, .ios, user: user).code == "paywall")
    // What the record says elsewhere is not sent either.
    let status = rule(#""expression_cel": "device.subscriptionStatus == 'ACTIVE'""#)
    let active = #"{"userId": "u", "subscriptionStatus": "ACTIVE"}"#
    #expect(try outcome(status, SDKProfile(.android, "2.0.6"), user: active) == .noAudienceMatch)
    #expect(try outcome(status, SDKProfile(.android, "2.0.7"), user: active).code == "paywall")
  }

  @Test func functionsComeWithVersions() throws {
    #expect(SDKProfile(.ios, "4.6.0").hostFunctions() == HostFunctions())
    let days = ComputedProperty(kind: .daysSince, eventName: "open")
    let count = ComputedProperty(kind: .placementsInDay, eventName: "open")
    #expect(
      SDKProfile(.ios, "4.6.0").hostFunctions([days, count])
        == HostFunctions(device: [], computed: ["daysSince"]))
    let android = SDKProfile(.android, "2.3.1").hostFunctions().device
    #expect(android == ["minutesSince", "hoursSince", "daysSince", "monthsSince"])
    #expect(SDKProfile(.android, "2.5.3").hostFunctions() == Platform.android.hostFunctions)
  }

  @Test func sharesMayBeFloating() {
    let table = WeightTable([10, 20, 70], areFloating: true)
    #expect(table.variant(draw: 30) == 1 && WeightTable([10, 20, 70]).variant(draw: 30) == 2)
    // Every split in three and every draw, by the formula of the SDKs.
    for first in 0...100 {
      for second in 0...100 - first {
        let weights = [first, second, 100 - first - second].map { Double($0) }
        let table = WeightTable(weights, areFloating: true)
        for draw in [0, first - 1, first, first + 1, first + second, 99] where 0..<100 ~= draw {
          var sum = 0.0
          var expected = 2
          for (number, weight) in weights.enumerated() {
            sum += weight / 100
            if Double(draw) / 100 < sum {
              expected = number
              break
            }
          }
          #expect(table.variant(draw: Double(draw)) == expected)
        }
      }
    }
  }

  @Test func namesAreReservedByVersion() {
    #expect(SDKProfile(.ios, "4.8.1").use(ofPlacementName: "review_requested") == .ordinary)
    #expect(SDKProfile(.ios, "4.8.2").use(ofPlacementName: "review_requested") == .ignored)
    #expect(SDKProfile(.ios, "4.19.1").use(ofPlacementName: "review_requested") == .error)
    #expect(SDKProfile(.ios, "4.0.0").use(ofPlacementName: "export") == .ordinary)
    #expect(SDKProfile(.android, "2.5.3").use(ofPlacementName: "review_requested") == .ignored)
  }

  @Test func configsAreRejectedByVersion() throws {
    let rules = rule(
      #""computed_properties": [{"type": "PLACEMENTS_IN_DAY", "event_name": "open"}]"#)
    let rejected = try outcome(rules, SDKProfile(.android, "2.5.0"))
    #expect(rejected.code == "configRejected")
    let line = rejected.line(subjectID: "u", placement: "p", audience: nil)
    #expect(line["result"]?["code"] == "config-rejected")
    #expect(try outcome(rules, SDKProfile(.android, "2.5.1")).code == "paywall")
    #expect(try outcome(rules, SDKProfile(.ios, "4.6.0")).code == "paywall")
  }

  @Test func compilingIsShared() throws {
    let json = #"""
      {"trigger_options": [{"event_name": "p", "rules": [\#(rule(#""expression_cel": "user.a > 1""#))]}]}
      """#
    let config = try #require(Config.decode(superwall: json.utf8).output)
    let family = RuleSetFamily(config)
    for version in SDKProfile.changes(of: .ios) where version >= "4.7.0" {
      _ = family.ruleSet(for: SDKProfile(.ios, version))
    }
    // numeric, skip, text, and the text that keeps null.
    #expect(family.compileCount == 4)
  }
}
