public import Expressions

/// What a host reports about one presentation. Reports keep their order. What the user does before the
/// paywall is visible counts as soon as it is; reports of a presentation that is closing or gone are
/// ignored.
///
/// The reports mirror the messages of a paywall in a web view, so that a host passes them on.
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

  /// The user wants to buy a product of the paywall.
  ///
  /// - Parameters:
  ///   - productID: the product's identifier, as in ``PaywallPresentation/products``, or its slot on the
  ///     paywall, such as `primary`.
  ///   - shouldDismiss: false when the paywall wants to stay after the purchase.
  ///   - offer: a promotional offer of the App Store that the user buys with.
  public func purchaseTapped(
    _ productID: String, shouldDismiss: Bool = true, offer: PromotionalOffer? = nil
  ) {
    report(.purchase(productID: productID, shouldDismiss: shouldDismiss, offer: offer))
  }

  /// The user wants back what they bought before.
  public func restoreTapped() { report(.restore) }

  /// The user closes the paywall; the host takes it away when it is told to.
  public func closeTapped() { report(.close) }

  /// The user swiped the paywall away: it is gone already.
  public func swipedAway() { report(.swipedAway) }

  /// The paywall is gone although the user did not close it: the app or the system took it away, for
  /// example with the screen below it.
  public func systemDismissed() { report(.systemDismissed) }

  /// The back button of Android.
  ///
  /// - Returns: whether the app used the press for itself; otherwise the paywall closes.
  public func backPressed() async -> Bool { await press() }

  /// The paywall has a button that only the app understands.
  public func customAction(_ name: String) { report(.customAction(name)) }

  /// The paywall registers a placement of its own, which can lead to another paywall.
  public func customPlacement(_ name: String, params: Value = .map([])) {
    report(.customPlacement(name, params))
  }

  /// The paywall asks the app something; the answer comes as ``PaywallMessage/callbackResult(requestID:_:)``.
  public func requestCallback(requestID: String, name: String, variables: Value? = nil) {
    report(.requestCallback(requestID: requestID, CustomCallback(name: name, variables: variables)))
  }

  /// The paywall wants an address opened, in the app or outside.
  public func openURL(_ url: String, external: Bool = false) {
    report(.openURL(url, external: external))
  }

  /// The paywall wants a link into the app opened; it goes away first.
  public func openDeepLink(_ url: String) { report(.openDeepLink(url)) }

  /// The user answered something on the paywall, an object of attributes.
  public func userAttributesUpdated(_ attributes: Value) { report(.userAttributes(attributes)) }

  /// What became of the web view.
  public func webView(_ step: WebViewStep) { report(.webView(step)) }

  /// The placeholder before the paywall's content came or went.
  public func shimmer(isShown: Bool) { report(.shimmer(isShown: isShown)) }

  /// A page of the paywall came into view.
  public func pageViewed(_ page: PageView) { report(.pageView(page)) }

  /// The paywall asked for a permission of the system, or got an answer.
  public func permission(_ name: String, _ step: PermissionStep) { report(.permission(name, step)) }

  /// The paywall asked for a review of the app, for the how manieth time.
  public func reviewRequested(count: Int) { report(.reviewRequested(count: count)) }

  /// The user touched the screen.
  public func touchesBegan() { report(.touchesBegan) }

  /// What the paywall says of its own state, an object; it is part of every later ``PaywallInfo``.
  public func stateChanged(_ state: Value) { report(.state(state)) }

  /// How a checkout on the web went on.
  public func checkout(_ step: CheckoutStep) { report(.checkout(step)) }
}

/// What became of a paywall's web view.
public enum WebViewStep: Hashable, Sendable {
  case start
  case complete
  /// It cannot be shown; the paywall closes.
  case fail
  case timeout
  case fallback
  case processTerminated
  /// The paywall runs; with the version of its runtime.
  case ready(version: String)
}

/// What became of a permission of the system.
public enum PermissionStep: String, Hashable, Sendable {
  case requested
  case granted
  case denied
}

/// How a checkout on the web went on.
public enum CheckoutStep: Hashable, Sendable {
  /// The user is back from the checkout page.
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
