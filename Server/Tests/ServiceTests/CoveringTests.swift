import Expressions
import Foundation
import Requests
import RuleEngine
import Service
import Testing

/// `POST /v1/cover`.
@Suite struct CoveringTests {
  private static let config = #"""
    {"trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"free","experiment_group_id":"g","expression_cel":"user.plan == 'free' && user.age > 17",
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"a"}]},
      {"experiment_id":"rest","experiment_group_id":"g","expression_cel":null,
       "variants":[{"variant_id":"w","variant_type":"HOLDOUT","percentage":100}]},
      {"experiment_id":"never","experiment_group_id":"g","expression_cel":"user.plan == 'pro'",
       "variants":[{"variant_id":"x","variant_type":"HOLDOUT","percentage":100}]}]}],
     "paywall_responses":[{"id":"1","identifier":"a"}]}
    """#
  private static let adult =
    #"{"placement":"p","userId":"a","user":{"plan":"free","age":18},"expect":{"result":"paywall"}}"#

  private func body(_ tests: String, _ more: String = "") -> String {
    #"{"config":\#(Self.config),"tests":\#(tests)\#(more)}"#
  }

  @Test func whatTestsExerciseIsCounted() async throws {
    let server = try await TestServer()
    let body = body("[\(Self.adult)]")
    let answer = try await server.post("/v1/cover", body)
    #expect(answer.status == 200, "\(answer.text)")
    let json = answer.json
    #expect(json["tests"] == 1)
    #expect(json["audiences"]?.elements?.map { $0["taken"] } == [1, 0, 0])
    #expect(json["audiences"]?.elements?[2]["gaps"]?.elements?[0]["verdict"] == "impossible")
    let clause = try #require(json["clauses"]?.elements?.first)
    #expect(clause["text"] == "user.plan == 'free'")
    #expect(clause["decidesTrue"] == 1 && clause["decidesFalse"] == 0)
    // Places count in the config as it stands in the body.
    let config = try #require(body.utf8.firstRange(of: Self.config.utf8))
    let from = try #require(clause["range"]?["from"]?.wholeNumber)
    let start = body.utf8.index(config.lowerBound, offsetBy: from)
    #expect(body[start...].hasPrefix("user.plan == 'free'"))
    // The same tests as a text.
    let text = Value.string("\n\(Self.adult)\n").json
    #expect(try await server.post("/v1/cover", self.body(text)).text == answer.text)
  }

  @Test func theRunningConfigIsCoveredWithoutAnother() async throws {
    let server = try await TestServer()
    let answer = try await server.post("/v1/cover", "{}")
    #expect(answer.status == 200)
    #expect(answer.json["share"] == 0.0)
    let names = server.service.applications[0].current.ruleSet.placementNames
    #expect(Set(answer.json["audiences"]!.elements!.map { $0["placement"]!.text! }) == Set(names))
  }

  @Test func textsOfPaywallsCountWhereTheyAreGiven() async throws {
    let server = try await TestServer()
    let answer = try await server.post(
      "/v1/cover",
      body("[\(Self.adult)]", #","render":{"paywalls":{"a":{"title":"Hello"}}}"#))
    #expect(answer.json["texts"]?.elements?.map { $0["shown"] } == [1])
  }

  @Test(arguments: [
    (#"[{"placement":"p","userId":"a"}]"#, "bad_tests", "tests:1: 'expect' is missing"),
    (
      #"[{"placement":"q","userId":"a","expect":{"result":"holdout"}}]"#, "bad_tests",
      "did you mean 'p'"
    ),
    (#"[{"placement":"p","userId":7,"expect":{"result":"holdout"}}]"#, "bad_tests", "tests:1: "),
    (#"[{"users":"/etc/passwd","expect":"/etc/passwd"}]"#, "bad_tests", "'placement' is missing"),
    (#""nonsense""#, "bad_tests", "tests:1:1: "),
    ("7", "bad_request", "'tests' must be a list of tests"),
    (#"["x"]"#, "bad_tests", "tests:1: a test must be"),
  ])
  func testsThatCannotBeRunAreNamed(tests: String, code: String, message: String) async throws {
    let server = try await TestServer()
    let answer = try await server.post("/v1/cover", body(tests))
    #expect(answer.status == 400)
    #expect(answer.code == code)
    #expect(answer.json["error"]?["message"]?.text?.contains(message) == true, "\(answer.text)")
  }

  @Test func whatCannotBeCoveredIsRefused() async throws {
    let server = try await TestServer()
    let broken = Self.config.replacing("user.age > 17", with: "user.age >")
    for config in [broken, #"{"trigger_options":[]}"#, "{}"] {
      let answer = try await server.post("/v1/cover", #"{"config":\#(config)}"#)
      #expect(answer.status == 422)
      #expect(answer.code == "invalid_config")
    }
    #expect(try await server.post("/v1/cover", "[]").status == 400)
  }

  @Test func thereAreLimits() async throws {
    let impatient = try await TestServer { $0.settings.limits.patience = .zero }
    let answer = try await impatient.post("/v1/cover", body("[\(Self.adult)]"))
    #expect(answer.status == 422)
    #expect(answer.code == "too_much")
    let server = try await TestServer()
    let rules = Array(repeating: #"{"experiment_id":"e","variants":[]}"#, count: 1_001)
      .joined(separator: ",")
    let large = #"{"trigger_options":[{"event_name":"p","rules":[\#(rules)]}]}"#
    #expect(try await server.post("/v1/cover", #"{"config":\#(large)}"#).code == "too_much")
    let many = Array(repeating: Self.adult, count: 10_001).joined(separator: ",\n")
    #expect(try await server.post("/v1/cover", body("[\(many)]")).code == "too_many_tests")
  }
}
