/// Names that belong to events of the SDK: an app that registers one is ignored.
public enum ReservedPlacements {
  public static func contains(_ name: String) -> Bool { names.contains(name) }

  /// As the events are called where they are sent to.
  public static let names: Set<String> = [
    "first_seen", "app_open", "app_launch", "app_install", "app_close", "session_start",
    "identity_alias", "reset", "device_attributes", "user_attributes", "integration_attributes",
    "config_refresh", "config_fail", "config_attributes", "confirm_all_assignments",
    "subscriptionStatus_didChange", "customerInfo_didChange", "deepLink_open", "trigger_fire",
    "touches_began", "custom_placement", "survey_response", "survey_close", "review_requested",
    "paywallPresentationRequest", "paywall_open", "paywall_close", "paywall_decline",
    "paywall_page_view", "paywallPreload_start", "paywallPreload_complete",
    "paywallResponseLoad_start", "paywallResponseLoad_notFound", "paywallResponseLoad_fail",
    "paywallResponseLoad_complete", "paywallProductsLoad_start", "paywallProductsLoad_fail",
    "paywallProductsLoad_complete", "paywallProductsLoad_retry",
    "paywallProductsLoad_missingProducts", "paywallWebviewLoad_start",
    "paywallWebviewLoad_fail", "paywallWebviewLoad_complete", "paywallWebviewLoad_timeout",
    "paywallWebviewLoad_fallback", "paywallWebviewLoad_processTerminated", "shimmerView_start",
    "shimmerView_complete", "transaction_start", "transaction_fail", "transaction_abandon",
    "transaction_complete", "transaction_restore", "transaction_timeout", "subscription_start",
    "freeTrial_start", "nonRecurringProduct_purchase", "restore_start", "restore_complete",
    "restore_fail", "redemption_start", "redemption_complete", "redemption_fail",
    "stripeCheckout_start", "stripeCheckout_submit", "stripeCheckout_complete",
    "stripeCheckout_fail", "enrichment_start", "enrichment_complete", "enrichment_fail",
    "adServicesTokenRequest_start", "adServicesTokenRequest_complete",
    "adServicesTokenRequest_fail", "permission_requested", "permission_granted",
    "permission_denied", "network_decoding_fail", "testModeModal_open", "testModeModal_close",
  ]
}
