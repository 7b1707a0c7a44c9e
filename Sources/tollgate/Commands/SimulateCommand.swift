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
      happened is printed, with what was not as the scenario expects; the exit code is 1 then. \
      corpus/README.md tells the format.

      With --serve the command speaks the adapter protocol on standard input and output instead: \
      {"op":"begin","scenario":{..}} and {"op":"step","step":{..}}, one a line.
      """)

  @Argument(help: "Files with scenarios.")
  var scenarios: [String] = []

  @Flag(help: "Do what standard input says, one JSON object a line.")
  var serve = false

  @Option(help: "Run the scenarios whose id begins with this.")
  var only = ""

  @Flag(help: "Print what failed and the last line only.")
  var quiet = false

  @Option(help: "A folder with config.std.json and products.json, instead of the built-in ones.")
  var fixtures: String?

  @Option(help: "A StoreKit configuration file; its products are sold too.")
  var storekit: String?

  func run() throws {
    var fixtures = try Fixtures(folder: fixtures)
    if let storekit { try fixtures.add(storeKit: storekit) }
    if serve { return SimulationServer(fixtures).serve() }
    guard !scenarios.isEmpty else {
      throw ValidationError("Name a file with scenarios, or use --serve.")
    }
    var (passed, failed) = (0, 0)
    for path in scenarios {
      for scenario in try Self.read(path) where scenario["id"]?.text?.hasPrefix(only) != false {
        let run = try ScenarioRun(scenario, fixtures: fixtures)
        if run.failure == nil { passed += 1 } else { failed += 1 }
        if !quiet || run.failure != nil { FileText.print(ScenarioText.text(scenario, run) + "\n") }
      }
    }
    FileText.print("\(passed) passed, \(failed) failed")
    if failed > 0 { throw ExitCode(1) }
  }

  private static func read(_ path: String) throws -> [Value] {
    var scenarios: [Value] = []
    let lines = try FileText.read(path).split(separator: 0x0A, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      do throws(JSONFault) {
        scenarios.append(try Value.parse(json: line))
      } catch {
        throw CommandError("\(path):\(number + 1): \(error.message) at byte \(error.offset)")
      }
    }
    return scenarios
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
      do {
        session = try SimulationSession(message["scenario"] ?? .map([]), fixtures: fixtures)
      } catch {
        return refuse("\(error)")
      }
      return ["ok": true]
    case "step":
      guard let session else { return refuse("a step needs a scenario: send 'begin' first") }
      return session.step(message["step"] ?? .map([])).value
    default: return refuse("'op' is \"begin\" or \"step\"")
    }
  }
}
