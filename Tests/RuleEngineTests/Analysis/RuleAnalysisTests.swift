import Expressions
import RuleEngine
import Testing

/// What is found in the rules of a placement, as `code message`, and how questions were answered.
private func analysis(
  _ expressions: String?..., occurrences: [Int: String] = [:],
  language: RuleLanguage = .standard
) throws -> RuleAnalysis {
  let rules = expressions.enumerated().map { number, expression in
    wireRule("e\(number)", expression: expression, occurrence: occurrences[number] ?? "null")
  }
  let decoded = Config.decode(superwall: wireConfig(rules: rules.joined(separator: ",")))
  let config = try #require(decoded.output)
  let ruleSet = try #require(RuleSet.compile(config, language: language).output)
  return RuleAnalysis(ruleSet, now: 1_767_225_600_000)
}

private func codes(_ analysis: RuleAnalysis) -> [String] {
  analysis.findings.map { "\($0.diagnostic.severity.rawValue) \($0.diagnostic.code.rawValue)" }
}

private let once = #"{"key":"k","max_count":1,"interval":{"type":"INFINITY"}}"#

@Suite struct UnreachableAudienceTests {
  @Test func audienceBehindALargerOneIsUnreachable() throws {
    let found = try analysis("user.age >= 18", "user.plan == 'a'", "user.age >= 21 && user.x == 1")
    #expect(codes(found) == ["warning unreachable-audience"])
    let diagnostic = try #require(found.findings.first).diagnostic
    #expect(diagnostic.path == "trigger_options[0].rules[2]")
    #expect(
      diagnostic.related.map(\.path) == ["trigger_options[0].rules[0].expression_cel"])
  }

  @Test func severalAudiencesShadowTogether() throws {
    let found = try analysis(
      "user.plan == 'a'", "user.age > 3", "user.plan == 'b'", "user.plan in ['b', 'a']",
      language: .cel)
    #expect(codes(found) == ["warning unreachable-audience"])
    #expect(found.findings[0].diagnostic.related.count == 2)
  }

  @Test func oneUserIsEnoughToReachAnAudience() throws {
    // 17.5 is of neither.
    #expect(
      try codes(analysis("user.age >= 18", "user.age <= 17", "true", language: .cel)).isEmpty)
    #expect(
      try codes(
        analysis(
          "user.name.startsWith('foo')", "user.name.contains('foo')", "user.name.endsWith('o')",
          language: .cel)
      ).isEmpty)
  }

  @Test func largeNumbersMeetAsTheNearestDouble() throws {
    // 2^53 as a double equals two ints.
    #expect(
      try codes(
        analysis(
          "user.n == 9007199254740992.0", "user.n == 9007199254740993", language: .cel)
      ) == ["warning unreachable-audience"])
    #expect(
      try codes(
        analysis("user.n == 9007199254740992", "user.n == 9007199254740993", language: .cel)
      ).isEmpty)
  }

  @Test func limitLetsUsersThrough() throws {
    let found = try analysis("user.age >= 18", "user.age >= 21", occurrences: [0: once])
    #expect(codes(found) == ["note unreachable-audience"])
    let witness = try #require(found.findings[0].witness)
    #expect(witness["occurrences"] != nil)
    // Who has used up the limit has used it up for the second one, too.
    let same = try analysis(
      "user.age >= 18", "user.age >= 21", occurrences: [0: once, 1: once])
    #expect(codes(same) == ["warning unreachable-audience"])
  }

  @Test func datesThatAreOverAreTold() throws {
    // It is the first of January 2026.
    let summer = "device.utcDate >= '2025-06-01' && device.utcDate < '2025-07-01' && user.x == 1"
    #expect(try codes(analysis(summer)) == ["warning expired-audience"])
    #expect(try codes(analysis("device.utcDate >= '2026-06-01' && user.x == 1")).isEmpty)
    #expect(try codes(analysis("device.localDate < '2026-01-02'")).isEmpty)
    #expect(try codes(analysis("device.localDate < '2025-12-30' || user.x == 1")).isEmpty)
  }

  @Test func everybodyIsToldByCompilingAlone() throws {
    #expect(try codes(analysis(nil, "user.age >= 21")).isEmpty)
  }
}

@Suite struct ClauseFindingTests {
  @Test func clausesContradictEachOther() throws {
    let found = try analysis("user.plan == 'free' && user.age > 3 && user.plan == 'pro'")
    #expect(codes(found) == ["warning contradictory-clauses"])
    let diagnostic = found.findings[0].diagnostic
    #expect(diagnostic.related.count == 2)
    #expect(diagnostic.message.contains("'user.plan == 'free'' and 'user.plan == 'pro''"))
  }

  @Test func twoPartsFitIntoOneText() throws {
    #expect(
      try codes(analysis("user.s.contains('foo') && user.s.contains('bar')")).isEmpty)
    #expect(
      try codes(
        analysis("user.s.startsWith('ab') && user.s > 'abaa' && user.s.endsWith('z')")
      ).isEmpty)
    #expect(
      try codes(
        analysis(
          "user.s.startsWith('ab') && user.s.endsWith('bc') && size(user.s) == 3", language: .cel)
      ).isEmpty)
    #expect(
      try codes(
        analysis(
          "user.s.startsWith('ab') && user.s.endsWith('cd') && size(user.s) == 3", language: .cel)
      ) == ["warning contradictory-clauses"])
  }

  @Test func clauseAfterAStrongerOneIsConstant() throws {
    let found = try analysis("user.age >= 18 && user.age >= 10")
    #expect(codes(found) == ["warning constant-clause"])
    let diagnostic = found.findings[0].diagnostic
    #expect(diagnostic.range == SourceRange(from: 18, to: 32))
    #expect(diagnostic.related.count == 1)
    // Nothing to the right is assumed.
    #expect(try codes(analysis("user.age >= 10 && user.age >= 18")).isEmpty)
  }

  @Test func clauseBehindEarlierAudiencesIsWorthANote() throws {
    let found = try analysis(
      "user.plan == 'pro'", "user.plan != 'pro' && user.age > 3", language: .cel)
    // A user without a plan gets to the second one, and the clause errs.
    #expect(codes(found).isEmpty)
    let other = try analysis("user.plan == 'pro'", "user.plan != 'pro' && user.age > 3")
    #expect(codes(other) == ["note constant-clause"])
  }

  @Test func guardsAreNeeded() throws {
    #expect(
      try codes(
        analysis("!has(user.age)", "has(user.age) && user.age > 3", language: .cel)
      ).isEmpty)
    // Nothing reads the attribute behind this one.
    #expect(
      try codes(analysis("user.plan == 'a' && has(user.plan)", language: .cel))
        == ["warning constant-clause"])
  }

  @Test func literalsAreMeant() throws {
    #expect(try codes(analysis("false", "user.age > 3 && false", "true")).isEmpty)
  }

  @Test func operandsThatFailAreKept() throws {
    // Without user.m the second operand errs, and with it the whole.
    #expect(
      try codes(analysis("has(user.m) && user.m.startsWith('x')", "!has(user.m)")).isEmpty)
  }

  @Test func opaquePartsMayBeAnything() throws {
    #expect(try codes(analysis("user.n % 7 == 0 && user.n % 7 == 3")).isEmpty)
    #expect(try codes(analysis("user.a < user.b && user.b < user.a")).isEmpty)
    let found = try analysis("user.n % 7 == 0", "user.n % 7 == 0 && user.x == 1")
    #expect(codes(found) == ["warning unreachable-audience"])
  }
}
