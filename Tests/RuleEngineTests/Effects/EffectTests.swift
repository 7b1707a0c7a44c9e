import Expressions
import RuleEngine
import Testing

/// What requests apply, and what the SDKs make of outcomes.
@Suite struct EffectTests {
  /// Nothing is applied of what came to nothing, and a check that a paywall makes applies nothing.
  @Test func quietRequests() {
    for table in [EffectTable.tollgate, .ios, .android] {
      for kind in RequestKind.allCases {
        #expect(table[kind, .placementNotFound] == [])
        #expect(table[kind, .error] == [])
      }
      #expect(table[.preload, .paywall] == [] && table[.preload, .holdout] == [])
      #expect(table[.paywallDeclineCheck, .paywall] == [])
      #expect(!table[.confirmAllAssignments, .holdout].contains(.recordOccurrence))
    }
  }

  /// Ours asks for nothing but the assignment when somebody only asks.
  @Test func askingConsumesNothing() {
    for outcome in EffectTable.OutcomeKind.allCases {
      for kind in [RequestKind.getPresentationResult, .handleImplicitTrigger, .confirmAllAssignments]
      {
        #expect(EffectTable.tollgate[kind, outcome].isSubset(of: .confirmAssignment))
      }
    }
  }

  /// A paywall's occurrence is never recorded before it is on the screen.
  @Test func occurrencesOfPaywalls() {
    for table in [EffectTable.tollgate, .ios, .android] {
      for kind in RequestKind.allCases {
        #expect(!table[kind, .paywall].contains(.recordOccurrence))
        #expect(!table[kind, .holdout].contains(.recordOccurrenceWhenPresented))
      }
    }
  }

  @Test func confirmations() {
    let table = EffectTable.tollgate
    #expect(table.confirms(.paywall, for: .presentation, isSent: false))
    #expect(!table.confirms(.paywall, for: .presentation, isSent: true))
    #expect(!table.confirms(.paywall, for: .presentation, isSent: nil))
    #expect(!table.confirms(.paywall, for: .presentation, isSent: false, isDebugging: true))
    #expect(table.confirms(.holdout, for: .presentation, isSent: false, isDebugging: true))
    #expect(!table.confirms(.noAudienceMatch, for: .presentation, isSent: false))
  }

  @Test(
    arguments: [
      ("deepLink_open", [], nil, true, ImplicitTrigger.deepLinkTrigger),
      ("app_launch", ["app_launch"], nil, false, .triggerPaywall),
      ("app_launch", ["app_launch"], nil, true, .dontTriggerPaywall),
      ("app_launch", ["other"], nil, false, .dontTriggerPaywall),
      ("paywall_decline", ["paywall_decline"], nil, true, .closePaywallThenTriggerPaywall),
      ("paywall_decline", ["paywall_decline"], "custom_placement", true, .dontTriggerPaywall),
      ("survey_response", ["survey_response"], "app_launch", true, .closePaywallThenTriggerPaywall),
      ("touches_began", ["touches_began"], nil, false, .triggerPaywall),
      ("my_placement", ["my_placement"], nil, false, .dontTriggerPaywall),
      ("custom_placement", ["custom_placement"], nil, true, .closePaywallThenTriggerPaywall),
    ] as [(String, [String], String?, Bool, ImplicitTrigger)])
  func implicitTriggers(
    event: String, placements: [String], presentedBy: String?, isOpen: Bool,
    expected: ImplicitTrigger
  ) {
    let found = ImplicitTrigger(
      event: event, placements: placements, presentedBy: presentedBy, isPaywallOpen: isOpen)
    #expect(found == expected)
  }

  @Test func implicitTriggersOnAndroid() {
    func trigger(_ event: String, isOpen: Bool) -> ImplicitTrigger {
      ImplicitTrigger(
        event: event, placements: [event], presentedBy: nil, isPaywallOpen: isOpen,
        platform: .android)
    }
    #expect(trigger("touches_began", isOpen: false) == .dontTriggerPaywall)
    #expect(trigger("custom_placement", isOpen: false) == .dontTriggerPaywall)
    #expect(trigger("session_start", isOpen: true) == .triggerPaywall)
  }

  @Test func featureGates() {
    typealias Gate = FeatureGate
    for gating in Paywall.FeatureGating.allCases {
      #expect(Gate(.skipped, gating: gating).isFeatureRun)
      #expect(!Gate(.failed, gating: gating).isFeatureRun)
      #expect(!Gate(.presented, gating: gating).isFeatureRun)
      #expect(Gate(.dismissed(.purchased, .systemLogic), gating: gating).isFeatureRun)
      #expect(Gate(.dismissed(.restored, .systemLogic), gating: gating).isFeatureRun)
      #expect(!Gate(.dismissed(.declined, .forNextPaywall), gating: gating).isFeatureRun)
    }
    #expect(Gate(.dismissed(.declined, .manualClose), gating: .nonGated).isFeatureRun)
    #expect(!Gate(.dismissed(.declined, .manualClose), gating: .gated).isFeatureRun)
    let failed = FeatureGate.State.dismissed(.declined, .webViewFailedToLoad)
    #expect(Gate(failed, gating: .gated).errorCode == 106)
    #expect(Gate(failed, gating: .nonGated).errorCode == nil)
    #expect(Gate(failed, gating: .nonGated).isFeatureRun)
  }

  /// Every reason of the tracked vocabulary has a name of its own, and an answer.
  @Test func statusReasons() {
    let names = StatusReason.allCases.map { $0.wireName() }
    #expect(Set(names).count == StatusReason.allCases.count)
    let types = Set(StatusReason.allCases.map(\.presentationResultType))
    #expect(types == ["Holdout", "NoAudienceMatch", "PlacementNotFound", "PaywallNotAvailable"])
  }

  /// Parameters of an app: internal names, null and lists go, maps and times stay.
  @Test func placementParams() {
    let custom: Value = [
      "$x": 1, "a": .null, "b": [1], "c": ["d": 1], "e": "text", "event_name": "mine",
      "t": .timestamp(seconds: 0, nanoseconds: 5_000_000),
    ]
    let cleaned = PlacementParams.cleaned(custom)
    #expect(cleaned.json == #"{"c":{"d":1},"e":"text","event_name":"mine","t":"1970-01-01T00:00:00.005Z"}"#)
    let params = PlacementParams.make(
      placement: "p", custom: custom, isStandardEvent: true, isFeatureGatable: false,
      sessionID: "s")
    #expect(params["event_name"] == "p" && params["$event_name"] == "p")
    #expect(params["$is_standard_event"] == true && params["$is_feature_gatable"] == false)
    #expect(params["$app_session_id"] == "s" && params["c"] == ["d": 1])
  }

  @Test func userAttributes() {
    let merged = UserAttributes.merge(
      ["a": 2, "b": .null, "$c": 3, "seed": 7, "d": [1]], into: ["a": 1, "b": 1, "seed": 42],
      installedAt: "T")
    #expect(merged["a"] == 2 && merged["b"] == nil && merged["$c"] == nil)
    #expect(merged["seed"] == 42 && merged["d"] == [1])
    #expect(merged["applicationInstalledAt"] == "T")
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

  @Test func reservedNames() {
    #expect(ReservedPlacements.contains("paywall_open"))
    #expect(!ReservedPlacements.contains("export_pdf"))
  }
}
