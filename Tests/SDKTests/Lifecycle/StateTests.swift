import Expressions
import RuleEngine
import Testing

@testable import SDK

/// What is sent once, kept in order, timed and forgotten, on the pure state.
@Suite("State")
struct StateTests {
  private static let configuration = Configuration(
    apiKey: "pk", options: TollgateOptions(), purchases: .controller, wrapper: nil)

  // MARK: Retries

  /// Every attempt is a request of its own: what answers an attempt that was given up finds nobody,
  /// and the pauses are those of a series.
  @Test func attemptsAreOfTheirOwn() throws {
    var run = StateRun()
    let call = run.call(.configure(Self.configuration))
    var effects = run.take()
    let first = try #require(effects.requests.first).token
    #expect(effects.timers.contains { $0.id == .requestLimit(first) })

    run.handle(.timer(.requestLimit(first)))
    effects = run.take()
    #expect(effects.requests.isEmpty)
    #expect(effects.timers.map(\.id) == [.retry(first)] && effects.timers[0].milliseconds == 5_000)
    run.answer(first, Samples.config)
    #expect(run.take().isEmpty && run.state.startup.phase == .configuring)

    run.handle(.timer(.retry(first)))
    effects = run.take()
    let second = try #require(effects.requests.first)
    #expect(effects.requests.count == 1 && second.token != first)
    #expect(second.request.headers.contains(.init("X-Retry-Count", "1")))
    run.answer(second.token, Samples.config)
    #expect(run.take().replies(to: call).count == 1)
    #expect(run.state.startup.phase == .configured && run.state.outbox.armedTimers.isEmpty)
  }

  /// What is added to a pause keeps devices that failed together from coming back together; the last
  /// attempt ends the request, and so does what no other attempt could change.
  @Test func pausesHaveJitter() throws {
    let answers: [Result<BackendResponse, TransportFailure>] = [
      .failure(.network("off")), .failure(.timeout),
      .success(BackendResponse(status: 503, body: [])),
    ]
    for answer in answers {
      var requests = Requests()
      let token = Token(number: 1)
      let request = BackendRequest(.get, "/")
      requests.begin(PendingRequest(request, for: .events, retries: 2, limit: .seconds(1)), token)
      for pause: Int64 in [5_000, 11_180] {
        guard case .retry(let found) = requests.answer(answer, token, jitter: 17) else {
          Issue.record("it ended")
          return
        }
        #expect(found == pause + 17)
        // Between two attempts nobody waits for an answer.
        guard case .nothing = requests.answer(answer, token, jitter: 0) else {
          Issue.record("it counted")
          return
        }
        let again = requests.takeForRetry(token)
        requests.begin(try #require(again), token)
      }
      guard case .end(.events, .failure) = requests.answer(answer, token, jitter: 17) else {
        Issue.record("it went on")
        return
      }
      #expect(requests.isEmpty)
    }
  }

  /// Seven attempts for six retries, and one failure.
  @Test func retriesAreCounted() throws {
    var run = StateRun()
    let call = run.call(.configure(Self.configuration))
    var attempts = 0
    while let attempt = run.take().requests.first {
      attempts += 1
      run.handle(.response(attempt.token, .failure(.network("offline"))))
      if attempts <= 6 {
        #expect(run.effects.tracked.isEmpty && run.effects.replies(to: call).isEmpty)
        run.handle(.timer(.retry(attempt.token)))
      } else {
        #expect(run.effects.tracked == [.configFail])
        #expect(run.effects.replies(to: call).count == 1)
      }
    }
    #expect(attempts == 7 && run.state.startup.phase == .configFailed)
    #expect(run.state.outbox.armedTimers.isEmpty && run.state.requests.isEmpty)
  }

  // MARK: Calls that wait

  /// Their time begins again with `configure`; they run in their order, and leave no timer.
  @Test func waitingCallsKeepTheirOrder() throws {
    var run = StateRun()
    let waiting = [
      run.call(.identify(userID: "u", restoresAssignments: false)), run.call(.getUserAttributes),
      run.call(.reset), run.call(.getUserAttributes),
    ]
    #expect(run.take().timers.map(\.id) == waiting.map { .waitingCall($0) })
    run.call(.configure(Self.configuration))
    let effects = run.take()
    #expect(
      effects.timers.filter { $0.milliseconds == 10_000 }.map(\.id)
        == waiting.map { .waitingCall($0) })
    run.answer(try #require(effects.requests.first).token, Samples.config)
    let answered = run.take().compactMap { effect -> Token? in
      if case .complete(let token, _) = effect { token } else { nil }
    }
    #expect(answered.filter(waiting.contains) == waiting)
    #expect(
      !run.state.outbox.armedTimers.contains { if case .waitingCall = $0 { true } else { false } })
    // A timer that fires late has nothing left to give up.
    run.handle(.timer(.waitingCall(waiting[0])))
    #expect(run.take().isEmpty)
  }

