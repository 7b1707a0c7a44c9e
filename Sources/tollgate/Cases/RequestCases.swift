internal import Expressions
internal import RuleEngine

/// Operations of the suite `superwall-rules` around a decision: what requests apply, what is
/// tracked, what becomes of parameters and attributes.
enum RequestCases {
  /// What an operation gives, or nil when it is none of these.
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

  private static func platform(_ testCase: Case) -> SDKPlatform {
    CaseValues.text(testCase.input("platform")).flatMap(SDKPlatform.init(rawValue:)) ?? .ios
  }

  private static func confirmAssignment(_ testCase: Case) -> Value? {
    guard let result = CaseValues.text(testCase.input("triggerResult")),
      let outcome = EffectTable.OutcomeKind.allCases.first(where: { "\($0)" == result }),
      let kind = CaseValues.text(testCase.input("requestType"))
        .flatMap(RequestKind.init(rawValue:))
    else { return nil }
    let table: EffectTable = platform(testCase) == .android ? .android : .ios
    let hasAssignment = CaseValues.bool(testCase.input("hasAssignment")) ?? false
    let isSent = CaseValues.bool(testCase.input("isSentToServer")) ?? false
    let confirmed = table.confirms(
      outcome, for: kind, isSent: hasAssignment ? isSent : nil,
      isDebugging: CaseValues.bool(testCase.input("debugger")) ?? false)
    return ["confirmed": .bool(confirmed)]
  }

  private static func reason(_ testCase: Case) -> StatusReason? {
    CaseValues.text(testCase.input("reason")).flatMap(StatusReason.init(rawValue:))
  }

  private static func mapPipelineError(_ testCase: Case) -> Value? {
    guard let type = reason(testCase)?.presentationResultType else { return nil }
    return ["presentationResult": .string(type.prefix(1).lowercased() + type.dropFirst())]
  }

  private static func statusReasonString(_ testCase: Case) -> Value? {
    reason(testCase).map { ["string": .string($0.wireName(platform: platform(testCase)))] }
  }

  /// The parameters are compared as a whole.
  private static func triggerFireParams(_ testCase: Case) -> Value? {
    guard let placement = CaseValues.text(testCase.input("placement")) else { return nil }
    let input = testCase.input("experiment")
    let result = CaseValues.text(testCase.input("triggerResult"))
    let variant = Variant(
      id: CaseValues.text(input?["variantId"]) ?? "",
      kind: result == "holdout" ? .holdout : .treatment, weight: 1,
      paywallID: CaseValues.text(input?["paywallId"]))
    let experiment = Decision.Experiment(
      id: CaseValues.text(input?["id"]) ?? "", campaignID: "", variant: variant)
    let outcome: Decision.Outcome
    switch result {
    case "paywall": outcome = .paywall(experiment)
    case "holdout": outcome = .holdout(experiment)
    case "noAudienceMatch": outcome = .noAudienceMatch
    case "placementNotFound": outcome = .placementNotFound
    case "error": outcome = .error(.noVariants)
    default: return nil
    }
    let params = TriggerFire.params(
      placement: placement, outcome, unmatched: unmatched(testCase), platform: platform(testCase))
    let expected = testCase.content["expect"]?["params"] ?? .null
    let isWhole = CaseComparison.matches(params, expected, partial: false)
    return isWhole ? ["params": params] : ["params": .list([params])]
  }

  private static func unmatched(_ testCase: Case) -> [TriggerFire.Unmatched] {
    CaseValues.list(testCase.input("unmatched")).compactMap { audience in
      guard let id = CaseValues.text(audience["experimentId"]),
        let source = CaseValues.text(audience["source"])
      else { return nil }
      return TriggerFire.Unmatched(experimentID: id, source: source)
    }
  }

