internal import Expressions

extension SDKState {
  /// Handles a link that is for the SDK, and returns false for any other link. Before the config is loaded, the link is
  /// stored for later.
  mutating func handleDeepLink(_ url: String) -> Bool {
    guard let link = DeepLink(url) else { return false }
    if startup.phase == .configured { return routeDeepLink(url) }
    startup.queue(link: url)
    return link.redemptionCode != nil || link.isAppLink
  }

  mutating func routeDeepLink(_ url: String) -> Bool {
    guard let link = DeepLink(url) else { return false }
    if let code = link.redemptionCode {
      redeem(code)
      return true
    }
    track(.deepLink(url: url))
    return followLink(link.params) || link.isAppLink
  }
}
