import Expressions
import RuleEngine
import TestSupport
import Testing

/// What requests apply, and what the SDKs make of outcomes.
@Suite struct EffectTests {
  /// Nothing is applied of what came to nothing, and a check that a paywall makes applies nothing.
  @Test func quietRequests() {
    for table in [EffectTable.tollgate, .ios, .android] {
      for kind in RequestKind.allCases {
        #expect(table[kind, .placementNotFound] == [])
        #expect(table[kind, .error] == [] && table[kind, .undecidable] == [])
      }
      #expect(table[.preload, .paywall] == [] && table[.preload, .holdout] == [])
      #expect(table[.paywallDeclineCheck, .paywall] == [])
      #expect(!table[.confirmAllAssignments, .holdout].contains(.recordOccurrence))
    }
  }

  /// Ours asks for nothing but the assignment when somebody only asks.
  @Test func askingConsumesNothing() {
    for outcome in EffectTable.OutcomeKind.allCases {
      for kind in [
        RequestKind.getPresentationResult, .handleImplicitTrigger, .confirmAllAssignments,
      ] {
        #expect(EffectTable.tollgate[kind, outcome].isSubset(of: .confirmAssignment))
      }
    }
  }

  /// Each kind of request with what it applies of a paywall, a holdout and no audience: it confirms
  /// assignments, records occurrences, fires triggers.
  @Test func tables() {
    func told(_ table: EffectTable) -> [String] {
      RequestKind.allCases.map { kind in
        EffectTable.OutcomeKind.allCases.filter { $0 != .undecidable }.map { outcome in
          let effects = table[kind, outcome]
          return (effects.contains(.confirmAssignment) ? "c" : "")
            + (effects.contains(.recordOccurrence) ? "r" : "")
            + (effects.contains(.fireTrigger) ? "f" : "")
        }.joined(separator: ",")
      }
    }
    #expect(
      told(.tollgate) == [
        "crf,crf,f,,", "crf,crf,f,,", "c,c,,,", "c,c,,,", ",,,,", "c,c,,,", ",,,,",
      ])
    #expect(
      told(.ios) == [
        "crf,crf,f,,", "crf,crf,f,,", "c,crf,f,,", "c,cr,,,", ",r,,,", "c,c,,,", ",,,,",
      ])
    #expect(
      told(.android) == [
        "crf,crf,f,,", "crf,crf,f,,", "c,cr,,,", ",r,,,", ",r,,,", "c,c,,,", ",,,,",
      ])
  }

  /// What is applied of a paywall waits for it: the trigger fires when it is available, and its
  /// occurrence counts when it is on the screen. A holdout waits for nothing.
  @Test func times() {
    let limit = OccurrenceLimit(key: "k", maxCount: 1, interval: .infinity)
    let effects: [Decision.Effect] = [
      .storeAssignment(experimentID: "e", variantID: "v"), .recordOccurrence(limit),
    ]
    let confirmed = Decision.Effect.confirmAssignment(experimentID: "e", variantID: "v")
    let experiment = Decision.Experiment(
      id: "e", campaignID: "g", variant: Variant(id: "v", kind: .treatment, weight: 1))
    let table = EffectTable.tollgate
    #expect(
      table.applied(of: effects, .paywall(experiment), for: .presentation) == [
        AppliedEffect(effects[0], .atOnce), AppliedEffect(.fireTrigger, .whenAvailable),
        AppliedEffect(confirmed, .whenAvailable), AppliedEffect(effects[1], .whenPresented),
      ])
    #expect(
      table.applied(of: effects, .holdout(experiment), for: .presentation) == [
        AppliedEffect(effects[0]), AppliedEffect(.fireTrigger), AppliedEffect(confirmed),
        AppliedEffect(effects[1]),
      ])
    // What is stored already is confirmed and not stored again; what was sent is neither.
    #expect(
      table.applied(of: [confirmed], .holdout(experiment), for: .getPresentationResult) == [
        AppliedEffect(confirmed)
      ])
    #expect(table.applied(of: [], .holdout(experiment), for: .getPresentationResult) == [])
    #expect(
      table.applied(of: [], .noAudienceMatch, for: .presentation) == [AppliedEffect(.fireTrigger)])
  }

  /// Each question about implicit triggers has its list.
  @Test(
    arguments: [
      (.deepLink, nil, true, .deepLinkTrigger),
      (.deepLink, .paywallDecline, true, .deepLinkTrigger),
      (.appInstall, nil, false, .triggerPaywall), (.appLaunch, nil, false, .triggerPaywall),
      (.sessionStart, nil, false, .triggerPaywall), (.touchesBegan, nil, false, .triggerPaywall),
      (.appLaunch, nil, true, .dontTriggerPaywall),
      (.paywallDecline, nil, true, .closePaywallThenTriggerPaywall),
      (.transactionAbandon, nil, true, .closePaywallThenTriggerPaywall),
      (.transactionFail, nil, true, .closePaywallThenTriggerPaywall),
      (.surveyResponse, .appLaunch, true, .closePaywallThenTriggerPaywall),
      (.customPlacement, nil, true, .closePaywallThenTriggerPaywall),
      (.paywallDecline, .surveyResponse, true, .closePaywallThenTriggerPaywall),
      (.paywallDecline, .deepLink, true, .closePaywallThenTriggerPaywall),
      (.paywallDecline, .customPlacement, true, .dontTriggerPaywall),
      (.surveyResponse, .paywallDecline, true, .dontTriggerPaywall),
      (.transactionAbandon, .transactionFail, true, .dontTriggerPaywall),
      (.transactionFail, .transactionAbandon, true, .dontTriggerPaywall),
      (.paywallOpen, nil, false, .dontTriggerPaywall),
      (.surveyClose, nil, true, .dontTriggerPaywall),
    ] as [(SuperwallEventName, SuperwallEventName?, Bool, ImplicitTriggers.Outcome)])
  func implicitTriggers(
    event: SuperwallEventName, opener: SuperwallEventName?, isOpen: Bool,
    expected: ImplicitTriggers.Outcome
  ) {
    func outcome(hasPlacement: Bool) -> ImplicitTriggers.Outcome {
      ImplicitTriggers.tollgate.outcome(
        of: event, hasPlacement: hasPlacement, opener: opener, isPaywallOpen: isOpen)
    }
    #expect(outcome(hasPlacement: true) == expected)
    #expect(outcome(hasPlacement: false) == .dontTriggerPaywall)
  }

  @Test func implicitTriggersOfNativeSDKs() {
    func outcome(
      _ table: ImplicitTriggers, _ event: SuperwallEventName, hasPlacement: Bool = true,
      isOpen: Bool = false
    ) -> ImplicitTriggers.Outcome {
      table.outcome(of: event, hasPlacement: hasPlacement, opener: nil, isPaywallOpen: isOpen)
    }
    #expect(outcome(.ios, .deepLink, hasPlacement: false) == .deepLinkTrigger)
    #expect(outcome(.ios, .sessionStart, isOpen: true) == .dontTriggerPaywall)
    #expect(outcome(.android, .deepLink, hasPlacement: false) == .deepLinkTrigger)
    #expect(outcome(.android, .touchesBegan) == .dontTriggerPaywall)
    #expect(outcome(.android, .customPlacement) == .dontTriggerPaywall)
    #expect(outcome(.android, .sessionStart, isOpen: true) == .triggerPaywall)
  }

  @Test(arguments: [true, false]) func featureGates(isGated: Bool) {
    func gate(_ state: FeatureGate.State) -> FeatureGate { FeatureGate(state, isGated: isGated) }
    #expect(gate(.skipped).isFeatureRun && gate(.paid).isFeatureRun)
    for state in [FeatureGate.State.failed, .ignored, .presented, .declined(.forNextPaywall)] {
      #expect(!gate(state).isFeatureRun)
    }
    for reason in [PaywallCloseReason.manualClose, .systemLogic, .webViewFailedToLoad] {
      #expect(gate(.declined(reason)).isFeatureRun == !isGated)
    }
    #expect(gate(.failed).failure == .error)
    #expect(gate(.declined(.webViewFailedToLoad)).failure == (isGated ? .webViewFailed : nil))
    #expect(gate(.declined(.manualClose)).failure == nil && gate(.paid).failure == nil)
  }

  /// Every reason can be read by the names of the native SDKs and of the contract; two of them the
  /// contract tells as errors.
  @Test func reasons() throws {
    let names = [
      "debuggerPresented": "debuggerPresented",
      "paywallAlreadyPresented": "paywallAlreadyPresented", "noAudienceMatch": "noRuleMatch",
      "placementNotFound": "eventNotFound", "noPaywallViewController": "noPaywallViewController",
      "noPresenter": "noViewController", "userIsSubscribed": "userIsSubscribed",
    ]
    var sent: Set<String> = []
    for (native, contract) in names {
      let reason = try #require(PresentationRequestReason(name: native))
      #expect(PresentationRequestReason(name: contract) == reason)
      #expect(reason.value == ["reason": .string(contract)])
      #expect(reason.status == .noPresentation)
      sent.insert(reason.sentName)
    }
    #expect(sent.count == names.count)
    let timeout = try #require(PresentationRequestReason(name: "subscriptionStatusTimeout"))
    #expect(timeout.status == .timeout)
    #expect(timeout.value == ["reason": "error", "error": "subscriptionStatusTimeout"])
    let config = try #require(PresentationRequestReason(name: "noConfig"))
    #expect(config.value == ["reason": "error", "error": "noConfig"])
    #expect(PresentationRequestReason(name: "error") == nil)
    #expect(PresentationRequestReason(name: "holdout") == nil)
  }

  /// Parameters of an app: internal names, null and lists go, maps and times stay.
  @Test func placementParams() {
    let custom: Value = [
      "$x": 1, "a": .null, "b": [1], "c": ["d": 1], "e": "text", "event_name": "mine",
      "t": .timestamp(seconds: 0, nanoseconds: 5_000_000),
    ]
    let cleaned = PlacementParams.cleaned(custom)
    #expect(
      cleaned.json
        == #"{"c":{"d":1},"e":"text","event_name":"mine","t":"1970-01-01T00:00:00.005Z"}"#)
    let params = PlacementParams(
      placement: "p", custom: custom, isStandardEvent: true, isFeatureGatable: false,
      sessionID: "s"
    ).value
    #expect(params["event_name"] == "p" && params["$event_name"] == "p")
    #expect(params["$is_standard_event"] == true && params["$is_feature_gatable"] == false)
    #expect(params["$app_session_id"] == "s" && params["c"] == ["d": 1])
  }

  @Test func userAttributes() {
    var attributes: [String: Value] = ["a": 1, "b": 1, "seed": 42]
    UserAttributes.merge(["a": 2, "b": .null, "$c": 3, "seed": 7, "d": [1]], into: &attributes)
    #expect(attributes == ["a": 2, "seed": 42, "d": [1]])
    UserAttributes.merge("text", into: &attributes)
    #expect(attributes.count == 3)
  }

  @Test func entitlementStates() {
    let config = Config(
      format: .agentWallie,
      products: [
        ProductReference(
          id: "p1", store: .appStore, storeID: "s1", entitlements: [Entitlement(id: "pro")]),
        ProductReference(id: "p2", store: .appStore, storeID: "s2"),
      ])
    var state = EntitlementState()
    state.purchase("s2", config: config)
    #expect(state == EntitlementState(status: .unknown, active: []))
    state.purchase("s1", config: config)
    #expect(state == EntitlementState(status: .active, active: ["pro"]))
    state.refresh(owned: [], config: config)
    #expect(state == EntitlementState(status: .inactive, active: []))
    state.refresh(owned: ["s2"], config: config)
    #expect(state == EntitlementState(status: .active, active: []))
    state.reset()
    state.restore(["s2"], config: config)
    #expect(state.status == .unknown)
    state.restore(["s1", "s2"], config: config)
    #expect(state == EntitlementState(status: .active, active: ["pro"]))
  }

  /// The SDK's names are spelt as they are sent.
  @Test func reservedNames() {
    #expect(SuperwallEventName.isReserved("paywall_open"))
    #expect(SuperwallEventName.isReserved("networkDecoding_fail"))
    #expect(!SuperwallEventName.isReserved("network_decoding_fail"))
    #expect(!SuperwallEventName.isReserved("survey_close"))
    #expect(!SuperwallEventName.isReserved("export_pdf"))
    for event in SuperwallEventName.allCases {
      #expect(SuperwallEventName(placementName: event.placementName) == event)
    }
    #expect(Platform.ios.eventsKeptOnReset == ["app_install", "app_launch"])
    #expect(Platform.android.eventsKeptOnReset == [])
  }
}
