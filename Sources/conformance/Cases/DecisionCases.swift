internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight
internal import Scenarios

/// Suite `tollgate-decisions`: a config, a user record and a placement, and the results: outcome, reasons, effects,
/// probabilities and explanation.
enum DecisionCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let json = testCase.input("config"),
      let placement = testCase.input("placement")?.text,
      let user = testCase.input("user")
    else { throw CaseFileError(message: "case \(testCase.id) lacks an input") }
    let format = testCase.input("format")?.text.flatMap(Config.Format.init(rawValue:))
    let decoded = Config.decode(json.json.utf8, format: format)
    guard let config = decoded.output else {
      throw CaseFileError(message: "case \(testCase.id) has no config")
    }
    let compiled = RuleSet.compile(config, language: language(testCase))
    guard let ruleSet = compiled.output else {
      throw CaseFileError(message: "case \(testCase.id) has no rules")
    }
    // A string is the unchanged source of a record, which may repeat keys or be invalid JSON.
    let record = user.text ?? user.json
    let got = try decide(
      testCase, config, ruleSet, placement, record,
      diagnostics: decoded.diagnostics + compiled.diagnostics)
    return .judge(got, against: testCase.content["expect"] ?? .null)
  }

  private static func decide(
    _ testCase: Case, _ config: Config, _ ruleSet: RuleSet, _ placement: String,
    _ record: String,
    diagnostics: [Diagnostic]
  ) throws(CaseFileError) -> Value {
    let zone = testCase.input("timeZone")?.text ?? "UTC"
    guard let now = try? WireTime.instant(testCase.input("now")?.text ?? defaultNow),
      let clock = HistoryClock(now: now, timeZone: zone)
    else { throw CaseFileError(message: "case \(testCase.id): 'now' is not a time") }
    let plan = BatchPlan(
      ruleSet, placements: [placement], now: now, assigner: assigner(testCase), clock: clock)
    let batch = outcomes(of: record, plan)
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record.utf8, into: &frame)
    } catch {
      return ["refused": batch == [] ? true : .list(batch), "why": .string(error.reason)]
    }
    if let key = reader.notes.unknownKeys.keys.min(), testCase.content["expect"]?["notes"] == nil {
      throw CaseFileError(message: "input.user: '\(key)' is not a key of a user record")
    }
    let state = reader.state(now: now)
    var explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner(testCase), clock: clock)
    if let value = try? Value.parse(json: record.utf8) {
      explanation.addOwnership(from: value, config: config)
    }
    let errors = ruleSet.errors(placement, frame: &frame, state: state)
    let line = explanation.decision.outcomeLine(subjectID: state.subjectID, errors: errors)
    guard batch == [line, line, line] else {
      return ["alone": line, "inBatch": .list(batch)]
    }
    guard case .map(let described) = described(explanation, testCase, diagnostics) else {
      return .null
    }
    let told = errors.map { error -> Value in
      guard case .map(let members) = error.value else { return error.value }
      return .map(members + [Value.Entry(key: "message", value: .string(error.message))])
    }
    return .map(
      described + [
        Value.Entry(key: "notes", value: reader.notes.value),
        Value.Entry(key: "errors", value: .list(told)),
        Value.Entry(key: "findings", value: .list(findings(testCase, ruleSet, now))),
      ])
  }

  /// The findings about the rules for every user, computed only if the case expects findings.
  private static func findings(_ testCase: Case, _ ruleSet: RuleSet, _ now: Instant) -> [Value] {
    guard testCase.content["expect"]?["findings"] != nil else { return [] }
    return RuleAnalysis(ruleSet, now: now).findings.map { finding in
      let diagnostic = finding.diagnostic
      let place = diagnostic.path + (diagnostic.range.map { "[\($0.from)..<\($0.to)]" } ?? "")
      return .string("\(diagnostic.severity.rawValue) \(diagnostic.code.rawValue) \(place)")
    }
  }

  /// The outcomes of a batch for three copies of a record. The first copy is parsed in full, and the others by the
  /// learned shape.
  private static func outcomes(of record: String, _ plan: BatchPlan) -> [Value] {
    var worker = BatchWorker(plan)
    let lines = Array(repeating: record, count: 3).joined(separator: "\n")
    let output = worker.process(Array(lines.utf8)).outcomes
    return output.split(separator: 0x0A).map { (try? Value.parse(json: $0)) ?? .null }
  }

  /// The language of the rules. The default is superscript for iOS.
  static func language(_ testCase: Case) -> RuleLanguage {
    if testCase.input("dialect")?.text == "cel" { return .cel }
    let sdk = testCase.input("platform")?.text.flatMap(SDKName.init(rawValue:)) ?? .ios
    let version = testCase.input("sdkVersion")?.text
    let selection = version.flatMap { try? SDKSelection($0) } ?? .newest
    return .superscript(selection.profile(usual: sdk))
  }

  private static let defaultNow = "2026-03-01T12:00:00Z"

  static func assigner(_ testCase: Case) -> Assigner {
    if let draw = testCase.input("draw")?.number { return .draw(draw) }
    return testCase.input("assigner")?.text == "djb2"
      ? .djb2 : .hash(salt: testCase.input("seed")?.text ?? "")
  }

  private static func described(
    _ explanation: Explanation, _ testCase: Case, _ diagnostics: [Diagnostic]
  ) -> Value {
    let value = explanation.value
    let request =
      testCase.input("request")?.text.flatMap(RequestKind.init(rawValue:))
      ?? .presentation
    let table: EffectTable =
      switch testCase.input("table")?.text {
      case "ios": .ios
      case "android": .android
      default: .tollgate
      }
    let effects = explanation.decision.effects(for: request, table: table).map { applied in
      let name = applied.effect.value["effect"] ?? .null
      return applied.time == .atOnce ? name : .object([applied.time.rawValue: name])
    }
    let problems = diagnostics.map { diagnostic -> Value in
      [
        "code": .string(diagnostic.code.rawValue),
        "severity": .string(diagnostic.severity.rawValue), "path": .string(diagnostic.path),
        "elsewhere": .list(
          diagnostic.peers.map {
            .string(
              $0.peers.map(\.id).joined(separator: "+") + " " + $0.consequence.rawValue)
          }),
      ]
    }
    return [
      "reason": value["reason"]?["code"] ?? .null, "explained": value["reason"] ?? .null,
      "overview": .string(Explanation.overview([explanation], notes: [nil])),
      "subscription": value["subscription"] ?? .null, "audience": value["audience"] ?? .null,
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

  /// A clause as `user.plan is "free" = true`, in brackets if its result was not needed.
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
