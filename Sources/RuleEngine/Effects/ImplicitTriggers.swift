/// The SDK events that trigger a paywall without a call from the app, if the config has a placement with the event's
/// name. See decision record 0012.
///
/// ``tollgate`` is the behavior of Tollgate's SDK. The tables of the native SDKs exist to replay the native SDKs.
package struct ImplicitTriggers: Hashable, Sendable {
  /// The consequence of an event.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case dontTriggerPaywall
    /// The placement is evaluated like a placement that the app registers.
    case triggerPaywall
    /// If the placement leads to a paywall, the new paywall replaces the open paywall, and takes over its handler, call
    /// and gating. Only the last paywall's outcome is reported.
    case closePaywallThenTriggerPaywall
    /// The open paywall is closed and gets its own outcome, and then the placement is evaluated.
    case deepLinkTrigger
  }

  /// The events that may replace the open paywall.
  package private(set) var replacing: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement, .surveyResponse,
  ]
  /// The events that may start a paywall if no paywall is open.
  package private(set) var starting: Set<SuperwallEventName> = [
    .appInstall, .appLaunch, .sessionStart, .touchesBegan,
  ]
  /// The events whose paywall ends the chain: no further paywall replaces it.
  package private(set) var ending: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement,
  ]
  /// Whether ``starting`` events have no effect while a paywall is open.
  package private(set) var looksForOpenPaywall = true
  /// Whether a link is ignored if the config has no placement for links.
  package private(set) var linksNeedPlacement = true

  package static let tollgate = ImplicitTriggers()

  /// On iOS, a link dismisses the open paywall even if no placement follows.
  package static let ios = ImplicitTriggers(linksNeedPlacement: false)

  /// On Android, touches and a paywall's own placements start no paywall. Presenting a second paywall fails later.
  package static let android = ImplicitTriggers(
    replacing: ImplicitTriggers().replacing.subtracting([.customPlacement]),
    starting: ImplicitTriggers().starting.subtracting([.touchesBegan]),
    looksForOpenPaywall: false, linksNeedPlacement: false)

  /// - Parameters:
  ///   - hasPlacement: whether the config has the event's placement. The placement's name is
  ///     ``SuperwallEventName/placementName``, except for custom placements, which have their own names.
  ///   - opener: the event that opened the current paywall. Nil if the app registered its placement, or if no paywall
  ///     is open.
  package func outcome(
    of event: SuperwallEventName, hasPlacement: Bool, opener: SuperwallEventName?,
    isPaywallOpen: Bool
  ) -> Outcome {
    if event == .deepLink {
      return hasPlacement || !linksNeedPlacement ? .deepLinkTrigger : .dontTriggerPaywall
    }
    if !hasPlacement || opener.map(ending.contains) == true { return .dontTriggerPaywall }
    if replacing.contains(event) { return .closePaywallThenTriggerPaywall }
    let isFree = !isPaywallOpen || !looksForOpenPaywall
    return starting.contains(event) && isFree ? .triggerPaywall : .dontTriggerPaywall
  }
}
