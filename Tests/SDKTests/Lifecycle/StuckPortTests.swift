import Expressions
import RuleEngine
import Testing

@testable import SDK

/// A port that never answers costs its own call a typed outcome, and nobody else's.
@Suite("Stuck ports")
struct StuckPortTests {
  /// A call with the ports that it may wait for.
  private struct Step {
    var name: String
    var ports: Set<Silence.Port>
    /// How long the call took, in milliseconds; nil when it has not ended.
    var time: () -> Int64?
  }

  /// Every port, silent from its first call, its second, its third: whatever the app does ends, and
  /// what does not ask the port takes no longer than when it answers.
  @Test(arguments: Silence.Port.allCases)
  func everyCallEnds(port: Silence.Port) {
    for platform in [Platform.ios, .android] {
      let usual = life(QuietApp(rules: Self.checkouts, platform: platform))
      for answers in 0..<3 {
        let app = QuietApp(
          silent: [port], after: answers, rules: Self.checkouts, platform: platform)
        for (step, expected) in zip(life(app), usual) {
          let which = "\(port) after \(answers) on \(platform): \(step.name)"
          let time = step.time()
          #expect(time != nil, "\(which) has not ended")
          if let time, let expected = expected.time(), !step.ports.contains(port) {
            // A placement lets another one go first for a second.
            #expect(time <= expected + 1_000, "\(which) took \(time) instead of \(expected) ms")
          }
        }
      }
    }
  }

  /// A backend with which a checkout on a page of its own comes to an end.
  private static let checkouts: [ScriptedTransport.Rule] = {
    let path = "/subscriptions-api/public/v1/checkout"
    let directive: Value = [
      "directive": "redirect", "checkoutSessionId": "s", "checkoutUrl": "https://pay.example.com",
    ]
    let session: Value = ["directive": directive, "checkoutContextId": "c"]
    return [
      .init(.post, "\(path)/session", [.json(session)]),
      .init(.post, "\(path)/status", [.json(["status": "completed"])]),
      .init(
        .post, "\(path)/session/poll-redemption-result",
        [.json(["status": "complete", "codes": .list([])])]),
    ]
  }()

  /// The life of an app, from its start to the end of its third paywall.
  private func life(_ app: QuietApp) -> [Step] {
    defer { app.end() }
    let (tollgate, clock) = (app.tollgate, app.clock)
    var steps: [Step] = []
    func call<Result: Sendable>(
      _ name: String, _ ports: Set<Silence.Port> = [],
      _ work: @escaping @Sendable () async -> Result
    ) {
      let begin = clock.now
      let running = app.run(work)
      steps.append(
        Step(name: name, ports: ports) {
          running.seconds.map { Samples.start + Int64($0 * 1_000) - begin }
        })
    }
    let loading: Set<Silence.Port> = [.loadState, .loadLog]
    // Placements wait for assignments that somebody wants restored first.
    let deciding: Set<Silence.Port> = [.assignments]
    let showing = deciding.union([
      .products, .canPresent, .present, .dismiss, .survey, .purchase, .owned, .restore,
    ])
    call("early status", loading) { await tollgate.subscriptionStatus }
    call("configure", loading.union([.config, .owned])) {
      try? await tollgate.configure(apiKey: "pk")
    }
    call("early identify", loading.union([.config, .owned])) {
      try? await tollgate.identify(userID: "a")
    }
    app.pass(300)
    for (number, placement) in ["open", "gated", "survey_close"].enumerated() {
      call(placement, showing) { await tollgate.register(placement: placement) }
      call("nomatch beside", deciding) { await tollgate.register(placement: "nomatch") }
      call("question", deciding) {
        try? await tollgate.getPresentationResult(forPlacement: "gated")
      }
      call("products", [.products]) { try? await tollgate.products(for: [Samples.year.id]) }
      call("identify") { try? await tollgate.identify(userID: "user \(number)") }
      call("identify and ask", [.assignments]) {
        try? await tollgate.identify(
          userID: "user \(number)!", options: IdentityOptions(restorePaywallAssignments: true))
      }
      call("attributes") { try? await tollgate.setUserAttributes(["n": .int(Int64(number))]) }
      call("status") { try? await tollgate.getSubscriptionStatus() }
      app.pass(5)
      app.ports.handle?.purchaseTapped(Samples.year.id, shouldDismiss: number == 2)
      app.ports.handle?.restoreTapped()
      app.pass(20)
      app.ports.handle?.purchaseTapped(Samples.month.id)
      call("another", showing) { await tollgate.register(placement: "coins") }
      call("confirm", [.confirmation]) { try? await tollgate.confirmAllAssignments() }
      call("consume", [.consume]) { try? await tollgate.consume(purchaseToken: "t") }
      app.pass(40)
      app.ports.handle?.closeTapped()
      app.pass(40)
      call("dismiss", [.present, .dismiss, .assignments]) { await tollgate.dismiss() }
      app.pass(40)
    }
    // A code of a link, with a paywall on screen from which the user checks out on the web.
    call("web", showing) { await tollgate.register(placement: "web") }
    app.pass(15)
    app.ports.handle?.purchaseTapped(Samples.web.id)
    app.pass(5)
    app.ports.handle?.checkout(.returned)
    call("link") { await tollgate.handleDeepLink("app://superwall/redeem?code=c1") }
    call("another link") { await tollgate.handleDeepLink("app://superwall/redeem?code=c2") }
    call("nomatch beside a checkout", deciding) { await tollgate.register(placement: "nomatch") }
    call("status beside a checkout") { try? await tollgate.getSubscriptionStatus() }
    call("restore", [.restore, .owned]) { try? await tollgate.restorePurchases() }
    app.pass(70)
    app.ports.handle?.closeTapped()
    app.pass(40)
    call("dismiss after a checkout", [.present, .dismiss]) { await tollgate.dismiss() }
    app.pass(40)
    call("reset") { try? await tollgate.reset() }
    call("entitlements") { try? await tollgate.getEntitlements() }
    app.pass(100)
    return steps
  }

