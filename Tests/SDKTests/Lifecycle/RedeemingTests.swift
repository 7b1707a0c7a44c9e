import Expressions
import RuleEngine
import Testing

@testable import SDK

/// Codes of links, and what was bought on the web, effect by effect.
@Suite("Redeeming")
struct RedeemingTests {
  private func link(_ code: String) -> String { "tollgate://superwall/redeem?code=\(code)" }

  private func codes(_ run: BackendRun) -> [[String]] {
    (run.body?["codes"]?.elements ?? []).map { code in
      [code["code"]?.text ?? "", code["firstRedemption"]?.truth == true ? "first" : "known"]
    }
  }

  @Test func aCodeIsRedeemedAndKnown() {
    var options = TollgateOptions()
    options.timeouts.redeem = .seconds(7)
    var run = BackendRun(options: options)
    run.open(link("a"))
    #expect(run.sent == ["redeem"] && run.limits == [7_000])
    #expect(codes(run) == [["a", "first"]])
    #expect(run.told == ["will"] && run.tracked == [.redemptionStart])
    run.answer("redeem", BackendRun.codes(["a"]))
    #expect(run.told == ["status pro", "did a"])
    #expect(run.tracked.contains(.redemptionComplete) && !run.tracked.contains(.restoreComplete))
    #expect(run.state.ownership.codes == ["a"])
    // It is told again with the next one, as a known one; and again by itself.
    run.open(link("b"))
    #expect(codes(run) == [["a", "known"], ["b", "first"]])
    run.answer("redeem", BackendRun.codes(["b"]))
    run.open(link("a"))
    #expect(codes(run) == [["a", "known"], ["b", "known"]])
  }

  /// One on its way is not sent twice; without a paywall others are.
  @Test func codesOnTheirWay() {
    var run = BackendRun()
    run.open(link("a"))
    run.open(link("a"))
    #expect(run.sent.isEmpty && run.told.isEmpty && run.tracked.isEmpty)
    run.open(link("b"))
    #expect(run.sent == ["redeem"])
    run.answer("redeem", BackendRun.codes(["a"]))
    run.open(link("a"))
    #expect(run.sent == ["redeem"])
  }

  /// While a paywall waits for a redemption there is no other one.
  @Test func paywallsWaitForOneCode() {
    var run = BackendRun()
    run.run.present("gated")
    run.open(link("a"))
    #expect(run.sent == ["redeem"] && run.tracked == [.restoreStart, .redemptionStart])
    run.open(link("b"))
    #expect(run.sent.isEmpty)
    run.answer("redeem", BackendRun.codes(["a"]))
    // It covers what the paywall sells, so that goes; the app hears of the code then.
    #expect(run.told == ["status pro", "dismiss"])
    #expect(run.tracked.contains(.restoreComplete))
    run.step { $0.handle(.dismissed(id: $0.state.presentation?.id ?? "")) }
    #expect(run.told == ["did a"])
  }

  @Test func codesThatDoNotCoverThePaywall() {
    var run = BackendRun()
    run.run.present("gated")
    run.open(link("a"))
    run.answer("redeem", BackendRun.codes(["a"], entitlements: ["other"]))
    #expect(run.told == ["restore failed", "status other", "did a"])
    #expect(run.tracked.contains(.restoreFail) && run.state.presentation != nil)
    // What is owned already counts.
    var owner = BackendRun(purchases: .controller)
    owner.run.present("gated")
    owner.step {
      $0.call(.setSubscriptionStatus(SubscriptionStatus(entitlements: [Entitlement(id: "pro")])))
    }
    owner.open(link("a"))
    owner.answer("redeem", BackendRun.codes(["a"], entitlements: ["other"]))
    #expect(owner.told.first == "dismiss")
  }

  @Test func answersThatFail() {
    var run = BackendRun()
    run.open(link("a"))
    run.answer("redeem", status: 400)
    #expect(run.told == ["did a"] && run.tracked == [.redemptionFail])
    #expect(run.state.ownership.codes.isEmpty)
    run.open(link("a"))
    run.answer("redeem", ["codes": [["status": "INVALID_CODE", "code": "a"]]])
    #expect(run.told == ["did a"] && run.state.ownership.codes.isEmpty)
    run.run.present("gated")
    run.open(link("a"))
    run.answer("redeem", .list([]))
    #expect(run.told == ["restore failed", "did a"])
    #expect(run.tracked.contains(.restoreFail) && run.tracked.contains(.networkDecodingFail))
  }

