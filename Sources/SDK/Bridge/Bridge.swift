public import Expressions

/// A JSON interface to the SDK, for wrappers in other languages. A call is a method name and an object with arguments,
/// and returns a value or an error. An event is a name and a payload.
///
/// An argument of the wrong type counts as missing. No input makes a call trap.
public final class Bridge: Sendable {
  /// The names of all methods.
  public static let methods = BridgeMethod.allCases.map(\.rawValue)

  private let tollgate: Tollgate
  /// The wrapper's name in requests to the backend.
  private let wrapperName: String

  public init(_ tollgate: Tollgate, wrapperName: String = "Expo") {
    self.tollgate = tollgate
    self.wrapperName = wrapperName
  }

  /// Calls a listener with the name and payload of every event. Events arrive in order, and before the call that caused
  /// them returns.
  @discardableResult
  public func onEvent(_ listener: @escaping @Sendable (_ name: String, _ payload: Value) -> Void)
    async -> EventSubscription
  {
    await tollgate.observe { listener($0.name.rawValue, $0.payload) }
  }

  /// Reports whether `onPurchase` and `onPurchaseRestore` have a listener. If an app has a purchase controller but no
  /// listener, its purchases and restores fail immediately.
  public func setPurchaseListeners(_ areThere: Bool) async {
    await tollgate.handle(.listenersChanged(purchases: areThere))
  }

  /// Calls a method by its name.
  ///
  /// - Parameters:
  ///   - method: one of ``methods``.
  ///   - arguments: an object. Any other value counts as an empty object.
  public func call(_ method: String, _ arguments: Value = .map([])) async throws(SDKError) -> Value
  {
    guard let name = BridgeMethod(rawValue: method) else {
      throw SDKError(.unsupported, "there is no method '\(method)'")
    }
    guard let call = try name.call(arguments, self) else { return .null }
    if case .configure(let configuration) = call {
      _ = try await tollgate.perform(.configure(configuration)).get()
      return .null
    }
    return try await tollgate.perform(call).get().value
  }

  /// Calls a method with a JSON string.
  ///
  /// - Returns: `{"value": ..}` or `{"error": {"code", "message"}}`.
  public func call(_ method: String, json: String) async -> String {
    let arguments = (try? Value.parse(json: json.utf8)) ?? .map([])
    do throws(SDKError) {
      return Value.object(["value": try await call(method, arguments)]).json
    } catch {
      return Value.object(["error": error.value]).json
    }
  }

  func wrapper(_ version: Value?) -> Configuration.Wrapper {
    Configuration.Wrapper(name: wrapperName, version: version?.text ?? "0.0.0")
  }
}

/// The methods of the bridge contract.
enum BridgeMethod: String, CaseIterable {
  case configure
  case getConfigurationStatus
  case identify
  case reset
  case registerPlacement
  case getPresentationResult
  case dismiss
  case getAssignments
  case confirmAllAssignments
  case getEntitlements
  case getSubscriptionStatus
  case setSubscriptionStatus
  case setInterfaceStyle
  case getUserAttributes
  case setUserAttributes
  case getDeviceAttributes
  case handleDeepLink
  case preloadPaywalls
  case preloadAllPaywalls
  case setLogLevel
  case setEventTrackingBehavior
  case setIntegrationAttributes
  case getIntegrationAttributes
  case restorePurchases
  case consume
  case didPurchase
  case didRestore
  case didHandleCustomCallback
  case didHandleBackPressed

