import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import SDK

/// Interleavings on real threads: configure, identify, reset, placements, status,
/// purchases, restores, checkouts on the web, codes, a network that comes and goes. Every call ends with exactly one outcome (a
/// second one would trap, none would never return), and the events are what they have to be.
///
/// Run it under the thread sanitizer with
/// `swift test --sanitize=thread --filter StressTests`.
@Suite("Stress")
struct StressTests {
  @Test
  func everyCallEndsOnce() async {
    let seen = await withTaskGroup(of: [ModuleEvent.Name: Int].self) { group in
      for block in Extent.some(0..<20, every: 4) {
        group.addTask {
          var seen: [ModuleEvent.Name: Int] = [:]
          for number in 0..<50 {
            let events = await run(UInt64(block * 50 + number))
            for event in events { seen[event.name, default: 0] += 1 }
          }
          return seen
        }
      }
      return await group.reduce(into: [:]) { all, part in all.merge(part) { $0 + $1 } }
    }
    // A run in which nothing happens proves nothing.
    for name in [ModuleEvent.Name.onPaywallPresent, .onPaywallSkip, .onPaywallError] {
      #expect(
        seen[name, default: 0] > Extent.count(200, or: 40), "\(name): \(seen[name, default: 0])")
    }
    #expect(seen[.onCustomCallback, default: 0] > Extent.count(200, or: 40))
    #expect(seen[.didRedeemLink, default: 0] > Extent.count(200, or: 40))
    #expect(seen[.subscriptionStatusDidChange, default: 0] > Extent.count(1_000, or: 200))
  }

  private func run(_ seed: UInt64) async -> [ModuleEvent] {
    let world = StressWorld(seed: seed)
    await world.begin()
    let answered = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 { group.addTask { await world.live() } }
      return await group.reduce(0, +)
    }
    await world.end()
    #expect(answered == 4 * StressWorld.callsPerTask, "seed \(seed)")
    EventInvariants.check(world.events, "seed \(seed)")
    for (handler, outcome) in world.outcomes {
      EventInvariants.check(
        world.events.filter { $0.handlerID == handler }, of: outcome, "seed \(seed)")
    }
    return world.events
  }
}

/// One SDK and what happens to it.
private final class StressWorld: Sendable {
  static let callsPerTask = 8

  private let dice: Dice
  private let transport: FlakyTransport
  private let user: RestlessUser
  private let tollgate: Tollgate
  private let usesController: Bool
  private let heard = Locked<[ModuleEvent]>([])
  private let ended = Locked<[String: PlacementOutcome]>([:])

  var events: [ModuleEvent] { heard.withLock { $0 } }
  var outcomes: [String: PlacementOutcome] { ended.withLock { $0 } }

  init(seed: UInt64) {
    dice = Dice(seed)
    transport = FlakyTransport(dice: dice)
    user = RestlessUser(dice: dice)
    usesController = dice.roll(2) == 0
    tollgate = Tollgate(
      ports: Ports(
        time: FastTime(), transport: transport, storage: InMemoryStorage(),
        store: MoodyStore(dice: dice), presenter: user, device: FixedDevice(),
        entropy: .sequence(seed: seed)),
      platform: dice.roll(2) == 0 ? .ios : .android, keepsEvents: true)
  }

  func begin() async {
    await tollgate.observe { [self] event in
      heard.withLock { $0.append(event) }
      if case .didDismissPaywall(let info) = event, let id = info.presentationID {
        user.note(gone: id)
      }
    }
    if usesController {
      let tollgate = tollgate
      await tollgate.setPurchaseController(
        AbsentMindedController(dice: dice) { try? await tollgate.setSubscriptionStatus($0) })
    }
  }

  /// Makes calls, one after the other; some before configure, some while it runs.
  ///
  /// - Returns: how many were answered.
  func live() async -> Int {
    var answered = 0
    for _ in 0..<Self.callsPerTask {
      await dice.dawdle()
      await call()
      answered += 1
    }
    return answered
  }

  private func call() async {
    switch dice.roll(15) {
    case 0...1: try? await tollgate.configure(apiKey: "pk")
    case 2:
      try? await tollgate.identify(
        userID: dice.pick(["a", "b"]),
        options: IdentityOptions(restorePaywallAssignments: dice.roll(2) == 0))
    case 3: try? await tollgate.reset()
    case 4...7: await register()
    case 8:
      let status = dice.pick([
        SubscriptionStatus.unknown, .inactive, .active([Entitlement(id: "pro")]),
      ])
      try? await tollgate.setSubscriptionStatus(status)
    case 9: _ = try? await tollgate.restorePurchases()
    case 10: transport.isOffline.toggle()
    case 11:
      _ = try? await tollgate.getPresentationResult(forPlacement: dice.pick(["gated", "open"]))
    case 12: await tollgate.dismiss()
    case 13:
      _ = await tollgate.handleDeepLink(
        "tollgate://superwall/redeem?code=\(dice.pick(["a", "b", "c"]))")
    default:
      dice.roll(2) == 0
        ? tollgate.applicationDidEnterForeground() : tollgate.applicationDidEnterBackground()
      _ = try? await tollgate.confirmAllAssignments()
    }
  }

  private func register() async {
    let placement = dice.pick([
      "gated", "open", "holdout", "nomatch", "survey_close", "ghost", "web",
    ])
    let handler = "handler \(dice.roll(Int.max))"
    let outcome = await tollgate.registerPlacement(
      PlacementRequest(
        placement: placement, params: .map([]), handlerID: handler, isFeatureGatable: true))
    ended.withLock { $0[handler] = outcome }
  }

  /// Waits until purchases and restores that still run are over.
  func end() async {
    transport.isOffline.clear()
    while await tollgate.isBusy { try? await Task.sleep(for: .milliseconds(1)) }
    await tollgate.shutDown()
  }
}
