/// Whether an event of the SDK starts a paywall by itself, when the config has a placement of its
/// name.
public enum ImplicitTrigger: String, Hashable, Sendable, CaseIterable {
  case dontTriggerPaywall
  case triggerPaywall
  /// Only when there is a paywall for it; then the open one is closed first.
  case closePaywallThenTriggerPaywall
  /// A link dismisses the open paywall and is decided, whether or not the config has the placement.
  case deepLinkTrigger

  /// Events that start a paywall only when none is open.
  private static let quietEvents = ["app_install", "session_start", "app_launch"]
  /// Events that put their paywall in the place of the open one.
  private static let replacingEvents = [
    "transaction_abandon", "transaction_fail", "paywall_decline", "survey_response",
  ]
  /// A paywall that was started by one of these starts no further one.
  private static let exitEvents = [
    "transaction_abandon", "transaction_fail", "paywall_decline", "custom_placement",
  ]
  private static let link = "deepLink_open"

  /// - Parameters:
  ///   - event: the name of the event.
  ///   - placements: the names of the config's placements.
  ///   - presentedBy: the event that started the open paywall, or nil.
  ///   - platform: touches and placements of a paywall's own are implicit on iOS only, and Android
  ///     does not look whether a paywall is open.
  public init(
    event: String, placements: [String], presentedBy: String?, isPaywallOpen: Bool,
    platform: SDKPlatform = .ios
  ) {
    func isOne(_ names: [String]) -> Bool { names.contains(event) }
    if event == Self.link {
      self = .deepLinkTrigger
      return
    }
    let isNative = platform == .ios
    let quiet = Self.quietEvents + (isNative ? ["touches_began"] : [])
    let replacing = Self.replacingEvents + (isNative ? ["custom_placement"] : [])
    guard isOne(quiet + replacing), placements.contains(where: { $0.utf8.elementsEqual(event.utf8) }),
      !(presentedBy.map(Self.exitEvents.contains) ?? false)
    else {
      self = .dontTriggerPaywall
      return
    }
    if isOne(replacing) {
      self = .closePaywallThenTriggerPaywall
    } else if isPaywallOpen, platform != .android {
      self = .dontTriggerPaywall
    } else {
      self = .triggerPaywall
    }
  }
}
