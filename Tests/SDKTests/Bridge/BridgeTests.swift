import Expressions
import Pricing
import Testing

@testable import SDK

@Suite("Bridge")
struct BridgeTests {
  @Test func methodsAndEventsAreJSON() async throws {
    let app = TestApp(status: nil)
    let bridge = Bridge(app.tollgate)
    let heard = Recorder<String>()
    await bridge.onEvent { name, payload in
      if name != "handleSuperwallEvent" { heard.add("\(name) \(payload.json)") }
    }
    #expect(await bridge.call("getConfigurationStatus", json: "{}") == #"{"value":"PENDING"}"#)
    #expect(await bridge.call("configure", json: #"{"apiKey":"pk"}"#) == #"{"value":null}"#)
    // What a call causes is told before the call is answered.
    #expect(
      heard.all == [
        #"subscriptionStatusDidChange {"from":{"status":"UNKNOWN"},"to":{"status":"INACTIVE"}}"#
      ])
    #expect(
      await bridge.call("registerPlacement", json: #"{"placement":"nomatch"}"#)
        == #"{"value":{"outcome":"skipped","reason":{"type":"NoAudienceMatch"},"featureGranted":true}}"#
    )
    #expect(
      await bridge.call("getEntitlements", json: "null")
        == #"{"value":{"active":[],"inactive":[{"id":"pro","type":"SERVICE_LEVEL"}]}}"#)
    let error = await bridge.call("configure", json: #"{"apiKey":""}"#)
    #expect(error.hasPrefix(#"{"error":{"code":"invalidArgument","message":""#))
    #expect(await bridge.call("nobody", json: "{").hasPrefix(#"{"error":{"code":"unsupported""#))
  }

  /// Every method of the contract is there, and none traps whatever it is given.
  @Test func everyMethodSurvivesAnyArguments() async throws {
    let app = TestApp(platform: .android)
    let bridge = Bridge(app.tollgate)
    _ = try await bridge.call("configure", ["apiKey": "pk"])
    let odd: [Value] = [
      .null, 1, "x", [], [1], ["placement": 1, "userId": [1], "options": "x", "status": [1]],
      ["result": 5, "callbackId": 5, "data": 5, "shouldConsume": "yes", "style": 4, "level": [1]],
      ["attributes": [1], "userAttributes": "x", "placementNames": [1], "url": [1]],
      ["purchaseToken": ["a": 1], "params": 5, "handlerId": [1], "behavior": 4],
    ]
    for method in BridgeMethod.allCases {
      for arguments in odd { _ = try? await bridge.call(method.rawValue, arguments) }
    }
    #expect(BridgeMethod.allCases.count == 29)
    #expect(try await bridge.call("getConfigurationStatus") == "CONFIGURED")
  }

  @Test func purchasesGoThroughTheListener() async throws {
    let app = TestApp()
    let bridge = Bridge(app.tollgate)
    let heard = Recorder<String>()
    await bridge.onEvent { name, payload in
      if name.hasPrefix("onPurchase") { heard.add("\(name) \(payload.json)") }
    }
    _ = try await bridge.call("configure", ["apiKey": "pk", "usingPurchaseController": true])
    let outcome = Task { try await bridge.call("registerPlacement", ["placement": "gated"]) }
    try await app.waitForPaywall("pw_gated")
    // While nobody listens, it fails at once.
    app.presenter.handle?.purchaseTapped(Samples.year.id)
    try await app.waitFor { if case .alert = $0 { true } else { false } }
    #expect(heard.all.isEmpty)
    await bridge.setPurchaseListeners(true)
    app.presenter.handle?.purchaseTapped(Samples.year.id)
    try await wait { !heard.all.isEmpty }
    #expect(
      heard.all == [
        #"onPurchase {"productId":"com.tollgate.pro.year","platform":"ios","store":"APP_STORE"}"#
      ])
    _ = try await bridge.call("didPurchase", ["result": ["type": "purchased"]])
    #expect(try await outcome.value["result"]?["type"] == "purchased")
  }
}
