internal import Expressions
internal import RuleEngine
internal import Scenarios

/// Suite `agentwallie`. ``AgentWallieTextCases`` runs the cases about texts.
enum AgentWallieCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let kind = testCase.content["kind"]?.text else {
      throw CaseFileError(message: "case \(testCase.id) has no 'kind'")
    }
    let got: Value?
    switch kind {
    case "expression": return try AgentWallieTextCases.expression(testCase)
    case "filter": got = filter(testCase)
    case "condition": got = condition(testCase)
    case "placement": got = placement(testCase)
    case "assignment": got = AgentWallieAssignmentCases.run(testCase)
    case "entitlement": got = entitlement(testCase)
    case "model": got = model(testCase)
    case "product": got = AgentWallieProductCases.run(testCase)
    default: throw CaseFileError(message: "there is no kind '\(kind)'")
    }
    let expected = normal(testCase.content["expect"] ?? .null)
    guard let got else { throw CaseFileError(message: "the input is not supported") }
    return .judge(normal(got), against: expected)
  }

  /// Converts whole doubles to ints, because the suite does not distinguish the two types.
  static func normal(_ value: Value) -> Value {
    switch value {
    case .double(let number): Int64(exactly: number).map { .int($0) } ?? value
    case .list(let values): .list(values.map(normal))
    case .map(let entries):
      .map(entries.map { Value.Entry(key: $0.key, value: normal($0.value)) })
    default: value
    }
  }

  // MARK: Filters and conditions

  private static func filter(_ testCase: Case) -> Value? {
    let filters: Value = .list(
      CaseValues.list(testCase.input("filters")).map { AgentWallieKeys.long($0) })
    let audience: Value = [
      "id": "a", "name": "A", "priority_order": 0, "filters": filters,
      "experiment": [
        "id": "e", "status": "running", "holdout_percentage": 0,
        "variants": [["id": "v", "paywall_id": "p", "traffic_percentage": 100]],
      ],
    ]
    guard let decoded = audienceFilters(audience) else { return nil }
    let program = ExpressionEnvironment(roots: []).compile(decoded)
    return holds(program, CaseValues.unwrapped(testCase.input("context") ?? .map([])))
      .map { ["match": .bool($0)] }
  }

  /// Runs the filters of an audience as part of a complete config.
  private static func audienceFilters(_ audience: Value) -> [Filter]? {
    let config: Value = [
      "campaigns": [
        [
          "id": "c", "name": "C", "status": "active",
          "placements": [["id": "p", "name": "p", "type": "custom", "status": "active"]],
          "audiences": [audience],
        ]
      ], "paywalls": .map([]),
    ]
    let decoded = Config.decode(config.json.utf8, format: .agentWallie).output
    return decoded?.placements.first?.audiences.first?.filters
  }

  private static func holds(_ program: Program, _ context: Value) -> Bool? {
    var frame = Frame(for: program)
    do throws(EvaluationError) {
      try frame.fill(context)
    } catch {
      return nil
    }
    return program.isTrue(in: &frame)
  }

  private static func condition(_ testCase: Case) -> Value? {
    guard let condition = testCase.input("condition"), condition != .null else {
      return ["visible": true]
    }
    guard let filter = Filter.condition(CaseValues.unwrapped(AgentWallieKeys.long(condition)))
    else {
      return nil
    }
    let slots = CaseValues.list(testCase.input("slots")).compactMap { slot -> ProductSlot? in
      guard let name = slot["slot"]?.text else { return nil }
      return ProductSlot(
        slot: name, label: slot["label"]?.text,
        productID: slot["product"]?.text)
    }
    var theme: PaywallSchema.Theme?
    if let json = testCase.input("theme"), json != .null {
      let schema: Value = [
        "version": "1", "name": "n", "settings": .map([]), "components": [], "theme": json,
      ]
      let config: Value = ["campaigns": [], "paywalls": ["p": schema]]
      let decoded = Config.decode(config.json.utf8, format: .agentWallie).output
      theme = decoded?.paywalls.first?.schema?.theme
    }
    let context = ConditionContext(
      slots: slots, selected: Int(testCase.input("selected")?.number ?? 0),
      user: CaseValues.unwrapped(testCase.input("user") ?? .map([])), theme: theme
    ).value
    return holds(ExpressionEnvironment(roots: []).compile([filter]), context)
      .map { ["visible": .bool($0)] }
  }

  // MARK: Placements

  private static func placement(_ testCase: Case) -> Value? {
    guard let name = testCase.input("placement")?.text,
      let user = testCase.input("user")?.text
    else { return nil }
    let config: Value = [
      "campaigns": .list(
        CaseValues.list(testCase.input("campaigns")).map { AgentWallieKeys.long($0) }),
      "paywalls": .map([]),
    ]
    guard let decoded = Config.decode(config.json.utf8, format: .agentWallie).output,
      let ruleSet = RuleSet.compile(decoded).output
    else { return nil }
    var frame = Frame(for: ruleSet.program)
    do throws(EvaluationError) {
      try frame.fill(CaseValues.unwrapped(testCase.input("context") ?? .map([])))
    } catch {
      return nil
    }
    let stored = CaseValues.list(testCase.input("stored"))
    var state = DecisionState(
      subjectID: user, now: 0, entitlements: CaseValues.texts(testCase.input("entitlements")))
    state.assignments = stored.filter { $0["user"]?.text == user }
      .compactMap { assignment($0, decoded) }
    let decision = ruleSet.decide(name, frame: &frame, state: state, assigner: .djb2)
    return [
      "result": result(decision),
      "stored_after": .list(storedAfter(decision, stored, user, decoded)),
    ]
  }

  /// Reads a stored assignment. A stored holdout names no variant, because it means the share that
  /// the config's variants do not cover.
  private static func assignment(_ stored: Value, _ config: Config) -> Assignment? {
    guard let experiment = stored["experiment"]?.text else { return nil }
    let gap = config.placements.flatMap(\.audiences)
      .first { $0.experimentID == experiment }?.variants.first { $0.isGap }?.id
    let variant =
      stored["holdout"]?.truth == true
      ? gap ?? "holdout" : stored["variant"]?.text
    return variant.map { Assignment(experimentID: experiment, variantID: $0) }
  }

  private static func result(_ decision: Decision) -> Value {
    guard let audience = decision.decidingAudience else { return .null }
    var experiment: Decision.Experiment?
    var isHoldout = false
    switch decision.outcome {
    case .paywall(let found): experiment = found
    case .holdout(let found):
      experiment = found
      isHoldout = true
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
    }
    return [
      "campaign": .string(audience.campaignID), "audience": CaseValues.value(audience.id),
      "experiment": CaseValues.value(experiment?.id),
      "variant": isHoldout ? .null : CaseValues.value(experiment?.variant.id),
      "paywall": isHoldout ? .null : CaseValues.value(experiment?.variant.paywallID),
      "holdout": .bool(isHoldout),
    ]
  }

  private static func storedAfter(
    _ decision: Decision, _ stored: [Value], _ user: String, _ config: Config
  ) -> [Value] {
    var after = stored
    for case .storeAssignment(let experiment, let id) in decision.effects {
      let assignment = Assignment(experimentID: experiment, variantID: id)
      let variant = config.variant(of: assignment)
      let isHoldout = variant?.kind == .holdout
      after.removeAll {
        $0["user"]?.text == user && $0["experiment"]?.text == experiment
      }
      after.append([
        "user": .string(user), "experiment": .string(experiment),
        "variant": isHoldout ? .null : .string(id),
        "paywall": CaseValues.value(variant?.paywallID), "holdout": .bool(isHoldout),
      ])
    }
    return after
  }

  // MARK: Entitlements and models

  private static func entitlement(_ testCase: Case) -> Value? {
    let json: Value = [
      "campaigns": [], "paywalls": .map([]),
      "products": .list(
        CaseValues.list(testCase.input("products")).map { AgentWallieKeys.long($0) }),
    ]
    guard let config = Config.decode(json.json.utf8, format: .agentWallie).output else {
      return nil
    }
    var state = EntitlementState()
    for step in CaseValues.list(testCase.input("steps")) {
      if let id = step["purchase"]?.text { state.purchase(id, config: config) }
      if let restored = step["restore"] {
        let ids = restored.text.map { [$0] } ?? CaseValues.texts(restored)
        state.restore(ids, config: config)
      }
      if step["reset"] != nil { state.reset() }
    }
    let lookup = CaseValues.entries(testCase.content["expect"]?["lookup"]).map { id, _ in
      Value.Entry(
        key: .string(id),
        value: .list(config.entitlements(ofProduct: id).map { .string($0.id) }))
    }
    return [
      "status": .string(state.status.rawValue),
      "active": .list(state.active.sorted().map { .string($0) }), "lookup": .map(lookup),
    ]
  }

  private static func model(_ testCase: Case) -> Value? {
    guard let type = testCase.input("type")?.text, let json = testCase.input("json")
    else { return nil }
    if type == "cta_action_param" {
      return ["ok": true, "param": CaseValues.value(PaywallSchema.actionParameter(json))]
    }
    let decoded = AgentWalliePart.decode(type, json)
    let isOK = decoded.output != nil && !decoded.diagnostics.contains { $0.severity == .error }
    let expected = testCase.content["expect"]
    var entries = [Value.Entry(key: "ok", value: .bool(isOK))]
    let fields = CaseValues.entries(expected?["fields"]).map { path, _ in
      Value.Entry(
        key: .string(path), value: decoded.output.flatMap { field(path, $0) } ?? .null)
    }
    entries.append(Value.Entry(key: "fields", value: .map(fields)))
    if let part = decoded.output, type == "component",
      let name = part["type"]?.text, !PaywallSchema.componentTypes.contains(name)
    {
      entries.append(Value.Entry(key: "unknown_component", value: .string(name)))
      let again = AgentWalliePart.decode(type, part).output
      entries.append(
        Value.Entry(key: "reencode_roundtrips", value: .bool(again == part)))
    }
    return .map(entries)
  }

  /// The value at a path such as `a.0.b`. The path `x.#` returns the length of a list.
  private static func field(_ path: String, _ value: Value) -> Value? {
    var value = value
    for part in path.split(separator: ".") {
      if part == "#" {
        guard let values = value.elements else { return nil }
        return .int(Int64(values.count))
      }
      if let values = value.elements {
        guard let index = Int(part), values.indices.contains(index) else { return nil }
        value = values[index]
      } else {
        guard let next = value[String(part)] else { return nil }
        value = next
      }
    }
    return value
  }
}