  /// The call that the arguments describe, or nil if the method needs no call.
  func call(_ arguments: Value, _ bridge: Bridge) throws(SDKError) -> Call? {
    switch self {
    case .configure:
      return .configure(
        Configuration(
          apiKey: arguments["apiKey"]?.text ?? "",
          options: TollgateOptions(decoding: arguments["options"] ?? .null),
          purchases: arguments["usingPurchaseController"]?.truth == true ? .listener : .store,
          wrapper: bridge.wrapper(arguments["sdkVersion"])))
    case .getConfigurationStatus: return .getConfigurationStatus
    case .identify:
      let restores = arguments["options"]?["restorePaywallAssignments"]?.truth ?? false
      return .identify(userID: arguments["userId"]?.text ?? "", restoresAssignments: restores)
    case .reset: return .reset
    case .dismiss: return .dismiss
    case .getAssignments: return .getAssignments
    case .confirmAllAssignments: return .confirmAllAssignments
    case .getEntitlements: return .getEntitlements
    case .getSubscriptionStatus: return .getSubscriptionStatus
    case .getUserAttributes: return .getUserAttributes
    case .getDeviceAttributes: return .getDeviceAttributes
    case .getIntegrationAttributes: return .getIntegrationAttributes
    case .restorePurchases: return .restorePurchases
    case .preloadAllPaywalls: return .preloadPaywalls(nil)
    case .registerPlacement, .getPresentationResult: return try placementCall(arguments)
    case .didPurchase, .didRestore, .didHandleCustomCallback, .didHandleBackPressed:
      return completion(arguments)
    default: return setting(arguments)
    }
  }

  private func placementCall(_ arguments: Value) throws(SDKError) -> Call {
    let params = arguments["params"].flatMap { $0.isObject ? $0 : nil } ?? .map([])
    let placement = arguments["placement"]?.text ?? ""
    if self == .getPresentationResult {
      guard !placement.isEmpty else {
        throw SDKError(.invalidArgument, "'placement' must be the name of a placement")
      }
      return .getPresentationResult(placement: placement, params: params)
    }
    return .registerPlacement(
      PlacementRequest(
        placement: placement, params: params, handlerID: arguments["handlerId"]?.text,
        isFeatureGatable: true))
  }

  private func completion(_ arguments: Value) -> Call? {
    switch self {
    case .didPurchase:
      return .didPurchase(PurchaseResult(decoding: arguments["result"] ?? .null))
    case .didRestore:
      return .didRestore(RestorationResult(decoding: arguments["result"] ?? .null))
    case .didHandleCustomCallback:
      let data = arguments["data"].flatMap { $0.isObject ? $0 : nil }
      let isSuccess = arguments["status"]?.text == "success"
      return .didHandleCustomCallback(
        callbackID: arguments["callbackId"]?.text ?? "",
        CustomCallbackResult(isSuccess: isSuccess, data: data))
    default:
      return .didHandleBackPressed(shouldConsume: arguments["shouldConsume"]?.truth ?? false)
    }
  }

  private func setting(_ arguments: Value) -> Call? {
    switch self {
    case .setSubscriptionStatus:
      return .setSubscriptionStatus(SubscriptionStatus(coercing: arguments["status"] ?? .null))
    case .setInterfaceStyle:
      switch arguments["style"] {
      case nil, .null: return .setInterfaceStyle(nil)
      case .string("LIGHT"): return .setInterfaceStyle(.light)
      case .string("DARK"): return .setInterfaceStyle(.dark)
      // Unknown styles have no effect.
      default: return nil
      }
    case .setUserAttributes:
      return .setUserAttributes(arguments["userAttributes"] ?? .map([]))
    case .setIntegrationAttributes:
      return .setIntegrationAttributes(arguments["attributes"] ?? .map([]))
    case .handleDeepLink: return .handleDeepLink(arguments["url"]?.text ?? "")
    case .preloadPaywalls:
      return .preloadPaywalls((arguments["placementNames"]?.elements ?? []).compactMap(\.text))
    case .setLogLevel:
      return arguments["level"]?.text.flatMap { LogLevel(rawValue: $0) }.map { .setLogLevel($0) }
    case .setEventTrackingBehavior:
      let name = arguments["behavior"] ?? arguments["eventTrackingBehavior"]
      return name?.text.flatMap { EventTrackingBehavior(rawValue: $0) }
        .map { .setEventTrackingBehavior($0) }
    default: return .consume(purchaseToken: arguments["purchaseToken"]?.text ?? "")
    }
  }
}
