import Expressions
import Testing

@testable import SDK

@Suite("Registering without waiting")
struct UnawaitedTests {
  /// Registrations keep their order, features run when the outcome allows it, and handlers hear of errors.
  @Test func keepTheirOrder() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let heard = Recorder<String>()
    let handler = PaywallPresentationHandler()
    handler.onSkip { _ in heard.add("skip") }
    handler.onError { heard.add("error \($0.code.rawValue)") }
    let tap: @Sendable () -> Void = {
      for number in 0..<20 {
        app.tollgate.register(placement: "nomatch", params: ["n": number]) {
          heard.add("\(number)")
        }
      }
      app.tollgate.register(placement: "nomatch", handler: handler)
      app.tollgate.register(placement: "paywall_open", handler: handler) { heard.add("never") }
    }
    tap()
    try await wait { heard.all.count == 22 }
    #expect(heard.all.filter { Int($0) != nil } == (0..<20).map(String.init))
    #expect(heard.all.contains("skip") && heard.all.contains("error invalidArgument"))
    #expect(!heard.all.contains("never"))
  }

  @Test func aPaywall() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let heard = Recorder<String>()
    let handler = PaywallPresentationHandler()
    handler.onDismiss { _, result in heard.add("\(result)") }
    let tap: @Sendable () -> Void = {
      app.tollgate.register(placement: "open", handler: handler) { heard.add("feature") }
    }
    tap()
    try await app.waitForPaywall("pw_open")
    #expect(heard.all.isEmpty)
    app.presenter.handle?.closeTapped()
    try await wait { heard.all.count == 2 }
    #expect(heard.all == ["declined", "feature"])
    await app.tollgate.shutDown()
    tap()
    await app.tollgate.untilHeard()
    #expect(heard.all.count == 2)
  }

  /// Values of any kind are read as far as rules can; others are left out, and the log says which.
  @Test func valuesOfAnyKind() async throws {
    struct Other: Sendable {}
    let app = TestApp()
    let logs = Recorder<String>()
    await app.tollgate.observe { event in
      if case .handleLog(let line) = event { logs.add(line.message ?? "") }
    }
    try await app.tollgate.configure(apiKey: "pk")
    let missing: String? = nil
    let inner: [String: any Sendable] = ["a": [1, "b", Other()] as [any Sendable], "o": Other()]
    let values: [String: any Sendable] = [
      "text": "t", "number": 1, "list": [1.5, 2], "map": inner, "missing": missing,
      "other": Other(), "set": Set([true]),
    ]
    try await app.tollgate.setUserAttributes(["missing": 1])
    try await app.tollgate.setUserAttributes(values)
    let read = try await app.tollgate.getUserAttributes()
    #expect(read["text"] == "t" && read["number"] == 1 && read["list"] == [1.5, 2.0])
    #expect(read["map"] == ["a": [1, "b"]] && read["set"] == [true])
    #expect(read["missing"] == nil && read["other"] == nil)
    #expect(logs.all.contains { $0.contains("'other' (Other)") })
    let outcome = await app.tollgate.register(
      placement: "goal", params: ["goal": "run"] as [String: any Sendable])
    #expect(outcome.kind == .skipped(.noAudienceMatch))
    #expect(await app.tollgate.register(placement: "nomatch", params: nil).featureGranted)
  }

  @Test func customerInfo() async throws {
    let customer: Value = [
      "subscriptions": [["productId": "p"]], "nonSubscriptions": [],
      "entitlements": [["identifier": "pro", "isActive": true]],
    ]
    let app = TestApp(rules: [
      .init(
        .post, "/subscriptions-api/public/v1/redeem",
        [.json(["codes": [], "customerInfo": customer])])
    ])
    try await app.tollgate.configure(apiKey: "pk")
    #expect(app.tollgate.customerInfo == CustomerInfo())
    var infos = app.tollgate.customerInfoStream.makeAsyncIterator()
    #expect(await infos.next() == CustomerInfo())
    try await app.tollgate.identify(userID: "u")
    let known = await infos.next()
    #expect(known?.entitlements == ["pro"] && known?.subscriptions.count == 1)
    #expect(app.tollgate.customerInfo == known)
    try await app.tollgate.reset()
    #expect(await infos.next() == CustomerInfo())
    await app.tollgate.shutDown()
    #expect(await infos.next() == nil)
  }
}