/// Converts the suite's short keys to the keys in configs.
enum AgentWallieKeys {
  private static let names = [
    "op": "operator", "join": "conjunction", "priority": "priority_order",
    "paywall": "paywall_id", "traffic": "traffic_percentage", "holdout": "holdout_percentage",
    "store_product": "store_product_id",
  ]

  static func long(_ value: Value) -> Value {
    switch value {
    case .list(let values): .list(values.map(long))
    case .map(let entries):
      .map(
        entries.map { entry in
          guard let key = entry.key.text else { return entry }
          // The value that a filter compares with is data, so its keys are not converted.
          let isData = key == "value"
          return Value.Entry(
            key: .string(names[key] ?? key),
            value: isData ? CaseValues.unwrapped(entry.value) : long(entry.value))
        })
    default: value
    }
  }
}

/// Runs cases of kind `assignment`: buckets of djb2, complete populations, and stored assignments.
enum AgentWallieAssignmentCases {
  static func run(_ testCase: Case) -> Value? {
    if testCase.input("steps") != nil { return records(testCase) }
    if let population = testCase.input("population") {
      return self.population(testCase, population)
    }
    guard var user = testCase.input("user")?.text,
      var experiment = testCase.input("experiment")?.text,
      let variants = variants(experiment, testCase)
    else { return nil }
    // SAFETY: Views of both strings stay in their closures. Tests: corpus.
    let hash = user.withUTF8 { user in
      experiment.withUTF8 { DJB2.hash(experiment: $0, subject: user) }
    }
    let chosen = variants.chooseVariant(subjectID: user, .djb2)
    let isHoldout = chosen == nil || chosen?.kind == .holdout
    return [
      "hash": .int(Int64(hash)), "bucket": .int(Int64(DJB2.bucket(hash))),
      "variant": isHoldout ? .null : CaseValues.value(chosen?.id),
      "paywall": isHoldout ? .null : CaseValues.value(chosen?.paywallID),
    ]
  }

