internal import Expressions
internal import SDK

// Reads the scripts of the store, the backend and the user in scenarios.

extension SimulatedStore.Script {
  init(_ value: Value) {
    self.init()
    owned = (value["owned"]?.elements ?? []).compactMap { OwnedProduct($0) }
    tokens = Set((value["tokens"]?.elements ?? []).compactMap(\.text))
    isEligibleForOffers = value["trialEligible"]?.truth ?? true
    if let results = value["purchase"]?.elements {
      purchases = results.map { result in
        result["type"]?.text == "manual" ? .manual : .result(PurchaseResult(decoding: result))
      }
    }
    if let results = value["restore"]?.elements {
      restores = results.map { result in
        if result["type"]?.text == "manual" { return .manual }
        let owned = (result["owned"]?.elements ?? []).compactMap(\.text)
        return .result(RestorationResult(decoding: result), owned: owned)
      }
    }
  }
}

extension OwnedProduct {
  /// Reads a purchase: `"com.app.pro"`, or `{"productId", "expiresAt"}` with milliseconds since 1970.
  fileprivate init?(_ value: Value) {
    guard let id = value.text ?? value["productId"]?.text else { return nil }
    self.init(id, expiresAt: Self.instant(value["expiresAt"]))
  }

  static func instant(_ value: Value?) -> Instant? {
    value?.wholeNumber.map { Instant(milliseconds: Int64($0)) }
  }
}

extension ScriptedTransport.Rule {
  /// The backend rules of a scenario, followed by the default rules.
  static func rules(_ value: Value?, config: Value) throws -> [ScriptedTransport.Rule] {
    let own = try (value?.elements ?? []).map { rule -> ScriptedTransport.Rule in
      guard let method = rule["method"]?.text.flatMap({ BackendRequest.Method(rawValue: $0) }),
        let path = rule["path"]?.text, let replies = rule["replies"]?.elements
      else { throw CaseFileError(message: "a backend rule needs 'method', 'path' and 'replies'") }
      return ScriptedTransport.Rule(method, path, replies.map { ScriptedTransport.Reply($0) })
    }
    return own + ScriptedTransport.Rule.backend(of: config)
  }
}

extension ScriptedTransport.Reply {
  fileprivate init(_ value: Value) {
    let delay = Int64(value["delayMs"]?.wholeNumber ?? 0)
    if let error = value["networkError"]?.text {
      self = .networkError(error, delay: delay)
    } else if value["echo"]?.text == "assignments" {
      self = .echoAssignments(delay: delay)
    } else {
      self = .json(value["json"], status: value["status"]?.wholeNumber ?? 200, delay: delay)
    }
  }
}

// MARK: The user

extension SimulationSession {
  /// Performs an action of the user, the paywall or the host.
  func play(_ action: String, _ details: Value) {
    switch action {
    case "presented": return presenter.finishPresenting()
    case "presentFailed":
      return presenter.finishPresenting(refusal: details["message"]?.text ?? "it cannot be shown")
    case "dismissed": return presenter.finishDismissing()
    case "survey": return presenter.answerSurvey(SurveyAnswer(details))
    default: break
    }
    guard let handle = presenter.handle else { return }
    switch action {
    case "purchase":
      handle.purchaseTapped(
        details["productId"]?.text ?? "", shouldDismiss: details["shouldDismiss"]?.truth ?? true)
    case "restore": handle.restoreTapped()
    case "close": handle.closeTapped()
    case "swipedAway": handle.swipedAway()
    case "systemDismissed": handle.systemDismissed()
    case "backPress": run { _ = await handle.backPressed() }
    case "customAction": handle.customAction(details["name"]?.text ?? "")
    case "customPlacement":
      handle.customPlacement(details["name"]?.text ?? "", params: details["params"] ?? .map([]))
    case "requestCallback":
      handle.requestCallback(
        requestID: details["requestId"]?.text ?? "", name: details["name"]?.text ?? "",
        variables: details["variables"])
    case "openUrl":
      handle.openURL(
        details["url"]?.text ?? "", external: details["external"]?.truth ?? false)
    case "openDeepLink": handle.openDeepLink(details["url"]?.text ?? "")
    default: tell(handle, action, details)
    }
  }

  /// Sends presentation reports that require no other action.
  private func tell(_ handle: PresentationHandle, _ action: String, _ details: Value) {
    switch action {
    case "webviewStart": handle.webView(.start)
    case "webviewComplete": handle.webView(.complete)
    case "webviewFail": handle.webView(.fail)
    case "webviewTimeout": handle.webView(.timeout)
    case "webviewFallback": handle.webView(.fallback)
    case "webviewProcessTerminated": handle.webView(.processTerminated)
    case "shimmer": handle.shimmer(isShown: details["state"]?.text != "complete")
    case "permission":
      let step = details["state"]?.text.flatMap { PermissionStep(rawValue: $0) } ?? .requested
      handle.permission(details["name"]?.text ?? "", step)
    case "reviewRequested": handle.reviewRequested(count: details["count"]?.wholeNumber ?? 0)
    case "pageView": handle.pageViewed(PageView(decoding: details["data"] ?? .null))
    case "touchesBegan": handle.touchesBegan()
    case "userAttributes": handle.userAttributesUpdated(details["attributes"] ?? .map([]))
    case "state": handle.stateChanged(details["state"] ?? .map([]))
    case "checkout": CheckoutStep(details).map { handle.checkout($0) }
    default: break
    }
  }
}

extension SurveyAnswer {
  fileprivate init(_ value: Value) {
    if value["closed"]?.truth == true || value["optionId"] == nil {
      self = .closed
    } else {
      self = .option(
        id: value["optionId"]?.text ?? "", customResponse: value["customResponse"]?.text)
    }
  }
}

extension CheckoutStep {
  fileprivate init?(_ value: Value) {
    switch value["state"]?.text {
    case "returned": self = .returned
    case "submit":
      self = .submit(
        setupIntentID: value["setupIntentId"]?.text ?? "", email: value["email"]?.text ?? "")
    case "fail": self = .fail
    case "abandon": self = .abandon
    default: return nil
    }
  }
}
