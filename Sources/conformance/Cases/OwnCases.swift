internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Suite `tollgate-expressions`: an expression in a context, with optional `limits` and a dialect (default: cel).
///
/// `expect` is `{"value": v}`, `{"error": slug}` for an evaluation error, or `{"diagnostics": [{"code", "from", "to",
/// ...}]}` for an expression that does not compile.
enum ExpressionCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let source = testCase.content["expression"]?.text else {
      throw CaseFileError(message: "case \(testCase.id) has no 'expression'")
    }
    let expected = testCase.content["expect"] ?? .null
    let compiled = environment(testCase).compile(source)
    guard let program = compiled.output else {
      let found = compiled.diagnostics.map { diagnostic -> Value in
        let range = diagnostic.range ?? SourceRange(from: 0, to: 0)
        return [
          "code": .string(diagnostic.code.rawValue), "from": .int(Int64(range.from)),
          "to": .int(Int64(range.to)), "message": .string(diagnostic.message),
          "suggestion": diagnostic.suggestion.map { .string($0) } ?? .null,
        ]
      }
      return .judge(["diagnostics": .list(found)], against: expected)
    }
    do throws(EvaluationError) {
      let value = try program.evaluate(testCase.content["context"] ?? .map([]))
      let wanted = expected["value"]
      return wanted.map { CaseComparison.matches(value, $0, partial: false) } == true
        ? .passed(got: ["value": value]) : .failed(expected: expected, got: ["value": value])
    } catch {
      return .judge(["error": .string(error.kind.slug)], against: expected)
    }
  }

  private static func environment(_ testCase: Case) -> ExpressionEnvironment {
    var limits = Limits()
    let given = testCase.content["limits"]
    func limit(_ key: String, _ path: WritableKeyPath<Limits, Int>) {
      if let number = given?[key]?.number { limits[keyPath: path] = Int(number) }
    }
    limit("sourceBytes", \.sourceBytes)
    limit("nesting", \.nesting)
    limit("steps", \.steps)
    limit("memoryBytes", \.memoryBytes)
    limit("dataNesting", \.dataNesting)
    limit("regexSteps", \.regexSteps)
    return testCase.content["dialect"]?.text == "superscript"
      ? .superscript(limits: limits) : RuleLanguage.cel.environment(limits: limits)
  }
}

/// Suite `tollgate-assignment`: the variant that the hash assigner chooses for a subject. `fraction` is the hash in 16
/// hexadecimal digits, and `variant` is the index of the chosen variant.
enum AssignmentCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let salt = testCase.input("salt")?.text,
      let experiment = testCase.input("experiment")?.text,
      case .string(var subject)? = testCase.input("subject"),
      let weights = testCase.input("weights")?.elements
    else { throw CaseFileError(message: "case \(testCase.id) lacks an input") }
    let table = WeightTable(
      weights.map { weight in
        switch weight {
        case .int(let number): Double(number)
        case .double(let number): number
        default: 0
        }
      })
    // SAFETY: The view of the string stays in the closure. Tests: corpus.
    let fraction = subject.withUTF8 {
      Assigner.fraction(salt: salt, experimentID: experiment, subject: $0)
    }
    let variant = table.variant(draw: fraction * table.drawRange)
    return .judge(
      [
        "fraction": .double(fraction),
        "variant": variant.map { .int(Int64($0)) } ?? .null,
      ], against: testCase.content["expect"] ?? .null)
  }
}
