internal import Pricing

/// How an SDK treats a placement name that an app registers.
package enum PlacementNameUse: String, Sendable {
  /// The placement is decided like any other placement.
  case ordinary
  /// The SDK reserves the name for its own event, and ignores the placement.
  case ignored
  /// The SDK reserves the name, and passes an error to the handler.
  case error
}

extension SDKFacts {
  /// The name of an event that SDKs reserve, with the version of each SDK that introduced the name. Names that are
  /// missing from the table were reserved before its oldest version.
  package struct ReservedName: Sendable {
    package var name: String
    package var ios: SDKVersion?
    package var android: SDKVersion?
  }

  /// The reserved names, from the tags of `SuperwallEventObjc.swift` and `SuperwallEvents.kt`. Nil means that the SDK
  /// lacks the event.
  package static let reservedNames: [ReservedName] = [
    reserved("survey_response", "3.3.0", "1.0.0"), reserved("survey_close", "3.4.0", "1.0.0"),
    reserved("device_attributes", "3.4.3", "1.0.0"), reserved("reset", "3.4.5", "1.0.0"),
    reserved("identity_alias", "3.6.2", "1.2.0"), reserved("restore_start", "3.6.6", "1.2.1"),
    reserved("restore_fail", "3.6.6", "1.2.1"), reserved("restore_complete", "3.6.6", "1.2.1"),
    reserved("config_refresh", "3.7.0", "1.2.0"), reserved("config_attributes", "3.7.1", "1.2.2"),
    reserved("custom_placement", "3.7.1", "1.2.2"),
    reserved("confirm_all_assignments", "3.8.0", "1.2.2"),
    reserved("config_fail", "3.9.0", "1.2.5"), reserved("shimmerView_start", "3.11.2", "1.5.0"),
    reserved("shimmerView_complete", "3.11.2", "1.5.0"),
    reserved("enrichment_start", "4.2.0", nil), reserved("enrichment_complete", "4.2.0", nil),
    reserved("enrichment_fail", "4.2.0", nil), reserved("redemption_start", "4.2.0", "2.1.0"),
    reserved("redemption_complete", "4.2.0", "2.1.0"),
    reserved("redemption_fail", "4.2.0", "2.1.0"),
    reserved("integration_attributes", "4.8.0", nil),
    reserved("review_requested", "4.8.2", "2.5.3"), reserved("review_granted", nil, "2.5.3"),
    reserved("review_denied", nil, "2.5.3"), reserved("customerInfo_didChange", "4.10.0", "2.6.6"),
    reserved("paywallPreload_start", "4.12.0", nil),
    reserved("paywallPreload_complete", "4.12.0", nil),
    reserved("permission_requested", "4.12.0", "2.6.7"),
    reserved("permission_granted", "4.12.0", "2.6.7"),
    reserved("permission_denied", "4.12.0", "2.6.7"),
    reserved("stripeCheckout_start", "4.14.0", nil),
    reserved("stripeCheckout_submit", "4.14.0", nil),
    reserved("stripeCheckout_complete", "4.14.0", nil),
    reserved("stripeCheckout_fail", "4.14.0", nil),
    reserved("testModeModal_open", "4.14.0", "2.7.4"),
    reserved("testModeModal_close", "4.14.0", "2.7.4"),
    reserved("paywall_page_view", "4.14.2", "2.7.10"), reserved("attribution_match", "4.16.0", nil),
  ]

  private static func reserved(_ name: String, _ ios: SDKVersion?, _ android: SDKVersion?)
    -> ReservedName
  {
    ReservedName(name: name, ios: ios, android: android)
  }

  /// Names that Superwall's SDKs have always reserved.
  static let alwaysReserved: Set<String> = [
    "first_seen", "app_open", "app_launch", "app_install", "app_close", "session_start",
    "subscriptionStatus_didChange", "deepLink_open", "trigger_fire", "paywall_open",
    "paywall_close", "paywall_decline", "paywallPresentationRequest", "paywallResponseLoad_start",
    "paywallResponseLoad_notFound", "paywallResponseLoad_fail", "paywallResponseLoad_complete",
    "paywallProductsLoad_start", "paywallProductsLoad_fail", "paywallProductsLoad_complete",
    "paywallWebviewLoad_start", "paywallWebviewLoad_fail", "paywallWebviewLoad_complete",
    "paywallWebviewLoad_timeout", "transaction_start", "transaction_fail", "transaction_abandon",
    "transaction_complete", "transaction_restore", "transaction_timeout", "subscription_start",
    "freeTrial_start", "nonRecurringProduct_purchase", "user_attributes", "touches_began",
  ]
}

extension SDKProfile {
  /// How the SDK treats a placement that an app registers under a name.
  package func use(ofPlacementName name: String) -> PlacementNameUse {
    let reserved: PlacementNameUse = has(.reservedIsError) ? .error : .ignored
    if SDKFacts.alwaysReserved.contains(name) { return sdk == .agentWallie ? .ordinary : reserved }
    guard let row = SDKFacts.reservedNames.first(where: { $0.name == name }) else {
      return .ordinary
    }
    let since: SDKVersion? =
      switch sdk {
      case .ios: row.ios
      case .android: row.android
      case .web, .agentWallie: nil
      }
    return since.map { known >= $0 } ?? false ? reserved : .ordinary
  }
}
