internal import Expressions
internal import RuleEngine
internal import SDK

/// The keys and words that scenarios may have.
enum ScenarioShapes {
  /// The keys of a scenario without its steps.
  static let scenario = KeyShape(
    """
    suite=(sdk-scenarios) id title kind note source ref derived skip steps
    basis=(test source measured peer seed decision)
    area=(configure lifecycle identity attributes placement gating dismiss survey implicit scoping
      callback backpress purchase restore status presentationResult assignments deeplink redemption
      webEntitlements checkout backend hooks)
    platform=(ios android) config hooks listeners=(none) observe ignore only
    storage{status{status=(UNKNOWN INACTIVE ACTIVE) entitlements[id type expiresAt]} appUserId aliasId deviceId seed userAttributes integrationAttributes assignments
      surveys codes webEntitlements installedAt totalPaywallViews lastPaywallView closedAt}
    store{owned tokens trialEligible
      purchase[type=(purchased cancelled pending restored failed manual) error]
      restore[type=(manual) result=(restored failed noProductsToRestore) owned errorMessage]}
    presenter{available auto}
    backend[method=(GET POST) path replies[status json delayMs networkError echo=(assignments)]]
    """)

  /// The keys of a step's expectations.
  private static let expectations = KeyShape(
    """
    do note events expect{value error{code message} pending complete} noRequests
    requests[method path query body headers]
    state{lifecycle appUserId paywallPresented interfaceStyle logLevel tracking placements
      store{isConfigured isLoading configurationError user subscriptionStatus}}
    """)

  /// The keys of a step, by the value of `do`.
  static let steps: [String: KeyShape] = [
    "call": "method args as unknownMethod", "result": "of", "advance": "ms",
    "presenter": "action with", "app": "action with",
    "store": """
    action=(resolve)
    with{type=(purchased cancelled pending restored failed) result=(restored failed
      noProductsToRestore) owned error errorMessage}
    """,
    "set": "presenter{available auto}", "client": "endpoint args as",
    "subscribe": "id handlerId callbacks replies{onCustomCallback{status data} onBackPressed}",
    "unsubscribe": "id", "placement": "id action=(register) args{placement params}",
    "redemptionHelper": "result",
  ].mapValues { KeyShape($0).with(expectations) }

  /// The actions of the user, the paywall and the host, with the details of each action.
  static let presenterActions: [String: KeyShape] = [
    "presented": "", "presentFailed": "message", "dismissed": "",
    "purchase": "productId shouldDismiss", "restore": "", "close": "", "swipedAway": "",
    "systemDismissed": "",
    "backPress": "", "survey": "optionId customResponse closed", "customAction": "name",
    "customPlacement": "name params", "requestCallback": "requestId name behavior variables",
    "openUrl": "url external", "openDeepLink": "url", "webviewStart": "", "webviewComplete": "",
    "webviewFail": "", "webviewTimeout": "", "webviewFallback": "",
    "webviewProcessTerminated": "", "shimmer": "state=(start complete)",
    "permission": "name state=(requested granted denied)", "reviewRequested": "count",
    "pageView": "data", "touchesBegan": "", "userAttributes": "attributes", "state": "state",
    "checkout": "state=(returned submit fail abandon) setupIntentId email",
  ].mapValues { KeyShape($0) }

  static let appActions: [String: KeyShape] = [
    "foreground": "", "background": "", "restart": "", "storeTransaction": "productId expiresAt",
    "storeRevoked": "productId", "storeForgets": "",
  ].mapValues { KeyShape($0) }

  static let endpoints: [String: KeyShape] = [
    "checkout.session": """
    currencyCode productIdentifier store allowedCheckoutDirectives context stripeCustomerId
    """,
    "checkout.status": "checkoutId",
    "checkout.confirm": "setupIntentId checkoutContextId email",
    "checkout.complete": "checkoutContextId",
    "checkout.pollRedemption": "checkoutContextId deviceId appUserId",
    "redeem": """
    deviceId aliasId appUserId appTransactionId externalAccountId codes receipts metadata
    """,
    "entitlements": "appUserIdOrDeviceId deviceId", "products": "",
    "config.read": "style=(manifest) group key resource responseVersion", "assignments": "",
    "confirmAssignments": "assignments",
    "agentwallie.receipt": "signed_transaction_info user_id device_id",
    "agentwallie.subscription": "userId",
  ].mapValues { KeyShape($0) }

  /// The arguments of each method. A value of another type counts as missing, which scenarios test.
  static let arguments: [String: KeyShape] = [
    "configure": """
    apiKey usingPurchaseController sdkVersion options~{
      paywalls~{isHapticFeedbackEnabled restoreFailed~{title message closeButtonTitle}
        shouldShowPurchaseFailureAlert shouldPreload automaticallyDismiss
        transactionBackgroundView shouldShowWebPurchaseConfirmationAlert hideWhenSubscribed}
      networkEnvironment configSource eventTrackingBehavior isExternalDataCollectionEnabled localeIdentifier
      isGameControllerEnabled logging~{level scopes} passIdentifiersToPlayStore storeKitVersion
      enableExperimentalDeviceVariables manualPurchaseManagment manualPurchaseManagement
      shouldObservePurchases shouldBypassAppTransactionCheck maxConfigRetryCount useMockReviews
      testModeBehavior localResources}
    """,
    "identify": "userId options~{restorePaywallAssignments}",
    "registerPlacement": "placement params handlerId",
    "getPresentationResult": "placement params",
    "setSubscriptionStatus": "status~{status entitlements}", "setInterfaceStyle": "style",
    "setUserAttributes": "userAttributes", "setIntegrationAttributes": "attributes",
    "handleDeepLink": "url", "preloadPaywalls": "placementNames", "setLogLevel": "level",
    "setEventTrackingBehavior": "behavior eventTrackingBehavior", "consume": "purchaseToken",
    "didPurchase": "result~{type error}", "didRestore": "result~{result errorMessage}",
    "didHandleCustomCallback": "callbackId status data", "didHandleBackPressed": "shouldConsume",
    "getConfigurationStatus": "", "reset": "", "dismiss": "", "getAssignments": "",
    "confirmAllAssignments": "", "getEntitlements": "", "getSubscriptionStatus": "",
    "getUserAttributes": "", "getDeviceAttributes": "", "getIntegrationAttributes": "",
    "restorePurchases": "", "preloadAllPaywalls": "",
  ].mapValues { KeyShape($0) }

  /// The entries that are observed and expected: module events, Superwall events, commands to the host, and deliveries
  /// to subscribers.
  static let entry = KeyShape("ev sw host to cb p complete unordered optional")
  static let events = ModuleEvent.Name.allCases.map(\.rawValue)
  static let superwallEvents = SuperwallEventName.allCases.map(\.rawValue)
  static let hostCommands = [
    "present", "dismiss", "survey", "message", "alert", "openUrl", "scheduleNotification",
    "checkout", "store.purchase", "store.restore",
  ]

  static let matchers = ["$any", "$re", "$capture", "$use", "$absent", "$set", "$len", "$contains"]
}
