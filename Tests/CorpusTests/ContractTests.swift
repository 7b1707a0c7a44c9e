import Expressions
import Foundation
import Pricing
import RuleEngine
import Testing

@testable import SDK
@testable import Scenarios
@testable import conformance

/// Every event of the contract, once, against the contract's schema.
@Suite("Contract")
struct ContractTests {
  private let schema: ContractSchema

  init() throws { schema = try #require(Fixtures.standard.get().contract) }

  private static let experiment = Decision.Experiment(
    id: "e", campaignID: "c", variant: Variant(id: "v", kind: .holdout, weight: 1))

  private static let survey = Survey(
    id: "s", assignmentKey: "k", title: "t", message: "m", options: [.other],
    condition: .onPurchase, probability: 0.5, includesOtherOption: true, includesCloseOption: false)

  /// A paywall with everything that a paywall can have.
  private static let info: PaywallInfo = {
    var info = PaywallInfo(identifier: "pw", name: "n", url: "https://u")
    info.presentationID = "p"
    info.experiment = experiment
    info.products = [PricedProduct.Store.appStore, .stripe, .paddle, .custom, .playStore].map {
      store in
      PaywallProduct(
        id: "x", name: "primary", store: store, entitlements: [Entitlement(id: "pro")],
        trialDays: 3)
    }
    info.presentedByPlacement = "a"
    info.presentedByEventID = "b"
    info.presentedAt = 1
    info.presentationSourceType = "register"
    info.responseLoad = .init(start: 1, complete: 2, fail: 3)
    info.webViewLoad = .init(start: 1)
    info.computedPropertyRequests = [.init(type: "DAYS_SINCE", placementName: "p")]
    info.surveys = [survey]
    info.localNotifications = [
      .init(kind: .trialStarted, title: "t", subtitle: "s", body: "b", delay: 1)
    ]
    info.paywalljsVersion = "4"
    info.state = ["step": 2]
    return info
  }()

  private static let product = TransactionProduct(
    StoreProduct(
      PricedProduct(
        identifier: "x", price: Money(micros: 9_990_000, .usd), period: Period(.month, 1),
        intro: Period(.week, 1).map { IntroductoryOffer(.freeTrial, $0) })),
    on: .ios, in: PricingContext(now: 0))

  private static let transaction = StoreTransaction(
    storeTransactionID: "1", originalTransactionID: "1", transactionDate: "2026-01-01T00:00:00Z",
    purchaseToken: "t", signedTransaction: "s")

  private static let events: [SuperwallEvent] = [
    .firstSeen, .appOpen, .appLaunch, .appInstall, .appClose, .sessionStart, .identityAlias,
    .reset, .configRefresh, .configFail, .configAttributes, .confirmAllAssignments,
    .deviceAttributes(["a": 1]), .userAttributes(["a": .null]),
    .integrationAttributes(["adjustId": "x"]),
    .subscriptionStatusDidChange(.active([Entitlement(id: "pro")])), .customerInfoDidChange,
    .deepLink(url: "a://b"), .triggerFire(placement: "p", result: .holdout(experiment)),
    .paywallPresentationRequest(status: .noPresentation, reason: .holdout(experiment)),
    .paywallOpen(paywallInfo: info),
    .paywallClose(paywallInfo: info), .paywallDecline(paywallInfo: info),
    .paywallResponseLoadStart(placement: "p"),
    .paywallResponseLoadNotFound(placement: "p"), .paywallResponseLoadFail(placement: "p"),
    .paywallResponseLoadComplete(placement: "p", paywallInfo: info),
    .paywallProductsLoadStart(placement: "p", paywallInfo: info),
    .paywallProductsLoadFail(placement: "p", paywallInfo: info),
    .paywallProductsLoadComplete(placement: "p", paywallInfo: info),
    .paywallProductsLoadRetry(placement: "p", paywallInfo: info, attempt: 1),
    .paywallProductsLoadMissingProducts(placement: "p", paywallInfo: info, identifiers: ["x"]),
    .paywallPreloadStart(count: 1), .paywallPreloadComplete(count: 1),
    .paywallWebviewLoadStart(paywallInfo: info), .paywallWebviewLoadFail(paywallInfo: info),
    .paywallWebviewLoadComplete(paywallInfo: info), .paywallWebviewLoadTimeout(paywallInfo: info),
    .paywallWebviewLoadFallback(paywallInfo: info),
    .paywallWebviewProcessTerminated(paywallInfo: info),
    .paywallPageView(page: PageView(decoding: ["previousPageNodeId": "x"]), paywallInfo: info),
    .shimmerViewStart,
    .shimmerViewComplete, .customPlacement(name: "n", params: .map([]), paywallInfo: info),
    .touchesBegan,
    .surveyResponse(
      survey: survey, selectedOption: .other, customResponse: "late", paywallInfo: info),
    .surveyClose,
    .reviewRequested(count: 1), .permissionRequested(name: "n", paywallIdentifier: "p"),
    .permissionGranted(name: "n", paywallIdentifier: "p"),
    .permissionDenied(name: "n", paywallIdentifier: "p"),
    .transactionStart(product: product, paywallInfo: info),
    .transactionFail(error: "e", paywallInfo: info),
    .transactionAbandon(product: product, paywallInfo: info),
    .transactionComplete(
      transaction: transaction, product: product, type: .freeTrialStart, paywallInfo: info),
    .transactionRestore(restoreType: .viaPurchase(transaction), paywallInfo: info),
    .transactionTimeout(paywallInfo: info),
    .subscriptionStart(product: product, paywallInfo: info),
    .freeTrialStart(product: product, paywallInfo: info),
    .nonRecurringProductPurchase(product: product, paywallInfo: info), .restoreStart,
    .restoreComplete,
    .restoreFail(message: "m"), .stripeCheckoutStart(paywallInfo: info),
    .stripeCheckoutSubmit(paywallInfo: info),
    .stripeCheckoutComplete(paywallInfo: info), .stripeCheckoutFail(paywallInfo: info),
    .redemptionStart,
    .redemptionComplete, .redemptionFail, .enrichmentStart,
    .enrichmentComplete(user: ["a": 1], device: nil), .enrichmentFail,
    .adServicesTokenRequestStart, .adServicesTokenRequestFail(error: "e"),
    .adServicesTokenRequestComplete(token: "t"), .networkDecodingFail, .testModeModalOpen,
    .testModeModalClose, .unknown,
  ]

  @Test func everySuperwallEventFits() throws {
    #expect(Set(Self.events.map(\.name)) == Set(SuperwallEventName.allCases))
    #expect(SuperwallEventName.allCases.count == 80)
    for event in Self.events {
      let payload = ModuleEvent.handleSuperwallEvent(event).payload
      let problem = schema.problem(in: payload, of: "handleSuperwallEvent")
      #expect(problem == nil, "\(event.name)")
      #expect(payload["eventInfo"]?["event"]?["event"]?.text == event.name.rawValue)
    }
  }

  @Test func everyModuleEventFits() throws {
    let purchase = PurchaseRequest(productID: "p")
    let play = PurchaseRequest(
      productID: "p", store: .playStore, platform: .android, basePlanID: nil, offerID: "o")
    let redemption: Value = [
      "status": "SUCCESS", "code": "X",
      "redemptionInfo": [
        "ownership": ["type": "DEVICE", "deviceId": "d"],
        "purchaserInfo": [
          "appUserId": "u",
          "storeIdentifiers": [
            "store": "STRIPE", "stripeCustomerId": "c", "stripeSubscriptionIds": ["s"],
          ],
        ],
        "paywallInfo": .null, "entitlements": [["identifier": "pro"]],
      ],
    ]
    let results: [RedemptionResult] = [
      try #require(RedemptionResult(decoding: redemption)),
      .error(code: "X", error: .init(message: "m")),
      .expiredCode(code: "X", expired: .init(resent: true, obfuscatedEmail: "a*@b.c")),
      .invalidCode(code: "X"),
    ]
    #expect(results[0].stripeSubscriptionIDs == ["s"] && results[1].stripeSubscriptionIDs == nil)
    let events: [ModuleEvent] =
      [
        .onPaywallPresent(Self.info, handlerID: "h"),
        .onPaywallDismiss(Self.info, .purchased(productID: "p"), handlerID: "h"),
        .onPaywallDismiss(Self.info, .declined, handlerID: "h"),
        .onPaywallDismiss(Self.info, .restored, handlerID: "h"),
        .onPaywallError(SDKError(.noPresenter, "m"), handlerID: "h"),
        .onPaywallSkip(.holdout(Self.experiment), handlerID: "h"),
        .onPaywallSkip(.noAudienceMatch, handlerID: "h"),
        .onPaywallSkip(.placementNotFound, handlerID: "h"),
        .onCustomCallback(callbackID: "c", CustomCallback(name: "n"), handlerID: "h"),
        .onCustomCallback(
          callbackID: "c", CustomCallback(name: "n", variables: ["a": 1]), handlerID: "h"),
        .onPurchase(purchase), .onPurchase(play), .onPurchaseRestore, .onBackPressed(Self.info),
        .subscriptionStatusDidChange(from: .unknown, to: .active([Entitlement(id: "pro")])),
        .handleSuperwallEvent(.appOpen), .handleCustomPaywallAction(name: "n"),
        .willPresentPaywall(Self.info), .didPresentPaywall(Self.info),
        .willDismissPaywall(Self.info), .didDismissPaywall(Self.info), .paywallWillOpenURL("u"),
        .paywallWillOpenDeepLink("u"), .handleLog(LogMessage(.info, .network, nil)),
        .handleLog(LogMessage(.warn, .cache, "m", info: ["a": 1], error: "e")), .willRedeemLink,
      ] + results.map { .didRedeemLink($0) }
    #expect(Set(events.map(\.name)) == Set(ModuleEvent.Name.allCases))
    for event in events {
      let problem = schema.problem(in: event.payload, of: event.name.rawValue)
      #expect(problem == nil, "\(event.name)")
    }
  }

  /// Every name has a producer: the scenarios make the SDK emit it, a device reports it, or a store
  /// that fails causes it. Only checkout on the web has none yet.
  @Test func everyEventHasAProducer() throws {
    var missing = Set(SuperwallEventName.allCases)
    let withoutProducer: Set<SuperwallEventName> = [
      .stripeCheckoutStart, .stripeCheckoutSubmit, .stripeCheckoutComplete, .stripeCheckoutFail,
    ]
    for event in Self.reportedEvents + Self.eventsOfAFailingStore { missing.remove(event.name) }
    let files =
      try CaseFile.paths(under: Conformance.corpus + "/sdk")
      + [Conformance.corpus + "/own/sdk-scenarios.jsonl"]
    let scenarios = try files.flatMap { try CaseFile.read($0) }
    for scenario in scenarios {
      // Only those that expect a name that has not been met: every scenario takes its time.
      let text = scenario.content.json
      let wanted = missing.subtracting(withoutProducer)
      guard wanted.contains(where: { text.contains("\"\($0.rawValue)\"") }) else { continue }
      for step in try ScenarioRun(scenario.content, fixtures: Fixtures.standard.get()).steps {
        for entry in step.reply.entries {
          let name = ScenarioRun.normalized(entry)["sw"]?.text
          if let name { missing.remove(SuperwallEventName(decoding: name)) }
        }
      }
    }
    #expect(missing == withoutProducer)
  }

  private static func events(_ effects: [Effect]) -> [SuperwallEvent] {
    effects.compactMap { effect in
      if case .emit(.handleSuperwallEvent(let event)) = effect { event } else { nil }
    }
  }

  private static let surroundings = SDKState.Surroundings(now: 0, device: DeviceFacts())

  private static var reportedEvents: [SuperwallEvent] {
    let reports: [DeviceReport] = [
      .adServicesTokenRequestStart, .adServicesTokenRequestFail(error: "e"),
      .adServicesTokenRequestComplete(token: "t"), .enrichmentStart,
      .enrichmentComplete(user: ["a": 1], device: ["b": 2]), .enrichmentFail,
      .customerInfoDidChange, .testModeModalOpen, .testModeModalClose, .transactionTimeout,
      .touchesBegan, .unknown,
    ]
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    return reports.flatMap { events(state.handle(.device($0), in: surroundings)) }
  }

  private static var eventsOfAFailingStore: [SuperwallEvent] {
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    state.loadProducts(of: info, placement: "p", for: Token(number: 1))
    var effects = state.outbox.take()
    var seen = events(effects)
    for _ in 0..<2 {
      for case .loadProducts(let token, _) in effects {
        let failure = Input.products(token, .failure(StoreError("down")))
        effects = state.handle(failure, in: surroundings)
        seen += events(effects)
      }
    }
    return seen
  }

  /// The check itself: what does not fit is found.
  @Test(arguments: [
    ("onPaywallSkip", #"{"skippedReason":{"type":"Nobody"},"handlerId":"h"}"#),
    ("onPaywallSkip", #"{"skippedReason":{"type":"NoAudienceMatch"}}"#),
    ("onPaywallSkip", #"{"skippedReason":{"type":"NoAudienceMatch"},"handlerId":"h","x":1}"#),
    ("onPaywallError", #"{"errorString":5,"handlerId":"h"}"#), ("onPurchaseRestore", "{}"),
    ("handleLog", #"{"level":"loud","scope":"all","message":null,"info":null,"error":null}"#),
    ("handleSuperwallEvent", #"{"eventInfo":{"event":{"event":"nobody"},"params":{}}}"#),
    ("noSuchEvent", "{}"),
  ])
  func whatDoesNotFitIsFound(event: String, payload: String) throws {
    let payload = try Value.parse(json: payload.utf8)
    #expect(schema.problem(in: payload, of: event) != nil)
    let entries: [Value] = [["host": "present", "p": 1], ["ev": .string(event), "p": payload]]
    let told = schema.problem(inEntries: entries)
    #expect(told?.hasPrefix("\(event) breaks the contract: ") == true)
    #expect(schema.problem(inEntries: Array(entries.prefix(1))) == nil)
  }
}
