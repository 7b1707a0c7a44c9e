import Foundation
import Testing

/// What check proves about rules.
@Suite("The command check, on what holds for every user")
struct CheckAnalysisTests {
  private func check(_ expressions: [String], _ more: String...) throws -> BuiltTool.Result {
    let rules = try expressions.enumerated().map { number, expression in
      let text = String(decoding: try JSONEncoder().encode(expression), as: UTF8.self)
      return """
        {"experiment_id":"e\(number)","experiment_group_id":"g","expression_cel":\(text),
        "preload":{"behavior":"ALWAYS"},"variants":[{"variant_id":"v","variant_type":"TREATMENT",
        "percentage":100,"paywall_identifier":"pw"}]}
        """
    }
    let config = """
      {"trigger_options":[{"event_name":"p","rules":[\(rules.joined(separator: ","))]}]}
      """
    return try BuiltTool.run(["check", "-"] + more, input: Data(config.utf8))
  }

  @Test func findingsHaveTheirPlaceAndTheReason() throws {
    let result = try check(["user.age >= 18", "user.age >= 21"])
    #expect(result.code == 0)
    #expect(result.output.contains("warning[unreachable-audience]"))
    #expect(result.output.contains("'e0'"))
    #expect(try check(["user.age >= 18", "user.age >= 21"], "--strict").code == 1)
    #expect(!(try check(["user.age >= 21", "user.age >= 18"])).output.contains("unreachable"))
  }

  @Test func statisticsAddUp() throws {
    let text = try check(["user.age >= 18 && user.age >= 21"], "--statistics").output
    // The audience, and both clauses both ways.
    #expect(text.contains("5 questions: 5 answered by an example, 0 by a proof, 0 unknown"))
    let lines = try check(["user.age >= 18 && user.age >= 10"], "--statistics", "--json").lines
    let last = try #require(lines.last)
    #expect(
      last == #"{"statistics":{"questions":5,"witnesses":4,"proofs":1,"unknown":0}}"#)
  }

  @Test func datesAreOverFromATimeOn() throws {
    let summer = ["device.utcDate >= '2025-06-01' && device.utcDate < '2025-07-01'"]
    #expect(
      try check(summer, "--now", "2026-01-01T00:00:00Z").output.contains("expired-audience"))
    #expect(
      try !check(summer, "--now", "2025-01-01T00:00:00Z").output.contains("expired-audience"))
    #expect(try check(summer, "--now", "soon").code == 2)
  }
}
