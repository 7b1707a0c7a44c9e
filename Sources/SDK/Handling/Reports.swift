internal import Expressions
internal import RuleEngine

// A host's reports about its paywall.

extension SDKState {
  mutating func receive(_ report: PresentationReport, from id: String) {
    guard let open = presentation, open.id == id else { return }
    switch open.phase {
    case .dismissing: return
    case .surveying:
      // The host closed the paywall, so the survey cannot be shown.
      if report == .swipedAway || report == .systemDismissed { surveyIsGone() }
      return
    case .presenting:
      // Loading reports are handled immediately. User actions wait until the paywall is visible, because a user may act
      // earlier, and a swipe to close is reported only once.
      switch report {
      case .webView, .shimmer, .state, .pageView: break
      case .systemDismissed where open.early.isEmpty:
        // The system may close the paywall early, for example when the app enters the background. If the paywall still
        // appears, it is closed again.
        let message = "the paywall was closed before it was visible"
        return didFailToPresent(id, message, isLate: true)
      case .systemDismissed:
        // A user action implies that the paywall was visible.
        didPresent(id)
        return receive(report, from: id)
      default:
        stage.advance { $0.keep(report) }
        return
      }
    case .presented: break
    }
    switch report {
    case .purchase(let product, let shouldDismiss, let offer):
      buy(product, shouldDismiss: shouldDismiss, offer: offer)
    case .restore: restoreFromPaywall()
    case .close: userCloses()
    case .swipedAway: userCloses(tellsHost: false)
    case .systemDismissed: close(Closing(reason: .systemLogic, tellsHost: false))
    case .requestCallback(let requestID, let callback): requestCallback(requestID, callback)
    case .openURL(let url, let external):
      outbox.emit(.paywallWillOpenURL(url))
      outbox.add(.open(url: url, external: external))
    case .openDeepLink(let url): openDeepLink(url)
    case .customPlacement(let name, let params): customPlacement(name, params)
    case .webView(let step): webView(step)
    case .checkout(let step): checkoutReported(step, in: open.id)
    default: note(report, open.info)
    }
  }

  /// Handles reports that only cause an event.
  private mutating func note(_ report: PresentationReport, _ info: PaywallInfo) {
    switch report {
    case .customAction(let name): outbox.emit(.handleCustomPaywallAction(name: name))
    case .userAttributes(let attributes): setUserAttributes(attributes)
    case .shimmer(let isShown): track(isShown ? .shimmerViewStart : .shimmerViewComplete)
    case .pageView(let page): track(.paywallPageView(page: page, paywallInfo: info))
    case .permission(let name, let step): permission(name, step, info)
    case .reviewRequested(let count): track(.reviewRequested(count: count))
    case .touchesBegan: touchesBegan()
    case .state(let state): if state.isObject { stage.advance { $0.report(state: state) } }
    default: break
    }
  }

  private mutating func permission(_ name: String, _ step: PermissionStep, _ info: PaywallInfo) {
    switch step {
    case .requested:
      track(.permissionRequested(name: name, paywallIdentifier: info.identifier))
    case .granted: track(.permissionGranted(name: name, paywallIdentifier: info.identifier))
    case .denied: track(.permissionDenied(name: name, paywallIdentifier: info.identifier))
    }
    if step != .requested, let id = presentation?.id {
      outbox.add(.message(id: id, .permissionResult(name: name, isGranted: step == .granted)))
    }
  }

  private mutating func customPlacement(_ name: String, _ params: Value) {
    let params = params.isObject ? params : .map([])
    let next = followUp(.customPlacement, placement: name, params: params)
    track(.customPlacement(name: name, params: params, paywallInfo: presentation?.info))
    if let next { close(Closing(reason: .forNextPaywall, next: next)) }
  }

  private mutating func webView(_ step: WebViewStep) {
    let now = now
    stage.advance { $0.report(step, at: now) }
    guard let info = presentation?.info else { return }
    switch step {
    case .start: track(.paywallWebviewLoadStart(paywallInfo: info))
    case .complete: track(.paywallWebviewLoadComplete(paywallInfo: info))
    case .timeout: track(.paywallWebviewLoadTimeout(paywallInfo: info))
    case .fallback: track(.paywallWebviewLoadFallback(paywallInfo: info))
    case .processTerminated: track(.paywallWebviewProcessTerminated(paywallInfo: info))
    case .ready: break
    case .fail:
      track(.paywallWebviewLoadFail(paywallInfo: info))
      close(Closing(reason: .webViewFailedToLoad))
    }
  }

  /// The paywall closes before the link is opened, unless the link redeems a code for this paywall.
  private mutating func openDeepLink(_ url: String) {
    if DeepLink(url)?.redemptionCode != nil { return openDeepLinkNow(url) }
    close(Closing(reason: .systemLogic, next: .openDeepLink(url)))
  }

  mutating func openDeepLinkNow(_ url: String) {
    outbox.emit(.paywallWillOpenDeepLink(url))
    outbox.add(.open(url: url, external: true))
  }
}