  /// An app without a key has no backend to ask, and hears of no failure.
  @Test func withoutAKeyNothingIsRedeemed() {
    var run = StateRun()
    var configuration = Configuration(
      apiKey: "", options: .init(), purchases: .controller, wrapper: nil)
    configuration.given = Samples.configText
    run.call(.configure(configuration))
    _ = run.take()
    run.call(.identify(userID: "u", restoresAssignments: false))
    let tracked = run.take().tracked
    #expect(!tracked.contains(.redemptionStart) && !tracked.contains(.redemptionFail))
  }

  /// The request has everything that the contract names.
  @Test func theWholeRequest() {
    var run = BackendRun()
    run.step { run in
      run.device.appTransactionID = "txn"
      run.device.externalAccountID = "external"
      run.handle(.storeChanged)
    }
    for case .loadOwnedProducts(let token) in run.effects {
      let owned = OwnedProduct(Samples.year.id, signedTransaction: "a.b.c")
      run.step { $0.handle(.ownedProducts(token, .success([owned]))) }
    }
    run.open(link("a"))
    #expect(run.body?["appTransactionId"] == "txn" && run.body?["externalAccountId"] == "external")
    #expect(run.body?["receipts"] == [["type": "IOS", "jwsRepresentation": "a.b.c"]])
    #expect(run.body?["metadata"]?.isObject == true && run.body?["aliasId"]?.text != nil)
  }

  /// What arrives for somebody who is gone is told, and not taken.
  @Test func codesOfOthers() {
    var run = BackendRun()
    run.open(link("a"))
    run.step { $0.call(.reset) }
    run.answer("redeem", BackendRun.codes(["a"]))
    #expect(run.told == ["did a"])
    #expect(run.state.ownership.codes.isEmpty && run.state.ownership.web.isEmpty)
    // Codes of the user go with them, those of the device stay.
    run.open(link("b"))
    run.answer("redeem", BackendRun.codes(["b"], isOfUser: true))
    run.open(link("c"))
    run.answer("redeem", BackendRun.codes(["c"]))
    #expect(run.state.ownership.codes == ["b", "c"])
    run.step { $0.call(.reset) }
    #expect(run.state.ownership.codes == ["c"] && run.state.ownership.web.isEmpty)
  }

  /// A paywall that somebody else sees by now is not covered by it.
  @Test func codesOfOthersCoverNothing() {
    var run = BackendRun()
    run.run.present("gated")
    run.open(link("a"))
    run.step { $0.call(.identify(userID: "other", restoresAssignments: false)) }
    run.answer("redeem", BackendRun.codes(["a"]))
    #expect(run.told == ["restore failed", "did a"])
    #expect(run.tracked.contains(.restoreFail) && run.state.presentation != nil)
  }

  /// Where the paywall is gone, something has to be there for the restore to count.
  @Test(arguments: [[], ["pro"], ["other"]])
  func paywallsThatAreGone(entitlements: [String]) {
    var run = BackendRun()
    run.run.present("gated")
    run.open(link("a"))
    run.report(.swipedAway)
    run.answer("redeem", BackendRun.codes(["a"], entitlements: entitlements))
    #expect(run.tracked.contains(.restoreComplete) == !entitlements.isEmpty)
    #expect(run.tracked.contains(.restoreFail) == entitlements.isEmpty)
    #expect(!run.told.contains("restore failed") && run.told.last == "did a")
  }

  /// What gave something, or may, is asked for again.
  @Test(arguments: [
    ("SUCCESS", true), ("EXPIRED_SUBSCRIPTION", true), ("CODE_EXPIRED", true),
    ("INVALID_CODE", false), ("ERROR", false),
  ])
  func codesThatAreKept(status: String, isKept: Bool) {
    var run = BackendRun()
    run.open(link("a"))
    var code = BackendRun.codes(["a"])["codes"]?.elements?.first ?? .null
    code = code.merging(patch: ["status": .string(status)])
    run.answer("redeem", ["codes": .list([code])])
    #expect(run.told.last == "did a" && run.state.ownership.codes == (isKept ? ["a"] : []))
  }

  // MARK: What was bought on the web

  private static let day: Int64 = 86_400_000

  private func web(_ id: String?, until: Int64? = nil) -> Value {
    let given = id.map { id -> Value in
      .members(["identifier": .string(id), "expiresAt": until.map { .int($0) }])
    }
    return ["entitlements": .list([given].compactMap { $0 })]
  }

