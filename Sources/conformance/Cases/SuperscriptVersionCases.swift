internal import Expressions
internal import Scenarios

/// Suite `superscript-versions`: an expression in a context, run on several versions of the original. Each version
/// counts as a separate case.
enum SuperscriptVersionCases {
  /// The recorded versions, one for each behavior.
  static let behaviors: KeyValuePairs<String, EvaluatorBehavior> = [
    "0.2.8": .raw, "1.0.4": .numeric, "1.0.12": .skip, "1.0.13": .text,
  ]

  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let source = testCase.content["expression"]?.text,
      let name = testCase.content["context"]?.text,
      case .map(let outcomes)? = testCase.content["outcomes"], !outcomes.isEmpty
    else {
      throw CaseFileError(
        message: "case \(testCase.id) needs 'expression', 'context' and 'outcomes'")
    }
    let context = try context(name, testCase)
    var parts: [(name: String, verdict: Verdict)] = []
    for outcome in outcomes {
      let version = outcome.key.text ?? ""
      guard let behavior = behaviors.first(where: { $0.key == version })?.value else {
        let known = behaviors.map(\.key).joined(separator: ", ")
        throw CaseFileError(
          message: "case \(testCase.id): outcomes: '\(version)' must be one of \(known)")
      }
      parts.append((version, judge(source, context, behavior, outcome.value)))
    }
    return .parts(parts)
  }

  /// The context with a name.
  static func context(_ name: String, _ testCase: Case) throws(CaseFileError) -> Value {
    let file =
      name.hasPrefix("v-")
      ? "superscript-contexts-versions.json" : "superscript-contexts.json"
    guard let context = try testCase.companions.value(file)[name] else {
      throw CaseFileError(message: "case \(testCase.id): there is no context '\(name)'")
    }
    return context
  }

  private static func judge(
    _ source: String, _ context: Value, _ behavior: EvaluatorBehavior, _ expected: Value
  ) -> Verdict {
    if expected["hang"] == .bool(true) {
      return .skipped("a host call inside the arguments of another never returns there")
    }
    let got = SuperscriptContext(context, behavior: behavior).evaluate(source)
    return SuperscriptCases.judge(got, expected)
      ? .passed(got: got) : .failed(expected: expected, got: got)
  }
}
