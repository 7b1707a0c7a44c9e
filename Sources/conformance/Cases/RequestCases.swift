internal import Expressions
internal import RuleEngine
internal import SDK

/// Operations of the suite `superwall-rules` around a decision: the effects of requests, tracked events, parameters and
/// attributes.
enum RequestCases {
  /// The result of an operation, or nil if the operation is not about requests.
  static func run(_ operation: String, _ testCase: Case) -> Value?? {
    switch operation {
    case "confirmAssignment": confirmAssignment(testCase)
    case "mapPipelineError": mapPipelineError(testCase)
    case "statusReasonString": statusReasonString(testCase)
    case "triggerFireParams": triggerFireParams(testCase)
    case "featureBlock": featureBlock(testCase)
    case "canTriggerPaywall": canTriggerPaywall(testCase)
    case "shouldGetAssignments": shouldGetAssignments(testCase)
    case "register": register(testCase)
    case "processParams": processParams(testCase)
    case "mergeAttributes": mergeAttributes(testCase)
    case "reset": reset(testCase)
    default: nil
    }
  }

  private static func platform(_ testCase: Case) -> Platform {
    let name = testCase.input("platform")?.text ?? ""
    return Platform(rawValue: name.lowercased()) ?? .ios
  }

  private static let someExperiment = Decision.Experiment(
    id: "e", campaignID: "g", variant: Variant(id: "v", kind: .holdout, weight: 1))

  private static func outcome(_ testCase: Case, _ experiment: Decision.Experiment)
    -> Decision.Outcome?
  {
    switch testCase.input("triggerResult")?.text {
    case "paywall": .paywall(experiment)
    case "holdout": .holdout(experiment)
    case "noAudienceMatch": .noAudienceMatch
    case "placementNotFound": .placementNotFound
    case "error": .error(.noVariants)
    default: nil
    }
  }

  /// Confirms an assignment. The debugger of the native SDKs confirms none for a paywall.
  private static func confirmAssignment(_ testCase: Case) -> Value? {
    guard let outcome = outcome(testCase, someExperiment),
      let kind = testCase.input("requestType")?.text
        .flatMap(RequestKind.init(rawValue:))
    else { return nil }
    let isPending =
      testCase.input("hasAssignment")?.truth == true
      && testCase.input("isSentToServer")?.truth != true
    let effect = Decision.Effect.confirmAssignment(experimentID: "e", variantID: "v")
    let table: EffectTable = platform(testCase) == .android ? .android : .ios
    let applied = table.applied(of: isPending ? [effect] : [], outcome, for: kind)
    var isConfirmed = applied.contains { $0.effect == effect }
    if case .paywall = outcome, testCase.input("debugger")?.truth == true {
      isConfirmed = false
    }
    return ["confirmed": .bool(isConfirmed)]
  }

  private static func reason(_ testCase: Case) -> PresentationRequestReason? {
    testCase.input("reason")?.text.flatMap {
      $0 == "holdout" ? .holdout(someExperiment) : PresentationRequestReason(name: $0)
    }
  }

  private static func mapPipelineError(_ testCase: Case) -> Value? {
    guard let type = reason(testCase).map({ PresentationResult($0).type }) else { return nil }
    return ["presentationResult": .string(type.prefix(1).lowercased() + type.dropFirst())]
  }

  /// The name of a status reason. Android spells one reason differently.
  private static func statusReasonString(_ testCase: Case) -> Value? {
    guard let reason = reason(testCase) else { return nil }
    let isAndroids = platform(testCase) == .android && reason == .subscriptionStatusTimeout
    return ["string": .string(isAndroids ? "subscription_status_timeout" : reason.sentName)]
  }

  /// The parameters that the native SDKs send with a tracked event, compared exactly. iOS includes the reason why each
  /// audience did not match.
  private static func triggerFireParams(_ testCase: Case) -> Value? {
    let input = testCase.input("experiment")
    let variant = Variant(
      id: input?["variantId"]?.text ?? "", kind: .treatment, weight: 1,
      paywallID: input?["paywallId"]?.text)
    let experiment = Decision.Experiment(
      id: input?["id"]?.text ?? "", campaignID: "", variant: variant)
    guard let placement = testCase.input("placement")?.text,
      let outcome = outcome(testCase, experiment)
    else { return nil }
    let event = SuperwallEvent.triggerFire(placement: placement, result: TriggerResult(outcome))
      .value
    let told = event["result"]?["experiment"]
    var params: [String: Value] = ["trigger_name": event["placementName"] ?? .null]
    params["experiment_id"] = told?["id"]
    params["variant_id"] = told?["variant"]?["id"]
    switch outcome {
    case .paywall:
      params["result"] = "present"
      params["paywall_identifier"] = told?["variant"]?["paywallId"]
    case .holdout: params["result"] = "holdout"
    case .noAudienceMatch:
      params["result"] = "no_rule_match"
      for audience in CaseValues.list(testCase.input("unmatched")) where platform(testCase) == .ios
      {
        let id = audience["experimentId"]?.text ?? ""
        params["unmatched_audience_\(id)"] = audience["source"]
      }
    case .placementNotFound: params["result"] = "eventNotFound"
    case .error, .undecidable: params["result"] = "error"
    }
    return whole(.members(params), "params", testCase)
  }