  /// Reads an experiment's variants as part of a complete config.
  private static func variants(_ experiment: String, _ testCase: Case) -> Audience? {
    let audience: Value = [
      "id": "a", "name": "A", "priority_order": 0, "filters": [],
      "experiment": [
        "id": .string(experiment), "status": "running",
        "holdout_percentage": testCase.input("holdout") ?? 0,
        "variants": .list(
          CaseValues.list(testCase.input("variants")).map { AgentWallieKeys.long($0) }),
      ],
    ]
    let config: Value = [
      "campaigns": [
        [
          "id": "c", "name": "C", "status": "active",
          "placements": [["id": "p", "name": "p", "type": "custom", "status": "active"]],
          "audiences": [audience],
        ]
      ], "paywalls": .map([]),
    ]
    let decoded = Config.decode(config.json.utf8, format: .agentWallie).output
    return decoded?.placements.first?.audiences.first
  }

  private static func population(_ testCase: Case, _ population: Value) -> Value? {
    guard let prefix = population["prefix"]?.text,
      let count = population["count"]?.number.map({ Int($0) })
    else { return nil }
    let names = CaseValues.texts(testCase.input("experiments"))
    if !names.isEmpty {
      let audiences = names.compactMap { variants($0, testCase) }
      var different = 0
      for number in 0..<count {
        let ids = audiences.map { $0.chooseVariant(subjectID: "\(prefix)\(number)", .djb2)?.id }
        if Set(ids).count > 1 { different += 1 }
      }
      return ["different": .int(Int64(different))]
    }
    guard let experiment = testCase.input("experiment")?.text,
      let audience = variants(experiment, testCase)
    else { return nil }
    var counts: [String: Int64] = [:]
    for number in 0..<count {
      let chosen = audience.chooseVariant(subjectID: "\(prefix)\(number)", .djb2)
      let name = chosen.map { $0.isGap ? "holdout" : $0.id } ?? "holdout"
      counts[name, default: 0] += 1
    }
    return [
      "counts": .map(
        counts.sorted { $0.key < $1.key }
          .map { Value.Entry(key: .string($0.key), value: .int($0.value)) })
    ]
  }

