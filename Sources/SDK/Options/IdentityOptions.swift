/// How a user is identified.
public struct IdentityOptions: Hashable, Sendable {
  /// Whether `identify` and all placements wait until the user's assignments are loaded from the server. If false, the
  /// assignments are loaded in the background.
  public var restorePaywallAssignments: Bool

  public init(restorePaywallAssignments: Bool = false) {
    self.restorePaywallAssignments = restorePaywallAssignments
  }
}