  /// Asked for at the start where it was asked for before, and later when the answer is old.
  @Test func webEntitlementsAreRefreshed() {
    var options = TollgateOptions()
    options.timeouts.entitlements = .seconds(3)
    var run = BackendRun(options: options)
    // At the start nobody misses what was never asked for.
    #expect(run.waiting.isEmpty)
    run.foreground()
    #expect(run.sent == ["entitlements"] && run.limits == [3_000])
    run.foreground()
    #expect(run.sent.isEmpty)
    run.answer("entitlements", web("pro"))
    #expect(run.told == ["status pro"])
    #expect(run.state.ownership.refreshedAt == run.run.now)
    run.foreground(after: Self.day)
    #expect(run.sent.isEmpty)
    run.foreground(after: 1)
    #expect(run.sent == ["entitlements"])
    // An answer that fails is no answer: it is asked again.
    run.answer("entitlements", status: 404)
    run.foreground()
    #expect(run.sent == ["entitlements"])
    run.answer("entitlements", web("pro"))
    // A clock that was set back.
    run.foreground(after: -60_000)
    #expect(run.sent == ["entitlements"])
    var controlled = BackendRun(purchases: .controller)
    controlled.foreground()
    #expect(controlled.sent.isEmpty)
  }

  /// The backend is asked by the user's ID, or by the device's as long as there is none; where
  /// AgentWallie's server knows what is owned, it is not asked.
  @Test func whoIsAskedAbout() {
    func asked(_ run: BackendRun) -> String? {
      run.effects.requests.first?.request.segments.dropLast().last
    }
    var run = BackendRun()
    run.foreground()
    #expect(run.sent == ["entitlements"] && asked(run) == run.state.deviceID)
    run = BackendRun(stored: ["appUserId": "user"])
    #expect(run.state.person.appUserID == "user")
    run.foreground()
    #expect(run.sent == ["entitlements"] && asked(run) == "user")
    var options = TollgateOptions()
    options.purchaseMode = .agentWallie
    run = BackendRun(options: options)
    run.foreground()
    #expect(run.sent.isEmpty)
  }

  @Test func webEntitlementsEnd() {
    var run = BackendRun()
    let end = run.run.now.milliseconds + Self.day + 1
    run.foreground()
    run.answer("entitlements", web("pro", until: end))
    #expect(run.told == ["status pro"])
    // Empty answers take away what has expired, and nothing else.
    run.foreground(after: Self.day + 1)
    run.answer("entitlements", web(nil))
    #expect(run.told == ["status "])
    run.foreground(after: Self.day + 1)
    run.answer("entitlements", web("pro", until: end + 9 * Self.day))
    #expect(run.told == ["status pro"])
    run.foreground(after: Self.day + 1)
    run.answer("entitlements", web(nil))
    #expect(run.told.isEmpty && run.state.ownership.web.count == 1)
  }

  @Test func answersOfOthersAreDropped() {
    var run = BackendRun()
    run.foreground()
    run.step { $0.call(.identify(userID: "other", restoresAssignments: false)) }
    run.answer("entitlements", web("pro"))
    #expect(run.told.isEmpty && run.state.ownership.refreshedAt == nil)
    run.foreground()
    #expect(run.sent == ["entitlements"])
  }

  /// What somebody had on the web goes with them, and what it gave.
  @Test func whatTheNextUserHasIsAsked() {
    for (owned, told) in [([], ["status "]), (["com.tollgate.pro.month"], [])]
      as [([String], [String])]
    {
      var run = BackendRun()
      run.foreground()
      run.answer("entitlements", web("pro"))
      run.step { $0.call(.reset) }
      let token = run.effects.lazy.compactMap { effect in
        if case .loadOwnedProducts(let token) = effect { token } else { nil }
      }.first
      guard let token else {
        Issue.record("the store was not asked")
        continue
      }
      run.step { $0.handle(.ownedProducts(token, .success(owned.map { OwnedProduct($0) }))) }
      #expect(run.told == told)
    }
    // Nothing to ask where there was nothing, or where the app says what the status is.
    for purchases in [PurchaseHandling.store, .controller] {
      var run = BackendRun(purchases: purchases)
      run.step { $0.call(.reset) }
      #expect(run.effects.allSatisfy { if case .loadOwnedProducts = $0 { false } else { true } })
    }
  }

  /// What was bought on the web meanwhile closes the paywall that sells it.
  @Test func webEntitlementsClosePaywalls() {
    for given in ["pro", "other"] {
      var run = BackendRun()
      run.run.present("gated")
      run.foreground()
      run.answer("entitlements", web(given))
      #expect(run.told.contains("dismiss") == (given == "pro"))
      #expect(run.tracked.contains(.restoreComplete) == (given == "pro"))
    }
    var options = TollgateOptions()
    options.paywalls.automaticallyDismiss = false
    var run = BackendRun(options: options)
    run.run.present("gated")
    run.foreground()
    run.answer("entitlements", web("pro"))
    #expect(!run.told.contains("dismiss") && run.tracked.contains(.restoreComplete))
  }
}