  // MARK: The store

  @Test func configureDoesNotNeedWhatIsOwned() async throws {
    let app = QuietApp(silent: [.owned], status: nil)
    let configure = app.configure()
    app.pass(9)
    #expect(!configure.hasEnded)
    app.pass(1)
    #expect(configure.value == .some(nil) && configure.seconds == 10)
    // The answer counts when it comes.
    app.ports.speak()
    app.pass(0)
    #expect(app.run { await app.tollgate.subscriptionStatus }.value == .inactive)
    app.end()
  }

  /// The user sees the paywall; only its products are missing.
  @Test func paywallsDoNotNeedProducts() {
    let app = QuietApp(silent: [.products])
    app.configure()
    let call = app.register("open")
    app.pass(9.9)
    #expect(!app.ports.wasAsked(.present))
    app.pass(0.1)
    #expect(app.ports.wasAsked(.present) && !call.hasEnded)
    #expect(app.events.all.contains { $0.isTracked(.paywallProductsLoadFail) })
    app.ports.handle?.closeTapped()
    app.pass(0)
    #expect(call.value?.kind == .presented(.declined, .manualClose))
    app.end()
  }

  @Test func productsOfACallHaveALimit() {
    let app = QuietApp(silent: [.products])
    let call = app.run { () -> String in
      do throws(StoreError) {
        return "\(try await app.tollgate.products(for: ["a"]).count)"
      } catch {
        return error.message
      }
    }
    app.pass(10)
    #expect(call.value == "the store has not answered about products within 10 s")
    app.end()
  }

  /// What another placement loads keeps nobody waiting who shows nothing, and others for a second.
  @Test func placementsDoNotQueueBehindProducts() {
    let app = QuietApp(silent: [.products], after: 0)
    app.configure()
    let loading = app.register("gated")
    let nothing = app.register("nomatch")
    #expect(nothing.value?.kind == .skipped(.noAudienceMatch) && !loading.hasEnded)
    app.pass(0.5)
    #expect(!loading.hasEnded)
    app.end()

    let later = QuietApp(silent: [.products], after: 0)
    later.configure()
    let first = later.register("gated")
    later.pass(0.9)
    // Now the store answers again, but not what it was asked first.
    later.ports.speakFromNowOn()
    let second = later.register("open")
    #expect(!later.ports.wasAsked(.present))
    later.pass(0.1)
    #expect(later.ports.wasAsked(.present) && !second.hasEnded)
    later.pass(10)
    #expect(first.value?.kind == .error(.alreadyPresented))
    later.ports.handle?.closeTapped()
    later.pass(0)
    #expect(second.value?.kind == .presented(.declined, .manualClose))
    later.end()
  }

  // MARK: The host

  @Test(arguments: [
    (Silence.Port.canPresent, 5.0, SDKError.Code.noPresenter),
    (.present, 10, .presentationFailed),
  ])
  func hostsHaveLimits(port: Silence.Port, seconds: Double, code: SDKError.Code) {
    let app = QuietApp(silent: [port])
    app.configure()
    let call = app.register("open")
    app.pass(seconds - 0.1)
    #expect(!call.hasEnded)
    let beside = app.register("nomatch")
    app.pass(0.1)
    #expect(call.value?.error?.code == code)
    #expect(beside.value?.kind == .skipped(.noAudienceMatch))
    #expect(app.run { app.tollgate.snapshot.isPaywallPresented }.value == false)
    app.end()
  }

