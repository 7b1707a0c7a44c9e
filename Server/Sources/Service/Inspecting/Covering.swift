internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Pricing
internal import RuleEngine
internal import RuleInsight

/// `POST /v1/cover`: `{"tests"?, "config"?, "render"?, "products"?, "now"?, "seed"?}` -> what
/// `tollgate cover --json` prints. Places count in the config as it stands in the body.
extension DecisionService {
  /// Tests of one request.
  private static let mostTests = 10_000
  /// Audiences of a config: what is asked of all of them at once cannot be ended in between.
  private static let mostAudiences = 1_000
  /// What cannot be run is told of so many tests.
  private static let mostFaults = 20

  func cover(_ body: [UInt8], _ application: ServedApplication) throws(ServiceError) -> Value {
    let value = try Request.json(body, options.limits)
    guard value.members != nil else { throw .badRequest("the body must be an object") }
    let config = try loaded(
      Self.configText(of: value, in: body), "config", seed: value["seed"]?.text, else: application)
    let broken = config.ruleSet.rules.count(where: \.isBroken)
    guard broken == 0, !config.ruleSet.placementNames.isEmpty else {
      throw ServiceError(
        .unprocessableContent, "invalid_config",
        broken == 0
          ? "the config has no placements to cover"
          : "the config has \(broken) \(broken == 1 ? "rule that does" : "rules that do") not "
            + "compile; /v1/check says what is wrong")
    }
    guard config.ruleSet.rules.count <= Self.mostAudiences else {
      throw ServiceError(
        .unprocessableContent, "too_much",
        "the config has more than \(Self.mostAudiences) audiences; 'tollgate cover' has no limit")
    }
    let tests = try tests(of: value)
    let start = clock(try time(of: value))
    let run = try cover(
      tests, config, texts: try texts(of: value, application, config, start.now), start)
    if !run.faults.isEmpty { throw Self.unusable(run.faults) }
    return CoverageJSON(run, config: config.bytes).value
  }

  /// Covers for as long as a request may take.
  private func cover(
    _ tests: [PlacedTest], _ config: LoadedConfig, texts: TextPlan?, _ start: HistoryClock
  ) throws(ServiceError) -> CoverageRun {
    let tooLong = ServiceError(
      .unprocessableContent, "too_much",
      "this takes longer than \(options.patience); 'tollgate cover' has no limit")
    let end = ContinuousClock.now + options.patience
    do {
      return try CoverageRun(
        tests, faults: [], ruleSet: config.ruleSet, assigner: config.assigner, texts: texts,
        start: start, clock: { clock($0) },
        tell: { _ in
          if ContinuousClock.now > end { throw tooLong }
        })
    } catch {
      // Nothing else is thrown.
      throw (error as? ServiceError) ?? tooLong
    }
  }

  private func tests(of body: Value) throws(ServiceError) -> [PlacedTest] {
    let lines: [UInt8]
    switch body["tests"] {
    case nil, .null?, .list([])?: return []
    case .list(let tests)?: lines = Array(tests.map { $0.json + "\n" }.joined().utf8)
    case .string(let text)?: lines = Array(text.utf8)
    default: throw .badRequest("'tests' is a list of tests, or a text with one a line")
    }
    let text: RuleTestText
    do { text = try RuleTestText(lines, name: "tests", timeZone: options.timeZone) } catch {
      throw .badRequest("'tests' cannot be read: \(error)")
    }
    if !text.faults.isEmpty { throw Self.unusable(text.faults) }
    guard text.tests.count <= Self.mostTests else {
      throw ServiceError(
        .contentTooLarge, "too_many_tests",
        "at most \(Self.mostTests) tests at once; 'tollgate cover' takes as many as there are")
    }
    return text.tests
  }

  /// Places of tests are `tests:LINE`; in a list a test is a line.
  private static func unusable(_ faults: [String]) -> ServiceError {
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return ServiceError(
      .badRequest, "bad_tests", "a test cannot be run: \(faults[0])\(more)",
      details: [
        .init(key: "faults", value: .list(faults.prefix(mostFaults).map { .string($0) }))
      ])
  }

  /// The texts of paywalls that count, too, as `--render` gives them.
  private func texts(
    of body: Value, _ application: ServedApplication, _ config: LoadedConfig, _ now: Instant
  ) throws(ServiceError) -> TextPlan? {
    guard let bytes = Self.bytes(body["render"]) else { return nil }
    let decoded = TextFile.decode(json: bytes)
    guard let texts = decoded.output else {
      throw .badRequest("'render' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
    }
    let prices = try products(of: body, application)
    do throws(PricingError) {
      return try textPlan(texts, config, prices: prices, now: now)
    } catch {
      throw .badRequest(error.message)
    }
  }
}
