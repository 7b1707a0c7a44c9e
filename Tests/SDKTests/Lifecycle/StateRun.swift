import Expressions
import RuleEngine

@testable import SDK

/// The pure state with somebody who carries out its effects, one at a time and in the open: what a
/// test does not answer stays open.
struct StateRun {
  private(set) var state: SDKState
  var now = Samples.start
  var device = DeviceFacts()
  /// Everything since the last look, in order.
  private(set) var effects: [Effect] = []
  private var calls = 0
  /// Whether the storage says at once that no config was kept.
  var answersStorage = true

  init(platform: Platform = .ios, stored: Value? = ["status": ["status": "INACTIVE"]]) {
    state = SDKState(platform: platform, entropy: .sequence(seed: 1), stored: stored)
  }

  mutating func handle(_ input: Input) {
    let new = state.handle(input, in: .init(now: now, device: device))
    effects += new
    guard answersStorage else { return }
    for case .loadConfig(let token) in new { handle(.keptConfig(token, nil)) }
  }

  /// Looks at what was to be done since the last look.
  mutating func take() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  @discardableResult
  mutating func call(_ call: Call) -> Token {
    calls += 1
    let token = Token(number: calls)
    handle(.call(token, call))
    return token
  }

  /// Calls `configure` and answers its request; the store owns nothing.
  mutating func configure(
    _ config: Value = Samples.config, options: TollgateOptions = TollgateOptions(),
    purchases: PurchaseHandling = .controller
  ) {
    call(
      .configure(
        Configuration(apiKey: "pk", options: options, purchases: purchases, wrapper: nil)))
    for request in take().requests { answer(request.token, config) }
    for case .loadOwnedProducts(let token) in take() {
      handle(.ownedProducts(token, .success([])))
    }
    effects = []
  }

  mutating func answer(_ token: Token, _ json: Value = .map([]), status: Int = 200) {
    let response = BackendResponse(status: status, body: Array(json.json.utf8))
    handle(.response(token, .success(response)))
  }

  /// Registers a placement whose paywall is in the config, up to the moment when it is visible.
  mutating func present(_ placement: String, store: [StoreProduct] = [Samples.year]) {
    call(
      .registerPlacement(
        PlacementRequest(
          placement: placement, params: .map([]), handlerID: "h", isFeatureGatable: true)))
    for case .loadProducts(let token, _) in take() { handle(.products(token, .success(store))) }
    for case .askPresenter(let token) in take() { handle(.canPresent(token, true)) }
    for case .present(let content) in take() { handle(.presented(id: content.id)) }
    effects = []
  }

  mutating func report(_ report: PresentationReport) {
    handle(.presentation(id: state.presentation?.id ?? "", report))
  }

  mutating func finishDismissing() {
    for case .dismiss(let id) in effects { handle(.dismissed(id: id)) }
  }
}

extension [Effect] {
  var requests: [(token: Token, request: BackendRequest)] {
    compactMap { if case .send(let token, let request) = $0 { (token, request) } else { nil } }
  }

  var timers: [(id: TimerID, milliseconds: Int64)] {
    compactMap { if case .startTimer(let id, let time) = $0 { (id, time) } else { nil } }
  }

  /// Names of the Superwall events.
  var tracked: [SuperwallEventName] {
    compactMap {
      if case .emit(.handleSuperwallEvent(let event)) = $0 { event.name } else { nil }
    }
  }

  func replies(to token: Token) -> [Result<Reply, SDKError>] {
    compactMap {
      if case .complete(token, let result) = $0 { result } else { nil }
    }
  }
}
