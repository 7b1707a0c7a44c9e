internal import ArgumentParser
internal import Expressions
internal import SDK

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run scripted scenarios against a headless SDK.",
    discussion: """
      A scenario is one JSON object a line: a config, what the store and the backend answer, and \
      the steps of an app and its user. The clock is virtual, so a day takes milliseconds. What \
      happened is printed, with what was not as the scenario expects; the exit code is 1 then. It is \
      2 where a scenario cannot be run, because it says something that does not exist, and where \
      there is none. corpus/README.md tells the format.

      With --serve the command speaks the adapter protocol on standard input and output instead: \
      {"op":"begin","scenario":{..}} and {"op":"step","step":{..}}, one a line.
      """)

  @Argument(help: "Files with scenarios.")
  var scenarios: [String] = []

  @Flag(help: "Read steps from standard input, one JSON object per line.")
  var serve = false

  @Option(help: "Run only the scenarios whose id starts with this.")
  var only = ""

  @Flag(help: "Print only failures and the closing line.")
  var quiet = false

  @Option(help: "A folder with config.std.json and products.json, instead of the built-in ones.")
  var fixtures: String?

  @Option(help: "A StoreKit configuration file whose products the store sells too.")
  var storekit: String?

  func validate() throws {
    if serve, !scenarios.isEmpty { throw ValidationError("--serve takes no files") }
    if serve, !only.isEmpty { throw ValidationError("--only is for files, not for --serve") }
    if !serve, scenarios.isEmpty {
      throw ValidationError("Name a file with scenarios, or use --serve.")
    }
  }

  func run() throws {
    var fixtures = try Fixtures(folder: fixtures)
    if let storekit { try fixtures.add(storeKit: storekit) }
    if serve { return SimulationServer(fixtures).serve() }
    var results = ScenarioResults(only: only, isQuiet: quiet)
    for path in scenarios { results.run(path, fixtures) }
    FileText.print(results.closingLine)
    if let reason = results.nothingRan { throw CommandError(reason) }
    if !results.unusable.isEmpty { throw ExitCode(Ending.wrongUse) }
    if results.failed > 0 { throw ExitCode(1) }
  }
}

/// What came of the scenarios of several files.
struct ScenarioResults {
  let only: String
  let isQuiet: Bool
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped = 0
  /// Scenarios, and files, that could not be run.
  private(set) var unusable = Refusals()
  private var ids: [String] = []

  init(only: String, isQuiet: Bool) {
    self.only = only
    self.isQuiet = isQuiet
  }

  var closingLine: String {
    "\(passed) passed, \(failed) failed"
      + (skipped == 0 ? "" : ", \(skipped) skipped")
      + (unusable.isEmpty ? "" : ", \(unusable.count) could not be run")
  }

  /// Why no scenario was run at all, where nothing else says so.
  var nothingRan: String? {
    guard passed + failed + skipped + unusable.count == 0 else { return nil }
    let close = Suggestion.closest(to: only, among: ids).map { "; did you mean '\($0)'?" } ?? ""
    return "no scenario has an id that begins with '\(only)'\(close)"
  }

  mutating func run(_ path: String, _ fixtures: Fixtures) {
    let (ran, left, told) = (passed + failed, skipped, unusable.count)
    let lines: [Result<Case, CaseFileError>]
    do throws(CaseFileError) {
      lines = try CaseFile.lines(path)
    } catch {
      return unusable.add(error.message)
    }
    for line in lines {
      switch line {
      case .failure(let error): unusable.add(line: error.message)
      case .success(let scenario):
        do throws(CaseFileError) {
          try run(scenario, fixtures)
        } catch {
          unusable.add(line: "\(path):\(scenario.line): \(scenario.id): \(error.message)")
        }
      }
    }
    unusable.endFile(path)
    if lines.isEmpty { unusable.add("\(path) has no scenarios") }
    if passed + failed == ran, unusable.count == told, skipped > left {
      unusable.add("\(path): no scenario was run, all are skipped")
    }
  }

  private mutating func run(_ scenario: Case, _ fixtures: Fixtures) throws(CaseFileError) {
    ids.append(scenario.id)
    if !scenario.id.hasPrefix(only) { return }
    if let problem = ScenarioCheck.problem(in: scenario.content, fixtures: fixtures) {
      throw CaseFileError(message: problem.text)
    }
    if let reason = try scenario.skipReason() {
      skipped += 1
      if !isQuiet { FileText.print("\(scenario.id): skipped, \(reason)\n") }
      return
    }
    do {
      let run = try ScenarioRun(scenario.content, fixtures: fixtures)
      if run.failure == nil { passed += 1 } else { failed += 1 }
      if !isQuiet || run.failure != nil {
        FileText.print(ScenarioText.text(scenario.content, run) + "\n")
      }
    } catch {
      throw CaseFileError(message: "\(error)")
    }
  }
}

/// Speaks the adapter protocol until standard input ends.
struct SimulationServer {
  private let fixtures: Fixtures

  init(_ fixtures: Fixtures) { self.fixtures = fixtures }

  func serve() {
    var session: SimulationSession?
    while let line = readLine() {
      if line.allSatisfy(\.isWhitespace) { continue }
      FileText.print(answer(line, &session).json)
    }
    session?.end()
  }

  private func answer(_ line: String, _ session: inout SimulationSession?) -> Value {
    func refuse(_ reason: String) -> Value { ["ok": false, "error": .string(reason)] }
    let message: Value
    do throws(JSONFault) {
      message = try Value.parse(json: line.utf8)
    } catch {
      return refuse("\(error.message) at byte \(error.offset)")
    }
    switch message["op"]?.text {
    case "begin":
      session?.end()
      session = nil
      guard let scenario = message["scenario"], scenario.isObject else {
        return refuse("'begin' needs a 'scenario', an object")
      }
      if let problem = ScenarioCheck.problem(inHead: scenario, fixtures: fixtures) {
        return refuse(problem.text)
      }
      do {
        session = try SimulationSession(scenario, fixtures: fixtures)
      } catch {
        return refuse("\(error)")
      }
      return ["ok": true]
    case "step":
      guard let session else { return refuse("a step needs a scenario: send 'begin' first") }
      let step = message["step"] ?? .map([])
      if let problem = ScenarioCheck.problem(inStep: step) {
        return session.refused(SDKError(.unsupported, problem.text)).value
      }
      return session.step(step).value
    default: return refuse("'op' is \"begin\" or \"step\"")
    }
  }
}