  private static func featureBlock(_ testCase: Case) -> Value? {
    let state: FeatureGate.State
    switch CaseValues.text(testCase.input("state")) {
    case "presented": state = .presented
    case "skipped": state = .skipped
    case "presentationError", "error": state = .failed
    case "dismissed":
      guard
        let result = CaseValues.text(testCase.input("result"))
          .flatMap(FeatureGate.Result.init(rawValue:))
      else { return nil }
      let reason = CaseValues.text(testCase.input("closeReason"))
        .flatMap(FeatureGate.CloseReason.init(rawValue:))
      state = .dismissed(result, reason ?? .none)
    default: return nil
    }
    let isGated = CaseValues.text(testCase.input("gating")) == "gated"
    let gate = FeatureGate(state, gating: isGated ? .gated : .nonGated)
    return [
      "featureCalled": .bool(gate.isFeatureRun),
      "onErrorCode": gate.errorCode.map { .int(Int64($0)) } ?? .null,
    ]
  }

  private static func canTriggerPaywall(_ testCase: Case) -> Value? {
    guard let event = CaseValues.text(testCase.input("event")) else { return nil }
    let trigger = ImplicitTrigger(
      event: event, placements: CaseValues.texts(testCase.input("triggers")),
      presentedBy: CaseValues.text(testCase.input("presentedBy")),
      isPaywallOpen: CaseValues.bool(testCase.input("paywallOpen")) ?? false,
      platform: platform(testCase))
    return ["outcome": .string(trigger.rawValue)]
  }

  private static func shouldGetAssignments(_ testCase: Case) -> Value? {
    guard let isLoggedIn = CaseValues.bool(testCase.input("isLoggedIn")),
      let never = CaseValues.bool(testCase.input("neverCalledStaticConfig")),
      let isFirst = CaseValues.bool(testCase.input("isFirstAppOpen"))
    else { return nil }
    return [
      "value": .bool(
        AssignmentFetch.isNeeded(
          isLoggedIn: isLoggedIn, neverCalledStaticConfig: never, isFirstAppOpen: isFirst))
    ]
  }

  private static func register(_ testCase: Case) -> Value? {
    guard let placement = CaseValues.text(testCase.input("placement")) else { return nil }
    let isIgnored = ReservedPlacements.contains(placement)
    return ["ignored": .bool(isIgnored), "handlerCalled": .bool(!isIgnored)]
  }

  // MARK: Parameters and attributes

  private static func processParams(_ testCase: Case) -> Value? {
    let custom = testCase.input("custom") ?? .map([])
    let kept = PlacementParams.cleaned(custom)
    let all = PlacementParams.make(
      placement: CaseValues.text(testCase.input("placement")) ?? "", custom: custom,
      isStandardEvent: CaseValues.bool(testCase.input("isSuperwallEvent")) ?? false,
      isFeatureGatable: false, sessionID: "session")
    let expected = testCase.content["expect"] ?? .null
    var entries: [Value.Entry] = []
    if let wanted = expected["customKept"] {
      // Nothing else may be kept.
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

  private static func mergeAttributes(_ testCase: Case) -> Value? {
    guard let new = testCase.input("new"), let old = testCase.input("old") else { return nil }
    let merged = UserAttributes.merge(
      new, into: old, installedAt: testCase.input("appInstalledAt") ?? .null)
    let expected = testCase.content["expect"]?["merged"] ?? .null
    let isWhole = CaseComparison.matches(merged, expected, partial: false)
    return ["merged": isWhole ? merged : .list([merged])]
  }

  /// Occurrences all go; of the events those stay that belong to the app.
  private static func reset(_ testCase: Case) -> Value? {
    let kept = platform(testCase).eventsKeptOnReset
    func left(_ counts: Value?, _ isKept: (String) -> Bool) -> Value {
      .map(
        CaseValues.entries(counts).map {
          Value.Entry(key: .string($0.key), value: isKept($0.key) ? $0.value : .int(0))
        })
    }
    return [
      "events": left(testCase.input("events")) { kept.contains($0) },
      "occurrences": left(testCase.input("occurrences")) { _ in false },
    ]
  }
}
