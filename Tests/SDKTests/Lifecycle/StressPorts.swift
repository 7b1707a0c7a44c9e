import Expressions
import RuleEngine
import TestSupport

@testable import SDK

/// A clock on which a thousand milliseconds pass in one.
struct FastTime: TimeSource {
  private let begin = ContinuousClock.now

  var now: Instant { Samples.start + Int64((ContinuousClock.now - begin) / .microseconds(1)) }

  func sleep(milliseconds: Int64) async throws {
    try await Task.sleep(for: .microseconds(milliseconds))
  }
}

/// Random numbers for many threads.
final class Dice: Sendable {
  private let generator: Locked<SplitMix64>

  init(_ seed: UInt64) { generator = Locked(SplitMix64(state: seed)) }

  func roll(_ bound: Int) -> Int { generator.withLock { Int($0.next() % UInt64(bound)) } }

  func pick<T>(_ values: [T]) -> T { values[roll(values.count)] }

  /// Lets other tasks run, or time pass, or nothing.
  func dawdle() async {
    switch roll(4) {
    case 0: break
    case 1: try? await Task.sleep(for: .microseconds(roll(300)))
    default: for _ in 0..<roll(5) { await Task.yield() }
    }
  }
}

/// A network that comes and goes.
struct FlakyTransport: Transport {
  let dice: Dice
  let isOffline = SharedFlag()

  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    await dice.dawdle()
    if isOffline.isSet || dice.roll(8) == 0 { throw .network("offline") }
    if dice.roll(20) == 0 { return BackendResponse(status: 500) }
    switch request.path {
    case "/api/v1/static_config": return BackendResponse(status: 200, body: StressConfig.text)
    case "/api/v1/assignments": return BackendResponse(status: 200, body: Array("{}".utf8))
    default:
      let status = dice.roll(9) == 0 ? 404 : 200
      return BackendResponse(
        status: status, body: Array(answer(request.segments.last ?? "").json.utf8))
    }
  }

  /// What the backend says of codes and of checkouts, whatever was asked before.
  private func answer(_ name: String) -> Value {
    switch name {
    case "redeem": return BackendRun.codes([dice.pick(["a", "b"])], isOfUser: dice.roll(2) == 0)
    case "session":
      return [
        "directive": [
          "directive": .string(dice.pick(["redirect", "drawer", "embedded"])),
          "checkoutUrl": "https://checkout.example.com", "checkoutSessionId": "cs",
          "publishableKey": "pk",
        ],
        "checkoutContextId": .string(dice.pick(["c1", "c2"])),
      ]
    case "status": return ["status": .string(dice.pick(["pending", "completed", "abandoned"]))]
    case "poll-redemption-result":
      return dice.roll(2) == 0
        ? ["status": "pending", "codes": []] : BackendRun.codes(["web"], status: "complete")
    default: return [:]
    }
  }
}

final class SharedFlag: Sendable {
  private let value = Locked(false)

  var isSet: Bool { value.withLock { $0 } }

  func toggle() { value.withLock { $0.toggle() } }

  func clear() { value.withLock { $0 = false } }
}

/// A config with few placements, so that a thousand runs do not spend their time on reading it.
enum StressConfig {
  static let text: [UInt8] = {
    let placements: Set = [
      "gated", "open", "holdout", "nomatch", "survey_close", "coins", "web",
    ]
    let triggers = (Samples.config["trigger_options"]?.elements ?? []).filter {
      placements.contains($0["event_name"]?.text ?? "")
    }
    return Array(Samples.config.merging(patch: ["trigger_options": .list(triggers)]).json.utf8)
  }()
}

/// A store that takes its time and does as it likes.
struct MoodyStore: PurchaseStore {
  let dice: Dice

  func products(_ identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
    await dice.dawdle()
    if dice.roll(10) == 0 { throw StoreError("down") }
    return [Samples.month, Samples.year, Samples.coins].filter { identifiers.contains($0.id) }
  }

  func purchase(_ request: PurchaseRequest) async -> StorePurchase {
    await dice.dawdle()
    return StorePurchase(dice.pick([.purchased, .restored, .cancelled, .pending, .failed("no")]))
  }

