import Expressions
import Pricing
import RuleEngine
import Testing

@testable import SDK

/// What the state has others do, and only that.
@Suite("Effects")
struct EffectTests {
  private static func paywall(_ identifier: String, patch: Value) -> Value {
    let paywalls = (Samples.config["paywall_responses"]?.elements ?? []).map { paywall -> Value in
      paywall["identifier"] == .string(identifier) ? paywall.merging(patch: patch) : paywall
    }
    return Samples.config.merging(patch: ["paywall_responses": .list(paywalls)])
  }

  private func register(_ placement: String, _ run: inout StateRun) {
    run.call(
      .registerPlacement(
        PlacementRequest(
          placement: placement, params: .map([]), handlerID: nil, isFeatureGatable: false)))
  }

  /// A product is named by its ID, or by its slot where no ID is like that.
  @Test(arguments: [("a", "a"), ("b", "b"), ("first", "b"), ("c", nil)] as [(String, String?)])
  func productsAreNamedByIDFirst(name: String, id: String?) {
    func product(_ id: String, _ slot: String) -> Value {
      [
        "reference_name": .string(slot), "sw_composite_product_id": .string(id),
        "store_product": ["store": "APP_STORE", "product_identifier": .string(id)],
        "entitlements": [],
      ]
    }
    let products: Value = [product("b", "first"), product("x", "a"), product("a", "b")]
    var run = StateRun()
    run.configure(Self.paywall("pw_gated", patch: ["products_v2": products]))
    run.present("gated", store: ["a", "b", "x"].map { Samples.product($0, "1.00") })
    run.report(.purchase(productID: name, shouldDismiss: true))
    let bought = run.take().compactMap { effect -> String? in
      if case .purchase(_, let request, _) = effect { request.productID } else { nil }
    }
    #expect(bought == [id].compactMap(\.self))
  }

