import Expressions
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What is found in the rules of a placement, as `code message`, and how questions were answered.
private func analysis(
  _ expressions: String?..., occurrences: [Int: String] = [:],
  language: RuleLanguage = .standard
) throws -> RuleAnalysis {
  try analysis(expressions, occurrences: occurrences, language: language)
}

private func analysis(
  _ expressions: [String?], occurrences: [Int: String] = [:], language: RuleLanguage = .standard
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

/// The findings about audiences with these conditions in one language, and that nothing stayed open.
private func settled(_ expressions: [String], language: RuleLanguage = .cel) throws -> [String] {
  let rules = expressions.enumerated().map { wireRule("e\($0)", expression: $1) }
  let decoded = Config.decode(superwall: wireConfig(rules: rules.joined(separator: ",")))
  let config = try #require(decoded.output)
  let ruleSet = try #require(RuleSet.compile(config, language: language).output)
  let found = RuleAnalysis(ruleSet, now: 1_767_225_600_000)
  #expect(found.statistics.unknown == 0, "\(expressions)")
  return codes(found)
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

  /// A text alone is true unless it is empty, whatever else is asked of it.
  @Test(arguments: [
    "user.a && !user.a.endsWith('b')", "user.a && !user.a.matches('^b')",
    "!(user.a.contains('b')) && user.a", "user.a && size(user.a) < 4 && !(user.a == 'b')",
  ])
  func textsAreTrue(_ expression: String) throws {
    for platform in Platform.allCases {
      let found = try settled([expression], language: .superscript(SDKProfile(platform)))
      #expect(!found.contains("warning contradictory-clauses"), "\(platform)")
    }
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

  @Test func numbersAboveThoseWithASignAreTried() throws {
    // No constant is the only one that is left, and no double.
    let borders = "user.n > 18446744073709551612u && user.n <= 18446744073709551615u"
    let others = "user.n != 18446744073709551614u && user.n != 18446744073709551615u"
    #expect(try codes(analysis("\(borders) && \(others)", language: .cel)).isEmpty)
    #expect(
      try codes(
        analysis("\(borders) && \(others) && user.n != 18446744073709551613u", language: .cel))
        == ["warning contradictory-clauses"])
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

  @Test func limitsOfOneKeyAreCompared() throws {
    func limit(_ count: Int, _ interval: String) -> String {
      #"{"key":"k","max_count":\#(count),"interval":{\#(interval)}}"#
    }
    let (ever, hour) = (#""type":"INFINITY""#, #""type":"MINUTES","minutes":60"#)
    func found(_ first: String, _ second: String) throws -> [String] {
      try codes(
        analysis("user.age >= 18", "user.age >= 21", occurrences: [0: first, 1: second]))
    }
    #expect(try found(limit(2, ever), limit(1, ever)) == ["warning unreachable-audience"])
    #expect(try found(limit(1, ever), limit(2, ever)) == ["note unreachable-audience"])
    #expect(try found(limit(1, hour), limit(1, ever)) == ["warning unreachable-audience"])
    // Who came long ago gets to the second one.
    #expect(try found(limit(1, ever), limit(1, hour)) == ["note unreachable-audience"])
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

  @Test func lettersBetweenThoseOfConstantsAreTried() throws {
    let letter = "user.s > 'b' && user.s < 'd' && size(user.s) == 1"
    #expect(try codes(analysis(letter, language: .cel)).isEmpty)
  }

  @Test func sizesAreThoseOfTheLanguage() throws {
    // One letter of two bytes.
    let letter = "size(user.s) == 2 && user.s.matches('^.$')"
    #expect(try codes(analysis(letter)).isEmpty)
    #expect(try codes(analysis(letter, language: .cel)) == ["warning contradictory-clauses"])
    // Nothing but a list holds a number.
    #expect(try codes(analysis("1 in user.l && size(user.l) > 3", language: .cel)).isEmpty)
  }

  @Test func endingsGoOnAfterAMatch() throws {
    // The ending of three letters is matched again with the fourth.
    #expect(
      try codes(analysis("user.s.contains('aaa') && !user.s.endsWith('aa')", language: .cel))
        .isEmpty)
  }

  /// Of audiences with one condition, the one that takes everybody is named, and not the one with a limit
  /// before it, which somebody gets past.
  @Test func whoTakesTheOthersIsNamed() throws {
    let found = try analysis(
      "user.a == 1", "user.a == 1", "user.a == 1 || user.b == 2", occurrences: [0: once])
    let constant = try #require(
      found.findings.map(\.diagnostic).first { $0.code == .constantClause })
    #expect(constant.path == "trigger_options[0].rules[2].expression_cel")
    #expect(constant.related.map(\.path) == ["trigger_options[0].rules[1].expression_cel"])
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

@Suite struct PatternFindingTests {
  private static let contradictory = ["warning contradictory-clauses"]

  @Test func patternsContradictOtherClauses() throws {
    for clauses in [
      "user.x.matches('^[a-z]+@a[.]com$') && user.x.endsWith('@b.com')",
      "user.x.matches('^a') && !user.x.startsWith('a')",
      "user.x.matches('^a+$') && user.x.matches('^b+$')",
      "user.x.matches('^[0-9]{3}$') && size(user.x) == 4",
      "user.x.matches('^[a-f]$') && user.x >= 'g'",
      "user.x == 'ab' && user.x.matches('^b')",
      "user.x.matches('(?i)^é$') && user.x < 'z'",
      "user.x.matches('(?m)^b$') && user.x.matches('^[^b]*$')",
    ] {
      #expect(try settled([clauses]) == Self.contradictory, "\(clauses)")
    }
  }

  @Test func patternsFitTogether() throws {
    for clauses in [
      "user.x.matches('^[a-z]+@a[.]com$') && user.x.endsWith('s@a.com')",
      "user.x.matches('^a') && !user.x.startsWith('ab') && size(user.x) == 3",
      // A line of its own, and a last line that ends.
      "user.x.matches('(?m)^b$') && !user.x.matches('^b') && !user.x.matches('b$')",
      "user.x.matches('^.$') && user.x.matches('[^ -~]') && user.x != 'é'",
      "user.x.matches('a$') && user.x.matches('^b') && user.x.contains('cd') && user.x > 'bz'",
      "user.x.matches('(?i)^straße$') && !user.x.matches('^straße$')",
      "user.x.matches('a{2}') && !user.x.matches('aaa') && user.x.matches('a.*a.*a')",
    ] {
      #expect(try settled([clauses]).isEmpty, "\(clauses)")
    }
  }

  @Test func patternBehindAStrongerOneIsConstant() throws {
    #expect(
      try settled(["user.x.matches('^ab') && user.x.matches('^a')"]) == ["warning constant-clause"])
    #expect(
      try settled(["user.x.matches('^a')", "user.x.matches('^ab')"], language: .standard)
        == ["warning unreachable-audience"])
  }

  @Test func whatCannotBeWalkedSpoilsNothingElse() throws {
    // Which of the last twenty letters was an a: a million states.
    let long = "user.x.matches('a.{20}b.{20}$')"
    #expect(try codes(analysis("\(long) && !\(long)", language: .cel)) == Self.contradictory)
    #expect(
      try codes(analysis("\(long) && user.x == 'ab' && user.x == 'cd'", language: .cel))
        == Self.contradictory)
    #expect(try codes(analysis("\(long) && user.x.matches('^b')", language: .cel)).isEmpty)
    // Word boundaries are not walked at all.
    #expect(
      try codes(
        analysis(
          "user.x.matches('\\\\ba') && user.x.startsWith('a') && user.x == 'b'", language: .cel)
      ) == Self.contradictory)
  }
}

