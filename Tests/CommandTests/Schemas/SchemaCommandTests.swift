import Expressions
import Foundation
import Testing

/// `tollgate schema USERS`: what is learnt is what the lines have, in whatever form they come.
@Suite("Schemas learnt from users")
struct SchemaCommandTests {
  private static let users = """
    {"userId":"a","user":{"plan":"free","age":3,"tags":["x","y"],"n":null,"deep":{"k":1}}}
    {"userId":"b","user":{"plan":"pro","age":4.5,"tags":[],"deep":{"k":"s"}},"device":{"os":"17"}}
    {"userId":"c","user":{"plan":"pro","age":"7"},"params":{"page":2}}

    """

  private func learned(_ arguments: String...) throws -> Value {
    let result = try BuiltTool.run(["schema"] + arguments)
    #expect(result.code == 0, "\(result.errors)")
    return try Value.parse(json: result.output.utf8)
  }

  @Test func rowsOfTheWrongLengthAreRefusedAsInPrecompute() throws {
    let folder = try TestFolder()
    try folder.write("users.csv", "userId,user.plan\nu1,free\nu2\nu3,free,x\n")
    let result = try folder.tollgate("schema", "users.csv", "--strict")
    #expect(result.code == 3)
    #expect(
      result.output.contains("\"learned\": {\"users\": 1, \"refused\": 2}"), "\(result.output)")
  }

  /// What was learned serves rules and texts alike.
  @Test func textsAreCheckedWithWhatWasLearned() throws {
    let folder = try TestFolder()
    try folder.write(
      "schema.json", try BuiltTool.run("schema", TestFolder.demo + "/users.ndjson").output)
    try folder.write("good.liquid", "{{ user.plan }} {{ user.firstName | default: 'you' }}")
    try folder.write("bad.liquid", "{{ user.pln }}")
    let good = try folder.tollgate("check-template", "good.liquid", "--schema", "schema.json")
    #expect(good.code == 0, "\(good.errors)\(good.output)")
    let bad = try folder.tollgate("check-template", "bad.liquid", "--schema", "schema.json")
    #expect(bad.output.contains("did you mean 'plan'?"), "\(bad.errors)\(bad.output)")
    // Values of several types, and null alone.
    try folder.write(
      "u.ndjson",
      #"""
      {"userId":"a","user":{"x":1,"n":null}}
      {"userId":"b","user":{"x":"t"}}
      """#)
    try folder.write("mixed.json", try folder.tollgate("schema", "u.ndjson").output)
    try folder.write("mixed.liquid", "{{ user.x | default: 1 }} {{ user.n | default: 2 }}")
    let mixed = try folder.tollgate("check-template", "mixed.liquid", "--schema", "mixed.json")
    #expect(mixed.code == 0, "\(mixed.errors)\(mixed.output)")
  }

  @Test func whatTheLinesHave() throws {
    let folder = try TestFolder()
    let schema = try learned(try folder.write("u.ndjson", Self.users))
    let expected = try Value.parse(
      json: #"""
        {"user":{
          "age":{"type":"any","types":{"double":1,"int":1,"string":1},"required":true,"present":3,"share":1.0},
          "deep":{"type":"map","required":false,"present":2,"share":0.6667},
          "n":{"type":"any","types":{"null":1},"required":false,"present":1,"share":0.3333},
          "plan":{"type":"string","required":true,"present":3,"share":1.0},
          "tags":{"list":"string","required":false,"present":2,"share":0.6667}},
         "device":{"os":{"type":"string","required":false,"present":1,"share":0.3333}},
         "params":{"page":{"type":"int","min":2,"max":2,"required":false,"present":1,"share":0.3333}},
         "learned":{"users":3,"refused":0}}
        """#.utf8)
    #expect(schema == expected, "\(schema.json)")
  }

  /// The demo's users teach the same as a file, compressed, through a pipe and in several files.
  @Test func formsOfInput() throws {
    let folder = try TestFolder()
    let users = try Data(contentsOf: URL(filePath: TestFolder.demo + "/users.ndjson"))
    let whole = try folder.write("whole.ndjson", users)
    let expected = try learned(whole)
    let middle = try #require(users[(users.count / 2)...].firstIndex(of: UInt8(ascii: "\n"))) + 1
    let first = try folder.write("part-1.ndjson", users[..<middle])
    let second = try folder.write("part-2.ndjson", users[middle...])
    #expect(try learned(first, second) == expected)
    #expect(try learned(second, first) == expected)
    #expect(try learned(folder.path + "/part-*.ndjson") == expected)
    #expect(try folder.shell("gzip whole.ndjson").code == 0)
    #expect(try learned(whole + ".gz") == expected)
    let piped = try BuiltTool.run(["schema", "-"], input: users, isPiped: true)
    #expect(try Value.parse(json: piped.output.utf8) == expected)
  }

  @Test func tables() throws {
    let folder = try TestFolder()
    let text = "userId,user.plan,user.age\na,free,3\nb,pro,\n"
    let schema = try learned(try folder.write("u.csv", text))
    #expect(schema["user"]?["age"]?["type"] == "int")
    #expect(schema["user"]?["age"]?["present"] == 1)
    #expect(schema["learned"]?["users"] == 2)
    let named = try folder.write("table", text)
    #expect(try learned(named, "--users-format", "csv") == schema)
  }

  /// What is refused is counted and said; where everything is, there is no schema.
  @Test func refusedLines() throws {
    let folder = try TestFolder()
    let some = try folder.write("some.ndjson", Self.users + "nonsense\n{\"user\":\"x\"}\n")
    let result = try BuiltTool.run("schema", some)
    #expect(result.code == 0)
    #expect(result.errors.contains("2 lines rejected"))
    #expect(try Value.parse(json: result.output.utf8)["learned"]?["refused"] == 2)
    for text in ["", "nonsense\n", "[{\"userId\":\"a\"}]\n"] {
      let result = try BuiltTool.run("schema", try folder.write("none.ndjson", text))
      #expect(result.code == 2, "\(text)")
      #expect(result.output.isEmpty)
      #expect(result.errors.contains("error: "))
    }
  }

  @Test func filesThatCannotBe() throws {
    let folder = try TestFolder()
    let users = try folder.write("u.ndjson", Self.users)
    for (arguments, code) in [
      ([folder.path("missing.ndjson")], Int32(2)), ([folder.path], 2),
      ([users, "--out", users], 2), ([users, "--out", folder.path("no/such/folder.json")], 74),
    ] {
      let result = try BuiltTool.run(["schema"] + arguments)
      #expect(result.code == code, "\(arguments): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    #expect(folder.text("u.ndjson") == Self.users)
  }

  /// What was learnt, written to a file, is what `check --schema` takes.
  @Test func checkTakesIt() throws {
    let folder = try TestFolder()
    let users = try folder.write("u.ndjson", Self.users)
    #expect(try BuiltTool.run("schema", users, "--out", folder.path("s.json")).code == 0)
    let config = try folder.write(
      "c.json",
      Data(contentsOf: URL(filePath: TestFolder.config)))
    let result = try BuiltTool.run("check", config, "--schema", folder.path("s.json"))
    #expect(result.code < 2, "\(result.errors)")
    #expect(!result.errors.contains("s.json"))
  }
}
