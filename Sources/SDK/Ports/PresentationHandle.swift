public import Expressions

/// Receives a host's reports about one presentation, in order. User actions take effect when the paywall is visible.
/// Reports about a presentation that is closing or closed are ignored.
///
/// Each function matches a message from a paywall's web view, so that a host only needs to forward the messages.
public struct PresentationHandle: Sendable {
  private let report: @Sendable (PresentationReport) -> Void
  private let press: @Sendable () async -> Bool

  init(
    report: @escaping @Sendable (PresentationReport) -> Void,
    pressBack: @escaping @Sendable () async -> Bool
  ) {
    self.report = report
    press = pressBack
  }

  /// Reports that the user tapped a button to buy a product of the paywall.
  ///
  /// - Parameters:
  ///   - productID: the product's identifier, as in ``PaywallPresentation/products``, or its slot on the
  ///     paywall, such as `primary`.
  ///   - shouldDismiss: false if the paywall should stay open after the purchase.
  ///   - offer: a promotional offer of the App Store that applies to the purchase.
  public func purchaseTapped(
    _ productID: String, shouldDismiss: Bool = true, offer: PromotionalOffer? = nil
  ) {
    report(.purchase(productID: productID, shouldDismiss: shouldDismiss, offer: offer))
  }

  /// Reports that the user wants to restore earlier purchases.
  public func restoreTapped() { report(.restore) }

  /// Reports that the user wants to close the paywall. The host closes the paywall when the SDK asks for it.
  public func closeTapped() { report(.close) }

  /// Reports that the user swiped the paywall away. The paywall is already closed.
  public func swipedAway() { report(.swipedAway) }

  /// Reports that the app or the system removed the paywall, for example together with the screen below it.
  public func systemDismissed() { report(.systemDismissed) }

  /// Reports that the user pressed Android's back button.
  ///
  /// - Returns: true if the app consumed the press. If false, the paywall closes.
  public func backPressed() async -> Bool { await press() }

  /// Reports that the user tapped a button whose action only the app knows.
  public func customAction(_ name: String) { report(.customAction(name)) }

  /// Reports that the paywall registers its own placement, which can lead to another paywall.
  public func customPlacement(_ name: String, params: Value = .map([])) {
    report(.customPlacement(name, params))
  }

  /// Passes a request of the paywall to the app. The answer arrives as ``PaywallMessage/callbackResult(requestID:_:)``.
  public func requestCallback(requestID: String, name: String, variables: Value? = nil) {
    report(.requestCallback(requestID: requestID, CustomCallback(name: name, variables: variables)))
  }

  /// Reports that the paywall requests to open a URL inside or outside the app.
  public func openURL(_ url: String, external: Bool = false) {
    report(.openURL(url, external: external))
  }

  /// Reports that the paywall requests to open a deep link into the app. The paywall closes first.
  public func openDeepLink(_ url: String) { report(.openDeepLink(url)) }

  /// Reports the answers that the user entered on the paywall. The answers become attributes of the user.
  public func userAttributesUpdated(_ attributes: Value) { report(.userAttributes(attributes)) }

  /// Reports the progress of the web view.
  public func webView(_ step: WebViewStep) { report(.webView(step)) }

  /// Reports that the placeholder for the paywall's content appeared or disappeared.
  public func shimmer(isShown: Bool) { report(.shimmer(isShown: isShown)) }

  /// Reports that a page of the paywall appeared.
  public func pageViewed(_ page: PageView) { report(.pageView(page)) }

  /// Reports that the paywall requested a permission of the system, or received an answer.
  public func permission(_ name: String, _ step: PermissionStep) { report(.permission(name, step)) }

  /// Reports that the paywall requested a review of the app. `count` is the number of requests so far.
  public func reviewRequested(count: Int) { report(.reviewRequested(count: count)) }

  /// Reports that the user touched the screen.
  public func touchesBegan() { report(.touchesBegan) }

  /// Reports that the paywall's state changed. The state, an object, is part of every later ``PaywallInfo``.
  public func stateChanged(_ state: Value) { report(.state(state)) }

  /// Reports the progress of a checkout on the web.
  public func checkout(_ step: CheckoutStep) { report(.checkout(step)) }
}

/// The progress of a paywall's web view.
public enum WebViewStep: Hashable, Sendable {
  case start
  case complete
  /// The web view failed, so the paywall closes.
  case fail
  case timeout
  case fallback
  case processTerminated
  /// The paywall page is running, with this version of its runtime.
  case ready(version: String)
}

/// The result of a permission request.
public enum PermissionStep: String, Hashable, Sendable {
  case requested
  case granted
  case denied
}

/// The progress of a checkout on the web.
public enum CheckoutStep: Hashable, Sendable {
  /// The user returned from the checkout page.
  case returned
  case submit(setupIntentID: String, email: String)
  case fail
  case abandon
}

/// A report about one presentation.
package enum PresentationReport: Hashable, Sendable {
  case purchase(productID: String, shouldDismiss: Bool, offer: PromotionalOffer? = nil)
  case restore
  case close
  case swipedAway
  case systemDismissed
  case customAction(String)
  case customPlacement(String, Value)
  case requestCallback(requestID: String, CustomCallback)
  case openURL(String, external: Bool)
  case openDeepLink(String)
  case userAttributes(Value)
  case webView(WebViewStep)
  case shimmer(isShown: Bool)
  case pageView(PageView)
  case permission(String, PermissionStep)
  case reviewRequested(count: Int)
  case touchesBegan
  case state(Value)
  case checkout(CheckoutStep)
}