  /// Rules know whether a feature waits for the placement; the SDK's own questions have none.
  @Test(arguments: [true, false])
  func rulesKnowWhetherAFeatureWaits(isGatable: Bool) {
    let triggers = (Samples.config["trigger_options"]?.elements ?? []).map { trigger -> Value in
      guard trigger["event_name"] == "gated", let rules = trigger["rules"]?.elements else {
        return trigger
      }
      let asked = rules.map {
        $0.merging(patch: ["expression_cel": #"params["$is_feature_gatable"] == true"#])
      }
      return trigger.merging(patch: ["rules": .list(asked)])
    }
    var run = StateRun()
    run.configure(Samples.config.merging(patch: ["trigger_options": .list(triggers)]))
    run.call(
      .registerPlacement(
        PlacementRequest(
          placement: "gated", params: .map([]), handlerID: nil, isFeatureGatable: isGatable)))
    #expect((run.state.active != nil) == isGatable)
    let question = run.call(.getPresentationResult(placement: "gated", params: .map([])))
    let answer = run.take().replies(to: question)
    #expect(answer == [.success(.presentation(.noAudienceMatch))])
  }

  /// Who asked for a paywall to go, which cannot come, hears that it is gone.
  @Test func dismissalsOfWhatDoesNotCome() {
    for failure in ["no window", nil] as [String?] {
      var run = StateRun()
      run.configure()
      register("gated", &run)
      for case .loadProducts(let token, _) in run.take() {
        run.handle(.products(token, .success([])))
      }
      for case .askPresenter(let token) in run.take() { run.handle(.canPresent(token, true)) }
      let id = run.state.presentation?.id ?? ""
      let call = run.call(.dismiss)
      #expect(!id.isEmpty && run.take().replies(to: call).isEmpty)
      run.handle(failure.map { .presentFailed(id: id, $0) } ?? .timer(.present(id: id)))
      #expect(run.take().replies(to: call) == [.success(.done)])
      #expect(run.state.presentation == nil)
    }
  }

  // MARK: Events

  @Test(arguments: [EventTrackingBehavior.all, .superwallOnly, .none])
  func placementsOfTheAppAreUploadedWithAll(behavior: EventTrackingBehavior) {
    var options = TollgateOptions()
    options.eventTrackingBehavior = behavior
    var run = StateRun()
    run.configure(options: options)
    register("gated", &run)
    let names = run.take().compactMap { effect -> String? in
      if case .collect(let event) = effect { event.name } else { nil }
    }
    #expect(names.contains("gated") == (behavior == .all))
    #expect(names.isEmpty == (behavior == .none))
  }

  @Test func aPermissionIsToldToThePaywall() {
    var run = StateRun()
    run.configure()
    run.present("gated")
    for step in [PermissionStep.requested, .granted, .denied] {
      run.report(.permission("camera", step))
      let told = run.take().compactMap { effect -> PaywallMessage? in
        if case .message(_, let message) = effect { message } else { nil }
      }
      #expect(
        told
          == (step == .requested
            ? [] : [.permissionResult(name: "camera", isGranted: step == .granted)]))
    }
  }

  // MARK: Timers

  @Test func anAnswerStopsTheClockOfItsRequest() throws {
    var run = StateRun()
    run.call(
      .configure(
        Configuration(
          apiKey: "pk", options: TollgateOptions(), purchases: .controller, wrapper: nil)))
    let request = try #require(run.take().requests.first)
    run.answer(request.token, Samples.config)
    let stopped = run.take().compactMap { effect -> TimerID? in
      if case .cancelTimer(let id) = effect { id } else { nil }
    }
    #expect(stopped == [.requestLimit(request.token)])
  }

  /// A new attempt has not failed yet: whoever looks meanwhile is not told of the one before.
  @Test func aNewAttemptHasNoErrorYet() {
    var run = StateRun()
    let configure = Call.configure(
      Configuration(
        apiKey: "pk", options: TollgateOptions(), purchases: .controller, wrapper: nil))
    run.call(configure)
    for request in run.take().requests { run.answer(request.token, .map([])) }
    #expect(run.state.startup.error?.contains("'build_id' is missing") == true)
    run.call(configure)
    #expect(run.state.startup.error == nil)
  }

  @Test func anAnswerStopsTheClockOfTheBackButton() {
    var run = StateRun(platform: .android)
    run.configure()
    run.present("back")
    run.handle(.backPress(Token(number: 900), presentation: run.state.presentation?.id ?? ""))
    #expect(run.take().timers.map(\.id) == [.backPress])
    run.call(.didHandleBackPressed(shouldConsume: true))
    let effects = run.take()
    #expect(effects.contains { if case .cancelTimer(.backPress) = $0 { true } else { false } })
  }

  /// A paywall that is going away already has no use for the back button, and the app is not asked.
  @Test func backWhileItGoes() {
    var run = StateRun(platform: .android)
    run.configure()
    run.present("back")
    run.call(.dismiss)
    _ = run.take()
    run.handle(.backPress(Token(number: 900), presentation: run.state.presentation?.id ?? ""))
    let effects = run.take()
    #expect(effects.timers.isEmpty && effects.count == 1)
    guard case .answerBackPress(Token(number: 900), isConsumed: false)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
  }

  /// Whoever waits for the answer to a back press gets one when the paywall goes.
  @Test func aDismissalAnswersTheBackButton() {
    var run = StateRun(platform: .android)
    run.configure()
    run.present("back")
    run.handle(.backPress(Token(number: 900), presentation: run.state.presentation?.id ?? ""))
    run.call(.dismiss)
    run.finishDismissing()
    let answers = run.take().compactMap { effect -> Bool? in
      if case .answerBackPress(Token(number: 900), let isConsumed) = effect {
        isConsumed
      } else {
        nil
      }
    }
    #expect(answers == [false])
  }

  /// What follows a paywall comes before what was asked for meanwhile.
  @Test func whatFollowsComesFirst() {
    var turns = Turns()
    func registration(_ placement: String) -> Registration {
      Registration(placement: placement, params: .map([]), eventID: placement, at: 0)
    }
    turns.add(registration("a"))
    turns.add(registration("b"))
    turns.addFirst(registration("c"))
    #expect(turns.waiting.map(\.placement) == ["c", "a", "b"])
  }

  /// Questions that waited for the status are answered in the order in which they were asked.
  @Test func questionsKeepTheirOrder() {
    var run = StateRun(stored: nil)
    run.configure()
    let tokens = (0..<6).map { _ in
      run.call(.getPresentationResult(placement: "nomatch", params: .map([])))
    }
    #expect(tokens.allSatisfy { run.effects.replies(to: $0).isEmpty })
    run.call(.setSubscriptionStatus(.inactive))
    let answered = run.take().compactMap { effect -> Token? in
      if case .complete(let token, .success(.presentation)) = effect { token } else { nil }
    }
    #expect(answered == tokens)
  }

  // MARK: Purchases

  @Test func aTrialSchedulesItsNotifications() throws {
    let notifications: Value = [
      ["type": "TRIAL_STARTED", "title": "Soon over", "body": "Two days left", "delay": 5_000]
    ]
    for product in [Samples.month, Samples.year] {
      var run = StateRun()
      run.configure(
        Self.paywall("pw_gated", patch: ["local_notifications": notifications]), purchases: .store)
      run.present("gated", store: [Samples.month, Samples.year])
      run.report(.purchase(productID: product.id, shouldDismiss: true))
      let token = try #require(run.state.transactions.purchase?.token)
      run.handle(.purchaseFinished(token, StorePurchase(.purchased)))
      for case .loadOwnedProducts(let token) in run.take() {
        run.handle(.ownedProducts(token, .success([OwnedProduct(product.id)])))
      }
      let titles = run.take().compactMap { effect -> String? in
        if case .schedule(let notification) = effect { notification.title } else { nil }
      }
      #expect(titles == (product.id == Samples.month.id ? ["Soon over"] : []))
    }
  }

  @Test func productsArePreloadedOnce() throws {
    var run = StateRun()
    run.configure()
    run.call(.preloadPaywalls(nil))
    let identifiers = run.take().compactMap { effect -> [String]? in
      if case .loadProducts(_, let identifiers) = effect { identifiers } else { nil }
    }
    let first = try #require(identifiers.first)
    #expect(first.count > 2 && Set(first).count == first.count)
  }

  /// An identifier with a base plan names a product of Google Play; other stores have none.
  @Test func theSimulatedStoreKnowsBasePlans() async throws {
    var play = Samples.product("plan", "9.99")
    play.priced.store = .playStore
    let store = SimulatedStore(products: [play, Samples.year])
    let found = try await store.products([
      "plan:yearly:sw-auto", "\(Samples.year.id):yearly:sw-auto",
    ])
    #expect(found.map(\.id) == ["plan:yearly:sw-auto"])
  }

  /// Every purchase has a number of its own, in their order.
  @Test func theSimulatedStoreNumbersPurchases() async {
    let store = SimulatedStore(products: [Samples.year])
    var ids: [String?] = []
    for _ in 0..<3 {
      let purchase = await store.purchase(PurchaseRequest(productID: Samples.year.id))
      ids.append(purchase.transaction?.storeTransactionID)
    }
    #expect(ids == ["transaction-1", "transaction-2", "transaction-3"])
  }

  // MARK: Paywalls

  /// A newer config may have another paywall by the same name.
  @Test func paywallsOfTheServerGoWithTheConfig() throws {
    var catalog = Catalog()
    let config = try ApplicationConfig.decode(Samples.configText, platform: .ios)
    let origin = ConfigOrigin(source: .network, buildID: "b")
    catalog.adopt(config, HistoryNeeds(logs: []), from: origin)
    catalog.keep(try #require(config.paywalls["pw_gated"]), as: "pw_elsewhere")
    #expect(catalog.paywall("pw_elsewhere", locale: "en_US") != nil)
    catalog.adopt(config, HistoryNeeds(logs: []), from: origin)
    #expect(catalog.paywall("pw_elsewhere", locale: "en_US") == nil)
  }

  /// The first description of two by one name is taken.
  @Test func theFirstPaywallOfANameCounts() throws {
    let paywalls = Samples.config["paywall_responses"]?.elements ?? []
    let gated = try #require(paywalls.first { $0["identifier"] == "pw_gated" })
    let value = Samples.config.merging(patch: [
      "paywall_responses": .list(paywalls + [gated.merging(patch: ["name": "later"])])
    ])
    let config = try ApplicationConfig.decode(Array(value.json.utf8), platform: .ios)
    #expect(config.paywalls["pw_gated"]?.value["name"] == gated["name"])
  }

  @Test func loadingIsDated() throws {
    var run = StateRun()
    run.configure()
    register("gated", &run)
    let active = try #require(run.state.active)
    #expect(active.info.responseLoad == .init(start: run.now, complete: run.now))
    for _ in 0..<2 {
      for case .loadProducts(let token, _) in run.take() {
        run.handle(.products(token, .failure(StoreError("offline"))))
      }
    }
    #expect(run.state.active?.info.productsLoad.fail == run.now)
  }

  // MARK: Assignments

  @Test func assignmentsAreTheSameInAllThatCounts() throws {
    func assignment(_ experiment: String, _ variant: String, _ isSent: Value?) throws -> Assignment
    {
      var value: Value = ["experimentId": .string(experiment), "variant": ["id": .string(variant)]]
      if let isSent { value = value.merging(patch: ["isSentToServer": isSent]) }
      return try #require(Assignment(decoding: value))
    }
    let one = try assignment("e", "v", nil)
    #expect(!one.isSentToServer)
    #expect(one.isSame(as: try assignment("e", "v", false)))
    for other in [
      try assignment("f", "v", false), try assignment("e", "w", false),
      try assignment("e", "v", true),
    ] { #expect(!one.isSame(as: other)) }
  }

  /// What the server knows, or is being told, it is not told again.
  @Test func onlyWhatTheServerDoesNotKnowIsConfirmed() {
    func assignment(_ experiment: String, _ isSent: Bool) -> Value {
      [
        "experimentId": .string(experiment), "variant": ["id": "v"],
        "isSentToServer": .bool(isSent),
      ]
    }
    var state = SDKState(
      platform: .ios, entropy: .sequence(seed: 1),
      stored: ["assignments": [assignment("known", true), assignment("new", false)]])
    #expect(state.person.beginConfirming("known") == nil)
    #expect(state.person.beginConfirming("new")?.variantID == "v")
    #expect(state.person.beginConfirming("new") == nil)
    #expect(state.person.beginConfirming("other") == nil)
  }

  /// What the server knows it is not told again.
  @Test func anAssignmentIsConfirmedOnce() {
    func confirmations(_ run: inout StateRun) -> [Token] {
      run.configure()
      register("holdout", &run)
      return run.take().requests.filter { $0.request.body?["assignments"] != nil }.map(\.token)
    }
    var run = StateRun()
    let tokens = confirmations(&run)
    #expect(tokens.count == 1)
    for token in tokens { run.answer(token) }
    var again = StateRun(stored: run.state.stored.value)
    #expect(confirmations(&again).isEmpty)
  }

  /// The seed of a user is of the ID where the config says so.
  @Test(arguments: [true, false])
  func seedsOfUsers(isSeeded: Bool) {
    var run = StateRun()
    run.configure(
      Samples.config.merging(patch: [
        "toggles": [["key": "enable_userid_seed", "enabled": .bool(isSeeded)]]
      ]))
    let users = (0..<8).map { "user-\($0)" }
    let seeds = users.map { user -> Int in
      run.call(.identify(userID: user, restoresAssignments: false))
      return run.state.stored.seed
    }
    #expect((seeds == users.map { UserSeed.seed(of: $0) }) == isSeeded)
  }

  /// Nobody waits for the status any more when the last one who did is cancelled.
  @Test(arguments: [true, false])
  func cancellingStopsTheClockOfTheStatus(isQuestion: Bool) {
    func wait(_ run: inout StateRun) -> Token {
      isQuestion
        ? run.call(.getPresentationResult(placement: "gated", params: .map([])))
        : run.call(
          .registerPlacement(
            PlacementRequest(
              placement: "gated", params: .map([]), handlerID: nil, isFeatureGatable: false)))
    }
    var run = StateRun(stored: nil)
    run.configure()
    // Of placements one waits at a time.
    let tokens = (0..<(isQuestion ? 2 : 1)).map { _ in wait(&run) }
    #expect(run.take().timers.map(\.id) == [.status])
    for (number, token) in tokens.enumerated() {
      run.handle(.cancel(token))
      let isStopped = run.take().contains {
        if case .cancelTimer(.status) = $0 { true } else { false }
      }
      #expect(isStopped == (number == tokens.count - 1))
    }
  }
}
