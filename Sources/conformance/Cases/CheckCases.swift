internal import CivilTime
internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import Scenarios

/// Runs the suite `tollgate-check`: all findings of `check` about a config, by code and place.
///
/// `expect` is `{"findings": ["SEVERITY CODE PATH[FROM..<TO]", ...]}`, complete and sorted. `config` is an object, or a
/// string if an object cannot express the config, for example because a key is repeated.
enum CheckCases {
  private static let defaultNow: Instant = 1_772_366_400_000

  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let config = testCase.input("config") else {
      throw CaseFileError(message: "case \(testCase.id) lacks a config")
    }
    let json = Array((config.text ?? config.json).utf8)
    let schema = ContextSchema.decode(
      Array((testCase.input("schema") ?? .map([])).json.utf8))
    guard let schema = schema.output else {
      throw CaseFileError(message: "case \(testCase.id) has a schema that cannot be read")
    }
    let found = findings(testCase, json, schema).map { diagnostic -> String in
      let place = diagnostic.path + (diagnostic.range.map { "[\($0.from)..<\($0.to)]" } ?? "")
      let text = "\(diagnostic.severity.rawValue) \(diagnostic.code.rawValue)"
      return place.isEmpty ? text : "\(text) \(place)"
    }
    return .judge(
      ["findings": .list(found.sorted().map { .string($0) })],
      against: testCase.content["expect"] ?? .null)
  }

  private static func findings(_ testCase: Case, _ json: [UInt8], _ schema: ContextSchema)
    -> [Diagnostic]
  {
    let decoded = Config.decode(json)
    guard let config = decoded.output else { return decoded.diagnostics }
    if testCase.input("platform") == "all" {
      return PlatformCheck(
        config, json: json, decoded: decoded.diagnostics, schema: schema, now: defaultNow
      ).diagnostics
    }
    let language = DecisionCases.language(testCase)
    let compiled = RuleSet.compile(config, language: language)
    return ConfigCheck.everything(
      in: config, json: json, said: decoded.diagnostics + compiled.diagnostics,
      ruleSet: compiled.output, language: language, schema: schema, now: defaultNow
    ).diagnostics
  }
}
