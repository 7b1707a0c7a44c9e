import Expressions
import RuleEngine
import TestSupport

@testable import SDK

/// A world around the pure state that answers in any order, late, wrongly or not at all: all the
/// interleavings that real threads could produce, and more, from one seed.
struct RandomWorld {
  /// Something that the world owes the SDK.
  private enum Debt {
    case response(Token, BackendRequest)
    case ownedProducts(Token)
    case products(Token, [String])
    case purchase(Token)
    case restore(Token)
    case consume(Token)
    case presenter(Token)
    case present(String)
    case dismiss(String)
    case survey(String)
    case keptConfig(Token)
  }

  private(set) var state: SDKState
  private var random: SplitMix64
  private var now = Samples.start
  private var debts: [Debt] = []
  private var timers: [TimerID: Instant] = [:]
  private var tokens = 0
  private let controller: PurchaseHandling

  /// What became of each call.
  private(set) var outcomes: [Token: [Result<Reply, SDKError>]] = [:]
  private(set) var calls: [Token: Call] = [:]
  private(set) var events: [ModuleEvent] = []
  private(set) var presses: [Token: [Bool]] = [:]
  private(set) var saved: Value?
  private var kept: Value?
  private var handlers = 0
  private var isOffline = false

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    let platform: Platform = random.next() % 2 == 0 ? .ios : .android
    controller = [.store, .controller, .listener][Int(random.next() % 3)]
    state = SDKState(platform: platform, entropy: .sequence(seed: seed))
  }

  private mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private mutating func pick<T>(_ values: [T]) -> T { values[number(values.count)] }

  // MARK: One step

  mutating func step() {
    switch number(10) {
    case 0...2: call()
    case 3...6 where !debts.isEmpty: pay(debts.remove(at: number(debts.count)))
    case 7: fireTimer()
    case 8: report()
    default: happen()
    }
  }

  private mutating func handle(_ input: Input) {
    let surroundings = SDKState.Surroundings(now: now, device: DeviceFacts())
    for effect in state.handle(input, in: surroundings) { take(effect) }
  }

  private mutating func take(_ effect: Effect) {
    switch effect {
    case .emit(let event): events.append(event)
    case .complete(let token, let result): outcomes[token, default: []].append(result)
    case .answerBackPress(let token, let isConsumed): presses[token, default: []].append(isConsumed)
    case .startTimer(let id, let milliseconds): timers[id] = now + milliseconds
    case .cancelTimer(let id): timers[id] = nil
    case .save(let state): saved = state
    case .send(let token, let request): debts.append(.response(token, request))
    case .loadOwnedProducts(let token): debts.append(.ownedProducts(token))
    case .loadProducts(let token, let identifiers): debts.append(.products(token, identifiers))
    case .purchase(let token, _, _): debts.append(.purchase(token))
    case .restore(let token, _): debts.append(.restore(token))
    case .consume(let token, _): debts.append(.consume(token))
    case .askPresenter(let token): debts.append(.presenter(token))
    case .present(let content): debts.append(.present(content.id))
    case .dismiss(let id): debts.append(.dismiss(id))
    case .ask(let id, _): debts.append(.survey(id))
    case .loadConfig(let token): debts.append(.keptConfig(token))
    case .keepConfig(let config): kept = config
    case .beginConfiguring, .log, .clearLog, .collect, .dropEvents, .loadHistory, .message, .alert,
      .open, .checkout,
      .schedule,
      .didCompletePurchase,
      .didRestorePurchases:
      break
    }
  }

  // MARK: What the app does

  private static let placements = [
    "gated", "open", "holdout", "nomatch", "ghost", "once", "survey_close", "survey_buy", "back",
    "coins", "missing_paywall", "unknown_product", "paywall_open",
  ]

  private mutating func call() {
    let status = pick([SubscriptionStatus.unknown, .inactive, .active([Entitlement(id: "pro")])])
    handlers += 1
    let placement = pick(Self.placements)
    let request = PlacementRequest(
      placement: placement, params: .map([]), handlerID: "h\(handlers)", isFeatureGatable: true)
    let result = pick([PurchaseResult.purchased, .restored, .cancelled, .pending, .failed("x")])
    let choices: [Call] = [
      .configure(
        Configuration(apiKey: "pk", options: TollgateOptions(), purchases: controller, wrapper: nil)
      ),
      .identify(userID: pick(["a", "b", ""]), restoresAssignments: number(2) == 0), .reset,
      .registerPlacement(request), .registerPlacement(request),
      .getPresentationResult(placement: placement, params: .map([])), .dismiss, .getAssignments,
      .confirmAllAssignments, .getEntitlements, .setSubscriptionStatus(status),
      .setUserAttributes(["a": .int(Int64(number(9)))]), .getDeviceAttributes,
      .setIntegrationAttributes(["adjustId": "x"]),
      .handleDeepLink(
        pick(["app://x", "bad", "app://superwall/redeem?code=A", "app://superwall/redeem?code=B"])),
      .preloadPaywalls(nil), .restorePurchases,
      .consume(purchaseToken: "t"), .didPurchase(result),
      .didRestore(pick([.restored, .failed("x")])),
      .didHandleBackPressed(shouldConsume: number(2) == 0),
      .didHandleCustomCallback(callbackID: "callback-\(number(9))", .success()),
    ]
    start(pick(choices))
  }

  private mutating func start(_ call: Call) {
    tokens += 1
    let token = Token(number: tokens)
    calls[token] = call
    outcomes[token] = []
    handle(.call(token, call))
  }

  // MARK: What the world does

  private mutating func pay(_ debt: Debt) {
    switch debt {
    case .response(let token, let request): handle(.response(token, response(to: request)))
    case .ownedProducts(let token):
      let owned: [OwnedProduct] = pick([[], ["com.tollgate.pro.year"], ["com.tollgate.coins"]])
      handle(.ownedProducts(token, number(5) == 0 ? .failure(StoreError("down")) : .success(owned)))
    case .products(let token, let identifiers):
      let known = [Samples.month, Samples.year, Samples.coins].filter {
        identifiers.contains($0.id)
      }
      handle(.products(token, number(5) == 0 ? .failure(StoreError("down")) : .success(known)))
    case .purchase(let token):
      let result = pick([PurchaseResult.purchased, .restored, .cancelled, .pending, .failed("no")])
      handle(.purchaseFinished(token, StorePurchase(result)))
    case .restore(let token):
      handle(.restoreFinished(token, pick([.restored, .failed("no"), .failed(nil)])))
    case .consume(let token):
      handle(.consumed(token, number(2) == 0 ? .success("t") : .failure(StoreError("no"))))
    case .presenter(let token): handle(.canPresent(token, number(6) > 0))
    case .present(let id):
      handle(number(6) == 0 ? .presentFailed(id: id, "no") : .presented(id: id))
    case .dismiss(let id): handle(.dismissed(id: id))
    case .survey(let id):
      handle(.surveyAnswered(id: id, pick([.closed, .option(id: "o1", customResponse: nil)])))
    case .keptConfig(let token): handle(.keptConfig(token, number(2) == 0 ? kept : nil))
    }
  }

  private mutating func response(to request: BackendRequest)
    -> Result<BackendResponse, TransportFailure>
  {
    if isOffline || number(6) == 0 { return .failure(pick([.network("offline"), .timeout])) }
    func success(_ value: Value) -> Result<BackendResponse, TransportFailure> {
      .success(BackendResponse(status: 200, body: Array(value.json.utf8)))
    }
    if number(12) == 0 { return .success(BackendResponse(status: pick([404, 401, 500, 429]))) }
    switch request.path {
    case "/api/v1/static_config":
      if number(20) == 0 { return success(["build_id": "cut off"]) }
      return .success(BackendResponse(status: 200, body: Samples.configText))
    case "/api/v1/assignments":
      return success([
        "assignments": [["experiment_id": "exp_gated", "variant_id": "v_gated"], ["odd": true]]
      ])
    case "/api/v1/confirm_assignments":
      return success(["status": "ok", "assignments": request.body?["assignments"] ?? []])
    case let path where path.hasSuffix("/entitlements"):
      // What covers an open paywall closes it as restored, without a restore that begins.
      return success(["customerInfo": ["entitlements": []]])
    default:
      let owned: Value = pick([[], [["identifier": "pro"]], [["identifier": "other"]]])
      let codes: Value = pick([[], [["status": "INVALID_CODE", "code": "A"]]])
      return success(["codes": codes, "entitlements": owned, "customerInfo": ["entitlements": []]])
    }
  }

  private mutating func fireTimer() {
    guard let next = timers.min(by: { $0.value < $1.value }) else { return }
    now = max(now, next.value)
    timers[next.key] = nil
    handle(.timer(next.key))
  }

  private mutating func report() {
    guard let id = state.presentation?.id else { return }
    let sold = (state.presentation?.info.productIDs ?? []) + ["com.tollgate.nobody"]
    let reports: [PresentationReport] = [
      .purchase(productID: pick(sold), shouldDismiss: number(3) > 0),
      .purchase(productID: pick(sold), shouldDismiss: true), .restore, .close,
      .systemDismissed, .swipedAway, .requestCallback(requestID: "q", CustomCallback(name: "n")),
      .openDeepLink("app://y"), .openURL("https://x", external: false), .customAction("help"),
      .webView(
        pick([
          .start, .complete, .fail, .timeout, .fallback, .processTerminated, .ready(version: "4"),
        ])), .customPlacement("open", .map([])), .userAttributes(["p": 1]),
      .shimmer(isShown: number(2) == 0), .pageView(PageView(decoding: .null)),
      .permission("push", pick([.requested, .granted, .denied])), .reviewRequested(count: 1),
      .touchesBegan, .state(["step": 1]), .checkout(.returned),
    ]
    handle(.presentation(id: id, pick(reports)))
  }

  private mutating func happen() {
    now += Int64(number(1_000))
    switch number(8) {
    case 7:
      if let token = calls.keys.sorted(by: { $0.number < $1.number }).last {
        handle(.cancel(token))
      }
    case 0: handle(.application(.foreground))
    case 1: handle(.application(.background))
    case 2: handle(.storeChanged)
    case 3: isOffline.toggle()
    case 4: handle(.listenersChanged(purchases: number(3) > 0))
    case 5:
      tokens += 1
      presses[Token(number: tokens)] = []
      handle(.backPress(Token(number: tokens), presentation: state.presentation?.id ?? "none"))
    default:
      handle(
        .device(
          pick([
            .touchesBegan, .enrichmentStart, .enrichmentComplete(user: ["a": 1], device: ["b": 2]),
            .enrichmentFail, .adServicesTokenRequestStart, .adServicesTokenRequestFail(error: "e"),
            .adServicesTokenRequestComplete(token: "t"), .customerInfoDidChange,
            .testModeModalOpen, .testModeModalClose, .transactionTimeout, .unknown,
          ])))
    }
  }

  // MARK: The end

  /// Lets everything come to its end: debts are paid, time passes, paywalls are closed.
  mutating func finish() {
    isOffline = false
    var idle = 0
    while idle < 3 {
      while !debts.isEmpty { pay(debts.removeFirst()) }
      if purchaseIsOpen { start(.didPurchase(.cancelled)) }
      if state.transactions.restore != nil, controller == .listener {
        start(.didRestore(.failed(nil)))
      }
      if state.presentation != nil { start(.dismiss) }
      if debts.isEmpty, timers.isEmpty, state.presentation == nil { idle += 1 } else { idle = 0 }
      if debts.isEmpty { fireTimer() }
    }
  }

  private var purchaseIsOpen: Bool { state.transactions.purchase != nil && controller == .listener }
}