  // MARK: Purchases

  /// While the store says what is owned, the purchase is over for everybody else: another answer to
  /// it changes nothing, a tap starts nothing, and it is told once.
  @Test func aPurchaseIsConcludedOnce() throws {
    var run = StateRun()
    run.configure(purchases: .store)
    run.present("gated")
    run.report(.purchase(productID: Samples.year.id, shouldDismiss: true))
    let token = try #require(run.state.transactions.purchase?.token)
    run.handle(.purchaseFinished(token, StorePurchase(.purchased)))
    let loads = run.take().compactMap { effect -> Token? in
      if case .loadOwnedProducts(let token) = effect { token } else { nil }
    }
    #expect(loads.count == 1)

    run.handle(.purchaseFinished(token, StorePurchase(.cancelled)))
    run.report(.purchase(productID: Samples.year.id, shouldDismiss: true))
    // The paywall is told that the first one goes on, and the app, in the log.
    let answer = run.take()
    #expect(answer.count == 2 && answer.tracked.isEmpty)

    run.handle(.ownedProducts(loads[0], .success([OwnedProduct(Samples.year.id)])))
    let told = run.take().tracked
    #expect(told.filter { $0 == .transactionComplete || $0 == .transactionAbandon }.count == 1)
    #expect(
      told.prefix(4) == [
        .subscriptionStatusDidChange, .deviceAttributes, .transactionComplete, .subscriptionStart,
      ])
    run.handle(.ownedProducts(loads[0], .success([])))
    run.handle(.purchaseFinished(token, StorePurchase(.purchased)))
    #expect(run.take().isEmpty && run.state.stored.status.isActive)
  }

  /// A store that fails is asked once more, and the paywall comes without products.
  @Test func productsAreAskedForTwice() throws {
    var run = StateRun()
    run.configure()
    run.call(
      .registerPlacement(
        PlacementRequest(
          placement: "gated", params: .map([]), handlerID: nil, isFeatureGatable: false)))
    var told: [SuperwallEventName] = []
    var loads = 0
    while let load = next(of: &run, into: &told) {
      loads += 1
      run.handle(.products(load, .failure(StoreError("offline"))))
    }
    #expect(loads == 2)
    #expect(
      told.filter { "\($0)".hasPrefix("paywallProducts") } == [
        .paywallProductsLoadStart, .paywallProductsLoadRetry, .paywallProductsLoadFail,
      ])
    #expect(run.state.active?.stage == .askingPresenter)
  }

  private func next(of run: inout StateRun, into told: inout [SuperwallEventName]) -> Token? {
    let effects = run.take()
    told += effects.tracked
    for case .loadProducts(let token, _) in effects { return token }
    return nil
  }

  // MARK: Assignments

  /// Each batch stands for itself: what one did not get to the server is not sent, and the others
  /// are. The call ends once, after the last.
  @Test func batchesOfConfirmationsStandForThemselves() throws {
    let rules = (0..<250).map { number -> Value in
      [
        "event_name": .string("t\(number)"),
        "rules": [
          [
            "experiment_id": .string("x\(number)"), "experiment_group_id": .string("c\(number)"),
            "preload": ["behavior": "NEVER"],
            "variants": [
              [
                "variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                "paywall_identifier": "pw_gated",
              ]
            ],
          ]
        ],
      ]
    }
    var run = StateRun()
    run.configure(Samples.config.merging(patch: ["trigger_options": .list(rules)]))
    let call = run.call(.confirmAllAssignments)
    var sizes: [Int] = []
    while let batch = run.take().requests.first {
      #expect(run.effects.replies(to: call).isEmpty)
      sizes.append(batch.request.body?["assignments"]?.elements?.count ?? 0)
      run.answer(batch.token, status: sizes.count == 2 ? 500 : 200)
      if sizes.count == 3 { break }
    }
    #expect(sizes == [100, 100, 50])
    let replies = run.take().replies(to: call)
    guard replies.count == 1, case .success(.assignments(let assignments)) = replies[0] else {
      Issue.record("\(replies)")
      return
    }
    #expect(assignments.count { $0.isSentToServer } == 150)
    // What failed is sent with the next call, and only that.
    run.call(.confirmAllAssignments)
    let rest = try #require(run.take().requests.first)
    #expect(rest.request.body?["assignments"]?.elements?.count == 100)
  }

  /// What was stored may be damaged.
  @Test func anyTimeAndCountIsSurvived() {
    for number in [Int64.min, .max] {
      var run = StateRun(
        stored: [
          "status": ["status": "INACTIVE"], "installedAt": .int(number), "closedAt": .int(number),
          "lastPaywallView": .int(number), "totalPaywallViews": .int(.max),
        ])
      run.configure()
      run.handle(.application(.foreground))
      let token = run.call(.getDeviceAttributes)
      let replies = run.take().replies(to: token)
      guard case .success(.attributes(let device)) = replies.first else {
        Issue.record("there are no attributes")
        continue
      }
      #expect(device["minutesSinceInstall"] == 0 && device["daysSinceLastPaywallView"] == 0)
      run.present("gated")
      #expect(run.state.presentation?.isOpen == true)
      #expect(run.state.stored.totalPaywallViews == .max)
    }
  }

  // MARK: What is forgotten

  /// A reset forgets the user; the installation, what it bought and what was redeemed on it stay.
  @Test func resetsForgetTheUserAlone() {
    var run = StateRun(
      stored: [
        "status": ["status": "ACTIVE", "entitlements": [["id": "pro"]]], "appUserId": "u",
        "aliasId": "a", "deviceId": "d", "userAttributes": ["x": 1],
        "integrationAttributes": ["adjustId": "i"],
        "assignments": [
          ["experimentId": "old", "variant": ["id": "v"], "isSentToServer": true]
        ], "surveys": ["k"], "codes": ["code"], "webEntitlements": [["id": "web"]],
        "installedAt": 5, "totalPaywallViews": 3, "lastPaywallView": 4, "closedAt": 6,
      ])
    run.configure()
    let before = run.state.stored
    run.call(.reset)
    let after = run.state.stored
    var wanted = before
    wanted.appUserID = nil
    wanted.aliasID = after.aliasID
    wanted.seed = after.seed
    wanted.userAttributes = [:]
    wanted.integrationAttributes = [:]
    wanted.assignments = after.assignments
    wanted.surveys = []
    wanted.webEntitlements = []
    wanted.totalPaywallViews = 0
    wanted.lastPaywallView = nil
    #expect(after == wanted)
    #expect(after.aliasID != before.aliasID && after.codes == ["code"] && after.deviceID == "d")
    #expect(before.assignments.contains { $0.experimentID == "old" })
    #expect(before.surveys == ["k"])
    #expect(!after.assignments.contains { $0.experimentID == "old" })
    #expect(after.assignments.allSatisfy { !$0.isSentToServer } && !after.assignments.isEmpty)
  }

  /// Who was not chosen for a survey is not asked by a later chance either.
  @Test func surveysChooseOnce() {
    var config = Samples.config
    let paywalls = (config["paywall_responses"]?.elements ?? []).map { paywall -> Value in
      guard let survey = paywall["surveys"]?.elements?.first else { return paywall }
      return paywall.merging(
        patch: ["surveys": [survey.merging(patch: ["presentation_probability": 1e-12])]])
    }
    config = config.merging(patch: ["paywall_responses": .list(paywalls)])
    var run = StateRun()
    run.configure(config)
    for _ in 0..<2 {
      run.present("survey_close")
      var entropy = run.state.entropy
      let next = entropy.fraction()
      let wasChosen = run.state.stored.surveys == ["key_sv_close"]
      run.report(.close)
      #expect(!run.effects.contains { if case .ask = $0 { true } else { false } })
      // Only the first close draws.
      var now = run.state.entropy
      #expect((now.fraction() == next) == wasChosen)
      #expect(run.state.stored.surveys == ["key_sv_close"])
      run.finishDismissing()
      #expect(run.state.presentation == nil)
    }
  }

  /// A handler is needed for as long as anything under way is its own.
  @Test func handlersThatAreNeeded() {
    func request(_ placement: String, _ handler: String) -> PlacementRequest {
      PlacementRequest(
        placement: placement, params: .map([]), handlerID: handler, isFeatureGatable: false)
    }
    var run = StateRun()
    run.configure()
    #expect(!run.state.refers(toHandler: "h"))
    run.call(.registerPlacement(request("gated", "a")))
    run.call(.registerPlacement(request("open", "b")))
    for (handler, isNeeded) in [("a", true), ("b", true), ("c", false)] {
      #expect(run.state.refers(toHandler: handler) == isNeeded, "\(handler)")
    }
    var open = StateRun()
    open.configure()
    open.present("gated")
    #expect(open.state.active == nil && open.state.presentation != nil)
    #expect(open.state.refers(toHandler: "h") && !open.state.refers(toHandler: "a"))
    var waiting = StateRun(stored: nil)
    waiting.configure()
    waiting.call(.registerPlacement(request("gated", "a")))
    #expect(waiting.state.presentation == nil && waiting.state.refers(toHandler: "a"))
  }
}
