internal import CShims
package import Expressions
internal import RuleEngine
internal import RuleInsight

/// Finds the parts of a config that tests exercise. The members of a request are `{"tests"?, "config"?, "render"?,
/// "products"?, "now"?, "seed"?, "platform"?}`.
extension PreparedConfig {
  package func cover(_ body: JSONRequest) throws(RequestError) -> Value {
    let request = body.value
    let now = try time(of: request)
    let seed = try request.givenText("seed")
    let prices = try products(of: request)
    let texts = try request.givenJSON("render").map { (bytes) throws(RequestError) in
      try TextFile.given(bytes, "render")
    }
    let lines = try request.givenLines("tests", of: "tests") ?? []
    let config = try config(of: body).following(try request.givenPlatform())
    try config.requireCoverable()
    let tests = try tests(lines)
    var settings = settings
    settings.products = prices
    let plan = try texts.map { (texts) throws(RequestError) in
      try Self.plan(texts, config.config, settings, now)
    }
    return try config.cover(tests, plan ?? config.texts, clock(now), seed: seed)
  }

  private func requireCoverable() throws(RequestError) {
    let broken = ruleSet.rules.count(where: { $0.isBroken })
    guard broken == 0, !ruleSet.placementNames.isEmpty else {
      throw RequestError(
        .config, "invalid_config",
        broken == 0
          ? "the config has no placements to cover"
          : "the config has \(broken) \(broken == 1 ? "rule that does" : "rules that do") not "
            + "compile; 'tollgate check' reports the errors")
    }
    guard ruleSet.rules.count <= settings.limits.audiences else {
      throw Self.tooMuch("the config has more than \(settings.limits.audiences) audiences")
    }
  }

  /// Measures coverage within the time limit of a request.
  private func cover(
    _ tests: [PlacedTestCase], _ texts: TextPlan?, _ start: HistoryClock, seed: String?
  ) throws(RequestError) -> Value {
    let end = settings.limits.patience.map { monotonicSeconds() + $0 / .seconds(1) }
    let run = try CoverageRun(
      tests, faults: [], ruleSet: ruleSet, assigner: assigner(seed: seed), texts: texts,
      start: start, clock: { (now) throws(RequestError) in clock(now) },
      tell: { (_) throws(RequestError) in
        if let end, monotonicSeconds() > end {
          throw Self.tooMuch("the search takes longer than \(settings.limits.patience ?? .zero)")
        }
      })
    if !run.faults.isEmpty { throw Self.unusable(run.faults) }
    return CoverageJSON(run, config: bytes).value
  }

  private static func tooMuch(_ reason: String) -> RequestError {
    RequestError(.config, "too_much", "\(reason); 'tollgate cover' has no limit")
  }

  private func tests(_ lines: [UInt8]) throws(RequestError) -> [PlacedTestCase] {
    if lines.isEmpty { return [] }
    let text = RuleTestText(lines, name: "tests", timeZone: settings.timeZone)
    if !text.faults.isEmpty { throw Self.unusable(text.faults) }
    guard text.tests.count <= settings.limits.tests else {
      throw RequestError(
        .tooLarge, "too_many_tests",
        "at most \(settings.limits.tests) tests at once; 'tollgate cover' has no limit")
    }
    return text.tests
  }

  /// The maximum number of invalid tests that an error lists.
  private static let mostFaults = 20

  /// The error for invalid tests. Places of tests are `tests:LINE`. In a list, a test counts as a line.
  private static func unusable(_ faults: [String]) -> RequestError {
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return RequestError(
      .request, "bad_tests", "a test cannot be run: \(faults[0])\(more)",
      details: [
        .init(key: "faults", value: .list(faults.prefix(mostFaults).map { .string($0) }))
      ])
  }
}
