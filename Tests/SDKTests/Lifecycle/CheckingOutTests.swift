import Expressions
import RuleEngine
import Testing

@testable import SDK

/// Checkouts on the web, effect by effect.
@Suite("Checking out")
struct CheckingOutTests {
  private static let product = "live:price_123:no-trial"

  /// Shows the paywall that sells it.
  private func present(_ run: inout BackendRun) {
    var product = Samples.product(Self.product, "9.99")
    product.priced.store = .stripe
    run.run.present("web", store: [product])
  }

  private static func session(_ kind: String, context: String = "ctx") -> Value {
    let directive: Value = [
      "directive": .string(kind), "checkoutUrl": "https://checkout.example.com",
      "checkoutSessionId": "cs", "publishableKey": "pk",
    ]
    return ["directive": directive, "checkoutContextId": .string(context)]
  }

  private func buy(_ run: inout BackendRun, shouldDismiss: Bool = true) {
    run.report(.purchase(productID: Self.product, shouldDismiss: shouldDismiss))
  }

  /// A checkout that the host shows.
  private func shown(
    _ kind: String = "redirect", shouldDismiss: Bool = true, options: TollgateOptions = .init()
  ) -> BackendRun {
    var run = BackendRun(options: options)
    present(&run)
    buy(&run, shouldDismiss: shouldDismiss)
    run.answer("session", Self.session(kind))
    return run
  }

  private func pending(_ run: BackendRun) -> PendingCheckout? {
    run.state.ownership.pendingCheckout
  }

  private func phase(_ run: BackendRun) -> Checkout.Phase? { run.state.checkout?.phase }

  private static let poll = "poll-redemption-result"

  /// No store on a device knows what is sold on the web.
  @Test func theDeviceNeedsNoProduct() {
    var run = BackendRun()
    run.run.present("web", store: [])
    buy(&run)
    #expect(run.sent == ["session"])
    #expect(run.body?["productIdentifier"] == .string(Self.product))
    run.answer("session", Self.session("redirect"))
    #expect(run.told == ["checkout redirect"])
    var gated = BackendRun()
    gated.run.present("gated", store: [])
    gated.report(.purchase(productID: "com.tollgate.pro.month", shouldDismiss: true))
    #expect(gated.sent.isEmpty && gated.told.isEmpty)
  }

  /// Amounts are strings without a symbol, lengths numbers, and the end of a trial an ISO date.
  @Test func theProductIsTheContracts() {
    var run = BackendRun()
    var product = Samples.product(Self.product, "9.99", period: Period(.month, 1))
    (product.priced.store, product.priced.trialDays) = (.stripe, 7)
    run.run.present("web", store: [product])
    buy(&run)
    let sent = run.body?["context"]?["product"]
    #expect(sent?["price"] == "9.99" && sent?["rawPrice"] == 999)
    #expect(sent?["trialPeriodDays"] == 7 && sent?["trialPeriodWeeks"] == 1)
    #expect(sent?["trialPeriodEndDate"]?.text?.hasSuffix("T00:00:00.000Z") == true)
    #expect(sent?["trialPeriodText"] == "7-day free trial" && sent?["hasFreeTrial"] == nil)
  }

  // MARK: To the end