@Suite struct ManyAudienceTests {
  /// Nobody has to look at all of the audiences before, for every one of them.
  @Test func independentAudiencesAreAllAnswered() throws {
    let conditions = (0..<120).map { number in
      [
        "user.seed < \(number)", "user.plan == 'p\(number)' && user.seed >= \(number)",
        "device.regionCode == 'r\(number)'",
      ][number % 3]
    }
    // Nobody has a seed below zero for the first time there: everybody is before it.
    #expect(
      try settled(conditions + ["user.seed < 50 && user.x == 1"], language: .standard)
        == ["warning unreachable-audience"])
  }

  @Test func manyAudiencesShadowTogether() throws {
    let conditions = (0..<40).map { "user.n == \($0)" }
    let rest = "user.n in [\((0..<40).map(String.init).joined(separator: ", "))]"
    for language in [RuleLanguage.cel, .standard] {
      let found = try analysis(conditions + [rest], language: language)
      #expect(codes(found) == ["warning unreachable-audience"])
      #expect(found.findings.first?.diagnostic.related.count == 40)
      #expect(found.statistics.unknown == 0)
    }
  }

  /// The same answers, whatever had to be asked before.
  @Test func firstOfAudiencesWithOneConditionIsNamed() throws {
    let found = try analysis(
      ["user.n > 1", "user.n > 2 && user.x == 1", "user.n > 1 && user.y == 1", "user.n > 3"])
    let paths = found.findings.map(\.diagnostic.path)
    #expect(paths == (1...3).map { "trigger_options[0].rules[\($0)]" })
    #expect(found.findings.allSatisfy { $0.diagnostic.related.count == 1 })
  }
}
