import Expressions
import Service
import Testing

@Suite struct APISchemaTests {
  @Test(arguments: [
    (#"{"type":"string"}"#, #""x""#, true), (#"{"type":"string"}"#, "3", false),
    (#"{"type":["string","null"]}"#, "null", true), (#"{"type":"integer"}"#, "2.0", true),
    (#"{"type":"integer"}"#, "2.5", false), (#"{"type":"number"}"#, "2.5", true),
    (#"{"type":"string","minLength":1}"#, #""""#, false), (#"{"enum":["a",1]}"#, "1", true),
    (#"{"enum":["a",1]}"#, #""b""#, false), ("{}", "[1]", true),
    (#"{"type":"array","items":{"type":"boolean"}}"#, "[true,false]", true),
    (#"{"type":"array","items":{"type":"boolean"}}"#, "[true,0]", false),
    (#"{"type":"array","maxItems":1}"#, "[1,2]", false),
    (#"{"type":"object","required":["a"]}"#, #"{"a":null}"#, true),
    (#"{"type":"object","required":["a"]}"#, "{}", false),
    (#"{"properties":{"a":{"properties":{"b":{"type":"null"}}}}}"#, #"{"a":{"b":1}}"#, false),
    (#"{"properties":{"a":{"type":"null"}}}"#, #"{"b":1}"#, true),
  ])
  func valuesAreHeldAgainstThem(schema: String, value: String, isValid: Bool) throws {
    let problem = APISchema.problem(
      in: try Value.parse(json: value.utf8), by: try Value.parse(json: schema.utf8))
    #expect((problem == nil) == isValid, "\(problem ?? "")")
  }

  @Test func theyNameThePlace() throws {
    let schema = APISchema.object(["a": APISchema.list(APISchema.object(["b": APISchema.truth]))])
    let value = try Value.parse(json: #"{"a":[{},{"b":"x"}]}"#.utf8)
    #expect(
      APISchema.problem(in: value, by: schema) == "'a[1].b' is a string, not a boolean")
  }
}
