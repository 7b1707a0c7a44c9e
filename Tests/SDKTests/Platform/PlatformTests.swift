import Expressions
import Foundation
import RuleEngine
import SDKLive
import Testing

@testable import SDK

@Suite("Virtual clock")
struct VirtualClockTests {
  @Test func wakesInOrderAndStandsStillOtherwise() {
    let (clock, executor, woken) = (VirtualClock(now: 0), SimulationExecutor(), Recorder<String>())
    for (name, delay) in [("c", 30), ("a", 10), ("b", 10)] as [(String, Int64)] {
      Task(executorPreference: executor) {
        try await clock.sleep(milliseconds: delay)
        woken.add("\(name) at \(clock.now.milliseconds)")
      }
    }
    executor.drain()
    #expect(clock.nextDeadline == 10 && clock.now == 0)
    while clock.step(upTo: 20) { executor.drain() }
    #expect(woken.all == ["a at 10", "b at 10"] && clock.now == 20)
    while clock.step(upTo: 1_000) { executor.drain() }
    #expect(woken.all.last == "c at 30" && clock.now == 1_000 && clock.nextDeadline == nil)
  }

  @Test func cancelledSleepersDoNotWakeLater() {
    let (clock, executor, ends) = (VirtualClock(now: 0), SimulationExecutor(), Recorder<String>())
    func sleeper(_ name: String) -> Task<Void, Never> {
      Task(executorPreference: executor) {
        do {
          try await clock.sleep(milliseconds: 5)
          ends.add("\(name) woke")
        } catch {
          ends.add("\(name) cancelled")
        }
      }
    }
    let (early, late) = (sleeper("early"), sleeper("late"))
    early.cancel()
    executor.drain()
    late.cancel()
    executor.drain()
    #expect(!clock.step(upTo: 100))
    #expect(Set(ends.all) == ["early cancelled", "late cancelled"])
  }
}

@Suite("Scripted transport")
struct ScriptedTransportTests {
  @Test(arguments: [
    ("/a/b", "/a/b", true), ("/a/b", "/a/bc", false), ("/a/*", "/a/b/c", true),
    ("/a/*/d", "/a/b/c/d", true), ("/a/*/d", "/a/d", false), ("/a*b*c", "/axxbyyc", true),
    ("/a*b*c", "/axxc", false), ("*", "", true), ("/a*a", "/a", false),
  ])
  func patterns(pattern: String, path: String, fits: Bool) {
    #expect(ScriptedTransport.fits(pattern, path) == fits)
  }

  @Test func repliesInOrderAndTheLastAgain() async throws {
    let transport = ScriptedTransport(
      rules: [.init(.get, "/x", [.networkError("off"), .json(1), .json(2, status: 201)])],
      time: VirtualClock(now: 0))
    await #expect(throws: TransportFailure.network("off")) {
      try await transport.send(BackendRequest(.get, "/x"))
    }
    for wanted in [(200, "1"), (201, "2"), (201, "2")] {
      let response = try await transport.send(BackendRequest(.get, "/x"))
      #expect(response == BackendResponse(status: wanted.0, body: Array(wanted.1.utf8)))
    }
    #expect(try await transport.send(BackendRequest(.post, "/x")).status == 404)
  }
}

@Suite("Collector")
struct CollectorTests {
  /// What is uploaded follows the tracking behaviour; what the app hears does not.
  @Test(arguments: EventTrackingBehavior.allCases)
  func trackingBehavior(_ behavior: EventTrackingBehavior) {
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    state.settings.set(behavior)
    state.track(.appOpen)
    state.track(.userAttributes(.map([])))
    state.track(.triggerFire(placement: "p", result: .noAudienceMatch))
    var uploaded: [String] = []
    var heard = 0
    for effect in state.outbox.take() {
      if case .collect(let event) = effect { uploaded.append(event.name) }
      if case .emit = effect { heard += 1 }
    }
    let wanted: [EventTrackingBehavior: [String]] = [
      .all: ["app_open", "user_attributes", "trigger_fire"], .superwallOnly: ["app_open"],
      .none: [],
    ]
    #expect(uploaded == wanted[behavior] && heard == 3)
  }
}