  func restorePurchases() async -> RestorationResult {
    await dice.dawdle()
    return dice.pick([.restored, .failed("no")])
  }

  func ownedProducts() async throws(StoreError) -> [OwnedProduct] {
    await dice.dawdle()
    if dice.roll(10) == 0 { throw StoreError("down") }
    return dice.pick([[], [OwnedProduct(Samples.year.id)]])
  }

  func consume(_ purchaseToken: String) async throws(StoreError) -> String { purchaseToken }

  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for _ in 0..<dice.roll(3) { continuation.yield() }
    return stream
  }
}

/// A presenter and the user in front of it: taps something while a paywall is there.
final class RestlessUser: PaywallPresenter {
  /// Is sold on the web.
  private static let webProduct = "live:price_123:no-trial"

  let dice: Dice

  init(dice: Dice) { self.dice = dice }

  func canPresent() async -> Bool { dice.roll(10) > 0 }

  private struct Refusal: Error {}

  func present(_ presentation: PaywallPresentation) async throws {
    await dice.dawdle()
    if dice.roll(10) == 0 { throw Refusal() }
    let (handle, dice) = (presentation.handle, dice)
    Task {
      // The host may not have said yet that it is visible; what is tapped before is lost.
      for _ in 0..<40 {
        await dice.dawdle()
        switch dice.roll(8) {
        case 0: handle.purchaseTapped(dice.pick([Samples.month.id, Samples.year.id, "none"]))
        case 5: handle.purchaseTapped(Self.webProduct)
        case 6:
          handle.checkout(
            dice.pick([
              .returned, .submit(setupIntentID: "seti", email: "u@example.com"), .fail, .abandon,
            ]))
        case 1: handle.restoreTapped()
        case 2: handle.requestCallback(requestID: "q", name: "n")
        case 3: _ = await handle.backPressed()
        case 4: handle.webView(dice.pick([.start, .complete, .ready(version: "4")]))
        default: await Task.yield()
        }
      }
      // In the end every paywall is closed, somehow.
      while !Task.isCancelled {
        switch dice.roll(3) {
        case 0: handle.closeTapped()
        case 1: handle.swipedAway()
        default: handle.systemDismissed()
        }
        try? await Task.sleep(for: .milliseconds(2))
        if isGone(presentation.id) { return }
      }
    }
  }

  private let gone = Locked<Set<String>>([])

  /// Called for every paywall that went away.
  func note(gone id: String) { gone.withLock { _ = $0.insert(id) } }

  private func isGone(_ id: String) -> Bool { gone.withLock { $0.contains(id) } }

  func dismiss(_ presentation: PaywallPresentation) async { await dice.dawdle() }

  func ask(_ survey: Survey, in presentation: PaywallPresentation) async -> SurveyAnswer {
    await dice.dawdle()
    return dice.pick([.closed, .option(id: "o1", customResponse: nil)])
  }

  func send(_ message: PaywallMessage, to presentation: PaywallPresentation) {}
  func alert(_ alert: PaywallAlert) {}
  func open(_ url: String, external: Bool) {}
  func schedule(_ notification: LocalNotification) {}
  func checkout(_ directive: Value, in presentation: PaywallPresentation) {}
}

/// A purchase controller that sets the status as controllers should, or forgets it.
struct AbsentMindedController: PurchaseController {
  let dice: Dice
  let setStatus: @Sendable (SubscriptionStatus) async -> Void

  func purchase(_ product: PurchaseRequest) async -> PurchaseResult {
    await dice.dawdle()
    let result = dice.pick([
      PurchaseResult.purchased, .restored, .cancelled, .pending, .failed("no"),
    ])
    if result == .purchased, dice.roll(3) > 0 { await setStatus(.active([Entitlement(id: "pro")])) }
    return result
  }

  func restorePurchases() async -> RestorationResult {
    await dice.dawdle()
    if dice.roll(2) == 0 { await setStatus(.active([Entitlement(id: "pro")])) }
    return dice.pick([true, false])
  }
}
