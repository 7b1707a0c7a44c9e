package import Pricing

/// The events of the SDK contract, with their names and the names of their placements.
///
/// ```swift
/// SuperwallEventName(decoding: "transactionAbandon").placementName  // "transaction_abandon"
/// SuperwallEventName.isReserved("transaction_abandon")  // true
/// ```
public enum SuperwallEventName: String, Hashable, Sendable, CaseIterable {
  case firstSeen
  case appOpen
  case appLaunch
  case appInstall
  case appClose
  case sessionStart
  case identityAlias
  case reset
  case configRefresh
  case configFail
  case configAttributes
  case confirmAllAssignments
  case deviceAttributes
  case userAttributes
  case integrationAttributes
  case subscriptionStatusDidChange
  case customerInfoDidChange
  case deepLink
  case triggerFire
  case paywallPresentationRequest
  case paywallOpen
  case paywallClose
  case paywallDecline
  case paywallResponseLoadStart
  case paywallResponseLoadNotFound
  case paywallResponseLoadFail
  case paywallResponseLoadComplete
  case paywallProductsLoadStart
  case paywallProductsLoadFail
  case paywallProductsLoadComplete
  case paywallProductsLoadRetry
  case paywallProductsLoadMissingProducts
  case paywallPreloadStart
  case paywallPreloadComplete
  case paywallWebviewLoadStart
  case paywallWebviewLoadFail
  case paywallWebviewLoadComplete
  case paywallWebviewLoadTimeout
  case paywallWebviewLoadFallback
  case paywallWebviewProcessTerminated
  case paywallPageView
  case shimmerViewStart
  case shimmerViewComplete
  case customPlacement
  case touchesBegan
  case surveyResponse
  case surveyClose
  case reviewRequested
  case permissionRequested
  case permissionGranted
  case permissionDenied
  case transactionStart
  case transactionFail
  case transactionAbandon
  case transactionComplete
  case transactionRestore
  case transactionTimeout
  case subscriptionStart
  case freeTrialStart
  case nonRecurringProductPurchase
  case restoreStart
  case restoreComplete
  case restoreFail
  case stripeCheckoutStart
  case stripeCheckoutSubmit
  case stripeCheckoutComplete
  case stripeCheckoutFail
  case redemptionStart
  case redemptionComplete
  case redemptionFail
  case enrichmentStart
  case enrichmentComplete
  case enrichmentFail
  case adServicesTokenRequestStart
  case adServicesTokenRequestFail
  case adServicesTokenRequestComplete
  case networkDecodingFail
  case testModeModalOpen
  case testModeModalClose
  case unknown

  /// Creates an event from its name. Unknown names become `unknown`.
  public init(decoding name: String) { self = SuperwallEventName(rawValue: name) ?? .unknown }

