import Expressions
import TestSupport
import Testing

@testable import SDK

/// Random runs of the pure state: whatever comes when, some things always hold.
@Suite("Random runs")
struct RandomRunTests {
  @Test(arguments: Extent.some(0..<20))
  func everythingComesToItsEnd(block: Int) {
    for number in 0..<50 {
      let seed = UInt64(block * 50 + number)
      var world = RandomWorld(seed: seed)
      for _ in 0..<120 { world.step() }
      world.finish()
      check(world, seed)
    }
  }

  private func check(_ world: RandomWorld, _ seed: UInt64) {
    for (token, outcomes) in world.outcomes {
      let call = world.calls[token].map { "\($0)" } ?? ""
      #expect(
        outcomes.count == 1, "seed \(seed): \(call.prefix(80)) had \(outcomes.count) outcomes")
    }
    for presses in world.presses.values { #expect(presses.count == 1, "seed \(seed)") }
    #expect(
      world.state.startup.waitingCalls.isEmpty && world.state.startup.configureCalls.isEmpty,
      "seed \(seed)")
    #expect(world.state.turns.questions.isEmpty && world.state.requests.isEmpty, "seed \(seed)")
    #expect(world.state.turns.waiting.isEmpty && world.state.active == nil, "seed \(seed)")
    #expect(world.state.turns.parked.isEmpty && world.state.startup.offline == nil, "seed \(seed)")
    #expect(world.state.stage.isAnswered, "seed \(seed)")
    #expect(world.state.transactions.isEmpty, "seed \(seed)")
    #expect(world.state.person.isReady, "seed \(seed)")
    EventInvariants.check(world.events, "seed \(seed)")
    checkHandlers(world, seed)
    // Whole states are too long to print.
    let isSaved = world.saved.map { StoredState(decoding: $0).value } == world.state.stored.value
    #expect(isSaved, "seed \(seed): what was saved is not what is known")
  }

  private func checkHandlers(_ world: RandomWorld, _ seed: UInt64) {
    for (token, call) in world.calls {
      guard case .registerPlacement(let request) = call,
        case .success(.outcome(let outcome))? = world.outcomes[token]?.first
      else { continue }
      EventInvariants.check(
        world.events.filter { $0.handlerID == request.handlerID }, of: outcome, "seed \(seed)")
    }
  }
}
