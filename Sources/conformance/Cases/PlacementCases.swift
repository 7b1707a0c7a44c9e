internal import Expressions
internal import RuleEngine

/// Operations of the suite `superwall-rules` that decide: rules, placements, assignments, preloads.
enum PlacementCases {
  /// The result of an operation, or nil if the operation is not about decisions.
  static func run(_ operation: String, _ testCase: Case) -> Value?? {
    switch operation {
    case "evaluateRule": evaluateRule(testCase)
    case "evaluatePlacement": evaluatePlacement(testCase)
    case "chooseAssignments": chooseAssignments(testCase)
    case "transferAssignments": transferAssignments(testCase)
    case "preloadPaywallIds": preloadPaywallIDs(testCase)
    case "decodePreload": decodePreload(testCase)
    case "filterTriggers": filterTriggers(testCase)
    default: nil
    }
  }

  /// The time of every decision in this suite. Any value gives the same results.
  private static let now: Instant = 1_700_000_000_000

  // MARK: Rules and placements

  private static func evaluateRule(_ testCase: Case) -> Value? {
    guard let input = testCase.input("rule"), var audience = audience(input, index: 0) else {
      return nil
    }
    if audience.variants.isEmpty {
      audience.variants = [Variant(id: "v", kind: .holdout, weight: 1)]
    }
    let stored = Int(testCase.input("storedOccurrences")?.number ?? 0)
    var state = DecisionState(subjectID: "user", now: now)
    if let key = audience.occurrenceLimit?.key {
      state.occurrences = [.init(key: key, times: Array(repeating: now, count: stored))]
    }
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    guard let decided = decide("p", config, testCase.input("context") ?? .map([]), state) else {
      return nil
    }
    if decided.decision.audience != nil { return ["outcome": "match"] }
    guard let step = decided.steps.first, let source = step.reason.unmatchedSource else {
      return nil
    }
    return [
      "outcome": "noMatch", "source": .string(source),
      "experimentId": .string(step.experimentID),
    ]
  }

  private static func evaluatePlacement(_ testCase: Case) -> Value? {
    guard let placement = testCase.input("placement")?.text else { return nil }
    let stored = CaseValues.list(testCase.input("assignments"))
    var config = Config()
    for (name, rules) in CaseValues.entries(testCase.input("triggers")) {
      var audiences: [Audience] = []
      for (index, rule) in CaseValues.list(rules).enumerated() {
        guard var audience = audience(rule, index: index) else { return nil }
        // A rule without variants gets the stored variants.
        if audience.variants.isEmpty {
          audience.variants = stored.filter {
            $0["experimentId"]?.text == audience.experimentID
          }.compactMap(variant)
        }
        audiences.append(audience)
      }
      config.placements.append(Placement(name: name, audiences: audiences))
    }
    var state = DecisionState(
      subjectID: "user", now: now, assignments: stored.compactMap(assignment))
    state.occurrences = CaseValues.entries(testCase.input("storedOccurrences")).map {
      .init(
        key: $0.key,
        times: Array(repeating: now, count: Int($0.value.number ?? 0)))
    }
    let context = CaseValues.unwrapped(testCase.input("context") ?? .map([]))
    return decide(placement, config, context, state).map(described)
  }

