/// The SDK events that ask for a paywall without a call from the app, when the config has a
/// placement of their name. One literal table, with a list for each question (decision record
/// 0012).
///
/// ``tollgate`` is the behavior of Tollgate's SDK. The tables of the native SDKs exist to replay
/// them.
package struct ImplicitTriggers: Hashable, Sendable {
  /// The consequence of an event.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case dontTriggerPaywall
    /// The placement is evaluated like one that the app registers.
    case triggerPaywall
    /// If the placement leads to a paywall, the open one is closed for it. The next one takes over
    /// its handler, its call and its gating. There is a single outcome, at the end.
    case closePaywallThenTriggerPaywall
    /// The open paywall is closed and gets its own outcome. Then the placement is evaluated.
    case deepLinkTrigger
  }

  /// Which events may replace the open paywall by their own?
  package private(set) var replacing: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement, .surveyResponse,
  ]
  /// Which events may start a paywall when none is open?
  package private(set) var starting: Set<SuperwallEventName> = [
    .appInstall, .appLaunch, .sessionStart, .touchesBegan,
  ]
  /// After which events does their paywall end the chain, so that none of these events follows it?
  package private(set) var ending: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement,
  ]
  /// Does it matter to ``starting`` events that a paywall is open?
  package private(set) var looksForOpenPaywall = true
  /// Is a link ignored if the config has no placement for it?
  package private(set) var linksNeedPlacement = true

  package static let tollgate = ImplicitTriggers()

  /// A link also dismisses the open paywall when no placement follows.
  package static let ios = ImplicitTriggers(linksNeedPlacement: false)

  /// Touches and a paywall's own placements start nothing; presenting a second paywall fails later.
  package static let android = ImplicitTriggers(
    replacing: ImplicitTriggers().replacing.subtracting([.customPlacement]),
    starting: ImplicitTriggers().starting.subtracting([.touchesBegan]),
    looksForOpenPaywall: false, linksNeedPlacement: false)

  /// - Parameters:
  ///   - hasPlacement: whether the config has the event's placement: for a custom placement its own
  ///     name, otherwise ``SuperwallEventName/placementName``.
  ///   - opener: the event that opened the current paywall; nil when the app registered its
  ///     placement, and when no paywall is open.
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