  @Test func aRedirect() {
    var run = BackendRun()
    present(&run)
    buy(&run)
    #expect(run.sent == ["session"] && run.tracked == [.stripeCheckoutStart])
    #expect(run.body?["productIdentifier"] == .string(Self.product))
    #expect(pending(run) == nil)
    run.answer("session", Self.session("redirect"))
    #expect(run.told == ["checkout redirect"])
    #expect(pending(run)?.contextID == "ctx" && pending(run)?.attempts == 0)
    run.report(.checkout(.returned))
    #expect(run.sent == ["status"])
    run.answer("status", ["status": "pending"])
    #expect(run.pauses == [1_500] && run.sent.isEmpty)
    run.fire(.checkout, after: 1_500)
    #expect(run.sent == ["status"])
    run.answer("status", ["status": "completed"])
    #expect(run.sent == [Self.poll] && run.tracked == [.stripeCheckoutComplete])
    run.answer(Self.poll, ["status": "pending", "codes": []])
    #expect(run.pauses == [1_500])
    run.fire(.checkout, after: 1_500)
    #expect(run.sent == [Self.poll])
    run.answer(Self.poll, BackendRun.codes(["x"], isOfUser: true, status: "complete"))
    #expect(run.told == ["status pro", "will"] && run.pauses == [200])
    #expect(run.tracked.contains(.redemptionComplete) && run.tracked.contains(.restoreComplete))
    #expect(pending(run) == nil && run.state.ownership.codes == ["x"])
    run.fire(.checkout, after: 200)
    #expect(run.told == ["did x", "dismiss"] && run.state.checkout == nil)
  }

  @Test(arguments: ["drawer", "embedded"])
  func aDrawer(kind: String) {
    var run = shown(kind)
    #expect(run.told == ["checkout \(kind)"])
    run.report(.checkout(.submit(setupIntentID: "seti", email: "a@b.c")))
    #expect(run.sent == ["confirm"] && run.tracked == [.stripeCheckoutSubmit])
    run.answer("confirm", ["customerId": "c", "subscriptionId": "s", "redemptionUrl": "u"])
    #expect(run.sent == ["complete"])
    run.answer("complete", ["redemptionUrl": "u"])
    #expect(run.sent == [Self.poll] && run.tracked == [.stripeCheckoutComplete])
  }

  /// A page of its own has nothing to submit; and what is not shown has nothing to report.
  @Test func stepsOutOfTurn() {
    var run = shown()
    run.report(.checkout(.submit(setupIntentID: "seti", email: "a@b.c")))
    #expect(run.sent.isEmpty && phase(run) == .shown(.redirect))
    run.report(.checkout(.returned))
    for step in [CheckoutStep.returned, .fail, .abandon] {
      run.report(.checkout(step))
      #expect(run.sent.isEmpty && run.tracked.isEmpty)
    }
    #expect(phase(run) == .asking(since: run.run.now))
  }

  /// A paywall that is to stay stays; so does one whose code gives something else.
  @Test func paywallsThatStay() {
    for (shouldDismiss, given) in [(false, "pro"), (true, "other")] {
      var run = shown(shouldDismiss: shouldDismiss)
      run.report(.checkout(.returned))
      run.answer("status", ["status": "completed"])
      run.answer(Self.poll, BackendRun.codes(["x"], entitlements: [given]))
      #expect(run.told.contains("restore failed") == (given == "other"))
      run.fire(.checkout, after: 200)
      #expect(run.told == ["did x"])
      #expect(run.state.presentation != nil && run.state.checkout == nil)
    }
  }

  // MARK: Not to the end

  /// Asked for a minute; what it gave is asked for later.
  @Test(arguments: [(58_500, true), (58_501, false)])
  func aMinute(milliseconds: Int64, goesOn: Bool) {
    for isPaid in [false, true] {
      var run = shown()
      run.report(.checkout(.returned))
      if isPaid { run.answer("status", ["status": "completed"]) }
      run.run.now = run.run.now + milliseconds
      run.answer(isPaid ? Self.poll : "status", ["status": "pending"])
      #expect(run.pauses == (goesOn ? [1_500] : []))
      #expect((run.state.checkout != nil) == goesOn && pending(run) != nil)
    }
  }

  /// A redemption that has come to an end without a code ends the checkout.
  @Test(arguments: [("pending", true), ("failed", false), ("complete", false), (nil, true)])
  func answersWithoutCodes(state: String?, goesOn: Bool) {
    var run = shown()
    run.report(.checkout(.returned))
    run.answer("status", ["status": "completed"])
    run.answer(Self.poll, .members(["status": state.map { .string($0) }, "codes": []]))
    #expect((run.state.checkout != nil) == goesOn && (pending(run) != nil) == goesOn)
    #expect(run.pauses == (goesOn ? [1_500] : []))
  }

