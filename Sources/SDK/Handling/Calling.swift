internal import Expressions
internal import RuleEngine

extension SDKState {
  /// Runs a call that does not wait, or no longer. Every call is completed exactly once, here or
  /// when what it started has ended.
  mutating func run(_ call: Call, _ token: Token) {
    switch call {
    case .configure(let configuration): configure(configuration, token)
    case .getConfigurationStatus: complete(token, .configuration(configurationStatus))
    case .identify(let id, let restores): identify(id, restoresAssignments: restores, token)
    case .reset:
      _ = lifecycle.handle(.reset)
      resetIdentity()
      complete(token)
      continueWaiting()
    case .registerPlacement(let request): register(request, token)
    case .getPresentationResult(let placement, let params):
      ask(Question(token: token, placement: placement, params: params))
    case .dismiss: dismiss(token)
    case .getAssignments: complete(token, .assignments(stored.assignments))
    case .confirmAllAssignments: confirmAllAssignments(token)
    case .getEntitlements: complete(token, .entitlements(entitlements))
    case .getSubscriptionStatus: complete(token, .status(stored.status))
    case .setSubscriptionStatus(let status):
      setStatus(status)
      complete(token)
    case .getUserAttributes: complete(token, .attributes(stored.user))
    case .setUserAttributes(let attributes):
      setUserAttributes(attributes)
      complete(token)
    case .getDeviceAttributes: complete(token, .attributes(deviceAttributes.all()))
    case .handleDeepLink(let url): complete(token, .truth(handleDeepLink(url)))
    case .preloadPaywalls(let names):
      complete(token)
      preload(names)
    case .setIntegrationAttributes(let attributes):
      setIntegrationAttributes(attributes)
      complete(token)
    case .getIntegrationAttributes:
      complete(
        token, .attributes(.members(stored.integrationAttributes.mapValues { .string($0) })))
    case .restorePurchases: restorePurchases(token)
    case .consume(let purchaseToken): consume(purchaseToken, token)
    default: runSetting(call, token)
    }
  }

  /// Calls that set something or answer a question, which are possible at any time.
  private mutating func runSetting(_ call: Call, _ token: Token) {
    switch call {
    case .setInterfaceStyle(let style): setInterfaceStyle(style)
    case .setLogLevel(let level): logLevel = level
    case .setEventTrackingBehavior(let behavior): tracking = behavior
    case .didPurchase(let result): didPurchase(result)
    case .didRestore(let result): didRestore(result)
    case .didHandleCustomCallback(let id, let result): answerCallback(id, result)
    case .didHandleBackPressed(let shouldConsume):
      guard platform == .android else {
        return fail(
          token, SDKError(.unsupported, "there is no back button on this platform"))
      }
      answerBackPress(shouldConsume)
    default: break
    }
    complete(token)
  }

  private var configurationStatus: ConfigurationStatus {
    switch lifecycle.phase {
    case .unconfigured, .configuring: .pending
    case .configured: .configured
    case .configFailed: .failed
    }
  }

  private mutating func setInterfaceStyle(_ style: InterfaceStyle?) {
    guard style != interfaceStyle else { return }
    interfaceStyle = style
    if lifecycle.phase == .configured {
      trackDevice()
    }
  }
}