  private static func described(_ decided: Decided) -> Value {
    let decision = decided.decision
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("triggerResult", TriggerResult(decision.outcome).value["result"] ?? .null)
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      add("experimentId", .string(experiment.id))
      add("groupId", .string(experiment.campaignID))
      add("paywallId", CaseValues.value(experiment.variant.paywallID))
    case .noAudienceMatch:
      add(
        "unmatched",
        .list(
          decided.steps.compactMap { step in
            step.reason.unmatchedSource.map {
              ["experimentId": .string(step.experimentID), "source": .string($0)]
            }
          }))
    case .placementNotFound: add("assignment", .null)
    case .error(let failure): add("error", .string(failure.message))
    case .undecidable(let reason): add("undecidable", .string(reason))
    }
    var isConfirmable = false
    for applied in decision.effects(for: .presentation) {
      switch applied.effect {
      case .storeAssignment, .confirmAssignment: isConfirmable = true
      case .recordOccurrence(let limit): add("unsavedOccurrence", .string(limit.key))
      case .fireTrigger: break
      }
    }
    add("confirmable", .bool(isConfirmable))
    return .map(entries)
  }

  private struct Decided {
    var decision: Decision
    var steps: [Decision.Step]
  }

  private static func decide(
    _ placement: String, _ config: Config, _ context: Value, _ state: DecisionState
  ) -> Decided? {
    guard let ruleSet = RuleSet.compile(config).output else { return nil }
    var frame = Frame(for: ruleSet.program)
    do throws(EvaluationError) {
      try frame.fill(CaseValues.unwrapped(context))
    } catch {
      return nil
    }
    return Decided(
      decision: ruleSet.decide(
        placement, frame: &frame, state: state, assigner: .hash(salt: "")),
      steps: ruleSet.steps(placement, frame: &frame, state: state))
  }

  // MARK: Assignments

  private static func chooseAssignments(_ testCase: Case) -> Value? {
    let experiments = CaseValues.list(testCase.input("experiments"))
    var config = Config()
    for (number, experiment) in experiments.enumerated() {
      guard let audience = audience(experiment, index: 0) else { return nil }
      let trigger = experiment["trigger"]?.text ?? "trigger \(number)"
      if let known = config.placements.firstIndex(where: { $0.name == trigger }) {
        config.placements[known].audiences.append(audience)
      } else {
        config.placements.append(Placement(name: trigger, audiences: [audience]))
      }
    }
    let existing = CaseValues.list(testCase.input("existing")).compactMap(assignment)
    let chosen = config.chooseAssignments(existing: existing, subjectID: "user") { _ in
      .hash(salt: "")
    }
    let expected = testCase.content["expect"] ?? .null
    if let candidates = expected["oneOf"] {
      let isOne = chosen.allSatisfy {
        CaseValues.list(candidates).contains(.string($0.experimentID))
      }
      return [
        "assignedExperimentCount": .int(Int64(chosen.count)), "oneOf": isOne ? candidates : .null,
      ]
    }
    return ["assignments": .list(CaseValues.sorted(chosen.map(value)))]
  }

  private static func transferAssignments(_ testCase: Case) -> Value? {
    var audiences: [Audience] = []
    for experiment in CaseValues.list(testCase.input("config")) {
      guard let id = experiment["id"]?.text else { return nil }
      audiences.append(
        Audience(
          index: audiences.count, experimentID: id,
          variants: CaseValues.texts(experiment["variants"]).map {
            Variant(id: $0, kind: .treatment, weight: 1)
          }))
    }
    let config = Config(placements: [Placement(name: "p", audiences: audiences)])
    let assignments = config.transferAssignments(
      server: CaseValues.list(testCase.input("server")).compactMap(assignment),
      local: CaseValues.list(testCase.input("local")).compactMap(assignment))
    return ["assignments": .list(CaseValues.sorted(assignments.map(value)))]
  }

  // MARK: Preloads

  private static func preloadPaywallIDs(_ testCase: Case) -> Value? {
    let stored = CaseValues.list(testCase.input("assignments"))
    var audiences: [Audience] = []
    for rule in CaseValues.list(testCase.input("rules")) {
      guard let id = rule["experimentId"]?.text,
        let preload = rule["preload"]?.text.flatMap(Preload.init(rawValue:))
      else { return nil }
      let evaluates = rule["evaluates"]?.truth
      audiences.append(
        Audience(
          index: audiences.count, experimentID: id, campaignID: "g",
          expression: evaluates.map { $0 ? "true" : "false" },
          variants: stored.filter { $0["experimentId"]?.text == id }
            .compactMap(variant), preload: preload))
    }
    let config = Config(placements: [Placement(name: "p", audiences: audiences)])
    guard let ruleSet = RuleSet.compile(config).output else { return nil }
    var frame = Frame(for: ruleSet.program)
    let state = DecisionState(
      subjectID: "user", now: now, assignments: stored.compactMap(assignment))
    let selection = ruleSet.preloadedPaywalls(
      settings: config.settings, frame: &frame, state: state)
    return ["paywallIds": .list(CaseValues.sorted(selection.all.map { .string($0) }))]
  }

  /// Decodes the preload behavior as part of a static config.
  private static func decodePreload(_ testCase: Case) -> Value? {
    let rule: Value = [
      "experiment_id": "e", "experiment_group_id": "g", "variants": [],
      "preload": testCase.input("json") ?? .null,
    ]
    let config: Value = [
      "build_id": "b", "trigger_options": [["event_name": "p", "rules": [rule]]],
    ]
    let decoded = Config.decode(config.json.utf8, format: .superwall).output
    let preload = decoded?.placements.first?.audiences.first?.preload
    return preload.map { ["behavior": .string($0.rawValue)] }
  }

  private static func filterTriggers(_ testCase: Case) -> Value? {
    let disabled = ConfigSettings.DisabledPreloads(
      all: testCase.input("disablePreload")?["all"]?.truth ?? false,
      placements: CaseValues.texts(testCase.input("disablePreload")?["triggers"]))
    let names = CaseValues.list(testCase.input("triggers")).compactMap {
      $0.text ?? $0["name"]?.text
    }
    return ["triggers": .list(disabled.allowed(names).map { .string($0) })]
  }

  // MARK: Reading

  /// A rule with camel case keys. `evaluates` replaces the condition with a fixed result.
  private static func audience(_ rule: Value, index: Int) -> Audience? {
    let experiment = rule["experimentId"]?.text ?? rule["id"]?.text
    guard let experiment else { return nil }
    let group =
      rule["experimentGroupId"]?.text ?? rule["groupId"]?.text ?? ""
    var audience = Audience(
      index: index, experimentID: experiment, campaignID: group,
      expression: rule["expressionCel"]?.text,
      variants: CaseValues.list(rule["variants"]).compactMap(variant))
    if let evaluates = rule["evaluates"]?.truth, audience.expression == nil {
      audience.expression = evaluates ? "true" : "false"
    }
    if let occurrence = rule["occurrence"], occurrence != .null {
      guard let limit = SuperwallRulesCases.limit(occurrence) else { return nil }
      audience.occurrenceLimit = limit
    }
    return audience
  }

  /// The ID of a variant that is stored without an ID.
  private static let unnamed = "variant"

  /// Reads a variant or a stored variant. Each treatment gets a paywall.
  private static func variant(_ value: Value) -> Variant? {
    guard case .map = value else { return nil }
    let id = value["id"]?.text ?? value["variantId"]?.text ?? unnamed
    let kind = value["type"]?.text.flatMap(Variant.Kind.init(rawValue:)) ?? .treatment
    return Variant(
      id: id, kind: kind, weight: value["percentage"]?.number ?? 0,
      paywallID: value["paywallId"]?.text ?? (kind == .treatment ? "paywall" : nil))
  }

  private static func assignment(_ value: Value) -> Assignment? {
    guard let experiment = value["experimentId"]?.text else { return nil }
    return Assignment(
      experimentID: experiment, variantID: value["variantId"]?.text ?? unnamed,
      isSentToServer: value["isSentToServer"]?.truth ?? false)
  }

  private static func value(_ assignment: Assignment) -> Value {
    [
      "experimentId": .string(assignment.experimentID),
      "variantId": .string(assignment.variantID),
      "isSentToServer": .bool(assignment.isSentToServer),
    ]
  }
}

extension Decision.Reason {
  /// The native SDKs' name for the reason why an audience did not match: its condition or its limit. Nil if the
  /// audience matched or was not reached.
  fileprivate var unmatchedSource: String? {
    switch self {
    case .matched, .notReached, .undecidable: nil
    case .occurrenceLimit: "OCCURRENCE"
    case .expressionFalse, .expressionError, .expressionBroken, .entitled: "EXPRESSION"
    }
  }
}
