package import Expressions
package import RuleEngine

/// Identifies a call, request or question that is answered later.
package struct Token: Hashable, Sendable {
  var number: Int
}

/// A method of the contract with its arguments.
package enum Call: Hashable, Sendable {
  case configure(Configuration)
  case getConfigurationStatus
  case identify(userID: String, restoresAssignments: Bool)
  case reset
  case registerPlacement(PlacementRequest)
  case getPresentationResult(placement: String, params: Value)
  case dismiss
  case getAssignments
  case confirmAllAssignments
  case getEntitlements
  case getSubscriptionStatus
  case setSubscriptionStatus(SubscriptionStatus)
  case setInterfaceStyle(InterfaceStyle?)
  case getUserAttributes
  case setUserAttributes(Value)
  case getDeviceAttributes
  case handleDeepLink(String)
  /// Preloads the paywalls of these placements. Nil means all placements.
  case preloadPaywalls([String]?)
  case setLogLevel(LogLevel)
  case setEventTrackingBehavior(EventTrackingBehavior)
  case setIntegrationAttributes(Value)
  case getIntegrationAttributes
  case restorePurchases
  case consume(purchaseToken: String)
  case products([String])
  case didPurchase(PurchaseResult)
  case didRestore(RestorationResult)
  case didHandleCustomCallback(callbackID: String, CustomCallbackResult)
  case didHandleBackPressed(shouldConsume: Bool)

  /// Whether the call waits until the SDK is configured.
  var needsConfiguration: Bool {
    switch self {
    case .configure, .getConfigurationStatus, .dismiss, .setInterfaceStyle, .handleDeepLink,
      .preloadPaywalls, .products, .setLogLevel, .setEventTrackingBehavior, .didPurchase,
      .didRestore,
      .didHandleCustomCallback, .didHandleBackPressed:
      false
    default: true
    }
  }
}

/// The arguments of registering a placement.
package struct PlacementRequest: Hashable, Sendable {
  package var placement: String
  package var params: Value
  package var handlerID: String?
  /// Whether the call has a feature block. Rules can read this value.
  package var isFeatureGatable: Bool
}

/// The progress of the configuration.
public enum ConfigurationStatus: String, Hashable, Sendable {
  case pending = "PENDING"
  case configured = "CONFIGURED"
  case failed = "FAILED"
}

extension PlacementOutcome {
  init(_ reply: Result<Reply, SDKError>) {
    switch reply {
    case .success(.outcome(let outcome)): self = outcome
    case .success: self.init(.error(SDKError(.unsupported, "the call has no outcome")))
    case .failure(let error): self.init(.error(error))
    }
  }
}

/// The answer to a call.
package enum Reply: Hashable, Sendable {
  case done
  case truth(Bool)
  case text(String)
  case configuration(ConfigurationStatus)
  case status(SubscriptionStatus)
  case entitlements(EntitlementsInfo)
  case assignments([Assignment])
  /// Attributes, as an object.
  case attributes(Value)
  case presentation(PresentationResult)
  case outcome(PlacementOutcome)
  case restoration(RestorationResult)
  case products([StoreProduct])

  /// The answer as JSON for the bridge.
  package var value: Value {
    switch self {
    case .done: .null
    case .truth(let truth): .bool(truth)
    case .text(let text): .string(text)
    case .configuration(let status): .string(status.rawValue)
    case .status(let status): status.value
    case .entitlements(let info): info.value
    case .assignments(let assignments): .list(assignments.map(\.value))
    case .attributes(let attributes): attributes
    case .presentation(let result): result.value
    case .outcome(let outcome): outcome.value
    case .restoration(let result): result.value
    case .products(let products): .texts(products.map(\.id))
    }
  }
}
