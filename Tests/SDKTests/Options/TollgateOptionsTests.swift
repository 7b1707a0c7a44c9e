import Expressions
import Testing

@testable import SDK

/// The defaults that the contract's wrapper has.
@Suite("Options")
struct TollgateOptionsTests {
  @Test func defaults() {
    let options = TollgateOptions()
    #expect(options.networkEnvironment == .release)
    #expect(options.eventTrackingBehavior == .all)
    #expect(options.localeIdentifier == nil)
    #expect(options.storeKitVersion == nil)
    #expect(options.maxConfigRetryCount == 6)
    #expect(options.testModeBehavior == .automatic)
    #expect(options.logging.level == .info)
    #expect(options.logging.scopes == [.all])
    #expect(options.purchaseMode == .superwall)
    #expect(options.localResources.isEmpty)
    let switches = [
      options.isGameControllerEnabled, options.passIdentifiersToPlayStore,
      options.enableExperimentalDeviceVariables, options.manualPurchaseManagement,
      options.shouldObservePurchases, options.shouldBypassAppTransactionCheck,
      options.useMockReviews,
    ]
    #expect(!switches.contains(true))
  }

  @Test func defaultsOfPaywalls() {
    let paywalls = PaywallOptions()
    #expect(paywalls.isHapticFeedbackEnabled)
    #expect(paywalls.shouldShowPurchaseFailureAlert)
    #expect(paywalls.automaticallyDismiss)
    #expect(paywalls.transactionBackgroundView == .spinner)
    #expect(!paywalls.shouldPreload)
    #expect(!paywalls.shouldShowWebPurchaseConfirmationAlert)
    #expect(!paywalls.hideWhenSubscribed)
    #expect(paywalls.restoreFailed.title == "No Subscription Found")
    #expect(
      paywalls.restoreFailed.message
        == "We couldn't find an active subscription for your account.")
    #expect(paywalls.restoreFailed.closeButtonTitle == "Okay")
  }

  @Test func defaultsOfTimeouts() {
    let times = Timeouts()
    let seconds: [(Duration, Int)] = [
      (times.configure, 10), (times.subscriptionStatus, 5), (times.customCallback, 60),
      (times.backPress, 3), (times.request, 30), (times.redeem, 10), (times.entitlements, 5),
      (times.keptConfig, 1), (times.products, 10), (times.ownedProducts, 10), (times.consume, 10),
      (times.transactionNotice, 60), (times.canPresent, 5), (times.present, 10),
      (times.dismiss, 10), (times.turn, 1), (times.storage, 5),
    ]
    for (time, expected) in seconds { #expect(time == .seconds(expected)) }
    var options = BackendClient.Options()
    #expect(options.limit == .seconds(30) && options.retries == 6)
    #expect(options.entitlementsLimit == .seconds(5) && options.redemptionLimit == .seconds(10))
    #expect(options.environment == .release)
    options.retries = 0
    #expect(options != BackendClient.Options())
  }

  /// Clocks take milliseconds, and messages are in words.
  @Test(
    arguments: [
      (.seconds(10), 10_000, "10 s"), (.milliseconds(250), 250, "250 ms"),
      (.milliseconds(1_500), 1_500, "1500 ms"), (.microseconds(1_999), 1, "1 ms"),
      (.zero, 0, "0 s"), (.milliseconds(-2_500), -2_500, "-2500 ms"),
      (.seconds(Int64.max), .max, "\(Int64.max) ms"),
      (.seconds(Int64.min), .min, "\(Int64.min) ms"),
    ] as [(Duration, Int64, String)])
  func durations(time: Duration, milliseconds: Int64, words: String) {
    #expect(time.milliseconds == milliseconds && time.words == words)
  }

  @Test func textsOfTheAppReplaceTheDefaults() {
    let options = TollgateOptions(
      decoding: [
        "paywalls": ["restoreFailed": ["title": "Nothing to restore", "message": 7]]
      ])
    let texts = options.paywalls.restoreFailed
    #expect(texts.title == "Nothing to restore")
    #expect(texts.message == RestoreFailedTexts().message)
    #expect(texts.closeButtonTitle == "Okay")
  }
}
