internal import Expressions
internal import RuleEngine

extension SDKState {
  /// Runs a call that no longer has to wait. Every call is completed exactly once, here or at the end of the work that
  /// the call started.
  mutating func run(_ call: Call, _ token: Token) {
    switch call {
    case .configure(let configuration): configure(configuration, token)
    case .getConfigurationStatus: outbox.complete(token, .configuration(configurationStatus))
    case .identify(let id, let restores): identify(id, restoresAssignments: restores, token)
    case .reset:
      _ = startup.handle(.reset)
      resetIdentity()
      outbox.complete(token)
      continueWaiting()
    case .registerPlacement(let request): register(request, token)
    case .getPresentationResult(let placement, let params):
      ask(Question(token: token, placement: placement, params: params))
    case .dismiss: dismiss(token)
    case .getAssignments: outbox.complete(token, .assignments(person.assignments))
    case .confirmAllAssignments: confirmAllAssignments(token)
    case .getEntitlements: outbox.complete(token, .entitlements(entitlements))
    case .getSubscriptionStatus: outbox.complete(token, .status(ownership.status))
    case .setSubscriptionStatus(let status):
      setStatus(status)
      outbox.complete(token)
    case .getUserAttributes: outbox.complete(token, .attributes(stored.user))
    case .setUserAttributes(let attributes):
      setUserAttributes(attributes)
      outbox.complete(token)
    case .getDeviceAttributes: outbox.complete(token, .attributes(deviceAttributes.all()))
    case .handleDeepLink(let url): outbox.complete(token, .truth(handleDeepLink(url)))
    case .preloadPaywalls(let names):
      outbox.complete(token)
      preload(names)
    case .setIntegrationAttributes(let attributes):
      setIntegrationAttributes(attributes)
      outbox.complete(token)
    case .getIntegrationAttributes:
      outbox.complete(token, .attributes(integrationAttributes))
    case .restorePurchases: restorePurchases(token)
    case .consume(let purchaseToken): consume(purchaseToken, token)
    case .products(let identifiers): products(identifiers, token)
    default: runSetting(call, token)
    }
  }

  /// Runs calls that set a value or answer a question. Such calls are possible at any time.
  private mutating func runSetting(_ call: Call, _ token: Token) {
    switch call {
    case .setInterfaceStyle(let style):
      if settings.set(style), startup.phase == .configured { trackDevice() }
    case .setLogLevel(let level): settings.set(level)
    case .setEventTrackingBehavior(let behavior):
      settings.set(behavior)
      if behavior == .none { dropUploads() }
    case .didPurchase(let result): didPurchase(result)
    case .didRestore(let result): didRestore(result)
    case .didHandleCustomCallback(let id, let result): answerCallback(id, result)
    case .didHandleBackPressed(let shouldConsume):
      guard platform == .android else {
        return outbox.fail(
          token, SDKError(.unsupported, "there is no back button on this platform"))
      }
      answerBackPress(shouldConsume)
    default: break
    }
    outbox.complete(token)
  }

  private var configurationStatus: ConfigurationStatus {
    switch startup.phase {
    case .unconfigured, .configuring: .pending
    case .configured: .configured
    case .configFailed: .failed
    }
  }
}
