import Foundation
import Testing

/// Scripts of users, with a config of their own or with the one of the corpus.
@Suite struct SimulateCommandTests {
  private static let corpus = URL(filePath: TestFolder.demo).deletingLastPathComponent().path
  private static let fixtures = corpus + "/sdk/fixtures"
  private let scenarios = corpus + "/sdk/sdk-scenarios.jsonl"

  /// With the config and the products of the corpus.
  private func simulate(_ arguments: String..., input: String = "") throws -> BuiltTool.Result {
    try BuiltTool.run(
      ["simulate", "--fixtures", Self.fixtures] + arguments, input: Data(input.utf8))
  }

  private func scenario(_ steps: String, _ more: String = "") -> String {
    "{\"suite\":\"sdk-scenarios\",\"id\":\"s-1\"\(more),\"steps\":[\(steps)]}"
  }

  private static let configure = #"{"do":"call","method":"configure","args":{"apiKey":"pk_1"}}"#
  private static let register =
    #"{"do":"call","method":"registerPlacement","args":{"placement":"gated"}}"#

  @Test func printsTranscripts() throws {
    let result = try simulate(scenarios, "--only", "buy-0")
    #expect(result.code == 0)
    #expect(result.lines.last == "8 passed, 0 failed")
    #expect(
      result.output.contains("the paywall: purchase {\"productId\":\"com.tollgate.pro.month\"}"))
    #expect(result.output.contains("reports  onPurchase productId=com.tollgate.pro.month"))
    let quiet = try simulate(scenarios, "--only", "buy-0", "--quiet")
    #expect(quiet.output == "8 passed, 0 failed\n")
  }

  @Test func saysWhatWasNotExpected() throws {
    let scenario = """
      {"suite":"sdk-scenarios","id":"s","title":"t","steps":[{"do":"call","method":"configure","args":{"apiKey":"pk"},\
      "state":{"lifecycle":"configFailed"}},{"do":"advance","ms":86400000}]}
      """
    let result = try simulate("-", input: scenario)
    #expect(result.code == 1)
    #expect(
      result.output.contains(
        "FAILED: step 0 (call configure): state.lifecycle: expected \"configFailed\", got \"configured\""
      ))
    #expect(result.lines.last == "0 passed, 1 failed")
    #expect(try simulate("-", input: "{\"id\":").errors.contains("-:1: "))
    #expect(try simulate("/no/such/file").code == 2)
  }

  // MARK: The config

  /// A config stands in the scenario or is named; without one there is nothing to simulate.
  @Test func configs() throws {
    let folder = try TestFolder()
    let config = try String(contentsOfFile: Self.fixtures + "/config.std.json", encoding: .utf8)
      .replacing("\n", with: "")
    let own = scenario(Self.configure, ",\"config\":\(config)")
    #expect(try BuiltTool.run("simulate", "-", input: own).code == 0)
    let path = try folder.write("own.json", config)
    for more in ["", #","config":"std""#, #","config":{"patch":{"build_id":"b"}}"#] {
      let script = scenario(Self.configure + "," + Self.register, more)
      let without = try BuiltTool.run("simulate", "-", input: script)
      #expect(without.code == 2)
      #expect(without.output == "0 passed, 0 failed, 1 could not be run\n")
      #expect(without.errors.contains("-:1: s-1: the scenario needs the config 'std'"))
      #expect(without.errors.contains("--config"))
      let with = try BuiltTool.run("simulate", "-", "--config", path, input: script)
      #expect(with.code == 0 && with.output.contains("asks     present identifier=pw_gated"))
    }
    let script = try folder.write(
      "script.jsonl", scenario(Self.configure + "," + Self.register))
    let piped = try BuiltTool.run("simulate", script, "--config", "-", input: config)
    #expect(piped.code == 0, "\(piped.errors)")
    let both = try BuiltTool.run("simulate", "-", "--config", "-", input: own)
    #expect(both.code == 2 && both.errors.contains("only one file can be standard input"))
    let missing = try BuiltTool.run("simulate", "-", "--config", folder.path("no"), input: own)
    #expect(missing.code == 2 && missing.errors.contains("cannot open"))
    let broken = try BuiltTool.run(
      "simulate", "-", "--config", try folder.write("broken.json", "{"), input: own)
    #expect(broken.code == 2 && broken.errors.contains("broken.json: "))
  }

  /// Fixtures of one's own are read as strictly as scenarios.
  @Test func fixturesOfOnesOwn() throws {
    let missing = try BuiltTool.run("simulate", scenarios, "--fixtures", "/no/such/folder")
    #expect(missing.code == 2 && missing.errors.contains("config.std.json"))
    let folder = try TestFolder()
    try folder.write(
      "config.std.json", #"{"build_id":"b","trigger_options":[],"paywall_responses":[]}"#)
    func run(_ products: String) throws -> BuiltTool.Result {
      try folder.write("products.json", products)
      return try BuiltTool.run(
        "simulate", "-", "--fixtures", folder.path, input: scenario(Self.configure))
    }
    #expect(try run(#"{"a":{"price":1}}"#).code == 0)
    #expect(try run(#"{"a":{"prize":1}}"#).errors.contains("did you mean 'price'?"))
    #expect(try run(#"{"a":{"locale":"en"}}"#).code == 2)
    #expect(try run("{").code == 2)
  }

  // MARK: What cannot be run

  @Test func whatCannotBeRun() throws {
    let good = scenario(Self.configure)
    let misspelt = scenario(#"{"do":"cal","method":"reset"}"#)
    let result = try simulate("-", "--quiet", input: "\n" + misspelt + "\n" + good)
    #expect(result.code == 2)
    #expect(result.errors.contains("-:2: s-1: steps[0].do: there is no step 'cal'"))
    #expect(result.output == "1 passed, 0 failed, 1 could not be run\n")
    let whole = try simulate(TestFolder.config)
    #expect(whole.code == 2)
    #expect(whole.errors.contains("is a config, not a file of scenarios"))
    #expect(whole.errors.split(separator: "\n").count == 1)
    let many = try simulate("-", input: String(repeating: "{\"a\":1}\n", count: 25))
    #expect(many.code == 2)
    #expect(many.errors.hasSuffix("error: 5 more lines of - cannot be run\n"))
    #expect(many.output == "0 passed, 0 failed, 25 could not be run\n")
    let broken = try simulate("-", input: "{\"id\":\"a\",}")
    #expect(broken.code == 2 && broken.errors.contains("remove the comma"))
  }

  @Test func nothingWasSimulated() throws {
    let filtered = try simulate(scenarios, "--only", "own-zzz")
    #expect(filtered.code == 2)
    #expect(filtered.errors.contains("begins with 'own-zzz'"))
    for input in ["", "\n\n"] { #expect(try simulate("-", input: input).code == 2) }
    let skipped = scenario(Self.configure, #","skip":"D1""#)
    let none = try simulate("-", input: skipped)
    #expect(none.code == 2 && none.errors.contains("all are skipped"))
    let both = try simulate("-", input: scenario(Self.configure) + "\n" + skipped)
    #expect(both.code == 0 && both.lines.last == "1 passed, 0 failed, 1 skipped")
    #expect(both.lines.contains("s-1: skipped, D1"))
    let quiet = try simulate(
      "-", "--quiet", input: scenario(Self.configure) + "\n" + skipped)
    #expect(quiet.code == 0 && !quiet.output.contains("skipped, D1"))
  }

  /// A request that no rule answers is marked.
  @Test func requestsThatNobodyAnswers() throws {
    let localised = #","config":{"patch":{"localization":{"locales":[{"locale":"en_US"}]}}}"#
    let result = try simulate(
      "-", input: scenario(Self.configure + "," + Self.register, localised))
    #expect(
      result.output.contains("GET /api/v1/paywall/pw_gated  (404: no backend rule answers it)"))
    #expect(!result.output.contains("static_config  (404"))
  }
}
