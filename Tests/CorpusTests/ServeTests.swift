import Expressions
import Foundation
import SDK
import Testing

@testable import conformance

/// The adapter that other programs drive.
@Suite struct ServeTests {
  private func serve(_ lines: String..., fixtures: String? = nil) -> Conformance.Result {
    let input = lines.joined(separator: "\n")
    return fixtures.map { Conformance.run("serve", "--fixtures", $0, input: input) }
      ?? Conformance.run("serve", input: input)
  }

  private static let configure =
    #"{"op":"step","step":{"do":"call","method":"configure","args":{"apiKey":"pk"}}}"#

  @Test func answersEachLine() throws {
    let result = serve(
      #"{"op":"step","step":{}}"#, #"{"op":"begin","scenario":{"id":"x","config":7}}"#, "{", "",
      #"{"op":"begin","scenario":{"id":"x"}}"#, Self.configure,
      #"{"op":"step","step":{"do":"dance"}}"#, #"{"op":"stop"}"#)
    #expect(result.code == 0)
    #expect(result.errors == "")
    let answers = try result.lines.map { try Value.parse(json: $0.utf8) }
    #expect(answers.map { $0["ok"]?.truth } == [false, false, false, true, nil, nil, false])
    #expect(answers[4]["state"]?["lifecycle"] == "configured")
    #expect(answers[4]["requests"]?.elements?.count == 1)
    #expect(answers[5]["result"]?["error"]?["code"] == "unsupported")
  }

  /// What does not exist is answered with an error, and the scenario continues.
  @Test func unknownSteps() {
    let result = serve(
      #"{"op":"begin","scenario":{"id":"x"}}"#, #"{"op":"step","step":{"do":"jump"}}"#,
      #"{"op":"step","step":{"do":"presenter","action":"explode"}}"#,
      #"{"op":"step","step":{"do":"call","method":"noSuchMethod"}}"#,
      #"{"op":"step","step":{"do":"call","method":"getConfigurationStatus"}}"#)
    #expect(result.code == 0)
    #expect(result.lines.count == 5)
    for line in result.lines[1...3] { #expect(line.contains(#""code":"unsupported""#), "\(line)") }
    #expect(result.lines.last?.contains(#""result":{"value":"#) == true)
  }

  @Test(arguments: [
    (#""scenario":{}"#, "no 'id'"),
    (#""scenario":{"id":"x","suite":"cel"}"#, "there is no 'cel'"),
    (#""scenario":{"id":"x","skip":true}"#, "skip: expected a reason"),
    (
      #""scenario":{"id":"x","storage":{"status":{"status":"INACTIV"}}}"#,
      "did you mean 'INACTIVE'?"
    ),
    (#""scenaro":{"id":"x"}"#, "needs a 'scenario'"), (#""scenario":[]"#, "needs a 'scenario'"),
  ])
  func scenariosThatCannotBegin(scenario: String, message: String) {
    let answer = serve(#"{"op":"begin",\#(scenario)}"#).output
    #expect(answer.hasPrefix(#"{"ok":false"#) && answer.contains(message), "\(answer)")
  }

  /// A paywall that nobody answers for tells why it was asked for.
  @Test func requestsThatNobodyAnswers() {
    let result = serve(
      #"{"op":"begin","scenario":{"id":"x","config":{"patch":{"localization":{"locales":[{"locale":"en_US"}]}}}}}"#,
      Self.configure,
      #"{"op":"step","step":{"do":"call","method":"registerPlacement","args":{"placement":"gated"}}}"#
    )
    #expect(
      result.output.contains(
        "it is localised for 'en_US', so the backend is asked at /api/v1/paywall"))
  }

  /// The config `std` and the products come from a folder, where one is named.
  @Test func fixturesOfOnesOwn() throws {
    let folder = try CaseFolder()
    let missing = serve(fixtures: folder.path)
    #expect(missing.code == 2 && missing.errors.contains("config.std.json"))
    try folder.write(
      "config.std.json",
      #"{"build_id":"own","trigger_options":[],"paywall_responses":[]}"#)
    try folder.write("products.json", #"{"own.product":{"price":1}}"#)
    let begin = #"{"op":"begin","scenario":{"id":"x","store":{"owned":["own.product"]}}}"#
    #expect(serve(begin, fixtures: folder.path).output == #"{"ok":true}"# + "\n")
    #expect(serve(begin).output.contains("there is no product 'own.product'"))
    try folder.write("products.json", #"{"own.product":{"prize":1}}"#)
    #expect(serve(begin, fixtures: folder.path).errors.contains("did you mean 'price'?"))
  }
}