  /// A paywall that comes after its time is taken away: nobody would hear of it.
  @Test func latePaywallsGo() {
    let app = QuietApp(silent: [.present], after: 0)
    app.configure()
    app.register("open")
    app.pass(10)
    #expect(app.ports.dismissed.all.isEmpty)
    app.ports.speak()
    app.pass(0)
    #expect(app.ports.dismissed.all == ["pw_open"])
    #expect(!app.events.all.contains { $0.name == .didPresentPaywall })
    app.end()
  }

  @Test func goneAfterTenSeconds() {
    let app = QuietApp(silent: [.dismiss])
    app.configure()
    let call = app.register("open")
    let dismiss = app.run { await app.tollgate.dismiss() }
    app.pass(9.9)
    #expect(!dismiss.hasEnded && !call.hasEnded)
    app.pass(0.1)
    #expect(dismiss.hasEnded && call.value?.kind == .presented(.declined, .systemLogic))
    #expect(app.log.all.contains { $0.message?.contains("counts as closed") == true })
    app.end()
  }

  /// What a host reports while it shows a paywall counts, whenever that is over.
  @Test(arguments: ["close", "swipe", "system", "buy"])
  func earlyReportsCount(report: String) {
    let app = QuietApp(silent: [.present])
    app.ports.whileShowing.withLock {
      $0 = { handle in
        switch report {
        case "close": handle.closeTapped()
        case "swipe": handle.swipedAway()
        case "system": handle.systemDismissed()
        default: handle.purchaseTapped(Samples.year.id)
        }
      }
    }
    app.configure()
    let call = app.register("open")
    app.pass(3)
    // What has gone before it was visible needs no answer of the host's.
    #expect(call.hasEnded == (report == "system"))
    app.ports.speak()
    app.pass(0)
    switch report {
    case "close", "swipe": #expect(call.value?.kind == .presented(.declined, .manualClose))
    case "system": #expect(call.value?.error?.code == .presentationFailed)
    default:
      let bought = PaywallResult.purchased(productID: Samples.year.id)
      #expect(call.value?.kind == .presented(bought, .systemLogic))
    }
    app.end()
  }

  // MARK: Storage

  /// Nobody waits for longer than five seconds; what could not be loaded is not overwritten.
  @Test func goesOnWithoutStorage() {
    let app = QuietApp(silent: [.loadState])
    let configure = app.configure()
    app.pass(4.9)
    #expect(!configure.hasEnded)
    app.pass(0.1)
    #expect(configure.hasEnded)
    #expect(app.log.all.first?.message?.contains("without saved data") == true)
    app.run { try? await app.tollgate.identify(userID: "u") }
    app.pass(10)
    app.ports.speak()
    app.pass(1)
    #expect(app.storage.load() == ["status": ["status": "INACTIVE"]])
    app.end()
  }

  /// Calls wait for what they changed to be saved, but a second at most, and not again while the
  /// storage does not answer; the last of what came meanwhile is saved in the end.
  @Test func callsDoNotWaitLongForSaving() {
    let app = QuietApp(silent: [.saveState])
    app.configure()
    let first = app.run { try? await app.tollgate.identify(userID: "a") }
    app.pass(0.9)
    #expect(!first.hasEnded)
    app.pass(0.1)
    #expect(first.seconds == 1)
    for id in ["b", "c"] {
      #expect(app.run { try? await app.tollgate.identify(userID: id) }.seconds == 1)
    }
    app.pass(4)
    #expect(app.log.all.contains { $0.message?.contains("the storage has not answered") == true })
    #expect(app.log.all.count { $0.scope == .coreData } == 1)
    app.ports.speak()
    app.pass(0)
    #expect(app.storage.load()?["appUserId"] == "c")
    app.end()
  }

  /// Calls see what was saved, however long that takes to load.
  @Test func whatWasSavedIsAwaited() {
    let app = QuietApp(silent: [.loadState], status: "ACTIVE")
    let status = app.run { await app.tollgate.subscriptionStatus }
    app.pass(1)
    #expect(!status.hasEnded)
    app.ports.speak()
    app.pass(0)
    #expect(status.hasEnded && status.seconds == 1)
    app.end()
  }
}

extension PlacementOutcome {
  var error: SDKError? { if case .error(let error) = kind { error } else { nil } }
}

extension ModuleEvent {
  func isTracked(_ name: SuperwallEventName) -> Bool {
    if case .handleSuperwallEvent(let event) = self { event.name == name } else { false }
  }
}
