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