  /// Runs steps that save and read assignments. Paywalls are not stored, so a config that contains every saved variant
  /// supplies them.
  private static func records(_ testCase: Case) -> Value? {
    var records = AssignmentRecords()
    var config = Config(placements: [Placement(name: "p", audiences: [])])
    var gets: [Value] = []
    func pair(_ value: Value?) -> (user: String, experiment: String)? {
      guard let user = value?["user"]?.text,
        let experiment = value?["experiment"]?.text
      else { return nil }
      return (user, experiment)
    }
    for step in CaseValues.list(testCase.input("steps")) {
      if let saved = step["save"], let (user, experiment) = pair(saved) {
        let isHoldout = saved["holdout"]?.truth == true
        let id = isHoldout ? "holdout" : saved["variant"]?.text ?? ""
        config.placements[0].audiences.append(
          Audience(
            index: 0, experimentID: experiment,
            variants: [
              Variant(
                id: id, kind: isHoldout ? .holdout : .treatment, weight: 1,
                paywallID: saved["paywall"]?.text)
            ]))
        records.save(.init(experimentID: experiment, variantID: id), of: user)
      } else if let (user, experiment) = pair(step["get"]) {
        let found = records.assignment(of: user, in: experiment)
        gets.append(found.map { described($0, config) } ?? .null)
      } else if let (user, experiment) = pair(step["clear"]) {
        records.remove(of: user, in: experiment)
      } else if let user = step["clear_user"]?.text {
        records.removeAll(of: user)
      } else if step["clear_all"] != nil {
        records.removeAll()
      } else {
        return nil
      }
    }
    return ["gets": .list(gets)]
  }

  private static func described(_ assignment: Assignment, _ config: Config) -> Value {
    let variant = config.variant(of: assignment)
    let isHoldout = variant?.kind == .holdout
    return [
      "variant": isHoldout ? .null : .string(assignment.variantID),
      "paywall": CaseValues.value(variant?.paywallID), "holdout": .bool(isHoldout),
    ]
  }
}
