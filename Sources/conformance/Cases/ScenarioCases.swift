internal import Expressions
internal import SDK
internal import Scenarios

/// Suite `sdk-scenarios`: scripted runs of the headless SDK. Emitted events must also conform to the contract's schema.
enum ScenarioCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let fixtures = try Fixtures.standard.get()
    if let problem = ScenarioCheck.problem(in: testCase.content, fixtures: fixtures) {
      throw CaseFileError(message: problem.text)
    }
    do {
      let run = try ScenarioRun(testCase.content, fixtures: fixtures)
      guard let failure = run.failure else { return .passed(got: ["passed": true]) }
      return .failed(expected: ["passed": true], got: ["failure": .string(failure)])
    } catch {
      throw CaseFileError(message: "scenario \(testCase.id) cannot begin: \(error)")
    }
  }
}
