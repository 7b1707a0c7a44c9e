import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// Configs that keep an invariant, each with one in which a fault is planted.
struct FuzzSample: Sendable, CustomTestStringConvertible {
  var name: String
  var invariant: RuleInvariant
  var sound: [UInt8]
  var planted: [UInt8]
  var languages: [RuleLanguage] = [.cel, .superscript(.ios)]
  /// Whether the analysis can prove the sound one.
  var isProvable = true

  var testDescription: String { name }

  static let now = try! WireTime.instant("2026-03-01T12:00:00Z")

  private static func holdout(_ id: String = "h") -> String {
    #"{"variant_id":"\#(id)","variant_type":"HOLDOUT","percentage":100}"#
  }

  private static func paywall(_ id: String, _ percentage: Int = 100) -> String {
    #"{"variant_id":"\#(id)","variant_type":"TREATMENT","percentage":\#(percentage),"paywall_identifier":"\#(id)"}"#
  }

  private static func limited(_ count: Int, minutes: Int?) -> [UInt8] {
    let interval =
      minutes.map { #"{"type":"MINUTES","minutes":\#($0)}"# } ?? #"{"type":"INFINITY"}"#
    return wireConfig(
      rules: wireRule(
        expression: "user.plan == 'free'",
        occurrence: #"{"key":"k","max_count":\#(count),"interval":\#(interval)}"#,
        variants: paywall("once")))
  }

  private static func one(_ expression: String?, _ variants: String = paywall("pw")) -> [UInt8] {
    wireConfig(rules: wireRule(expression: expression, variants: variants))
  }

  private static func guarded(_ check: String) -> [UInt8] {
    Array(
      """
      {"campaigns":[{"id":"c","name":"C","status":"active",
        "placements":[{"id":"p","name":"p","type":"custom","status":"active"}],
        "audiences":[{"id":"a","name":"A","priority_order":0,\(check)
          "filters":[{"field":"user.plan","operator":"is","value":"free"}],
          "experiment":{"id":"e","status":"running","holdout_percentage":0,"variants":[
            {"id":"v","paywall_id":"pw","traffic_percentage":100}]}}]}],"paywalls":{}}
      """.utf8)
  }

  static let all: [FuzzSample] = [
    FuzzSample(
      name: "a border is one off",
      invariant: RuleInvariant(
        name: "minors", when: "user.age < 13", holds: "outcome.result != \"paywall\""),
      sound: one("user.plan == 'free' && user.age >= 13"),
      planted: one("user.plan == 'free' && user.age >= 12")),
    FuzzSample(
      name: "an alternative is forgotten",
      invariant: RuleInvariant(
        name: "pro", when: "user.plan == \"pro\"", holds: "outcome.result == \"noAudienceMatch\""),
      sound: one("user.plan == 'free' || user.plan == 'trial'"),
      planted: one("user.plan == 'free' || user.runs > 100")),
    FuzzSample(
      name: "audiences stand in the wrong order",
      invariant: RuleInvariant(
        name: "Germany", when: "device.os == \"iOS\" && user.country == \"DE\"",
        holds: "outcome.paywall == \"de\""),
      sound: wireConfig(
        rules: wireRule("a", expression: "user.country == 'DE'", variants: paywall("de")) + ","
          + wireRule("b", expression: "device.os == 'iOS'", variants: paywall("all"))),
      planted: wireConfig(
        rules: wireRule("b", expression: "device.os == 'iOS'", variants: paywall("all")) + ","
          + wireRule("a", expression: "user.country == 'DE'", variants: paywall("de")))),
    FuzzSample(
      name: "a small share gets the wrong variant",
      invariant: RuleInvariant(
        name: "no beta", when: "user.beta == false", holds: "outcome.variant != \"beta\""),
      sound: wireConfig(
        rules: wireRule("a", expression: "user.beta == true", variants: paywall("beta")) + ","
          + wireRule("b", variants: paywall("pw"))),
      planted: wireConfig(
        rules: wireRule("b", variants: paywall("pw", 99) + "," + paywall("beta", 1)))),
    FuzzSample(
      name: "the best customers are held back",
      invariant: RuleInvariant(
        name: "vip", when: "user.vip == true && user.spent > 100",
        holds: "outcome.result != \"holdout\""),
      sound: one("user.vip == false && user.plan == 'free'", holdout()),
      planted: one("user.spent > 500 && user.plan == 'free'", holdout())),
    FuzzSample(
      name: "staff is told by one address",
      invariant: RuleInvariant(
        name: "staff", when: "user.email.endsWith(\"@corp.com\")",
        holds: "outcome.result != \"paywall\""),
      sound: one("has(user.email) && !user.email.endsWith('@corp.com')"),
      planted: one("has(user.email) && user.email != 'a@corp.com'"), languages: [.cel]),
    FuzzSample(
      name: "a tag is misspelt",
      invariant: RuleInvariant(
        name: "internal", when: "\"internal\" in user.tags", holds: "outcome.result != \"paywall\""),
      sound: one("!('internal' in user.tags)"), planted: one("!('interna' in user.tags)"),
      languages: [.cel]),
    FuzzSample(
      name: "who has to see a paywall does not",
      invariant: RuleInvariant(
        name: "long texts", when: "params.pages > 100", holds: "outcome.result == \"paywall\""),
      sound: one("params.pages > 100"), planted: one("params.pages > 101"), isProvable: true),
    FuzzSample(
      name: "a limit lets too many through",
      invariant: RuleInvariant(
        name: "twice", holds: "shown.filter(s, s.result == \"paywall\").size() <= 2", span: .history
      ),
      sound: limited(1, minutes: 1_440), planted: limited(2, minutes: 1_440), isProvable: false),
    FuzzSample(
      name: "a limit forgets",
      invariant: RuleInvariant(
        name: "once", holds: "shown.filter(s, s.paywall == \"once\").size() <= 1", span: .history),
      sound: limited(1, minutes: nil), planted: limited(1, minutes: 720), isProvable: false),
    FuzzSample(
      name: "owners are not passed over",
      invariant: RuleInvariant(
        name: "owners", when: "\"pro\" in entitlements", holds: "outcome.result != \"paywall\""),
      sound: guarded(#""entitlement_check":"pro","#), planted: guarded("")),
    FuzzSample(
      name: "an old version is let in",
      invariant: RuleInvariant(
        name: "old", when: "device.appVersion == \"2.9.0\"", holds: "outcome.result != \"paywall\""),
      sound: one("device.appVersionPadded >= '003.000.000'"),
      planted: one("device.appVersionPadded >= '002.009.000'"), isProvable: false),
    FuzzSample(
      name: "subscribers are asked",
      invariant: RuleInvariant(
        name: "subscribers", when: "size(entitlements) > 0", holds: "outcome.result != \"paywall\""),
      sound: one("device.subscriptionStatus != 'ACTIVE'"), planted: one("user.plan == 'free'"),
      isProvable: false),
    FuzzSample(
      name: "what is asked of everybody is not there",
      invariant: RuleInvariant(
        name: "adults", holds: "outcome.result != \"paywall\" || user.age >= 18"),
      sound: one("user.age >= 18"), planted: one("user.plan == 'free'")),
    FuzzSample(
      name: "members of one map, which rules and invariant share",
      invariant: RuleInvariant(
        name: "unverified", when: "user.account.verified == false",
        holds: "outcome.result != \"paywall\""),
      sound: one(
        "user.account.address.zip == '10115' && user.account.active && user.account.verified"),
      planted: one("user.account.address.zip == '10115' && user.account.active"),
      isProvable: false),
    FuzzSample(
      name: "elements of one list, which rules and invariant share",
      invariant: RuleInvariant(
        name: "staff", when: "'staff' in user.tags", holds: "outcome.result != \"paywall\""),
      sound: one(
        "user.tags.exists(t, t == 'beta') && user.tags.all(t, t != 'staff')"),
      planted: one("user.tags.exists(t, t == 'beta')"), isProvable: false),
  ]
}