  @Test func abandoned() {
    var run = shown()
    run.report(.checkout(.abandon))
    #expect(run.tracked.first == .transactionAbandon)
    #expect(run.state.checkout == nil && pending(run) == nil)
    run = shown()
    run.report(.checkout(.returned))
    run.answer("status", ["status": "abandoned"])
    #expect(run.tracked.first == .transactionAbandon)
    #expect(run.state.checkout == nil && pending(run) == nil)
  }

  /// A config may have a paywall for those who leave a checkout: the open one makes room for it, and who
  /// has closed that one already is shown nothing.
  @Test(arguments: [false, true])
  func aPaywallForWhoLeaves(isGone: Bool) {
    var run = BackendRun(
      config: Samples.config(adding: "transaction_abandon", paywall: "pw_open"))
    present(&run)
    buy(&run)
    run.answer("session", Self.session("redirect"))
    run.report(.checkout(.returned))
    if isGone { run.report(.swipedAway) }
    run.answer("status", ["status": "abandoned"])
    #expect(run.tracked.first == .transactionAbandon)
    if isGone { return #expect(run.state.presentation == nil && run.told.isEmpty) }
    guard case .dismissing(let closing)? = run.state.presentation?.phase else {
      Issue.record("it stays")
      return
    }
    #expect(closing.reason == .forNextPaywall && closing.next != nil)
  }

  /// What begins or ends something is sent once; what only asks is repeated.
  @Test func whatIsRepeated() {
    var run = BackendRun()
    present(&run)
    buy(&run)
    run.answer("session", status: 503)
    #expect(run.retries == 0 && run.told == ["purchase failed"])
    #expect(run.tracked == [.stripeCheckoutFail] && run.state.checkout == nil)
    run = shown("drawer")
    run.report(.checkout(.submit(setupIntentID: "seti", email: "a@b.c")))
    run.answer("confirm", status: 503)
    #expect(run.retries == 0 && run.told == ["purchase failed"])
    // They may have paid.
    #expect(pending(run) != nil)
    run = shown("drawer")
    run.report(.checkout(.submit(setupIntentID: "seti", email: "a@b.c")))
    run.answer("confirm", ["customerId": "c", "subscriptionId": "s", "redemptionUrl": "u"])
    run.answer("complete", status: 503)
    #expect(run.retries == 0 && run.told == ["purchase failed"] && pending(run) != nil)
    run = shown()
    run.report(.checkout(.returned))
    run.answer("status", status: 503)
    #expect(run.retries == 1 && run.told.isEmpty && run.state.checkout != nil)
    run = shown()
    run.report(.checkout(.returned))
    run.answer("status", ["status": "completed"])
    run.answer(Self.poll, status: 503)
    #expect(run.retries == 1 && run.state.checkout != nil)
  }

  @Test func failuresThatTheHostTells() {
    var run = shown()
    run.report(.checkout(.fail))
    #expect(run.told.isEmpty && run.tracked == [.stripeCheckoutFail])
    #expect(run.state.checkout == nil && pending(run) == nil)
    var options = TollgateOptions()
    options.paywalls.shouldShowPurchaseFailureAlert = false
    run = BackendRun(options: options)
    present(&run)
    buy(&run)
    run.answer("session", ["directive": [:]])
    #expect(run.told.isEmpty && run.tracked == [.stripeCheckoutFail])
  }

  // MARK: Twice, and for others

  /// Another tap is ignored while the backend is asked, and begins anew while the user pays.
  @Test func anotherTap() {
    var run = BackendRun()
    present(&run)
    buy(&run)
    buy(&run)
    #expect(run.sent.isEmpty && run.tracked.isEmpty)
    run.answer("session", Self.session("redirect", context: "one"))
    buy(&run)
    #expect(run.sent == ["session"] && run.tracked == [.stripeCheckoutStart])
    run.answer("session", Self.session("redirect", context: "two"))
    #expect(pending(run)?.contextID == "two")
    run.report(.checkout(.returned))
    buy(&run)
    #expect(run.sent.isEmpty)
  }

  /// Who closes the paywall while they pay has nobody to show it to; what is asked already goes on.
  @Test func paywallsThatGo() {
    for hasReturned in [false, true] {
      var run = shown()
      if hasReturned { run.report(.checkout(.returned)) }
      run.report(.swipedAway)
      #expect((run.state.checkout != nil) == hasReturned && pending(run) != nil)
      guard hasReturned else { continue }
      run.answer("status", ["status": "completed"])
      run.answer(Self.poll, BackendRun.codes(["x"]))
      #expect(run.told == ["status pro", "will"])
      run.fire(.checkout)
      #expect(run.told == ["did x"])
    }
  }

  /// Somebody else is told what it gave, and gets none of it.
  @Test func otherUsers() {
    var run = shown()
    run.report(.checkout(.returned))
    run.answer("status", ["status": "completed"])
    run.step { $0.call(.reset) }
    run.answer(Self.poll, BackendRun.codes(["x"]))
    #expect(!run.told.contains { $0.hasPrefix("status") })
    #expect(run.state.ownership.codes.isEmpty && run.state.ownership.web.isEmpty)
  }

  // MARK: Checkouts of earlier

  private func earlier(attempts: Int = 0) -> BackendRun {
    let checkout: Value = ["contextId": "ctx", "attempts": .int(Int64(attempts))]
    return BackendRun(stored: ["pendingCheckout": checkout])
  }

  /// The price is in the product's currency, whatever the device's is.
  @Test func whatIsAskedOfTheBackend() {
    var run = BackendRun()
    var product = Samples.product(Self.product, "9.99", Currency("EUR") ?? .usd)
    product.priced.store = .paddle
    run.run.present("web", store: [product])
    buy(&run)
    #expect(run.body?["currencyCode"] == "EUR" && run.body?["store"] == "paddle")
    let context = run.body?["context"]
    #expect(context?["paywall"]?["paywallIdentifier"] == "pw_web")
    #expect(context?["product"]?["currencyCode"] == "EUR")
    #expect(context?["identity"]?["aliasId"] == .string(run.state.person.aliasID))
  }

  /// Without the names of session, context, page or key there is nothing to show.
  @Test(arguments: ["checkoutSessionId", "checkoutContextId", "checkoutUrl", "publishableKey"])
  func sessionsWithoutNames(key: String) {
    for kind in ["redirect", "drawer", "embedded"] {
      var run = BackendRun()
      present(&run)
      buy(&run)
      let session = Self.session(kind)
      run.answer(
        "session",
        session[key] == nil
          ? session.merging(patch: ["directive": .object([key: ""])])
          : session.merging(patch: .object([key: ""])))
      let isNeeded =
        key == "checkoutUrl" ? kind == "redirect" : key != "publishableKey" || kind != "redirect"
      #expect(run.told == [isNeeded ? "purchase failed" : "checkout \(kind)"], "\(kind)")
    }
  }

  /// Who closes the paywall before the backend has answered sees no checkout; it is asked for later.
  @Test func paywallsThatGoBeforeTheSession() {
    var run = BackendRun()
    present(&run)
    buy(&run)
    run.report(.swipedAway)
    #expect(run.state.presentation == nil && phase(run) == .beginning)
    run.answer("session", Self.session("redirect"))
    #expect(run.told.isEmpty && pending(run)?.contextID == "ctx")
    // Nor does another paywall.
    var other = BackendRun()
    present(&other)
    buy(&other)
    other.report(.swipedAway)
    other.run.present("gated")
    other.answer("session", Self.session("redirect"))
    #expect(other.told.isEmpty && pending(other)?.contextID == "ctx")
  }

  /// A checkout that the user has turned away from, and that the backend is asked about.
  private func left() -> BackendRun {
    var run = shown()
    run.report(.swipedAway)
    run.foreground()
    #expect(run.sent.contains(Self.poll) && pending(run)?.attempts == 1)
    return run
  }

  /// Codes belong to the user or to the device, however the app hears of them.
  @Test(arguments: [false, true])
  func codesBelongToSomebody(isOfUser: Bool) {
    var run = shown()
    run.report(.checkout(.returned))
    run.answer("status", ["status": "completed"])
    run.answer(Self.poll, BackendRun.codes(["x"], isOfUser: isOfUser))
    #expect(run.state.ownership.userCodes == (isOfUser ? ["x"] : []))
    run.step { $0.call(.reset) }
    #expect(run.state.ownership.codes == (isOfUser ? [] : ["x"]))
    var late = left()
    late.answer(Self.poll, BackendRun.codes(["x"], isOfUser: isOfUser))
    #expect(late.state.ownership.userCodes == (isOfUser ? ["x"] : []))
  }

  /// Questions are repeated, as nothing comes of asking twice; one is not asked twice at a time.
  @Test func questionsAreRepeated() {
    var late = left()
    late.answer(Self.poll, status: 503)
    #expect(late.retries == 1 && pending(late)?.attempts == 1)
    late.foreground()
    #expect(!late.sent.contains(Self.poll) && pending(late)?.attempts == 1)
    var run = shown()
    run.report(.checkout(.returned))
    run.answer("status", status: 503)
    #expect(run.retries == 1)
  }

  /// Asked for five times, one at a time, and given up.
  @Test func isAskedFiveTimes() {
    var run = earlier(attempts: 2)
    // Once at the start, which nobody answers here.
    #expect(pending(run)?.attempts == 3)
    run.foreground()
    #expect(!run.sent.contains(Self.poll) && pending(run)?.attempts == 3)
    for (attempts, isAsked) in [(4, true), (5, true), (5, false)] {
      var again = earlier(attempts: attempts - 1)
      #expect((pending(again)?.attempts == attempts) == isAsked || !isAsked)
      again.foreground()
      #expect(!again.sent.contains(Self.poll))
    }
    #expect(pending(earlier(attempts: 4))?.attempts == 5)
    #expect(pending(earlier(attempts: 5)) == nil)
  }

  @Test func whatEarlierOnesGave() {
    func started(
      _ answer: Value, status: Int = 200, meanwhile: (inout BackendRun) -> Void = { _ in }
    )
      -> BackendRun
    {
      var run = shown()
      run.report(.swipedAway)
      run.foreground()
      #expect(run.sent.contains(Self.poll) && pending(run)?.attempts == 1)
      meanwhile(&run)
      run.answer(Self.poll, answer, status: status)
      return run
    }
    let given = started(BackendRun.codes(["x", "y"], status: "complete"))
    #expect(given.told == ["status pro", "will", "did x", "did y"])
    #expect(given.tracked.contains(.redemptionComplete))
    #expect(pending(given) == nil && given.state.ownership.codes == ["x", "y"])
    for (state, stays) in [("pending", true), ("failed", false), ("complete", false)] {
      var run = started(["status": .string(state), "codes": []])
      #expect(run.told.isEmpty && (pending(run) != nil) == stays, "\(state)")
      // It is asked again while it stays.
      run.foreground()
      #expect(run.sent.contains(Self.poll) == stays)
    }
    #expect(pending(started(["codes": []])) != nil)
    #expect(pending(started([:], status: 404)) != nil)
    // Another checkout, or another user, has nothing to do with the answer.
    let other = started(BackendRun.codes(["x"])) { run in
      present(&run)
      run.report(.purchase(productID: Self.product, shouldDismiss: true))
      run.answer("session", Self.session("redirect", context: "other"))
    }
    #expect(other.told.isEmpty && pending(other)?.contextID == "other")
    let gone = started(BackendRun.codes(["x"])) { run in run.step { $0.call(.reset) } }
    #expect(gone.told.isEmpty && gone.state.ownership.codes.isEmpty)
  }
}
