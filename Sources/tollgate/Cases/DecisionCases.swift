internal import Expressions
internal import RuleEngine

/// Suite `tollgate-decisions`: a config, a user record and a placement, and everything that comes
/// of them: outcome, reasons, effects, probabilities, explanation.
enum DecisionCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let json = testCase.input("config"),
      let placement = CaseValues.text(testCase.input("placement")),
      let record = testCase.input("user")
    else { throw CaseFileError(message: "case \(testCase.id) lacks an input") }
    let format = CaseValues.text(testCase.input("format")).flatMap(Config.Format.init(rawValue:))
    let decoded = Config.decode(json.json.utf8, format: format)
    guard let config = decoded.output else {
      throw CaseFileError(message: "case \(testCase.id) has no config")
    }
    let compiled = RuleSet.compile(config)
    guard let ruleSet = compiled.output else {
      throw CaseFileError(message: "case \(testCase.id) has no rules")
    }
    let got = try decide(
      testCase, ruleSet, placement, record,
      diagnostics: decoded.diagnostics + compiled.diagnostics)
    return .judge(got, against: testCase.content["expect"] ?? .null)
  }

  private static func decide(
    _ testCase: Case, _ ruleSet: RuleSet, _ placement: String, _ record: Value,
    diagnostics: [Diagnostic]
  ) throws(CaseFileError) -> Value {
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: HistoryClock(now: 0))
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record.json.utf8, into: &frame)
    } catch {
      throw CaseFileError(message: "case \(testCase.id): \(error.reason)")
    }
    guard let now = WireTime.milliseconds(CaseValues.text(testCase.input("now")) ?? defaultNow)
    else { throw CaseFileError(message: "case \(testCase.id): 'now' is no time") }
    let state = reader.state(now: now)
    let explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner(testCase))
    return described(explanation, testCase, diagnostics)
  }

  private static let defaultNow = "2026-03-01T12:00:00Z"

  static func assigner(_ testCase: Case) -> Assigner {
    if let draw = CaseValues.number(testCase.input("draw")) { return .draw(draw) }
    return CaseValues.text(testCase.input("assigner")) == "djb2"
      ? .djb2 : .hash(salt: CaseValues.text(testCase.input("seed")) ?? "")
  }

  private static func described(
    _ explanation: Explanation, _ testCase: Case, _ diagnostics: [Diagnostic]
  ) -> Value {
    let value = explanation.value
    let request =
      CaseValues.text(testCase.input("request")).flatMap(RequestKind.init(rawValue:))
      ?? .presentation
    let table: EffectTable =
      switch CaseValues.text(testCase.input("table")) {
      case "ios": .ios
      case "android": .android
      default: .tollgate
      }
    let effects = explanation.decision.effects(for: request, table: table).map { applied in
      let name = applied.effect.value["effect"] ?? .null
      return applied.time == .whenPresented ? ["whenPresented": name] : name
    }
    let problems = diagnostics.map { diagnostic -> Value in
      [
        "code": .string(diagnostic.code.rawValue),
        "severity": .string(diagnostic.severity.rawValue), "path": .string(diagnostic.path),
        "elsewhere": .list(
          diagnostic.peers.map {
            .string(
              $0.peers.map(\.rawValue).joined(separator: "+") + " " + $0.consequence.rawValue)
          }),
      ]
    }
    return [
      "reason": value["reason"] ?? .null, "audience": value["audience"] ?? .null,
      "paywall": value["paywall"] ?? .null,
      "variant": value["result"]?["experiment"]?["variant"]?["id"] ?? .null,
      "assignment": value["assignment"] ?? .null,
      "reasons": .list(explanation.audiences.map { $0.step.reason.value }),
      "clauses": .list(explanation.audiences.map { .list($0.clauses.map(clause)) }),
      "shares": .list(
        explanation.shares.map { .string("\($0.outcome.code) \($0.probability)") }),
      "effects": .list(effects), "diagnostics": .list(problems),
      "text": .string(explanation.text),
    ]
  }

  /// `user.plan is "free" = true`, in brackets when the clause was not needed.
  private static func clause(_ clause: Clause) -> Value {
    let outcome =
      switch clause.outcome {
      case .true: "true"
      case .false: "false"
      case .failed(let kind): kind.slug
      case .noBool: "value"
      }
    return .string("\(clause.text) = \(clause.wasReached ? outcome : "(\(outcome))")")
  }
}
