import Expressions
import Service
import Testing

@Suite struct SuperscriptTests {
  private func evaluate(_ expression: String, _ rest: String = "") async throws -> String {
    let server = try await TestServer()
    let variables = """
      "variables":{"map":{"user":{"type":"map","value":{"age":{"type":"int","value":3},
      "tags":{"type":"list","value":[{"type":"string","value":"a"}]}}}}}
      """
    let body = "{\(variables),\"expression\":\(Value.string(expression).json)\(rest)}"
    return try await server.post("/v1/superscript/evaluate", body).text
  }

  @Test(arguments: [
    ("user.age > 2", #"{"Ok":{"type":"bool","value":true}}"#),
    ("user.age + 1", #"{"Ok":{"type":"int","value":4}}"#),
    ("user.age / 2.0", #"{"Ok":{"type":"float","value":1.5}}"#),
    ("user.nothing", #"{"Ok":{"type":"Null","value":null}}"#),
    ("nobody.x", #"{"Ok":{"type":"Null","value":null}}"#),
    ("user.tags", #"{"Ok":{"type":"list","value":[{"type":"string","value":"a"}]}}"#),
  ])
  func valuesHaveTheirTypes(expression: String, answer: String) async throws {
    #expect(try await evaluate(expression) == answer)
  }

  @Test func wrongExpressionsAreErrors() async throws {
    #expect(try await evaluate("user.age >").hasPrefix(#"{"Err":""#))
    #expect(try await evaluate("user.age + \"x\"").hasPrefix(#"{"Err":""#))
  }

  @Test func theHostsAnswersComeWithTheQuestion() async throws {
    let rest = """
      ,"device":{"daysSince":[{"type":"string","value":"event"}]},
      "answers":{"device.daysSince(\\"x\\")":{"type":"uint","value":4}}
      """
    let yes = #"{"Ok":{"type":"bool","value":true}}"#
    #expect(try await evaluate(#"device.daysSince("x") == 4"#, rest) == yes)
    #expect(try await evaluate(#"device.daysSince("y") == 4"#, rest) != yes)
  }

  @Test func eachGenerationIsAvailable() async throws {
    let expression = "user.tags[0] == \"a\" && \"7\" > 6"
    #expect(try await evaluate(expression).hasPrefix(#"{"Err":""#))
    let rest = #","evaluator":"numeric""#
    #expect(try await evaluate(expression, rest) == #"{"Ok":{"type":"bool","value":true}}"#)
    #expect(try await evaluate("user.filter", rest).contains(#""value":["filter",null]"#))
  }

  @Test func contextsWithoutTypesAreRefused() async throws {
    let server = try await TestServer()
    for body in [
      "{}", #"{"expression":3}"#, #"{"expression":"1","variables":{"map":{"user":3}}}"#,
      #"{"expression":"1","variables":{"map":{"user":{"type":"word","value":3}}}}"#,
      #"{"expression":"1","variables":{"map":{"user":{"type":"int","value":"3"}}}}"#,
    ] {
      let answer = try await server.post("/v1/superscript/evaluate", body)
      #expect(answer.status == 400)
      #expect(answer.code == "bad_request")
    }
    let deep = String(repeating: "(", count: 20_000) + "1" + String(repeating: ")", count: 20_000)
    let answer = try await server.post("/v1/superscript/evaluate", "{\"expression\":\"\(deep)\"}")
    #expect(answer.status == 200)
    #expect(answer.json["Err"] != nil)
  }
}
