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

  /// A user shows where platforms decide differently, in text and in JSON.
  @Test func platforms() throws {
    let rules = ["has(user.nick) && user.plan == 'free'"]
    let text = try check(rules, "--platform", "all").output
    #expect(text.contains("warning[platform-difference]"))
    #expect(text.contains("web: no audience matches"))
    let found = try check(rules, "--platform", "all", "--json").lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }.filter { $0["code"] as? String == "platform-difference" }
    #expect(found.count == 1)
    let witness = found.first?["witness"] as? [String: Any]
    #expect((witness?["user"] as? [String: Any])?["nick"] is NSNull)
    #expect(try !check(rules, "--platform", "web").output.contains("platform-difference"))
    let cel = try check(rules, "--platform", "all", "--dialect", "cel")
    #expect(cel.code == 2 && cel.errors.contains("leave out --platform all"))
  }

  /// What is found in many places of a condition is one finding, and all places are changed.
  @Test func repeated() throws {
    let rules = ["device.regionCod == 'US' || device.regionCod == 'DE' || device.regionCod == 'FR'"]
    let lines = try check(rules, "--json").lines.filter { $0.contains("unknown-attribute") }
    let found = try #require(
      lines.first.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) } as? [String: Any])
    #expect(lines.count == 1)
    #expect((found["otherRanges"] as? [[String: Any]])?.count == 2)
    let edits = (found["fix"] as? [String: Any])?["edits"] as? [[String: Any]]
    #expect(edits?.map { $0["text"] as? String } == ["regionCode", "regionCode", "regionCode"])
  }
}
