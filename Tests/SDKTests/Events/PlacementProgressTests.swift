import Expressions
import RuleEngine
import Testing

@testable import SDK

/// The states of a placement as a value.
@Suite("Placement progress")
struct PlacementProgressTests {
  private let declined = PlacementOutcome(.presented(.declined, .manualClose), gating: .nonGated)

  /// Whether the feature runs at the end.
  private func ends(
    _ progress: inout PlacementProgress, _ registration: Int, _ outcome: PlacementOutcome? = nil
  ) -> Bool { progress.end(registration, outcome ?? declined) }

  private func endsNext(_ progress: inout PlacementProgress, _ outcome: PlacementOutcome) -> Bool {
    ends(&progress, progress.begin(), outcome)
  }

  @Test func featuresRunOnce() {
    var progress = PlacementProgress()
    let first = progress.begin()
    #expect(progress.isRegistering)
    #expect(ends(&progress, first) == true)
    #expect(!progress.isRegistering)
    #expect(ends(&progress, first) == false)
    let second = progress.begin()
    let third = progress.begin()
    #expect(ends(&progress, second) == false)
    #expect(progress.isRegistering)
    #expect(ends(&progress, third) == true)
  }

  @Test func statesFollowEvents() {
    var progress = PlacementProgress()
    #expect(progress.state.value == ["status": "idle"])
    progress.receive(.onPaywallPresent(.none, handlerID: "h"))
    #expect(progress.state == .presented(.none))
    progress.receive(.willDismissPaywall(.none))
    #expect(progress.state == .presented(.none))
    progress.receive(.onPaywallDismiss(.none, .restored, handlerID: "h"))
    #expect(progress.state.value == ["status": "dismissed", "result": ["type": "restored"]])
    progress.receive(.onPaywallSkip(.placementNotFound, handlerID: "h"))
    #expect(progress.state.value["reason"] == ["type": "PlacementNotFound"])
    progress.receive(.onPaywallError(.cancelled, handlerID: "h"))
    #expect(progress.state.value["error"]?.text?.hasPrefix("cancelled: ") == true)
  }

  @Test func errorsWithoutEventsCount() {
    var progress = PlacementProgress()
    let failed = PlacementOutcome(.error(.shutDown))
    #expect(endsNext(&progress, failed) == false)
    #expect(progress.state == .error(.shutDown))
    progress.receive(.onPaywallPresent(.none, handlerID: "h"))
    #expect(endsNext(&progress, failed) == false)
    #expect(progress.state == .presented(.none))
  }
}
