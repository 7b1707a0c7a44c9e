/// How a user is identified.
public struct IdentityOptions: Hashable, Sendable {
  /// Whether `identify`, and placements, wait for the server's assignments of the user. Otherwise
  /// they are loaded in the background.
  public var restorePaywallAssignments: Bool

  public init(restorePaywallAssignments: Bool = false) {
    self.restorePaywallAssignments = restorePaywallAssignments
  }
}
