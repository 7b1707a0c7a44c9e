import Expressions
import Foundation
import Testing

@testable import SDK
@testable import Scenarios
@testable import conformance

private let corpus = Conformance.corpus

/// A word that a case or a scenario should not have is told, wherever it stands.
@Suite("Words of cases and scenarios")
struct CaseWordsTests {
  // MARK: Shapes

  @Test(
    arguments: [
      (#"{"a":1,"b":{"c":1}}"#, nil), (#"{"x":1}"#, ": 'x' is not a key here"),
      (#"{"b":{"d":1}}"#, "b: 'd' is not a key here"), (#"{"b":[]}"#, "b: this must be an object"),
      (#"{"l":[{"e":1},{"ee":1}]}"#, "l[1]: 'ee' is not a key here; did you mean 'e'?"),
      (#"{"l":{}}"#, "l: this must be a list"), (#"{"w":"one"}"#, nil),
      (#"{"w":"on"}"#, "w: there is no 'on'; did you mean 'one'?"),
      (#"{"w":5}"#, "w: this must be a string"), (#"{"ws":["one","three"]}"#, "ws[1]: there is no"),
      (#"{"m":{"any":{"f":1},"other":{"g":1}}}"#, "m.other: 'g' is not a key here"),
      (#"{"t":5,"p":{"q":1}}"#, nil), (#"{"t":{"uu":1}}"#, "t: 'uu' is not a key here"),
      (#"{"p":{"qq":1}}"#, "p: 'qq' is not a key here"), (#"{"b":null,"w":null}"#, nil),
      (#"{"b":{"$any":true},"w":{"$float":1}}"#, nil),
      (#"{"b":{"$any":true,"c":1}}"#, "b: '$any' is not a key here"),
    ] as [(String, String?)])
  func shapes(json: String, problem: String?) throws {
    let shape = KeyShape(
      "a b{c} l[e] w=(one two) ws=[one two] m<{f}> t~{u} p=$part", parts: ["part": "{q}"])
    let found = shape.problem(in: try Value.parse(json: json.utf8))?.text
    if let problem {
      #expect((found.map { ": \($0)" } ?? "").contains(problem), "\(found ?? "nothing")")
    } else {
      #expect(found == nil)
    }
  }

  // MARK: Cases

  /// Up to two cases of each suite, kind and operation.
  private func samples() -> [Case] {
    var counts: [String: Int] = [:]
    var samples: [Case] = []
    for file in (try? CaseFile.paths(under: corpus)) ?? [] {
      for testCase in (try? CaseFile.read(file)) ?? [] where testCase.suite != "sdk-scenarios" {
        let content = testCase.content
        let kind =
          [testCase.suite, content["kind"]?.text, content["input"]?["op"]?.text]
          .compactMap { $0 }.joined(separator: " ")
        guard counts[kind, default: 0] < 2 else { continue }
        counts[kind, default: 0] += 1
        samples.append(testCase)
      }
    }
    return samples
  }

  private func problem(_ testCase: Case, _ content: Value) -> String? {
    CaseShapes.problem(in: content, suite: testCase.suite)?.text
  }

  /// Every suite that is run has its shapes, and every case of the corpus fits them.
  @Test func everySuiteHasShapes() {
    #expect(
      Set(CaseShapes.suites) == Set(CaseSuites.runners.keys).subtracting(["sdk-scenarios"]))
    let samples = samples()
    #expect(samples.count > 80)
    for testCase in samples { #expect(problem(testCase, testCase.content) == nil) }
  }

  /// No key can be misspelt without a word.
  @Test func misspeltKeys() {
    for testCase in samples() {
      var paths = testCase.content.keyNames.map { [$0] }
      for part in ["input", "expect"] {
        // Whole values, and what has names of its own, are not looked into.
        if part == "expect", ["pricing", "liquid", "paywall-strings"].contains(testCase.suite) {
          continue
        }
        paths += (testCase.content[part]?.keyNames ?? []).map { [part, $0] }
      }
      for path in paths where !["suite", "id"].contains(path[0]) {
        let misspelt = testCase.content.renaming(path[...], to: (path.last ?? "") + "z")
        let found = problem(testCase, misspelt)
        #expect(found != nil, "\(testCase.suite) \(testCase.id): \(path)")
      }
    }
  }

  /// Nor a kind or an operation.
  @Test func misspeltKinds() {
    for testCase in samples() {
      for path in [["kind"], ["input", "op"]] {
        guard
          let word = testCase.content[path[0]]?[path.last ?? ""]?.text
            ?? (path.count == 1 ? testCase.content["kind"]?.text : nil)
        else { continue }
        // Only for sorting, in this suite.
        if testCase.suite == "paywall-strings" { continue }
        let misspelt = testCase.content.setting(path[...], to: .string(word + "z"))
        #expect(problem(testCase, misspelt) != nil, "\(testCase.suite) \(testCase.id): \(path)")
      }
    }
  }

  @Test(
    arguments: [
      (#"{"suite":"tollgate-expresions","id":"x"}"#, "did you mean 'tollgate-expressions'?"),
      (
        #"{"suite":"tollgate-expressions","id":"x","expresion":"1","expect":{"value":1}}"#,
        "did you mean 'expression'?"
      ),
      (
        #"{"suite":"tollgate-expressions","id":"x","expression":"1","expect":{}}"#,
        "nothing is expected"
      ),
      (
        #"{"suite":"tollgate-expressions","id":"x","expression":"1","expect":{"vale":1}}"#,
        "expect: 'vale' is not a key here; did you mean 'value'?"
      ),
      (
        #"{"suite":"superscript","id":"x","expression":"1","context":"nowhere","expect":{"value":1}}"#,
        "no context 'nowhere'"
      ),
      (
        #"{"suite":"superwall-rules","id":"x","kind":"rule","input":{"op":"evaluateRul"},"expect":{"a":1}}"#,
        "did you mean 'evaluateRule'?"
      ),
      (
        #"{"suite":"agentwallie","id":"x","kind":"filtr","input":{},"expect":{"match":true}}"#,
        "did you mean 'filter'?"
      ),
      (
        #"{"suite":"cel","id":"x","expr":"1","needs":["ext:string"],"expect":{"value":{"int":"1"}}}"#,
        "did you mean 'ext:strings'?"
      ),
      (#"{"suite":"agentwallie","id":"x","input":{},"expect":{"match":true}}"#, "no 'kind'"),
      (#"{"id":"x"}"#, "has no 'suite'"),
      (#"{"suit":"cel","id":"x"}"#, "has no 'suite'; rename 'suit' to 'suite' if that was meant"),
      (#"{"suite":"cel"}"#, "has no 'id'"),
      ("[]", "a case must be a JSON object"), (#"{"suite":"cel",}"#, "remove the comma"),
    ])
  func linesThatCannotRun(line: String, message: String) throws {
    let good =
      #"{"suite":"tollgate-expressions","id":"good","expression":"1","expect":{"value":1}}"#
    let result = Conformance.run("-", input: "\n\(line)\n\(good)\n")
    #expect(result.code == 2)
    // The line is told with its number, and the others run all the same.
    #expect(result.errors.contains("-:2: "), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.lines.last == "1 passed, 0 failed, 0 skipped")
  }

  /// Where no case ran, nothing was shown.
  @Test func nothingRan() throws {
    for input in ["", "\n \n"] {
      let result = Conformance.run("-", input: input)
      #expect(result.code == 2)
      #expect(result.errors.contains("has no cases"))
    }
    let skipped =
      #"{"suite":"cel","id":"x","expr":"1","skip":"why","expect":{"value":{"int":"1"}}}"#
    let result = Conformance.run("-", input: skipped)
    #expect(result.code == 2)
    #expect(result.errors.contains("all cases are skipped"))
    let folder = Conformance.run(corpus + "/demo")
    #expect(folder.code == 2)
    #expect(folder.errors.contains("no case files"))
    #expect(Conformance.run(corpus + "/own/assignment.jsonl", "--support", "/no/such").code == 2)
  }

  /// What is not a file of cases is told once, and not line by line.
  @Test func otherFiles() {
    let whole = Conformance.run(corpus + "/demo/config.json")
    #expect(whole.code == 2)
    #expect(
      whole.errors.contains("the file is one JSON value of 1514 lines; write one object per line"))
    #expect(whole.errors.split(separator: "\n").count == 1)
    let lines = String(repeating: "{\"a\":1}\n", count: Refusals.shownLines)
    for (more, told) in [
      (0, nil), (1, "error: 1 more line of - cannot be run"),
      (5, "error: 5 more lines of - cannot be run"),
    ] as [(Int, Substring?)] {
      let input = lines + String(repeating: "[]\n", count: more)
      let result = Conformance.run("-", input: input)
      #expect(result.code == 2)
      let errors = result.errors.split(separator: "\n")
      #expect(errors.count == Refusals.shownLines + (told == nil ? 0 : 1))
      #expect(told == nil || errors.last == told)
    }
  }

  // MARK: Scenarios

  private static let scenarios: [Value] = {
    let files = ["sdk/sdk-scenarios.jsonl", "own/sdk-scenarios.jsonl"]
    return files.flatMap { (try? CaseFile.read("\(corpus)/\($0)")) ?? [] }.map(\.content)
  }()

  private func problem(_ scenario: Value) throws -> String? {
    ScenarioCheck.problem(in: scenario, fixtures: try Fixtures.standard.get())?.text
  }

  /// The keys, steps, methods, actions and names that scenarios have, each misspelt once.
  @Test func misspeltScenarios() throws {
    let fixtures = try Fixtures.standard.get()
    func isTold(_ scenario: Value) -> Bool {
      ScenarioCheck.problem(in: scenario, fixtures: fixtures) != nil
    }
    #expect(Self.scenarios.count > 150)
    var seen: Set<String> = []
    func isNew(_ words: String?...) -> Bool {
      seen.insert(words.map { $0 ?? "" }.joined(separator: " ")).inserted
    }
    for scenario in Self.scenarios {
      let id = scenario["id"]?.text ?? ""
      #expect(!isTold(scenario), "\(id)")
      for key in scenario.keyNames where key != "suite" && key != "id" && isNew(key) {
        #expect(isTold(scenario.renaming([key], to: key + "z")), "\(id): \(key)")
      }
      for part in ["store", "presenter", "storage"] {
        for key in scenario[part]?.keyNames ?? [] where isNew(part, key) {
          #expect(isTold(scenario.renaming([part, key], to: key + "z")), "\(id): \(part).\(key)")
        }
      }
      let steps = scenario["steps"]?.elements ?? []
      for (index, step) in steps.enumerated() {
        func with(_ step: Value) -> Value {
          var steps = steps
          steps[index] = step
          return scenario.setting(["steps"], to: .list(steps))
        }
        let word = step["method"]?.text ?? step["action"]?.text
        for key in step.keyNames where isNew(step["do"]?.text, key) {
          #expect(isTold(with(step.renaming([key], to: key + "z"))), "\(id) \(index): \(key)")
        }
        let isUnknown = step["unknownMethod"] != nil
        for key in ["do", "method", "action", "endpoint", "of"]
        where !(key == "method" && isUnknown) {
          guard let word = step[key]?.text, isNew("is", key, word) else { continue }
          let misspelt = with(step.setting([key], to: .string(word + "z")))
          #expect(isTold(misspelt), "\(id) \(index): \(key) \(word)")
        }
        let hasMethod = step["method"]?.text.map { Bridge.methods.contains($0) } ?? true
        for part in ["args", "with", "expect", "state"] where hasMethod {
          for key in step[part]?.keyNames ?? [] where isNew(word, part, key) {
            #expect(
              isTold(with(step.renaming([part, key], to: key + "z"))),
              "\(id) \(index): \(part).\(key)")
          }
        }
        for (number, entry) in (step["events"]?.elements ?? []).enumerated() {
          for key in ["ev", "sw", "host"] {
            guard let name = entry[key]?.text, isNew("entry", key, name) else { continue }
            var entries = step["events"]?.elements ?? []
            entries[number] = entry.setting([key], to: .string(name + "z"))
            #expect(isTold(with(step.setting(["events"], to: .list(entries)))), "\(id): \(name)")
          }
        }
      }
    }
  }

  @Test func everyMethodHasArguments() {
    #expect(Set(ScenarioShapes.arguments.keys) == Set(Bridge.methods))
  }

  private func scenario(_ steps: String, _ more: String = "") -> String {
    "{\"suite\":\"sdk-scenarios\",\"id\":\"s-1\"\(more),\"steps\":[\(steps)]}"
  }

  private static let configure = #"{"do":"call","method":"configure","args":{"apiKey":"pk_1"}}"#

  @Test(
    arguments: [
      (
        #"{"do":"cal","method":"reset"}"#, "",
        "steps[0].do: there is no step 'cal'; did you mean 'call'?"
      ),
      (#"{"do":"call","method":"registerPlacment"}"#, "", "did you mean 'registerPlacement'?"),
      (
        #"{"do":"call","method":"registerPlacement","args":{"placemnt":"p"}}"#, "",
        "steps[0].args: 'placemnt' is not a key here; did you mean 'placement'?"
      ),
      (#"{"do":"call","mehod":"reset"}"#, "", "steps[0]: 'mehod' is not a key here; did you mean"),
      (#"{"do":"call","method":"reset","expect":{}}"#, "", "expect: this needs one of 'value',"),
      (#"{"do":"call","method":"reset","expect":null}"#, "", "expect: this needs one of 'value',"),
      (
        #"{"do":"call","method":"reset","expect":{"value":null,"error":{}}}"#, "",
        "expect: this needs one of 'value',"
      ),
      (#"{"do":"call","method":"reset","expect":{"pending":false}}"#, "", "this must be true"),
      (
        #"{"do":"call","method":"reset","expect":{"pending":true,"complete":true}}"#, "",
        "this must be true or false, and requires 'value'"
      ),
      (
        #"{"do":"call","method":"reset","expect":{"error":{"coed":"unsupported"}}}"#, "",
        "steps[0].expect.error: 'coed' is not a key here; did you mean 'code'?"
      ),
      (
        #"{"do":"call","method":"configur","expect":{"error":{}}}"#, "",
        "steps[0].method: there is no method 'configur'; did you mean 'configure'?"
      ),
      (
        #"{"do":"call","method":"configur","expect":{"error":{"code":"unsupported"}}}"#, "",
        "did you mean 'configure'?"
      ),
      (
        #"{"do":"call","method":"reset","unknownMethod":true}"#, "",
        "steps[0].unknownMethod: the method 'reset' exists; omit 'unknownMethod'"
      ),
      (
        #"{"do":"call","method":"nix","unknownMethod":false}"#, "",
        "steps[0].unknownMethod: this must be true or omitted"
      ),
      (#"{"do":"call","unknownMethod":true}"#, "", "steps[0].method: there is no method ''"),
      (
        configure, #","storage":{"status":{"status":"INACTIV"}}"#,
        "storage.status.status: there is no 'INACTIV'; did you mean 'INACTIVE'?"
      ),
      (configure, #","storage":{"status":"INACTIVE"}"#, "storage.status: this must be an object"),
      (configure, #","skip":true"#, "skip: expected a reason as a string, got true"),
      (configure, #","skip":"""#, "skip: expected a reason"),
      (#"{"do":"call"}"#, "", "no method ''"), (#"{"method":"reset"}"#, "", "the step has no 'do'"),
      (#"{"do":"presenter","action":"clos"}"#, "", "did you mean 'close'?"),
      (#"{"do":"app","action":"forground"}"#, "", "did you mean 'foreground'?"),
      (
        #"{"do":"app","action":"storeTransaction","with":{"productId":"com.tollgate.pro.mont"}}"#,
        "",
        "did you mean 'com.tollgate.pro.month'?"
      ),
      (#"{"do":"advance","ms":"5"}"#, "", "number of milliseconds"),
      (#"{"do":"advance","ms":-1}"#, "", "number of milliseconds"),
      (#"{"do":"advance"}"#, "", "number"),
      (#"{"do":"result","of":"r"}"#, "", "no earlier call 'r'"),
      (#"{"do":"unsubscribe","id":"s"}"#, "", "no subscriber 's'"),
      (#"{"do":"subscribe","id":"s","callbacks":["onPurchas"]}"#, "", "did you mean 'onPurchase'?"),
      (configure, #","platform":"androd""#, "did you mean 'android'?"),
      (configure, #","config":"sdt""#, "did you mean 'std'?"),
      (configure, #","config":{"patch":{"triger_options":[]}}"#, "did you mean 'trigger_options'?"),
      (configure, #","config":{"patch":{"+trigger_options":{}}}"#, "must be a list"),
      (configure, #","observe":["sw:triggerFir"]"#, "did you mean 'triggerFire'?"),
      (configure, #","ignore":["didDismissPaywal"]"#, "did you mean 'didDismissPaywall'?"),
      (
        configure, #","store":{"owned":["com.tollgate.coin"]}"#,
        "did you mean 'com.tollgate.coins'?"
      ),
      (configure, #","store":{"purchase":[{"type":"pendin"}]}"#, "did you mean 'pending'?"),
      (configure, #","presenter":{"directives":[]}"#, "'directives' is not a key here"),
      (configure, #","backend":[{"method":"PUT","path":"/a","replies":[]}]"#, "no 'PUT'"),
      (configure, #","backend":[{"method":"GET","path":"a","replies":[]}]"#, "must begin with '/'"),
      (
        configure, #","backend":[{"method":"GET","path":"/a","replies":[{"staus":500}]}]"#,
        "did you mean 'status'?"
      ),
      (#"{"do":"call","method":"reset","noRequests":["/api"]}"#, "", "no request begins with"),
      (#"{"do":"call","method":"reset","events":[{"sv":"reset"}]}"#, "", "'sv' is not a key here"),
      (
        #"{"do":"call","method":"reset","events":[{"p":{}}]}"#, "",
        "must have 'ev', 'sw', 'host' or 'to'"
      ),
      (
        #"{"do":"call","method":"reset","events":[{"optional":{"sw":"rset"}}]}"#, "",
        "did you mean 'reset'?"
      ),
      (
        #"{"do":"call","method":"reset","expect":{"value":{"a":{"$captur":"x"}}}}"#, "",
        "no matcher '$captur'; did you mean '$capture'?"
      ),
      (
        #"{"do":"call","method":"reset","expect":{"value":{"$any":"text"}}}"#, "",
        "'$any' is true or"
      ),
      (
        #"{"do":"call","method":"identify","args":{"userId":{"$use":"u"}}}"#, "",
        "no captured value 'u'"
      ),
      ("", "", "needs at least one step"), ("5", "", "a step must be an object"),
    ])
  func scenariosThatCannotRun(steps: String, more: String, message: String) throws {
    let good = scenario(Self.configure).replacing("s-1", with: "good")
    let result = Conformance.run("-", input: "\n" + scenario(steps, more) + "\n" + good)
    #expect(result.code == 2)
    #expect(result.errors.contains("-:2: s-1: "), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
    // The others run all the same, and nothing of this one is as expected.
    #expect(result.output == "1 passed, 0 failed, 0 skipped\n")
  }

  /// A method that is not there where that is the point.
  @Test func unsupportedSteps() {
    let unknown =
      #"{"do":"call","method":"nix","unknownMethod":true,"expect":{"error":{"code":"unsupported"}}}"#
    #expect(Conformance.run("-", input: scenario(unknown)).code == 0)
    let wrong = unknown.replacing("unsupported", with: "other")
    #expect(Conformance.run("-", input: scenario(wrong)).code == 1)
  }

  @Test func headsOfScenarios() {
    let good = scenario(Self.configure)
    func run(_ old: String, _ new: String) -> Conformance.Result {
      Conformance.run("-", input: good.replacing(old, with: new))
    }
    #expect(run("", "").code == 0)
    let misspelt = run("sdk-scenarios", "sdk-scenario")
    #expect(misspelt.code == 2 && misspelt.errors.contains("did you mean 'sdk-scenarios'?"))
    let noSuite = run(#""suite":"sdk-scenarios","#, "")
    #expect(noSuite.code == 2 && noSuite.errors.contains("has no 'suite'"))
    let noID = run(#""id":"s-1","#, "")
    #expect(noID.code == 2 && noID.errors.contains("has no 'id'"))
    for skip in ["true", "1", "null", "{}", #""""#] {
      let refused = run(#""id":"#, #""skip":\#(skip),"id":"#)
      #expect(refused.code == 2 && refused.errors.contains("skip: expected a reason"), "\(skip)")
    }
    let skipped = good.replacing(#""id":"#, with: #""skip":"D1","id":"#)
    let both = Conformance.run("-", input: good + "\n" + skipped)
    #expect(both.code == 0 && both.lines.last == "1 passed, 0 failed, 1 skipped")
    let none = Conformance.run("-", input: skipped)
    #expect(none.code == 2 && none.errors.contains("all cases are skipped"))
  }

  @Test func anyOfAKind() {
    let status =
      #"{"do":"call","method":"getConfigurationStatus","expect":{"value":{"$any":KIND}}}"#
    func code(_ kind: String) -> Int32 {
      Conformance.run("-", input: scenario(status.replacing("KIND", with: kind))).code
    }
    #expect(code("true") == 0)
    #expect(code("\"string\"") == 0)
    #expect(code("\"number\"") == 1)
    #expect(code("\"object\"") == 1)
  }
}
