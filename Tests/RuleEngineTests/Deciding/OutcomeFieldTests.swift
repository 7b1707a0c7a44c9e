import Expressions
import Foundation
import RuleEngine
import TestSupport
import Testing

/// Lists of outcome fields in other languages are those of ``OutcomeField``.
@Suite struct OutcomeFieldTests {
  private static let names = OutcomeField.allCases.map { "\"\($0.rawValue)\"" }
  private static let namesOfChoices = OutcomeField.ofChoices.map { "\"\($0.rawValue)\"" }

  private func text(_ path: String) throws -> String {
    let root = corpus.deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func thePythonPackageListsThem() throws {
    let text = try text("Python/tollgate/_field_names.py")
    let all = "Field = Literal[\(Self.names.joined(separator: ", "))]\n"
    let ofChoices = "(\(Self.namesOfChoices.joined(separator: ", ")))\n"
    #expect(text.contains(all), "_field_names.py must have: \(all)")
    #expect(text.contains(ofChoices), "_field_names.py must have: \(ofChoices)")
    let answers = try self.text("Python/tollgate/answers.py")
    for field in OutcomeField.ofChoices {
      #expect(answers.contains("def \(field.rawValue)(self)"), "Decision has no \(field)")
    }
  }

  @Test func theHeaderListsThem() throws {
    let list = "[\(Self.names.joined(separator: ", "))]"
    let text = try text("Sources/CTollgate/tollgate.h")
    #expect(text.contains(list), "tollgate.h must have: \(list)")
  }

  /// Wide objects have every field, long lines those that are not members of the result.
  @Test func theSchemaListsThem() throws {
    let schema = try Value.parse(json: bytes("schemas/outcome.schema.json"))["$defs"]
    func keys(_ object: Value?) -> [String] { object?.members?.map(\.key) ?? [] }
    let wide = keys(schema?["wide"]?["additionalProperties"]?["properties"])
    #expect(wide.starts(with: OutcomeField.ofChoices.map(\.rawValue)), "\(wide)")
    let long = keys(schema?["long"]?["properties"])
    let outside = OutcomeField.ofChoices.filter { !$0.isInResult }.map(\.rawValue)
    #expect(long.starts(with: ["userId", "placement", "result"] + outside), "\(long)")
  }

  @Test func valuesAreThoseOfTheOutcome() throws {
    let rules = try ruleSet(wireRule("e", expression: "user.a == 1"))
    let matched = try decide(rules, ["user": ["a": 1]])
    let values = OutcomeValues(matched.outcome, audience: matched.audience)
    #expect(
      values.members(OutcomeField.ofChoices)
        == [
          .init(key: "result", value: "paywall"), .init(key: "audience", value: 0),
          .init(key: "experiment", value: "e"), .init(key: "variant", value: "v"),
          .init(key: "paywall", value: "pw"),
        ])
    let line = matched.outcomeLine(subjectID: "u")
    #expect(line["audience"] == 0 && line["paywall"] == "pw" && line["experiment"] == nil)

    let unmatched = try decide(rules, ["user": ["a": 2]])
    let none = OutcomeValues(unmatched.outcome, audience: unmatched.audience)
    #expect(OutcomeField.ofChoices.map(none.cell) == ["noAudienceMatch", "", "", "", ""])
    #expect(OutcomeField.ofChoices.filter { none[$0] == .null }.count == 4)
  }
}
