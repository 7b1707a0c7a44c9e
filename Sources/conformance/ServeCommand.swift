internal import ArgumentParser
internal import Expressions
internal import SDK
internal import Scenarios

struct ServeCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the steps of scenarios that another program sends.",
    discussion: """
      Reads one JSON object a line from standard input, {"op":"begin","scenario":{..}} or \
      {"op":"step","step":{..}}, and answers each with one on standard output. An event that breaks \
      the contract is reported on standard error. Ends with its input.
      """)

  @Option(
    help:
      "A folder with \(Fixtures.configName) and \(Fixtures.productsName), instead of the corpus."
  )
  var fixtures: String?

  func run(_ console: Console) throws {
    let fixtures = try fixtures.map { try Fixtures(folder: $0) } ?? Fixtures.standard.get()
    ScenarioServer(fixtures, console).serve()
  }
}

/// Implements the adapter protocol, which answers each line.
struct ScenarioServer {
  private let fixtures: Fixtures
  private let console: Console

  init(_ fixtures: Fixtures, _ console: Console) {
    self.fixtures = fixtures
    self.console = console
  }

  /// Answers until there are no more lines.
  func serve() {
    var session: SimulationSession?
    while let line = console.readLine() {
      if line.allSatisfy(\.isWhitespace) { continue }
      console.print(answer(line, &session).json)
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
        return session.refused(problem).value
      }
      let reply = session.step(step)
      if let problem = fixtures.contract?.problem(inEntries: reply.entries) {
        console.printError(problem)
      }
      return reply.value
    default: return refuse("'op' must be \"begin\" or \"step\"")
    }
  }
}
