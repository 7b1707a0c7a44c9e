internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Suite `superwall-rules`: single steps of the placement decision, by operation.
enum SuperwallRulesCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let operation = testCase.input("op")?.text else {
      return SuperscriptCases.runInline(testCase)
    }
    let expected = testCase.content["expect"] ?? .null
    let got: Value?
    switch operation {
    case "chooseVariant": got = chooseVariant(testCase)
    case "tryToMatchOccurrence": got = tryToMatchOccurrence(testCase)
    case "count": got = count(testCase)
    case "mapTriggerResult": got = mapTriggerResult(testCase)
    case "timeSince", "webComputed", "toPassable", "paddedVersion":
      got = PlatformCases.run(operation, testCase)
    default:
      let known = PlacementCases.run(operation, testCase) ?? RequestCases.run(operation, testCase)
      guard let known else { throw CaseFileError(message: "there is no operation '\(operation)'") }
      got = known
    }
    guard let got else { throw CaseFileError(message: "the input is not understood") }
    return .judge(got, against: expectation(expected))
  }

  /// The expectation with sorted assignments and paywalls, because they are sets.
  private static func expectation(_ expected: Value) -> Value {
    guard case .map(let entries) = expected else { return expected }
    return .map(
      entries.map { entry in
        guard entry.key == "assignments" || entry.key == "paywallIds",
          let values = entry.value.elements
        else { return entry }
        return Value.Entry(key: entry.key, value: .list(CaseValues.sorted(values)))
      })
  }

  /// The variant for a given draw. The range of the draw must be the range that the engine uses.
  private static func chooseVariant(_ testCase: Case) -> Value? {
    guard let percentages = testCase.input("percentages")?.elements else { return nil }
    let table = WeightTable(percentages.map { $0.number ?? 0 })
    if let range = testCase.input("drawRange")?.elements, range.count == 2,
      range[1].number != table.drawRange
    {
      return ["error": .string("the draw is made from 0..<\(table.drawRange)")]
    }
    let draw = testCase.input("draw")?.number ?? 0
    guard let index = table.variant(draw: draw) else { return ["error": "noVariantsFound"] }
    return ["index": .int(Int64(index))]
  }

  private static func tryToMatchOccurrence(_ testCase: Case) -> Value? {
    guard let expressionMatched = testCase.input("expressionMatched")?.truth else {
      return nil
    }
    guard expressionMatched else { return ["outcome": "noMatch", "source": "EXPRESSION"] }
    guard let input = testCase.input("occurrence"), input != .null else {
      return ["outcome": "match"]
    }
    guard let limit = limit(input), case .int(let stored)? = testCase.input("storedCount") else {
      return nil
    }
    return limit.allows(storedCount: Int(stored))
      ? ["outcome": "match", "unsavedOccurrence": limit.value]
      : ["outcome": "noMatch", "source": "OCCURRENCE"]
  }

  /// Counts occurrences. Rows are counted at an arbitrary fixed time.
  private static func count(_ testCase: Case) -> Value? {
    guard let name = testCase.input("name")?.text,
      let interval = testCase.input("interval").flatMap(interval),
      let events = testCase.input("eventsMinutesAgo")
    else { return nil }
    let now: Instant = 1_700_000_000_000
    var times: [Instant] = []
    if let ages = events[name]?.elements {
      times = ages.compactMap(\.number).map { now - Int64(($0 * 60_000).rounded()) }
    }
    let limit = OccurrenceLimit(key: name, maxCount: .max, interval: interval)
    return ["count": .int(Int64(limit.count(times, now: now)))]
  }

  private static func mapTriggerResult(_ testCase: Case) -> Value? {
    guard let name = testCase.input("triggerResult")?.text else { return nil }
    let variant = Variant(id: "v", kind: .treatment, weight: 100, paywallID: "p")
    let experiment = Decision.Experiment(id: "e", campaignID: "g", variant: variant)
    let result: TriggerResult
    switch name {
    case "paywall": result = .paywall(experiment)
    case "holdout": result = .holdout(experiment)
    case "noAudienceMatch": result = .noAudienceMatch
    case "placementNotFound": result = .placementNotFound
    case "error": result = .error("")
    default: return nil
    }
    let type = PresentationResult(result).type
    return ["presentationResult": .string(type.prefix(1).lowercased() + type.dropFirst())]
  }

  // MARK: Reading

  private static func interval(_ value: Value) -> OccurrenceLimit.Interval? {
    guard let type = value["type"]?.text else { return nil }
    guard type == "MINUTES" else { return .infinity }
    guard case .int(let minutes)? = value["minutes"] else { return .infinity }
    return .minutes(Int(minutes))
  }

  static func limit(_ value: Value) -> OccurrenceLimit? {
    guard let key = value["key"]?.text, case .int(let count)? = value["maxCount"],
      let interval = value["interval"].flatMap(interval)
    else { return nil }
    return OccurrenceLimit(key: key, maxCount: Int(count), interval: interval)
  }
}
