import Expressions
import RuleEngine
import RuleInsight
import Testing

/// The report of differences between languages.
@Suite struct DialectReportTests {
  private func report(_ expression: String, samples: Int = 400) throws -> DialectReport {
    let text = Value.string(expression).json
    let json = """
      {"build_id": "b", "trigger_options": [{"event_name": "p", "rules": [{"experiment_id": "1",
      "experiment_group_id": "1", "expression_cel": \(text), "variants": [{"variant_id": "1",
      "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "w"}]}]}],
      "paywall_responses": [{"id": "1", "identifier": "w", "url": "https://example.com"}]}
      """
    let config = try #require(Config.decode(Array(json.utf8)).output)
    return DialectReport(config, samples: samples)
  }

  @Test func tellsWhereAClauseDiffers() throws {
    let report = try report("user.seats < 5 && user.plan == \"free\"")
    let first = try #require(report.findings.first { $0.clause == "user.seats < 5" })
    #expect(first.difference == .dialects)
    #expect(first.isDecisive)
    #expect(first.range == SourceRange(from: 0, to: 14))
  }

  /// Nested conditionals and wide chains: work and memory used to grow with the square and the cube
  /// of the number of clauses, so that these took minutes and gigabytes.
  @Test func longExpressionsAreTriedWithFewerSamples() throws {
    let clauses = (0..<120).map { "user.a\($0) == \($0)" }
    let chain = clauses.map { "\($0) ? true : " }.joined() + "false"
    #expect(try report(chain, samples: 40).findings.count >= 120)
    let either = try report(clauses.joined(separator: " || "), samples: 40)
    #expect(either.findings.filter { $0.isDecisive && $0.difference == .dialects }.count == 120)
  }

  private func report(_ expressions: [String], work: Int) -> DialectReport {
    let audiences = expressions.enumerated().map { number, expression in
      Audience(
        index: number, experimentID: "e\(number)", expression: expression,
        variants: [Variant(id: "v", kind: .treatment, weight: 100, paywallID: "w")])
    }
    return DialectReport(
      Config(placements: [Placement(name: "p", audiences: audiences)]), samples: 40, work: work)
  }

  /// The work for a config is limited, and the report says how much was left out.
  @Test func workForAConfig() {
    let expressions = (0..<40).map { number in
      (0..<20).map { "user.a\($0) == 'x\(number)'" }.joined(separator: " && ")
    }
    let few = report(Array(expressions.prefix(4)), work: .max)
    let more = report(Array(expressions.prefix(8)), work: .max)
    #expect(few.notCompared == 0 && !few.findings.isEmpty)
    #expect(more.work * 10 <= few.work * 22, "\(few.work), then \(more.work)")
    let limited = report(expressions, work: few.work)
    #expect(limited.expressions == 40 && (34...37).contains(limited.notCompared))
  }

  /// Clauses that several expressions have are compared once, with the same findings as alone.
  @Test func clausesOfSeveralExpressions() {
    let parts = (0..<20).map { "user.a\($0) == 'x'" }
    let first = parts.joined(separator: " && ")
    let second = parts.reversed().joined(separator: " || ")
    let together = report([first, second], work: .max)
    let (one, other) = (report([first], work: .max), report([second], work: .max))
    func texts(_ reports: DialectReport...) -> [String] {
      reports.flatMap(\.findings).map {
        "\($0.clause) \($0.difference) \($0.isDecisive) \($0.outcomes.map(\.outcome))"
      }
    }
    #expect(texts(together) == texts(one, other))
    #expect(together.work < one.work + other.work)
  }

  /// An attribute that lies in another, and one that is itself compared, come into one context.
  @Test func attributesWithinAttributes() throws {
    let report = try report("user.a.b == 1 || user.a == 2 || size(user) == 3")
    #expect(report.findings.contains { $0.clause == "user.a.b == 1" })
    #expect(report.findings.contains { $0.clause == "user.a == 2" })
  }

  /// Clauses between which only a search finds a way, in words that users have.
  @Test func otherAttributesAreOrdinary() throws {
    let report = try report(
      """
      !user.old && user.age > 20 && user.plan != 'free' && device.regionCode in ['US', 'CA'] \
      && user.name.startsWith('J') && user.n >= 4 && has(user.k)
      """)
    let finding = try #require(
      report.findings.first { $0.clause == "user.plan != 'free'" && $0.difference == .dialects })
    #expect(finding.isDecisive)
    #expect(
      finding.attributes.json
        == #"{"user":{"age":21,"name":"J","n":4,"k":true},"device":{"regionCode":"US"},"params":{}}"#
    )
  }

  /// What only numbers beyond 32 bits tell, and only values of another kind.
  @Test func unusualValues() throws {
    let negative = try report("user.age > 20").findings.filter { $0.difference == .platforms }
    #expect(negative.map(\.isDecisive) == [true])
    #expect(negative.first?.attributes["user"]?["age"] == "inf")
    let texts = try report("user.plan == 'free'").findings.filter { $0.difference == .platforms }
    #expect(texts.first?.attributes["user"]?["plan"] == "$free")
    // Neither clause differs by itself for a text that is read as a bool.
    let both = try report("device.c.contains('x') && 'x' in device.c")
    #expect(both.findings.contains { $0.range.from == 0 && $0.clause.contains("&&") })
  }
}
