import Expressions
import Foundation
import Testing

/// What is given in place of what a command reads: half a file, another file, a misspelt name. All of
/// it is wrong use, and the place is told.
@Suite("Wrong input")
struct WrongInputTests {
  private static let template = "line one\nline two\nline three\n{{ products.primary.price | nix }}"

  // MARK: Options

  /// Of two values the last one would be used without a word.
  @Test(arguments: [
    (["fmt", "-e", "a", "--expression", "b"], "--expression"),
    (["check", "c.json", "--platform", "ios", "--platform", "web"], "--platform"),
    (["check", "--platform=ios", "c.json", "--platform", "ios"], "--platform"),
    (
      ["decide", "c.json", "--placement", "a", "--user", "u.json", "--placement", "b"],
      "--placement"
    ),
    (
      ["precompute", "c.json", "--users", "u.ndjson", "--out", "a", "--now", "x", "--out", "b"],
      "--out"
    ),
  ])
  func optionsGivenTwice(arguments: [String], name: String) throws {
    let folder = try TestFolder()
    let result = try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(
      result.errors.hasPrefix(
        "error: \(name) is given twice, but allows only one value\nUsage: tollgate "
          + arguments[0]), "\(result.errors)")
    #expect(folder.names.isEmpty)
  }

  /// Several values, flags, and what stands behind `--`.
  @Test func optionsGivenOften() throws {
    let folder = try TestFolder()
    try folder.write("--json", Data(contentsOf: URL(filePath: TestFolder.config)))
    #expect(try folder.tollgate("check", "--json", "--quiet", "--", "--json").code == 0)
    #expect(try folder.tollgate("check", "--quiet", "--quiet", TestFolder.config).code == 0)
    let result = try folder.tollgate(
      "explain", TestFolder.config, "--placement", "export_report", "--user",
      TestFolder.demo + "/user.json", "--set", "user.plan=pro", "--set", "user.seed=3")
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test(arguments: [
    ["check-template", "-", "--schema", "-"], ["products", "-", "--products", "-"],
    ["render", "-", "--user", "-"], ["decide", "-", "--placement", "p", "--user", "-"],
  ])
  func standardInputIsReadOnce(arguments: [String]) throws {
    let result = try BuiltTool.run(arguments, input: Data())
    #expect(result.code == 2)
    #expect(result.errors.hasPrefix("error: only one file can be standard input\n"))
  }

  // MARK: check-template

  @Test(arguments: [
    ("b.json", "{", "b.json:1:2"), ("b.json", "", "b.json:1:1"), ("b.json", "hello", "b.json:1:1"),
    ("b.json", "[1,]", "b.json:1:4"), ("b.json", "[]", "not a JSON object"),
    ("b.json", "5", "not a JSON object"), ("b.json", "{}", "neither texts"),
    ("b.txt", "{", "b.txt:1:2"), ("b.txt", " {\n", "b.txt:2:1"),
    ("b.txt", "{ \"paywalls\": {\n", "b.txt:2:1"), ("b.txt", "{}", "neither texts"),
    (
      "texts.json", #"{"paywalls":{"a":{"b":"{{ user.a }}"}}"#, "texts.json:1:39"
    ),
    (
      "texts.json", #"{"paywals":{"a":{"b":"{{ user.a }}"}}}"#,
      "'paywals' is not read; did you mean 'paywalls'?"
    ),
    ("texts.json", #"{"paywalls":5}"#, "this file contains no paywall texts"),
    ("schema.json", #"{"component":[]}"#, "did you mean 'components'?"),
  ])
  func filesThatAreNeitherTextsNorATemplate(name: String, text: String, told: String) throws {
    let folder = try TestFolder()
    try folder.write(name, text)
    let result = try folder.tollgate("check-template", name)
    #expect(result.code == 2, "\(result.output)")
    #expect(result.output == "")
    #expect(result.errors.contains(told), "\(result.errors)")
    let piped = try BuiltTool.run("check-template", "-", input: text)
    if name.hasSuffix(".txt") {
      #expect(piped.code == 2)
      #expect(piped.errors.contains(told.replacing("b.txt", with: "standard input")))
    }
  }

  /// Braces of templates begin otherwise.
  @Test(arguments: [
    "{{ user.a }}", "{% if user.a %}a{% endif %}", "{ user }", "5", "[a]", "<< a >>",
  ])
  func templatesAreNoJSON(text: String) throws {
    #expect(try BuiltTool.run("check-template", "-", input: text).errors == "")
  }

  @Test func checkTemplateNeedsAConfig() throws {
    let folder = try TestFolder()
    try folder.write("o.json", "{}")
    try folder.write("a.liquid", "text")
    let result = try folder.tollgate("check-template", "a.liquid", "--config", "o.json")
    #expect(result.code == 2)
    #expect(result.errors.contains("error: o.json is not a config: 'trigger_options' is missing"))
  }

  @Test func checkTemplateTellsPlaces() throws {
    let folder = try TestFolder()
    try folder.write("a.liquid", Self.template)
    try folder.write("t.json", "{\"paywalls\": {\n \"a\": {\"b\": \"é\\n{{ 1 | nix }}\"}}}")
    let text = try folder.tollgate("check-template", "a.liquid")
    #expect(text.output.contains("--> a.liquid:4:29\n"), "\(text.output)")
    let texts = try folder.tollgate("check-template", "t.json")
    #expect(texts.output.contains("--> t.json:2:24: paywalls.a.b\n"), "\(texts.output)")
    for (name, line, column) in [("a.liquid", 4, 29), ("t.json", 2, 24)] {
      let found = try folder.tollgate("check-template", name, "--json")
      let value = try Value.parse(json: try #require(found.lines.first).utf8)
      #expect(value["file"] == .string(name))
      #expect(value["line"] == .int(Int64(line)), "\(value.json)")
      #expect(value["column"] == .int(Int64(column)), "\(value.json)")
    }
  }

  // MARK: render

  @Test(arguments: ["headline.liqid", "a.liquid", "page.html", "b.txt", "texts.json", "no/such"])
  func namesOfFilesThatAreNotThere(name: String) throws {
    let folder = try TestFolder()
    let result = try folder.tollgate("render", name)
    #expect(result.code == 2)
    #expect(result.output == "")
    let isNamed = ["does not exist", "No such file"].contains { result.errors.contains($0) }
    #expect(isNamed, "\(result.errors)")
    #expect(result.errors.contains(name))
    try FileManager.default.createDirectory(
      atPath: folder.path("no"), withIntermediateDirectories: true)
    try folder.write(name, "there")
    #expect(try folder.tollgate("render", name).output == "there\n")
  }

  @Test(arguments: ["text", "Hello, world.", "see a.txt", "{{ 'a.txt' }}", "3.5"])
  func textsThatAreNoNames(text: String) throws {
    #expect(try BuiltTool.run("render", text).code == 0)
  }

  @Test func renderTellsPlaces() throws {
    let folder = try TestFolder()
    try folder.write("a.liquid", "a\n  {{ 5 | divided_by: 0 }}")
    let result = try folder.tollgate("render", "a.liquid")
    #expect(result.errors.contains("division by zero"))
    #expect(result.errors.contains("\n  --> a.liquid:2:3\n"), "\(result.errors)")
    let piped = try BuiltTool.run("render", "-", input: "{{ 5 | divided_by: 0 }}")
    #expect(piped.errors.contains("--> standard input:1:1\n"), "\(piped.errors)")
    #expect(piped.code == 0)
  }

  // MARK: JSON that is none, or something else

  @Test func brokenJSONIsWrongUse() throws {
    let folder = try TestFolder()
    try folder.write("b.json", "{\n \"paywalls\": {,}}")
    try folder.write("o.json", "{}")
    try folder.write("users.ndjson", TestFolder.users(2))
    for arguments in [
      ["render", "--paywall-schema", "b.json"], ["check-template", "b.json"],
      ["products", "b.json"],
      ["check-template", TestFolder.demo + "/export-trial.liquid", "--schema", "b.json"],
      ["precompute", TestFolder.config, "--users", "users.ndjson", "--render", "b.json"],
    ] {
      let result = try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path)
      #expect(result.code == 2, "\(arguments)")
      #expect(result.errors.contains("--> b.json:2:15"), "\(arguments) \(result.errors)")
      #expect(result.errors.contains("help: "), "\(result.errors)")
      #expect(result.output == "")
    }
    let render = try folder.precompute("--users", "users.ndjson", "--render", "o.json")
    #expect(render.code == 2)
    #expect(render.errors.contains("this file contains no paywall texts"))
    #expect(folder.names == ["b.json", "o.json", "users.ndjson"])
  }

  @Test(arguments: ["[]", #"{"products":[]}"#])
  func noProducts(text: String) throws {
    let result = try BuiltTool.run("products", "-", input: text)
    #expect(result.code == 2)
    #expect(result.errors == "error: standard input has no products\n")
    #expect(result.output == "")
  }

  @Test func formattingNeedsAConfig() throws {
    let folder = try TestFolder()
    try folder.write("foo.json", #"{"foo":1}"#)
    for options in [[], ["--check"], ["--write"]] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(), ["fmt", "foo.json"] + options, in: folder.path)
      #expect(result.code == 2)
      #expect(result.errors.contains("error: foo.json is not a config"), "\(result.errors)")
      #expect(result.output == "")
    }
    #expect(folder.text("foo.json") == #"{"foo":1}"#)
    try folder.write("empty.json", #"{"trigger_options":[]}"#)
    #expect(try folder.tollgate("fmt", "empty.json").code == 0)
  }

  /// The same place, with the same words, as `check` tells it.
  @Test func formattingTellsPlaces() throws {
    let folder = try TestFolder()
    try folder.write(
      "e.json",
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","#
        + #""expression_cel":"user.a ==","variants":[]}]}]}"#)
    let checked = try folder.tollgate("check", "e.json")
    let place = try #require(
      checked.lines.first { $0.contains("-->") && $0.contains("expression_cel") })
    #expect(try folder.tollgate("fmt", "e.json").errors.contains(place + "\n"))
    #expect(place.contains("e.json:1:"))
  }

  // MARK: Arguments

  @Test(arguments: [
    (["help", "chek"], "there is no command 'chek'; did you mean 'check'?"),
    (["chek", "c.json"], "there is no command 'chek'; did you mean 'check'?"),
    (["nosuch"], "there is no command 'nosuch'"), (["--nope"], "'--nope'"),
    (["check", "c.json", "--jsno"], "Did you mean '--json'?"),
    (["check", "c.json", "-q"], "'-q'"),
  ])
  func unknownWords(arguments: [String], told: String) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
    #expect(result.errors.contains(told), "\(result.errors)")
  }

  @Test func helpIsHelp() throws {
    for arguments in [
      ["help"], ["help", "check"], ["--help"], ["check", "--help"], ["help", "help"],
    ] {
      #expect(try BuiltTool.run(arguments).code == 0, "\(arguments)")
    }
  }

  @Test(arguments: [
    (
      ["decide", TestFolder.config, "--placement", "p", "--user", "{}", "--now", "-1"],
      "Missing value for '--now <time>'"
    ),
    (
      ["decide", TestFolder.config, "--user", "--placement", "p"],
      "Missing value for '--user <record>'"
    ),
    (["check", TestFolder.config, "--elsewhere=foo"], "--elsewhere must be off, on or strict"),
    (["check", "--elsewhere", "strct", TestFolder.config], "cannot open strct"),
    (["check", TestFolder.config, "--sarif", "out.sarif"], "write: --sarif > out.sarif"),
  ])
  func valuesThatNoOptionTakes(arguments: [String], told: String) throws {
    let result = try BuiltTool.run(arguments)
    #expect(result.code == 2)
    #expect(result.errors.contains(told), "\(result.errors)")
  }

  @Test func expressionsWithADash() throws {
    for arguments in [["-e=-1 < user.a"], ["-e", "-1 < user.a"], ["--expression", "-1 < user.a"]] {
      #expect(try BuiltTool.run(["fmt"] + arguments).output == "-1 < user.a\n")
    }
  }

  @Test(arguments: ["decide", "explain"])
  func usersInPlace(command: String) throws {
    func run(_ user: String) throws -> BuiltTool.Result {
      try BuiltTool.run(
        command, TestFolder.config, "--placement", "onboarding_done", "--user", user)
    }
    let list = try run(#"[{"userId":"a"}]"#)
    #expect(list.code == 2)
    #expect(list.errors.contains("a user record must be an object, but this is a list"))
    for user in ["", "  "] {
      let empty = try run(user)
      #expect(empty.code == 2)
      #expect(empty.errors.contains("--user is empty"), "\(empty.errors)")
    }
    #expect(try BuiltTool.run("render", "a", "--user", "").errors.contains("--user is empty"))
  }

  /// Errors name what they are about: the kind of a file, and the option and its value.
  @Test(arguments: [
    (["check", "users"], "this is a user record, not a config"),
    (
      ["precompute", TestFolder.config, "--users", "products", "--out", "none"],
      "products is a products file; users are one object per line"
    ),
    (
      ["precompute", TestFolder.config, "--users", "users", "--now", "noon"],
      "'noon' is not an ISO 8601 time"
    ),
    (
      ["precompute", TestFolder.config, "--users", "users", "--threads", "abc"],
      "The value 'abc' is invalid for '--threads <n>'"
    ),
  ])
  func whatErrorsAreAbout(arguments: [String], message: String) throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(3))
    try folder.write("products", "{\"products\":[\n{\"identifier\":\"a\"}]}\n")
    let result = try folder.tollgate(arguments)
    #expect(result.code != 0)
    #expect((result.output + result.errors).contains(message), "\(result.output + result.errors)")
  }
}
