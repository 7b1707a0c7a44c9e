internal import Expressions
internal import Scenarios

/// One line of a case file, with what belongs to the file.
struct Case {
  private let text: CaseLine
  /// What the cases of the file refer to.
  let companions: Companions
  /// The folder of its file, with the slash.
  let folder: String

  init(_ text: CaseLine, companions: Companions, folder: String) {
    self.text = text
    self.companions = companions
    self.folder = folder
  }

  var suite: String { text.suite }
  var id: String { text.id }
  /// Line in its file, from 1.
  var line: Int { text.number }
  /// The whole object.
  var content: Value { text.content }

  /// Why the case is not to be run; nil when it is.
  func skipReason() throws(CaseFileError) -> String? { try text.skipReason() }

  /// A member of `input`, where the suite has it.
  func input(_ key: String) -> Value? { content["input"]?[key] }
}

/// How a case came out.
enum Verdict {
  /// What came is what was expected. Both have the shape of the case's expectation.
  case passed(got: Value)
  case failed(expected: Value, got: Value)
  /// Not run, and why: the case says so, or the engine does not have the feature yet.
  case skipped(String)
  /// A line that counts as several cases, by what each is called behind the line's `id`.
  case parts([(name: String, verdict: Verdict)])

  /// Compares what came with the case's expectation, whose objects may be partial.
  static func judge(_ got: Value, against expected: Value) -> Verdict {
    CaseComparison.matches(got, expected, partial: true)
      ? .passed(got: got) : .failed(expected: expected, got: got)
  }
}

/// How each suite is run.
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

  /// - Throws: when the case cannot be run: it is of no suite, says something that nobody reads, or
  ///   lacks what the suite needs.
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