  /// A member of the result that is compared exactly, without additional members.
  private static func whole(_ got: Value, _ key: String, _ testCase: Case) -> Value {
    let expected = testCase.content["expect"]?[key] ?? .null
    let isWhole = CaseComparison.matches(got, expected, partial: false)
    return .object([key: isWhole ? got : .list([got])])
  }

  private static func featureBlock(_ testCase: Case) -> Value? {
    let state: FeatureGate.State
    switch testCase.input("state")?.text {
    case "presented": state = .presented
    case "skipped": state = .skipped
    case "presentationError", "error": state = .failed
    case "dismissed":
      let reason = testCase.input("closeReason")?.text
        .flatMap(PaywallCloseReason.init(rawValue:))
      switch testCase.input("result")?.text {
      case "purchased", "restored": state = .paid
      case "declined": state = .declined(reason ?? .none)
      default: return nil
      }
    default: return nil
    }
    let gate = FeatureGate(state, isGated: testCase.input("gating")?.text == "gated")
    let code: Value =
      switch gate.failure {
      case .webViewFailed: 106
      case .error: "error"
      case nil: .null
      }
    return ["featureCalled": .bool(gate.isFeatureRun), "onErrorCode": code]
  }

  private static func canTriggerPaywall(_ testCase: Case) -> Value? {
    guard let name = testCase.input("event")?.text else { return nil }
    let table: ImplicitTriggers = platform(testCase) == .android ? .android : .ios
    let outcome = SuperwallEventName(placementName: name).map { event in
      table.outcome(
        of: event, hasPlacement: CaseValues.texts(testCase.input("triggers")).contains(name),
        opener: testCase.input("presentedBy")?.text
          .flatMap(SuperwallEventName.init(placementName:)),
        isPaywallOpen: testCase.input("paywallOpen")?.truth ?? false)
    }
    return ["outcome": .string((outcome ?? .dontTriggerPaywall).rawValue)]
  }

  /// Subjects that the server assigned before configs were static keep their assignments: identified subjects, and
  /// anonymous subjects that have opened the app before. Only native SDKs have such subjects.
  private static func shouldGetAssignments(_ testCase: Case) -> Value? {
    guard let isLoggedIn = testCase.input("isLoggedIn")?.truth,
      let never = testCase.input("neverCalledStaticConfig")?.truth,
      let isFirst = testCase.input("isFirstAppOpen")?.truth
    else { return nil }
    return ["value": .bool(never && (isLoggedIn || !isFirst))]
  }

  private static func register(_ testCase: Case) -> Value? {
    guard let placement = testCase.input("placement")?.text else { return nil }
    let isIgnored = SuperwallEventName.isReserved(placement)
    return ["ignored": .bool(isIgnored), "handlerCalled": .bool(!isIgnored)]
  }

  // MARK: Parameters and attributes

  private static func processParams(_ testCase: Case) -> Value? {
    let custom = testCase.input("custom") ?? .map([])
    let kept = PlacementParams.cleaned(custom)
    let all = PlacementParams(
      placement: testCase.input("placement")?.text ?? "", custom: custom,
      isStandardEvent: testCase.input("isSuperwallEvent")?.truth ?? false,
      isFeatureGatable: false, sessionID: "session"
    ).value
    let expected = testCase.content["expect"] ?? .null
    var entries: [Value.Entry] = []
    if let wanted = expected["customKept"] {
      // No other parameters may remain.
      let isWhole = CaseComparison.matches(kept, wanted, partial: false)
      entries.append(Value.Entry(key: "customKept", value: isWhole ? kept : .list([kept])))
    }
    if let wanted = expected["keysPresent"] {
      let keys = CaseValues.list(wanted).filter { key in
        CaseValues.entries(all).contains { .string($0.key) == key }
      }
      entries.append(Value.Entry(key: "keysPresent", value: .list(keys)))
    }
    return .map(entries)
  }

  /// Merges attributes. The app's install time is always included.
  private static func mergeAttributes(_ testCase: Case) -> Value? {
    guard let new = testCase.input("new"), let old = testCase.input("old") else { return nil }
    var attributes: [String: Value] = [:]
    for member in old.members ?? [] { attributes[member.key] = member.value }
    UserAttributes.merge(new, into: &attributes)
    attributes["applicationInstalledAt"] = testCase.input("appInstalledAt")
    return whole(.members(attributes), "merged", testCase)
  }

  private static func reset(_ testCase: Case) -> Value? {
    func rows(_ key: String) -> [(key: String, value: Value)] { testCase.input(key)?.members ?? [] }
    var history = LoggedEvents()
    func add(_ rows: [(key: String, value: Value)], _ entry: (String) -> EventLogEntry) {
      for row in rows {
        for _ in 0..<(row.value.wholeNumber ?? 0) { history.add(entry(row.key)) }
      }
    }
    add(rows("events")) { .event(name: $0, at: 0) }
    add(rows("occurrences")) { .occurrence(key: $0, at: 0) }
    history.reset(keeping: platform(testCase).eventsKeptOnReset)
    func left(_ key: String, _ count: (String) -> Int) -> Value {
      .map(rows(key).map { Value.Entry(key: .string($0.key), value: .whole(count($0.key))) })
    }
    return [
      "events": left("events") { history.count(ofEvent: $0) },
      "occurrences": left("occurrences") { history.count(ofOccurrence: $0) },
    ]
  }
}
