package import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// What is said of configs without deciding for anybody.
extension PreparedConfig {
  // MARK: Check

  /// `{"schema"?, "now"?}` -> `{"diagnostics":[..], "counts":{..}}`
  package func check(_ body: Value) throws(RequestError) -> Value {
    var schema = ContextSchema()
    if let bytes = body.givenJSON("schema") {
      let decoded = ContextSchema.decode(bytes)
      guard let given = decoded.output else {
        throw RequestError("'schema' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
      }
      schema = given
    }
    var text = ConfigText(bytes, language: settings.language)
    text.check(schema, now: try time(of: body))
    return .object(["diagnostics": .list(text.findings(file: "config")), "counts": text.counts])
  }

  // MARK: Diff

  /// `{"users"?, "placements"?, "now"?}` -> who gets something else by another config, as
  /// `tollgate diff --json` prints it: of users, or of everybody that there could be.
  package func difference(to other: PreparedConfig, _ body: Value) throws(RequestError) -> Value {
    let names = try body.givenTexts("placements")
    for name in names ?? []
    where ruleSet.placement(named: name) == nil && other.ruleSet.placement(named: name) == nil {
      throw RequestError(
        .request, "unknown_placement", "neither config has a placement '\(name)'")
    }
    let users = try body.givenLines("users", of: "user records")
    let comparison = RuleComparison(
      ruleSet, other.ruleSet, placements: names, clock: clock(try time(of: body)),
      assigners: (assigner, other.assigner))
    let changes = Value.Entry(key: "changes", value: .list(comparison.changes.map(\.value)))
    guard let users else {
      let found = comparison.differences().map { difference in
        Value.Entry(key: .string(difference.placement), value: difference.value { $0 })
      }
      return .map([.init(key: "placements", value: .map(found)), changes])
    }
    var worker = ComparisonWorker(comparison)
    var sums = ComparisonSums()
    Self.forEachChunk(of: users) { _ = sums.add(worker.process($0)) }
    return .map(sums.value(comparison) { $0 } + [changes])
  }

  /// Calls for whole lines, of about as much as the command takes at once.
  private static func forEachChunk(of lines: [UInt8], _ body: (ByteView) -> Void) {
    lines.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        let end = LineScan.newline(in: bytes, from: min(start + 256 << 10, bytes.count))
        let next = min(end + 1, bytes.count)
        body(ByteView(rebasing: bytes[start..<next]))
        start = next
      }
    }
  }

  // MARK: Cover

  /// What cannot be run is told of so many tests.
  private static let mostFaults = 20

  /// `{"tests"?, "now"?}` -> what `tollgate cover --json` prints.
  package func cover(_ body: Value) throws(RequestError) -> Value {
    let broken = ruleSet.rules.count(where: \.isBroken)
    guard broken == 0, !ruleSet.placementNames.isEmpty else {
      throw RequestError(
        .config, "invalid_config",
        broken == 0
          ? "the config has no placements to cover"
          : "the config has \(broken) \(broken == 1 ? "rule that does" : "rules that do") not "
            + "compile; check says what is wrong")
    }
    let tests = try tests(of: body)
    let start = clock(try time(of: body))
    let run: CoverageRun
    do {
      run = try CoverageRun(
        tests, faults: [], ruleSet: ruleSet, assigner: assigner, texts: texts, start: start,
        clock: { self.clock($0) }, tell: { _ in })
    } catch {
      throw RequestError("the tests cannot be run: \(error)")
    }
    if !run.faults.isEmpty { throw Self.unusable(run.faults) }
    return CoverageJSON(run, config: bytes).value
  }

  private func tests(of body: Value) throws(RequestError) -> [PlacedTest] {
    guard let lines = try body.givenLines("tests", of: "tests"), !lines.isEmpty else { return [] }
    let text: RuleTestText
    do {
      text = try RuleTestText(lines, name: "tests", timeZone: settings.timeZone)
    } catch {
      throw RequestError("'tests' cannot be read: \(error)")
    }
    if !text.faults.isEmpty { throw Self.unusable(text.faults) }
    return text.tests
  }

  /// Places of tests are `tests:LINE`; in a list a test is a line.
  private static func unusable(_ faults: [String]) -> RequestError {
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return RequestError(
      .request, "bad_tests", "a test cannot be run: \(faults[0])\(more)",
      details: [
        .init(key: "faults", value: .list(faults.prefix(mostFaults).map { .string($0) }))
      ])
  }
}
