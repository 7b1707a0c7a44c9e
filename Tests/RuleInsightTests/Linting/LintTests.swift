import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What lints find, and what they do not.
@Suite struct LintTests {
  /// The example of every page has what the page is about, and the better one does not.
  @Test(arguments: CodePage.all.values.sorted { $0.code.rawValue < $1.code.rawValue })
  func examples(page: CodePage) throws {
    guard let example = page.example.config else { return }
    let found = checked(example).filter { $0.code == page.code }
    #expect(!found.isEmpty, "\(page.code.rawValue): \(checked(example))")
    guard let better = page.better?.config else { return }
    let codes = checked(better).map(\.code)
    #expect(!codes.contains(page.code), "\(page.code.rawValue): \(checked(better))")
    let faults = checked(better).filter { $0.severity == .error && $0.code != .wouldReject }
    #expect(faults.isEmpty, "\(page.code.rawValue): \(faults)")
  }

  /// Every code that the sources declare has a page.
  @Test func everyCodeHasAPage() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var codes: Set<String> = []
    let lints = root.appending(path: "Sources/RuleInsight/Linting")
    let files =
      try FileManager.default.contentsOfDirectory(at: lints, includingPropertiesForKeys: nil)
      + ["Expressions/Diagnostics/DiagnosticCode.swift", "RuleEngine/Config/DiagnosticCodes.swift"]
      .map { root.appending(path: "Sources/\($0)") }
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /let \w+ = Self\(rawValue: "([a-z0-9-]+)"\)/) {
        codes.insert(String(match.1))
      }
    }
    #expect(codes.count > 40)
    #expect(codes.subtracting(CodePage.all.keys.map(\.rawValue)).isEmpty)
  }

  private struct Found: Hashable {
    var code: String
    var path: String
  }

  private func found(_ json: String, language: RuleLanguage = .standard) -> [Found] {
    checked(json, language: language).filter { $0.code != .notAnExport }
      .map { Found(code: $0.code.rawValue, path: $0.path) }
  }

  private static let condition = "trigger_options[0].rules[0].expression_cel"

  /// Configs of Superwall's with one fault.
  @Test(arguments: [
    (superwall(rule(#""variants":[]"#)), "no-variants", "trigger_options[0].rules[0].variants"),
    (
      superwall(
        rule(#""occurrence":{"key":"k","max_count":-1,"interval":{"type":"INFINITY"}}"#)),
      "limit-never-holds", "trigger_options[0].rules[0].occurrence.max_count"
    ),
    (
      superwall(
        rule(
          #""occurrence":{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":-5}}"#)),
      "limit-always-holds", "trigger_options[0].rules[0].occurrence.interval.minutes"
    ),
    (
      superwall(rule(when: "user.a == 1"), rule(when: "user.a == 2")), "duplicate-id",
      "trigger_options[0].rules[1].experiment_id"
    ),
    (
      superwall(rule(#""experiment_id":"f","experiment_id":"f""#)), "duplicate-id",
      "trigger_options[0].rules[0].experiment_id"
    ),
    (
      superwall(rule(), more: #""build_id":"c","#), "duplicate-id", "build_id"
    ),
    (superwall(rule(when: "user.size > 3")), "attribute-named-like-function", condition),
    (superwall(rule(when: "device.hoursSince > 3")), "attribute-named-like-function", condition),
    (superwall(rule(when: #"user.a == ('say \"x\"')"#)), "escape", condition),
    (superwall(rule(when: #"user["$a"] == 1"#)), "reserved-name", condition),
    (
      superwall(rule(when: "user.roles.exists(user, user == 'a')")), "reserved-name", condition
    ),
    (superwall(rule(when: #""3.10.0" <= device.appVersion"#)), "text-order", condition),
    (superwall(rule(when: #"device.osVersion < "17.0""#)), "text-order", condition),
    (superwall(rule(when: #"device.appVersionPadded == "3.10.0""#)), "text-order", condition),
    (
      superwall(rule(when: "device.placementsInDay_x > 1")), "question-not-requested", condition
    ),
  ])
  func superwallFaults(_ json: String, code: String, path: String) {
    #expect(found(json) == [Found(code: code, path: path)])
  }

  /// However a condition asks for an entitlement, it is one that products give.
  @Test(arguments: [
    "'NAME' in device.activeEntitlements", "device.activeEntitlements.exists(e, e == 'NAME')",
    "device.activeEntitlements.exists(e, 'NAME' == e)",
    "device.activeEntitlements.contains('NAME')",
  ])
  func entitlementsThatNobodyGives(condition: String) {
    let products =
      #""products_v3":[{"sw_composite_product_id":"y","entitlements":[{"identifier":"premium","type":"SERVICE_LEVEL"}],"store_product":{"store":"APP_STORE","product_identifier":"y"}}],"#
    for (name, isTold) in [("premuim", true), ("premium", false)] {
      let json = superwall(rule(when: condition.replacing("NAME", with: name)), more: products)
      #expect(found(json).contains { $0.code == "ungranted-entitlement" } == isTold, "\(condition)")
    }
  }

  /// Configs of AgentWallie's with one fault.
  @Test(arguments: [
    (agentWallie(wallieAudience(variants: "")), "no-variants", "experiment.variants"),
    (
      agentWallie(
        wallieAudience(
          variants:
            #"{"id":"v","paywall_id":"a","traffic_percentage":0},{"id":"w","paywall_id":"b","traffic_percentage":0}"#
        )), "weights-zero", "experiment.variants"
    ),
    (
      agentWallie(wallieAudience(more: #""frequency_cap":{"type":"n_times_total","limit":0},"#)),
      "limit-never-holds", "frequency_cap.limit"
    ),
    (
      agentWallie(
        wallieAudience(
          variants:
            #"{"id":"v","paywall_id":"a","traffic_percentage":50},{"id":"v","paywall_id":"b","traffic_percentage":50}"#
        )), "duplicate-id", "experiment.variants[1].id"
    ),
    (
      agentWallie(
        wallieAudience(more: #""entitlement_check":"premuim","#),
        more:
          #""products":[{"id":"y","name":"Y","store":"apple","store_product_id":"y","entitlements":["premium"]}],"#
      ), "ungranted-entitlement", "entitlement_check"
    ),
  ])
  func agentWallieFaults(_ json: String, code: String, path: String) {
    let codes = found(json).filter { $0.code != "weights-not-100" }
    #expect(codes == [Found(code: code, path: "campaigns[0].audiences[0].\(path)")])
  }

  /// Shares are whole numbers: SDKs reject others.
  @Test(arguments: [("33.5", "66.5", 2), ("33", "67", 0), ("33.0", "67", 0)])
  func fractionsOfPercentages(first: String, second: String, count: Int) {
    let json = agentWallie(
      wallieAudience(
        variants:
          #"{"id":"v","paywall_id":"a","traffic_percentage":\#(first)},{"id":"w","paywall_id":"b","traffic_percentage":\#(second)}"#
      ))
    let told = checked(json).filter { $0.message.hasSuffix("is a fraction") }
    #expect(told.count == count && told.allSatisfy { $0.code == .wouldReject })
  }

  @Test func campaignsWithOneID() {
    let campaign =
      #"{"id":"c","name":"C","status":"active","placements":[{"id":"p","name":"x","type":"custom","status":"active"},{"id":"q","name":"x","type":"custom","status":"active"}],"audiences":[]}"#
    let json =
      #"{"paywalls":{"a":{"version":"1","name":"n","settings":{},"components":[]},"a":{"version":"1","name":"n","settings":{},"components":[]}},"campaigns":["#
      + campaign + "," + campaign.replacing("\"x\"", with: "\"y\"") + "]}"
    let found = found(json)
    #expect(found.contains(Found(code: "duplicate-id", path: "campaigns[1].id")))
    #expect(found.contains(Found(code: "duplicate-id", path: "paywalls.a")))
    #expect(
      found.filter { $0.code == "duplicate-trigger" }.map(\.path)
        == ["campaigns[0].placements[1].name", "campaigns[1].placements[1].name"])
  }

  private static let twoVariants = """
    {"id":"v","paywall_id":"a","traffic_percentage":50},
    {"id":"w","paywall_id":"b","traffic_percentage":50}
    """

  /// What looks like a fault and is none.
  @Test(arguments: [
    // One campaign at two placements has its audiences twice.
    superwall(rule()).replacing(
      #""trigger_options":["#,
      with: #""trigger_options":[{"event_name":"q","rules":["# + rule() + "]},"),
    superwall(rule(when: #"device.appVersionPadded >= "003.010.000""#)),
    superwall(rule(when: #"device.appVersionPadded >= "003.010""#)),
    superwall(rule(when: #"device.appVersion == "3.10.0""#)),
    superwall(rule(when: #"device.appVersion != "3.10""#)),
    superwall(rule(when: #"device.utcDate >= "2026-01-01""#)),
    superwall(rule(when: #"user.since >= "2026.01.31""#)),
    superwall(rule(when: #"device.localTime >= "18""#)),
    superwall(rule(when: #"device.appVersion >= "1.0""#)),
    superwall(rule(when: #"user.a == 'it\'s' || user.a == "say \"x\"""#)),
    superwall(rule(when: #"user["size"] == 3"#)),
    superwall(rule(when: #"params["$event_name"] == "p""#)),
    superwall(rule(when: "user.roles.exists(r, r == 'a')")),
    superwall(rule(when: "device.daysSince('x') > 3 && computed.daysSince('x') > 3")),
    superwall(rule(when: #""pro" in device.activeEntitlements"#)),
    superwall(
      rule(
        when: "device.daysSince_a_b > 1",
        more: #""computed_properties":[{"type":"DAYS_SINCE","event_name":"a_b"}]"#)),
    agentWallie(wallieAudience()),
    // Two audiences with one experiment.
    agentWallie(
      wallieAudience(
        filters: #"{"field":"user.a","operator":"is","value":1}"#, variants: twoVariants),
      wallieAudience("b", variants: twoVariants)),
  ])
  func clean(_ json: String) {
    #expect(checked(json).isEmpty)
  }

  /// CEL reads escapes as other languages do, and has versions.
  @Test func inCEL() throws {
    #expect(found(superwall(rule(when: #"user.a == "it\'s""#)), language: .cel).isEmpty)
    #expect(found(superwall(rule(when: "user.size > 3")), language: .cel).isEmpty)
    let order = try #require(
      checked(superwall(rule(when: #"device.appVersion >= "3.10.0""#)), language: .cel).first)
    #expect(
      order.suggestion == #"write version(device.appVersion) and version("3.10.0")"#)
  }

  /// Versions are told with one that the order is wrong for, if there is one.
  @Test(arguments: [
    ("3.10.0", #""3.9.0" is greater than "3.10.0""#), ("17.0", #""9.0" is greater than "17.0""#),
    ("3.5.1", #""10.0.0" is less than "3.5.1""#), ("1.0.99", #""1.0.100" is less than "1.0.99""#),
  ])
  func versions(version: String, message: String) {
    let found = checked(superwall(rule(when: "device.appVersion < '\(version)'")))
    #expect(found.map(\.message) == ["strings are ordered letter by letter: \(message)"])
  }

  /// What is wrong in a condition is told wherever audiences have it.
  @Test func everyAudienceIsTold() {
    let json = superwall(
      rule(when: "user.size > 3", id: "1"), rule(when: "user.size > 3", id: "2"))
    #expect(
      found(json).filter { $0.code == "attribute-named-like-function" }.map(\.path)
        == (0...1).map { "trigger_options[0].rules[\($0)].expression_cel" })
  }

  // MARK: Fixes

  private func fixed(_ condition: String, isSafe: Bool) throws -> String {
    let found = checked(superwall(rule(when: condition)))
    let fix = try #require(found.compactMap(\.fix).first)
    #expect(fix.isSafe == isSafe)
    var bytes = Array(condition.utf8)
    for edit in fix.edits.reversed() {
      bytes.replaceSubrange(edit.range.from..<edit.range.to, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func fixes() throws {
    #expect(
      try fixed(#"user.a == "it\'s" && user.b == 1"#, isSafe: true)
        == #"user.a == "it's" && user.b == 1"#)
    #expect(
      try fixed(#"device.appVersionPadded >= "3.10.0""#, isSafe: true)
        == #"device.appVersionPadded >= "003.010.000""#)
    #expect(
      try fixed(#"device.appVersion >= "3.10""#, isSafe: false)
        == #"device.appVersionPadded >= "003.010.000""#)
    #expect(
      try fixed(#""3.10" > device.appVersion"#, isSafe: false)
        == #""003.010.000" > device.appVersionPadded"#)
  }

  // MARK: Configs in the field

  /// The demo, the sample, and configs in the cases of AgentWallie: a clean config gives no warning.
  @Test(arguments: ["demo/config.json", "cases/superwall-sample-config.json"])
  func samples(file: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let json = try String(contentsOf: root.appending(path: "corpus/\(file)"), encoding: .utf8)
    let found = checked(json).filter { $0.severity != .note }
    #expect(found.isEmpty, "\(found)")
  }
}
