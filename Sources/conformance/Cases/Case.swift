internal import Expressions
internal import Scenarios

/// A line of a case file, with the context of the file.
struct Case {
  private let text: CaseLine
  /// The files that the cases of the file refer to.
  let companions: Companions
  /// The folder of the case file, with a trailing slash.
  let folder: String

  init(_ text: CaseLine, companions: Companions, folder: String) {
    self.text = text
    self.companions = companions
    self.folder = folder
  }

  var suite: String { text.suite }
  var id: String { text.id }
  /// The number of the line in the file, from 1.
  var line: Int { text.number }
  /// The complete JSON object of the line.
  var content: Value { text.content }

  /// The reason why the case is skipped, or nil if it is run.
  func skipReason() throws(CaseFileError) -> String? { try text.skipReason() }

  /// A member of `input`, for suites that have an `input`.
  func input(_ key: String) -> Value? { content["input"]?[key] }
}

/// The result of a case.
enum Verdict {
  /// The case passed. The result has the form of the case's expectation.
  case passed(got: Value)
  case failed(expected: Value, got: Value)
  /// The case was skipped, for a reason that the case states or because the engine lacks a feature.
  case skipped(String)
  /// The line counts as several cases. Each name is appended to the line's `id`.
  case parts([(name: String, verdict: Verdict)])

  /// Compares a result with the case's expectation, whose objects may be partial.
  static func judge(_ got: Value, against expected: Value) -> Verdict {
    CaseComparison.matches(got, expected, partial: true)
      ? .passed(got: got) : .failed(expected: expected, got: got)
  }
}

/// The functions that run each suite.
enum CaseSuites {
  typealias Runner = @Sendable (Case) throws(CaseFileError) -> Verdict

  static let runners: [String: Runner] = [
    "cel": CELCases.run,
    "superscript": SuperscriptCases.run,
    "superscript-versions": SuperscriptVersionCases.run,
    "liquid": TemplateCases.liquid,
    "liquidjs": TemplateCases.liquidJS,
    "paywall-strings": PaywallStringCases.run,
    "superwall-filters": TemplateCases.superwallFilters,
    "currency-format": CurrencyFormatCases.run,
    "pricing": PricingCases.run,
    "superwall-rules": SuperwallRulesCases.run,
    "agentwallie": AgentWallieCases.run,
    "agentwallie-templates": AgentWallieTextCases.template,
    "tollgate-expressions": ExpressionCases.run,
    "tollgate-assignment": AssignmentCases.run,
    "tollgate-decisions": DecisionCases.run,
    "tollgate-templates": OwnTemplateCases.run,
    "tollgate-batches": BatchCases.run,
    "tollgate-check": CheckCases.run,
    "sdk-scenarios": ScenarioCases.run,
    "sdk-version-cases": SDKVersionCases.run,
  ]

  /// - Throws: an error if the case cannot be run, because its suite is unknown, a key is unknown, or a required key is
  ///   missing.
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let runner = runners[testCase.suite] else {
      let close = Suggestion.closest(to: testCase.suite, among: runners.keys.sorted())
      throw CaseFileError(
        message: "there is no suite '\(testCase.suite)'"
          + (close.map { "; did you mean '\($0)'?" } ?? ""))
    }
    if let problem = CaseShapes.problem(in: testCase.content, suite: testCase.suite) {
      throw CaseFileError(message: problem.text)
    }
    if let reason = try testCase.skipReason() { return .skipped(reason) }
    return try runner(testCase)
  }
}
