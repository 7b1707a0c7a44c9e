import Expressions
import RuleEngine
import RuleInsight
import Testing

/// The types that rules need of attributes, which callers select columns by.
@Suite struct AttributeRequirementTests {
  private func ruleSet(_ rules: [String], _ language: RuleLanguage = .standard) throws -> RuleSet {
    let placements = rules.enumerated().map { number, rule in
      Placement(
        name: "p\(number)",
        audiences: [Audience(index: 0, experimentID: "e", expression: rule, variants: [])])
    }
    return try #require(
      RuleSet.compile(Config(placements: placements), language: language).output)
  }

  private func kinds(_ rule: String, _ language: RuleLanguage = .standard) throws -> [String] {
    let all = try ruleSet([rule], language).attributeRequirements
    return all[0].kinds.map(\.word)
  }

  @Test(arguments: [
    ("user.x == 'a'", ["string"]), ("user.x > 'a'", ["string"]),
    ("user.x.startsWith('a')", ["string"]), ("user.x in ['a', 'b']", ["string"]),
    ("user.x + 'b' == 'ab'", ["string"]),
    ("user.x > 3", ["number"]), ("user.x != 1.5", ["number"]), ("user.x in [1, 2]", ["number"]),
    ("user.x in ['a', 1]", ["string", "number"]),
    ("user.x == true", ["boolean"]), ("user.x == 'true'", ["boolean"]),
    ("user.x", ["boolean"]), ("!user.x && true", ["boolean"]),
    ("user.x ? true : false", ["boolean"]),
    ("'a' in user.x", ["list<string>"]), ("3 in user.x", ["list<number>"]),
    ("user.x.exists(v, v == 'a')", ["list<string>"]), ("user.x.all(v, v > 2)", ["list<number>"]),
    ("user.x.exists(v, v.startsWith('a'))", ["list<string>"]),
    ("user.x.exists(v, v)", ["list<boolean>"]),
    ("user.x.exists(v, user.x == 3)", ["list", "number"]),
    ("timestamp(user.x) < timestamp('2026-01-01T00:00:00Z')", ["date"]),
    ("size(user.x) == 2", ["string", "list"]), ("size(user.x) == 2 && user.x == 'ab'", ["string"]),
    ("int(user.x) > 3", ["string", "number"]), ("double(user.x) > 3.5", ["number", "string"]),
    ("string(user.x) == '3'", []), ("user.x == '42'", ["string", "number"]),
    ("has(user.x)", []), ("user.x == null", []),
    ("user.x == user.y && user.y > 2", ["number"]), ("user.y > 2 && user.y == user.x", ["number"]),
    ("user.x == user.x", []), ("user.x == user.y && user.x == user.z && user.z == 'a'", ["string"]),
    ("has(user.x) && user.x.y == 'a'", ["map"]),
    ("device.appVersion == 'x'", ["string"]), ("device.isMac", ["boolean"]),
    ("has(device.daysSinceInstall)", ["number"]),
    ("timestamp(device.appInstallDate) < timestamp('2026-01-01T00:00:00Z')", ["date"]),
  ])
  func kindsInSuperscript(_ rule: String, _ expected: [String]) throws {
    #expect(try kinds(rule) == expected)
  }

  @Test(arguments: [
    ("user.x % 2 == 0", ["integer"]), ("user.x + 1 == 3", ["integer"]),
    ("user.x * 1.5 > 3.0", ["number"]), ("user.x > 1", ["number"]),
    ("user.x * user.y > 3", ["number"]), ("-user.x == 1", ["number"]),
    ("user.x[0] == 'a'", ["list"]), ("user.x.size() > 1", ["string", "list"]),
    ("version(user.x) > version('1.2')", ["string"]), ("user.x.lowerAscii() == 'a'", ["string"]),
    ("timestamp(user.x).getFullYear() == 2026", ["date"]),
    ("user.x == 'true'", ["string"]), ("math.ceil(user.x) == 2.0", ["number"]),
    ("'a' in user.x", ["list<string>"]), ("user.x.exists(v, v.y == 2)", ["list"]),
  ])
  func kindsInCEL(_ rule: String, _ expected: [String]) throws {
    #expect(try kinds(rule, .cel) == expected)
  }

  @Test func placementsAndSources() throws {
    let rules = try ruleSet([
      "user.a == 1", "user.b == 'x' || user.a == 2", "device.appVersionPadded > '001'",
      "device.utcDate == '2026-01-01'",
    ])
    #expect(
      rules.attributeRequirements.map(\.value) == [
        ["path": "user.a", "kinds": ["number"], "placements": ["p0", "p1"]],
        ["path": "user.b", "kinds": ["string"], "placements": ["p1"]],
        [
          "path": "device.appVersionPadded", "kinds": ["string"], "placements": ["p2"],
          "derivedFrom": ["device.appVersion"],
        ],
        [
          "path": "device.utcDate", "kinds": ["string"], "placements": ["p3"], "derivedFrom": [],
        ],
      ])
  }
}