  /// The name of the event in the event history and in placements. Rules can ask about the event by this name, and
  /// triggers can use it. Apps cannot register placements with these names.
  public var placementName: String {
    switch self {
    case .firstSeen: "first_seen"
    case .appOpen: "app_open"
    case .appLaunch: "app_launch"
    case .appInstall: "app_install"
    case .appClose: "app_close"
    case .sessionStart: "session_start"
    case .identityAlias: "identity_alias"
    case .reset: "reset"
    case .configRefresh: "config_refresh"
    case .configFail: "config_fail"
    case .configAttributes: "config_attributes"
    case .confirmAllAssignments: "confirm_all_assignments"
    case .deviceAttributes: "device_attributes"
    case .userAttributes: "user_attributes"
    case .integrationAttributes: "integration_attributes"
    case .subscriptionStatusDidChange: "subscriptionStatus_didChange"
    case .customerInfoDidChange: "customerInfo_didChange"
    case .deepLink: "deepLink_open"
    case .triggerFire: "trigger_fire"
    case .paywallPresentationRequest: "paywallPresentationRequest"
    case .paywallOpen: "paywall_open"
    case .paywallClose: "paywall_close"
    case .paywallDecline: "paywall_decline"
    case .paywallResponseLoadStart: "paywallResponseLoad_start"
    case .paywallResponseLoadNotFound: "paywallResponseLoad_notFound"
    case .paywallResponseLoadFail: "paywallResponseLoad_fail"
    case .paywallResponseLoadComplete: "paywallResponseLoad_complete"
    case .paywallProductsLoadStart: "paywallProductsLoad_start"
    case .paywallProductsLoadFail: "paywallProductsLoad_fail"
    case .paywallProductsLoadComplete: "paywallProductsLoad_complete"
    case .paywallProductsLoadRetry: "paywallProductsLoad_retry"
    case .paywallProductsLoadMissingProducts: "paywallProductsLoad_missingProducts"
    case .paywallPreloadStart: "paywallPreload_start"
    case .paywallPreloadComplete: "paywallPreload_complete"
    case .paywallWebviewLoadStart: "paywallWebviewLoad_start"
    case .paywallWebviewLoadFail: "paywallWebviewLoad_fail"
    case .paywallWebviewLoadComplete: "paywallWebviewLoad_complete"
    case .paywallWebviewLoadTimeout: "paywallWebviewLoad_timeout"
    case .paywallWebviewLoadFallback: "paywallWebviewLoad_fallback"
    case .paywallWebviewProcessTerminated: "paywallWebviewLoad_processTerminated"
    case .paywallPageView: "paywall_page_view"
    case .shimmerViewStart: "shimmerView_start"
    case .shimmerViewComplete: "shimmerView_complete"
    case .customPlacement: "custom_placement"
    case .touchesBegan: "touches_began"
    case .surveyResponse: "survey_response"
    case .surveyClose: "survey_close"
    case .reviewRequested: "review_requested"
    case .permissionRequested: "permission_requested"
    case .permissionGranted: "permission_granted"
    case .permissionDenied: "permission_denied"
    case .transactionStart: "transaction_start"
    case .transactionFail: "transaction_fail"
    case .transactionAbandon: "transaction_abandon"
    case .transactionComplete: "transaction_complete"
    case .transactionRestore: "transaction_restore"
    case .transactionTimeout: "transaction_timeout"
    case .subscriptionStart: "subscription_start"
    case .freeTrialStart: "freeTrial_start"
    case .nonRecurringProductPurchase: "nonRecurringProduct_purchase"
    case .restoreStart: "restore_start"
    case .restoreComplete: "restore_complete"
    case .restoreFail: "restore_fail"
    case .stripeCheckoutStart: "stripeCheckout_start"
    case .stripeCheckoutSubmit: "stripeCheckout_submit"
    case .stripeCheckoutComplete: "stripeCheckout_complete"
    case .stripeCheckoutFail: "stripeCheckout_fail"
    case .redemptionStart: "redemption_start"
    case .redemptionComplete: "redemption_complete"
    case .redemptionFail: "redemption_fail"
    case .enrichmentStart: "enrichment_start"
    case .enrichmentComplete: "enrichment_complete"
    case .enrichmentFail: "enrichment_fail"
    case .adServicesTokenRequestStart: "adServicesTokenRequest_start"
    case .adServicesTokenRequestFail: "adServicesTokenRequest_fail"
    case .adServicesTokenRequestComplete: "adServicesTokenRequest_complete"
    case .networkDecodingFail: "networkDecoding_fail"
    case .testModeModalOpen: "testModeModal_open"
    case .testModeModalClose: "testModeModal_close"
    case .unknown: "unknown"
    }
  }

  private static let byPlacementName = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.placementName, $0) })

  /// The event with a ``placementName``, or nil if no event has this name.
  package init?(placementName: String) {
    guard let event = SuperwallEventName.byPlacementName[placementName] else { return nil }
    self = event
  }

  /// Whether the SDK reserves the name for its own events. If an app registers a reserved name, the placement is
  /// ignored. `survey_close` is not reserved, because existing apps have placements with that name and rules cannot ask
  /// about closed surveys.
  public static func isReserved(_ placement: String) -> Bool {
    SuperwallEventName(placementName: placement).map { $0 != .surveyClose } ?? false
  }
}

extension Platform {
  /// Names of the events that survive the reset of a subject, because they are about the app. A reset deletes the
  /// subject's other events, occurrences and assignments.
  package var eventsKeptOnReset: [String] {
    let kept: [SuperwallEventName] = self == .ios ? [.appInstall, .appLaunch] : []
    return kept.map { $0.placementName }
  }
}
