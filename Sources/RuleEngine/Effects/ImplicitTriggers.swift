/// Which events of the SDK ask for a paywall by themselves, when the config has a placement of their
/// name: one literal table, with a list for each question (decision record 0012).
///
/// ``tollgate`` is what Tollgate's SDK does; the tables of the native SDKs are there to replay them.
package struct ImplicitTriggers: Hashable, Sendable {
  /// What an event leads to.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case dontTriggerPaywall
    /// The placement has its turn like one that the app registers.
    case triggerPaywall
    /// When there is a paywall for the placement, the open one is closed for it. The next one takes
    /// over its handler, its call and its gating; there is one outcome, at the end.
    case closePaywallThenTriggerPaywall
    /// The open paywall is closed and gets its own outcome; then the placement has its turn.
    case deepLinkTrigger
  }

  /// Which events may put their paywall in the place of the open one?
  package private(set) var replacing: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement, .surveyResponse,
  ]
  /// Which events may start a paywall when none is open?
  package private(set) var starting: Set<SuperwallEventName> = [
    .appInstall, .appLaunch, .sessionStart, .touchesBegan,
  ]
  /// After which events does their paywall end the chain, so that it is followed by none of these?
  package private(set) var ending: Set<SuperwallEventName> = [
    .transactionAbandon, .transactionFail, .paywallDecline, .customPlacement,
  ]
  /// Does it matter to ``starting`` events that a paywall is open?
  package private(set) var looksForOpenPaywall = true
  /// Is a link without a placement in the config left alone?
  package private(set) var linksNeedPlacement = true

  package static let tollgate = ImplicitTriggers()

  /// A link dismisses the open paywall also when no placement follows.
  package static let ios = ImplicitTriggers(linksNeedPlacement: false)

  /// Touches and placements of a paywall's own start nothing; presenting a second paywall fails
  /// later.
  package static let android = ImplicitTriggers(
    replacing: ImplicitTriggers().replacing.subtracting([.customPlacement]),
    starting: ImplicitTriggers().starting.subtracting([.touchesBegan]),
    looksForOpenPaywall: false, linksNeedPlacement: false)

  /// - Parameters:
  ///   - hasPlacement: whether the config has the event's placement: for a custom placement its own
  ///     name, otherwise ``SuperwallEventName/placementName``.
  ///   - opener: the event that the open paywall came from; nil when the app registered its
  ///     placement, and when none is open.
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
